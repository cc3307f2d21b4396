"""NumPy's functions called with Tensors: ``np.sin(x)``, ``np.add(a, x)``, ``np.mean(x)``, ``a * x`` of an array a.

Those in the two tables below run the function of this library that is the same, and so give recorded Tensors. Any
other works on Tensors that need no gradient, as on arrays; and on one that does, says what to call.

NumPy asks for `__array_ufunc__` and `__array_function__` when one of its functions is given a Tensor, and when an
array stands left of an operator; ``x * a`` never comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

import autograd_ops

from .. import functions, ops
from ..creation import empty_like, full_like, ones_like, tensor, zeros_like
from ..tensor import Tensor

__all__ = ["__array_function__", "__array_ufunc__"]

# ---------------------------------------------------------------- functions of elements

#: NumPy's name -> the op that is the same.
OPS: dict[str, str] = {
    **{name: name for name in ("add", "bitwise_and", "bitwise_or", "bitwise_xor", "ceil", "copysign", "cos", "cosh")},
    **{name: name for name in ("equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal", "hypot")},
    **{name: name for name in ("isfinite", "isinf", "isnan", "less", "less_equal", "log", "log10", "log1p", "log2")},
    **{name: name for name in ("logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul")},
    **{name: name for name in ("maximum", "minimum", "nextafter", "not_equal", "reciprocal", "remainder", "sign")},
    **{name: name for name in ("signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc")},
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "conjugate": "conj",
    "divide": "div",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "multiply": "mul",
    "negative": "neg",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "subtract": "sub",
}

#: NumPy's name -> the function of this library that is the same, where that is not an op.
WRITTEN: dict[str, str] = {
    **{name: name for name in ("deg2rad", "exp2", "float_power", "fmax", "fmin", "fmod", "gcd", "heaviside", "lcm")},
    **{name: name for name in ("ldexp", "logaddexp2", "positive", "rad2deg")},
    "degrees": "rad2deg",
    "radians": "deg2rad",
}

UFUNCS = OPS | WRITTEN


class _Found(dict[Any, Callable[..., Any] | None]):
    """NumPy's ufunc -> what is the same here, found when it is first called; ``None`` if nothing is."""

    def __missing__(self, ufunc: Any) -> Callable[..., Any] | None:
        name = ufunc.__name__
        found = None
        if getattr(np, name, None) is ufunc and name in UFUNCS:
            found = getattr(ops, OPS[name]) if name in OPS else getattr(autograd_ops, WRITTEN[name])
        self[ufunc] = found
        return found


_ufuncs = _Found()


def __array_ufunc__(self: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Run a ufunc of NumPy's: recorded, where it is in the table; else on the values, if none needs a gradient.

    Raises
    ------
    TypeError
        If one needs a gradient and the call is not recorded, or the result is to be written into a Tensor.
    """
    ours = _ufuncs[ufunc]
    if ours is not None and method == "__call__" and not options:
        return ours(*map(_operand, inputs))
    called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    out = options.get("out", ())
    if any(isinstance(x, Tensor) for x in out) or (method == "at" and isinstance(inputs[0], Tensor)):
        raise TypeError(f"numpy.{called} cannot write into a Tensor; use its in-place methods, as in x.add_(y)")
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    if any(x.requires_grad for x in tensors):
        advice = _advice_for_out(ufunc) if out else _here(UFUNCS.get(called, called))
        raise TypeError(_unrecorded(called, advice))
    values = getattr(ufunc, method)(*_values(inputs), **_values(options))
    if values is None or out:
        return values
    device = tensors[0].device
    return tuple(tensor(x, device=device) for x in values) if type(values) is tuple else tensor(values, device=device)


def _operand(x: Any) -> Any:
    """What an op takes: lists become arrays."""
    return np.asarray(x) if isinstance(x, (list, tuple)) else x


def _advice_for_out(ufunc: Any) -> str:
    return f"assign the result, as in a = numpy.{ufunc.__name__}(a, x), or"


# ---------------------------------------------------------------- functions of arrays


def _reduction(name: str) -> Callable[..., Any]:
    function = getattr(functions, name)

    def reduction(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        return function(a, axis, keepdims)

    return reduction


def _mean(a: Tensor, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    return functions.mean(_floats(a), axis, keepdims)


def _var(a: Tensor, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return functions.var(_floats(a), axis, keepdim=keepdims, correction=ddof)


def _std(a: Tensor, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return functions.std(_floats(a), axis, keepdim=keepdims, correction=ddof)


def _cumulative(name: str) -> Callable[..., Any]:
    function = getattr(functions, name)

    def cumulative(a: Tensor, axis: int | None = None) -> Tensor:
        return function(functions.flatten(a) if axis is None else a, 0 if axis is None else axis)

    return cumulative


def _joining(function: Callable[..., Tensor]) -> Callable[..., Any]:
    def joining(arrays: Iterable[Any], axis: int = 0) -> Tensor:
        return function(_tensors(arrays), axis)

    return joining


def _where(condition: Any, x: Any, y: Any) -> Tensor:
    (condition,) = _tensors([condition]) if not isinstance(condition, Tensor) else (condition,)
    return functions.where(condition, *map(_operand, (x, y)))


def _transpose(a: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    return functions.permute(a, tuple(reversed(range(a.ndim))) if axes is None else tuple(axes))


def _clip(a: Tensor, a_min: Any = None, a_max: Any = None) -> Tensor:
    return functions.clamp(a, a_min, a_max)


def _floats(a: Tensor) -> Tensor:
    """NumPy's means of integers are float64."""
    return a.double() if a.dtype.kind in ("int", "uint", "bool") else a


def _tensors(values: Iterable[Any]) -> list[Tensor]:
    """All as Tensors, on the device of those that are."""
    values = list(values)
    device = next((x.device for x in values if isinstance(x, Tensor)), None)
    return [x if isinstance(x, Tensor) else tensor(np.asarray(x), device=device) for x in values]


#: NumPy's function -> what is the same here, with those of NumPy's arguments that it knows.
_functions: dict[Any, Callable[..., Any]] = {
    np.sum: _reduction("sum"),
    np.prod: _reduction("prod"),
    np.mean: _mean,
    np.var: _var,
    np.std: _std,
    np.max: _reduction("amax"),
    np.amax: _reduction("amax"),
    np.min: _reduction("amin"),
    np.amin: _reduction("amin"),
    np.all: _reduction("all"),
    np.any: _reduction("any"),
    np.argmax: _reduction("argmax"),
    np.argmin: _reduction("argmin"),
    np.cumsum: _cumulative("cumsum"),
    np.cumprod: _cumulative("cumprod"),
    np.concatenate: _joining(functions.cat),
    np.stack: _joining(functions.stack),
    np.vstack: lambda tup: functions.vstack(_tensors(tup)),
    np.hstack: lambda tup: functions.hstack(_tensors(tup)),
    np.where: _where,
    np.clip: _clip,
    np.round: lambda a, decimals=0: functions.round(a, decimals=decimals),
    np.reshape: lambda a, shape: functions.reshape(a, shape),
    np.ravel: lambda a: functions.flatten(a),
    np.transpose: _transpose,
    np.swapaxes: lambda a, axis1, axis2: functions.transpose(a, axis1, axis2),
    np.moveaxis: lambda a, source, destination: functions.movedim(a, source, destination),
    np.squeeze: lambda a, axis=None: functions.squeeze(a, axis),
    np.expand_dims: lambda a, axis: functions.unsqueeze(a, axis),
    np.broadcast_to: lambda array, shape: functions.broadcast_to(array, shape),
    np.flip: lambda m, axis=None: functions.flip(m, tuple(range(m.ndim)) if axis is None else axis),
    np.roll: lambda a, shift, axis=None: functions.roll(a, shift, axis),
    np.dot: lambda a, b: functions.dot(a, b) if a.ndim == b.ndim == 1 else ops.matmul(a, b),
    np.outer: lambda a, b: functions.outer(a, b),
    np.einsum: lambda subscripts, *operands: functions.einsum(subscripts, *_tensors(operands)),
    np.zeros_like: lambda a: zeros_like(a),
    np.ones_like: lambda a: ones_like(a),
    np.empty_like: lambda prototype: empty_like(prototype),
    np.full_like: lambda a, fill_value: full_like(a, fill_value),
    np.shape: lambda a: tuple(a.shape),
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.numel(),
    np.real: lambda val: ops.real(val),
    np.imag: lambda val: ops.imag(val),
}


def __array_function__(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Run a function of NumPy's: recorded, where it is in the table; else on the values, if none needs a gradient.

    Raises
    ------
    TypeError
        If one needs a gradient and the call is not recorded.
    """
    ours = _functions.get(func)
    if ours is not None and _takes(ours, args, kwargs):
        return ours(*args, **kwargs)
    if any(x.requires_grad for x in _tensors_in((args, kwargs))):
        raise TypeError(_unrecorded(func.__name__, _here(func.__name__)))
    return func(*_values(args), **_values(kwargs))


_signature = cache(signature)


def _takes(function: Callable[..., Any], args: Any, kwargs: Any) -> bool:
    """Whether `function` knows these arguments, of which the first is what it works on."""
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    first = next(iter(bound.arguments.values()))
    return isinstance(first, (Tensor, str, list, tuple)) or function is _where


# ---------------------------------------------------------------- what both need


def _tensors_in(values: Any) -> Iterator[Tensor]:
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, (list, tuple, dict)):
        for x in values.values() if isinstance(values, dict) else values:
            yield from _tensors_in(x)


def _values(value: Any) -> Any:
    """`value` with NumPy arrays in the place of Tensors."""
    if isinstance(value, Tensor):
        return value.numpy()
    if isinstance(value, dict):
        return {key: _values(x) for key, x in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_values(x) for x in value])
    return value


def _here(name: str) -> str:
    """Which function of this library to call, if one is called so."""
    return f"call autograd_ops.{name}, or" if callable(getattr(autograd_ops, name, None)) else ""


def _unrecorded(called: str, advice: str) -> str:
    fix = f"{advice} give NumPy".lstrip() if advice else "give NumPy"
    return (
        f"numpy.{called}: a Tensor here requires grad, and this call of NumPy's would not be recorded; "
        f"{fix} x.detach().numpy()"
    )
