"""The table of ops. `registry` fills it; the tape, which comes before any op, finds in it the few that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .registry import Op

__all__ = ["TABLE"]

#: Every op by name.
TABLE: dict[str, Op] = {}
