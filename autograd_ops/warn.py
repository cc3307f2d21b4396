"""Warnings that point at the user's line."""

from __future__ import annotations

import warnings

from .user_line import user_frame

__all__ = ["warn_user"]


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, as of the nearest line outside this package."""
    frame = user_frame()
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=frame.f_globals.get("__name__"),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )
