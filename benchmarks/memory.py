"""The peak of a process's memory."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

__all__ = ["PeakMemory"]

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class PeakMemory:
    """How far the memory of this process rises above what it has now.

    On Linux the kernel's own high-water mark of the resident set, VmHWM, is set back to the present and read again.
    Elsewhere it is what ``ru_maxrss`` has risen by, which misses what fits below an earlier peak.
    """

    def __init__(self) -> None:
        try:
            _CLEAR.write_text("5")
        except OSError:
            self._read, self._unit = _maximum, 1 if sys.platform == "darwin" else 1024
        else:
            self._read, self._unit = _high_water, 1024
        self._before = self._read()

    def bytes(self) -> int:
        """The rise so far."""
        return (self._read() - self._before) * self._unit


def _high_water() -> int:
    found = re.search(r"VmHWM:\s*(\d+)", _STATUS.read_text())
    assert found is not None
    return int(found[1])


def _maximum() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
