"""``out=``: the result of a function, written to a Tensor that the user gives.

The functions themselves know nothing of it. What ``autograd_ops`` shows of those named here has a wrapper with ``out``
beside the arguments; methods and operators have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd_backends import DeviceError, kernels

from .inplace import bump, refuse_expanded, refuse_kind
from .tape import TapeError, mode, no_grad
from .tensor import Tensor
from .wrappers import Around

__all__ = ["CREATING", "TAKING_OUT", "attach", "shown", "takes_out"]

#: Functions whose result depends on no Tensor's elements: it is made with the dtype and on the device of `out`.
CREATING = frozenset(
    {
        *("arange", "bartlett_window", "blackman_window", "empty", "eye", "full", "hamming_window", "hann_window"),
        *("kaiser_window", "linspace", "logspace", "ones", "rand", "randint", "randn", "randperm", "range"),
        *("tril_indices", "triu_indices", "zeros"),
    }
)

#: Functions of ``autograd_ops`` that take `out`.
TAKING_OUT = CREATING | {
    *("abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "all"),
    *("amax", "amin", "aminmax", "angle", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2"),
    *("arctanh", "argmax", "argmin", "argsort", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "bernoulli"),
    *("bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
    *("bmm", "bucketize", "cat", "ceil", "chain_matmul", "cholesky", "clamp", "clamp_max", "clamp_min", "clip"),
    *("column_stack", "complex", "concat", "concatenate", "conj_physical", "copysign", "cos", "cosh", "cross"),
    *("cummax", "cummin", "cumprod", "cumsum", "deg2rad", "diag", "diff", "digamma", "div", "divide", "dot"),
    *("dstack", "eq", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "fix", "float_power", "floor"),
    *("floor_divide", "fmax", "fmin", "fmod", "frac", "frexp", "gather", "gcd", "ge", "ger", "greater"),
    *("greater_equal", "gt", "heaviside", "histc", "hstack", "hypot", "i0", "index_add"),
    *("index_copy", "index_reduce", "index_select", "inner", "inverse", "isin", "isneginf", "isposinf", "kron"),
    *("kthvalue", "lcm", "ldexp", "le", "lerp", "less", "less_equal", "lgamma", "log", "log10", "log1p", "log2"),
    *("logaddexp", "logaddexp2", "logcumsumexp", "logical_and", "logical_not", "logical_or", "logical_xor"),
    *("logit", "logsumexp", "lt", "masked_select", "matmul", "matrix_power", "max", "maximum", "mean", "median"),
    *("min", "minimum", "mm", "mode", "msort", "mul", "multinomial", "multiply", "mv", "mvlgamma", "nan_to_num"),
    *("nanmean", "nanmedian", "nanquantile", "nansum", "ne", "neg", "negative", "nextafter", "nonzero", "norm"),
    *("normal", "not_equal", "outer", "polar", "polygamma", "pow", "prod", "qr", "quantile", "rad2deg"),
    *("reciprocal", "remainder", "renorm", "round", "row_stack", "rsqrt", "scatter", "scatter_add"),
    *("scatter_reduce", "searchsorted", "sgn", "sigmoid", "sign", "signbit", "sin", "sinc", "sinh", "sort", "sqrt"),
    *("square", "stack", "std", "sub", "subtract", "sum", "svd", "take", "take_along_dim", "tan", "tanh"),
    *("tensordot", "topk", "tril", "triu", "true_divide", "trunc", "var", "vdot", "vstack", "where", "xlogy"),
}


def attach(names: dict[str, Any]) -> None:
    """Give the functions among `names`, those of a module, that are listed here their ``out``."""
    for name in TAKING_OUT & names.keys():
        names[name] = takes_out(names[name])


def shown(name: str, found: Any) -> Any:
    """`found`, with ``out`` if it is one of the functions that take it: for names that are found when first used."""
    return takes_out(found) if name in TAKING_OUT else found


def takes_out(function: Any) -> Any:
    """`function` with an argument `out`, for a Tensor, or for several Tensors where it has several results."""
    return Around(function, into=into).outer


# ---------------------------------------------------------------- writing


def into(function: Callable[..., Any], out: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of a call, written to `out`; returns `out`.

    Raises
    ------
    TapeError
        If an argument or `out` requires grad, while ops are recorded.
    ValueError
        If `out` has another shape, unless it has no elements, or is expanded.
    TypeError
        If the dtype of `out` is of a lower kind than the result's: integers for floats.
    DeviceError
        If it is on another device.
    """
    name = function.__name__
    outs: Sequence[Any] = out if isinstance(out, (tuple, list)) else (out,)
    for one in outs:
        if not isinstance(one, Tensor):
            raise TypeError(f"{name}: out must be a Tensor, not {type(one).__name__}")
    if name in CREATING:
        options = {**options, "dtype": options.get("dtype") or out.dtype, "device": options.get("device") or out.device}
    elif mode.enabled and any(x.requires_grad for x in _tensors((*outs, *arguments, *options.values()))):
        raise TapeError(
            f"{name}: what is written to out= is not recorded, and an argument requires grad: "
            "leave out= away, or call it under no_grad()"
        )
    with no_grad():
        result = function(*arguments, **options)
    results = result if isinstance(result, (tuple, list)) else (result,)
    if len(results) != len(outs):
        raise ValueError(f"{name}: {len(results)} results for {len(outs)} tensors in out=")
    for target, value in zip(outs, results, strict=True):
        _refuse(name, target, value)
    for target, value in zip(outs, results, strict=True):
        _write(name, target, value)
    if not isinstance(out, (tuple, list)):
        return out
    return type(result)(*outs) if hasattr(result, "_fields") else tuple(outs)


def _tensors(values: Sequence[Any]) -> list[Tensor]:
    found: list[Tensor] = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += _tensors(value)
    return found


def _refuse(name: str, out: Tensor, value: Tensor) -> None:
    if out.device != value.device:
        raise DeviceError(f"{name}: the result is on {str(value.device)!r}, and out on {str(out.device)!r}")
    refuse_kind(out, value, name)
    if out.numel() and tuple(out.shape) != tuple(value.shape):
        raise ValueError(
            f"{name}: the result has shape {tuple(value.shape)}, and out {tuple(out.shape)}; "
            "one without elements takes any shape"
        )
    refuse_expanded(out, name)


def _write(name: str, out: Tensor, value: Tensor) -> None:
    array = value.array
    backend = kernels(array)
    if array.dtype != out.array.dtype:
        array = backend.xp.astype(array, out.array.dtype)
    elif value.alias is not None or value.version is out.version:  # a window on what out may be, too
        array = backend.xp.asarray(array, copy=True)
    if tuple(out.shape) == tuple(value.shape):
        backend.write(out.array, array)
    else:
        out.array, out.alias = array, None
    bump(out, f"{name} with out=")
