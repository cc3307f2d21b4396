"""Where ops give NaN or infinity, why, and the usual remedy."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

__all__ = ["Remedy", "Safe", "remedy_for"]


@dataclass(frozen=True, slots=True)
class Safe:
    """Arguments at which a function and its derivative are finite: those with ``x > bound``, and the like.

    Attributes
    ----------
    comparison
        ``">"``, ``"<"`` or ``"!="``.
    bound
        What the argument, or its size, is compared with.
    size
        Whether it is the size that counts: ``x.abs() < bound``.
    """

    comparison: str
    bound: int
    size: bool = False

    def written(self, argument: str) -> str:
        """The condition as code."""
        return f"{argument}{'.abs()' if self.size else ''} {self.comparison} {self.bound}"

    def holds(self, value: Any) -> bool:
        """Whether it holds of a real number."""
        compare = {">": operator.gt, "<": operator.lt, "!=": operator.ne}[self.comparison]
        return bool(compare(abs(value) if self.size else value, self.bound))


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to know of an op that gave NaN or infinity.

    Attributes
    ----------
    why
        Where the function or its derivative is not finite.
    advice
        What one usually does.
    safe
        Where both are finite; ``None`` where a double where does not help.
    instead
        A value at which both are finite.
    argument
        Which input of the op it is about.
    alone
        Whether a where helps in a line that has none yet.
    """

    why: str
    advice: str
    safe: Safe | None = None
    instead: str = "1.0"
    argument: str = "x"
    alone: bool = True


_SMALL = "add a small number inside, clamp from below, or choose the safe elements first"

_REMEDIES = {
    "log": Remedy("log(0) is -inf, log of less is NaN, and the derivative 1/x is infinite at 0", _SMALL, Safe(">", 0)),
    "log2": Remedy("log2(0) is -inf, and the derivative is infinite at 0", _SMALL, Safe(">", 0)),
    "log10": Remedy("log10(0) is -inf, and the derivative is infinite at 0", _SMALL, Safe(">", 0)),
    "log1p": Remedy("log1p(-1) is -inf, and the derivative is infinite there", _SMALL, Safe(">", -1), "0.0"),
    "sqrt": Remedy(
        "sqrt of less than 0 is NaN, and the derivative 1/(2 sqrt(x)) is infinite at 0", _SMALL, Safe(">", 0)
    ),
    "rsqrt": Remedy("1/sqrt(x) and its derivative are infinite at 0", _SMALL, Safe(">", 0)),
    "reciprocal": Remedy("1/x and its derivative are infinite at 0", _SMALL, Safe("!=", 0)),
    "div": Remedy(
        "a division by 0 is infinite, 0/0 is NaN, and so are the derivatives", _SMALL, Safe("!=", 0), "1.0", "y"
    ),
    "pow": Remedy(
        "0 to a negative power is infinite, a negative number to a fractional power is NaN, large numbers overflow, "
        "and the derivative of x^p is infinite at 0 for p below 1",
        _SMALL,
        Safe(">", 0),
    ),
    "acos": Remedy(
        "the derivative is infinite at -1 and 1, and beyond them all is NaN", "clamp", Safe("<", 1, size=True), "0.0"
    ),
    "asin": Remedy(
        "the derivative is infinite at -1 and 1, and beyond them all is NaN", "clamp", Safe("<", 1, size=True), "0.0"
    ),
    "atanh": Remedy("infinite at -1 and 1, and beyond them all is NaN", "clamp", Safe("<", 1, size=True), "0.0"),
    "exp": Remedy(
        "exp overflows: above 88.7 in float32, above 709 in float64",
        "take the largest off first, as logsumexp, softmax and log_softmax do, or stay in logarithms",
        Safe("<", 80),
        "0.0",
        alone=False,
    ),
    "expm1": Remedy(
        "exp overflows: above 88.7 in float32", "stay in logarithms, or clamp", Safe("<", 80), "0.0", alone=False
    ),
    "sum": Remedy("the sum overflowed, or adds infinities of both signs", "scale down before, or sum in float64"),
    "matmul": Remedy("a product overflowed, or multiplies 0 with infinity", "scale the inputs down"),
    "linear": Remedy("a product overflowed, or multiplies 0 with infinity", "scale the inputs down, or lower the rate"),
    "mul": Remedy(
        "the product overflowed, or multiplies 0 with infinity, which is NaN",
        "keep the infinite factor out: choose with where before computing it, not after",
    ),
    "add": Remedy("infinities of two signs were added", "find where they come from: that op is the cause"),
    "sub": Remedy(
        "infinity was taken from infinity", "subtract the largest before exp, or mask with large finite numbers"
    ),
    "softmax": Remedy("every element of a row was -inf, so there is nothing to share", "leave one element unmasked"),
    "log_softmax": Remedy("every element of a row was -inf", "leave one element unmasked"),
    "norm": Remedy("the derivative of the length of a vector is not defined at 0", "add a small number under the root"),
    "vector_norm": Remedy(
        "the derivative of the length of a vector is not defined at 0", "add a small number under the root"
    ),
    "std": Remedy(
        "the deviation of one value is 0/0 unless correction=0, and its derivative is infinite where all are equal",
        "use var, or add a small number under the root",
    ),
}

_ANY = Remedy("the op or its derivative is not finite for these values", "look at the inputs shown here")


def remedy_for(op: str) -> Remedy:
    """What to know of the op of that name."""
    return _REMEDIES.get(op, _ANY)
