"""Pictures of what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from .peers import PEERS
from .scaling import SWEEPS, Curve
from .summary import Row
from .workloads import WORKLOADS

__all__ = ["draw_comparison", "draw_scaling"]

#: Colours that differ for all eyes.
OURS, COLOURS = "#0072b2", {"torch": "#d55e00", "mygrad": "#009e73", "pydynet": "#cc79a7", "autograd": "#7f7f7f"}
INK, FAINT = "#333333", "#d9d9d9"


def draw_comparison(rows: Sequence[Row], path: str | Path) -> None:
    """Ratios by workload to the left, loss curves to the right."""
    names = [name for name in WORKLOADS if any(row.workload == name for row in rows)]
    columns = min(3, len(names))
    figure = Figure(figsize=(13, 1.8 + 0.48 * max(len(names), 6)), layout="constrained")
    halves: Any = figure.subfigures(1, 2, width_ratios=(1.15, 1))
    ratios, curves = halves
    _draw_ratios(ratios.subplots(), names, rows)
    lines = -(-len(names) // columns)
    cells = curves.subplots(lines, columns, squeeze=False).ravel()
    for cell, name in zip(cells, names, strict=False):
        _draw_losses(cell, name, [row for row in rows if row.workload == name])
    for cell in cells[len(names) :]:
        cell.set_axis_off()
    curves.suptitle("Losses of the first steps: a line is ours, dots are theirs", fontsize=10.5, color=INK)
    figure.savefig(path, dpi=150)


def _draw_ratios(axes: Any, names: Sequence[str], rows: Sequence[Row]) -> None:
    peers = [peer for peer in PEERS if any(row.peer == peer for row in rows)]
    axes.axvline(1, color=INK, linewidth=1)
    for peer in peers:
        for row in rows:
            if row.peer != peer:
                continue
            y = names.index(row.workload)
            main = peer == peers[0]
            if main:
                axes.barh(y, row.ratio - 1, left=1, height=0.5, color=COLOURS[peer], alpha=0.18)
            axes.plot(row.ratio_quartiles, (y, y), color=COLOURS[peer], linewidth=2, solid_capstyle="butt")
            axes.plot(row.ratio, y, "o" if row.agree else "x", color=COLOURS[peer], markersize=7 if main else 5)
            if main:
                label = f"{row.ratio:.2f}" if row.agree else f"{row.ratio:.2f} WRONG"
                axes.annotate(
                    *(label, (row.ratio, y)),
                    xytext=(0, 6),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8,
                    color=INK,
                )
        axes.plot([], [], "o", color=COLOURS[peer], label=PEERS[peer])
    values = [value for row in rows for value in (row.ratio, *row.ratio_quartiles)]
    axes.set_xscale("log")
    low, high = min(0.2, *values) / 1.3, max(2.0, *values) * 1.3
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 200 * low else (1.0, 3.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yticks(range(len(names)), [WORKLOADS[name].title for name in names])
    axes.set_ylim(len(names) - 0.4, -0.75)
    axes.grid(axis="x", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    _plain(axes)
    axes.set_title("Time of a training step, as a part of theirs (below 1: ours is faster)", fontsize=10.5, color=INK)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.05), ncols=4, frameon=False, fontsize=9)


def _draw_losses(axes: Any, name: str, rows: Sequence[Row]) -> None:
    for row in rows[:1]:
        axes.plot(row.losses, color=OURS, linewidth=1.5)
        axes.plot(row.peer_losses, ".", color=COLOURS[row.peer], markersize=3.5)
    agree = all(row.agree for row in rows)
    axes.set_title(name + ("" if agree else ": WRONG"), fontsize=7.5, color=INK if agree else "red")
    axes.tick_params(labelsize=6.5)
    _plain(axes)


def draw_scaling(curves: Sequence[Curve], path: str | Path) -> None:
    """A column for each sweep: time above, memory below."""
    names = list(dict.fromkeys(curve.sweep for curve in curves))
    figure = Figure(figsize=(3.4 * len(names) + 0.6, 6), layout="constrained")
    grid = figure.subplots(2, len(names), squeeze=False, sharex="col")
    for column, name in enumerate(names):
        times, memories = grid[:, column]
        for curve in curves:
            if curve.sweep != name:
                continue
            time, memory = curve.exponents()
            shown = PEERS.get(curve.library, curve.library)
            colour = COLOURS.get(curve.library, OURS)
            times.plot(curve.work, [s * 1e3 for s in curve.seconds], "o-", color=colour, label=f"{shown}: {time:.2f}")
            megabytes = [max(m, 1e4) / 1e6 for m in curve.memory]
            memories.plot(curve.work, megabytes, "o-", color=colour, label=f"{shown}: {memory:.2f}")
        for axes in (times, memories):
            axes.set(xscale="log", yscale="log")
            axes.grid(color=FAINT, linewidth=0.8)
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.yaxis.set_minor_formatter(NullFormatter())
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.legend(title="growth: exponent at the end", fontsize=8, title_fontsize=8, frameon=False)
            axes.tick_params(labelsize=8)
            _plain(axes)
        memories.set_xlabel(SWEEPS[name].title, fontsize=9, color=INK)
    grid[0, 0].set_ylabel("ms a training step", fontsize=9, color=INK)
    grid[1, 0].set_ylabel("MB at the peak", fontsize=9, color=INK)
    figure.savefig(path, dpi=150)


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(color=FAINT, labelcolor=INK)
