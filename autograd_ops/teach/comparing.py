"""``teach.compare(f, x)``: what backward says beside what differences say, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from ..autograd.core import grad
from ..autograd.gradcheck import central_differences, jacobian_row, joined, real_parts
from ..creation import tensor as new_tensor
from ..tensor import Tensor
from .shown import Shown, framed
from .words import WIDTH, count_in_words

__all__ = ["Comparison", "Row", "compare"]

#: As many rows are shown; those that disagree come before others.
_SHOWN = 24


def compare(
    function: Callable[..., Any],
    *inputs: Any,
    order: int = 2,
    eps: float = 1e-6,
    rtol: float = 1e-4,
    atol: float = 1e-6,
) -> Comparison:
    """Gradients by backward beside central differences, element by element, those that disagree marked.

    First order: the derivative of ``function(*inputs).sum()`` by every element. Second order: the derivative of the
    sum of those gradients, which finds a rule that is right but does not differentiate rightly itself.
    All is computed in float64, whatever the inputs are, because differences need its precision.

    Parameters
    ----------
    function
        A function of `inputs` that gives a Tensor; a scalar is not needed, its elements are summed.
    inputs
        Its arguments. Tensors of floats and of complex numbers are compared, whether they require grad or not.
    order
        1, or 2 for both.
    eps
        The step of the differences, ``(f(x + eps) - f(x - eps)) / (2 eps)``.
    rtol, atol
        Two values agree when ``|analytic - numeric| <= atol + rtol |numeric|``.

    Returns
    -------
    Comparison
        Its ``agrees`` says whether all rows do; in a notebook it is a table.

    Raises
    ------
    TypeError
        If `function` is no function, no input is a Tensor of floats, or the result is not a Tensor that depends on one.
    ValueError
        If `order` is neither 1 nor 2, the inputs have no elements, or the function gives another value when it is
        called again.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import teach
    >>> print(teach.compare(lambda x: x**3, ag.tensor([1.0, -2.0])))  # doctest: +ELLIPSIS
    first order: 2 of 2 elements agree
      element         backward     differences      difference
      x[0]                   3               3 ...
      x[1]                  12              12 ...
    second order: 2 of 2 elements agree
      element         backward     differences      difference
      x[0]                   6               6 ...
      x[1]                 -12             -12 ...
    """
    if not callable(function):
        raise TypeError(f"teach.compare: expected a function first, got {type(function).__name__}")
    if order not in (1, 2):
        raise ValueError(f"teach.compare: order is 1 or 2, not {order!r}")
    arguments = [_in_double(x) for x in inputs]
    checked = [i for i, x in enumerate(arguments) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise TypeError("teach.compare: no input is a Tensor of floats, so there is nothing to compare")
    if not any(arguments[i].numel() for i in checked):
        raise ValueError("teach.compare: the inputs have no elements, so there is nothing to compare")
    names = _names(function, len(inputs))

    def summed(*values: Any) -> list[Tensor]:
        result = function(*values)
        if not isinstance(result, Tensor):
            raise TypeError(f"teach.compare: the function gave a {type(result).__name__}, not a Tensor")
        total = result.sum()
        return [total.real if total.dtype.is_complex else total]

    (out,) = summed(*arguments)
    if not out.requires_grad:
        raise TypeError(
            "teach.compare: the result does not depend on an input by way of the tape: is there a detach(), numpy() or "
            "item() in the function?"
        )
    again = summed(*arguments)[0]
    if again.item() != out.item() and math.isfinite(out.item()):
        raise ValueError(
            "teach.compare: the function gives another value when it is called again with the same inputs: is there "
            "dropout, or another random number, in it?"
        )
    problem = _Problem(arguments, checked, names, eps, rtol, atol)
    orders = [problem.rows(summed)]
    note = ""
    if order == 2:

        def gradients(*values: Any) -> list[Tensor]:
            found = grad(summed(*values), [values[i] for i in checked], create_graph=True, allow_unused=True)
            totals = [g.sum() for g in found if g is not None]
            first, *others = [t.real if t.dtype.is_complex else t for t in totals]
            return [sum(others, first)]

        if gradients(*arguments)[0].requires_grad:
            orders.append(problem.rows(gradients))
        else:
            note = "no second order: the gradient is constant, or it was made off the tape"
    return Comparison(orders, note)


@dataclass(frozen=True, slots=True)
class Row:
    """One element.

    Attributes
    ----------
    element
        Which: ``"x[0, 1]"``; of a complex number a part, ``"z[0].imag"``.
    analytic, numeric
        The derivative by backward, and by central differences.
    agrees
        Whether they are near enough.
    left, right
        The slopes to either side where they do not agree, ``nan`` otherwise: if they differ, there is a kink.
    """

    element: str
    analytic: float
    numeric: float
    agrees: bool
    left: float = math.nan
    right: float = math.nan

    @property
    def remark(self) -> str:
        """What the slopes to either side tell of a disagreement."""
        if self.agrees:
            return ""
        if not (math.isfinite(self.left) and math.isfinite(self.right)):
            return "the function is not finite near here"
        if not math.isclose(self.left, self.right, rel_tol=1e-2, abs_tol=1e-3):
            return f"a kink: slope {self.left:.4g} from the left, {self.right:.4g} from the right"
        return "backward is wrong here"


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is compared where, and how nearly."""

    arguments: list[Any]
    checked: list[int]
    names: list[str]
    eps: float
    rtol: float
    atol: float

    def rows(self, scalar: Callable[..., list[Tensor]]) -> list[Row]:
        """A row for every element of every input that is compared."""
        outputs = scalar(*self.arguments)
        numeric = central_differences(scalar, outputs, self.arguments, self.checked, self.eps)
        rows: list[Row] = []
        for i, differences in zip(self.checked, numeric, strict=True):
            x = self.arguments[i]
            analytic = jacobian_row(outputs[0], x, 0)
            near = np.isclose(analytic, differences[0], rtol=self.rtol, atol=self.atol, equal_nan=True)
            for e, place in enumerate(_places(x)):
                sides = () if near[e] else self._slopes(scalar, i, e)
                rows.append(Row(f"{self.names[i]}{place}", analytic[e], differences[0][e], bool(near[e]), *sides))
        return rows

    def _slopes(self, scalar: Callable[..., list[Tensor]], i: int, element: int) -> tuple[float, float]:
        """The slopes to the left and to the right of one element of input `i`."""
        x = self.arguments[i]

        def value(step: float) -> float:
            parts = np.array(real_parts(x))
            parts[element] += step
            moved = list(self.arguments)
            moved[i] = new_tensor(joined(parts, x), dtype=x.dtype, device=x.device, requires_grad=True)
            return float(scalar(*moved)[0].item())

        here = value(0.0)
        return (here - value(-self.eps)) / self.eps, (value(self.eps) - here) / self.eps


class Comparison(Shown):
    """A table of derivatives, first order and, if asked for, second.

    Attributes
    ----------
    first, second
        The rows of each order; those of the second are empty if there is none.
    agrees
        Whether all rows do.
    """

    title = "backward beside differences"

    def __init__(self, orders: Sequence[Sequence[Row]], note: str = "") -> None:
        self.first = list(orders[0])
        self.second = list(orders[1]) if len(orders) > 1 else []
        self.agrees = all(row.agrees for row in (*self.first, *self.second))
        self._note = note

    def __bool__(self) -> bool:
        return self.agrees

    def text(self) -> str:
        """A line an element, those that disagree with an arrow before them."""
        lines: list[str] = []
        for title, rows in self._orders():
            lines.append(title)
            lines.append(f"  {'element':<12}{'backward':>12}{'differences':>16}{'difference':>16}")
            for row in _shown(rows):
                mark = " " if row.agrees else ">"
                numbers = (
                    f"{row.analytic + 0.0:>12.6g}{row.numeric + 0.0:>16.6g}{abs(row.analytic - row.numeric):>16.2g}"
                )
                line = f"{mark} {row.element:<12}{numbers}"
                apart = len(line) + 2 + len(row.remark) > WIDTH
                lines += [line, f"{'':<14}{row.remark}"] if apart else [f"{line}  {row.remark}".rstrip()]
            if len(rows) > _SHOWN:
                lines.append(f"  ... and {len(rows) - _SHOWN} more")
        return "\n".join([*lines, self._note] if self._note else lines)

    def html(self) -> str:
        """A table for each order."""
        parts: list[str] = []
        for title, rows in self._orders():
            body = "".join(_row(row) for row in _shown(rows))
            more = f"<p class='beside'>... and {len(rows) - _SHOWN} more</p>" if len(rows) > _SHOWN else ""
            kind = "good" if all(row.agrees for row in rows) else "bad"
            parts.append(
                f"<h4 class='{kind}'>{escape(title)}</h4><table><thead><tr><th></th><th>element</th><th>backward</th>"
                f"<th>differences</th><th>difference</th><th></th></tr></thead><tbody>{body}</tbody></table>{more}"
            )
        if self._note:
            parts.append(f"<p class='beside'>{escape(self._note)}</p>")
        style = ".ago.ago-compare code { white-space: nowrap; } .ago.ago-compare td:last-child { text-align: left; }"
        return framed(f"<style>{style}</style>{''.join(parts)}", "compare")

    def _orders(self) -> Iterator[tuple[str, list[Row]]]:
        for name, rows in (("first", self.first), ("second", self.second)):
            if rows:
                agree = sum(row.agrees for row in rows)
                yield f"{name} order: {agree} of {count_in_words(len(rows), 'element')} agree", rows


def _row(row: Row) -> str:
    kind, mark = ("good", "✓") if row.agrees else ("bad", "✗")
    return (
        f"<tr class='{'' if row.agrees else kind}'><td class='{kind}'>{mark}</td>"
        f"<td><code>{escape(row.element)}</code></td>"
        f"<td>{row.analytic + 0.0:.6g}</td><td>{row.numeric + 0.0:.6g}</td>"
        f"<td>{abs(row.analytic - row.numeric):.2g}</td><td>{escape(row.remark)}</td></tr>"
    )


def _shown(rows: list[Row]) -> list[Row]:
    """The rows that there is room for, in their order; those that disagree have the first claim."""
    if len(rows) <= _SHOWN:
        return rows
    chosen = sorted(range(len(rows)), key=lambda i: (rows[i].agrees, i))[:_SHOWN]
    return [rows[i] for i in sorted(chosen)]


def _in_double(x: Any) -> Any:
    """A Tensor of floats or complex numbers as one of double precision that requires grad; others as they are."""
    if not isinstance(x, Tensor) or x.dtype.kind not in ("float", "complex"):
        return x
    host = np.array(x.detach().to("cpu").double()._host() if x.dtype.kind == "float" else x.detach()._host())
    wide = np.complex128 if x.dtype.is_complex else np.float64
    return new_tensor(host.astype(wide), device=x.device, requires_grad=True)


def _names(function: Callable[..., Any], count: int) -> list[str]:
    """What the function calls its arguments, where Python tells."""
    code = getattr(function, "__code__", None)
    known = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    if hasattr(function, "__self__"):
        known = known[1:]
    return [known[i] if i < len(known) else ("x" if count == 1 else f"input {i}") for i in range(count)]


def _places(x: Tensor) -> list[str]:
    """Where each real number of `x` is."""
    places = [str(list(index)) if index else "" for index in np.ndindex(tuple(x.shape))]
    return [f"{place}.{part}" for place in places for part in ("real", "imag")] if x.dtype.is_complex else places
