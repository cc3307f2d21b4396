"""Parameters and buffers whose shapes are not known yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ..creation import empty
from ..tensor import Tensor
from .parameter import Buffer, Parameter

__all__ = ["UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class _Uninitialized(Tensor):
    """What both share: no shape, until `materialize` makes one of the usual kind of the same object."""

    __slots__ = ()

    @property
    def shape(self) -> NoReturn:
        """Not known yet.

        Raises
        ------
        RuntimeError
            Always.
        """
        raise RuntimeError(
            f"this {type(self).__name__} has no shape yet: call the module once, on an input, before using it"
        )

    def materialize(self, shape: Sequence[int], device: str | None = None, dtype: Any = None) -> None:
        """Become an ordinary one of this shape, whose values may be anything."""
        device = self.device if device is None else device
        dtype = self.dtype if dtype is None else dtype
        self.__class__ = Parameter if isinstance(self, Parameter) else Buffer  # type: ignore[assignment]
        self.data = empty(tuple(shape), device=device, dtype=dtype)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(_Uninitialized, Parameter):
    """A Parameter without a shape; a lazy module gives it one when it first sees an input.

    Parameters
    ----------
    requires_grad
        As of `Parameter`.
    device, dtype
        Of the parameter.
    """

    __slots__ = ()

    def __init__(self, requires_grad: bool = True, device: str | None = None, dtype: Any = None) -> None:
        Parameter.__init__(self, empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(_Uninitialized, Buffer):
    """A Buffer without a shape."""

    __slots__ = ()

    def __init__(
        self, requires_grad: bool = False, device: str | None = None, dtype: Any = None, persistent: bool = True
    ) -> None:
        Buffer.__init__(self, empty(0, device=device, dtype=dtype), persistent=persistent)

    def to(self, *args: Any, **kwargs: Any) -> UninitializedBuffer:
        """As of `Tensor`: one of that device and dtype, without a shape still."""
        moved = self.data.to(*args, **kwargs)
        return UninitializedBuffer(device=moved.device, dtype=moved.dtype, persistent=self.persistent)


def is_lazy(tensor: Any) -> bool:
    """Whether it has no shape yet."""
    return isinstance(tensor, _Uninitialized)
