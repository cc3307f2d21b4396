"""Activations, distances, margin losses, likelihoods and embedding bags against numbers of PyTorch 2.13, float64."""

import json
from pathlib import Path

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn
from autograd_ops.nn import functional as F

CASES = json.loads((Path(__file__).parent / "torch_functional.json").read_text())


def tensors(case, device="cpu"):
    made = []
    for i, values in enumerate(case["inputs"]):
        array = np.asarray(values)
        made.append(ag.tensor(array, device=device, requires_grad=i in case["diff"]))
    return made


def called(case, device="cpu"):
    inputs = tensors(case, device)
    output = getattr(F, case["name"])(*inputs, **case["options"])
    weights = np.cos(np.arange(output.numel())).reshape(tuple(output.shape))
    (output * ag.tensor(weights, device=device)).sum().backward()
    return output.detach(), [inputs[i].grad for i in case["diff"]]


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda i: f"{i}-{CASES[i]['name']}")
def test_values_and_gradients(number):
    case = CASES[number]
    output, grads = called(case)
    np.testing.assert_allclose(output.numpy(), case["output"], rtol=1e-8, atol=1e-9)
    for grad, expected in zip(grads, case["grads"], strict=True):
        np.testing.assert_allclose(grad.numpy(), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("name", sorted({case["name"] for case in CASES}))
def test_on_the_strict_device(name):
    case = next(case for case in CASES if case["name"] == name)
    output, grads = called(case, "strict:device1")
    assert output.device == "strict:device1"
    np.testing.assert_allclose(output.cpu().numpy(), case["output"], rtol=1e-8, atol=1e-9)
    for grad, expected in zip(grads, case["grads"], strict=True):
        np.testing.assert_allclose(grad.cpu().numpy(), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    "function",
    [F.celu, F.selu, F.mish, F.softsign, F.tanhshrink, F.softshrink, F.hardswish, F.glu, F.softmin],
)
def test_second_derivatives(function):
    x = ag.tensor([0.7, -1.3, 2.1, -0.2], dtype=ag.float64, requires_grad=True)
    chosen = (lambda x: function(x, 0)) if function in (F.glu, F.softmin) else function
    assert ag.autograd.gradcheck(chosen, x)
    assert ag.autograd.gradgradcheck(chosen, x)


def test_hardsigmoid():
    x = ag.tensor([-4.0, -3.0, 0.0, 1.5, 3.0], dtype=ag.float64, requires_grad=True)
    y = F.hardsigmoid(x)
    np.testing.assert_allclose(y.detach().numpy(), [0.0, 0.0, 0.5, 0.75, 1.0])
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.0, 0.0, 1 / 6, 1 / 6, 0.0])


@pytest.mark.parametrize("name", ["celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "selu_"])
def test_in_place_names(name):
    values = [-2.0, 0.5, 3.0]
    leaf = ag.tensor(values, requires_grad=True)
    x = leaf * 1.0
    assert getattr(F, name)(x) is x
    expected = ag.tensor(values, requires_grad=True)
    y = getattr(F, name[:-1])(expected)
    assert x.tolist() == y.tolist()
    x.sum().backward()
    y.sum().backward()
    assert leaf.grad.tolist() == expected.grad.tolist()


def test_threshold_and_rrelu_in_place():
    x = ag.tensor([0.0, 2.0])
    assert F.threshold_(x, 1.0, 9.0) is x
    assert x.tolist() == [9.0, 2.0]
    x = ag.tensor([-1.0, 2.0])
    assert F.rrelu_(x, 0.5, 0.5) is x
    assert x.tolist() == [-0.5, 2.0]


def test_rrelu_draws_its_slopes_in_training():
    x = ag.full((200,), -1.0, requires_grad=True)
    y = F.rrelu(x, 0.2, 0.4, training=True)
    assert bool(((y <= -0.2) & (y > -0.4)).all())
    assert len(set(y.tolist())) > 1
    y.sum().backward()
    assert x.grad.tolist() == (-y.detach()).tolist()
    with pytest.raises(ValueError, match="rrelu: lower 3 is above upper 2"):
        F.rrelu(x, 3, 2)


def test_gumbel_softmax():
    ag.manual_seed(3)
    logits = ag.tensor([[0.0, 1.0, 2.0]] * 2000, requires_grad=True)
    hard = F.gumbel_softmax(logits, tau=0.5, hard=True)
    assert set(hard.detach().flatten().tolist()) == {0.0, 1.0}
    shares = hard.detach().mean(dim=0).numpy()
    expected = np.exp([0.0, 1.0, 2.0]) / np.exp([0.0, 1.0, 2.0]).sum()
    np.testing.assert_allclose(shares, expected, atol=0.04)
    (hard * ag.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert float(logits.grad.abs().sum()) > 0
    np.testing.assert_allclose(F.gumbel_softmax(logits.detach()).sum(dim=-1).numpy(), 1.0, rtol=1e-5)


def test_max_norm_shortens_the_rows_that_are_named():
    table = ag.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    rows = F.embedding(ag.tensor([0, 1]), table, max_norm=1.0)
    np.testing.assert_allclose(rows.numpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    np.testing.assert_allclose(table.numpy(), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]], rtol=1e-5)
    layer = nn.Embedding(3, 2, max_norm=1.0, norm_type=1.0)
    layer.weight.data.fill_(2.0)
    np.testing.assert_allclose(layer(ag.tensor([2])).detach().numpy(), [[0.5, 0.5]], rtol=1e-5)


def test_embedding_bag_with_factors():
    # By hand: 2 w0 + 3 w2 and 5 w1.
    table = ag.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    factors = ag.tensor([2.0, 3.0, 5.0], requires_grad=True)
    bags = F.embedding_bag(ag.tensor([0, 2, 1]), table, ag.tensor([0, 2]), mode="sum", per_sample_weights=factors)
    assert bags.tolist() == [[17.0, 22.0], [15.0, 20.0]]
    bags.sum().backward()
    assert factors.grad.tolist() == [3.0, 11.0, 7.0]
    assert table.grad.tolist() == [[2.0, 2.0], [5.0, 5.0], [3.0, 3.0]]


def test_multi_head_attention_forward_is_the_module():
    module = nn.MultiheadAttention(8, 2, add_bias_kv=True)
    q, k = ag.randn(3, 2, 8), ag.randn(4, 2, 8)
    expected, weights = module(q, k, k)
    output, got = F.multi_head_attention_forward(
        q,
        k,
        k,
        8,
        2,
        module.in_proj_weight,
        module.in_proj_bias,
        module.bias_k,
        module.bias_v,
        False,
        0.0,
        module.out_proj.weight,
        module.out_proj.bias,
    )
    assert output.tolist() == expected.tolist()
    assert got.tolist() == weights.tolist()
    output.sum().backward()
    assert module.in_proj_weight.grad is not None


def test_pools_with_indices():
    x = ag.tensor([[[1.0, 5.0, 2.0, 7.0]]])
    values, indices = F.max_pool1d_with_indices(x, 2)
    assert values.tolist() == [[[5.0, 7.0]]]
    assert indices.tolist() == [[[1, 3]]]
    values, indices = F.adaptive_max_pool1d_with_indices(x, 1)
    assert values.tolist() == [[[7.0]]]
    assert indices.tolist() == [[[3]]]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: F.softshrink(x, -1.0), ValueError, "softshrink: lambd must be at least 0"),
        (lambda x: F.celu(x, 0.0), ZeroDivisionError, "celu: alpha may not be 0"),
        (lambda x: F.glu(x), ValueError, "glu: dimension -1 must have an even length"),
        (lambda x: F.prelu(x, ag.ones(2)), ValueError, "prelu: 2 slopes for 3 channels"),
        (lambda x: F.prelu(x, ag.ones(1, 1)), ValueError, "prelu: the weight must have one dimension"),
        (lambda x: F.bilinear(x, x, ag.ones(1, 2, 3)), ValueError, "bilinear: a weight of shape"),
        (lambda x: F.multi_margin_loss(x, ag.tensor([0, 3])), IndexError, "multi_margin_loss"),
        (lambda x: F.multi_margin_loss(x, ag.tensor([0, 1]), p=3), ValueError, "p must be 1 or 2"),
        (lambda x: F.multilabel_margin_loss(x, ag.full((2, 3), 3)), IndexError, "multilabel_margin_loss"),
        (lambda x: F.triplet_margin_loss(x, x, x, margin=0.0), ValueError, "margin must be positive"),
        (lambda x: F.cosine_embedding_loss(x, x, x), ValueError, "takes inputs"),
        (lambda x: F.gaussian_nll_loss(x, x, ag.full((2, 3), -1.0)), ValueError, "a variance is negative"),
        (lambda x: F.gaussian_nll_loss(x, x, ag.ones(4)), ValueError, "var must have the shape"),
        (lambda x: F.embedding_bag(ag.tensor([1]), x), ValueError, "without offsets"),
        (lambda x: F.embedding_bag(ag.tensor([1]), x, ag.tensor([1])), ValueError, "offsets must begin with 0"),
        (lambda x: F.embedding_bag(ag.tensor([[1]]), x, mode="most"), ValueError, "mode must be"),
        (lambda x: F.embedding_bag(ag.tensor([[2]]), x), IndexError, "2"),
    ],
)
def test_what_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call(ag.ones(2, 3))


def test_beside_tensor():
    x, w = ag.randn(2, 3, 4), ag.randn(3)
    assert ag.batch_norm(x, w, w, None, None, True, 0.1, 1e-5).tolist() == (
        F.batch_norm(x, None, None, w, w, True).tolist()
    )
    assert ag.layer_norm(x, (4,)).tolist() == F.layer_norm(x, (4,)).tolist()
    assert ag.group_norm(x, 3, w, w).tolist() == F.group_norm(x, 3, w, w).tolist()
    assert ag.embedding(w.unsqueeze(1), ag.tensor([2])).tolist() == [[w[2].item()]]
    assert ag.dropout(x, 0.5, False) is x
    assert ag.kl_div(x, x.exp(), 2).item() == pytest.approx(0.0, abs=1e-5)
    assert ag.hinge_embedding_loss(x, ag.ones(2, 3, 4), 1.0, 0).shape == x.shape
    assert ag.selu(x).tolist() == F.selu(x).tolist()
    with pytest.raises(ValueError, match="reduction must be 0, 1 or 2"):
        ag.kl_div(x, x, 3)
