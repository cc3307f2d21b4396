"""Parameter: a Tensor that a Module registers when it becomes an attribute of it."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor

__all__ = ["Parameter"]


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
