"""A reader of pickles that runs nothing: it knows numbers, strings, containers, and the names that it is given.

Python's own ``pickle`` imports what a file names and calls it. Here a name is looked up in a table, and what stands
there are functions of this library that check what they are given; any other name ends the reading, and so does every
instruction that would make an object or set its attributes.

The instructions are those of Python's ``pickletools``, protocols 0 to 5.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pickletools import opcodes
from typing import Any

from .errors import SerializationError

__all__ = ["Inner", "Maker", "Pickle", "TakesState", "elements", "kept", "refuse"]

#: A batch of items is at most 1,000 pairs deep on the stack; what is much deeper is not what ``pickle`` writes.
MAX_STACK = 10_000
MAX_NESTING = 1_000

#: What can be a key of a dict or an element of a set, or in a tuple that is one. Tuples in tuples, each twice in the
#: next, would take for ever to hash.
_KEYS = (str, int, float, bool, bytes, complex, type(None))

_NAMES = {ord(opcode.code): opcode.name for opcode in opcodes}


class Inner:
    """What only makes sense inside a pickle: it cannot be, or be in, what is read."""


@dataclass(frozen=True, slots=True)
class Maker(Inner):
    """What a name in a pickle stands for, if it may be called: the function that is called in its place."""

    name: str
    make: Callable[..., Any]


class TakesState(Inner):
    """What a Maker makes that a pickle may give a state to: no object of anybody's, but a note about one."""

    def take_state(self, state: Any) -> None:
        """Check `state`, and note what of it counts."""
        raise NotImplementedError


def refuse(what: str, advice: str = "") -> SerializationError:
    """The error for a file that holds something that would have to be run."""
    return SerializationError(
        f"it holds {what}, and only tensors, parameters, containers and numbers are read: "
        + (advice or "save a state_dict() where it came from")
    )


class Pickle:
    """One pickle in `data`, from `at` on.

    Parameters
    ----------
    names
        What the pickle may name, as ``"module.name"``: values, and Makers, which may be called.
    persistent
        What makes an object of a persistent id.
    advice
        What is said beside a name that is refused, by its beginning.

    Attributes
    ----------
    at
        Where the next instruction is; after `read`, the end of the pickle.
    """

    def __init__(
        self,
        data: bytes,
        at: int = 0,
        *,
        names: Mapping[str, Any],
        persistent: Callable[[Any], Any],
        advice: Mapping[str, str],
    ) -> None:
        self.data = data
        self.at = at
        self._names = names
        self._persistent = persistent
        self._advice = advice
        self._stack: list[Any] = []
        self._marked: list[list[Any]] = []
        self._memo: dict[int, Any] = {}

    def read(self) -> Any:
        """The object.

        Raises
        ------
        SerializationError
            If the pickle names something else than `names`, or is damaged.
        """
        try:
            return self._run()
        except SerializationError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error) as error:
            raise SerializationError(f"its pickle is damaged near byte {self.at} ({error})") from error

    def _run(self) -> Any:
        while True:
            code = self._take(1)[0]
            if code == 0x2E:  # STOP
                return kept(self._stack.pop())
            step = _STEPS.get(code)
            if step is None:
                name = _NAMES.get(code)
                if name is None:
                    raise ValueError(f"no instruction {code:#x}")
                raise refuse(f"the instruction {name}")
            step(self)
            if len(self._stack) > MAX_STACK:
                raise SerializationError(f"its pickle needs a stack of more than {MAX_STACK}")

    # ---------------------------------------------------------------- bytes

    def _take(self, count: int) -> bytes:
        taken = self.data[self.at : self.at + count]
        if count < 0 or len(taken) != count:
            raise SerializationError("it is cut off")
        self.at += count
        return taken

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _line(self) -> str:
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise SerializationError("it is cut off")
        line = self.data[self.at : end].decode()
        self.at = end + 1
        return line

    # ---------------------------------------------------------------- the stack

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _mark(self) -> None:
        if len(self._marked) >= MAX_NESTING:
            raise SerializationError(f"its pickle is nested more than {MAX_NESTING} deep")
        self._marked.append(self._stack)
        self._stack = []

    def _to_mark(self) -> list[Any]:
        items, self._stack = self._stack, self._marked.pop()
        return items

    def _last(self, count: int) -> tuple[Any, ...]:
        if len(self._stack) < count:
            raise IndexError("the stack is empty")
        items = tuple(self._stack[len(self._stack) - count :])
        del self._stack[len(self._stack) - count :]
        return items

    def _drop(self) -> None:
        self._last(1)

    def _append(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not list:
            raise TypeError(f"cannot append to a {type(target).__name__}")
        target.extend(kept(item) for item in items)

    def _add(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not set:
            raise TypeError(f"cannot add to a {type(target).__name__}")
        target.update(elements(items))

    def _set(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) not in (dict, OrderedDict):
            raise TypeError(f"cannot set items of a {type(target).__name__}")
        target.update(_pairs(items))

    # ---------------------------------------------------------------- names

    def _global(self, module: Any, name: Any) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise TypeError("a name is not a string")
        full = f"{module}.{name}"
        if full not in self._names:
            advice = [text for start, text in self._advice.items() if full.startswith(start)]
            raise refuse(full, *advice[:1])
        self._push(self._names[full])

    def _reduce(self) -> None:
        maker, arguments = self._last(2)
        if not isinstance(maker, Maker) or type(arguments) is not tuple:
            raise TypeError("it calls what is no function")
        self._push(maker.make(*arguments))

    def _build(self) -> None:
        (state,) = self._last(1)
        target = self._stack[-1]
        if type(target) is OrderedDict and type(state) is dict and set(state) <= {"_metadata"}:
            return  # the versions of modules, which state dicts of PyTorch carry
        if isinstance(target, TakesState):
            target.take_state(state)
            return
        raise refuse(f"a {type(target).__name__} with attributes")

    def _memoize(self, index: int) -> None:
        self._memo[index] = self._stack[-1]

    def _recall(self, index: int) -> None:
        self._push(self._memo[index])


def kept(value: Any) -> Any:
    """`value`, if it can be in what is read."""
    if isinstance(value, Inner):
        raise refuse(getattr(value, "name", "memory that belongs to no tensor"))
    return value


def elements(items: Any) -> list[Any]:
    """`items`, if all can be elements of a set."""
    if type(items) not in (list, tuple):
        raise TypeError("elements come in a list")
    for item in items:
        for part in item if type(item) is tuple else (item,):
            if type(part) not in _KEYS:
                raise refuse(f"a key that is a {type(item).__name__}, or has a {type(part).__name__}")
    return list(items)


def _pairs(items: list[Any]) -> list[tuple[Any, Any]]:
    if len(items) % 2:
        raise ValueError("a key without a value")
    return list(zip(elements(items[::2]), map(kept, items[1::2]), strict=True))


def _integer(line: str) -> int | bool:
    return {"00": False, "01": True}[line] if line in ("00", "01") else int(line)


def _frame(pickle: Pickle) -> None:
    """A frame says how many bytes follow; there must be so many."""
    if pickle._number("<Q") > len(pickle.data) - pickle.at:
        raise SerializationError("it is cut off")


def _protocol(pickle: Pickle) -> None:
    protocol = pickle._take(1)[0]
    if protocol > 5:
        raise ValueError(f"no protocol {protocol}")


def _steps() -> dict[int, Callable[[Pickle], None]]:
    """What each instruction does, by its code."""

    def text(form: str) -> Callable[[Pickle], None]:
        return lambda p: p._push(p._take(p._number(form)).decode("utf-8", "surrogatepass"))

    def ascii(form: str) -> Callable[[Pickle], None]:
        return lambda p: p._push(p._take(p._number(form)).decode("ascii"))

    def binary(form: str, kind: Any = bytes) -> Callable[[Pickle], None]:
        return lambda p: p._push(kind(p._take(p._number(form))))

    def long(form: str) -> Callable[[Pickle], None]:
        return lambda p: p._push(int.from_bytes(p._take(p._number(form)), "little", signed=True))

    def number(form: str) -> Callable[[Pickle], None]:
        return lambda p: p._push(p._number(form))

    def constant(value: Any) -> Callable[[Pickle], None]:
        return lambda p: p._push(value)

    by_name: dict[str, Callable[[Pickle], None]] = {
        "PROTO": _protocol,
        "FRAME": _frame,
        # numbers
        "INT": lambda p: p._push(_integer(p._line())),
        "LONG": lambda p: p._push(int(p._line().rstrip("L"))),
        "FLOAT": lambda p: p._push(float(p._line())),
        "BININT": number("<i"),
        "BININT1": number("<B"),
        "BININT2": number("<H"),
        "LONG1": long("<B"),
        "LONG4": long("<i"),
        "BINFLOAT": number(">d"),
        "NONE": constant(None),
        "NEWTRUE": constant(True),
        "NEWFALSE": constant(False),
        # strings and bytes
        "BINSTRING": ascii("<i"),
        "SHORT_BINSTRING": ascii("<B"),
        "BINUNICODE": text("<I"),
        "SHORT_BINUNICODE": text("<B"),
        "BINUNICODE8": text("<Q"),
        "UNICODE": lambda p: p._push(p._line().encode("ascii").decode("raw-unicode-escape")),
        "BINBYTES": binary("<I"),
        "SHORT_BINBYTES": binary("<B"),
        "BINBYTES8": binary("<Q"),
        "BYTEARRAY8": binary("<Q", bytearray),
        # containers
        "EMPTY_LIST": lambda p: p._push([]),
        "EMPTY_DICT": lambda p: p._push({}),
        "EMPTY_SET": lambda p: p._push(set()),
        "EMPTY_TUPLE": constant(()),
        "LIST": lambda p: p._push([kept(item) for item in p._to_mark()]),
        "DICT": lambda p: p._push(dict(_pairs(p._to_mark()))),
        "FROZENSET": lambda p: p._push(frozenset(elements(p._to_mark()))),
        "TUPLE": lambda p: p._push(tuple(p._to_mark())),
        "TUPLE1": lambda p: p._push(p._last(1)),
        "TUPLE2": lambda p: p._push(p._last(2)),
        "TUPLE3": lambda p: p._push(p._last(3)),
        "APPEND": lambda p: p._append(list(p._last(1))),
        "APPENDS": lambda p: p._append(p._to_mark()),
        "ADDITEMS": lambda p: p._add(p._to_mark()),
        "SETITEM": lambda p: p._set(list(p._last(2))),
        "SETITEMS": lambda p: p._set(p._to_mark()),
        # the stack and the memo
        "MARK": Pickle._mark,
        "POP": lambda p: p._drop(),
        "POP_MARK": lambda p: p._to_mark().clear(),
        "DUP": lambda p: p._push(p._stack[-1]),
        "PUT": lambda p: p._memoize(int(p._line())),
        "BINPUT": lambda p: p._memoize(p._number("<B")),
        "LONG_BINPUT": lambda p: p._memoize(p._number("<I")),
        "MEMOIZE": lambda p: p._memoize(len(p._memo)),
        "GET": lambda p: p._recall(int(p._line())),
        "BINGET": lambda p: p._recall(p._number("<B")),
        "LONG_BINGET": lambda p: p._recall(p._number("<I")),
        # names
        "GLOBAL": lambda p: p._global(p._line(), p._line()),
        "STACK_GLOBAL": lambda p: p._global(*p._last(2)),
        "REDUCE": Pickle._reduce,
        "BUILD": Pickle._build,
        "BINPERSID": lambda p: p._push(p._persistent(p._last(1)[0])),
    }
    codes = {name: code for code, name in _NAMES.items()}
    return {codes[name]: step for name, step in by_name.items()}


_STEPS = _steps()
