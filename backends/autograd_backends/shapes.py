"""The shapes that module ops take and give, and what is wrong with the shapes that they refuse.

Pure arithmetic on tuples of ints. Every ``*_output_shape`` function checks its arguments first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from .array_types import Array, Namespace, Shape
from .errors import ShapeError
from .options import ConvOptions, RecurrentOptions, per_dimension
from .windows import Window

__all__ = [
    "adaptive_pool_output_shape",
    "check_batch_norm",
    "check_grad",
    "check_layer_norm",
    "check_planes",
    "check_recurrent",
    "check_recurrent_cell",
    "conv_output_shape",
    "conv_windows",
    "embedding_output_shape",
    "linear_output_shape",
    "pad_output_shape",
    "pad_pairs",
    "pool_output_shape",
    "pool_windows",
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
    if len(weight_shape) != rank + 2:
        raise ShapeError(
            f"{op_name}: weight has {len(weight_shape)} dimensions {weight_shape}; "
            f"for x {x_shape} it needs {rank + 2}, [C_out, C_in / groups, ...]"
        )
    groups = options.groups
    if x_shape[1] != weight_shape[1] * groups:
        raise ShapeError(
            f"{op_name}: x has {x_shape[1]} channels (dimension 1 of {x_shape}) "
            f"but weight {weight_shape} with groups={groups} expects {weight_shape[1] * groups}"
        )
    if weight_shape[0] % groups:
        raise ShapeError(
            f"{op_name}: weight has {weight_shape[0]} output channels (dimension 0 of {weight_shape}), "
            f"which groups={groups} does not divide"
        )
    if bias_shape is not None and bias_shape != weight_shape[:1]:
        raise ShapeError(f"{op_name}: bias has shape {bias_shape} but weight {weight_shape} expects {weight_shape[:1]}")
    if 0 in weight_shape[2:]:
        raise ShapeError(f"{op_name}: weight {weight_shape} has a kernel with no cells")
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
def conv_windows(x_spatial: Shape, kernel: Shape, out: Shape, options: ConvOptions) -> tuple[Window, ...]:
    """The kernel's positions in each spatial dimension, for shapes that ``conv_output_shape`` has passed."""
    rank = len(kernel)
    stride = per_dimension("conv", "stride", options.stride, rank)
    dilation = per_dimension("conv", "dilation", options.dilation, rank)
    before = [pair[0] for pair in options.padding_pairs("conv", rank)]
    return tuple(Window(x_spatial[d], kernel[d], stride[d], before[d], dilation[d], out[d]) for d in range(rank))


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


def _check_rank(op_name: str, x_shape: Shape, rank: int) -> None:
    if len(x_shape) != rank + 2:
        axes = ", ".join(["N", "C", *"DHW"[-rank:]])
        raise ShapeError(f"{op_name}: x has {len(x_shape)} dimensions {x_shape}; it needs {rank + 2}, [{axes}]")
