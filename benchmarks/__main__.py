"""The command line: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from .compare import Plan, compare, measure_memory, this_python
from .peers import PEERS, why_not
from .report import HEADER, cells, columns, mean_line
from .summary import Row, summarize
from .workloads import WORKLOADS

OURS = "autograd_ops"


def run(plan: Plan, names: list[str], peers: list[str], memory: bool) -> list[Row]:
    """Measure, and print each row when it is there."""
    rows: list[Row] = []
    widths = (max(len(w.title) for w in WORKLOADS.values()), 8, 8, 5, 12, 5, 17, 12)
    print(columns(HEADER, widths), flush=True)
    for name in names:
        able = [peer for peer in peers if why_not(peer, name) is None]
        measured = compare(plan, name, [OURS, *able])
        if memory:
            for library, m in measured.items():
                m.memory = measure_memory(plan, name, library)
        for peer in able:
            row = summarize(name, peer, measured[OURS], measured[peer], WORKLOADS[name].tolerance)
            rows.append(row)
            print(columns(cells(row), widths), flush=True)
    return rows


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(WORKLOADS), metavar="NAME", help="run these workloads")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), help="compare with these")
    parser.add_argument("--peer-python", metavar="PATH", help="an interpreter that has the other libraries")
    parser.add_argument("--repeats", type=int, default=3, help="how often the processes are started (default: 3)")
    parser.add_argument("--turns", type=int, default=5, help="how often each then has a turn (default: 5)")
    parser.add_argument("--steps", type=int, default=0, help="steps in a turn (default: as many as take 0.2 s)")
    parser.add_argument("--threads", type=int, help="for every library (default: what each takes by itself)")
    parser.add_argument("--without-onednn", action="store_true", help="run this library on NumPy alone")
    parser.add_argument("--no-memory", action="store_true", help="do not measure memory")
    parser.add_argument("--json", metavar="PATH", help="write everything that was measured")
    options = parser.parse_args(arguments)
    if options.list:
        for workload in WORKLOADS.values():
            print(f"{workload.name:<16}{workload.title}")
        return
    plan = Plan(
        {OURS: this_python(), **dict.fromkeys(options.peers, options.peer_python)},
        options.repeats,
        options.turns,
        options.steps,
        threads=options.threads,
        without_onednn=options.without_onednn,
    )
    rows = run(plan, options.only or list(WORKLOADS), options.peers, not options.no_memory)
    for peer in options.peers:
        of_peer = [row for row in rows if row.peer == peer]
        if of_peer:
            print(mean_line(of_peer))
    if options.json:
        with open(options.json, "w") as file:
            json.dump([asdict(row) for row in rows], file, indent=1)
    sys.exit(0 if all(row.agree for row in rows) else 1)


if __name__ == "__main__":
    main()
