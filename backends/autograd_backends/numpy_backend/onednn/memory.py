"""How arrays are told to oneDNN: where their data is, and descriptors of how it lies there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_void_p
from math import prod
from typing import Any

import numpy as np

from ...array_types import Array, Shape
from .constants import TAG_ANY, TYPES
from .library import Library

__all__ = ["FLOAT32", "Handle", "Operand", "Refused", "address", "any_layout", "dense_strides", "dims", "in_order"]

FLOAT32 = np.dtype(np.float32)


class Refused(Exception):
    """oneDNN cannot do this, or not fast: NumPy does."""


def _address_by_layout(array: Array) -> c_void_p:
    """Where the first element is: the field of NumPy's object that says so, which costs a fifth of asking for it."""
    return c_void_p.from_address(id(array) + 16)


def _address_by_interface(array: Array) -> c_void_p:
    """Where the first element is, asked of NumPy."""
    return c_void_p(array.__array_interface__["data"][0])


def _layout_is_known() -> bool:
    """Whether NumPy's object is, in this interpreter, what `_address_by_layout` takes it for."""
    base = np.zeros((3, 5), np.float32)
    arrays = (base, base[1:], base[:, 2:], base.T, base[2, 3:])
    return object.__basicsize__ == 16 and all(
        _address_by_layout(a).value == a.__array_interface__["data"][0] for a in arrays
    )


address: Callable[[Array], c_void_p] = _address_by_layout if _layout_is_known() else _address_by_interface


class Handle:
    """One of oneDNN's objects, which dies with this one. ctypes takes it for the pointer that it holds."""

    __slots__ = ("_as_parameter_", "_destroy")

    def __init__(self, destroy: Callable[[c_void_p], Any]) -> None:
        self._as_parameter_ = c_void_p()
        self._destroy = destroy

    @property
    def place(self) -> Any:
        """Where a function of oneDNN is to write the pointer."""
        return byref(self._as_parameter_)

    def __del__(self) -> None:
        if self._as_parameter_:
            self._destroy(self._as_parameter_)


def dims(sizes: tuple[int, ...]) -> Any:
    """Sizes, strides, dilations or padding as oneDNN takes them: an array of C's int64."""
    return (ctypes.c_int64 * 12)(*sizes)


def dense_strides(shape: Shape) -> tuple[int, ...]:
    """The strides, in elements, of an array of `shape` laid out in order."""
    return tuple(prod(shape[d + 1 :]) for d in range(len(shape)))


def in_order(operand: Operand) -> Operand:
    """`operand`, which is laid out in order: some implementations take a bias to be, whatever its descriptor says.

    Raises
    ------
    Refused
        If it is not.
    """
    if operand.strides != _tidied(operand.shape, dense_strides(operand.shape)):
        raise Refused(f"strides {operand.strides} of {operand.shape}")
    return operand


def any_layout(lib: Library, *shape: int) -> Handle:
    """A descriptor of float32 numbers of `shape` that leaves their layout to the primitive."""
    handle = Handle(lib.memory_desc_destroy)
    if lib.memory_desc_create_with_tag(handle.place, len(shape), dims(shape), TYPES[FLOAT32], TAG_ANY):
        raise Refused(f"a descriptor of shape {shape}")
    return handle


class Operand:
    """What a primitive reads or writes: an array of the caller's, or memory of the plan's own.

    ctypes takes it for its descriptor.

    Attributes
    ----------
    place
        Which of the caller's arrays it is; None for memory of the plan's own.
    offset
        Where in the arena memory of the plan's own begins.
    shape, strides
        Of the caller's array, strides in elements. Memory of the plan's own has oneDNN's layout, and neither.
    desc
        oneDNN's descriptor.
    """

    __slots__ = ("_as_parameter_", "_code", "_lib", "desc", "offset", "place", "shape", "strides")

    def __init__(self, lib: Library, desc: Handle, place: int | None, offset: int = 0) -> None:
        self._lib, self.desc, self.place, self.offset = lib, desc, place, offset
        self._as_parameter_ = desc._as_parameter_
        self._code = TYPES[FLOAT32]
        self.shape: Shape = ()
        self.strides: tuple[int, ...] = ()

    @classmethod
    def of_array(cls, lib: Library, place: int, shape: Shape, strides: tuple[int, ...], code: int) -> Operand:
        """The caller's array number `place`.

        Raises
        ------
        Refused
            If it has no elements or no dimensions, or strides that are negative or repeat elements.
        """
        strides = _tidied(shape, strides)
        if not shape or len(shape) > 12 or min(shape) < 1 or min(strides) < 1:
            raise Refused(f"an array of shape {shape} and strides {strides}")
        desc = Handle(lib.memory_desc_destroy)
        if lib.memory_desc_create_with_strides(desc.place, len(shape), dims(shape), code, dims(strides)):
            raise Refused(f"an array of shape {shape} and strides {strides}")
        operand = cls(lib, desc, place)
        operand.shape, operand.strides, operand._code = shape, strides, code
        return operand

    def seen_as(self, *shape: int, strides: tuple[int, ...] | None = None) -> Operand:
        """The same array with other dimensions: laid out in order, unless strides, in elements, are given.

        Nothing checks that these are elements of the array: the caller answers for it.
        """
        assert self.place is not None
        return Operand.of_array(self._lib, self.place, shape, strides or dense_strides(shape), self._code)


def _tidied(shape: Shape, strides: tuple[int, ...]) -> tuple[int, ...]:
    """`strides` with steps that oneDNN takes for dimensions of size 1, where NumPy's say nothing.

    Its products look for a dimension of stride 1, and want the others to step over all of that.
    """
    unit = any(step == 1 and n > 1 for n, step in zip(shape, strides, strict=True))
    tidied: list[int] = []
    beyond = 1
    for n, step in zip(reversed(shape), reversed(strides), strict=True):
        if n == 1:
            step = beyond if unit or not tidied else 1
        tidied.append(step)
        beyond = n * step
    return tuple(reversed(tidied))
