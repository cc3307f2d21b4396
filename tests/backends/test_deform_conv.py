"""Deformable convolution, in blocks and at the edges; tests/op_samples has its values, from loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends import ShapeError
from autograd_backends.options import ConvOptions, DeformConvOptions

from .conftest import Lane, close
from .test_conv import peak


def arguments(lane: Lane, rng: Any, dtype: str, x_shape: Any, weight_shape: Any, options: DeformConvOptions) -> Any:
    """x, offset, weight, mask, bias, and a gradient, for stride 1 without padding and dilation."""
    size = [n - k + 1 for n, k in zip(x_shape[2:], weight_shape[2:], strict=True)]
    cells = options.offset_groups * weight_shape[2] * weight_shape[3]
    shapes = [x_shape, (x_shape[0], 2 * cells, *size), weight_shape, (x_shape[0], cells, *size), weight_shape[:1]]
    return [lane.array(rng.normal(size=shape), dtype) for shape in [*shapes, (x_shape[0], weight_shape[0], *size)]]


@pytest.mark.parametrize("options", [DeformConvOptions(), DeformConvOptions(weight_groups=2, offset_groups=4)])
def test_blocks_make_no_difference(
    options: DeformConvOptions, lane: Lane, dtype: str, rng: Any, monkeypatch: Any
) -> None:
    weight_shape = (4, 4 // options.weight_groups, 3, 2)
    *given, grad = arguments(lane, rng, dtype, (3, 4, 5, 6), weight_shape, options)
    want = lane.host(lane.ops.deform_conv2d(*given, options))
    grads = lane.ops.deform_conv2d_backward(*given, grad, options)
    for workspace in (2000, 300, 1):  # some images, some lines of an image, a line
        monkeypatch.setattr(lane.backend, "workspace", workspace)
        close(lane.host(lane.ops.deform_conv2d(*given, options)), want, dtype, 10)
        for got, all_at_once in zip(lane.ops.deform_conv2d_backward(*given, grad, options), grads, strict=True):
            close(lane.host(got), lane.host(all_at_once), dtype, 10)


def test_without_offsets_it_is_a_convolution(lane: Lane, dtype: str, rng: Any) -> None:
    x, offset, weight, _, bias, grad = arguments(lane, rng, dtype, (2, 2, 4, 5), (3, 2, 2, 3), DeformConvOptions())
    out = lane.ops.deform_conv2d(x, offset * 0, weight, None, bias, DeformConvOptions())
    close(lane.host(out), lane.host(lane.ops.conv2d(x, weight, bias, ConvOptions())), dtype, 10)
    got = lane.ops.deform_conv2d_backward(x, offset * 0, weight, None, bias, grad, DeformConvOptions())
    want = lane.ops.conv2d_x_backward(x.shape, weight, grad, ConvOptions())
    close(lane.host(got.x_grad), lane.host(want), dtype, 10)
    assert got.mask_grad is None


def test_only_what_is_needed_is_computed(lane: Lane, rng: Any) -> None:
    *given, grad = arguments(lane, rng, "float64", (1, 1, 3, 3), (1, 1, 2, 2), DeformConvOptions())
    for i in range(5):
        needs = tuple(k == i for k in range(5))
        got = lane.ops.deform_conv2d_backward(*given, grad, DeformConvOptions(), needs)
        assert [g is not None for g in got] == list(needs)


def test_no_channels(lane: Lane, rng: Any) -> None:
    for x_shape, weight_shape in (((1, 0, 3, 3), (2, 0, 2, 2)), ((1, 2, 3, 3), (0, 2, 2, 2))):
        *given, grad = arguments(lane, rng, "float64", x_shape, weight_shape, DeformConvOptions())
        out = lane.host(lane.ops.deform_conv2d(*given, DeformConvOptions()))
        np.testing.assert_array_equal(out, np.broadcast_to(lane.host(given[-1])[:, None, None], out.shape))
        for got, like in zip(lane.ops.deform_conv2d_backward(*given, grad, DeformConvOptions()), given, strict=True):
            assert got.shape == like.shape


def test_refuses_another_gradient(lane: Lane, rng: Any) -> None:
    *given, _ = arguments(lane, rng, "float64", (1, 1, 3, 3), (1, 1, 2, 2), DeformConvOptions())
    with pytest.raises(ShapeError, match="the gradient has shape"):
        lane.ops.deform_conv2d_backward(*given, given[0], DeformConvOptions())


@pytest.mark.parametrize(("field", "value"), [("weight_groups", 0), ("offset_groups", -1), ("stride", (1, 0))])
def test_options_refuse(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"DeformConvOptions: {field}="):
        DeformConvOptions(**{field: value})


def test_memory_is_bounded(numpy_lane: Lane, rng: Any, monkeypatch: Any) -> None:
    workspace = 2**13
    monkeypatch.setattr(numpy_lane.backend, "workspace", workspace)
    *given, grad = arguments(numpy_lane, rng, "float32", (128, 4, 10, 10), (4, 4, 3, 3), DeformConvOptions())
    given_bytes = sum(a.nbytes for a in given)
    # Results are as large as what is given. The four pixels of all samples alone would be 4 * 9 times x.
    room = 40 * 4 * workspace
    assert room + given_bytes < 4 * 9 * given[0].nbytes
    assert peak(lambda: numpy_lane.ops.deform_conv2d(*given, DeformConvOptions())) <= given[0].nbytes + room
    backward = peak(lambda: numpy_lane.ops.deform_conv2d_backward(*given, grad, DeformConvOptions()))
    assert backward <= given_bytes + room
