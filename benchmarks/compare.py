"""One workload on several libraries, in processes of their own that take turns."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Measured", "Plan", "Process", "about", "compare", "measure_memory", "turns"]

ROOT = Path(__file__).parents[1]

#: Environment variables that set a number of threads: taken away, so that each library has its default.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT")

#: Steps in which memory is measured.
MEMORY_STEPS = 3


@dataclass(frozen=True)
class Plan:
    """How to measure.

    Attributes
    ----------
    pythons
        The interpreter that has each library.
    repeats
        How many times the processes are started.
    turns
        How often, each time, each of them has a turn.
    steps, seconds
        A turn is so many steps, or as many as take so long.
    loss_steps
        How many of the first losses are compared.
    threads
        For every library; ``None`` leaves each to its own default.
    without_onednn
        Whether this library has NumPy alone.
    compiled
        Those whose steps are compiled.
    """

    pythons: dict[str, str]
    repeats: int = 3
    turns: int = 5
    steps: int = 0
    seconds: float = 0.2
    loss_steps: int = 20
    threads: int | None = None
    without_onednn: bool = False
    compiled: Sequence[str] = ()


@dataclass
class Measured:
    """What one library did.

    Attributes
    ----------
    losses
        Of the first steps.
    turns
        The seconds of each step, turn by turn; those of one place in two lists were measured one after the other.
    memory
        Bytes at the peak of a training step, over those before there was a network.
    """

    losses: list[float] = field(default_factory=list)
    turns: list[list[float]] = field(default_factory=list)
    memory: int | None = None


class Process:
    """A worker: see `worker`."""

    def __init__(self, plan: Plan, library: str, workload: str, **sizes: int) -> None:
        options = {**sizes, **({"compiled": True} if library in plan.compiled else {})}
        environment = {name: value for name, value in os.environ.items() if name not in THREADS}
        if plan.threads is not None:
            environment |= {name: str(plan.threads) for name in THREADS[:3]}
        environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "backends")))
        if plan.without_onednn:
            environment["AUTOGRAD_OPS_ONEDNN"] = "0"
        command = [
            plan.pythons[library],
            "-W",
            "ignore",
            "-m",
            "benchmarks.worker",
            library,
            workload,
            json.dumps(options),
        ]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *exception: object) -> None:
        if any(exception):
            self._process.kill()
        self._process.communicate()

    def __call__(self, do: str, **options: Any) -> Any:
        """Have it do something.

        Raises
        ------
        RuntimeError
            If it has died.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            print(json.dumps({"do": do, **options}), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a worker died: {self._process.args!r}")
        return json.loads(line)


def compare(plan: Plan, workload: str, libraries: Sequence[str], **sizes: int) -> dict[str, Measured]:
    """The losses and times of one workload by library.

    All processes are alive at once, and only one works at a time; who begins alternates.

    Raises
    ------
    RuntimeError
        If a library begins with other weights or data than the first.
    """
    measured = {library: Measured() for library in libraries}
    for repeat in range(plan.repeats):
        with ExitStack() as stack:
            workers = {name: stack.enter_context(Process(plan, name, workload, **sizes)) for name in libraries}
            if repeat == 0:
                begun = {name: worker("fingerprint") for name, worker in workers.items()}
                if len(set(begun.values())) > 1:
                    raise RuntimeError(f"{workload}: not all begin with the same weights and data: {begun}")
                for name, worker in workers.items():
                    measured[name].losses = worker("losses", steps=plan.loss_steps)
            for name in turns(libraries, plan.turns):
                measured[name].turns.append(workers[name]("time", steps=plan.steps, seconds=plan.seconds))
    return measured


def turns(libraries: Sequence[str], number: int) -> Iterator[str]:
    """Whose turn it is: each library `number` times, forward and backward in turn."""
    for turn in range(number):
        yield from libraries if turn % 2 == 0 else reversed(libraries)


def measure_memory(plan: Plan, workload: str, library: str, **sizes: int) -> int:
    """The bytes at the peak of a few steps above those before, in a process of its own."""
    with Process(plan, library, workload, **sizes) as worker:
        return int(worker("memory", steps=MEMORY_STEPS))


def about(plan: Plan) -> list[str]:
    """What a table needs to be read: the machine, the versions, how it was measured."""
    lines = [f"{processor()}, {os.cpu_count()} threads, {platform.system()}, Python {platform.python_version()}"]
    for library in plan.pythons:
        with Process(plan, library, "tiny-mlp-sgd") as worker:
            lines.append(worker("about"))
    lines.append(
        f"threads: {'what each library takes by itself' if plan.threads is None else plan.threads}; "
        f"starts of the processes: {plan.repeats}; turns in each: {plan.turns}"
    )
    return lines


def processor() -> str:
    """The processor's name."""
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine()
