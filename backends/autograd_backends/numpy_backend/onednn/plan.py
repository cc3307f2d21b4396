"""Plans: what oneDNN does in one call, made once for arrays of given shapes, strides and dtypes, and run many times.

The key of a plan holds all that its descriptors are made from, so what it is run on is what it was made for: oneDNN
itself checks nothing, and would read past the end of an array that is smaller.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from ctypes import byref, c_char_p, c_int, c_void_p
from typing import Any

import numpy as np

from ...array_types import Array, Shape
from ..buffers import empty
from . import room as rooms
from .constants import OUT_OF_MEMORY, QUERY_IMPLEMENTATION, QUERY_SCRATCHPAD, SCRATCHPAD, SCRATCHPAD_USER, TYPES
from .library import Library
from .memory import FLOAT32, Handle, Operand, Refused, address
from .room import Room

__all__ = ["Plan", "PostOp", "made", "prepare", "run", "run_copied"]

#: A post-op: ("eltwise", algorithm, alpha, beta), ("sum", scale) or ("binary", algorithm, operand).
PostOp = tuple[Any, ...]

_UNKNOWN: Any = object()

#: The most elements that a kernel of a few operations for each passes over on one thread.
ALONE = 2**16


class _Argument(ctypes.Structure):
    _fields_ = (("place", c_int), ("memory", c_void_p))


class Plan:
    """Primitives, run one after the other, and the memory that they read and write.

    A kernel's ``build(plan, options, *operands)`` fills it in by `primitive` and `step`.

    Attributes
    ----------
    lib
        The library.
    size
        The bytes that it needs in the arena.
    alone
        Whether the calling thread runs it without others, where that is not a matter of how it was described.
    extras
        The bytes of arrays that the caller passes beside those the plan was made for, in their order.
    failed
        Whether oneDNN failed to run it.
    """

    def __init__(self, lib: Library, arrays: int) -> None:
        self.lib = lib
        self.size = 0
        self.alone = False
        self.extras: list[int] = []
        self.failed = False
        self._arrays = arrays
        self._scratch = 0
        self._base = 0
        self._kept: list[Any] = []
        # Bare pointers, of what is kept: they cost a call less than the handles that own them.
        self._outside: list[tuple[c_void_p, int]] = []
        self._inside: list[tuple[c_void_p, int]] = []
        self._scratchpads: list[c_void_p] = []
        self._steps: list[tuple[c_void_p, int, c_void_p]] = []
        self._memories: dict[int, tuple[c_void_p, Operand]] = {}

    # ---------------------------------------------------------------- what a kernel builds it with

    def primitive(
        self, kind: str, *arguments: Any, post_ops: tuple[PostOp, ...] = (), reference: bool = False
    ) -> Handle:
        """A primitive's description: `arguments` are those of ``dnnl_<kind>_primitive_desc_create``.

        Without the engine and the attributes. Operands stand for their descriptors, None for what is left out.

        Raises
        ------
        Refused
            If oneDNN has no such primitive, or only its slow reference, where `reference` does not allow it.
        """
        description = Handle(self.lib.primitive_desc_destroy)
        create = getattr(self.lib, f"{kind}_primitive_desc_create")
        attributes = self._attributes(post_ops)
        self._check(create(description.place, self.lib.engine, *arguments, attributes), kind)
        if not reference and self.implementation(description).startswith("ref"):
            raise Refused(f"{kind} has but a reference implementation")
        return description

    def step(self, description: Handle, operands: dict[int, Operand]) -> None:
        """Run the primitive of `description` next, on `operands` by their place (``constants.SRC``...)."""
        primitive = Handle(self.lib.primitive_destroy)
        self._check(self.lib.primitive_create(primitive.place, description), "a primitive")
        memories = [(place, self._memory(operand)) for place, operand in operands.items()]
        wanted = self.lib.query_md(description, QUERY_SCRATCHPAD, 0)
        size = self.lib.size_of_md(wanted) if wanted else 0
        if size:
            scratchpad = self._new_memory(c_void_p(wanted))
            self._scratchpads.append(scratchpad)
            self._scratch = max(self._scratch, size)
            memories.append((SCRATCHPAD, scratchpad))
        arguments = (_Argument * len(memories))(*[_Argument(*memory) for memory in memories])
        self._kept += [primitive, arguments]
        self._steps.append((primitive._as_parameter_, len(memories), c_void_p(ctypes.addressof(arguments))))

    def inside(self, description: Handle, query: int, index: int = 0) -> Operand:
        """Memory of the plan's own, laid out as the primitive of `description` wants it: ``constants.QUERY_SRC``..."""
        found = c_void_p(self.lib.query_md(description, query, index))
        return self._own(found)

    def extra(self, description: Handle, query: int, index: int = 0) -> Operand:
        """Memory in the layout that a primitive wants, in one more array that the caller passes to `run`, of bytes."""
        found = c_void_p(self.lib.query_md(description, query, index))
        self.extras.append(self.lib.size_of_md(found))
        return Operand(self.lib, self._clone(found), self._arrays + len(self.extras) - 1)

    def laid_out(self, operand: Operand, description: Handle, query: int, index: int = 0) -> Operand:
        """`operand` as the primitive wants it: itself, or what a step that copies it writes."""
        wanted = c_void_p(self.lib.query_md(description, query, index))
        if self.lib.same_md(wanted, operand):
            return operand
        copy = self._own(wanted)
        self.reorder(operand, copy)
        return copy

    def room_for(self, operand: Operand, description: Handle, query: int, index: int = 0) -> Operand:
        """Where the primitive is to write what belongs into `operand`: `deliver` copies it there after its step."""
        wanted = c_void_p(self.lib.query_md(description, query, index))
        return operand if self.lib.same_md(wanted, operand) else self._own(wanted)

    def deliver(self, written: Operand, operand: Operand) -> None:
        """Copy what a step wrote where it belongs, if it is not there."""
        if written is not operand:
            self.reorder(written, operand)

    def reorder(self, source: Operand, target: Operand) -> None:
        """Copy `source` into the layout of `target` next."""
        lib = self.lib
        description = Handle(lib.primitive_desc_destroy)
        status = lib.reorder_primitive_desc_create(
            description.place, source, lib.engine, target, lib.engine, self._attributes(())
        )
        self._check(status, "a reorder")
        self.step(description, {1: source, 17: target})

    def implementation(self, description: Handle) -> str:
        """What oneDNN calls the implementation that it chose."""
        name = c_char_p()
        self.lib.primitive_desc_query(description, QUERY_IMPLEMENTATION, 0, byref(name))
        return (name.value or b"ref").decode()

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Primitives described and stepped within it run on the thread that calls: for what is too little to share.

        To wake a second thread costs what it saves on some ten microseconds of work, and milliseconds where other
        programs keep the processors busy.
        """
        before = self.lib.threads()
        self.lib.set_threads(1)
        try:
            yield
        finally:
            self.lib.set_threads(before)

    def shared(self, elements: int) -> AbstractContextManager[None]:
        """Primitives described and stepped within it run on one thread if they pass over few elements, else on all."""
        if elements > ALONE:
            return nullcontext()
        self.alone = True
        return self.one_thread()

    # ---------------------------------------------------------------- how it is run

    def finish(self, room: Room) -> None:
        """Find the place of everything in the arena."""
        self._inside += [(memory, self.size) for memory in self._scratchpads]
        self.size += self._scratch
        self._memories.clear()
        room.grow(self.size)

    def run(self, room: Room, arrays: tuple[Array, ...]) -> bool:
        """Run the steps on `arrays`: those that the plan was made for, then the extra ones.

        Returns
        -------
        bool
            False if oneDNN says that it failed; or if this thread is in the midst of another plan already.
        """
        if room.busy:
            return False
        room.busy = True
        lib = room.lib
        before = lib.threads() if self.alone else 0
        try:
            set_handle = lib.set_handle
            for memory, place in self._outside:
                set_handle(memory, address(arrays[place]))
            arena, base = (None, room.base) if self.size <= rooms.KEPT else rooms.memory(self.size)
            if self._base != base and self._inside:
                for memory, offset in self._inside:
                    set_handle(memory, base + offset)
                self._base = base
            if before:
                lib.set_threads(1)
            for primitive, count, arguments in self._steps:
                if lib.primitive_execute(primitive, room.stream, count, arguments):
                    self.failed = True
                    return False
            del arena  # until here it is in use
            return True
        finally:
            if before:
                lib.set_threads(before)
            room.busy = False

    # ---------------------------------------------------------------- inside

    def _check(self, status: int, what: str) -> None:
        if status == OUT_OF_MEMORY:
            raise MemoryError(f"oneDNN has no memory for {what}")
        if status:
            raise Refused(f"{what}: status {status}")

    def _attributes(self, post_ops: tuple[PostOp, ...]) -> Handle:
        lib = self.lib
        attributes = Handle(lib.primitive_attr_destroy)
        self._check(lib.primitive_attr_create(attributes.place), "attributes")
        lib.primitive_attr_set_scratchpad_mode(attributes, SCRATCHPAD_USER)
        if post_ops:
            chain = Handle(lib.post_ops_destroy)
            self._check(lib.post_ops_create(chain.place), "post-ops")
            for kind, *parameters in post_ops:
                if kind == "sum":
                    parameters += [0, 0]  # no zero point; the dtype of the output
                self._check(getattr(lib, f"post_ops_append_{kind}")(chain, *parameters), f"a post-op {kind}")
            self._check(lib.primitive_attr_set_post_ops(attributes, chain), "post-ops")
        return attributes

    def _clone(self, desc: c_void_p) -> Handle:
        handle = Handle(self.lib.memory_desc_destroy)
        self._check(self.lib.memory_desc_clone(handle.place, desc), "a descriptor")
        return handle

    def _own(self, desc: c_void_p) -> Operand:
        operand = Operand(self.lib, self._clone(desc), None, self.size)
        self.size += -(-self.lib.size_of_md(desc) // 64) * 64
        return operand

    def _new_memory(self, desc: Any) -> c_void_p:
        memory = Handle(self.lib.memory_destroy)
        self._check(self.lib.memory_create(memory.place, desc, self.lib.engine, None), "a memory object")
        self._kept.append(memory)
        return memory._as_parameter_

    def _memory(self, operand: Operand) -> c_void_p:
        """The memory object of `operand`: one, in however many steps it is used."""
        known = self._memories.get(id(operand))
        if known is not None:
            return known[0]
        memory = self._new_memory(operand)
        self._memories[id(operand)] = memory, operand
        if operand.place is None:
            self._inside.append((memory, operand.offset))
        else:
            self._outside.append((memory, operand.place))
        return memory


def prepare(build: Callable[..., None], options: Any, *arrays: Array) -> Plan | None:
    """The plan that `build` makes for such `arrays`, this thread's; None if oneDNN refuses.

    Parameters
    ----------
    build
        Called as ``build(plan, options, *operands)``, with an operand an array.
    options
        What else it depends on; hashable.
    """
    room = rooms.here()
    key = (build, options, *[(a.shape, a.strides, a.dtype) for a in arrays])
    plan: Plan | None = room.plans.get(key, _UNKNOWN)
    return _make(room, key, build, options) if plan is _UNKNOWN else plan


def run(build: Callable[..., None], options: Any, *arrays: Array) -> bool:
    """Do what `build` plans for such `arrays` on these, which are read and written; False if oneDNN refuses.

    Parameters
    ----------
    build, options
        As of `prepare`.
    """
    room = rooms.here()
    key = (build, options, *[(a.shape, a.strides, a.dtype) for a in arrays])
    plan = room.plans.get(key, _UNKNOWN)
    if plan is _UNKNOWN:
        plan = _make(room, key, build, options)
    if plan is None:
        return False
    if plan.run(room, arrays):
        return True
    if plan.failed:
        room.keep(key, None)
    return False


def run_copied(build: Callable[..., None], options: Any, out: Array, *inputs: Array) -> bool:
    """What to do where `run` was refused `out` and `inputs`: run with copies in order of those inputs that are not.

    Not where an input repeats elements: a copy of what was broadcast may be large.
    """
    if any(0 in x.strides for x in inputs):
        return False
    dense = [np.ascontiguousarray(x) for x in inputs]
    return any(new is not old for new, old in zip(dense, inputs, strict=True)) and run(build, options, out, *dense)


def made(build: Callable[..., None], options: Any, shape: Shape, *inputs: Array) -> Array | None:
    """A new array of `shape`, written by what `build` plans for it and `inputs`; None if oneDNN refuses."""
    out = empty(shape, FLOAT32)
    return out if run(build, options, out, *inputs) or run_copied(build, options, out, *inputs) else None


def _make(room: Room, key: Any, build: Callable[..., None], options: Any) -> Plan | None:
    """Make the plan of `key` and remember it, or that there is none."""
    plan = Plan(room.lib, len(key) - 2)
    with rooms.making:
        try:
            build(plan, options, *[_operand(room.lib, place, *layout) for place, layout in enumerate(key[2:])])
            plan.finish(room)
        except Refused:
            room.keep(key, None)
            return None
    room.keep(key, plan)
    return plan


def _operand(lib: Library, place: int, shape: Any, strides: tuple[int, ...], dtype: Any) -> Operand:
    code = TYPES.get(dtype)
    if code is None or any(step % dtype.itemsize for step in strides):
        raise Refused(f"dtype {dtype}, strides {strides}")
    return Operand.of_array(lib, place, shape, tuple([step // dtype.itemsize for step in strides]), code)
