"""Events as a file that chrome://tracing and https://ui.perfetto.dev open."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .events import Event

__all__ = ["write_trace"]


def write_trace(
    path: str | os.PathLike[str], events: Sequence[Event], kept: Sequence[tuple[int, int]], zero: int
) -> None:
    """Write `events` and the memory that was `kept`, with times from `zero` on.

    The format is Google's Trace Event Format: complete events ``X``, counters ``C``, metadata ``M``; microseconds.
    """
    process = os.getpid()
    threads = list(dict.fromkeys(event.thread for event in events))
    content: list[dict[str, Any]] = [
        {"ph": "M", "pid": process, "name": "process_name", "args": {"name": "autograd_ops"}},
        *(
            {"ph": "M", "pid": process, "tid": number, "name": "thread_name", "args": {"name": f"thread {number}"}}
            for number in range(len(threads))
        ),
    ]
    for event in sorted(events, key=lambda event: (event.start, -event.end)):
        content.append(
            {
                "ph": "X",
                "pid": process,
                "tid": threads.index(event.thread),
                "name": event.label,
                "cat": event.kind,
                "ts": (event.start - zero) / 1e3,
                "dur": event.total / 1e3,
                "args": {"bytes made": event.made},
            }
        )
    for time, size in kept:
        counter = {"ph": "C", "pid": process, "name": "kept by the tape", "ts": (time - zero) / 1e3}
        content.append({**counter, "args": {"bytes": size}})
    Path(path).write_text(json.dumps({"traceEvents": content, "displayTimeUnit": "ms"}))
