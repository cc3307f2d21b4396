"""The methods of Tensor that change it in place: ``x.exp_()`` is ``x.exp()``, written to the memory of x.

One table names them all. Each is made of the method without the underscore when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import ops
from .arrays import move
from .creation import full, tensor, zeros
from .indexing import set_number
from .inplace import in_place
from .refusals import named_method
from .tensor import Tensor

__all__ = ["IN_PLACE", "TORCH_LEVEL", "replaced"]

#: Methods that have an in-place form of the same meaning.
IN_PLACE = (
    *("abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "arccos"),
    *("arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh"),
    *("baddbmm", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift"),
    *("bitwise_xor", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "conj_physical", "copysign", "cos", "cosh"),
    *("cumprod", "cumsum", "deg2rad", "digamma", "div", "divide", "eq", "erf", "erfc", "erfinv", "exp", "exp2"),
    *("expm1", "fix", "float_power", "floor", "floor_divide", "fmod", "frac", "gcd", "ge", "greater"),
    *("greater_equal", "gt", "heaviside", "hypot", "i0", "index_add", "index_copy"),
    *("index_fill", "index_put", "index_reduce", "lcm", "ldexp", "le", "lerp", "less", "less_equal", "lgamma"),
    *("log", "log10", "log1p", "log2", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "lt"),
    *("masked_fill", "masked_scatter", "mul", "multiply", "mvlgamma", "nan_to_num", "ne", "neg", "negative"),
    *("nextafter", "not_equal", "polygamma", "pow", "put", "rad2deg", "reciprocal", "relu", "remainder", "renorm"),
    *("round", "rsqrt", "scatter", "scatter_add", "scatter_reduce", "sgn", "sigmoid", "sign", "sin", "sinc", "sinh"),
    *("sqrt", "square", "sub", "subtract", "tan", "tanh", "tril", "triu", "true_divide", "trunc", "xlogy"),
)

#: Those that are functions of ``autograd_ops`` too: ``relu_(x)``.
TORCH_LEVEL = frozenset(
    {
        *("abs_", "acos_", "acosh_", "addmv_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_", "arctanh_"),
        *("as_strided_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_", "clamp_min_"),
        *("clip_", "conj_physical_", "cos_", "cosh_", "deg2rad_", "detach_", "erf_", "erfc_", "exp2_", "exp_"),
        *("expm1_", "fill_", "fix_", "floor_", "frac_", "gcd_", "i0_", "index_put_", "lcm_", "ldexp_", "log10_"),
        *("log1p_", "log2_", "log_", "logit_", "nan_to_num_", "neg_", "negative_", "rad2deg_", "reciprocal_"),
        *("relu_", "resize_as_", "round_", "rsqrt_", "sigmoid_", "sin_", "sinc_", "sinh_", "sqrt_", "square_"),
        *("tan_", "tanh_", "trunc_", "xlogy_", "zero_"),
    }
)


class InPlaceMethod:
    """Stands for ``name_`` until it is first asked for."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Tensor | None, owner: type[Tensor]) -> Any:
        method = _method(self.name, getattr(Tensor, self.name))
        setattr(Tensor, method.__name__, method)
        return method if instance is None else method.__get__(instance)


def _method(name: str, function: Callable[..., Tensor]) -> Any:
    changed = f"{name}_"

    def method(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        if options:
            return in_place(self, lambda x: function(x, *arguments, **options), name=changed)
        return in_place(self, function, *arguments, name=changed)

    method.__name__ = method.__qualname__ = changed
    method.__doc__ = f"`{name}`, in the memory of this Tensor; returns it."
    method.__wrapped__ = function  # type: ignore[attr-defined]  # whose arguments it takes
    return method


for _name in IN_PLACE:
    setattr(Tensor, f"{_name}_", InPlaceMethod(_name))


# ---------------------------------------------------------------- values from elsewhere


def replaced(self: Tensor, value: Tensor) -> Tensor:
    """`value`, fitted to the shape and dtype of what it takes the place of."""
    if value.device != self.device:
        value = value.to(self.device) if value.requires_grad else Tensor(move(value.array, None, self.device))
    if tuple(value.array.shape) != tuple(self.array.shape):
        value = ops.broadcast_to(value, tuple(self.array.shape))
    if value.array.dtype != self.array.dtype:
        value = ops.astype(value, self.array.dtype)
    # The old value stays on the tape, with a gradient of zeros.
    return ops.overwrite(self, value, (...,)) if self.requires_grad and value.requires_grad else value


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Take the values of `src`, broadcast and cast; returns itself."""
    return in_place(self, replaced, src if isinstance(src, Tensor) else tensor(src), name="copy_")


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a 0-d Tensor; returns itself.

    Raises
    ------
    ValueError
        If a Tensor has dimensions.
    """
    if isinstance(value, Tensor) and value.ndim:
        raise ValueError(f"fill_: the value is a number or a 0-d tensor, not one of {value.ndim} dimensions")
    if type(value) in (float, int) and not self.requires_grad:
        set_number(self, (...,), value, "fill_")
        return self
    source = value if isinstance(value, Tensor) else full((), value, dtype=self.dtype, device=self.device)
    return in_place(self, replaced, source, name="fill_")


def zero_(self: Tensor) -> Tensor:
    """Set every element to 0; returns itself."""
    if not self.requires_grad:
        set_number(self, (...,), 0, "zero_")
        return self
    return in_place(self, replaced, zeros((), dtype=self.dtype, device=self.device), name="zero_")


for _name in ("copy_", "fill_", "zero_"):
    # Functions of ``autograd_ops`` too, two of them: as those they come from below.
    setattr(Tensor, _name, named_method(globals().pop(_name), _name))


def __getattr__(name: str) -> Any:
    if name in TORCH_LEVEL:
        return named_method(getattr(Tensor, name), name)  # self may be anything here
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
