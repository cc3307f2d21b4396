"""``teach.LossCurve()``: the loss as a curve, while training runs."""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Any

from ..tensor import Tensor
from .charts import lines, spark
from .shell import draws_html
from .shown import Shown, framed
from .words import count_in_words, number

__all__ = ["LossCurve"]

#: Seconds between two drawings.
_PAUSE = 0.25


class LossCurve(Shown):
    """A loss curve that is drawn again as it grows: in a notebook under the cell, in a terminal as one line.

    It needs nothing but this library; ``figure()`` gives the curve to matplotlib, where that is installed.

    Parameters
    ----------
    label
        What the numbers are.
    log
        Whether the upright axis is logarithmic.
    live
        Draw while numbers are added; if not, only when it is shown.

    Attributes
    ----------
    values
        All numbers so far.

    Examples
    --------
    >>> from autograd_ops import teach
    >>> curve = teach.LossCurve(live=False)
    >>> for loss in (4.0, 2.0, 1.0, 0.5):
    ...     curve.add(loss)
    >>> print(curve)
    loss █▄▂▁ 0.5 after 4 steps, least 0.5
    """

    title = "the loss"

    def __init__(self, label: str = "loss", *, log: bool = False, live: bool = True) -> None:
        self.label = label
        self.values: list[float] = []
        self._log = log
        self._live = live
        self._drawn_at = -_PAUSE
        self._handle: Any = None

    def add(self, loss: Any) -> None:
        """Add the next number: a Tensor of one element, or a number.

        Raises
        ------
        TypeError
            If it is neither.
        ValueError
            If it is a Tensor of several elements.
        """
        if isinstance(loss, Tensor):
            if loss.numel() != 1:
                raise ValueError(f"LossCurve.add: a loss is one number, and this Tensor has shape {tuple(loss.shape)}")
            loss = loss.item()
        if isinstance(loss, (str, bytes)) or not hasattr(loss, "__float__"):
            raise TypeError(f"LossCurve.add: expected a Tensor or a number, got {type(loss).__name__}")
        self.values.append(float(loss))
        if self._live and time.monotonic() - self._drawn_at >= _PAUSE:
            self._draw()
            self._drawn_at = time.monotonic()

    def close(self) -> None:
        """Draw what is left to draw, and end the line in a terminal."""
        if self._live and self.values:
            self._draw()
            if self._handle is None:
                print(file=sys.stderr)

    def __enter__(self) -> LossCurve:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def text(self) -> str:
        """A line: the curve in blocks, the last number, and the least."""
        if not self.values:
            return f"{self.label}: no steps yet"
        steps = count_in_words(len(self.values), "step")
        least = min((v for v in self.values if v == v), default=float("nan"))
        return f"{self.label} {spark(self.values)} {number(self.values[-1])} after {steps}, least {number(least)}"

    def html(self) -> str:
        """The curve."""
        points = [(float(step), value) for step, value in enumerate(self.values, 1)]
        chart = lines(points, f"{self.label} over steps", across="steps", log=self._log)
        last = (
            f", <span class='beside'>{number(self.values[-1])} after {len(self.values):,}</span>" if self.values else ""
        )
        return framed(f"<h4>{escape(self.label)}{last}</h4>{chart}", "loss")

    def figure(self) -> Any:
        """The curve as a Figure of matplotlib.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError(
                "LossCurve.figure: matplotlib is not installed; without it the curve shows itself, by html() and save()"
            ) from None
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        axes = figure.add_subplot()
        axes.plot(range(1, len(self.values) + 1), self.values)
        axes.set(xlabel="steps", ylabel=self.label, yscale="log" if self._log else "linear")
        return figure

    def _draw(self) -> None:
        if draws_html():
            from IPython.display import display

            if self._handle is None:
                self._handle = display(self, display_id=True)
            else:
                self._handle.update(self)
        else:
            print(f"\r{self.text()}", end="", file=sys.stderr, flush=True)
