"""A process that has one workload open on one library, and does what it is told: a line of JSON in, one out.

    python -m benchmarks.worker torch mlp '{}'

It is told ``{"do": "losses", "steps": 20}``, ``{"do": "time", "steps": 100}`` or ``{"do": "memory", "steps": 3}``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module, metadata
from typing import Any

from .memory import PeakMemory
from .peers import open_session

__all__ = ["Worker"]

#: Steps that are not timed after a training has begun again: first calls compile, allocate, choose.
WARM_UP = 2

#: Seconds after which a slow library need not go on.
PATIENCE = 10.0


class Worker:
    """What a process does for `compare.Process`."""

    def __init__(self, library: str, workload: str, sizes: dict[str, int], clock: Callable[[], float]) -> None:
        self.library = library
        self.peak = PeakMemory()
        self.session = open_session(library, workload, **sizes)
        self.clock = clock

    def about(self) -> str:
        """The library and its version."""
        module = import_module(self.library)
        version = getattr(module, "__version__", None) or metadata.version(self.library)
        onednn = " with oneDNN" if self.library == "autograd_ops" and module.backends.mkldnn.is_available() else ""
        return f"{self.library} {version}{onednn}, NumPy {metadata.version('numpy')}"

    def fingerprint(self) -> int:
        """A number of the weights and data."""
        return int(self.session.fingerprint())

    def losses(self, steps: int) -> list[float]:
        """The losses of the first `steps` steps of a training: three at least, then as `PATIENCE` has room."""
        session, clock = self.session, self.clock
        session.start()
        losses: list[float] = []
        end = clock() + PATIENCE
        while len(losses) < steps and (len(losses) < 3 or clock() < end):
            losses.append(float(session.step().item()))
        return losses

    def time(self, steps: int = 0, seconds: float = 0.0) -> list[float]:
        """Seconds of each of `steps` steps of a training begun anew, or of as many as take `seconds`.

        Five at least, but where they take long only as many as a tenth of `PATIENCE` has room for.
        """
        session, clock = self.session, self.clock
        session.start()
        for _ in range(WARM_UP):
            begun = clock()
            session.step()
            if clock() - begun > PATIENCE / 10:
                break
        times: list[float] = []
        spent = 0.0
        while len(times) < steps if steps else spent < seconds or (spent < PATIENCE / 10 and len(times) < 5):
            start = clock()
            session.step()
            times.append(clock() - start)
            spent += times[-1]
        return times

    def memory(self, steps: int) -> int:
        """The highest number of bytes in memory above those before the network was made."""
        for _ in range(steps):
            self.session.step()
        return self.peak.bytes()


def main() -> None:
    library, workload, options = sys.argv[1:]
    # What a library prints is not taken for an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import_module(library)  # which memory is measured without
    worker = Worker(library, workload, json.loads(options), time.perf_counter)
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        print(json.dumps(getattr(worker, order.pop("do"))(**order)), file=answers, flush=True)


if __name__ == "__main__":
    main()
