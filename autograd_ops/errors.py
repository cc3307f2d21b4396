"""Errors that say which op, which arguments, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from autograd_backends import DeviceError, ShapeError, device_of, dtype_name, is_array, kernels, scalar_to_array

from .tape import Step, TapeError

if TYPE_CHECKING:
    from .registry import Op

__all__ = ["changed", "complex_refused", "explain", "refuse_mixed_devices", "work_beside"]


def explain(op: Op, error: Exception, arguments: Sequence[Any]) -> Exception:
    """What to raise when `op`, called with `arguments`, raised `error`: the same kind, with the op and operands named.

    Of an argument that has not what it was asked for, as a list has no dtype, it is a TypeError.
    """
    # Imported here, as most programs never come here.
    from .refusals import refusal, wrong_class

    given = dict(zip(op.forward.__code__.co_varnames, arguments, strict=False))
    if isinstance(error, AttributeError):
        refused = wrong_class(op.name, error, given)
        if refused is not None:
            return refused
    arrays = [getattr(value, "array", value) for value in _inputs(op, given)]
    refuse_mixed_devices(op, arrays)
    # NumPy says axis, and it is in Tensors that these are counted.
    said = re.sub(r"(for|has) axis (?=-?\d)", r"\1 dimension ", str(error))
    if isinstance(error, ShapeError) or said.startswith(f"{op.name}:"):
        return error
    shapes = [tuple(a.shape) for a in arrays if is_array(a)]
    if isinstance(error, (ValueError, IndexError, TypeError)):
        operands = " and ".join(str(shape) for shape in shapes)
        kind = next(k for k in (ValueError, IndexError, TypeError) if isinstance(error, k))
        if op.broadcast and isinstance(error, ValueError) and len(shapes) > 1:
            from autograd_backends.shapes import broadcast_hint  # not before it is needed: most programs never do

            return ShapeError(
                f"{op.name}: shapes {operands} do not broadcast: {_clash(shapes)}{broadcast_hint(tuple(shapes))}"
            ).with_traceback(error.__traceback__)
        return kind(f"{op.name}: {said}" + (f" (operands of shape {operands})" if shapes else "")).with_traceback(
            error.__traceback__
        )
    if isinstance(error, (MemoryError, OverflowError)):
        return refusal(op.name, error, given)
    error.add_note(f"raised by op {op.name}")
    return error


def _inputs(op: Op, arguments: Mapping[str, Any]) -> Iterator[Any]:
    """Those of the arguments that are inputs, one after the other."""
    for i in op.inputs:
        value = arguments[i.name]
        if i.kind == "arrays":
            yield from value if isinstance(value, (list, tuple)) else ()
        elif i.kind != "shape":
            yield value


def complex_refused(op: Op, array: Any) -> TypeError:
    """The error for an op that takes no complex numbers."""
    return TypeError(
        f"{op.name}: not implemented for complex numbers, and these are {dtype_name(array)}; "
        "take their size with .abs(), or .real and .imag"
    )


def _clash(shapes: Sequence[tuple[int, ...]]) -> str:
    """Which dimension, counted from the last as broadcasting does, does not fit."""
    for axis in range(1, max(map(len, shapes)) + 1):
        sizes = sorted({shape[-axis] for shape in shapes if len(shape) >= axis} - {1})
        if len(sizes) > 1:
            return f"dimension {-axis} is {' in one and '.join(map(str, sizes))} in another, and neither is 1"
    return "their dimensions differ"


def refuse_mixed_devices(op: Op, arrays: Sequence[Any]) -> None:
    """Raise if two of `arrays` are on different devices.

    Raises
    ------
    DeviceError
        Naming the op, both devices and the fix.
    """
    devices = [device_of(a) for a in _placed(arrays)]
    for other in devices[1:]:
        if other != devices[0]:
            raise DeviceError(
                f"{op.name}: operands are on two devices, {str(devices[0])!r} and {str(other)!r}; "
                f"move one of them first, as with x.to({str(devices[0])!r})"
            )


def work_beside(op: Op, arrays: Sequence[Any]) -> None:
    """Refuse `arrays` of two devices, and let the op work where they are.

    Raises
    ------
    DeviceError
        As `refuse_mixed_devices`.
    """
    refuse_mixed_devices(op, arrays)
    for array in _placed(arrays)[:1]:
        kernels(array).make_current(array)


def _placed(arrays: Sequence[Any]) -> list[Any]:
    """What is on a device: arrays, but no scalars of NumPy's, which go with any."""
    return [a for a in arrays if type(a) not in scalar_to_array and is_array(a)]


def changed(op: Step, name: str, version: Sequence[Any]) -> TapeError:
    """The error for a value that was changed in place between the forward of `op` and its backward."""
    what = "its output" if name == "out" else f"its {name!r}"
    by, code, line = version[1:4] if len(version) > 1 else ("an in-place op", None, None)
    where = f" at {code.co_filename}:{line}" if code is not None else ""
    return TapeError(
        f"backward of {op.name} needs {what} as it was in forward, but {by}{where} has since changed it in place: "
        "use the out-of-place form there, or change a clone()"
    )
