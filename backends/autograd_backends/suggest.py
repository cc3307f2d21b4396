"""What was meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """``"; did you mean 'float32'?"``, or nothing where no name that is `known` is near.

    Examples
    --------
    >>> did_you_mean("flaot32", ["float32", "int32"])
    "; did you mean 'float32'?"
    >>> did_you_mean(7, ["float32"])
    ''
    """
    if not isinstance(name, str):
        return ""
    from difflib import get_close_matches  # not before it is needed: most programs never do

    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""
