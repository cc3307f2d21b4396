"""Options are checked when made; shapes are checked before any work, and the message says what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends import ShapeError, shapes
from autograd_backends.options import ConvOptions, PaddedConvOptions, UnfoldOptions


@pytest.mark.parametrize("field", ["stride", "dilation", "groups"])
@pytest.mark.parametrize("value", [0, -1])
def test_positive_fields(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"ConvOptions: {field}={value} must be positive"):
        ConvOptions(**{field: value})


@pytest.mark.parametrize("value", [-1, (0, -2)])
def test_padding_is_not_negative(value: Any) -> None:
    with pytest.raises(ValueError, match=r"padding=.* must be zero or more"):
        ConvOptions(padding=value)
    with pytest.raises(ValueError, match=r"padding_end=.* must be zero or more"):
        PaddedConvOptions.asymmetric(padding_end=value)


@pytest.mark.parametrize("value", [1.5, "1", None])
def test_fields_are_ints(value: Any) -> None:
    with pytest.raises(TypeError, match=r"stride=.* is not an int or a tuple of ints"):
        ConvOptions(stride=value)
    with pytest.raises(TypeError, match=r"groups=.* is not an int"):
        ConvOptions(groups=(1, 1))  # type: ignore[arg-type]


def test_options_are_frozen_and_hashable() -> None:
    options = ConvOptions([1, 2], np.int64(1))  # type: ignore[arg-type]
    assert options == ConvOptions((1, 2), 1)
    assert hash(options) == hash(ConvOptions((1, 2), 1))
    assert type(options.padding) is int
    with pytest.raises(AttributeError):
        options.groups = 2  # type: ignore[misc]


@pytest.mark.parametrize(("field", "least"), [("stride", "positive"), ("dilation", "positive"), ("padding", "zero or")])
def test_unfold_options(field: str, least: str) -> None:
    assert hash(UnfoldOptions(**{field: [2, 3]})) == hash(UnfoldOptions(**{field: (2, 3)}))
    for value in (-1, (1, -1)):
        with pytest.raises(ValueError, match=rf"UnfoldOptions: {field}=.*-1.* must be {least}"):
            UnfoldOptions(**{field: value})


def test_one_pair_of_padding_a_dimension() -> None:
    assert ConvOptions(padding=(1, 2)).padding_pairs("conv2d", 2) == ((1, 1), (2, 2))
    asymmetric = PaddedConvOptions.asymmetric(padding_start=(1, 2), padding_end=3)
    assert isinstance(asymmetric, ConvOptions)
    assert asymmetric.padding_pairs("conv2d", 2) == ((1, 3), (2, 3))
    with pytest.raises(ShapeError, match=r"conv3d: padding=\(1, 2\) has 2 entries for 3 spatial dimensions"):
        ConvOptions(padding=(1, 2)).padding_pairs("conv3d", 3)


PLAIN = ConvOptions()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("conv2d", (8, 3, 28, 28), (16, 4, 3, 3), None, PLAIN),
            "conv2d: x has 3 channels (dimension 1 of (8, 3, 28, 28)) but weight (16, 4, 3, 3) with groups=1 expects 4",
        ),
        (
            ("conv2d", (3, 28, 28), (16, 3, 3, 3), None, PLAIN),
            "conv2d: x has 3 dimensions (3, 28, 28); it needs 4",
        ),
        (("conv1d", (2, 3, 8), (16, 3, 3, 3), None, PLAIN), "conv1d: weight has 4 dimensions (16, 3, 3, 3)"),
        (
            ("conv1d", (2, 4, 8), (3, 2, 3), None, ConvOptions(groups=2)),
            "conv1d: dimension 0 of weight (3, 2, 3), [C_out, C_in / groups, ...], is 3,",
        ),
        (
            ("conv1d", (2, 4, 8), (3, 4, 3), (4,), PLAIN),
            "conv1d: bias has shape (4,) but weight (3, 4, 3) expects",
        ),
        (
            ("conv1d", (2, 4, 8), (3, 4, 0), None, PLAIN),
            "conv1d: weight (3, 4, 0) has a kernel with no cells",
        ),
        (
            ("conv1d", (2, 4, 2), (3, 4, 3), None, PLAIN),
            "conv1d: the kernel spans 3 (dimension 2 of weight (3, 4, 3)",
        ),
    ],
)
def test_conv_messages(arguments: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        shapes.conv_output_shape(*arguments)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x_shape": (2, 8)}, "max_pool2d: x has 2 dimensions (2, 8); it needs 4, [N, C, H, W]"),
        ({"stride": (0, 1)}, "max_pool2d: stride=(0, 1) must be positive"),
        ({"padding": (0, -1)}, "max_pool2d: padding=(0, -1) must be zero or more"),
        ({"padding": (2, 0)}, "max_pool2d: padding=(2, 0) is more than half of what the kernel spans, 2"),
        ({"dilation": (1,)}, "max_pool2d: dilation=(1,) has 1 entries for 2 spatial dimensions"),
        ({"kernel_size": (9, 2)}, "max_pool2d: the kernel spans 9"),
    ],
)
def test_pool_messages(changes: dict[str, Any], message: str) -> None:
    arguments = {
        "x_shape": (2, 3, 8, 8),
        "kernel_size": (2, 2),
        "stride": (2, 2),
        "padding": (0, 0),
        "dilation": (1, 1),
        "ceil_mode": False,
    }
    with pytest.raises(ShapeError) as caught:
        shapes.pool_output_shape("max_pool2d", **(arguments | changes))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding", "floor", "ceil"),
    [
        # lengths that PyTorch 2.13 gives
        (6, 3, 2, 0, 2, 3),
        (6, 3, 2, 1, 3, 4),
        (5, 2, 2, 1, 3, 3),
        (5, 2, 3, 1, 2, 2),
        (1, 1, 3, 0, 1, 1),
    ],
)
def test_ceil_mode(size: int, kernel: int, stride: int, padding: int, floor: int, ceil: int) -> None:
    sizes = ((kernel,), (stride,), (padding,), (1,))
    assert shapes.pool_output_shape("max_pool1d", (1, 1, size), *sizes, False) == (1, 1, floor)
    assert shapes.pool_output_shape("max_pool1d", (1, 1, size), *sizes, True) == (1, 1, ceil)


def test_other_messages() -> None:
    with pytest.raises(ShapeError, match=r"linear: weight has shape \(3,\)"):
        shapes.linear_output_shape((2, 3), (3,), None)
    with pytest.raises(ShapeError, match=r"linear: x has shape \(\)"):
        shapes.linear_output_shape((), (3, 2), None)
    with pytest.raises(ShapeError, match=r"linear: bias has shape \(3,\) but weight \(3, 2\) expects \(2,\)"):
        shapes.linear_output_shape((2, 3), (3, 2), (3,))
    with pytest.raises(ShapeError, match=r"adaptive_avg_pool1d: output_size=.* must be positive"):
        shapes.adaptive_pool_output_shape("adaptive_avg_pool1d", (2, 3, 4), (0,))
    with pytest.raises(ShapeError, match=r"adaptive_avg_pool1d: .* nothing to pool"):
        shapes.adaptive_pool_output_shape("adaptive_avg_pool1d", (2, 3, 0), (1,))
    with pytest.raises(ShapeError, match=r"batch_norm: x has shape \(3,\)"):
        shapes.check_batch_norm("batch_norm", (3,), None, None, False)
    with pytest.raises(ShapeError, match=r"batch_norm: beta has shape \(2,\) but x \(4, 3\) has 3 channels"):
        shapes.check_batch_norm("batch_norm", (4, 3), (3,), (2,), False)
    with pytest.raises(ShapeError, match=r"layer_norm: gamma has shape \(2,\) but the last dimension of x"):
        shapes.check_layer_norm("layer_norm", (4, 3), (2,), None)
    with pytest.raises(ShapeError, match=r"layer_norm: x has shape \(\)"):
        shapes.check_layer_norm("layer_norm", (), None, None)
    shapes.check_batch_norm("batch_norm", (0, 3), (3,), None, True)
    shapes.check_batch_norm("batch_norm", (1, 3), (3,), (3,), False)
