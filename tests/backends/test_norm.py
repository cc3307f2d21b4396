"""Batch, layer, group and RMS norm against their definitions, central differences, and numbers from PyTorch 2.13."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends import ShapeError

from .conftest import Lane, batch_last, close

EPSILON = 1e-3

#: The last is large enough for the kernels that work in blocks.
BATCH_SHAPES = [(5, 3), (4, 2, 3), (3, 2, 4, 3), (2, 3, 2, 2, 2), (8, 6, 16, 16)]
LAYER_SHAPES = [(5,), (4, 6), (2, 3, 5), (40, 300)]


def batch_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    for c in range(x.shape[1]):
        values = x[:, c]
        mean = values.mean()
        variance = ((values - mean) ** 2).mean()
        out[:, c] = gamma[c] * (values - mean) / np.sqrt(variance + EPSILON) + beta[c]
    return out


def layer_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    for at in np.ndindex(x.shape[:-1]):
        mean = x[at].mean()
        variance = ((x[at] - mean) ** 2).mean()
        out[at] = gamma * (x[at] - mean) / np.sqrt(variance + EPSILON) + beta
    return out


def slope(f: Any, inputs: list[np.ndarray], directions: list[np.ndarray], grad: np.ndarray) -> float:
    """The central difference of sum(f(*inputs) * grad) along `directions`."""
    step = 1e-5
    ends = [
        float(np.vdot(f(*(v + s * step * d for v, d in zip(inputs, directions, strict=True))), grad)) for s in (1, -1)
    ]
    return (ends[0] - ends[1]) / (2 * step)


@pytest.mark.parametrize("shape", BATCH_SHAPES)
def test_batch_norm(shape: Any, lane: Lane, dtype: str, rng: Any) -> None:
    x, gamma, beta = rng.normal(size=shape), rng.normal(size=shape[1]), rng.normal(size=shape[1])
    out = lane.ops.batch_norm_train(*(lane.array(v, dtype) for v in (x, gamma, beta)), EPSILON)
    axes = (0, *range(2, x.ndim))
    close(lane.host(out.output), batch_norm(x, gamma, beta), dtype, 10)
    close(lane.host(out.mean), x.mean(axes), dtype)
    close(lane.host(out.variance), x.var(axes), dtype)


@pytest.mark.parametrize("shape", LAYER_SHAPES)
def test_layer_norm(shape: Any, lane: Lane, dtype: str, rng: Any) -> None:
    x, gamma, beta = rng.normal(size=shape), rng.normal(size=shape[-1]), rng.normal(size=shape[-1])
    out = lane.ops.layer_norm(*(lane.array(v, dtype) for v in (x, gamma, beta)), EPSILON)
    close(lane.host(out.output), layer_norm(x, gamma, beta), dtype, 10)
    close(lane.host(out.mean), x.mean(-1, keepdims=True), dtype)
    close(lane.host(out.rstd), 1 / np.sqrt(x.var(-1, keepdims=True) + EPSILON), dtype, 10)


@pytest.mark.parametrize(
    ("kind", "shape"), [*(("batch", s) for s in BATCH_SHAPES), *(("layer", s) for s in LAYER_SHAPES)]
)
def test_gradients_are_slopes(kind: str, shape: Any, lane: Lane, rng: Any) -> None:
    size = shape[1] if kind == "batch" else shape[-1]
    inputs = [rng.normal(size=shape), rng.normal(size=size), rng.normal(size=size)]
    directions = [rng.normal(size=v.shape) for v in inputs]
    grad = rng.normal(size=shape)
    x, gamma, beta = map(lane.array, inputs)
    if kind == "batch":
        out = lane.ops.batch_norm_train(x, gamma, beta, EPSILON)
        grads = lane.ops.batch_norm_train_backward(x, gamma, out.mean, out.variance, EPSILON, lane.array(grad))
    else:
        out = lane.ops.layer_norm(x, gamma, beta, EPSILON)
        grads = lane.ops.layer_norm_backward(x, gamma, out.mean, out.rstd, lane.array(grad))
    got = sum(float(np.vdot(lane.host(g), d)) for g, d in zip(grads, directions, strict=True))
    want = slope(batch_norm if kind == "batch" else layer_norm, inputs, directions, grad)
    assert got == pytest.approx(want, rel=1e-6, abs=1e-6)


GROUP_SHAPES = [((3, 4), 2), ((2, 6, 5), 3), ((2, 4, 3, 2), 1), ((2, 4, 2, 2, 2), 4), ((4, 8, 16, 32), 2)]


def group_norm(x: np.ndarray, num_groups: int, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    size = x.shape[1] // num_groups
    for n in range(x.shape[0]):
        for c in range(x.shape[1]):
            first = c // size * size
            group = x[n, first : first + size]
            out[n, c] = gamma[c] * (x[n, c] - group.mean()) / np.sqrt(group.var() + EPSILON) + beta[c]
    return out


def rms_norm(x: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    for at in np.ndindex(x.shape[:-1]):
        out[at] = gamma * x[at] / np.sqrt((x[at] ** 2).mean() + EPSILON)
    return out


@pytest.mark.parametrize(("shape", "num_groups"), GROUP_SHAPES)
def test_group_norm(shape: Any, num_groups: int, lane: Lane, dtype: str, rng: Any) -> None:
    x, gamma, beta = rng.normal(size=shape), rng.normal(size=shape[1]), rng.normal(size=shape[1])
    given = lane.array(x, dtype), num_groups, *(lane.array(v, dtype) for v in (gamma, beta))
    out = lane.ops.group_norm(*given, EPSILON)
    close(lane.host(out.output), group_norm(x, num_groups, gamma, beta), dtype, 10)
    rows = x.reshape(shape[0], num_groups, -1)
    close(lane.host(out.mean), rows.mean(-1, keepdims=True), dtype)
    close(lane.host(out.rstd), 1 / np.sqrt(rows.var(-1, keepdims=True) + EPSILON), dtype, 10)


@pytest.mark.parametrize("shape", LAYER_SHAPES)
def test_rms_norm(shape: Any, lane: Lane, dtype: str, rng: Any) -> None:
    x, gamma = rng.normal(size=shape), rng.normal(size=shape[-1])
    out = lane.ops.rms_norm(*(lane.array(v, dtype) for v in (x, gamma)), EPSILON)
    close(lane.host(out.output), rms_norm(x, gamma), dtype, 10)
    close(lane.host(out.rstd), 1 / np.sqrt((x**2).mean(-1, keepdims=True) + EPSILON), dtype, 10)


@pytest.mark.parametrize(("shape", "num_groups"), [*GROUP_SHAPES, *((s, 0) for s in LAYER_SHAPES)])
def test_gradients_of_group_and_rms_norm_are_slopes(shape: Any, num_groups: int, lane: Lane, rng: Any) -> None:
    """0 groups stand for RMS norm."""
    size = shape[1] if num_groups else shape[-1]
    inputs = [rng.normal(size=shape), rng.normal(size=size), rng.normal(size=size)][: 3 if num_groups else 2]
    directions = [rng.normal(size=v.shape) for v in inputs]
    grad = rng.normal(size=shape)
    x, gamma, *_ = map(lane.array, inputs)
    if num_groups:
        out = lane.ops.group_norm(x, num_groups, gamma, None, EPSILON)
        grads = lane.ops.group_norm_backward(x, num_groups, gamma, out.mean, out.rstd, lane.array(grad))
        want = slope(lambda x, *rest: group_norm(x, num_groups, *rest), inputs, directions, grad)
    else:
        out = lane.ops.rms_norm(x, gamma, EPSILON)
        grads = lane.ops.rms_norm_backward(x, gamma, out.rstd, lane.array(grad))
        want = slope(rms_norm, inputs, directions, grad)
    got = sum(float(np.vdot(lane.host(g), d)) for g, d in zip(grads, directions, strict=True))
    assert got == pytest.approx(want, rel=1e-6, abs=1e-6)


def test_group_and_rms_norm_give_only_what_is_needed(lane: Lane, rng: Any) -> None:
    x, grad = lane.array(rng.normal(size=(2, 4, 3))), lane.array(rng.normal(size=(2, 4, 3)))
    group, row = lane.ops.group_norm(x, 2, None, None, EPSILON), lane.ops.rms_norm(x, None, EPSILON)
    for needs in ((True, False, False), (False, True, False), (False, False, True)):
        found = lane.ops.group_norm_backward(x, 2, None, group.mean, group.rstd, grad, needs)
        assert tuple(g is not None for g in found) == needs
    for needs in ((True, False), (False, True)):
        found = lane.ops.rms_norm_backward(x, None, row.rstd, grad, needs)
        assert tuple(g is not None for g in found) == needs


@pytest.mark.parametrize("shape", [(4, 3, 2), (8, 6, 16, 16)])
def test_only_what_is_needed(shape: Any, lane: Lane, rng: Any) -> None:
    x, grad = lane.array(rng.normal(size=shape)), lane.array(rng.normal(size=shape))
    out = lane.ops.batch_norm_train(x, None, None, EPSILON)
    normed = lane.ops.layer_norm(x, None, None, EPSILON)
    for needs in ((True, False, False), (False, True, False), (False, False, True)):
        batch = lane.ops.batch_norm_train_backward(x, None, out.mean, out.variance, EPSILON, grad, needs)
        layer = lane.ops.layer_norm_backward(x, None, normed.mean, normed.rstd, grad, needs)
        assert tuple(g is not None for g in batch) == needs
        assert tuple(g is not None for g in layer) == needs


def test_empty_batch(lane: Lane) -> None:
    x, gamma = lane.array(np.zeros((0, 3, 2))), lane.array(np.ones(3))
    out = lane.ops.batch_norm_train(x, gamma, gamma, EPSILON)
    assert lane.host(out.output).shape == (0, 3, 2)
    assert lane.host(out.mean).tolist() == lane.host(out.variance).tolist() == [0, 0, 0]
    grads = lane.ops.batch_norm_train_backward(x, gamma, out.mean, out.variance, EPSILON, x)
    assert lane.host(grads.x_grad).shape == (0, 3, 2)
    assert lane.host(grads.gamma_grad).tolist() == lane.host(grads.beta_grad).tolist() == [0, 0, 0]
    rows, gamma = lane.array(np.zeros((0, 4))), lane.array(np.ones(4))
    normed = lane.ops.layer_norm(rows, gamma, gamma, EPSILON)
    assert lane.host(normed.output).shape == (0, 4)
    layer = lane.ops.layer_norm_backward(rows, gamma, normed.mean, normed.rstd, rows)
    assert lane.host(layer.gamma_grad).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("shape", [(6, 2, 8), (300, 4), (64, 4, 64)])
@pytest.mark.parametrize("mean", [1e4, -3e4, 1e5])
def test_far_from_zero(shape: Any, mean: float, lane: Lane, rng: Any) -> None:
    # E[x^2] - E[x]^2 would have no digit left in float32, and the mean of many such numbers has few.
    x = (mean + rng.normal(size=shape)).astype(np.float32)
    wide, one, none = x.astype(np.float64), np.ones(shape[1]), np.zeros(shape[1])
    out = lane.ops.batch_norm_train(lane.array(x), None, None, EPSILON)
    axes = (0, *range(2, x.ndim))
    np.testing.assert_allclose(lane.host(out.mean), wide.mean(axes), rtol=1e-7)
    np.testing.assert_allclose(lane.host(out.variance), wide.var(axes), rtol=1e-5)
    np.testing.assert_allclose(lane.host(out.output), batch_norm(wide, one, none), rtol=1e-5, atol=1e-5)
    normed = lane.ops.layer_norm(lane.array(x), None, None, EPSILON)
    rstd = 1 / np.sqrt(wide.var(-1, keepdims=True) + EPSILON)
    np.testing.assert_allclose(lane.host(normed.rstd), rstd, rtol=1e-5)
    want = (wide - wide.mean(-1, keepdims=True)) * rstd
    np.testing.assert_allclose(lane.host(normed.output), want, rtol=1e-5, atol=1e-5)
    groups = lane.ops.group_norm(lane.array(x), 2, None, None, EPSILON)
    np.testing.assert_allclose(lane.host(groups.output), group_norm(wide, 2, one, none), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 2, 3), (64, 4, 64)])
def test_equal_numbers_have_no_variance(shape: Any, lane: Lane) -> None:
    x = lane.array(np.full(shape, 12345.678, np.float32))
    out = lane.ops.batch_norm_train(x, None, None, EPSILON)
    assert lane.host(out.variance).tolist() == [0.0] * shape[1]
    np.testing.assert_allclose(lane.host(out.output), np.zeros(shape), atol=1e-6)
    np.testing.assert_allclose(
        lane.host(lane.ops.layer_norm(x, None, None, EPSILON).output), np.zeros(shape), atol=1e-6
    )


@pytest.mark.parametrize("shape", [(4, 2, 8), (64, 4, 64)])
def test_half_precision_has_single_statistics(shape: Any, numpy_lane: Lane, rng: Any) -> None:
    # The squares of these overflow half precision.
    x = (rng.normal(size=shape) * 1000).astype(np.float16)
    wide = x.astype(np.float64)
    gamma, beta = (rng.normal(size=shape[1]).astype(np.float16) for _ in range(2))
    out = numpy_lane.ops.batch_norm_train(x, gamma, beta, EPSILON)
    assert out.output.dtype == np.float16
    close(out.variance, wide.var((0, 2)), "float32", 1e6)
    close(out.output, batch_norm(wide, gamma.astype(float), beta.astype(float)), "float16", 4)
    grad = rng.normal(size=shape).astype(np.float16)
    grads = numpy_lane.ops.batch_norm_train_backward(x, gamma, out.mean, out.variance, EPSILON, grad)
    assert {g.dtype.name for g in grads} == {"float16"}
    normed = numpy_lane.ops.layer_norm(x, None, None, EPSILON)
    assert (normed.output.dtype.name, normed.mean.dtype.name, normed.rstd.dtype.name) == (
        "float16",
        "float32",
        "float32",
    )


@pytest.mark.parametrize("shape", [(4, 3, 5), (16, 6, 10, 10)])
def test_order_in_memory_does_not_matter(shape: Any, numpy_lane: Lane, rng: Any) -> None:
    x, grad, gamma = rng.normal(size=shape), rng.normal(size=shape), rng.normal(size=shape[1])
    before = x.copy()
    ops = numpy_lane.ops
    want = ops.batch_norm_train(x, gamma, gamma, EPSILON)
    want_grads = ops.batch_norm_train_backward(x, gamma, want.mean, want.variance, EPSILON, grad)
    for order in (batch_last, np.asfortranarray):
        got = ops.batch_norm_train(order(x), gamma, gamma, EPSILON)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)
        grads = ops.batch_norm_train_backward(order(x), gamma, want.mean, want.variance, EPSILON, grad)
        for a, b in zip(grads, want_grads, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-11)
    np.testing.assert_array_equal(x, before)


def test_pytorch_layer_norm(lane: Lane) -> None:
    # F.layer_norm(x, (4,), gamma, beta, 1e-3), and the gradients of sum(output * cos(1 ... 8))
    x = lane.array(np.sin(np.arange(1.0, 9)).reshape(2, 4))
    gamma, beta = lane.array([1.0, 2.0, 3.0, 4.0]), lane.array([0.5, 0.0, -0.5, 1.0])
    out = lane.ops.layer_norm(x, gamma, beta, 1e-3)
    want = [
        [1.3291943793810637, 1.8600791103592669, -1.1362878155625427, -5.188551984159396],
        [-0.87815872116071, -0.9909325804719838, 1.6628036350443534, 5.610761865527671],
    ]
    close(lane.host(out.output), want, "float64")
    grad = lane.array(np.cos(np.arange(1.0, 9)).reshape(2, 4))
    grads = lane.ops.layer_norm_backward(x, gamma, out.mean, out.rstd, grad)
    x_grad = [
        [1.6472410174269811, -0.5565703683887269, -1.888610526927641, 0.7979398778893856],
        [-1.0640587254868623, 1.1717212469169938, 1.766347044619263, -1.8740095660493945],
    ]
    close(lane.host(grads.x_grad), x_grad, "float64")
    gamma_grad = [0.05708412043283767, -0.8627650286732017, 0.753487566415679, 0.843560379877724]
    close(lane.host(grads.gamma_grad), gamma_grad, "float64")


def test_pytorch_batch_norm(lane: Lane) -> None:
    # F.batch_norm(x, None, None, gamma, beta, True, 0.1, 1e-3), gradients of sum(output * cos(1 ... 12))
    x = lane.array(np.sin(np.arange(1.0, 13)).reshape(3, 2, 2))
    gamma, beta = lane.array([1.0, 2.0]), lane.array([0.5, 0.0])
    out = lane.ops.batch_norm_train(x, gamma, beta, 1e-3)
    want = [
        [[1.6039833141809803, 1.7002229670573865], [0.6122059899552772, -1.8262314304481038]],
        [[-0.9506164798991207, 0.013545679104289984], [2.013115749851761, 2.915718659002511]],
        [[0.9947705309271019, -0.36190601137063816], [-2.4866425606430878, -1.2281664077183578]],
    ]
    close(lane.host(out.output), want, "float64")
    grad = lane.array(np.cos(np.arange(1.0, 13)).reshape(3, 2, 2))
    grads = lane.ops.batch_norm_train_backward(x, gamma, out.mean, out.variance, 1e-3, grad)
    x_grad = [
        [[0.9899545958613686, -0.3555733443431776], [-2.647746434372473, -1.5595012145856615]],
        [[0.3182163772760784, 1.3942116445564392], [1.987601575899036, -0.5195731193308959]],
        [[-1.1428511642403825, -1.2039581091103264], [0.2749334601606877, 2.4642857322293072]],
    ]
    close(lane.host(grads.x_grad), x_grad, "float64", 10)
    close(lane.host(grads.gamma_grad), [-0.5091478948296053, 0.31684115639820193], "float64")
    close(lane.host(grads.beta_grad), [-0.3822138495265397, -0.18695424020882345], "float64")


def test_refuses_one_value_a_channel(lane: Lane) -> None:
    with pytest.raises(ShapeError, match=r"batch_norm_train: .* one value a channel"):
        lane.ops.batch_norm_train(lane.array(np.zeros((1, 3))), None, None, EPSILON)
