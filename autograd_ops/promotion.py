"""Broadcasting and promotion: how the inputs of an op come to one dtype, and how gradients go back to each one's.

Arrays promote as the array API standard says, whatever their rank. Python numbers are weak: they take the dtype of
the arrays beside them. Where the standard leaves it open, an integer with a float gives the float's dtype, and a
function of real numbers makes integers the default float dtype first.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from autograd_backends import Backend, is_array, kernels, scalar_to_array

from .dtypes import bool_, complex64, complex128, dtype_of, float64, get_default_dtype, int64, native_dtype
from .errors import refuse_mixed_devices

if TYPE_CHECKING:
    from .dtypes import DType
    from .registry import Op

__all__ = [
    "KIND_ORDER",
    "NUMBERS",
    "NUMBER_ORDER",
    "PYTHON_NUMBERS",
    "align",
    "common_dtype",
    "shape_of",
    "to_floating",
]

#: Python numbers that any float array takes as they are.
NUMBERS = frozenset((float, int))

#: All that has no dtype of its own.
PYTHON_NUMBERS = frozenset((bool, int, float, complex))

#: Kinds of Python numbers, and of dtypes, each of which holds those before it.
NUMBER_ORDER = {bool: 0, int: 1, float: 2, complex: 3}
KIND_ORDER = {"bool": 0, "uint": 1, "int": 1, "float": 2, "complex": 3}


def align(op: Op, *arrays: Any) -> list[Any]:
    """Bring the inputs of `op` to one dtype. Python numbers and ``None`` stay as they are.

    Raises
    ------
    DeviceError
        If they are on two devices.
    TypeError
        If one is neither an array nor a number, or none is an array.
    """
    aligned = list(arrays)
    lead = next(
        (a for a in arrays if type(a) not in NUMBER_ORDER and type(a) not in scalar_to_array and is_array(a)), None
    )
    number = -1
    for i, a in enumerate(arrays):
        kind = type(a)
        if kind in scalar_to_array:
            if lead is None:
                aligned[i] = lead = scalar_to_array[kind](a)
            else:
                aligned[i] = a.item()
                number = max(number, NUMBER_ORDER[type(aligned[i])])
        elif kind in NUMBER_ORDER:
            number = max(number, NUMBER_ORDER[kind])
        elif not is_array(a) and not (a is None and op.takes_none):
            raise TypeError(
                f"{op.name}: expected a Tensor, an array or a number, got {'None' if a is None else kind.__name__}"
            )
    if lead is None:
        raise TypeError(f"{op.name}: expected a Tensor or an array among its arguments, got only numbers")
    with_dtype = [a for a in aligned if a is not None and type(a) not in NUMBER_ORDER]
    if any(type(a) is not type(lead) for a in with_dtype) or len(with_dtype) > 1:
        refuse_mixed_devices(op, with_dtype)
    backend = kernels(lead)
    common = common_dtype(backend, tuple([a.dtype for a in with_dtype]), number, op.floating, get_default_dtype())
    astype = backend.xp.astype
    for i, a in enumerate(aligned):
        if type(a) is bool and common != backend.xp.bool:
            aligned[i] = int(a)  # the standard has bools beside bool arrays only
        elif a is not None and type(a) not in NUMBER_ORDER and a.dtype != common:
            aligned[i] = astype(a, common)
    return aligned


def to_floating(op: Op, array: Any) -> Any:
    """`array`, made of the default float dtype if it is of integers or bools.

    Raises
    ------
    TypeError
        If it is no array.
    """
    (aligned,) = align(op, array)
    return aligned


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of an array or a Python number; ``None`` of ``None``."""
    return None if value is None else tuple(getattr(value, "shape", ()))


@cache
def common_dtype(backend: Backend, natives: tuple[Any, ...], number: int, floating: bool, default: DType) -> Any:
    """The dtype that arrays of `natives` and a number of order `number` meet in."""
    common = dtype_of(backend, natives[0])
    for native in natives[1:]:
        common = _meet(backend, common, dtype_of(backend, native))
    order = KIND_ORDER[common.kind]
    if number > order or (floating and order < 2):
        kind = max(number, 2 if floating else 0, order)
        if kind == 3:
            parts = common if order == 2 else default
            common = complex128 if parts is float64 else complex64
        else:
            common = default if kind == 2 else int64
    return native_dtype(backend, common)


def _meet(backend: Backend, a: DType, b: DType) -> DType:
    if a is b or b is bool_:
        return a
    if a is bool_:
        return b
    orders = KIND_ORDER[a.kind], KIND_ORDER[b.kind]
    if 1 in orders and max(orders) > 1:  # an integer beside a float or complex
        return a if orders[0] > orders[1] else b
    return dtype_of(backend, backend.xp.result_type(native_dtype(backend, a), native_dtype(backend, b)))
