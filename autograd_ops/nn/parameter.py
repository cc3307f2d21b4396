"""Parameter and Buffer: Tensors that a Module registers when they become attributes of it."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A Tensor to be learned: assigned to an attribute of a `Module`, it is one of the module's parameters.

    Parameters
    ----------
    data
        A Tensor, whose memory the parameter shares, or what ``Tensor`` takes.
    requires_grad
        Whether backward leaves a gradient here; True, other than for a Tensor.

    Raises
    ------
    TypeError
        If `requires_grad` and `data` is of integers or bools.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Parameter(ag.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    __slots__ = ()

    def __init__(self, data: Any = (), requires_grad: bool = True) -> None:
        super().__init__(data, requires_grad=requires_grad)
        if isinstance(data, Tensor):
            self.version = data.version


class Buffer(Tensor):
    """A Tensor that moves and is saved with a module: assigned to an attribute of a `Module`, it is a buffer of it.

    Parameters
    ----------
    data
        A Tensor, whose memory the buffer shares, or what ``Tensor`` takes.
    persistent
        Whether it is part of the module's ``state_dict``.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> module = ag.nn.Module()
    >>> module.mean = ag.nn.Buffer(ag.zeros(2))
    >>> list(module.state_dict())
    ['mean']
    """

    __slots__ = ("persistent",)

    def __init__(self, data: Any = (), *, persistent: bool = True) -> None:
        super().__init__(data)
        if isinstance(data, Tensor):
            self.version = data.version
        self.persistent = persistent

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        copied = super().__deepcopy__(memo)
        copied.persistent = self.persistent  # type: ignore[attr-defined]
        return copied
