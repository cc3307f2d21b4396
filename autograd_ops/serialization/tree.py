"""Safetensors files, which hold numbers and names, and nothing that could be run; and how other objects go into one.

The tensors are the file's tensors, named by their place: ``{"model": {"weight": w}}`` gives ``model.weight``, so that
every safetensors reader finds them. What is around them goes as JSON into the file's metadata, under the key
``autograd_ops``::

    {"version": 1, "complex": [names of tensors that are pairs of floats], "tree": ...}

where a tree is ``null``, ``true``, ``false``, an integer, a finite float, a string, a list of trees, or one of
``{"tensor": name}``, ``{"tuple": [trees]}``, ``{"dict": [[key, tree], ...]}``, ``{"float": "inf"}`` and
``{"complex": [tree, tree]}``. A Tensor that requires grad is a ``"leaf"``, a Parameter a ``"parameter"``, or if it does
not require grad ``"frozen"``, an array of NumPy's an ``"ndarray"``. What shares the whole of its memory with another
has its name too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_backends import kernels

from ..dtypes import DType, as_dtype
from ..tensor import Tensor
from .errors import SerializationError
from .places import Place
from .storages import Storage

__all__ = ["from_bytes", "to_bytes"]

KEY = "autograd_ops"
VERSION = 1

#: The format's names of dtypes -> ours.
DTYPES = {
    "BOOL": "bool",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "U8": "uint8",
    "U16": "uint16",
    "U32": "uint32",
    "U64": "uint64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
}

DAMAGED = "its description of what was saved is damaged"


# ---------------------------------------------------------------- writing


def to_bytes(obj: Any) -> bytes:
    """The content of a file that holds `obj`.

    Raises
    ------
    TypeError
        If it holds what cannot be saved, naming its place.
    ValueError
        If it contains itself.
    """
    from safetensors.numpy import save as pack  # imported on first use: most programs never save

    encoder = _Encoder()
    tree = encoder.encode(obj)
    about = json.dumps({"version": VERSION, "complex": encoder.pairs, "tree": tree}, allow_nan=False)
    return bytes(pack(encoder.arrays, {KEY: about}))


class _Encoder:
    """Walks over what is saved: makes the tree that describes it, and puts the arrays aside.

    Attributes
    ----------
    arrays
        What is to be written, by name.
    pairs
        The names of those that stand for complex numbers.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self.pairs: list[str] = []
        self._names: dict[int, str] = {}

    def encode(self, value: Any, place: str = "obj", keys: tuple[Any, ...] = (), inside: tuple[int, ...] = ()) -> Any:
        """The tree of `value`, which is at `keys`, in containers whose ids are `inside`."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Tensor):
            return {_kind(value): self._keep(value, keys)}
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            return {"ndarray": self._keep(Tensor(value), keys)}
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return self.encode(value.item(), place, keys, inside)
        if isinstance(value, str):
            return str(value)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {"float": str(float(value))}
        if isinstance(value, complex):
            parts = (value.real, value.imag)
            return {"complex": [self.encode(part, place, keys, inside) for part in parts]}
        if not isinstance(value, (dict, list, tuple)):
            raise TypeError(f"save: {place} is a {type(value).__name__}: {_advice(value)}")
        if id(value) in inside:
            raise ValueError(f"save: {place} is an object that it is itself contained in")
        inside = (*inside, id(value))
        if not isinstance(value, dict):
            trees = [self.encode(x, f"{place}[{i}]", (*keys, i), inside) for i, x in enumerate(value)]
            return trees if isinstance(value, list) else {"tuple": trees}
        items = []
        for key, x in value.items():
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                raise TypeError(f"save: {place} has a key {key!r}: keys must be strings or integers")
            key = str(key) if isinstance(key, str) else int(key)
            items.append([key, self.encode(x, f"{place}[{key!r}]", (*keys, key), inside)])
        return {"dict": items}

    def _keep(self, value: Tensor, keys: tuple[Any, ...]) -> str:
        """Put the array of `value` among those to write, once; returns its name."""
        if id(value.array) in self._names:
            return self._names[id(value.array)]
        host = np.asarray(kernels(value.array).to_host(value.array))
        wanted = name = ".".join(map(str, keys)) or "tensor"
        number = 1
        while name in self.arrays or name == "__metadata__":  # a name that the format has taken
            number += 1
            name = f"{wanted}#{number}"
        if host.dtype.kind == "c":
            self.pairs.append(name)
            host = np.stack([host.real, host.imag], axis=-1)
        self.arrays[name] = np.asarray(host, dtype=host.dtype.newbyteorder("="), order="C")
        self._names[id(value.array)] = name
        return name


def _kind(value: Tensor) -> str:
    """What the tree calls a Tensor."""
    from ..nn import Parameter  # here, because nn takes longer to import than saving numbers

    if isinstance(value, Parameter):
        return "parameter" if value.requires_grad else "frozen"
    return "leaf" if value.requires_grad and value.is_leaf else "tensor"


def _advice(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"its dtype is {value.dtype}, and only those of numbers can be saved"
    if hasattr(value, "state_dict"):
        return "save its state_dict()"
    return "only tensors, numbers, strings, bools, None, dicts, lists and tuples can be saved"


# ---------------------------------------------------------------- reading


def from_bytes(data: bytes, place: Place) -> Any:
    """What is in a file: as it was saved, or of a file of somebody else's, a dict of its tensors by name.

    Raises
    ------
    SerializationError
        If it is no whole safetensors file, or what we wrote into it is damaged.
    """
    from safetensors import SafetensorError, deserialize

    try:
        entries = dict(deserialize(data))
    except SafetensorError as error:
        raise SerializationError(
            f"not a whole safetensors file: it is cut off, damaged, or of another format ({error})"
        ) from None
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    about = header.get("__metadata__", {}).get(KEY)
    if about is None:
        return {name: _tensor(name, entry, place) for name, entry in entries.items()}
    try:
        read = json.loads(about)
        if read["version"] != VERSION:
            raise SerializationError(
                f"written in version {read['version']} of the format, and this library knows {VERSION}"
            )
        pairs = {name: entries[name] for name in read["complex"]}
        tensors = {name: _tensor(name, entry, place, name in pairs) for name, entry in entries.items()}
        return _Decoder(tensors).decode(read["tree"])
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise SerializationError(DAMAGED) from error


def _tensor(name: str, entry: dict[str, Any], place: Place, paired: bool = False) -> Tensor:
    """The tensor of an entry; `paired`: its last dimension is the parts of complex numbers."""
    if entry["dtype"] not in DTYPES:
        raise SerializationError(f"tensor {name!r} is of dtype {entry['dtype']}, which is not supported")
    dtype, shape = as_dtype(DTYPES[entry["dtype"]]), tuple(entry["shape"])
    if paired:
        dtype, shape = _complex_of(dtype, shape), shape[:-1]
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    raw = np.frombuffer(bytearray(entry["data"]), np.uint8)
    return Storage(raw, "cpu", place).tensor(dtype, 0, shape, strides, requires_grad=False)


def _complex_of(dtype: DType, shape: tuple[int, ...]) -> DType:
    if dtype.name not in ("float32", "float64") or shape[-1:] != (2,):
        raise ValueError("no pairs of floats")
    return as_dtype(f"complex{16 * dtype.itemsize}")


class _Decoder:
    """Makes what a tree describes, with `tensors` by name."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self._tensors = tensors
        self._made: dict[tuple[str, str], Any] = {}

    def decode(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self.decode(x) for x in tree]
        if not isinstance(tree, dict):
            return tree
        ((kind, content),) = tree.items()
        if kind in _KINDS:
            return self._tensor(kind, content)
        if kind == "tuple":
            return tuple([self.decode(x) for x in content])
        if kind == "dict":
            return {key: self.decode(x) for key, x in content}
        if kind == "float":
            return float(content)
        if kind == "complex":
            real, imag = content
            return complex(self.decode(real), self.decode(imag))
        raise ValueError(f"unknown kind {kind!r}")

    def _tensor(self, kind: str, name: str) -> Any:
        """One Tensor of each kind for each name: what shared memory when it was saved does so again."""
        if (kind, name) not in self._made:
            self._made[kind, name] = _KINDS[kind](self._tensors[name].detach())
        return self._made[kind, name]


def _parameter(tensor: Tensor, requires_grad: bool) -> Tensor:
    from ..nn import Parameter

    return Parameter(tensor, requires_grad)


_KINDS: dict[str, Callable[[Tensor], Any]] = {
    "tensor": lambda tensor: tensor,
    "ndarray": lambda tensor: tensor.cpu().numpy(),
    "leaf": Tensor.requires_grad_,
    "parameter": lambda tensor: _parameter(tensor, True),
    "frozen": lambda tensor: _parameter(tensor, False),
}
