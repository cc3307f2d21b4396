"""Training steps that are recorded once and then replayed: ``autograd_ops.compile``."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ..arrays import get_default_device
from ..call_path import runs_through
from ..dtypes import get_default_dtype
from ..nn.module import Module
from ..tape import mode
from ..tensor import Tensor
from ..warn import warn_user
from .arguments import objects_in, question, shape_of
from .recorder import Recorder
from .replay import Replay
from .watch import Watch

__all__ = ["Compiled", "compile"]

#: So many recordings are kept of one step; after that it runs eagerly.
MOST = 16

#: One step is recorded at a time: meanwhile the ops of all threads are stubs.
_recording = threading.RLock()


def compile(model: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A step that is recorded when it is first called, and replayed after that.

    The replay does what the step did with arrays, in one straight function, and nothing else of what Python did. It
    gives the same numbers, bit for bit. Arguments of another shape, dtype or structure are recorded anew, as is a step
    around which something has changed. One that cannot be replayed runs as it is, and a warning says why.

    Parameters
    ----------
    model
        A function, or a Module, whose calls are then replayed.
    **options
        ``disable=True`` gives `model` back. ``fullgraph``, ``dynamic``, ``backend``, ``mode`` and ``options`` are
        accepted for PyTorch's sake.

    Returns
    -------
    Compiled or Module
        With a ``source()`` that shows what is replayed. Without `model`, a decorator.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> @ag.compile(fullgraph=True)
    ... def double(x):
    ...     return 2 * x
    >>> double(ag.tensor([1.0])), double(ag.tensor([3.0]))
    (tensor([2.]), tensor([6.]))
    """
    if model is None:
        return lambda function: compile(function, **options)
    if options.get("disable") or isinstance(model, Compiled):
        return model
    if isinstance(model, Module):
        return _compiled_module(model)
    return Compiled(model)


class Compiled:
    """A function that is recorded and replayed; see `compile`."""

    def __init__(self, function: Callable[..., Any], of: Any = None) -> None:
        self._function = function
        self._of = function if of is None else of
        self._replays: dict[Any, list[Replay]] = {}
        self._count = 0
        self._eager = False
        self._asked: dict[Replay, Callable[[Any, Any], Any] | None] = {}
        #: The replay that ran last, what asks whether arguments are such as it is for, and what else it is for.
        self._last: tuple[Replay, Callable[[Any, Any], Any], Any] | None = None
        update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        last = self._last
        if last is not None:
            replay, fitting, around = last
            tensors = fitting(args, kwargs)
            if tensors is not None and around == _around() and replay.lock.acquire(blocking=False):
                try:
                    if replay.holds():
                        return replay.run(tensors)
                finally:
                    replay.lock.release()
        return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call, with whichever replay there is for it."""
        if self._eager:
            return self._function(*args, **kwargs)
        around = _around()
        if around is None:
            return self._function(*args, **kwargs)
        tensors: list[Any] = []
        try:
            key = (shape_of(args, tensors), shape_of(kwargs, tensors) if kwargs else None, around)
            replays = self._replays.get(key)
        except TypeError:  # something that has no hash
            return self._function(*args, **kwargs)
        for replay in replays or ():
            if not replay.lock.acquire(blocking=False):  # it runs in another thread, or around this call
                return self._function(*args, **kwargs)
            try:
                if replay.holds():
                    if replay not in self._asked:
                        self._asked[replay] = question(args, kwargs)
                    asked = self._asked[replay]
                    self._last = None if asked is None else (replay, asked, around)
                    return replay.run(tensors)
            finally:
                replay.lock.release()
        return self._record(key, tensors, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        return Compiled(self._function.__get__(instance, owner))

    def source(self) -> str:
        """The source of every replay, for readers."""
        texts = [replay.source for replays in self._replays.values() for replay in replays]
        return "\n\n".join(texts)

    def _record(self, key: Any, tensors: list[Any], args: Any, kwargs: Any) -> Any:
        name = getattr(self, "__name__", "step")
        if self._count >= MOST:
            self._give_up(name, f"it was recorded {MOST} times, and still something was new")
            return self._function(*args, **kwargs)
        with _recording:
            _here.recording = True
            recorder = Recorder(tensors)
            watch = Watch(self._of, recorder.is_listening)
            recorder.read_attribute = watch.note_attribute
            for value in objects_in((args, kwargs)):
                watch.note(value)
            profile, collecting = sys.getprofile(), gc.isenabled()
            # A collection would run what others call back then, and finalizers, as if it were part of the step.
            gc.disable()
            try:
                with recorder.recording():
                    sys.setprofile(watch.look)
                    try:
                        result = self._function(*args, **kwargs)
                    finally:
                        sys.setprofile(profile)
                    recorder.finish()
                watch.finish()
                given = {id(t.array if isinstance(t, Tensor) else t) for t in tensors}
                if any(id(p.array) in given for p in watch.parameters()):
                    recorder.give_up("it is given a parameter of a module that it uses")
                reason = recorder.reason or watch.reason
                if reason is None:
                    replay = Replay(name, recorder, watch, tensors, result)
                    reason = replay.reason
            finally:
                _here.recording = False
                if collecting:
                    gc.enable()
        if reason is not None:
            self._give_up(name, reason)
            return result
        self._count += 1
        self._replays.setdefault(key, []).append(replay)
        return result

    def _give_up(self, name: str, reason: str) -> None:
        self._eager = True
        self._last = None
        self._replays.clear()
        warn_user(f"compile: {name} runs as it is, without replay: {reason}")


class _Here(threading.local):
    recording: bool = False


_here = _Here()


def _around() -> Any:
    """The library's settings that a recording is for; ``None`` where steps have to run as they are."""
    if mode.observer is not None or runs_through() or _here.recording:
        return None
    return mode.enabled, get_default_dtype(), get_default_device()


def _compiled_module(module: Module) -> Module:
    """A module of the same attributes, whose calls are replayed."""
    cls = type(module)
    compiled = Compiled(lambda *args, **kwargs: cls.__call__(module, *args, **kwargs), module)
    compiled.__name__ = cls.__name__  # type: ignore[attr-defined]

    def plain(self: Any, protocol: Any) -> Any:
        return (_module, (cls, self.__dict__))

    body = {
        "__call__": lambda self, *args, **kwargs: compiled(*args, **kwargs),
        "__reduce_ex__": plain,
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "source": staticmethod(compiled.source),
        "_orig_mod": property(lambda self: module),
    }
    made: Module = object.__new__(type(cls.__name__, (cls,), body))
    object.__setattr__(made, "__dict__", module.__dict__)
    return made


def _module(cls: type[Module], attributes: dict[str, Any]) -> Module:
    module = object.__new__(cls)
    module.__dict__.update(attributes)
    return module
