"""Modules that are made of functions, lazy ones, containers of parameters, and what modules know of themselves."""

import copy

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn
from autograd_ops.nn import functional as F

X = ag.tensor([[0.5, -1.5, 2.0, -0.25]], dtype=ag.float64)
Y = ag.tensor([[1.5, 0.5, -2.0, 0.75]], dtype=ag.float64)
SIGNS = ag.tensor([[1.0, -1.0, -1.0, 1.0]], dtype=ag.float64)


@pytest.mark.parametrize(
    ("module", "text", "inputs", "expected"),
    [
        (nn.Threshold(0.1, 20.0), "Threshold(threshold=0.1, value=20.0)", (X,), lambda x: F.threshold(x, 0.1, 20.0)),
        (nn.Hardshrink(0.6), "Hardshrink(0.6)", (X,), lambda x: F.hardshrink(x, 0.6)),
        (nn.Softshrink(0.6), "Softshrink(0.6)", (X,), lambda x: F.softshrink(x, 0.6)),
        (nn.Hardsigmoid(), "Hardsigmoid()", (X,), F.hardsigmoid),
        (nn.Hardswish(), "Hardswish()", (X,), F.hardswish),
        (nn.SELU(inplace=True), "SELU(inplace=True)", (X.clone(),), F.selu),
        (nn.CELU(2.0), "CELU(alpha=2.0)", (X,), lambda x: F.celu(x, 2.0)),
        (nn.RReLU(0.25, 0.5).eval(), "RReLU(lower=0.25, upper=0.5)", (X,), lambda x: F.leaky_relu(x, 0.375)),
        (nn.GLU(), "GLU(dim=-1)", (X,), F.glu),
        (nn.Mish(), "Mish()", (X,), F.mish),
        (nn.Softsign(), "Softsign()", (X,), F.softsign),
        (nn.Tanhshrink(), "Tanhshrink()", (X,), F.tanhshrink),
        (nn.Softmin(dim=1), "Softmin(dim=1)", (X,), lambda x: F.softmin(x, 1)),
        (nn.PairwiseDistance(p=1.0), "PairwiseDistance()", (X, Y), lambda x, y: F.pairwise_distance(x, y, 1.0)),
        (nn.CosineSimilarity(), "CosineSimilarity()", (X, Y), F.cosine_similarity),
        (nn.MarginRankingLoss(0.5), "MarginRankingLoss()", (X, Y, SIGNS), lambda *a: F.margin_ranking_loss(*a, 0.5)),
        (nn.HingeEmbeddingLoss(0.5), "HingeEmbeddingLoss()", (X, SIGNS), lambda *a: F.hinge_embedding_loss(*a, 0.5)),
        (
            nn.CosineEmbeddingLoss(0.5),
            "CosineEmbeddingLoss()",
            (X, Y, SIGNS[0, :1]),
            lambda *a: F.cosine_embedding_loss(*a, 0.5),
        ),
        (nn.TripletMarginLoss(2.0), "TripletMarginLoss()", (X, Y, SIGNS), lambda *a: F.triplet_margin_loss(*a, 2.0)),
        (
            nn.TripletMarginWithDistanceLoss(margin=2.0, swap=True),
            "TripletMarginWithDistanceLoss()",
            (X, Y, SIGNS),
            lambda *a: F.triplet_margin_loss(*a, 2.0, swap=True),
        ),
        (nn.SoftMarginLoss(), "SoftMarginLoss()", (X, SIGNS), F.soft_margin_loss),
        (
            nn.MultiLabelSoftMarginLoss(),
            "MultiLabelSoftMarginLoss()",
            (X, (SIGNS + 1) / 2),
            F.multilabel_soft_margin_loss,
        ),
        (nn.MultiMarginLoss(p=2), "MultiMarginLoss()", (X, ag.tensor([2])), lambda *a: F.multi_margin_loss(*a, p=2)),
        (
            nn.MultiLabelMarginLoss(reduction="sum"),
            "MultiLabelMarginLoss()",
            (X, ag.tensor([[1, 2, -1, 0]])),
            lambda *a: F.multilabel_margin_loss(*a, reduction="sum"),
        ),
        (
            nn.PoissonNLLLoss(log_input=False),
            "PoissonNLLLoss()",
            (X.abs(), Y.abs()),
            lambda *a: F.poisson_nll_loss(*a, False),
        ),
        (
            nn.GaussianNLLLoss(full=True),
            "GaussianNLLLoss()",
            (X, Y, X.abs()),
            lambda *a: F.gaussian_nll_loss(*a, full=True),
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)
def test_modules_are_their_functions(module, text, inputs, expected):
    assert repr(module) == text
    right = expected(*[x.clone() for x in inputs])
    assert module(*inputs).tolist() == right.tolist()


def test_modules_with_parameters():
    layer = nn.PReLU(4, init=0.5)
    assert repr(layer) == "PReLU(num_parameters=4)"
    assert layer(X.float()).tolist() == F.prelu(X.float(), ag.full((4,), 0.5)).tolist()
    bilinear = nn.Bilinear(4, 4, 3)
    assert repr(bilinear) == "Bilinear(in1_features=4, in2_features=4, out_features=3, bias=True)"
    assert bilinear(X.float(), Y.float()).shape == (1, 3)
    assert bool((bilinear.weight.abs() <= 0.5).all())
    bags = nn.EmbeddingBag(10, 3, mode="max", padding_idx=1)
    assert repr(bags) == "EmbeddingBag(10, 3, padding_idx=1, mode='max')"
    assert bags(ag.tensor([[1, 2]])).tolist() == [bags.weight[2].tolist()]
    frozen = nn.EmbeddingBag.from_pretrained(ag.ones(2, 3), mode="sum")
    assert not frozen.weight.requires_grad
    assert frozen(ag.tensor([[0, 1]])).tolist() == [[2.0] * 3]
    assert repr(nn.Embedding(3, 2, max_norm=1.0, sparse=True)) == "Embedding(3, 2, max_norm=1.0, sparse=True)"
    image = ag.randn(1, 3, 2, 2)
    assert nn.Softmax2d()(image).sum(dim=1).flatten().tolist() == pytest.approx([1.0] * 4)
    lrn, old = nn.LocalResponseNorm(3, 0.1), nn.CrossMapLRN2d(3, 0.1)
    np.testing.assert_allclose(old(image).numpy(), lrn(image).numpy(), rtol=1e-6)


# ---------------------------------------------------------------- lazy modules


@pytest.mark.parametrize(
    ("lazy", "shape", "full"),
    [
        (nn.LazyLinear(3), (2, 5), nn.Linear(5, 3)),
        (nn.LazyConv1d(4, 3), (2, 6, 7), nn.Conv1d(6, 4, 3)),
        (nn.LazyConv2d(4, 3, groups=2, bias=False), (2, 6, 7, 7), nn.Conv2d(6, 4, 3, groups=2, bias=False)),
        (nn.LazyConv3d(4, 1), (2, 3, 2, 2, 2), nn.Conv3d(3, 4, 1)),
        (nn.LazyConvTranspose1d(4, 3), (2, 6, 7), nn.ConvTranspose1d(6, 4, 3)),
        (nn.LazyConvTranspose2d(4, 3), (2, 6, 7, 7), nn.ConvTranspose2d(6, 4, 3)),
        (nn.LazyConvTranspose3d(4, 1), (2, 3, 2, 2, 2), nn.ConvTranspose3d(3, 4, 1)),
        (nn.LazyBatchNorm1d(), (4, 5), nn.BatchNorm1d(5)),
        (nn.LazyBatchNorm1d(bias=False), (4, 5), nn.BatchNorm1d(5, bias=False)),
        (nn.LazyBatchNorm2d(eps=1e-3), (4, 5, 2, 2), nn.BatchNorm2d(5, eps=1e-3)),
        (nn.LazyBatchNorm3d(affine=False), (4, 5, 2, 2, 2), nn.BatchNorm3d(5, affine=False)),
        (nn.LazyInstanceNorm1d(affine=True), (4, 5, 3), nn.InstanceNorm1d(5, affine=True)),
        (nn.LazyInstanceNorm2d(), (5, 2, 2), nn.InstanceNorm2d(5)),
        (
            nn.LazyInstanceNorm3d(track_running_stats=True),
            (4, 5, 2, 2, 2),
            nn.InstanceNorm3d(5, track_running_stats=True),
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)
def test_lazy_modules_become_what_they_stand_for(lazy, shape, full):
    parameters = list(lazy.parameters())
    optimizer = ag.optim.SGD(parameters, lr=0.1) if parameters else None
    output = lazy(ag.randn(*shape))
    assert type(lazy) is type(full)
    assert repr(lazy) == repr(full)
    assert [id(p) for p in lazy.parameters()] == [id(p) for p in parameters]
    full.load_state_dict(lazy.state_dict())
    if optimizer is not None:
        before = [p.tolist() for p in parameters]
        output.square().sum().backward()  # the sum of a norm has no slope in its weight
        optimizer.step()
        assert [p.tolist() for p in parameters] != before


def test_lazy_modules_take_a_state():
    lazy, full = nn.LazyLinear(3), nn.Linear(4, 3)
    assert not lazy.load_state_dict(full.state_dict()).missing_keys
    assert lazy.in_features == 4
    assert lazy.weight.tolist() == full.weight.tolist()
    x = ag.randn(2, 4)
    assert lazy(x).tolist() == full(x).tolist()
    assert type(lazy) is nn.Linear


def test_a_parameter_without_a_shape_says_so():
    lazy = nn.LazyLinear(3)
    assert repr(lazy.weight) == "<UninitializedParameter>"
    with pytest.raises(RuntimeError, match="has no shape yet: call the module once"):
        lazy.weight.shape  # noqa: B018
    with pytest.raises(ValueError, match="LazyConv2d: expected an input of 3 or 4 dimensions"):
        nn.LazyConv2d(1, 1)(ag.ones(2, 2))


# ---------------------------------------------------------------- containers and wrappers


def test_parameter_dict():
    held = nn.ParameterDict({"a": ag.zeros(2), "b": nn.Parameter(ag.ones(3))})
    assert list(held) == ["a", "b"] == list(held.keys())
    assert len(held) == 2
    assert "a" in held
    assert all(isinstance(value, nn.Parameter) for value in held.values())
    assert [name for name, _ in held.named_parameters()] == ["a", "b"]
    assert held.get("c") is None
    assert held.setdefault("c", ag.ones(1)) is held["c"]
    assert list(reversed(held)) == ["c", "b", "a"]
    other = held | {"d": ag.ones(1)}
    assert list(other) == ["a", "b", "c", "d"]
    assert other["a"] is held["a"]
    assert other.popitem()[0] == "d"
    held |= {"e": ag.ones(1)}
    assert held.pop("e").tolist() == [1.0]
    assert "e" not in held
    del held["a"]
    assert list(held.copy()) == ["b", "c"]
    held.clear()
    assert len(held) == 0
    with pytest.raises(KeyError, match="is empty"):
        held.popitem()
    assert list(held.fromkeys(["x"], ag.ones(1))) == ["x"]


def test_sequential_and_lists_are_lists():
    a, b, c = nn.ReLU(), nn.Tanh(), nn.Sigmoid()
    row = nn.Sequential(a, b)
    assert list(row + nn.Sequential(c)) == [a, b, c]
    assert list(row * 2) == [a, b, a, b] == list(2 * row)
    assert row.pop(0) is a
    assert list(row.named_children()) == [("0", b)]
    row *= 2
    assert len(row) == 2
    with pytest.raises(ValueError, match="a number of times is a positive int"):
        row * 0
    modules = nn.ModuleList([a, b, c])
    assert modules.pop() is c
    assert modules.pop(0) is a
    assert list(modules) == [b]


def test_data_parallel_is_the_module():
    inner = nn.Linear(2, 3)
    model = nn.DataParallel(inner, device_ids=[0])
    x = ag.ones(4, 2)
    assert model.module is inner
    assert model(x).tolist() == inner(x).tolist()
    assert list(nn.parallel.DistributedDataParallel(inner).state_dict()) == ["module.weight", "module.bias"]
    net = nn.Sequential(nn.BatchNorm2d(3), nn.Sequential(nn.BatchNorm1d(2)))
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert type(converted[0]) is nn.SyncBatchNorm is type(converted[1][0])
    assert converted[0](ag.ones(1, 3, 2, 2)).shape == (1, 3, 2, 2)


def test_buffers():
    module = nn.Module()
    module.kept, module.lost = nn.Buffer(ag.zeros(2)), nn.Buffer(ag.ones(1), persistent=False)
    assert [name for name, _ in module.named_buffers()] == ["kept", "lost"]
    assert list(module.state_dict()) == ["kept"]
    assert list(copy.deepcopy(module).state_dict()) == ["kept"]


# ---------------------------------------------------------------- modules by path, states and hooks


def test_by_path():
    net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2)))
    assert net.get_parameter("0.weight") is net[0].weight
    assert net.get_buffer("1.0.running_mean") is net[1][0].running_mean
    with pytest.raises(AttributeError, match="Linear has no parameter 'running_mean'"):
        net.get_parameter("0.running_mean")
    net.set_submodule("1.0", nn.ReLU())
    assert isinstance(net[1][0], nn.ReLU)
    with pytest.raises(AttributeError):
        net.set_submodule("1.7", nn.ReLU(), strict=True)
    net.set_submodule("1.7", nn.ReLU())
    with pytest.raises(ValueError, match="path is empty"):
        net.set_submodule("", nn.ReLU())
    with pytest.raises(TypeError, match="expected a Module"):
        net.set_submodule("0", 1)
    assert "weight" in dir(net[0])


def test_what_changes_little():
    layer = nn.Linear(2, 2)
    assert layer.share_memory() is layer
    assert layer.compile() is None
    assert layer.type(ag.float64) is layer
    assert layer.weight.dtype == ag.float64
    weight = layer.weight
    assert layer.to_empty(device="strict") is layer
    assert layer.weight is weight
    assert weight.device == "strict"
    assert weight.requires_grad


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def get_extra_state(self):
        return {"count": self.count}

    def set_extra_state(self, state):
        self.count = state["count"]


def test_extra_state():
    net, other = nn.Sequential(Counting()), nn.Sequential(Counting())
    net[0].count = 7
    state = net.state_dict()
    assert state == {"0._extra_state": {"count": 7}}
    other.load_state_dict(state)
    assert other[0].count == 7
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "0\._extra_state"'):
        other.load_state_dict({})
    with pytest.raises(NotImplementedError, match="overrides no get_extra_state"):
        nn.ReLU().get_extra_state()


def test_hooks_on_the_way_to_a_state():
    net, seen = nn.Sequential(nn.Linear(1, 1, bias=False)), []
    net[0].register_state_dict_pre_hook(lambda module, prefix, keep_vars: seen.append(("pre", prefix, keep_vars)))
    net.register_state_dict_post_hook(lambda module, state, prefix, metadata: seen.append(("post", list(state))))
    with net[0].register_state_dict_post_hook(lambda module, state, prefix, _: state.update(more=prefix)):
        assert list(net.state_dict(prefix="net.")) == ["net.0.weight", "more"]
    assert seen == [("pre", "net.0.", False), ("post", ["net.0.weight", "more"])]
    into = {"other": 1}
    assert net.state_dict(destination=into) is into
    assert list(into) == ["other", "0.weight"]


def test_hooks_on_the_way_from_a_state():
    net = nn.Sequential(nn.Linear(1, 1, bias=False))

    def rename(module, state, prefix, metadata, strict, missing, unexpected, errors):
        state[prefix + "weight"] = state.pop(prefix + "kernel")

    net[0].register_load_state_dict_pre_hook(rename)
    given = {"0.kernel": ag.ones(1, 1)}
    assert not net.load_state_dict(given).unexpected_keys
    assert list(given) == ["0.kernel"]
    assert net[0].weight.item() == 1.0

    def forgive(module, keys):
        keys.unexpected_keys.clear()

    handle = net.register_load_state_dict_post_hook(forgive)
    net.load_state_dict({"0.kernel": ag.full((1, 1), 2.0), "more": ag.ones(1)})
    assert net[0].weight.item() == 2.0
    handle.remove()
    with pytest.raises(RuntimeError, match=r'Unexpected key\(s\) in state_dict: "more"'):
        net.load_state_dict({"0.kernel": ag.full((1, 1), 3.0), "more": ag.ones(1)})
    assert net[0].weight.item() == 2.0


def test_adaptive_softmax():
    softmax = nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[4, 9], div_value=2.0, head_bias=True, dtype=ag.float64)
    x = ag.randn(12, 8, dtype=ag.float64)
    every = softmax.log_prob(x)
    # The probabilities of all classes add up to 1, and each target's is among them.
    np.testing.assert_allclose(every.detach().exp().sum(dim=1).numpy(), 1.0, rtol=1e-12)
    classes = ag.arange(12)
    output, loss = softmax(x, classes)
    np.testing.assert_allclose(output.detach().numpy(), every.detach().numpy()[range(12), range(12)], rtol=1e-12)
    assert loss.item() == pytest.approx(-output.detach().mean().item())
    loss.backward()
    assert all(parameter.grad is not None for parameter in softmax.parameters())
    assert softmax.predict(x).tolist() == every.argmax(dim=1).tolist()
    assert softmax(x[0], ag.tensor(11)).output.item() == pytest.approx(every[0, 11].item())
    assert list(softmax.state_dict())[:3] == ["head.weight", "head.bias", "tail.0.0.weight"]
    with pytest.raises(ValueError, match="cutoffs must rise"):
        nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[9, 4])
    with pytest.raises(ValueError, match="takes an input"):
        softmax(x, ag.tensor([1]))
    with pytest.raises(IndexError, match="12"):
        softmax(x[0], ag.tensor(12))
