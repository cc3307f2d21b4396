"""Helpers around modules: vectors of parameters, norms of gradients, parametrizations, fusion; more starting values."""

import copy

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn
from autograd_ops.nn.utils import parametrizations, parametrize


def test_parameters_as_a_vector():
    layer = nn.Linear(2, 1)
    vector = nn.utils.parameters_to_vector(layer.parameters())
    assert vector.shape == (3,)
    vector.sum().backward()
    assert layer.weight.grad.tolist() == [[1.0, 1.0]]
    given = ag.tensor([1.0, 2.0, 3.0])
    nn.utils.vector_to_parameters(given, layer.parameters())
    assert layer.weight.tolist() == [[1.0, 2.0]]
    assert layer.bias.tolist() == [3.0]
    given[0] = 9.0
    assert layer.weight.tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match="have 3 elements, and the vector has shape"):
        nn.utils.vector_to_parameters(ag.ones(2), layer.parameters())
    with pytest.raises(TypeError, match="expected a Tensor"):
        nn.utils.vector_to_parameters([1.0], layer.parameters())
    with pytest.raises(ValueError, match="there are no parameters"):
        nn.utils.parameters_to_vector([])


def test_norms_of_gradients():
    w = ag.zeros(2, requires_grad=True)
    w.grad = ag.tensor([3.0, 4.0])
    norm = nn.utils.get_total_norm([w.grad])
    assert norm.item() == 5.0
    nn.utils.clip_grads_with_norm_([w], 1.0, norm)
    np.testing.assert_allclose(w.grad.numpy(), [0.6, 0.8], rtol=1e-5)
    with pytest.warns(FutureWarning, match="clip_grad_norm is deprecated"):
        nn.utils.clip_grad_norm([w], 0.1)
    np.testing.assert_allclose(w.grad.numpy(), [0.06, 0.08], rtol=1e-4)


# ---------------------------------------------------------------- parametrizations


class Doubled(nn.Module):
    def forward(self, x):
        return 2 * x

    def right_inverse(self, x):
        return x / 2


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT


def test_parametrized_weights_are_computed_and_learned():
    layer = nn.Linear(2, 2)
    before = layer.weight.tolist()
    assert parametrize.register_parametrization(layer, "weight", Doubled()) is layer
    assert layer.weight.tolist() == before
    assert parametrize.is_parametrized(layer)
    assert parametrize.is_parametrized(layer, "weight")
    assert not parametrize.is_parametrized(layer, "bias")
    assert parametrize.type_before_parametrizations(layer) is nn.Linear
    assert isinstance(layer, nn.Linear)
    layer.weight = ag.ones(2, 2)
    assert layer.parametrizations.weight.original.tolist() == [[0.5] * 2] * 2
    layer(ag.ones(1, 2)).sum().backward()
    assert layer.parametrizations.weight.original.grad.tolist() == [[2.0] * 2] * 2
    assert sorted(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert copy.deepcopy(layer).weight.tolist() == layer.weight.tolist()
    original = layer.parametrizations.weight.original
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is nn.Linear
    assert layer.weight is original
    assert layer.weight.tolist() == [[1.0] * 2] * 2


def test_several_parametrizations():
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    parametrize.register_parametrization(layer, "weight", Doubled())
    half = layer.parametrizations.weight.original
    expected = 2 * (half.triu() + half.triu(1).mT)
    assert layer.weight.tolist() == expected.tolist()
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    assert layer.weight is half


def test_what_parametrizations_refuse():
    layer = nn.Linear(2, 3)
    with pytest.raises(ValueError, match="Linear has no parameter, buffer or parametrized tensor 'w'"):
        parametrize.register_parametrization(layer, "w", Doubled())
    with pytest.raises(ValueError, match="unsafe=True allows that"):
        parametrize.register_parametrization(layer, "weight", nn.Flatten(0))
    with pytest.raises(ValueError, match="'weight' of Linear is not parametrized"):
        parametrize.remove_parametrizations(layer, "weight")
    parametrizations.weight_norm(layer)
    with pytest.raises(ValueError, match="the original of 'weight' is 2 tensors"):
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)


@pytest.mark.parametrize("dim", [0, 1, None])
def test_weight_norm(dim):
    new, old = nn.Linear(3, 2), nn.Linear(3, 2)
    old.load_state_dict(new.state_dict())
    weight = new.weight.detach().numpy()
    parametrizations.weight_norm(new, dim=dim)
    with pytest.warns(FutureWarning, match="nn.utils.weight_norm is deprecated"):
        nn.utils.weight_norm(old, dim=dim)
    lengths = np.linalg.norm(weight, axis=None if dim is None else 1 - dim, keepdims=dim is not None)
    np.testing.assert_allclose(new.parametrizations.weight.original0.detach().numpy(), lengths, rtol=1e-6)
    np.testing.assert_allclose(old.weight_g.detach().numpy(), lengths, rtol=1e-6)
    np.testing.assert_allclose(new.weight.detach().numpy(), weight, rtol=1e-6)
    x = ag.randn(4, 3)
    for layer in (new, old):
        (layer(x) ** 2).sum().backward()
    g, v = new.parametrizations.weight.original0, new.parametrizations.weight.original1
    np.testing.assert_allclose(g.grad.numpy(), old.weight_g.grad.numpy(), rtol=1e-5)
    np.testing.assert_allclose(v.grad.numpy(), old.weight_v.grad.numpy(), rtol=1e-4, atol=1e-6)
    # The direction's gradient is at a right angle to it.
    assert abs(float((v.detach() * v.grad).sum())) < 1e-4
    assert sorted(old.state_dict()) == ["bias", "weight_g", "weight_v"]
    nn.utils.remove_weight_norm(old)
    assert sorted(old.state_dict()) == ["bias", "weight"]
    np.testing.assert_allclose(old.weight.detach().numpy(), weight, rtol=1e-6)
    with pytest.raises(ValueError, match="has none"):
        nn.utils.remove_weight_norm(old)


def test_spectral_norm():
    x = ag.ones(1, 3)
    for layer, prefix in (
        (parametrizations.spectral_norm(nn.Linear(3, 2), n_power_iterations=20), "parametrizations.weight."),
        (nn.utils.spectral_norm(nn.Linear(3, 2), n_power_iterations=50), "weight_"),
    ):
        layer(x).sum().backward()
        assert np.linalg.norm(layer.weight.detach().numpy(), 2) == pytest.approx(1.0, rel=1e-4)
        names = [name for name in layer.state_dict() if name != "bias"]
        assert len(names) == 3
        assert all(name.startswith(prefix) for name in names)
        before = layer.weight.tolist()
        layer.eval()(x)
        assert np.abs(np.subtract(layer.weight.tolist(), before)).max() < 1e-5
    nn.utils.remove_spectral_norm(layer)
    assert layer.weight.requires_grad
    assert sorted(layer.state_dict()) == ["bias", "weight"]
    transposed = parametrizations.spectral_norm(nn.ConvTranspose1d(3, 2, 1), n_power_iterations=30)
    assert np.linalg.norm(transposed.weight.detach().numpy()[:, :, 0], 2) == pytest.approx(1.0, rel=1e-4)


def test_stateless_call():
    layer = nn.Linear(2, 1, bias=False)
    got = nn.utils.stateless.functional_call(layer, {"weight": ag.tensor([[1.0, 2.0]])}, ag.ones(2))
    assert got.tolist() == [3.0]


# ---------------------------------------------------------------- fusion and starting values


@pytest.mark.parametrize(
    ("layer", "norm", "shape", "options"),
    [
        (nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), (2, 3, 5, 5), {}),
        (nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4, affine=False), (2, 3, 5), {}),
        (nn.ConvTranspose2d(3, 4, 3), nn.BatchNorm2d(4), (2, 3, 5, 5), {"transpose": True}),
    ],
)
def test_fused_convolutions(layer, norm, shape, options):
    x = ag.randn(*shape)
    norm(layer(x))
    layer.eval(), norm.eval()
    fused = nn.utils.fuse_conv_bn_eval(layer, norm, **options)
    np.testing.assert_allclose(fused(x).detach().numpy(), norm(layer(x)).detach().numpy(), rtol=1e-4, atol=1e-5)
    assert isinstance(fused.bias, nn.Parameter)
    with pytest.raises(ValueError, match="both modules must be in evaluation mode"):
        nn.utils.fuse_conv_bn_eval(layer.train(), norm)


def test_fused_linear():
    layer, norm = nn.Linear(3, 4), nn.BatchNorm1d(4)
    x = ag.randn(5, 3)
    norm(layer(x))
    layer.eval(), norm.eval()
    fused = nn.utils.fuse_linear_bn_eval(layer, norm)
    np.testing.assert_allclose(fused(x).detach().numpy(), norm(layer(x)).detach().numpy(), rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="the norm has 3 features"):
        nn.utils.fuse_linear_bn_eval(layer, nn.BatchNorm1d(3).eval())


def test_skip_init():
    assert nn.utils.skip_init(nn.Linear, 2, 3, bias=False).weight.shape == (3, 2)
    with pytest.raises(TypeError, match="expected a class of modules"):
        nn.utils.skip_init(print)


@pytest.mark.parametrize(("shape", "groups"), [((4, 2, 3), 1), ((4, 2, 3, 3), 2), ((2, 3, 1, 3, 3), 1)])
def test_dirac(shape, groups):
    w = nn.init.dirac_(ag.empty(*shape), groups)
    rank = len(shape) - 2
    x = ag.randn(1, shape[1], *(5,) * rank)
    same = getattr(nn.functional, f"conv{rank}d")(x, w, padding="same")
    channels = min(shape[0] // groups, shape[1])
    for group in range(groups):
        first = group * (shape[0] // groups)
        assert same[:, first : first + channels].tolist() == x[:, :channels].tolist()
    with pytest.raises(ValueError, match="takes a weight of 3, 4 or 5 dimensions"):
        nn.init.dirac_(ag.empty(2, 2))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 2, 3)])
def test_orthogonal(shape):
    w = nn.init.orthogonal_(ag.empty(*shape, dtype=ag.float64), gain=2.0).numpy().reshape(shape[0], -1)
    small = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-12)
    with pytest.raises(ValueError, match="needs two dimensions"):
        nn.init.orthogonal_(ag.empty(3))


def test_sparse():
    w = nn.init.sparse_(ag.empty(10, 4), 0.25, std=3.0)
    assert (w == 0).sum(dim=0).tolist() == [3] * 4
    with pytest.raises(ValueError, match="expected a matrix"):
        nn.init.sparse_(ag.empty(3), 0.1)


def test_older_names_warn():
    with pytest.warns(FutureWarning, match="nn.init.xavier_uniform is deprecated: use nn.init.xavier_uniform_"):
        nn.init.xavier_uniform(ag.empty(2, 2))
    with pytest.warns(FutureWarning, match="use nn.init.constant_"):
        assert nn.init.constant(ag.empty(2), 3.0).tolist() == [3.0, 3.0]
