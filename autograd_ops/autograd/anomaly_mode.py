"""Anomalies: NaN and infinity, found at the op that made them and at the line of the program that called it.

The tape has one slot for an observer of ops as they are recorded. While `detect_anomaly` is on, what sits there looks
at each op's result, and gives its node a step that looks at the gradients too. While it is off, nothing does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd_backends import is_array, namespace

from ..pytree import flatten
from ..tape import Node, Step, mode
from ..user_line import user_line
from .around import StepAround

__all__ = ["AnomalyError", "detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_detect_anomaly"]


class AnomalyError(RuntimeError):
    """An op gave NaN, or infinity from finite values, in forward or in backward."""


class set_detect_anomaly:  # a context manager, named as one
    """Look for anomalies from this call on, or for a ``with`` block; or no longer.

    Parameters
    ----------
    mode
        Whether to look.
    check_nan
        Whether to raise for NaN and infinity. If not, an error in backward still says where the op was recorded.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> with ag.autograd.set_detect_anomaly(True):
    ...     ag.is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _tape.observer
        _set(bool(mode), check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _tape.observer = self._before


class detect_anomaly:  # a context manager, named as one
    """In a ``with`` block, raise for the first op that gives NaN or infinity, naming the line that called it.

    Looked at are the results of ops on the tape and, in backward, the gradients that they give. NaN is an anomaly
    always, infinity where all that the op was given is finite: a mask of ``-inf`` is none. What was recorded outside
    of the block is not looked at. Every look reads a whole array, so this is for finding faults and not for training.

    Parameters
    ----------
    check_nan
        As for `set_detect_anomaly`.

    Raises
    ------
    AnomalyError
        From the op, or from backward.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(2, requires_grad=True)
    >>> with ag.autograd.detect_anomaly():
    ...     y = x * float("nan")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    autograd_ops.autograd.anomaly_mode.AnomalyError: forward of mul gave NaN in its result, at ...
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        self._before: list[Any] = []

    def __enter__(self) -> None:
        self._before.append(_tape.observer)
        _set(True, self._check_nan)

    def __exit__(self, *exception: object) -> None:
        _tape.observer = self._before.pop()


def is_anomaly_enabled() -> bool:
    """Whether this thread looks for anomalies."""
    return isinstance(mode.observer, _Watch)


def is_anomaly_check_nan_enabled() -> bool:
    """Whether this thread raises for NaN and infinity."""
    return isinstance(mode.observer, _Watch) and mode.observer.check_nan


_tape = mode


def _set(on: bool, check_nan: bool) -> None:
    under = mode.observer.under if isinstance(mode.observer, _Watch) else mode.observer
    mode.observer = _Watch(check_nan, under) if on else under


class _Watch:
    """The observer that looks at results, over another that there may be."""

    def __init__(self, check_nan: bool, under: Callable[..., None] | None) -> None:
        self.check_nan = check_nan
        self.under = under

    def __call__(self, node: Node, arguments: tuple[Any, ...], result: Any) -> None:
        if self.under is not None:
            self.under(node, arguments, result)
        where = str(user_line())
        if self.check_nan:
            by = f"forward of {node.op.name}"
            _check(by, f"its result, at {where}", _numbers(result), "what it was given", _numbers(arguments))
        node.op = _Watched(node.op, where, self.check_nan)


class _Watched(StepAround):
    """A step whose gradients are looked at."""

    def __init__(self, step: Step, where: str, check_nan: bool) -> None:
        super().__init__(step)
        self._where = where
        self._check_nan = check_nan

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        return self._looked_at(gradient, lambda: self.step.pull(gradient, saved, parents))

    def pull_recorded(self, node: Node, gradient: Any, parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        return self._looked_at(gradient, lambda: self.step.pull_recorded(node, gradient, parents))

    def _looked_at(self, gradient: Any, pull: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        try:
            pulled = pull()
        except AnomalyError:
            raise
        except Exception as error:
            error.add_note(f"in backward of {self.name}, recorded at {self._where}")
            raise
        if self._check_nan:
            by, arrived = f"backward of {self.name}", _numbers(gradient)
            for i, found in enumerate(pulled):
                what = f"the gradient of its input {i}, recorded at {self._where}"
                _check(by, what, _numbers(found), "the gradient that arrived", arrived)
        return pulled


def _check(by: str, what: str, results: Sequence[Any], source: str, given: Sequence[Any]) -> None:
    """Raise if there is NaN in `results`, or infinity where all that was `given` is finite."""
    nan = any(_has(x, "isnan") for x in results)
    if not nan and not any(_has(x, "isinf") for x in results):
        return
    already = [kind for kind, test in (("NaN", "isnan"), ("infinity", "isinf")) if any(_has(x, test) for x in given)]
    if not nan and already:
        return
    origin = f"{' and '.join(already)} was in {source} already" if already else f"{source} was finite"
    raise AnomalyError(f"{by} gave {'NaN' if nan else 'infinity'} in {what} ({origin})")


def _has(x: Any, test: str) -> bool:
    if isinstance(x, (float, complex)):
        return x != x if test == "isnan" else x - x != 0 and x == x
    xp = namespace(x)
    return bool(xp.any(getattr(xp, test)(x)))


def _numbers(tree: Any) -> list[Any]:
    """The arrays of floats, and the Python floats, in what an op was given or gave."""
    leaves = [getattr(leaf, "array", leaf) for leaf in flatten(tree)[0]]
    return [x for x in leaves if isinstance(x, (float, complex)) or (is_array(x) and _inexact(x))]


def _inexact(x: Any) -> bool:
    return bool(namespace(x).isdtype(x.dtype, ("real floating", "complex floating")))
