"""Where the time of each workload goes in this library, by its own profiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["HEADER", "Parts", "line", "parts", "time_parts"]

HEADER = ("workload", "parts of a training step", "outside", "kept by the tape")

#: Steps before the profile, and in it: at least, and as many as take so many nanoseconds.
WARM_UP, STEPS, ENOUGH = 3, 5, 500_000_000


@dataclass(frozen=True)
class Parts:
    """The shares of a training step.

    Attributes
    ----------
    shares
        What takes how much of the time, from the largest on; `outside` is what is in no op and no region.
    kept
        Bytes that the tape keeps at its peak.
    """

    workload: str
    shares: list[tuple[str, float]]
    outside: float
    kept: int


def time_parts(workload: str, **sizes: int) -> Parts:
    """Profile some steps of `workload`, in this process."""
    import autograd_ops  # the command itself has no need of it

    from .workload import Session
    from .workloads import WORKLOADS

    session = Session(WORKLOADS[workload], autograd_ops, **sizes)
    for _ in range(WARM_UP):
        session.step()
    with autograd_ops.profiler.profile() as profile:
        steps = 0
        while steps < STEPS or profile.wall < ENOUGH:
            session.step()
            steps += 1
    times = {average.label: average.self_time for average in profile.key_averages()}
    return parts(workload, times, profile.wall, profile.peak_kept)


def parts(workload: str, times: dict[str, int], wall: int, kept: int) -> Parts:
    """The shares of `times` in `wall`."""
    ordered = sorted(times.items(), key=lambda item: -item[1])
    shares = [(name, time / wall) for name, time in ordered]
    return Parts(workload, shares, max(1 - sum(share for _, share in shares), 0.0), kept)


def line(found: Parts, most: int = 6) -> Sequence[str]:
    """What a table says of it: the largest parts."""
    shown = ", ".join(f"{name} {share:.0%}" for name, share in found.shares[:most] if share >= 0.03)
    return found.workload, shown, f"{found.outside:.0%}", f"{found.kept / 1e6:.1f} MB"
