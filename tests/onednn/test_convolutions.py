"""oneDNN's convolutions are those of the default kernels, in every direction, on random shapes and options."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_backends import Backend, ShapeError, get_backend
from autograd_backends.numpy_backend.onednn import library as door
from autograd_backends.options import ConvOptions, ConvTransposeOptions, PaddedConvOptions

if door.why_not() is not None:
    pytest.skip(f"oneDNN: {door.why_not()}", allow_module_level=True)

from autograd_backends.numpy_backend.onednn import convolutions

from . import numbers
from .layouts import LAYOUTS, close_as_sum

common = settings(max_examples=40, deadline=None)


def wide(x: Any) -> Any:
    return x.astype(np.float64) if isinstance(x, np.ndarray) else x


def size(x: Any) -> Any:
    return abs(x) if isinstance(x, np.ndarray) else x


def same(name: str, rank: int, *arguments: Any, terms: int) -> None:
    """The kernel `name` of oneDNN gives what the default gives in float64."""
    got = getattr(convolutions, name)(rank, *arguments)
    of_rank = re.sub("^conv(_transpose)?", rf"\g<0>{rank}d", name)
    kernel = getattr(Backend, of_rank)
    exact = kernel(*map(wide, arguments))
    close_as_sum(got, exact, kernel(*(size(wide(x)) for x in arguments)), terms)


@st.composite
def cases(draw: Any) -> dict[str, Any]:
    """Random arrays and options that go with them."""
    rank = draw(st.sampled_from([1, 2, 2, 3]))
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    depthwise = draw(st.booleans()) and draw(st.booleans())
    each = st.integers(1, 6 if rank < 3 else 3)
    c_in, c_out = (groups if depthwise else groups * draw(each) for _ in range(2))

    def some(low: int, high: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    kernel, stride, dilation, before, after = some(1, 4), some(1, 3), some(1, 3), some(0, 3), some(0, 3)
    least = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    sides = tuple(max(1, n - b - a) + more for n, b, a, more in zip(least, before, after, some(0, 6), strict=True))
    layouts = [draw(st.sampled_from(LAYOUTS)) for _ in range(4)]
    x = layouts[0](numbers(draw(st.integers(1, 4)), c_in, *sides))
    moves = {"stride": stride, "dilation": dilation, "before": before, "after": after}
    sizes = {"rank": rank, "groups": groups, "kernel": kernel, "c_out": c_out}
    return {"x": x, "layouts": layouts, "has_bias": draw(st.booleans()), **sizes, **moves}


@common
@given(cases())
def test_conv(case: dict[str, Any]) -> None:
    x, rank, groups = case["x"], case["rank"], case["groups"]
    of_weight, of_bias, of_grad = case["layouts"][1:]
    options = PaddedConvOptions.asymmetric(case["stride"], case["before"], case["after"], case["dilation"], groups)
    weight = of_weight(numbers(case["c_out"], x.shape[1] // groups, *case["kernel"]))
    bias = of_bias(numbers(case["c_out"])) if case["has_bias"] else None
    same("conv", rank, x, weight, bias, options, terms=weight[0].size + 1)
    shape = getattr(Backend, f"conv{rank}d")(x, weight, None, options).shape
    grad = of_grad(numbers(*shape))
    same("conv_x_backward", rank, x.shape, weight, grad, options, terms=weight.size)
    same("conv_weight_backward", rank, x, weight.shape, grad, options, terms=grad.size)
    for needs in ((True, True, True), (True, True, False), (False, True, True)):
        same_at_once(rank, x, weight, grad, options, needs)


@pytest.mark.parametrize(("rank", "stride", "more"), [(1, 3, 0), (2, 2, 0), (2, (1, 2), 1), (3, 2, 0)])
@pytest.mark.parametrize("groups", [1, 2])
def test_a_kernel_of_one_cell_that_steps_over_cells(rank: int, stride: Any, more: int, groups: int) -> None:
    options = PaddedConvOptions.asymmetric(stride, 0, more, 1, groups)
    for side in (6, 7):
        x, weight = numbers(3, 4, *(side,) * rank), numbers(6, 4 // groups, *(1,) * rank)
        same("conv", rank, x, weight, numbers(6), options, terms=5)
        grad = numbers(*getattr(Backend, f"conv{rank}d")(x, weight, None, options).shape)
        same("conv_weight_backward", rank, x, weight.shape, grad, options, terms=grad.size)
        same_at_once(rank, x, weight, grad, options, (True, True, True))


@pytest.mark.parametrize("channels", [5, 16, 48])
@pytest.mark.parametrize("stride", [1, 2])
def test_gradients_of_many_channels(channels: int, stride: int) -> None:
    options = ConvOptions(stride, 1)
    x, weight = numbers(2, channels, 9, 8), numbers(32, channels, 3, 3)
    grad = numbers(*Backend.conv2d(x, weight, None, options).shape)
    same("conv_x_backward", 2, x.shape, weight, grad, options, terms=weight.size)
    same_at_once(2, x, weight, grad, options, (True, True, True))


def same_at_once(rank: int, x: Any, weight: Any, grad: Any, options: Any, needs: Any) -> None:
    """The gradients that oneDNN gives in one call are those that the default gives in float64."""
    shapes = x.shape, weight.shape
    got = convolutions.conv_backward(rank, x, weight if needs[0] else None, *shapes, grad, options, needs)
    kernel = getattr(Backend, f"conv{rank}d_backward")
    exact = kernel(wide(x), wide(weight), *shapes, wide(grad), options, needs)
    sizes = kernel(size(wide(x)), size(wide(weight)), *shapes, size(wide(grad)), options, needs)
    if got is None:
        pytest.fail("oneDNN declined")
    for one, other, whole, needed in zip(got, exact, sizes, needs, strict=True):
        assert (one is not None) is needed
        if needed:
            close_as_sum(one, other, whole, max(weight.size, grad.size))


@common
@given(cases())
def test_conv_transpose(case: dict[str, Any]) -> None:
    x, rank, groups = case["x"], case["rank"], case["groups"]
    of_weight, of_bias, of_grad = case["layouts"][1:]
    spans = [(k - 1) * d for k, d in zip(case["kernel"], case["dilation"], strict=True)]
    padding = tuple(min(p, n // 2) for p, n in zip(case["before"], spans, strict=True))
    more = tuple(min(p, s - 1) for p, s in zip(case["after"], case["stride"], strict=True))
    options = ConvTransposeOptions(case["stride"], padding, more, case["dilation"], groups)
    weight = of_weight(numbers(x.shape[1], case["c_out"] // groups, *case["kernel"]))
    bias = of_bias(numbers(case["c_out"])) if case["has_bias"] else None
    same("conv_transpose", rank, x, weight, bias, options, terms=weight.size + 1)
    shape = getattr(Backend, f"conv_transpose{rank}d")(x, weight, None, options).shape
    grad = of_grad(numbers(*shape))
    same("conv_transpose_x_backward", rank, weight, grad, options, terms=weight[0].size)
    same("conv_transpose_weight_backward", rank, x, weight.shape, grad, options, terms=grad.size)


def test_an_output_longer_than_a_stride_explains_is_numpys() -> None:
    options = ConvTransposeOptions(stride=1, padding_out=2, dilation=3)
    x, weight = numbers(2, 3, 5), numbers(3, 4, 2)
    assert convolutions.conv_transpose(1, x, weight, None, options) is None
    out = get_backend("cpu").conv_transpose1d(x, weight, None, options)
    want = Backend.conv_transpose1d(wide(x), wide(weight), None, options)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("onednn_does_all")
def test_shapes_that_do_not_fit_are_refused_as_ever() -> None:
    backend = get_backend("cpu")
    with pytest.raises(ShapeError, match="conv2d: x has 3 channels"):
        backend.conv2d(numbers(1, 3, 4, 4), numbers(2, 2, 3, 3), None, ConvOptions())
    with pytest.raises(ShapeError, match="conv2d_x_backward"):
        backend.conv2d_x_backward((1, 3, 4, 4), numbers(2, 3, 3, 3), numbers(1, 2, 3, 3), ConvOptions())
    with pytest.raises(ShapeError, match="conv_transpose2d"):
        backend.conv_transpose2d(numbers(1, 3, 4, 4), numbers(2, 2, 3, 3), None, ConvTransposeOptions())


@pytest.mark.usefixtures("onednn_does_all")
def test_empty_batches_are_numpys() -> None:
    out = get_backend("cpu").conv2d(numbers(0, 3, 4, 4), numbers(2, 3, 3, 3), numbers(2), ConvOptions())
    assert out.shape == (0, 2, 2, 2)
