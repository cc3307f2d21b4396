"""Training steps of this library and of others, run in turn on this machine, as ratios.

python -m benchmarks                        all workloads; an environment for the other libraries is made once
python -m benchmarks --only mlp --json mlp.json --plot mlp.png
python -m benchmarks --compiled             with compiled steps of this library
python -m benchmarks scaling                how time and memory grow
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from .compare import Plan, about, compare, measure_memory
from .environment import peer_python
from .markdown import comparison, paste, scaling, where
from .peers import PEERS, why_not
from .report import HEADER, WIDTHS, cells, columns, curve_line, mean_line
from .scaling import SWEEPS, Curve, sweep
from .summary import Row, summarize
from .where import Parts, line, time_parts
from .workloads import WORKLOADS

OURS = "autograd_ops"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 if losses do not agree."""
    options = _parser().parse_args(arguments)
    if options.list:
        titles = {name: shown.title for table in (WORKLOADS, SWEEPS) for name, shown in table.items()}
        for name, title in titles.items():
            print(f"{name:<16}{title}")
        return 0
    whats = list(_WHATS) if options.what == "all" else [options.what]
    # What is made beside the first goes into files of its own.
    return max([_WHATS[what](_for(options, what if what != whats[0] else "")) for what in whats])


def _for(options: argparse.Namespace, what: str) -> argparse.Namespace:
    """The options, with `what` in the names of the files that are written whole."""
    files = {name: Path(path) for name in ("json", "plot") if (path := getattr(options, name)) and what}
    beside = {name: str(path.with_stem(f"{path.stem}-{what}")) for name, path in files.items()}
    return argparse.Namespace(**{**vars(options), **beside})


def _plan(options: argparse.Namespace) -> Plan:
    python = peer_python(options.peer_python)
    return Plan(
        {OURS: sys.executable, **dict.fromkeys(options.peers, python)},
        options.repeats,
        options.turns,
        options.steps,
        threads=options.threads,
        without_onednn=options.without_onednn,
        compiled=(OURS,) if options.compiled else (),
    )


def _comparison(options: argparse.Namespace) -> int:
    plan = _plan(options)
    rows: list[Row] = []
    print(columns(HEADER, WIDTHS), flush=True)
    for name in _named(options, WORKLOADS):
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
        skipped = [name for name in _named(options, WORKLOADS) if why_not(peer, name) is not None]
        if skipped:
            print(f"{PEERS[peer]} does not run {', '.join(skipped)}: {why_not(peer, skipped[0])}")
    if options.markdown:
        mark = "benchmarks without oneDNN" if options.without_onednn else "benchmarks"
        mark = f"{mark} compiled" if options.compiled else mark
        paste(Path(options.markdown), mark, comparison(rows, about(plan)))
    if options.plot:
        from .plot import draw_comparison  # matplotlib, which only pictures need

        draw_comparison(rows, options.plot)
    _write_json([asdict(row) for row in rows], options.json)
    return 0 if all(row.agree for row in rows) else 1


def _without_onednn(options: argparse.Namespace) -> int:
    """The comparison with PyTorch again, on NumPy alone; nothing where that is what was compared already."""
    from autograd_ops.backends import mkldnn

    if options.without_onednn or not mkldnn.is_available():
        return 0
    return _comparison(argparse.Namespace(**{**vars(options), "peers": ["torch"], "without_onednn": True}))


def _scaling(options: argparse.Namespace) -> int:
    plan = _plan(options)
    found: list[Curve] = []
    for name in _named(options, SWEEPS):
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


def _profile(options: argparse.Namespace) -> int:
    found: list[Parts] = []
    for name in _named(options, WORKLOADS):
        found.append(time_parts(name))
        print(": ".join(line(found[-1])[:2]), flush=True)
    if options.markdown:
        paste(Path(options.markdown), "parts", where(found))
    _write_json([asdict(parts) for parts in found], options.json)
    return 0


def _named(options: argparse.Namespace, table: Mapping[str, object]) -> list[str]:
    """What ``--only`` names in a table, or all of it."""
    return [name for name in table if not options.only or name in options.only]


def _write_json(content: object, path: str | None) -> None:
    if path:
        Path(path).write_text(json.dumps(content, indent=1) + "\n")


_WHATS = {"compare": _comparison, "without-onednn": _without_onednn, "scaling": _scaling, "profile": _profile}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("what", nargs="?", choices=["all", *_WHATS], default="compare", help="default: compare")
    add("--only", nargs="+", choices=[*WORKLOADS, *SWEEPS], metavar="NAME", help="these workloads, or sweeps")
    add("--list", action="store_true", help="list the workloads, then the sweeps")
    add("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), metavar="LIBRARY", help=", ".join(PEERS))
    add("--peer-python", metavar="PATH", help="an interpreter that has them (default: an environment, made once)")
    add("--repeats", type=int, default=3, help="how often the processes are started (default: 3)")
    add("--turns", type=int, default=5, help="how often each of them then has a turn (default: 5)")
    add("--steps", type=int, default=0, help="training steps in a turn (default: as many as take 0.2 s)")
    add("--threads", type=int, help="for every library (default: what each takes by itself)")
    add("--without-onednn", action="store_true", help="this library on NumPy alone")
    add("--compiled", action="store_true", help="this library's steps through compile; the others as they are")
    add("--no-memory", action="store_true", help="do not measure memory")
    add("--json", metavar="PATH", help="write all that was measured")
    add("--plot", metavar="PATH", help="draw it (needs matplotlib)")
    add("--markdown", metavar="PATH", help="put tables between the marks in a file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
