"""Copies and pickles of Tensors, in which those that share memory still do.

A Tensor goes as the memory that it is a window on, and where in it. There is one `Memory` object of each memory, and
``pickle`` and ``deepcopy`` take an object that they meet again as the same: so tied weights stay tied, and views views.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from weakref import WeakValueDictionary

from autograd_backends import kernels, namespace

from ..arrays import move
from ..tape import TapeError
from ..tensor import Tensor

__all__ = ["deep_copy", "reduced", "shallow_copy"]


class Memory:
    """An array that owns memory, and the version that all Tensors made of it here share."""

    __slots__ = ("__weakref__", "owner", "version")

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.version: list[Any] = [0]

    def __deepcopy__(self, memo: dict[int, Any]) -> Memory:
        return Memory(namespace(self.owner).asarray(self.owner, copy=True))

    def __reduce__(self) -> tuple[Any, ...]:
        backend = kernels(self.owner)
        return _memory, (backend.to_host(self.owner), str(backend.device_of(self.owner)))

    def tensor(self, cls: type[Tensor], where: Any, requires_grad: bool) -> Tensor:
        """The Tensor that is the window `where` on it."""
        tensor = cls.__new__(cls)
        Tensor.__init__(tensor, kernels(self.owner).window(self.owner, where), requires_grad=requires_grad)
        tensor.version = self.version
        return tensor


#: The Memory of each owner that is being copied or pickled, by the owner's id; a Memory keeps its owner alive.
_memories: WeakValueDictionary[int, Memory] = WeakValueDictionary()


def _memory(host: Any, device: str) -> Memory:
    return Memory(move(host, None, device))


def _place(tensor: Tensor) -> tuple[Memory, Any]:
    """The memory of `tensor`, and where in it."""
    owner, where = kernels(tensor.array).memory(tensor.array)
    memory = _memories.get(id(owner))
    if memory is None:
        memory = _memories[id(owner)] = Memory(owner)
    return memory, where


def _refuse_recorded(tensor: Tensor, verb: str) -> None:
    if not tensor.is_leaf:
        raise TapeError(
            f"{verb}: this tensor was made by a recorded op, so a copy has no place on the tape; {verb} its detach()"
        )


def deep_copy(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """What ``copy.deepcopy`` gives: with its gradient, and as PyTorch only of a leaf."""
    _refuse_recorded(tensor, "deepcopy")
    memory, where = _place(tensor)
    copied = deepcopy(memory, memo).tensor(type(tensor), where, tensor.requires_grad)
    memo[id(tensor)] = copied
    vars_of(copied).update(deepcopy(vars_of(tensor), memo))
    if tensor.grad is not None:
        copied.grad = deepcopy(tensor.grad.detach(), memo)
    return copied


def shallow_copy(tensor: Tensor) -> Tensor:
    """What ``copy.copy`` gives: another Tensor of the same memory, without its gradient."""
    _refuse_recorded(tensor, "copy")
    copied = type(tensor).__new__(type(tensor))
    Tensor.__init__(copied, tensor.array, requires_grad=tensor.requires_grad)
    copied.version = tensor.version
    vars_of(copied).update(vars_of(tensor))
    return copied


def reduced(tensor: Tensor) -> tuple[Any, ...]:
    """What ``pickle`` writes: without its gradient, as PyTorch."""
    _refuse_recorded(tensor, "pickle")
    memory, where = _place(tensor)
    return _rebuilt, (memory, type(tensor), where, tensor.requires_grad), vars_of(tensor) or None


def _rebuilt(memory: Memory, cls: type[Tensor], where: Any, requires_grad: bool) -> Tensor:
    return memory.tensor(cls, where, requires_grad)


def vars_of(tensor: Tensor) -> dict[str, Any]:
    """The attributes of a Tensor of a user's subclass; Tensors themselves have no room for any."""
    return getattr(tensor, "__dict__", {})
