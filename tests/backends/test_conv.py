"""Convolution against loops over every product, in float64."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest

from autograd_backends import ShapeError
from autograd_backends.numpy_backend.onednn import gate
from autograd_backends.options import ConvOptions, ConvTransposeOptions, PaddedConvOptions

from .conftest import Lane, batch_last, close

# x, weight, options
GRID: list[tuple[tuple[int, ...], tuple[int, ...], ConvOptions]] = [
    ((2, 3, 7), (4, 3, 3), ConvOptions()),
    ((2, 4, 9), (6, 2, 2), ConvOptions(stride=3, padding=2, dilation=2, groups=2)),
    ((2, 3, 5, 6), (4, 3, 3, 2), ConvOptions(padding=1)),
    ((3, 2, 6, 5), (2, 2, 1, 1), ConvOptions(stride=2)),
    ((2, 4, 6, 7), (4, 1, 3, 3), ConvOptions(stride=(2, 1), padding=(0, 2), groups=4)),
    ((1, 2, 8, 7), (3, 2, 3, 2), ConvOptions(stride=(3, 2), padding=(2, 1), dilation=(2, 3))),
    ((2, 2, 4, 5), (2, 2, 3, 3), PaddedConvOptions.asymmetric(2, (0, 3), (2, 1))),
    ((2, 2, 3, 4, 3), (4, 1, 2, 3, 2), ConvOptions(padding=(1, 1, 0), stride=(1, 2, 1), groups=2)),
    ((0, 2, 5, 5), (3, 2, 3, 3), ConvOptions()),
]


def visits(x_shape: Any, weight_shape: Any, options: ConvOptions) -> Any:
    """Every (output, input, weight) index of the sum that a convolution is, and the shape of the output."""
    rank = len(x_shape) - 2
    each = [(v,) * rank if isinstance(v, int) else v for v in (options.stride, options.dilation)]
    stride, dilation = each
    pads = options.padding_pairs("conv", rank)
    out = [
        (x_shape[2 + d] + sum(pads[d]) - dilation[d] * (weight_shape[2 + d] - 1) - 1) // stride[d] + 1
        for d in range(rank)
    ]
    found = []
    per_group = weight_shape[0] // options.groups
    for n, o in product(range(x_shape[0]), range(weight_shape[0])):
        for position in product(*map(range, out)):
            for cell in product(*map(range, weight_shape[1:])):
                c = o // per_group * weight_shape[1] + cell[0]
                at = [position[d] * stride[d] + cell[1 + d] * dilation[d] - pads[d][0] for d in range(rank)]
                if all(0 <= a < x_shape[2 + d] for d, a in enumerate(at)):
                    found.append(((n, o, *position), (n, c, *at), (o, *cell)))
    return found, (x_shape[0], weight_shape[0], *out)


@pytest.mark.parametrize(("x_shape", "weight_shape", "options"), GRID)
def test_against_loops(
    x_shape: Any, weight_shape: Any, options: ConvOptions, lane: Lane, dtype: str, rng: Any, monkeypatch: Any
) -> None:
    found, shape = visits(x_shape, weight_shape, options)
    x, weight, bias = (
        rng.normal(size=x_shape),
        rng.normal(size=weight_shape),
        rng.normal(size=weight_shape[0]),
    )
    grad = rng.normal(size=shape)
    out = np.zeros(shape) + bias.reshape(-1, *(1,) * (len(shape) - 2))
    x_grad, weight_grad = np.zeros(x_shape), np.zeros(weight_shape)
    for at_out, at_x, at_weight in found:
        out[at_out] += x[at_x] * weight[at_weight]
        x_grad[at_x] += grad[at_out] * weight[at_weight]
        weight_grad[at_weight] += grad[at_out] * x[at_x]

    name = f"conv{len(shape) - 2}d"
    ops = lane.ops
    ax, aw, ab, ag = (lane.array(v, dtype) for v in (x, weight, bias, grad))
    for workspace in (lane.backend.workspace, 100, 1):  # all positions at once, some, and one at a time
        monkeypatch.setattr(lane.backend, "workspace", workspace)
        close(lane.host(getattr(ops, name)(ax, aw, ab, options)), out, dtype, 10)
        got = getattr(ops, f"{name}_x_backward")(x_shape, aw, ag, options)
        close(lane.host(got), x_grad, dtype, 10)
        got = getattr(ops, f"{name}_weight_backward")(ax, weight_shape, ag, options)
        close(lane.host(got), weight_grad, dtype, 10)
    close(lane.host(getattr(ops, f"{name}_bias_backward")(ag)), grad.sum((0, *range(2, grad.ndim))), dtype, 10)


@pytest.mark.parametrize(("x_shape", "weight_shape", "options"), GRID)
@pytest.mark.parametrize("needs", [(True, True, True), (False, True, True), (True, False, True), (True, True, False)])
def test_all_gradients_are_those_of_each(
    x_shape: Any, weight_shape: Any, options: ConvOptions, needs: Any, lane: Lane, dtype: str, rng: Any
) -> None:
    name = f"conv{len(x_shape) - 2}d"
    kernel = {of: getattr(lane.ops, name + of) for of in ("", "_backward", "_x_backward", "_weight_backward")}
    x, weight = (lane.array(rng.normal(size=shape), dtype) for shape in (x_shape, weight_shape))
    grad = lane.array(rng.normal(size=kernel[""](x, weight, None, options).shape), dtype)
    got = kernel["_backward"](
        x if needs[1] else None, weight if needs[0] else None, x_shape, weight_shape, grad, options, needs
    )
    want = (
        kernel["_x_backward"](x_shape, weight, grad, options),
        kernel["_weight_backward"](x, weight_shape, grad, options),
        getattr(lane.ops, f"{name}_bias_backward")(grad),
    )
    for one, other, needed in zip(got, want, needs, strict=True):
        assert (one is not None) is needed
        if needed:
            close(lane.host(one), lane.host(other), dtype, 10)


def test_input_is_neither_changed_nor_shared(numpy_lane: Lane, rng: Any) -> None:
    x, weight = rng.normal(size=(2, 3, 4, 4)), rng.normal(size=(3, 3, 1, 1))
    before = x.copy()
    options = ConvOptions()
    out = numpy_lane.ops.conv2d(x, weight, None, options)
    grad = numpy_lane.ops.conv2d_x_backward(x.shape, weight, out, options)
    np.testing.assert_array_equal(x, before)
    assert not np.shares_memory(out, x)
    assert not np.shares_memory(grad, out)


def test_order_in_memory_does_not_matter(numpy_lane: Lane, rng: Any) -> None:
    x, weight = rng.normal(size=(4, 3, 5, 6)), rng.normal(size=(2, 3, 3, 3))
    options = ConvOptions(padding=1)
    want = numpy_lane.ops.conv2d(x, weight, None, options)
    for same in (batch_last(x), np.asfortranarray(x), np.repeat(x, 2, axis=3)[..., ::2]):
        np.testing.assert_allclose(numpy_lane.ops.conv2d(same, weight, None, options), want, rtol=1e-12, atol=1e-12)


def test_half_precision_adds_up_in_single(numpy_lane: Lane) -> None:
    # 4096 products of 1: in half precision the sum would stop at 2048.
    x, weight = np.ones((1, 4096, 2), np.float16), np.ones((1, 4096, 1), np.float16)
    out = numpy_lane.ops.conv1d(x, weight, None, ConvOptions())
    assert out.dtype == np.float16
    assert out.tolist() == [[[4096.0, 4096.0]]]
    grad = np.ones((1, 4096, 2), np.float16)
    got = numpy_lane.ops.conv1d_x_backward((1, 1, 2), np.ones((4096, 1, 1), np.float16), grad, ConvOptions())
    assert got.dtype == np.float16
    assert got.tolist() == [[[4096.0, 4096.0]]]


def test_refuses_what_does_not_fit(lane: Lane) -> None:
    x, weight = lane.array(np.zeros((8, 3, 28, 28))), lane.array(np.zeros((16, 4, 3, 3)))
    with pytest.raises(ShapeError, match=r"conv2d: x has 3 channels \(dimension 1 of \(8, 3, 28, 28\)\)"):
        lane.ops.conv2d(x, weight, None, ConvOptions())


# ---------------------------------------------------------------- transposed

# x, weight, options
TRANSPOSED: list[tuple[tuple[int, ...], tuple[int, ...], ConvTransposeOptions]] = [
    ((2, 3, 4), (3, 2, 3), ConvTransposeOptions()),
    ((2, 4, 3), (4, 3, 2), ConvTransposeOptions(stride=3, padding=2, padding_out=4, dilation=2, groups=2)),
    ((2, 3, 3, 4), (3, 2, 3, 2), ConvTransposeOptions(padding=1)),
    ((2, 2, 3, 2), (2, 1, 2, 3), ConvTransposeOptions(stride=(2, 1), padding=(0, 1), padding_out=(1, 0), groups=2)),
    (
        (1, 2, 2, 3, 2),
        (2, 2, 2, 1, 3),
        ConvTransposeOptions((1, 2, 3), 0, (0, 1, 2), (2, 1, 1)),
    ),
    ((0, 2, 3), (2, 1, 2), ConvTransposeOptions(stride=2)),
]


@pytest.mark.parametrize(("x_shape", "weight_shape", "options"), TRANSPOSED)
def test_transposed_against_loops(
    x_shape: Any, weight_shape: Any, options: ConvTransposeOptions, lane: Lane, dtype: str, rng: Any, monkeypatch: Any
) -> None:
    rank = len(x_shape) - 2
    x, weight = rng.normal(size=x_shape), rng.normal(size=weight_shape)
    bias = rng.normal(size=weight_shape[1] * options.groups)
    stride, padding, longer, dilation = (
        (v,) * rank if isinstance(v, int) else v
        for v in (options.stride, options.padding, options.padding_out, options.dilation)
    )
    sizes = [
        (x_shape[2 + d] - 1) * stride[d] - 2 * padding[d] + dilation[d] * (weight_shape[2 + d] - 1) + 1 + longer[d]
        for d in range(rank)
    ]
    out = np.zeros((x_shape[0], len(bias), *sizes)) + bias.reshape(-1, *(1,) * rank)
    grad = rng.normal(size=out.shape)
    x_grad, weight_grad = np.zeros(x_shape), np.zeros(weight_shape)
    for n, c, *position in np.ndindex(x_shape):
        group = c // (x_shape[1] // options.groups)
        for o, *cell in np.ndindex(weight_shape[1:]):
            at = [position[d] * stride[d] + cell[d] * dilation[d] - padding[d] for d in range(rank)]
            if all(0 <= a < size for a, size in zip(at, sizes, strict=True)):
                at_out = (n, group * weight_shape[1] + o, *at)
                out[at_out] += x[(n, c, *position)] * weight[(c, o, *cell)]
                x_grad[(n, c, *position)] += grad[at_out] * weight[(c, o, *cell)]
                weight_grad[(c, o, *cell)] += grad[at_out] * x[(n, c, *position)]

    name = f"conv_transpose{rank}d"
    ops = lane.ops
    ax, aw, ab, ag = (lane.array(v, dtype) for v in (x, weight, bias, grad))
    for workspace in (lane.backend.workspace, 1):
        monkeypatch.setattr(lane.backend, "workspace", workspace)
        close(lane.host(getattr(ops, name)(ax, aw, ab, options)), out, dtype, 10)
        close(lane.host(getattr(ops, f"{name}_x_backward")(aw, ag, options)), x_grad, dtype, 10)
        close(lane.host(getattr(ops, f"{name}_weight_backward")(ax, weight_shape, ag, options)), weight_grad, dtype, 10)


def test_gradients_of_other_shapes_are_refused(lane: Lane) -> None:
    x, weight = lane.array(np.zeros((2, 2, 4, 4))), lane.array(np.zeros((2, 2, 3, 3)))
    grad = lane.array(np.zeros((2, 2, 4, 4)))
    for call in (
        lambda: lane.ops.conv2d_x_backward(x.shape, weight, grad, ConvOptions()),
        lambda: lane.ops.conv2d_weight_backward(x, weight.shape, grad, ConvOptions()),
        lambda: lane.ops.conv_transpose2d_x_backward(weight, grad, ConvTransposeOptions(stride=2)),
        lambda: lane.ops.conv_transpose2d_weight_backward(x, weight.shape, grad, ConvTransposeOptions()),
    ):
        with pytest.raises(ShapeError, match=r"the gradient has shape \(2, 2, 4, 4\)"):
            call()


# ---------------------------------------------------------------- memory


def peak(call: Any) -> int:
    """The most bytes that `call` holds at a time."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("x_shape", [(128, 4, 16, 16), (1, 4, 256, 128)], ids=["a large batch", "a large image"])
def test_memory_is_bounded(x_shape: Any, numpy_lane: Lane, monkeypatch: Any) -> None:
    monkeypatch.setattr(numpy_lane.backend, "workspace", 2**14)
    ops = numpy_lane.ops
    x, weight = np.ones(x_shape, np.float32), np.ones((4, 4, 5, 5), np.float32)
    options, transposed = ConvOptions(padding=2), ConvTransposeOptions(padding=2)
    calls = {
        "forward": lambda: ops.conv2d(x, weight, None, options),
        "x": lambda: ops.conv2d_x_backward(x_shape, weight, x, options),
        "weight": lambda: ops.conv2d_weight_backward(x, weight.shape, x, options),
        "transposed forward": lambda: ops.conv_transpose2d(x, weight, None, transposed),
        "transposed x": lambda: ops.conv_transpose2d_x_backward(weight, x, transposed),
        "transposed weight": lambda: ops.conv_transpose2d_weight_backward(x, weight.shape, x, transposed),
    }
    # The result, x with its padding, and a few arrays of the size of the workspace; all columns would be 25 x.
    padded = x.nbytes * 20 * 20 // (16 * 16)
    with gate.forced(2**62):  # NumPy does it
        for name, call in calls.items():
            assert peak(call) <= x.nbytes + padded + 4 * 4 * 2**14, name
