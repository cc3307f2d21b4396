"""What recurrent networks refuse."""

from __future__ import annotations

from ..array_types import Shape
from ..errors import ShapeError
from ..options import (
    RecurrentOptions,
)

__all__ = ["check_recurrent", "check_recurrent_cell"]


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
