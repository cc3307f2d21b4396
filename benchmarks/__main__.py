"""Training steps of this library and of others, run in turn on this machine, as ratios.

python -m benchmarks                        all workloads; an environment for the other libraries is made once
python -m benchmarks --only mlp --json mlp.json --plot mlp.png
python -m benchmarks scaling                how time and memory grow
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .compare import Plan, about, compare, measure_memory
from .environment import peer_python
from .markdown import comparison, paste, scaling
from .peers import PEERS, why_not
from .report import HEADER, WIDTHS, cells, columns, curve_line, mean_line
from .scaling import SWEEPS, Curve, sweep
from .summary import Row, summarize
from .workloads import WORKLOADS

OURS = "autograd_ops"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 if losses do not agree."""
    options = _parser().parse_args(arguments)
    if options.list:
        for name, shown in [*WORKLOADS.items(), *SWEEPS.items()]:
            print(f"{name:<16}{shown.title}")
        return 0
    python = peer_python(options.peer_python)
    plan = Plan(
        {OURS: sys.executable, **dict.fromkeys(options.peers, python)},
        options.repeats,
        options.turns,
        options.steps,
        threads=options.threads,
        without_onednn=options.without_onednn,
    )
    return _scaling(plan, options) if options.what == "scaling" else _comparison(plan, options)


def _comparison(plan: Plan, options: argparse.Namespace) -> int:
    rows: list[Row] = []
    print(columns(HEADER, WIDTHS), flush=True)
    for name in options.only or WORKLOADS:
        able = [peer for peer in options.peers if why_not(peer, name) is None]
        measured = compare(plan, name, [OURS, *able])
        for library, m in measured.items():
            m.memory = None if options.no_memory else measure_memory(plan, name, library)
        for peer in able:
            rows.append(summarize(name, peer, measured[OURS], measured[peer], WORKLOADS[name].tolerance))
            print(columns(cells(rows[-1]), WIDTHS), flush=True)
    for peer in options.peers:
        of_peer = [row for row in rows if row.peer == peer]
        if of_peer:
            print(mean_line(of_peer))
        skipped = [name for name in options.only or WORKLOADS if why_not(peer, name) is not None]
        if skipped:
            print(f"{PEERS[peer]} does not run {', '.join(skipped)}: {why_not(peer, skipped[0])}")
    if options.markdown:
        paste(Path(options.markdown), "benchmarks", comparison(rows, about(plan)))
    if options.plot:
        from .plot import draw_comparison  # matplotlib, which only pictures need

        draw_comparison(rows, options.plot)
    _write_json([asdict(row) for row in rows], options.json)
    return 0 if all(row.agree for row in rows) else 1


def _scaling(plan: Plan, options: argparse.Namespace) -> int:
    found: list[Curve] = []
    for name in options.only or SWEEPS:
        curves: dict[str, Curve] = {}
        for size, curves in sweep(plan, name, [OURS, "torch"]):
            for curve in curves.values():
                print(curve_line(curve, size), flush=True)
        found += curves.values()
        for curve in curves.values():
            time, memory = curve.exponents()
            print(f"{PEERS.get(curve.library, OURS)}: time grows as work^{time:.2f}, memory as work^{memory:.2f}")
    if options.markdown:
        paste(Path(options.markdown), "scaling", scaling(found, about(plan)))
    if options.plot:
        from .plot import draw_scaling

        draw_scaling(found, options.plot)
    _write_json([asdict(curve) for curve in found], options.json)
    return 0


def _write_json(content: object, path: str | None) -> None:
    if path:
        Path(path).write_text(json.dumps(content, indent=1) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("what", nargs="?", choices=("compare", "scaling"), default="compare", help="default: compare")
    add("--only", nargs="+", choices=[*WORKLOADS, *SWEEPS], metavar="NAME", help="these workloads, or sweeps")
    add("--list", action="store_true", help="list the workloads, then the sweeps")
    add("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), metavar="LIBRARY", help=", ".join(PEERS))
    add("--peer-python", metavar="PATH", help="an interpreter that has them (default: an environment, made once)")
    add("--repeats", type=int, default=3, help="how often the processes are started (default: 3)")
    add("--turns", type=int, default=5, help="how often each of them then has a turn (default: 5)")
    add("--steps", type=int, default=0, help="training steps in a turn (default: as many as take 0.2 s)")
    add("--threads", type=int, help="for every library (default: what each takes by itself)")
    add("--without-onednn", action="store_true", help="this library on NumPy alone")
    add("--no-memory", action="store_true", help="do not measure memory")
    add("--json", metavar="PATH", help="write all that was measured")
    add("--plot", metavar="PATH", help="draw it (needs matplotlib)")
    add("--markdown", metavar="PATH", help="put tables between the marks in a file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
