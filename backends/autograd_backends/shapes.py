"""The shapes that module ops take and give, and what is wrong with the shapes that they refuse.

Pure arithmetic on tuples of ints. Every ``*_output_shape`` function checks its arguments first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from .array_types import Array, IntPair, Namespace, Shape
from .errors import ShapeError
from .options import (
    ConvOptions,
    ConvTransposeOptions,
    DeformConvOptions,
    InterpolateOptions,
    RecurrentOptions,
    UnfoldOptions,
    per_dimension,
)
from .resampling import Resize
from .windows import Window

__all__ = [
    "adaptive_pool_output_shape",
    "attention_output_shape",
    "check_batch_norm",
    "check_ctc_loss",
    "check_grad",
    "check_group_norm",
    "check_layer_norm",
    "check_output_grad",
    "check_planes",
    "check_recurrent",
    "check_recurrent_cell",
    "conv_output_shape",
    "conv_transpose_output_shape",
    "conv_transpose_windows",
    "conv_transpose_x_shape",
    "conv_windows",
    "deform_conv_output_shape",
    "embedding_output_shape",
    "fold4d_output_shape",
    "grid_sample_output_shape",
    "interpolate_resizes",
    "linear_output_shape",
    "pad_output_shape",
    "pad_pairs",
    "pool_output_shape",
    "pool_windows",
    "unfold4d_windows",
    "unfold_output_shape",
]


# ---------------------------------------------------------------- linear and embedding


def linear_output_shape(x_shape: Shape, weight_shape: Shape, bias_shape: Shape | None) -> Shape:
    """x [..., d_input], weight [d_input, d_output], bias [d_output] or None -> [..., d_output]"""
    if len(weight_shape) != 2:
        raise ShapeError(f"linear: weight has shape {weight_shape}; it must be [d_input, d_output]")
    if not x_shape:
        raise ShapeError("linear: x has shape (); it needs at least one dimension, of size d_input")
    d_input, d_output = weight_shape
    if x_shape[-1] != d_input:
        raise ShapeError(
            f"linear: x has {x_shape[-1]} features (last dimension of {x_shape}) "
            f"but weight {weight_shape}, [d_input, d_output], expects {d_input}"
        )
    if bias_shape is not None and bias_shape != (d_output,):
        raise ShapeError(f"linear: bias has shape {bias_shape} but weight {weight_shape} expects ({d_output},)")
    return (*x_shape[:-1], d_output)


def embedding_output_shape(weights_shape: Shape, indices: Array, xp: Namespace) -> Shape:
    """weights [n, d_model], integer indices [...] -> [..., d_model]

    Raises
    ------
    TypeError
        If `indices` are not integers.
    """
    if len(weights_shape) != 2:
        raise ShapeError(f"embedding: weights have shape {weights_shape}; it must be [n, d_model]")
    if not xp.isdtype(indices.dtype, "integral"):
        raise TypeError(f"embedding: indices have dtype {indices.dtype}; they must be integers")
    return (*indices.shape, weights_shape[1])


# ---------------------------------------------------------------- convolution


@lru_cache(maxsize=4096)
def conv_output_shape(
    op_name: str, x_shape: Shape, weight_shape: Shape, bias_shape: Shape | None, options: ConvOptions
) -> Shape:
    """The shape [N, C_out, ...] that a convolution of these shapes gives.

    Parameters
    ----------
    op_name
        For messages; it ends in the number of spatial dimensions: ``"conv2d"``.
    x_shape, weight_shape, bias_shape
        [N, C_in, ...], [C_out, C_in / groups, ...] and [C_out] or None.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    rank = int(op_name[-2])
    _check_rank(op_name, x_shape, rank)
    groups = options.groups
    _check_weight(op_name, x_shape, weight_shape, "[C_out, C_in / groups, ...]", groups)
    if x_shape[1] != weight_shape[1] * groups:
        raise ShapeError(
            f"{op_name}: x has {x_shape[1]} channels (dimension 1 of {x_shape}) "
            f"but weight {weight_shape} with groups={groups} expects {weight_shape[1] * groups}"
        )
    if bias_shape is not None and bias_shape != weight_shape[:1]:
        raise ShapeError(f"{op_name}: bias has shape {bias_shape} but weight {weight_shape} expects {weight_shape[:1]}")
    sizes = []
    stride = per_dimension(op_name, "stride", options.stride, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    padding = options.padding_pairs(op_name, rank)
    for d in range(rank):
        padded = x_shape[2 + d] + sum(padding[d])
        extent = dilation[d] * (weight_shape[2 + d] - 1) + 1
        if padded < extent:
            raise ShapeError(
                f"{op_name}: the kernel spans {extent} (dimension {2 + d} of weight {weight_shape}, "
                f"dilation={dilation[d]}) but x {x_shape} with padding {padding[d]} is {padded} long there"
            )
        sizes.append((padded - extent) // stride[d] + 1)
    return (x_shape[0], weight_shape[0], *sizes)


@lru_cache(maxsize=4096)
def conv_windows(op_name: str, x_shape: Shape, weight_shape: Shape, options: ConvOptions) -> tuple[Window, ...]:
    """The kernel's positions in each spatial dimension, after the checks of ``conv_output_shape``."""
    out = conv_output_shape(op_name, x_shape, weight_shape, None, options)
    rank = len(out) - 2
    stride = per_dimension(op_name, "stride", options.stride, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    before = [pair[0] for pair in options.padding_pairs(op_name, rank)]
    return tuple(
        Window(x_shape[2 + d], weight_shape[2 + d], stride[d], before[d], dilation[d], out[2 + d]) for d in range(rank)
    )


def check_output_grad(op_name: str, given: Shape, expected: Shape) -> None:
    """Refuse a gradient whose shape, `given`, is not that of the output, `expected`."""
    if given != expected:
        raise ShapeError(f"{op_name}: output_grad has shape {given} but the other arguments make it {expected}")


# ---------------------------------------------------------------- transposed convolution


@lru_cache(maxsize=4096)
def conv_transpose_output_shape(
    op_name: str, x_shape: Shape, weight_shape: Shape, bias_shape: Shape | None, options: ConvTransposeOptions
) -> Shape:
    """The shape [N, C_out, ...] that a transposed convolution of these shapes gives.

    Parameters
    ----------
    op_name
        For messages; it ends in the number of spatial dimensions: ``"conv_transpose2d"``.
    x_shape, weight_shape, bias_shape
        [N, C_in, ...], [C_in, C_out / groups, ...] and [C_out] or None.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    rank = int(op_name[-2])
    _check_rank(op_name, x_shape, rank)
    groups = options.groups
    _check_weight(op_name, x_shape, weight_shape, "[C_in, C_out / groups, ...]", groups)
    if x_shape[1] != weight_shape[0]:
        raise ShapeError(
            f"{op_name}: x has {x_shape[1]} channels (dimension 1 of {x_shape}) "
            f"but weight {weight_shape} expects {weight_shape[0]} (its dimension 0)"
        )
    channels = weight_shape[1] * groups
    if bias_shape is not None and bias_shape != (channels,):
        raise ShapeError(
            f"{op_name}: bias has shape {bias_shape} but weight {weight_shape} with groups={groups} "
            f"expects ({channels},)"
        )
    if 0 in x_shape[2:]:
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0")
    least = _transposed_sizes(op_name, weight_shape, options)
    stride = per_dimension(op_name, "stride", options.stride, rank)
    sizes = tuple((n - 1) * s + start for n, s, start in zip(x_shape[2:], stride, least, strict=True))
    if min(sizes) < 1:
        raise ShapeError(
            f"{op_name}: x {x_shape} with weight {weight_shape} and padding={options.padding} "
            f"leaves an output of size {sizes}"
        )
    return (x_shape[0], channels, *sizes)


@lru_cache(maxsize=4096)
def conv_transpose_x_shape(
    op_name: str, weight_shape: Shape, output_grad_shape: Shape, options: ConvTransposeOptions
) -> Shape:
    """The shape [N, C_in, ...] of the x that gives an output of `output_grad_shape` [N, C_out, ...].

    Raises
    ------
    ShapeError
        If there is none.
    """
    rank = int(op_name[-2])
    if len(output_grad_shape) != rank + 2 or len(weight_shape) != rank + 2:
        raise ShapeError(
            f"{op_name}: output_grad {output_grad_shape} and weight {weight_shape} must both have {rank + 2} dimensions"
        )
    least = _transposed_sizes(op_name, weight_shape, options)
    stride = per_dimension(op_name, "stride", options.stride, rank)
    sizes = [(n - start) // s + 1 for n, s, start in zip(output_grad_shape[2:], stride, least, strict=True)]
    x_shape = (output_grad_shape[0], weight_shape[0], *sizes)
    made = conv_transpose_output_shape(op_name, x_shape, weight_shape, None, options)
    check_output_grad(op_name, output_grad_shape, made)
    return x_shape


@lru_cache(maxsize=4096)
def conv_transpose_windows(
    op_name: str, x_shape: Shape, weight_shape: Shape, options: ConvTransposeOptions
) -> tuple[Window, ...]:
    """The kernel's positions over the output, one for each cell of x, after the checks of the output's shape."""
    out = conv_transpose_output_shape(op_name, x_shape, weight_shape, None, options)
    rank = len(out) - 2
    stride = per_dimension(op_name, "stride", options.stride, rank)
    padding = per_dimension(op_name, "padding", options.padding, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    return tuple(
        Window(out[2 + d], weight_shape[2 + d], stride[d], padding[d], dilation[d], x_shape[2 + d]) for d in range(rank)
    )


def _transposed_sizes(op_name: str, weight_shape: Shape, options: ConvTransposeOptions) -> tuple[int, ...]:
    """The size of the output for an x of size 1, in each spatial dimension."""
    rank = len(weight_shape) - 2
    padding = per_dimension(op_name, "padding", options.padding, rank)
    padding_out = per_dimension(op_name, "padding_out", options.padding_out, rank)
    dilation = per_dimension(op_name, "dilation", options.dilation, rank)
    return tuple(
        d * (k - 1) + 1 + more - 2 * p
        for k, p, more, d in zip(weight_shape[2:], padding, padding_out, dilation, strict=True)
    )


# ---------------------------------------------------------------- deformable convolution


@lru_cache(maxsize=4096)
def deform_conv_output_shape(
    x_shape: Shape,
    offset_shape: Shape,
    weight_shape: Shape,
    mask_shape: Shape | None,
    bias_shape: Shape | None,
    options: DeformConvOptions,
) -> Shape:
    """The shape [N, C_out, H', W'] that a deformable convolution of these shapes gives.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    name = "deform_conv2d"
    plain = ConvOptions(options.stride, options.padding, options.dilation, options.weight_groups)
    out = conv_output_shape(name, x_shape, weight_shape, bias_shape, plain)
    groups = options.offset_groups
    if x_shape[1] % groups:
        raise ShapeError(
            f"{name}: x has {x_shape[1]} channels (dimension 1 of {x_shape}), "
            f"which offset_groups={groups} does not divide"
        )
    cells = groups * prod(weight_shape[2:])
    for argument, shape, per_cell in (("offset", offset_shape, 2), ("mask", mask_shape, 1)):
        expected = (x_shape[0], per_cell * cells, *out[2:])
        if shape is not None and shape != expected:
            raise ShapeError(
                f"{name}: {argument} has shape {shape} but x {x_shape}, weight {weight_shape} and "
                f"offset_groups={groups} expect {expected}"
            )
    return out


# ---------------------------------------------------------------- pools


@lru_cache(maxsize=4096)
def pool_output_shape(
    op_name: str,
    x_shape: Shape,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> Shape:
    """The shape [N, C, ...] that a pool over `x_shape` [N, C, ...] gives.

    The rule is PyTorch's: with `ceil_mode` a last, partial window counts, if it starts inside the input or
    the padding before it.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    rank = len(kernel_size)
    _check_rank(op_name, x_shape, rank)
    fields = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    for field, value in fields.items():
        least = 0 if field == "padding" else 1
        if min(per_dimension(op_name, field, value, rank)) < least:
            raise ShapeError(f"{op_name}: {field}={value} must be {'positive' if least else 'zero or more'}")
    sizes = []
    for d in range(rank):
        size = x_shape[2 + d]
        extent = dilation[d] * (kernel_size[d] - 1) + 1
        if padding[d] > extent // 2:
            raise ShapeError(
                f"{op_name}: padding={padding} is more than half of what the kernel spans, {extent} "
                f"(kernel_size={kernel_size}, dilation={dilation})"
            )
        room = size + 2 * padding[d] - extent
        if room < 0 or not size:
            raise ShapeError(
                f"{op_name}: the kernel spans {extent} (kernel_size={kernel_size}, dilation={dilation}) "
                f"but x {x_shape} with padding={padding} is {size + 2 * padding[d]} long in dimension {2 + d}"
            )
        out = (room + (stride[d] - 1 if ceil_mode else 0)) // stride[d] + 1
        if ceil_mode and (out - 1) * stride[d] >= size + padding[d]:
            out -= 1
        if Window(size, kernel_size[d], stride[d], padding[d], dilation[d], out).misses():
            raise ShapeError(
                f"{op_name}: with padding={padding} and dilation={dilation} a window meets nothing but "
                f"padding in dimension {2 + d} of x {x_shape}"
            )
        sizes.append(out)
    return (*x_shape[:2], *sizes)


@lru_cache(maxsize=4096)
def pool_windows(
    op_name: str,
    x_shape: Shape,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> tuple[Window, ...]:
    """The windows of a pool in each spatial dimension, after the checks of ``pool_output_shape``."""
    out = pool_output_shape(op_name, x_shape, kernel_size, stride, padding, dilation, ceil_mode)
    return tuple(
        Window(x_shape[2 + d], kernel_size[d], stride[d], padding[d], dilation[d], out[2 + d])
        for d in range(len(kernel_size))
    )


def adaptive_pool_output_shape(op_name: str, x_shape: Shape, output_size: Shape) -> Shape:
    """The shape [N, C, *output_size] that an adaptive pool over `x_shape` [N, C, ...] gives."""
    rank = len(output_size)
    _check_rank(op_name, x_shape, rank)
    if min(per_dimension(op_name, "output_size", output_size, rank)) < 1:
        raise ShapeError(f"{op_name}: output_size={output_size} must be positive")
    if not prod(x_shape[2:]):
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0; there is nothing to pool")
    return (*x_shape[:2], *output_size)


def check_planes(op_name: str, x_shape: Shape, grad_shape: Shape, indices_shape: Shape) -> None:
    """Refuse indices [N, C, ...] into the planes of x that are not those of a gradient of their shape."""
    if grad_shape != indices_shape or len(x_shape) < 3 or indices_shape[:2] != x_shape[:2]:
        raise ShapeError(
            f"{op_name}: output_grad has shape {grad_shape} and indices {indices_shape}; "
            f"for x {x_shape} both must be [N, C, ...] with N, C = {x_shape[:2]}"
        )


def check_grad(op_name: str, grad_shape: Shape, x_shape: Shape, out_shape: Shape) -> None:
    """Refuse a gradient that has not the shape that the op gives for x."""
    if grad_shape != out_shape:
        raise ShapeError(f"{op_name}: grad has shape {grad_shape}; what x {x_shape} gives has {out_shape}")


# ---------------------------------------------------------------- windows side by side


def unfold4d_windows(
    op_name: str, image_shape: Shape, kernel_size: IntPair, options: UnfoldOptions
) -> tuple[Window, ...]:
    """The kernel's positions down and across images [N, C, H, W].

    Raises
    ------
    ShapeError
        If the images have other dimensions, or the kernel does not fit into them.
    """
    _check_rank(op_name, image_shape, 2)
    kernel = per_dimension(op_name, "kernel_size", kernel_size, 2)
    if min(kernel) < 1:
        raise ShapeError(f"{op_name}: kernel_size={kernel_size} must be positive")
    stride = per_dimension(op_name, "stride", options.stride, 2)
    padding = per_dimension(op_name, "padding", options.padding, 2)
    dilation = per_dimension(op_name, "dilation", options.dilation, 2)
    windows = []
    for d, size in enumerate(image_shape[2:]):
        extent = dilation[d] * (kernel[d] - 1) + 1
        room = size + 2 * padding[d] - extent
        if room < 0:
            raise ShapeError(
                f"{op_name}: the kernel spans {extent} (kernel_size={kernel_size}, dilation={options.dilation}) but "
                f"images {image_shape} with padding={options.padding} are {size + 2 * padding[d]} long in dimension "
                f"{2 + d}"
            )
        windows.append(Window(size, kernel[d], stride[d], padding[d], dilation[d], room // stride[d] + 1))
    return tuple(windows)


def fold4d_output_shape(x_shape: Shape, output_size: IntPair, kernel_size: IntPair, options: UnfoldOptions) -> Shape:
    """The shape [N, C, *output_size] of the images that the columns x [N, C * kH * kW, positions] are folded to.

    Raises
    ------
    ShapeError
        If kH * kW does not divide the channels, or the kernel has another number of positions in such an image.
    """
    if len(x_shape) != 3:
        raise ShapeError(f"fold4d: x has {len(x_shape)} dimensions {x_shape}; it needs 3, [N, C * kH * kW, positions]")
    size = per_dimension("fold4d", "output_size", output_size, 2)
    if min(size) < 1:
        raise ShapeError(f"fold4d: output_size={output_size} must be positive")
    windows = unfold4d_windows("fold4d", (*x_shape[:2], *size), kernel_size, options)
    cells, positions = prod(w.kernel for w in windows), prod(w.out for w in windows)
    if x_shape[1] % cells:
        raise ShapeError(
            f"fold4d: x has {x_shape[1]} channels (dimension 1 of {x_shape}), which the {cells} cells of "
            f"kernel_size={kernel_size} do not divide"
        )
    if x_shape[2] != positions:
        raise ShapeError(
            f"fold4d: x has {x_shape[2]} blocks (dimension 2 of {x_shape}), but kernel_size={kernel_size} with "
            f"{options} has {positions} positions in output_size={output_size}"
        )
    return (x_shape[0], x_shape[1] // cells, *size)


def unfold_output_shape(x_shape: Shape, dim: int, size: int, step: int) -> Shape:
    """The shape of the windows of `size` cells, `step` apart, along dimension `dim` of x.

    Raises
    ------
    ShapeError
        If there is no such dimension, or it is shorter than a window.
    """
    rank = len(x_shape)
    if not -rank <= dim < rank:
        raise ShapeError(f"unfold: dim={dim} is none of the {rank} dimensions of x {x_shape}")
    if step < 1:
        raise ShapeError(f"unfold: step={step} must be positive")
    if not 0 <= size <= x_shape[dim]:
        raise ShapeError(
            f"unfold: size={size} must be from 0 to {x_shape[dim]}, the length of dimension {dim} of x {x_shape}"
        )
    axis = dim % rank
    return (*x_shape[:axis], (x_shape[axis] - size) // step + 1, *x_shape[axis + 1 :], size)


# ---------------------------------------------------------------- padding

PAD_MODES = ("constant", "reflect", "edge", "circular")


def pad_pairs(rank: int, padding: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """`padding`, (before, after) for the last dimensions, as such a pair for each of `rank` dimensions."""
    return [(0, 0)] * (rank - len(padding)) + [(before, after) for before, after in padding]


def pad_output_shape(x_shape: Shape, padding: Sequence[tuple[int, int]], mode: str) -> Shape:
    """The shape of x, padded by (before, after) in each of its last dimensions.

    Raises
    ------
    ShapeError
        If there are too many pairs, more is cut off than there is, or `mode` cannot fill so much.
    ValueError
        If there is no such `mode`, or an entry of `padding` is no pair.
    """
    if mode not in PAD_MODES:
        raise ValueError(f"pad: mode must be one of {', '.join(map(repr, PAD_MODES))}, not {mode!r}")
    if any(isinstance(pair, int) or len(pair) != 2 for pair in padding):
        raise ValueError(f"pad: padding={padding} must be pairs (before, after), one for each of the last dimensions")
    if len(padding) > len(x_shape):
        raise ShapeError(f"pad: padding has {len(padding)} pairs but x {x_shape} has {len(x_shape)} dimensions")
    shape = []
    for axis, (size, (before, after)) in enumerate(zip(x_shape, pad_pairs(len(x_shape), padding), strict=True)):
        most, where = max(before, after), f"dimension {axis} of x {x_shape}, which is {size} long"
        if mode == "reflect" and most > 0 and most >= size:
            raise ShapeError(f"pad: reflect padding {(before, after)} must be less than {where}")
        if mode == "edge" and most > 0 and not size:
            raise ShapeError(f"pad: edge padding {(before, after)} has nothing to repeat in {where}")
        if before + size + after < 0:
            raise ShapeError(f"pad: padding {(before, after)} cuts off more than there is in {where}")
        if mode == "circular" and most > size + min(before, 0) + min(after, 0):
            raise ShapeError(f"pad: circular padding {(before, after)} is more than is left of {where}")
        shape.append(before + size + after)
    return tuple(shape)


# ---------------------------------------------------------------- resampling


@lru_cache(maxsize=4096)
def interpolate_resizes(
    op_name: str,
    x_shape: Shape,
    output_size: Shape,
    options: InterpolateOptions,
    grad_shape: Shape | None = None,
) -> tuple[Resize, ...]:
    """What is done to each spatial dimension of x [N, C, ...] that is resized to `output_size`.

    Raises
    ------
    ShapeError
        If a size is 0, or their numbers do not fit; or if `grad_shape` is not that of the output.
    """
    rank = len(x_shape) - 2
    if rank < 1:
        raise ShapeError(f"{op_name}: x has shape {x_shape}; it must be [N, C, ...]")
    sizes = per_dimension(op_name, "output_size", output_size, rank)
    if min(sizes) < 1:
        raise ShapeError(f"{op_name}: output_size={sizes} must be positive")
    if not prod(x_shape[2:]):
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0; there is nothing to resize")
    if grad_shape is not None:
        check_grad(op_name, grad_shape, x_shape, (*x_shape[:2], *sizes))
    scales = (None,) * rank if options.scales is None else options.scales
    if len(scales) != rank:
        raise ShapeError(f"{op_name}: scales={scales} has {len(scales)} entries for {rank} spatial dimensions")
    return tuple(
        Resize(
            size,
            out,
            options.mode,
            options.align_corners,
            options.antialias,
            None if scale is None or _is_plain(size, out, scale, options) else scale,
        )
        for size, out, scale in zip(x_shape[2:], sizes, scales, strict=True)
    )


def _is_plain(size: int, out: int, scale: float, options: InterpolateOptions) -> bool:
    """Whether `scale` says no more than the sizes do, from which positions are exact.

    In these modes PyTorch copies a dimension that keeps its size, whatever its scale.
    """
    copied = options.antialias or options.mode in ("nearest", "linear", "bilinear", "trilinear")
    return size * scale == out or (size == out and copied)


def grid_sample_output_shape(op_name: str, x_shape: Shape, grid_shape: Shape) -> Shape:
    """x [N, C, ...], grid [N, ..., rank] -> [N, C, ...], of the grid's spatial shape; `op_name` ends in the rank."""
    rank = int(op_name.removesuffix("_backward")[-2])
    _check_rank(op_name, x_shape, rank)
    if len(grid_shape) != rank + 2 or grid_shape[-1] != rank:
        raise ShapeError(
            f"{op_name}: grid has shape {grid_shape}; it must have {rank + 2} dimensions, [N, ..., {rank}]"
        )
    if grid_shape[0] != x_shape[0]:
        raise ShapeError(
            f"{op_name}: grid {grid_shape} is for a batch of {grid_shape[0]} (dimension 0) "
            f"but x {x_shape} has {x_shape[0]}"
        )
    if not prod(x_shape[2:]):
        raise ShapeError(f"{op_name}: x {x_shape} has a spatial dimension of size 0; there is nothing to read")
    return (*x_shape[:2], *grid_shape[1:-1])


# ---------------------------------------------------------------- norms


def check_batch_norm(
    op_name: str, x_shape: Shape, gamma_shape: Shape | None, beta_shape: Shape | None, training: bool
) -> None:
    """Refuse shapes that batch norm cannot take; an empty batch is taken.

    Raises
    ------
    ShapeError
        If `x_shape` is not [N, C, ...], gamma or beta is not [C], or a channel has one value in training.
    """
    if len(x_shape) < 2:
        raise ShapeError(f"{op_name}: x has shape {x_shape}; it must be [N, C, ...]")
    for name, shape in (("gamma", gamma_shape), ("beta", beta_shape)):
        if shape is not None and shape != x_shape[1:2]:
            raise ShapeError(
                f"{op_name}: {name} has shape {shape} but x {x_shape} has {x_shape[1]} channels (dimension 1)"
            )
    if training and x_shape[0] * prod(x_shape[2:]) == 1:
        raise ShapeError(f"{op_name}: x {x_shape} has one value a channel; in training a variance needs two")


def check_layer_norm(op_name: str, x_shape: Shape, gamma_shape: Shape | None, beta_shape: Shape | None) -> None:
    """Refuse shapes that layer norm cannot take: gamma and beta are as long as the last dimension of x."""
    if not x_shape:
        raise ShapeError(f"{op_name}: x has shape (); it needs at least one dimension")
    for name, shape in (("gamma", gamma_shape), ("beta", beta_shape)):
        if shape is not None and shape != x_shape[-1:]:
            raise ShapeError(
                f"{op_name}: {name} has shape {shape} but the last dimension of x {x_shape} is {x_shape[-1]}"
            )


# ---------------------------------------------------------------- recurrent networks


def check_recurrent(
    op_name: str,
    gates: int,
    x_shape: Shape,
    states: dict[str, Shape],
    weight_ih_shape: Shape,
    weight_hh_shape: Shape,
    bias_ih_shape: Shape | None,
    bias_hh_shape: Shape | None,
    options: RecurrentOptions,
) -> None:
    """Refuse shapes that a recurrent network cannot take; an empty batch is taken, a sequence without elements is not.

    Parameters
    ----------
    gates
        How many numbers there are for each element of the hidden state: 4 in an LSTM.
    x_shape
        [T, N, d_input], or [sum of batch_sizes, d_input].
    states
        The initial states by name, each [N, d_hidden].
    weight_ih_shape, weight_hh_shape, bias_ih_shape, bias_hh_shape
        [gates d_hidden, d_input], [gates d_hidden, d_hidden], [gates d_hidden] or None, likewise.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    if options.batch_sizes is None:
        if len(x_shape) != 3:
            raise ShapeError(f"{op_name}: x has {len(x_shape)} dimensions {x_shape}; it needs 3, [T, N, d_input]")
        if not x_shape[0]:
            raise ShapeError(f"{op_name}: x {x_shape}, [T, N, d_input], has T = 0; a sequence needs an element")
        batch = x_shape[1]
    else:
        rows = sum(options.batch_sizes)
        if len(x_shape) != 2 or x_shape[0] != rows:
            raise ShapeError(
                f"{op_name}: x has shape {x_shape} but batch_sizes, which sum to {rows}, expect ({rows}, d_input)"
            )
        batch = options.batch_sizes[0]
    _check_recurrent_weights(
        op_name, gates, x_shape, weight_ih_shape, weight_hh_shape, bias_ih_shape, bias_hh_shape, batch, states
    )


def check_recurrent_cell(
    op_name: str,
    gates: int,
    x_shape: Shape,
    states: dict[str, Shape],
    weight_ih_shape: Shape,
    weight_hh_shape: Shape,
    bias_ih_shape: Shape | None,
    bias_hh_shape: Shape | None,
) -> None:
    """Refuse shapes that one step of a recurrent network cannot take: `check_recurrent` for x [N, d_input]."""
    if len(x_shape) != 2:
        raise ShapeError(f"{op_name}: x has {len(x_shape)} dimensions {x_shape}; it needs 2, [N, d_input]")
    _check_recurrent_weights(
        op_name, gates, x_shape, weight_ih_shape, weight_hh_shape, bias_ih_shape, bias_hh_shape, x_shape[0], states
    )


def _check_recurrent_weights(
    op_name: str,
    gates: int,
    x_shape: Shape,
    weight_ih_shape: Shape,
    weight_hh_shape: Shape,
    bias_ih_shape: Shape | None,
    bias_hh_shape: Shape | None,
    batch: int,
    states: dict[str, Shape],
) -> None:
    factor = "" if gates == 1 else f"{gates} "
    if len(weight_hh_shape) != 2 or weight_hh_shape[0] != gates * weight_hh_shape[1]:
        raise ShapeError(f"{op_name}: weight_hh has shape {weight_hh_shape}; it must be [{factor}d_hidden, d_hidden]")
    height, hidden = weight_hh_shape
    if len(weight_ih_shape) != 2 or weight_ih_shape[0] != height:
        raise ShapeError(
            f"{op_name}: weight_ih has shape {weight_ih_shape} but weight_hh {weight_hh_shape}, "
            f"[{factor}d_hidden, d_hidden], expects ({height}, d_input)"
        )
    if x_shape[-1] != weight_ih_shape[1]:
        raise ShapeError(
            f"{op_name}: x has {x_shape[-1]} features (last dimension of {x_shape}) "
            f"but weight_ih {weight_ih_shape}, [{factor}d_hidden, d_input], expects {weight_ih_shape[1]}"
        )
    for name, shape in (("bias_ih", bias_ih_shape), ("bias_hh", bias_hh_shape)):
        if shape is not None and shape != (height,):
            raise ShapeError(f"{op_name}: {name} has shape {shape} but weight_hh {weight_hh_shape} expects ({height},)")
    for name, shape in states.items():
        if shape != (batch, hidden):
            raise ShapeError(
                f"{op_name}: {name} has shape {shape} but a batch of {batch} (x {x_shape}) "
                f"and weight_hh {weight_hh_shape} expect ({batch}, {hidden})"
            )


def check_group_norm(
    op_name: str, x_shape: Shape, num_groups: int | None, gamma_shape: Shape | None, beta_shape: Shape | None
) -> None:
    """Refuse shapes that group norm cannot take, or with None as `num_groups` instance norm.

    Raises
    ------
    ShapeError
        As `check_batch_norm`, and if the channels do not divide into `num_groups`.
    """
    check_batch_norm(op_name, x_shape, gamma_shape, beta_shape, False)
    if num_groups is not None and (num_groups < 1 or x_shape[1] % num_groups):
        raise ShapeError(
            f"{op_name}: x {x_shape} has {x_shape[1]} channels (dimension 1), which num_groups={num_groups} "
            "does not divide"
        )


# ---------------------------------------------------------------- losses


def check_ctc_loss(
    op_name: str,
    log_probs_shape: Shape,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int,
    xp: Namespace,
) -> None:
    """Refuse arguments of ctc_loss whose shapes or dtypes do not fit, or whose blank is no class.

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    TypeError
        If targets or lengths are not integers.
    """
    if len(log_probs_shape) != 3:
        raise ShapeError(f"{op_name}: log_probs have shape {log_probs_shape}; they must be [T, N, C]")
    _, batch, classes = log_probs_shape
    if not 0 <= blank < classes:
        raise ShapeError(f"{op_name}: blank={blank} is none of the {classes} classes of log_probs {log_probs_shape}")
    given = {"targets": (targets, 2), "input_lengths": (input_lengths, 1), "target_lengths": (target_lengths, 1)}
    for name, (array, rank) in given.items():
        shape = tuple(array.shape)
        if not xp.isdtype(array.dtype, "integral"):
            raise TypeError(f"{op_name}: {name} have dtype {array.dtype}; they must be integers")
        if len(shape) != rank:
            raise ShapeError(f"{op_name}: {name} have shape {shape}; they must be [{'N, S' if rank == 2 else 'N'}]")
        if shape[0] != batch:
            raise ShapeError(
                f"{op_name}: {name} {shape} are for a batch of {shape[0]} "
                f"but log_probs {log_probs_shape}, [T, N, C], are for a batch of {batch}"
            )


# ---------------------------------------------------------------- attention


@lru_cache(maxsize=4096)
def attention_output_shape(
    op_name: str,
    query_shape: Shape,
    key_shape: Shape,
    value_shape: Shape,
    mask_shape: Shape | None,
    bias_shape: Shape | None,
) -> Shape:
    """query [B, H, Sq, D], key [B, Hk, Sk, D], value [B, Hk, Sk, Dv] -> [B, H, Sq, Dv]

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    layouts = {"query": "[B, H, Sq, D]", "key": "[B, Hk, Sk, D]", "value": "[B, Hk, Sk, Dv]"}
    shapes = {"query": query_shape, "key": key_shape, "value": value_shape}
    for name, shape in shapes.items():
        if len(shape) != 4:
            raise ShapeError(f"{op_name}: {name} has {len(shape)} dimensions {shape}; it needs 4, {layouts[name]}")
    batch, heads, queries = query_shape[:3]
    key_heads, keys = key_shape[1:3]
    for name, other, axis, what in (
        ("key", "query", 0, "batch size"),
        ("key", "query", 3, "width"),
        ("value", "key", 0, "batch size"),
        ("value", "key", 1, "number of heads"),
        ("value", "key", 2, "number of keys"),
    ):
        if shapes[name][axis] != shapes[other][axis]:
            raise ShapeError(
                f"{op_name}: {name} {shapes[name]}, {layouts[name]}, must have the {what} (dimension {axis}) "
                f"of {other} {shapes[other]}, {shapes[other][axis]}"
            )
    if heads != key_heads and (not key_heads or heads % key_heads):
        raise ShapeError(
            f"{op_name}: key {key_shape} has {key_heads} heads (dimension 1), which must divide the {heads} heads "
            f"of query {query_shape}"
        )
    for name, given in (("mask", mask_shape), ("attn_bias", bias_shape)):
        if given is not None and not (
            len(given) == 4 and given[0] in (1, batch) and given[1] in (1, heads) and given[2:] == (queries, keys)
        ):
            raise ShapeError(
                f"{op_name}: {name} has shape {given}; for query {query_shape} and key {key_shape} it must be "
                f"[1 or {batch}, 1 or {heads}, {queries}, {keys}]: [1 or B, 1 or H, Sq, Sk]"
            )
    return (batch, heads, queries, value_shape[3])


def _check_weight(op_name: str, x_shape: Shape, weight_shape: Shape, layout: str, groups: int) -> None:
    """What holds for the weight of every convolution."""
    rank = len(x_shape) - 2
    if len(weight_shape) != rank + 2:
        raise ShapeError(
            f"{op_name}: weight has {len(weight_shape)} dimensions {weight_shape}; "
            f"for x {x_shape} it needs {rank + 2}, {layout}"
        )
    if weight_shape[0] % groups:
        raise ShapeError(
            f"{op_name}: dimension 0 of weight {weight_shape}, {layout}, is {weight_shape[0]}, "
            f"which groups={groups} does not divide"
        )
    if 0 in weight_shape[2:]:
        raise ShapeError(f"{op_name}: weight {weight_shape} has a kernel with no cells")


def _check_rank(op_name: str, x_shape: Shape, rank: int) -> None:
    if len(x_shape) != rank + 2:
        axes = ", ".join(["N", "C", *"DHW"[-rank:]])
        raise ShapeError(f"{op_name}: x has {len(x_shape)} dimensions {x_shape}; it needs {rank + 2}, [{axes}]")
