"""Tensors made at random, for tests."""

from __future__ import annotations

from typing import Any

from ..dtypes import as_dtype
from ..random import rand, randint
from ..tensor import Tensor

__all__ = ["make_tensor"]


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: str | None = None,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Numbers drawn evenly from [low, high): by default [-9, 9), of unsigned integers [0, 9), and bools.

    Parameters
    ----------
    *shape
        Ints, or one sequence of them.
    dtype, device, requires_grad
        Of the Tensor.
    low, high
        The bounds.
    noncontiguous
        Whether its memory has gaps.
    exclude_zero
        Whether 0 becomes the smallest number above it, for integers 1.
    memory_format
        Accepted for PyTorch's sake; does nothing.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.testing.make_tensor((2, 3), dtype=ag.float64, device="cpu").shape
    Size([2, 3])
    """
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and size:
        size = (*size[:-1], 2 * size[-1])
    wanted = as_dtype(dtype)
    if wanted.kind == "bool":
        made = randint(0, 2, size, device=device).to(wanted)
    elif wanted.kind in ("int", "uint"):
        low = (0 if wanted.kind == "uint" else -9) if low is None else low
        made = randint(int(low), int(9 if high is None else high), size, device=device).to(wanted)
    else:
        low, high = -9.0 if low is None else low, 9.0 if high is None else high
        made = (rand(size, device=device, dtype="float64") * (high - low) + low).to(wanted)
        if wanted.kind == "complex":
            made = made + 1j * (rand(size, device=device, dtype="float64") * (high - low) + low).to(wanted)
    if exclude_zero:
        made = made.masked_fill(made == 0, 1)
    if noncontiguous and size:
        made = made[..., ::2]
    return made.requires_grad_() if requires_grad else made
