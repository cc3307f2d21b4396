"""assert_close: that what is there is what is expected, up to a tolerance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..tensor import Tensor

__all__ = ["assert_close"]

#: rtol and atol by dtype; of everything else they are 0.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}

Message = str | Callable[[str], str] | None


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise unless ``|actual - expected| <= atol + rtol |expected|`` everywhere.

    Parameters
    ----------
    actual, expected
        Tensors, numbers, NumPy arrays, or sequences and mappings of these.
    allow_subclasses
        Whether the two may be of different types, one being a subclass.
    rtol, atol
        Both or neither; by default they depend on the dtype: 1.3e-6 and 1e-5 for float32, 1e-7 for float64, 1e-3 and
        1e-5 for float16, and 0 for integers and bools. Where dtypes differ, the larger count.
    equal_nan
        Whether NaN equals NaN.
    check_device, check_dtype
        Whether they must be equal; otherwise values alone are compared.
    check_layout, check_stride
        Accepted for PyTorch's sake; they do nothing.
    msg
        What the error says instead; or a function of what it would say.

    Raises
    ------
    AssertionError
        If they differ, with the largest difference and where it is.
    ValueError
        If one tolerance is given without the other.
    TypeError
        If the two are of kinds that cannot be compared.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.testing.assert_close(ag.tensor([1.0, 2.0]), ag.tensor([1.0, 2.0 + 1e-7]))
    >>> try:
    ...     ag.testing.assert_close(ag.tensor([1.0, 2.0]), ag.tensor([1.0, 2.5]))
    ... except AssertionError as error:
    ...     print(error)
    Tensor-likes are not close!
    <BLANKLINE>
    Mismatched elements: 1 / 2 (50.0%)
    Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
    Greatest relative difference: 0.2 at index (1,) (up to 1.3e-06 allowed)
    """
    if (rtol is None) != (atol is None):
        given, other = ("rtol", "atol") if atol is None else ("atol", "rtol")
        raise ValueError(f"assert_close: {given} is given without {other}; give both or neither")
    options = _Options(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype)
    problem = _compared(actual, expected, options, "")
    if problem is not None:
        raise AssertionError(problem if msg is None else msg(problem) if callable(msg) else msg)


class _Options:
    def __init__(
        self,
        allow_subclasses: bool,
        rtol: float | None,
        atol: float | None,
        equal_nan: bool,
        check_device: bool,
        check_dtype: bool,
    ) -> None:
        self.allow_subclasses = allow_subclasses
        self.given = None if rtol is None or atol is None else (rtol, atol)
        self.equal_nan = equal_nan
        self.check_device = check_device
        self.check_dtype = check_dtype

    def tolerances(self, *dtypes: str) -> tuple[float, float]:
        """rtol and atol for values of `dtypes`."""
        if self.given is not None:
            return self.given
        each = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max(rtol for rtol, _ in each), max(atol for _, atol in each)


def _compared(actual: Any, expected: Any, options: _Options, where: str) -> str | None:
    """What is wrong with `actual`, the item `where`; None if nothing is."""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            return (
                f"The keys of the mappings do not match:{_item(where)}\n"
                f"Missing keys in the actual mapping: {sorted(map(repr, set(expected) - set(actual)))}\n"
                f"Additional keys in the actual mapping: {sorted(map(repr, set(actual) - set(expected)))}"
            )
        pairs = [(actual[key], expected[key], f"{where}[{key!r}]") for key in expected]
    elif _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{_item(where)}"
        pairs = [(a, e, f"{where}[{i}]") for i, (a, e) in enumerate(zip(actual, expected, strict=True))]
    else:
        return _compared_values(actual, expected, options, where)
    for a, e, place in pairs:
        problem = _compared(a, e, options, place)
        if problem is not None:
            return problem
    return None


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _item(where: str) -> str:
    return f"\n\nThe failure occurred for item {where}" if where else ""


def _compared_values(actual: Any, expected: Any, options: _Options, where: str) -> str | None:
    if actual is None and expected is None:
        return None
    same_kind = (isinstance(actual, type(expected)) or isinstance(expected, type(actual))) and options.allow_subclasses
    if isinstance(actual, (bool, str)) or isinstance(expected, (bool, str)):
        if type(actual) is not type(expected):
            raise TypeError(_not_comparable(actual, expected))
        return None if actual == expected else f"{actual!r} is not equal to {expected!r}{_item(where)}"
    numbers = isinstance(actual, (int, float, complex)) and isinstance(expected, (int, float, complex))
    if not (numbers or type(actual) is type(expected) or same_kind) or actual is None or expected is None:
        raise TypeError(_not_comparable(actual, expected))
    if isinstance(actual, Tensor):
        wrong = _different_attributes(actual, expected, options)
        if wrong is not None:
            return wrong + _item(where)
    a, e = _host(actual), _host(expected)
    if a.shape != e.shape:
        return f"The values for attribute 'shape' do not match: {a.shape} != {e.shape}.{_item(where)}"
    if options.check_dtype and not numbers and a.dtype != e.dtype:
        return f"The values for attribute 'dtype' do not match: {a.dtype} != {e.dtype}.{_item(where)}"
    names = (str(a.dtype), str(e.dtype))
    rtol, atol = options.tolerances(*names)
    return _difference(a, e, rtol, atol, options.equal_nan, numbers, where)


def _not_comparable(actual: Any, expected: Any) -> str:
    return (
        f"assert_close: a {type(actual).__name__} cannot be compared with a {type(expected).__name__}; "
        "give two Tensors, two numbers, or two containers of them"
    )


def _different_attributes(actual: Tensor, expected: Tensor, options: _Options) -> str | None:
    pairs: list[tuple[str, Any, Any]] = [("shape", tuple(actual.shape), tuple(expected.shape))]
    if options.check_device:
        pairs.append(("device", actual.device, expected.device))
    if options.check_dtype:
        pairs.append(("dtype", actual.dtype, expected.dtype))
    for name, ours, theirs in pairs:
        if ours != theirs:
            return f"The values for attribute {name!r} do not match: {ours} != {theirs}."
    return None


def _host(value: Any) -> Any:
    return value.detach()._host() if isinstance(value, Tensor) else np.asarray(value)


def _difference(
    actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool, numbers: bool, where: str
) -> str | None:
    wide = np.result_type(actual.dtype, expected.dtype, np.float64 if rtol or atol else np.int8)
    a, e = actual.astype(wide), expected.astype(wide)
    if a.dtype == np.bool_:
        a, e = a.astype(np.int8), e.astype(np.int8)
    with np.errstate(all="ignore"):
        apart = np.maximum(a, e) - np.minimum(a, e) if a.dtype.kind in "iu" else np.abs(a - e)
        close = (a == e) | (np.isfinite(e) & (apart <= atol + rtol * np.abs(e)))
        if equal_nan:
            close = close | ((a != a) & (e != e))
        if close.all():
            return None
        relative = apart / np.abs(e)
    apart, relative = (np.where(close, 0, x) for x in (apart, relative))
    allowed = f"(up to {atol} allowed)", f"(up to {rtol} allowed)"
    exact = rtol == atol == 0
    if numbers:
        return (
            f"{'Scalars are not equal!' if exact else 'Scalars are not close!'}\n\n"
            f"Expected {expected.item()} but got {actual.item()}.\n"
            f"Absolute difference: {apart.item()}{'' if exact else ' ' + allowed[0]}\n"
            f"Relative difference: {relative.item()}{'' if exact else ' ' + allowed[1]}{_item(where)}"
        )
    wrong, total = int((~close).sum()), close.size
    lines = [
        f"Tensor-likes are not {'equal' if exact else 'close'}!",
        "",
        f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})",
    ]
    for name, values, bound in (("absolute", apart, allowed[0]), ("relative", relative, allowed[1])):
        at = np.unravel_index(int(np.argmax(np.where(np.isnan(values), np.inf, values))), values.shape)
        index = tuple(int(i) for i in at)
        place = f" at index {index}" if index else ""
        lines.append(f"Greatest {name} difference: {values[index].item()}{place}{'' if exact else ' ' + bound}")
    return "\n".join(lines) + _item(where)
