"""What einops does with Tensors: its ``rearrange``, ``reduce``, ``repeat``, ``einsum``, ``pack`` and ``unpack``.

einops finds the functions for a type among the subclasses of its ``AbstractBackend``. This one is imported right after
einops, or with this library if einops came first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from einops._backends import AbstractBackend

from . import array_api, functions
from .creation import arange, from_numpy
from .tensor import Tensor

__all__ = ["TensorBackend"]


class TensorBackend(AbstractBackend):
    """einops for Tensors, in functions of the array API."""

    framework_name = "autograd_ops"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether it is for a value of this type."""
        return isinstance(tensor, Tensor)

    def from_numpy(self, x: Any) -> Tensor:
        """A Tensor of a NumPy array."""
        return from_numpy(x)

    def to_numpy(self, x: Tensor) -> Any:
        """The NumPy array of a Tensor, without its history."""
        return x.detach().cpu().numpy()

    def arange(self, start: int, stop: int) -> Tensor:
        """The integers from `start` up to but without `stop`."""
        return arange(start, stop)

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """The dimensions in the order of `axes`."""
        return array_api.permute_dims(x, tuple(axes))

    def reduce(self, x: Tensor, operation: str, axes: Sequence[int]) -> Tensor:
        """``min``, ``max``, ``sum``, ``mean``, ``prod``, ``any`` or ``all`` over `axes`."""
        return getattr(array_api, operation)(x, axis=tuple(axes))

    def stack_on_zeroth_dimension(self, tensors: list[Tensor]) -> Tensor:
        """Side by side along a new first dimension."""
        return array_api.stack(tensors)

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        """With a new dimension of length 1."""
        return array_api.expand_dims(x, new_position)

    def add_axes(self, x: Tensor, n_axes: int, pos2len: dict[int, int]) -> Tensor:
        """With new dimensions at these places, stretched to these lengths without a copy."""
        for place in pos2len:
            x = self.add_axis(x, place)
        return functions.expand(x, *[pos2len.get(i, -1) for i in range(n_axes)])

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        """Copies side by side."""
        return array_api.tile(x, tuple(repeats))

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        """One after the other along `axis`."""
        return array_api.concat(tensors, axis=axis)

    def is_float_type(self, x: Tensor) -> bool:
        """Whether means can be taken."""
        return x.dtype.is_floating_point

    def einsum(self, pattern: str, *x: Tensor) -> Tensor:
        """The sum of products that `pattern` describes."""
        return functions.einsum(pattern, *x)
