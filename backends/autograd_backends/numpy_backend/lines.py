"""Small computations as lines of source, for replays of recorded steps.

What a kernel does on small arrays is two or three calls of NumPy; to find them takes as long as to make them. A
recorded step knows its arrays, so it can have the calls themselves, which write into arrays that it keeps. Each
function here says the calls that the kernel or rule of its name makes on such arrays: the same ones, so the numbers
are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

__all__ = ["LINES", "Lines"]

#: Larger arrays gain nothing, and their kernels may choose other ways.
LARGEST = 2**14

#: The most multiplications of a product.
MOST = 2**15

#: Rows that a product with ones adds up; see `linear`.
FEW = 256

_BLAS = (np.dtype(np.float32), np.dtype(np.float64))

#: From the arguments, how each is said, the name of the result and whether that is an array that is there already,
#: to the lines and what else these name; or None, where the kernel has to be called.
Lines = Callable[[Sequence[Any], Sequence[str], str, bool], tuple[list[str], dict[str, Any]] | None]


def _plain(*arrays: Any) -> bool:
    """Whether all are small arrays of one float dtype that BLAS knows."""
    first = arrays[0]
    return all(
        type(a) is np.ndarray and a.dtype is first.dtype and a.dtype in _BLAS and 0 < a.size <= LARGEST for a in arrays
    )


def _product(out: str, kept: bool, left: str, right: str, sizes: tuple[int, int, int]) -> list[str] | None:
    if prod(sizes) > MOST:
        return None
    return [f"{left}.dot({right}, {out})" if kept else f"{out} = {left}.dot({right})"]


def _number(value: float, dtype: Any) -> tuple[str, dict[str, Any]]:
    """A Python number as an array of no dimensions, which a ufunc takes in half the time, and the name of that."""
    name = f"number_{value!r}_{dtype.name}".replace("-", "minus_").replace(".", "_").replace("+", "")
    return name, {name: np.asarray(value, dtype)}


def linear(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    x, weight, bias, transposed = values
    if not _plain(x, weight) or x.ndim != 2 or weight.ndim != 2:
        return None
    flip = ".T" if transposed else ""
    lines = _product(out, kept, said[0], said[1] + flip, (*x.shape, weight.shape[0 if transposed else 1]))
    if lines is None or (bias is not None and not _plain(x, bias)):
        return None
    return ([*lines, f"add({out}, {said[2]}, {out})"] if bias is not None else lines), {"add": np.add}


def linear_x(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    g, weight, transposed = values
    if not _plain(g, weight) or g.ndim != 2:
        return None
    flip = "" if transposed else ".T"
    lines = _product(out, kept, said[0], said[1] + flip, (*weight.shape, g.shape[0]))
    return None if lines is None else (lines, {})


def linear_weight(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    g, x, transposed = values
    if not _plain(g, x) or g.ndim != 2 or x.ndim != 2:
        return None
    left, right = (said[0], said[1]) if transposed else (said[1], said[0])
    lines = _product(out, kept, f"{left}.T", right, (*x.shape, g.shape[1]))
    return None if lines is None else (lines, {})


def linear_bias(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    (g,) = values
    if not _plain(g) or g.ndim != 2 or g.shape[0] > FEW:
        return None
    ones = f"ones_{g.shape[0]}_{g.dtype.name}"
    lines = _product(out, kept, ones, said[0], (*g.shape, 1))
    return None if lines is None else (lines, {ones: np.ones(g.shape[0], g.dtype)})


def _ufunc(name: str, ufunc: Any) -> Lines:
    """Lines for a ufunc of arrays of one shape, or of one array and Python numbers."""

    def lines(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
        arrays = [v for v in values if type(v) not in (int, float)]
        if not arrays or not _plain(*arrays) or any(a.shape != arrays[0].shape for a in arrays) or not arrays[0].ndim:
            return None
        scope: dict[str, Any] = {name: ufunc}
        given = list(said)
        for i, value in enumerate(values):
            if type(value) in (int, float) and abs(value) <= np.finfo(arrays[0].dtype).max:
                given[i], number = _number(value, arrays[0].dtype)
                scope.update(number)
        call = f"{name}({', '.join(given)}"
        return [f"{call}, {out})" if kept else f"{out} = {call})"], scope

    return lines


def relu(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    return _ufunc("maximum", np.maximum)([*values, 0], [*said, "0"], out, kept)


def tanh_x(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    g, result = values
    if not _plain(g, result) or g.shape != result.shape or not g.ndim:
        return None
    first = f"multiply({said[1]}, {said[1]}, {out})" if kept else f"{out} = multiply({said[1]}, {said[1]})"
    one, scope = _number(1.0, g.dtype)
    lines = [first, f"subtract({one}, {out}, {out})", f"multiply({said[0]}, {out}, {out})"]
    return lines, {**scope, "multiply": np.multiply, "subtract": np.subtract}


def mse(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    x, y = values
    if not _plain(x, y) or x.shape != y.shape or not x.ndim:
        return None
    less = f"{said[0]}_less_{said[1]}"  # `mse_x` needs it again
    lines = [
        f"subtract({said[0]}, {said[1]}, {less})",
        f"multiply({less}, {less}, {out}_square)",
        f"{out} = asarray(add_up({out}_square, None) / {x.size})",
    ]
    scope = {"subtract": np.subtract, "multiply": np.multiply, "add_up": np.add.reduce, "asarray": np.asarray}
    laid = x - y  # its layout is that of what the kernel adds up
    return lines, {**scope, less: np.empty_like(laid), f"{out}_square": np.empty_like(laid)}


def mse_x(values: Sequence[Any], said: Sequence[str], out: str, kept: bool) -> Any:
    g, x, y = values
    if not _plain(x, y) or x.shape != y.shape or not x.ndim or g.dtype is not x.dtype:
        return None
    scope: dict[str, Any] = {"multiply": np.multiply}
    factor = f"{said[0]} * {2.0 / x.size!r}"
    if said[0].startswith("ones"):  # the gradient of the loss by itself, which is the same each time
        factor, scope[f"{out}_factor"] = f"{out}_factor", np.asarray(g * (2.0 / x.size))
    product = f"multiply({said[1]}_less_{said[2]}, {factor}"
    return [f"{product}, {out})" if kept else f"{out} = {product})"], scope


#: Name of an op; or of an op and an input, whose gradient its rule gives.
LINES: dict[str, Lines] = {
    "linear": linear,
    "linear.x": linear_x,
    "linear.weight": linear_weight,
    "linear.bias": linear_bias,
    "tanh": _ufunc("tanh", np.tanh),
    "tanh.x": tanh_x,
    "relu": relu,
    "exp": _ufunc("exp", np.exp),
    "add": _ufunc("add", np.add),
    "sub": _ufunc("subtract", np.subtract),
    "mul": _ufunc("multiply", np.multiply),
    "mul.x": _ufunc("multiply", np.multiply),
    "mul.y": _ufunc("multiply", np.multiply),
    "mse": mse,
    "mse.x": mse_x,
}
