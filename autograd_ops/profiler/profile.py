"""The profiler: while it is on, every op's forward and pull run through it; while it is off, it is not there.

The call path of each op is generated, and names its forward and its pull: `call_path.run_through` has them generated
again with others in their place. So an op that is not being profiled pays nothing, not even a test.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from functools import wraps
from typing import TYPE_CHECKING, Any

from .. import call_path
from ..autograd import core
from ..optim import Optimizer
from ..tape import Node, mode
from .averages import Averages, add_up
from .events import Clock, Event, Recorder
from .kept import KeptMemory
from .trace import write_trace

if TYPE_CHECKING:
    from ..registry import Op

__all__ = ["ProfilerActivity", "ProfilerError", "profile", "record_function"]


class ProfilerActivity(Enum):
    """What PyTorch's profiler is told to look at. Here it is whatever the ops run on."""

    CPU = "cpu"
    CUDA = "cuda"


class ProfilerError(RuntimeError):
    """A profiler was started inside of another, or asked for what it has not measured."""


#: The profile that is on, in all threads; and who may switch it.
_active: profile | None = None
_switch = threading.Lock()


class _Here(threading.local):
    """Whether the walk that this thread is in keeps what nodes saved."""

    retain = False


class profile:  # a context manager, named as one
    """Measure each op in a ``with`` block: how often it runs, how long, and how much memory its results take.

    Ops of all threads are measured; memory that the tape keeps, in the thread that the profile is entered in. There
    can be one at a time. ``backward``, the steps of optimizers, and what `record_function` marks are regions: what is
    their own time is that of the tape, of Python, and of arithmetic that is not an op's.

    Parameters
    ----------
    activities, record_shapes, profile_memory, with_stack
        Accepted for PyTorch's sake. Memory is always measured, shapes and stacks never, and a GPU's time by the clock.
    clock
        Gives nanoseconds.

    Raises
    ------
    ProfilerError
        From `start` and the ``with`` block, if another is on already.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(100, 100, requires_grad=True)
    >>> with ag.profiler.profile() as p:
    ...     y = x.tanh().tanh()
    >>> [(average.label, average.count, average.made) for average in p.key_averages()]
    [('tanh', 2, 80000)]
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        clock: Clock = time.perf_counter_ns,
    ) -> None:
        self._recorder = Recorder(clock)
        self._kept = KeptMemory(self._recorder.now)
        self._here = _Here()
        self._undo = ExitStack()
        self._thread = 0
        self._begin = self._end = 0

    # ---------------------------------------------------------------- on and off

    def start(self) -> None:
        """Begin to measure, as the ``with`` block does.

        Raises
        ------
        ProfilerError
            If another profile is on already.
        """
        global _active
        with _switch:
            if _active is not None:
                raise ProfilerError(
                    "profiler.profile: one is on already, and there can be one at a time: stop it first"
                )
            _active = self
        self._thread = threading.get_ident()
        with ExitStack() as undo:
            undo.callback(_nothing_active)
            undo.callback(call_path.run_through, None)
            call_path.run_through(self._wrapped)
            _put(undo, core, "walk", self._walk_of(core.walk))
            for kind in _with_own_step(Optimizer):
                _put(undo, kind, "step", self._step_of(kind.step))
            _put(undo, mode, "observer", self._observer_over(mode.observer))
            self._undo = undo.pop_all()
        self._begin = self._end = self._recorder.now()

    def stop(self) -> None:
        """Measure no longer; nothing if it is not on."""
        if _active is not self:
            return
        self._end = self._recorder.now()
        self._undo.close()
        self._kept.forget()

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    # ---------------------------------------------------------------- what is put in the place of things

    def _wrapped(self, op: Op, kind: str, function: Callable[..., Any]) -> Callable[..., Any]:
        recorder, name = self._recorder, op.name
        if kind == "forward":
            return lambda *args: recorder.run(name, kind, function, *args)

        def pull(gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
            event = recorder.begin(name, kind)
            pulled: Any = None
            try:
                pulled = function(gradient, saved, parents)
            finally:
                recorder.end(event, (gradient, saved), pulled)
            if op.keeps_arrays and not self._here.retain:
                with recorder.off_the_clock():
                    self._kept.freed(id(saved))
            return pulled

        return pull

    def _walk_of(self, walk: Callable[..., Any]) -> Callable[..., Any]:
        def timed(roots: Any, gradients: Any, retain_graph: bool, create_graph: bool, inputs: Any = None) -> Any:
            before, self._here.retain = self._here.retain, retain_graph
            event = self._recorder.begin("backward", "region")
            try:
                return walk(roots, gradients, retain_graph, create_graph, inputs)
            finally:
                self._recorder.end(event)
                self._here.retain = before

        return timed

    def _step_of(self, step: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(step)
        def timed(optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
            with self._region(f"{type(optimizer).__name__}.step"):
                return step(optimizer, *args, **kwargs)

        return timed

    def _observer_over(self, under: Callable[..., None] | None) -> Callable[[Node, tuple[Any, ...], Any], None]:
        def observer(node: Node, arguments: tuple[Any, ...], result: Any) -> None:
            if under is not None:
                under(node, arguments, result)
            with self._recorder.off_the_clock():
                self._kept.recorded(node, arguments)

        return observer

    @contextmanager
    def _region(self, name: str) -> Iterator[None]:
        event = self._recorder.begin(name, "region")
        try:
            yield
        finally:
            self._recorder.end(event)

    # ---------------------------------------------------------------- what was found

    @property
    def events(self) -> Sequence[Event]:
        """All that happened, in the order in which it ended."""
        return self._recorder.events

    @property
    def wall(self) -> int:
        """Nanoseconds from the beginning to the end, or to now, without what the profiler itself took."""
        return (self._recorder.now() if _active is self else self._end) - self._begin

    @property
    def peak_kept(self) -> int:
        """The most bytes that the tape kept at one time, of parameters and other leaves apart."""
        return self._kept.peak

    @property
    def kept(self) -> list[tuple[float, int]]:
        """Seconds from the start, and the bytes that the tape kept from then on."""
        return [((when - self._begin) / 1e9, size) for when, size in self._kept.history]

    def key_averages(self) -> Averages:
        """The events added up by name and kind: a list, the longest self time first, with a `table` of it."""
        averages = add_up(self.events)
        averages.wall = self.wall
        here = sum(event.self_time for event in self.events if event.thread == self._thread)
        averages.outside = max(averages.wall - here, 0)
        averages.note = f"\nat most {self.peak_kept / 1e6:.1f} MB kept by the tape at one time"
        return averages

    def table(self, sort_by: str = "self", row_limit: int | None = 30) -> str:
        """The same as ``key_averages().table(sort_by, row_limit)``."""
        return self.key_averages().table(sort_by, row_limit)

    def chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write a file for chrome://tracing or https://ui.perfetto.dev: the events, and the memory kept by the tape."""
        write_trace(path, self.events, self._kept.history, self._begin)

    export_chrome_trace = chrome_trace


class record_function:  # a context manager, named as one
    """Mark a ``with`` block, or a function, as a region of that name in the profile that is on; if none is, nothing.

    Parameters
    ----------
    name
        What the table and the trace call it.

    Raises
    ------
    TypeError
        If the name is no str.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> with ag.profiler.profile() as p, ag.profiler.record_function("two sums"):
    ...     _ = ag.ones(3).sum(), ag.ones(4).sum()
    >>> [(event.name, event.kind) for event in p.events]
    [('sum', 'forward'), ('sum', 'forward'), ('two sums', 'region')]
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"profiler.record_function: expected a str as name, got {type(name).__name__}")
        self.name = name
        self._open: list[tuple[Recorder, Event] | None] = []

    def __enter__(self) -> record_function:
        recorder = None if _active is None else _active._recorder
        self._open.append(None if recorder is None else (recorder, recorder.begin(self.name, "region")))
        return self

    def __exit__(self, *exception: object) -> None:
        opened = self._open.pop()
        if opened is not None:
            recorder, event = opened
            recorder.end(event)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name):
                return function(*args, **kwargs)

        return inside


def _nothing_active() -> None:
    global _active
    _active = None


def _put(undo: ExitStack, owner: Any, name: str, value: Any) -> None:
    """Set an attribute, until `undo` is closed."""
    undo.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, value)


def _with_own_step(kind: type[Optimizer]) -> Iterator[type[Optimizer]]:
    """The classes of optimizers that have a step of their own."""
    if "step" in vars(kind):
        yield kind
    for below in kind.__subclasses__():
        yield from _with_own_step(below)
