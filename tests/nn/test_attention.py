"""Attention and transformers: numbers from PyTorch, what the tape keeps, dropout, masks, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import Tensor, nn, ops

from .conftest import DEVICES, made, near

RECORDED = json.loads((Path(__file__).parent / "torch_attention.json").read_text())


def mask_of(spec: Any, device: str) -> Tensor | None:
    """A mask as the recorded cases have it."""
    if spec is None:
        return None
    kind, shape = spec[0], tuple(spec[1])
    numbers = np.asarray(made(shape, 6.0 if kind == "float" else 5.0).tolist())
    if kind == "float":
        return made(shape, 6.0, device)
    if kind == "causal":
        return nn.Transformer.generate_square_subsequent_mask(shape[0], device, ag.float64)
    bools = numbers > 0.4 if kind == "bool" else numbers < 0.4
    bools[..., 0] = kind == "keep"
    return ag.tensor(bools, device=device)


# ---------------------------------------------------------------- scaled_dot_product_attention


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", RECORDED["functions"], ids=lambda c: f"{c['shapes']} {c['options']} {c['mask']}")
def test_scaled_dot_product_attention(case: Any, device: str) -> None:
    given = [made(tuple(s), 1.0 + i, device).requires_grad_() for i, s in enumerate(case["shapes"])]
    mask = mask_of(case["mask"], device)
    if mask is not None and mask.dtype.kind == "float":
        mask.requires_grad_()
    out = F.scaled_dot_product_attention(*given, attn_mask=mask, **case["options"])
    assert tuple(out.shape) == tuple(case["shape"])
    near(out, case["output"])
    (out * made(tuple(out.shape), 0.5, device)).sum().backward()
    leaves = given if len(case["grads"]) == 3 else [*given, mask]
    for leaf, want in zip(leaves, case["grads"], strict=True):
        assert leaf.grad.shape == leaf.shape
        near(leaf.grad, want)


def test_a_query_that_sees_no_key_gives_zero() -> None:
    q = made((2, 3)).requires_grad_()
    mask = ag.tensor([[True, False], [False, False]])
    out = F.scaled_dot_product_attention(q, q, q, mask)
    near(out, [q[0].tolist(), [0.0] * 3])
    out[1].sum().backward()
    near(q.grad, [[0.0] * 3] * 2)


def test_float_mask_is_cast_to_the_query() -> None:
    q = made((2, 3), dtype=ag.float32)
    assert F.scaled_dot_product_attention(q, q, q, made((2, 2))).dtype is ag.float32


@pytest.mark.parametrize("shape", [(0, 2, 3, 4), (2, 0, 3, 4), (2, 2, 0, 4), (0, 3, 4), (0, 4)])
def test_nothing_in_nothing_out(shape: tuple[int, ...]) -> None:
    x = ag.zeros(*shape, requires_grad=True)
    out = F.scaled_dot_product_attention(x, x, x, is_causal=True)
    assert out.shape == shape
    out.sum().backward()
    assert x.grad.shape == shape


@pytest.mark.parametrize("heads", [2, 4])
def test_dropout(heads: int) -> None:
    q, k, v = ag.ones(1, 4, 50, 1), ag.ones(1, heads, 50, 1), ag.ones(1, heads, 50, 1)
    ag.manual_seed(0)
    out = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5, enable_gqa=True)
    # Each of 50 equal weights is dropped or doubled.
    counts = [round(x * 25) for x in out.flatten().tolist()]
    near(out.flatten(), [n / 25 for n in counts], 1e-6)
    assert len(set(counts)) > 5
    assert 24 < float(sum(counts)) / len(counts) < 26
    near(F.scaled_dot_product_attention(q, k, v, dropout_p=1.0, enable_gqa=True), [0.0] * 200)


def test_weights_are_those_of_the_output() -> None:
    q, k, v, bias = made((2, 4, 3, 2)), made((2, 2, 5, 2), 1.0), made((2, 2, 5, 3), 2.0), made((1, 4, 3, 5), 3.0)
    mask = made((2, 1, 3, 5), 4.0) > 0.5
    options = ops.AttentionModuleOptions(0.4, 2.0, True)
    weights = ops.attention_weights(q, k, mask, bias, options)
    near(weights @ v.repeat_interleave(2, 1), ops.attention(q, k, v, mask, bias, options).tolist())
    assert ops.attention_weights(q, k[:, :, :0], options=options).shape == (2, 4, 3, 0)


@pytest.mark.parametrize(
    ("shapes", "options", "message"),
    [
        ([(2,), (2, 2), (2, 2)], {}, r"at least 2 dimensions, got shapes \(2,\), \(2, 2\), \(2, 2\)"),
        ([(2, 2)] * 3, {"attn_mask": ag.zeros(3, 2)}, r"attn_mask has shape \(3, 2\), which does not broadcast"),
        ([(2, 2)] * 3, {"attn_mask": ag.zeros(2, 1, 2, 2)}, r"attn_mask has shape \(2, 1, 2, 2\)"),
        ([(2, 2)] * 3, {"attn_mask": ag.zeros(2, 2), "is_causal": True}, "attn_mask and is_causal exclude each other"),
        ([(3, 2, 2), (2, 2, 2), (2, 2, 2)], {}, "scaled_dot_product_attention"),
        ([(3, 2, 2), (2, 2, 2), (2, 2, 2)], {"enable_gqa": True}, r"2 heads .* must divide the 3 heads"),
        ([(2, 2), (2, 3), (2, 2)], {}, r"key .* must have the width"),
        ([(2, 2)] * 3, {"dropout_p": 1.5}, r"in \[0, 1\], not 1.5"),
    ],
)
def test_refuses(shapes: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        F.scaled_dot_product_attention(*[ag.zeros(*s) for s in shapes], **options)


def test_refuses_a_mask_of_integers() -> None:
    x = ag.zeros(2, 2)
    with pytest.raises(TypeError, match="attn_mask has dtype int64; it must be bool or a float"):
        F.scaled_dot_product_attention(x, x, x, ag.ones(2, 2, dtype=ag.int64))


# ---------------------------------------------------------------- the tape


@pytest.mark.parametrize("masked", [False, True])
def test_the_tape_keeps_no_weights_where_they_are_many(masked: bool) -> None:
    n = 256
    q, k, v = (ag.randn(1, 2, n, 4).requires_grad_() for _ in range(3))
    mask = ag.zeros(1, 1, n, n, dtype=ag.bool_) if masked else None
    out = ops.attention(q, k, v, mask, None, ops.AttentionModuleOptions())
    kept = [a for a in out.node.saved if isinstance(a, np.ndarray)]
    held = {id(a) for a in (q.array, k.array, v.array, out.array, *([mask.array] if mask is not None else []))}
    assert held <= {id(a) for a in kept}
    # Beside what is there anyway, at most a number for each query and head.
    assert [a.shape for a in kept if id(a) not in held] in ([], [(1, 2, n)])


def test_only_the_gradients_that_are_needed() -> None:
    q, k, v = (made((1, 1, 3, 2), i) for i in range(3))
    v.requires_grad_()
    out = ops.attention(q, k, v, None, None, ops.AttentionModuleOptions())
    grads = out.node.op.pull(np.ones(out.shape), out.node.saved, out.node.parents)
    assert [g is not None for g in grads] == [False, False, True, False]


@pytest.mark.parametrize("garbage", [1e30, math.inf, math.nan])
def test_hidden_keys_make_no_difference_to_gradients(garbage: float) -> None:
    options = ops.AttentionModuleOptions()
    found = []
    for value in (0.0, garbage):
        q, k, v = (made((1, 1, 3, 2), i) for i in range(3))
        with ag.no_grad():
            k[..., 2, :] = value
            v[..., 2, :] = value
        leaves = [t.requires_grad_() for t in (q, k, v)]
        mask = ag.tensor([[[[False, False, True]] * 3]])
        out = ops.attention(q, k, v, mask, None, options)
        for create_graph in (False, True):
            grads = ag.autograd.grad(out.sum(), leaves, create_graph=create_graph, retain_graph=True)
            found.append([out.tolist(), *[g.tolist() for g in grads]])
    for other in found[1:]:
        for got, want in zip(other, found[0], strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-15)


def test_half_precision() -> None:
    q, k, v = (made((1, 2, 3, 4), i, dtype=ag.float16).requires_grad_() for i in range(3))
    for create_graph in (False, True):
        out = ops.attention(q, k, v, None, None, ops.AttentionModuleOptions())
        grads = ag.autograd.grad(out.sum(), [q, k, v], create_graph=create_graph)
        assert [t.dtype for t in (out, *grads)] == [ag.float16] * 4
    assert ops.attention_weights(q, k).dtype is ag.float16


# ---------------------------------------------------------------- modules


def make(case: Any, device: str) -> nn.Module:
    """The module of a recorded case, with its parameters."""
    name, args = case["name"], case["args"]
    options = {**case["options"], "dtype": ag.float64, "device": device}
    if name in ("TransformerEncoder", "TransformerDecoder"):
        count, norm = options.pop("num_layers"), options.pop("norm")
        layer = getattr(nn, f"{name}Layer")(*args, dropout=0.0, **options)
        module = getattr(nn, name)(
            layer, count, nn.LayerNorm(args[0], dtype=ag.float64, device=device) if norm else None
        )
    else:
        module = getattr(nn, name)(*args, dropout=0.0, **options)
    with ag.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(made(tuple(parameter.shape), 0.1 * i, device) * 0.5)
    return module


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", RECORDED["modules"], ids=lambda c: f"{c['name']} {c['options']} {c['extra']}")
def test_modules(case: Any, device: str) -> None:
    module = make(case, device)
    assert list(module.state_dict()) == case["state"]
    inputs = [made(tuple(s), 1.0 + k, device).requires_grad_() for k, s in enumerate(case["inputs"])]
    given = inputs
    if case["name"] == "MultiheadAttention":
        given = [inputs[min(i, len(inputs) - 1)] for i in range(3)]
    masks = {name: mask_of(spec, device) for name, spec in case["masks"].items()}
    result = module(*given, **masks, **case["extra"])
    outputs = [out for out in result if out is not None] if isinstance(result, tuple) else [result]
    loss = ag.tensor(0.0, dtype=ag.float64, device=device)
    for j, (out, shape, want) in enumerate(zip(outputs, case["shapes"], case["outputs"], strict=True)):
        assert tuple(out.shape) == tuple(shape)
        near(out, want)
        loss = loss + (out * made(tuple(shape), 0.5 + j, device)).sum()
    loss.backward()
    for x, want in zip(inputs, case["grads"], strict=True):
        near(x.grad, want)
    for name, parameter in module.named_parameters():
        near((parameter.grad * made(tuple(parameter.shape), 0.3, device)).sum(), case["parameters"][name])


def test_multihead_attention_starts() -> None:
    ag.manual_seed(0)
    layer = nn.MultiheadAttention(64, 4, add_bias_kv=True)
    weight = layer.in_proj_weight
    bound = math.sqrt(6 / (64 + 192))
    assert 0.95 * bound < float(weight.abs().max()) <= bound
    assert float(layer.in_proj_bias.abs().max()) == float(layer.out_proj.bias.abs().max()) == 0.0
    assert layer.bias_k.shape == (1, 1, 64)
    assert float(layer.bias_k.std()) > 0.01


def test_multihead_attention_drops_weights_in_training() -> None:
    layer = nn.MultiheadAttention(4, 2, dropout=0.5, batch_first=True)
    x = ag.ones(1, 20, 4)
    ag.manual_seed(0)
    _, weights = layer(x, x, x, average_attn_weights=False)
    assert sorted({round(w, 6) for w in weights.flatten().tolist()}) == [0.0, 0.1]
    first, _ = layer(x, x, x, need_weights=False)
    second, _ = layer(x, x, x, need_weights=False)
    assert first.tolist() != second.tolist()
    layer.eval()
    _, weights = layer(x, x, x)
    near(weights, [[[0.05] * 20] * 20], 1e-6)


@pytest.mark.parametrize("need_weights", [False, True])
def test_padding_is_not_seen(need_weights: bool) -> None:
    layer = nn.MultiheadAttention(4, 2, batch_first=True, dtype=ag.float64)
    x = made((1, 5, 4))
    padded = ag.cat([x, 1e30 * ag.ones(1, 2, 4, dtype=ag.float64)], 1)
    hidden = ag.tensor([[False] * 5 + [True] * 2])
    want, _ = layer(x, x, x, need_weights=need_weights)
    got, _ = layer(x, padded, padded, hidden, need_weights=need_weights)
    near(got, want.tolist())


def test_a_custom_part_is_used() -> None:
    class Twice(nn.Module):
        def forward(self, src: Tensor, *_: Any) -> Tensor:
            return src + src

    class Sum(nn.Module):
        def forward(self, tgt: Tensor, memory: Tensor, *_: Any) -> Tensor:
            return tgt + memory

    model = nn.Transformer(4, 2, custom_encoder=Twice(), custom_decoder=Sum())
    assert list(model.parameters()) == []
    near(model(ag.ones(2, 1, 4), ag.ones(2, 1, 4)), [3.0] * 8)


def test_layers_are_copies() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, 8)
    encoder = nn.TransformerEncoder(layer, 2)
    first, second = (list(x.parameters()) for x in encoder.layers)
    for a, b in zip(first, second, strict=True):
        assert a is not b
        assert a.tolist() == b.tolist()
    with pytest.raises(ValueError, match="activation must be 'relu', 'gelu' or a function, not 'tanh'"):
        nn.TransformerDecoderLayer(4, 2, 8, activation="tanh")


def test_activation_may_be_a_module() -> None:
    layer = nn.TransformerEncoderLayer(4, 2, 8, activation=nn.Tanh())
    assert layer(ag.ones(3, 1, 4)).shape == (3, 1, 4)
    assert "(activation): Tanh()" in repr(layer)


X = ag.zeros(3, 2, 4)
REFUSED = [
    ({"key_padding_mask": ag.zeros(3, 2)}, r"key_padding_mask must have shape \(2, 3\), and has \(3, 2\)"),
    ({"attn_mask": ag.zeros(2, 3)}, r"attn_mask must have shape \(3, 3\) or \(4, 3, 3\), and has \(2, 3\)"),
    ({"is_causal": True}, "is_causal says what attn_mask is, and there is none"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_multihead_attention_refuses(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"MultiheadAttention: {message}"):
        nn.MultiheadAttention(4, 2)(X, X, X, **options)


def test_multihead_attention_refuses_ranks_sizes_and_dtypes() -> None:
    layer = nn.MultiheadAttention(4, 2)
    with pytest.raises(ValueError, match=r"all 3-d, or all 2-d; got shapes \(3, 2, 4\), \(3, 4\), \(3, 4\)"):
        layer(X, X[:, 0], X[:, 0])
    with pytest.raises(TypeError, match="attn_mask has dtype int64; it must be bool or a float"):
        layer(X, X, X, attn_mask=ag.zeros(3, 3, dtype=ag.int64))
    with pytest.raises(ValueError, match="embed_dim 4 and num_heads 3"):
        nn.MultiheadAttention(4, 3)


def test_transformer_refuses() -> None:
    model = nn.Transformer(4, 2, 1, 1, 8)
    with pytest.raises(ValueError, match=r"Transformer: .* must have the same number of sequences \(dimension 1\)"):
        model(X, X[:, :1])
    with pytest.raises(ValueError, match=r"Transformer: tgt has shape \(3, 2, 3\)"):
        model(X, X[..., :3])


@pytest.mark.parametrize("shape", [(3, 0, 4), (0, 2, 4)])
def test_empty_batches(shape: tuple[int, ...]) -> None:
    x = ag.zeros(*shape, requires_grad=True)
    for layer in (nn.TransformerEncoderLayer(4, 2, 8), nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)):
        out = layer(x)
        assert out.shape == shape
        out.sum().backward()
        assert x.grad.shape == shape


@pytest.mark.parametrize("size", [2, 64])
def test_gradients_of_parts_of_one_projection(size: int) -> None:
    """They may be parts of one array themselves; of a clone of each part they are not."""
    x = ag.randn(2, size, 3 * 64).requires_grad_()
    counts = ag.randn(2, 4, size, 16)

    def gradient(parts: Any) -> Any:
        q, k, v = (part.view(2, size, 4, 16).transpose(1, 2) for part in parts)
        return ag.autograd.grad((F.scaled_dot_product_attention(q, k, v, is_causal=True) * counts).sum(), [x])[0]

    got = gradient((x * 1.0).split(64, dim=2))
    want = gradient([x[..., i * 64 : (i + 1) * 64].clone() for i in range(3)])
    np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-4, atol=1e-5)
