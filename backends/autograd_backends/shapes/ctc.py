"""What the CTC loss refuses."""

from __future__ import annotations

from ..array_types import Array, Namespace, Shape
from ..errors import ShapeError
from ..lookup import dtype_name

__all__ = ["check_ctc_loss"]


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
    if not hasattr(blank, "__index__"):
        raise TypeError(f"{op_name}: blank={blank!r} is not an int")
    if not 0 <= blank < classes:
        raise ShapeError(f"{op_name}: blank={blank} is none of the {classes} classes of log_probs {log_probs_shape}")
    given = {"targets": (targets, 2), "input_lengths": (input_lengths, 1), "target_lengths": (target_lengths, 1)}
    for name, (array, rank) in given.items():
        shape = tuple(array.shape)
        if not xp.isdtype(array.dtype, "integral"):
            raise TypeError(f"{op_name}: {name} have dtype {dtype_name(array)}; they must be integers")
        if len(shape) != rank:
            raise ShapeError(f"{op_name}: {name} have shape {shape}; they must be [{'N, S' if rank == 2 else 'N'}]")
        if shape[0] != batch:
            raise ShapeError(
                f"{op_name}: {name} {shape} are for a batch of {shape[0]} "
                f"but log_probs {log_probs_shape}, [T, N, C], are for a batch of {batch}"
            )
