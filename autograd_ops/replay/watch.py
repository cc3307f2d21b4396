"""What a step may read besides its arguments: the Python values around it, and whether they are still the same.

A step that is replayed is not run, so what it would have read must be as it was, and what it would have changed must
be what a line of the replay changes. So whatever can be reached from the step is looked at before and after it is
recorded, and before each replay: numbers, strings and what holds them by value, all else by identity.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from autograd_backends import is_array
from autograd_backends.lookup import _kernels

from ..dtypes import DType
from ..nn.hooks import FOR_ALL
from ..nn.module import Module
from ..optim.lr_scheduler.scheduler import LRScheduler
from ..optim.optimizer import Optimizer
from ..random.generator import Generator
from ..tensor import Tensor

__all__ = ["BY_VALUE", "Same", "Watch"]

BY_VALUE = (bool, int, float, complex, str, bytes, type(None), type(...))
_BY_IDENTITY = (Tensor, Optimizer, LRScheduler, Generator, DType, FunctionType)

#: More than this is not looked at before each replay.
_LIMIT = 2000


def _folder(package: str) -> str:
    return str(Path(sys.modules[package].__file__ or "").parent) + os.sep


#: Whose functions are known: what they read and change is the library's own, and written down by lines.
_OWN = (_folder("autograd_ops"), _folder("autograd_backends"))
_KNOWN = (*_OWN, "<frozen", "<autograd_ops")
_STANDARD = sysconfig.get_path("stdlib") + os.sep

#: What a call of these does or gives cannot be replayed.
_EFFECTS = frozenset({"print", "input", "open", "next", "exec", "eval", "setattr", "delattr", "id"})
_EFFECT_MODULES = frozenset({"time", "_random", "posix", "_io", "os"})
_EFFECT_TYPES = frozenset({"_io", "_socket", "socket"})
_EFFECTS_OF_TYPES = frozenset({"write", "flush", "read", "readline", "send", "recv"})

#: Attributes of optimizers, schedulers and Tensors that change from step to step, so that they are read only by name.
_STATEFUL = frozenset({"param_groups", "get_last_lr", "last_epoch", "array", "version", "_version"})

#: Functions in C that read no attributes by names of their own, or are known.
_PLAIN = frozenset({*sys.stdlib_module_names, "numpy", "autograd_ops", "autograd_backends"})

#: Where one of these is called, attributes may be read by names that the code does not show.
_BY_NAME = frozenset({"getattr", "vars", "__dict__", "attrgetter", "hasattr"})


class Same:
    """Something that is compared by identity, and kept."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Same and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


class Unwatchable(Exception):
    """Something that cannot be compared with what it was."""


class Watch:
    """The Python values that a step reads.

    Parameters
    ----------
    step
        The function or module.
    listening
        Whether what runs is not part of what a line calls again.

    Attributes
    ----------
    modules
        Every Module that was found.
    reason
        Why the step cannot be replayed; ``None`` if it can.
    """

    def __init__(self, step: Any, listening: Callable[[], bool]) -> None:
        self._listening = listening
        self._recording = sys._getframe(1).f_code  # of what runs the step
        libraries = {cls.__module__.partition(".")[0] for cls in _kernels} | {"array_api_compat"}
        self._known = (*_KNOWN, *[_folder(name) for name in libraries if hasattr(sys.modules.get(name), "__file__")])
        self.modules: dict[int, Module] = {}
        self.reason: str | None = None
        self._called: dict[int, str] = {}  # cells, by the variable that each is of
        self.gradless: dict[int, bool] = {}  # whether the parameters of modules had no grad when these were found
        self._codes: set[CodeType] = set()
        self._read: dict[tuple[int, str], tuple[Any, str, Any]] = {}  # holder and name, and what was there
        self._alive: list[Any] = []
        self._shown: dict[int, tuple[Module, Any]] = {}  # what the attributes of each module were
        self._of = step
        self._own: CodeType | None = None
        self._by_name = False  # whether attributes may be read by names that no code shows
        if isinstance(step, Module):
            self._note([step], 0)
        else:
            self._own = getattr(getattr(step, "__func__", step), "__code__", None)
            self._note([getattr(step, "__self__", None)], 0)
            function = getattr(step, "__func__", step)
            if isinstance(function, FunctionType):
                self._cells(function)

    # ---------------------------------------------------------------- while the step is recorded

    def look(self, frame: FrameType, event: str, called: Any) -> None:
        """For `sys.setprofile`: note what the user's functions read."""
        if not self._listening():
            return
        code = frame.f_code
        if event == "call":
            if (
                code not in self._codes
                and not _is_library(code.co_filename, self._known)
                and not self._importing(frame)
            ):
                self._codes.add(code)
                stateful = _STATEFUL.intersection(code.co_names)
                if stateful:
                    self._refuse(f"it reads .{min(stateful)}", frame)
                for name in code.co_names:
                    if name in frame.f_globals:
                        self._note(frame.f_globals, name)
                if code.co_freevars and code is not self._own:
                    for function in gc.get_referrers(code):
                        if isinstance(function, FunctionType):
                            self._cells(function)
        elif event == "c_call" and (code in self._codes or not code.co_filename.startswith(_OWN)):
            name, owner = getattr(called, "__name__", ""), getattr(called, "__self__", None)
            module = getattr(called, "__module__", None)
            if type(owner).__module__ in _EFFECT_TYPES and name in _EFFECTS_OF_TYPES:
                if self._importing(frame):
                    return
                self._refuse(f"it calls {name} of a file", frame)
            elif code not in self._codes:
                return
            elif (module or type(owner).__module__).partition(".")[0] not in _PLAIN:
                self._by_name = True  # it may read any attribute of what it is given
            elif (
                (name in _EFFECTS and isinstance(owner, ModuleType))
                or module in _EFFECT_MODULES
                or isinstance(owner, random.Random)
                or getattr(owner, "__module__", None) == "datetime"
                or type(owner).__module__.startswith("numpy.random")
            ):
                self._refuse(f"it calls {name}", frame)

    def _importing(self, frame: FrameType | None) -> bool:
        """Whether it runs because the step imports a module, which happens once."""
        while frame is not None and frame.f_code is not self._recording:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return True
            frame = frame.f_back
        return False

    def _refuse(self, reason: str, frame: FrameType) -> None:
        if self.reason is None:
            self.reason = f"{reason} ({frame.f_code.co_filename}, line {frame.f_lineno})"

    def _cells(self, function: Any) -> None:
        for cell, name in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
            self._called[id(cell)] = name
            self._note(cell, "cell_contents")
        for default in (
            *(getattr(function, "__defaults__", None) or ()),
            *(getattr(function, "__kwdefaults__", None) or {}).values(),
        ):
            self._note([default], 0)

    def _note(self, holder: Any, name: Any) -> None:
        key = (id(holder), name)
        if key in self._read:
            return
        self._alive.append(holder)
        value = _get(holder, name)
        self._alive.append(value)
        known = len(self.modules)
        self._read[key] = (holder, name, self._seen(value))
        for module in list(self.modules.values())[known:]:
            self.gradless.update({id(p): p._grad is None for p in module.parameters()})
            self._shown.update({id(m): (m, _attributes(m)) for m in module.modules() if id(m) not in self._shown})

    def note_attribute(self, owner: Any, name: str) -> None:
        """Watch an attribute of something that is otherwise known by identity."""
        self._note(owner, name)

    def note(self, value: Any) -> None:
        """Watch an object that the step is given."""
        self._note([value], 0)

    def parameters(self) -> list[Tensor]:
        """The parameters and buffers of all modules."""
        return [
            t for m, _ in self._shown.values() for t in (*m._parameters.values(), *m._buffers.values()) if t is not None
        ]

    def _seen(self, value: Any) -> Any:
        return _seen(value, [_LIMIT, True], set(), self.modules)

    # ---------------------------------------------------------------- afterwards

    def finish(self) -> None:
        """Find what the step changed, and how to see quickly whether something has changed since."""
        name = None if self.reason else self._changed()
        if name is not None:
            code = self._own or getattr(getattr(type(self._of), "forward", None), "__code__", None)
            place = "" if code is None else f" ({code.co_filename}, line {code.co_firstlineno})"
            self.reason = f"it changes {name}, which a replay would not{place}"
        elif self.reason is None and (
            any(FOR_ALL.values()) or any(getattr(m, n) for m, _ in self._shown.values() for n in _HOOKS)
        ):
            self.reason = "a module has hooks"
        self._count = Module.changes
        read = {name for code in self._codes for name in code.co_names}
        if self._own is not None:
            read.update(self._own.co_names)
        #: Names of attributes that the step may read; ``None`` for all.
        self._names = None if self._by_name or read & _BY_NAME else frozenset(read)
        for holder, attribute, _ in self._read.values():
            try:
                _seen(_get(holder, attribute), [_LIMIT, False], set(), {}, self._names)
            except Unwatchable as found:
                self.reason = self.reason or f"it reads {found}"
        self._rest: list[tuple[Any, Any, Any]] = []
        self._quick = self._questions()

    def _questions(self) -> Callable[[], bool]:
        """One function that asks for all that can be compared quickly; what cannot is left for the `_rest`."""
        scope: dict[str, Any] = {}
        asked = ["True"]
        for i, (holder, name, seen) in enumerate(self._read.values()):
            if type(holder) is list:
                if type(seen) is tuple and seen[0] not in BY_VALUE:  # given to the step, and may change
                    self._rest.append((holder, name, seen))
                continue
            now = f"h{i}.get({name!r})" if type(holder) is dict else f"h{i}.{name}"
            if type(seen) is Same:
                asked.append(f"{now} is s{i}")
                scope[f"s{i}"] = seen.value
            elif seen[0] in BY_VALUE and type(seen[1]) is seen[0]:
                asked.append(f"({now} is s{i} or ({now} == s{i} and type({now}) is type(s{i})))")
                scope[f"s{i}"] = seen[1]
            else:
                self._rest.append((holder, name, seen))
                continue
            scope[f"h{i}"] = holder
        for module, _ in self._shown.values():
            for name, value in vars(module).items():
                if name in _REGISTERS or _fixed(value) or isinstance(value, (Tensor, Module)):
                    continue
                self._rest.append((vars(module), name, self._seen(value)))
        self._rest = [(h, n, _now(h, n, self._names)) for h, n, _ in self._rest]
        question: Callable[[], bool] = eval("lambda: " + " and ".join(asked), scope)
        return question

    def _changed(self) -> str | None:
        for holder, name, seen in self._read.values():
            if _now(holder, name, kindly=True) != seen:
                return self._called.get(id(holder), str(name))
        for module, shown in self._shown.values():
            if _attributes(module) != shown:
                return f"an attribute of {type(module).__name__}"
        return None

    def holds(self) -> bool:
        """Whether all is as it was when the step was recorded."""
        try:
            if not self._quick() or (Module._hooked and any(FOR_ALL.values())):
                return False
        except (AttributeError, ValueError):  # a variable that has no value any more
            return False
        for holder, name, seen in self._rest:
            if _now(holder, name, self._names) != seen:
                return False
        if Module.changes != self._count:
            if any(_attributes(module) != shown for module, shown in self._shown.values()):
                return False
            self._count = Module.changes
        return True


#: What a module keeps for itself; in step with its attributes.
_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
_REGISTERS = frozenset({"_parameters", "_buffers", "_modules", "_non_persistent", "_state_hooks", *_HOOKS})


def _fixed(value: Any) -> bool:
    """Whether it cannot change by itself."""
    return type(value) in BY_VALUE or (type(value) is tuple and all(map(_fixed, value)))


def _attributes(module: Module) -> Any:
    return [(name, _now(vars(module), name)) for name in vars(module) if name != "_state_hooks"]


def _is_library(file: Any, known: tuple[str, ...] = _KNOWN) -> bool:
    if file is None:
        return False
    return file.startswith(known) or (file.startswith(_STANDARD) and "-packages" not in file)


def _get(holder: Any, name: Any) -> Any:
    if type(holder) is dict:
        return holder.get(name)
    if type(holder) is list:
        return holder[name]
    try:
        return getattr(holder, name)
    except ValueError:  # an empty cell
        return None


def _now(holder: Any, name: Any, names: frozenset[str] | None = None, kindly: bool = False) -> Any:
    """`_seen` of what is there now; something that was never seen, if that cannot be compared and not `kindly`."""
    try:
        return _seen(_get(holder, name), [_LIMIT, kindly], set(), {}, names)
    except Unwatchable:
        return object()


def _unwatchable(what: str, left: list[int]) -> str:
    """What stands for something that cannot be compared, while it is not known whether the step reads it."""
    if left[1]:
        return what
    raise Unwatchable(what)


def _seen(
    value: Any, left: list[int], around: set[int], modules: dict[int, Module], names: frozenset[str] | None = None
) -> Any:
    """What can be compared later: equal if nothing that a step could read has changed."""
    left[0] -= 1
    if left[0] < 0:
        return _unwatchable("more Python values than are compared before each replay", left)
    cls = type(value)
    if cls in BY_VALUE:
        return (cls, value if value or cls is not float else str(value))  # 0.0 is not -0.0
    if isinstance(value, Module):
        modules[id(value)] = value
        return Same(value)
    if isinstance(value, MethodType):
        return (Same(value.__func__), _seen(value.__self__, left, around, modules, names))
    if isinstance(value, (type, ModuleType)):
        home = value if cls is ModuleType else sys.modules.get(value.__module__)
        if _is_library(getattr(home, "__file__", None)) or getattr(home, "__name__", "").startswith("numpy"):
            return Same(value)
        shown = {k: v for k, v in vars(value).items() if type(v) in BY_VALUE or type(v) in (list, dict, set)}
        shown.pop("__builtins__", None)
        return (Same(value), _seen(shown, left, around | {id(value)}, modules, names))
    if isinstance(value, FunctionType):
        return (
            (Same(value), _seen(vars(value), left, around, modules, names))
            if vars(value) and not _is_library(value.__code__.co_filename)
            else Same(value)
        )
    if is_array(value):
        if getattr(value, "nbytes", _LIMIT) >= _LIMIT:
            return _unwatchable("a large array that is no tensor", left)
        return (Same(value), str(value.tolist()))
    if (
        cls.__module__ == __package__
        or isinstance(value, _BY_IDENTITY)
        or (callable(value) and not hasattr(value, "__dict__"))
    ):
        return Same(value)
    if id(value) in around:
        return "itself"
    around = around | {id(value)}
    if isinstance(value, dict):
        return (
            cls,
            [
                (_seen(k, left, around, modules, names), _seen(v, left, around, modules, names))
                for k, v in value.items()
            ],
        )
    if isinstance(value, (list, tuple)):
        return (cls, [_seen(v, left, around, modules, names) for v in value])
    if isinstance(value, (set, frozenset)):
        return (cls, Same(value), len(value), [_seen(v, left, around, modules, names) for v in value])
    if hasattr(value, "__len__") and hasattr(value, "__iter__"):
        return (Same(value), [_seen(v, left, around, modules, names) for v in value])
    if hasattr(value, "__next__"):
        return _unwatchable("an iterator", left)
    held = dict(getattr(value, "__dict__", {}))
    for base in cls.__mro__:
        slots = base.__dict__.get("__slots__", ())
        held.update(
            {n: getattr(value, n, None) for n in ((slots,) if isinstance(slots, str) else slots) if n[:2] != "__"}
        )
    if names is not None:
        held = {name: v for name, v in held.items() if name in names}
    return (Same(value), _seen(held, left, around, modules, names)) if held else (Same(value),)
