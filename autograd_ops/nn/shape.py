"""Changes of shape as modules."""

from __future__ import annotations

from collections.abc import Sequence

from ..dims import axis_of
from ..tensor import Tensor
from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """The dimensions from `start_dim` to `end_dim` made one; by default all but the first.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Flatten()(ag.ones(2, 3, 4)).shape
    Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """`input`, flattened."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Which dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Dimension `dim` made several, of lengths `unflattened_size`; one of these may be -1.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Unflatten(1, (3, 4))(ag.ones(2, 12)).shape
    Size([2, 3, 4])
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """`input`, unflattened."""
        axis = axis_of("Unflatten", self.dim, input.ndim)
        shape = tuple(input.shape)
        return input.reshape(*shape[:axis], *self.unflattened_size, *shape[axis + 1 :])

    def extra_repr(self) -> str:
        """Which dimension, and its new lengths."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
