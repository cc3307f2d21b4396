"""Saving and loading: one safetensors file, which holds numbers and names, and nothing that could be run.

The tensors are the file's tensors, named by their place: ``{"model": {"weight": w}}`` gives ``model.weight``, so that
every safetensors reader finds them. What is around them goes as JSON into the file's metadata, under the key
``autograd_ops``::

    {"version": 1, "complex": [names of tensors that are pairs of floats], "tree": ...}

where a tree is ``null``, ``true``, ``false``, an integer, a finite float, a string, a list of trees, or one of
``{"tensor": name}``, ``{"tuple": [trees]}``, ``{"dict": [[key, tree], ...]}``, ``{"float": "inf"}`` and
``{"complex": [tree, tree]}``.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import suppress
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from autograd_backends import kernels, parse_device

from .creation import tensor
from .tensor import Tensor

__all__ = ["SerializationError", "load", "save"]

#: Where to save to or load from.
File: TypeAlias = str | os.PathLike[str] | BinaryIO

KEY = "autograd_ops"
VERSION = 1

#: The format's names of dtypes -> NumPy's, little-endian. BF16 is read by hand: NumPy has no such dtype.
DTYPES = {
    "BOOL": "?",
    "I8": "i1",
    "I16": "<i2",
    "I32": "<i4",
    "I64": "<i8",
    "U8": "u1",
    "U16": "<u2",
    "U32": "<u4",
    "U64": "<u8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
    "C64": "<c8",
}

DAMAGED = "its description of what was saved is damaged"


class SerializationError(RuntimeError):
    """A file that cannot be loaded: cut off, of another format, or damaged."""


def save(obj: Any, f: File) -> None:
    """Write `obj` to a file, as safetensors.

    A path gets a new file in one go when all is written, so that the old file survives a failure.

    Parameters
    ----------
    obj
        Tensors, numbers, strings, bools and ``None``, in dicts, lists and tuples, as deep as you like. Keys are strings
        or integers. What is of a subclass comes back as the plain type: an ``OrderedDict`` as a dict, a ``Parameter``
        as a Tensor. Tensors that share memory are each written in full.
    f
        A path, or a file open for writing bytes.

    Raises
    ------
    TypeError
        If `obj` holds anything else, naming its place; the file has not been touched then.
    ValueError
        If a dict, list or tuple contains itself.

    Examples
    --------
    >>> import io
    >>> import autograd_ops as ag
    >>> file = io.BytesIO()
    >>> ag.save({"weight": ag.ones(2), "epoch": 3, "betas": (0.9, 0.999)}, file)
    >>> ag.load(io.BytesIO(file.getvalue()))
    {'weight': tensor([1., 1.]), 'epoch': 3, 'betas': (0.9, 0.999)}
    """
    data = _to_bytes(obj)
    if hasattr(f, "write"):
        f.write(data)
    else:
        _replace(os.path.realpath(os.fspath(f)), data)


def load(f: File, map_location: str | None = None, *, weights_only: bool = True) -> Any:
    """Read what `save` wrote; of any other safetensors file, a dict of its tensors by name.

    Nothing in a file is ever run, and pickled files are refused.

    Parameters
    ----------
    f
        A path, or a file open for reading bytes.
    map_location
        The device that the tensors are put on, by default the default device.
    weights_only
        Accepted for PyTorch's sake; does nothing.

    Returns
    -------
    object
        As saved. Its Tensors need no gradient.

    Raises
    ------
    SerializationError
        If the file is cut off, damaged, or no safetensors file; naming the path.
    OSError
        If it cannot be read.
    DeviceError
        If there is no such device.
    """
    device = None if map_location is None else parse_device(map_location)
    if hasattr(f, "read"):
        name, data = str(getattr(f, "name", "the file")), f.read()
    else:
        name = os.fspath(f)
        with open(name, "rb") as file:
            data = file.read()
    arrays, about = _parse(data, name)
    tree = None if about is None else _tree(about, arrays, name)
    tensors = {key: tensor(array, device=device) for key, array in arrays.items()}
    if about is None:
        return tensors
    try:
        return _decoded(tree, tensors)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise SerializationError(f"{name}: {DAMAGED}") from error


# ---------------------------------------------------------------- writing


def _to_bytes(obj: Any) -> bytes:
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

    def encode(self, value: Any, place: str = "obj", keys: tuple[Any, ...] = (), inside: tuple[int, ...] = ()) -> Any:
        """The tree of `value`, which is at `keys`, in containers whose ids are `inside`."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Tensor):
            return {"tensor": self._keep(value, keys)}
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
        """Put the array of `value` among those to write; returns its name."""
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
        return name


def _advice(value: Any) -> str:
    if isinstance(value, np.generic):
        return "make it a Python number with item()"
    if isinstance(value, np.ndarray):
        return "make it a Tensor with from_numpy()"
    if hasattr(value, "state_dict"):
        return "save its state_dict()"
    return "only tensors, numbers, strings, bools, None, dicts, lists and tuples can be saved"


def _replace(path: str, data: bytes) -> None:
    """Make `data` the content of the file at `path`, all of it or nothing."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(f"save: {path} is there, and no regular file")
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(temporary)
        raise


# ---------------------------------------------------------------- reading


def _parse(data: bytes, name: str) -> tuple[dict[str, Any], str | None]:
    """The arrays in `data` by name, and what `save` wrote about them; ``None`` if it wrote nothing."""
    from safetensors import SafetensorError, deserialize

    try:
        entries = deserialize(data)
    except SafetensorError as error:
        raise SerializationError(f"{name}: {_diagnosis(data)} ({error})") from None
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    arrays = {key: _array(entry, key, name) for key, entry in entries}
    return arrays, header.get("__metadata__", {}).get(KEY)


def _diagnosis(data: bytes) -> str:
    if data.startswith((b"PK\x03\x04", b"\x80")):  # a zip archive, as torch.save writes it, or a bare pickle
        return (
            "this is a pickled file, which can run any code when it is loaded, so it is refused; "
            "save it as safetensors where it came from"
        )
    return "not a whole safetensors file: it is cut off, damaged, or of another format"


def _array(entry: dict[str, Any], key: str, name: str) -> Any:
    if entry["dtype"] == "BF16":
        # The upper half of a float32.
        upper = np.frombuffer(entry["data"], "<u2").astype(np.uint32)
        return (upper << 16).view(np.float32).reshape(entry["shape"])
    dtype = DTYPES.get(entry["dtype"])
    if dtype is None:
        raise SerializationError(f"{name}: tensor {key!r} is of dtype {entry['dtype']}, which is not supported")
    return np.frombuffer(entry["data"], dtype).reshape(entry["shape"])


def _tree(about: str, arrays: dict[str, Any], name: str) -> Any:
    """The tree in `about`; the arrays that are pairs of floats become complex ones."""
    try:
        read = json.loads(about)
        version, tree = read["version"], read["tree"]
        for key in read["complex"]:
            pairs = arrays[key]
            arrays[key] = pairs.view(f"<c{2 * pairs.itemsize}")[..., 0]
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise SerializationError(f"{name}: {DAMAGED}") from error
    if version != VERSION:
        raise SerializationError(
            f"{name}: written in version {version} of the format, and this library knows {VERSION}"
        )
    return tree


def _decoded(tree: Any, tensors: dict[str, Tensor]) -> Any:
    if isinstance(tree, list):
        return [_decoded(x, tensors) for x in tree]
    if not isinstance(tree, dict):
        return tree
    ((kind, content),) = tree.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "tuple":
        return tuple([_decoded(x, tensors) for x in content])
    if kind == "dict":
        return {key: _decoded(x, tensors) for key, x in content}
    if kind == "float":
        return float(content)
    if kind == "complex":
        real, imag = content
        return complex(_decoded(real, tensors), _decoded(imag, tensors))
    raise ValueError(f"unknown kind {kind!r}")
