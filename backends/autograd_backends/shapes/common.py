"""What several families of ops refuse."""

from __future__ import annotations

from ..array_types import Shape
from ..errors import ShapeError

__all__ = ["check_argument", "check_output_grad", "check_rank"]


def check_output_grad(op_name: str, given: Shape, expected: Shape) -> None:
    """Refuse a gradient whose shape, `given`, is not that of the output, `expected`."""
    if given != expected:
        raise ShapeError(f"{op_name}: the gradient has shape {given} but the other arguments make it {expected}")


def check_argument(op_name: str, argument: str, given: Shape | None, expected: Shape, of: str) -> None:
    """Refuse an `argument`, if there is one, whose shape is not the `expected` one, which follows from `of`."""
    if given is not None and given != expected:
        raise ShapeError(f"{op_name}: {argument} has shape {given} but {of} expects {expected}")


def check_rank(op_name: str, x_shape: Shape, rank: int) -> None:
    if len(x_shape) != rank + 2:
        axes = ", ".join(["N", "C", *"DHW"[-rank:]])
        hint = "; add one of length 1, as with x.unsqueeze(1)" if len(x_shape) == rank + 1 else ""
        raise ShapeError(f"{op_name}: x has {len(x_shape)} dimensions {x_shape}; it needs {rank + 2}, [{axes}]{hint}")
