"""The operands of an op that raised, found in the frames of the error: what they were, and which axes clash."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from autograd_backends import device_of, dtype_name, is_array

from ..tensor import Tensor

__all__ = ["ErrorOperand", "operands_of"]

_CALL_PATH = "<autograd_ops call path"


@dataclass(frozen=True, slots=True)
class ErrorOperand:
    """An array that an op was given when it raised.

    Attributes
    ----------
    name
        What the op calls it.
    shape, dtype, device
        What it was.
    clashing
        The axes that do not fit.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    clashing: tuple[int, ...] = ()


def operands_of(error: BaseException) -> tuple[str, list[ErrorOperand]]:
    """The name of the op, or else of the function, that raised, and its operands; nothing if it was none of ours."""
    op, found = "", []
    place: TracebackType | None = error.__traceback__
    while place is not None:
        frame = place.tb_frame
        code, module = frame.f_code, frame.f_globals.get("__name__", "")
        place = place.tb_next
        generated = code.co_filename.startswith(_CALL_PATH)
        if not generated and module.partition(".")[0] != "autograd_ops":
            continue
        arguments = {
            name: frame.f_locals[name] for name in code.co_varnames[: code.co_argcount] if name in frame.f_locals
        }
        operands = _arrays(arguments)
        if generated:
            op, found = frame.f_globals["op"].name, operands
            break
        if len(operands) > len(found) and module != "autograd_ops.nn.module":
            op, found = code.co_name, operands
    return op, _clashes(op, found, str(error))


def _arrays(arguments: Mapping[str, Any]) -> list[ErrorOperand]:
    found: list[ErrorOperand] = []
    for name, value in arguments.items():
        many = isinstance(value, (list, tuple)) and any(isinstance(item, Tensor) or is_array(item) for item in value)
        items = [(f"{name}[{i}]", item) for i, item in enumerate(value)] if many else [(name, value)]
        for label, item in items:
            array = item.array if isinstance(item, Tensor) else item
            if is_array(array) and hasattr(array, "shape"):
                found.append(ErrorOperand(label, tuple(array.shape), dtype_name(array), str(device_of(array))))
    return found


#: For ops with a product in them: which axis of the first operand has to be as long as which of the second.
_PAIRED = {
    "matmul": (-1, -2),
    "linear": (-1, -1),
    "conv1d": (1, 1),
    "conv2d": (1, 1),
    "conv3d": (1, 1),
    "conv_transpose1d": (1, 0),
    "conv_transpose2d": (1, 0),
    "conv_transpose3d": (1, 0),
}

#: How messages name an axis of an operand: ``dimension 1 of (2, 5)``.
_NAMED = re.compile(r"dimension (-?\d+) of (\([\d, ]*\))")


def _clashes(op: str, operands: list[ErrorOperand], message: str) -> list[ErrorOperand]:
    """The same operands, with the axes that clash."""
    named = {(shape, int(axis)) for axis, shape in _NAMED.findall(message)}
    marked = [replace(o, clashing=tuple(a for s, a in named if s == str(o.shape))) for o in operands]
    first, second = operands[:2] if len(operands) > 1 else (None, None)
    if first is None or second is None:
        return marked
    if op in _PAIRED:
        a, b = _PAIRED[op]
        if _has(first, a) and _has(second, b) and first.shape[a] != second.shape[b]:
            marked[0] = replace(first, clashing=(a % len(first.shape),))
            marked[1] = replace(second, clashing=(b % len(second.shape),))
        return marked
    if "do not broadcast" in message or op in ("cat", "stack"):
        return _unequal(operands, from_the_end=op not in ("cat", "stack"), message=message)
    return marked


def _has(operand: ErrorOperand, axis: int) -> bool:
    return -len(operand.shape) <= axis < len(operand.shape)


def _unequal(operands: Sequence[ErrorOperand], from_the_end: bool, message: str) -> list[ErrorOperand]:
    """Mark the axes along which sizes differ: and neither is 1, where shapes broadcast; but the joined one in cat."""
    rank = max(len(operand.shape) for operand in operands)
    clashing: list[list[int]] = [[] for _ in operands]
    joined = re.search(r"only dimension (-?\d+) may differ", message)
    for axis in range(rank):
        if joined and axis == int(joined[1]) % rank:
            continue
        sizes = {}
        for i, operand in enumerate(operands):
            at = axis - rank + len(operand.shape) if from_the_end else axis
            if 0 <= at < len(operand.shape):
                sizes[i] = (at, operand.shape[at])
        wanted = {size for _, size in sizes.values()} - ({1} if from_the_end else set())
        if len(wanted) > 1:
            for i, (at, size) in sizes.items():
                if size != 1 or not from_the_end:
                    clashing[i].append(at)
    return [replace(operand, clashing=tuple(axes)) for operand, axes in zip(operands, clashing, strict=True)]
