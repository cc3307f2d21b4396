"""Files that PyTorch's ``torch.save`` writes: a zip archive since version 1.6, a row of pickles before.

Either holds one pickle of what was saved, in which tensors are calls of functions of PyTorch's, with their memory named
by a key; the memory follows as plain bytes. `NAMES` says which names are known and what stands for them here.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dtypes import DType, as_dtype
from ..tensor import Size, Tensor
from .errors import SerializationError
from .pickles import Inner, Maker, Pickle, TakesState, elements, kept, refuse
from .places import Place
from .storages import Storage

__all__ = ["reader_for"]

#: The numbers that begin a file of the older format, each a pickle of its own.
MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
MAGIC_PICKLE = b"\x8a\x0a" + MAGIC.to_bytes(10, "little") + b"."


def reader_for(data: bytes) -> Callable[[bytes, Place], Any] | None:
    """What reads `data`, if it is a file of PyTorch's, or looks like one; ``None`` if it does not."""
    if data.startswith(b"PK\x03\x04"):
        return _read_zip
    if data[:1] == b"\x80" and data[2:15] == MAGIC_PICKLE:
        return _read_row
    if data[:1] == b"\x80" and data[8:9] != b"{":  # where a safetensors file's header begins
        return _refuse_bare_pickle
    return None


def _refuse_bare_pickle(data: bytes, place: Place) -> Any:
    raise SerializationError(
        "this is a bare pickle, which can run any code when it is loaded, so it is refused: "
        "write it with torch.save, or as safetensors, where it came from"
    )


# ---------------------------------------------------------------- what a pickle may name


@dataclass(frozen=True, slots=True)
class _Type(Inner):
    """A class of storages; ``None`` is the untyped one, whose elements are bytes."""

    dtype: DType | None


@dataclass(frozen=True, slots=True)
class _Memory(Inner):
    """A storage as a pickle refers to it; without one while the pickle is only read to find its end."""

    storage: Storage | None
    dtype: DType | None


def _tensor_v2(
    memory: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any = False,
    hooks: Any = None,
    metadata: Any = None,
) -> Any:
    return _tensor_v3(memory, offset, size, stride, requires_grad, hooks, memory.dtype, metadata)


def _tensor_v3(
    memory: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    if not isinstance(memory, _Memory) or not isinstance(dtype, DType):
        raise TypeError("a tensor without memory or dtype")
    _refuse_hooks(hooks)
    changes = tuple(sorted(key for key, value in (metadata or {}).items() if value))
    if not set(changes) <= {"conj", "neg"}:
        raise refuse(f"a tensor with {changes}")
    if memory.storage is None:
        return None
    return memory.storage.tensor(dtype, offset, size, stride, changes, requires_grad=requires_grad is True)


def _parameter(data: Any, requires_grad: Any, hooks: Any) -> Any:
    from ..nn import Parameter  # here, because few that load have no use for nn, and importing ops needs none of it

    _refuse_hooks(hooks)
    if data is None:
        return None
    if type(data) is not Tensor:
        raise TypeError("a parameter of what is no tensor")
    return Parameter(data.detach(), requires_grad=requires_grad is True)


def _refuse_hooks(hooks: Any) -> None:
    if hooks:
        raise refuse("a tensor with hooks", "remove them where it was saved")


class _NumpyDtype(TakesState):
    """A dtype of NumPy's, as its pickles give it: a name, then a state with the order of bytes."""

    def __init__(self, name: Any, *_: Any) -> None:
        if not isinstance(name, str) or name[:1] not in "biufc" or not name[1:].isdecimal():
            raise refuse(f"NumPy's dtype {name!r}")
        self.dtype = np.dtype(name)

    def take_state(self, state: Any) -> None:
        self.dtype = self.dtype.newbyteorder(state[1])


def _numpy_scalar(dtype: Any, data: Any) -> Any:
    """The Python number that a NumPy scalar is."""
    if not isinstance(dtype, _NumpyDtype) or type(data) is not bytes or len(data) != dtype.dtype.itemsize:
        raise TypeError("a NumPy scalar of something else")
    return np.frombuffer(data, dtype.dtype)[0].item()


def _bytes(text: Any, encoding: Any) -> bytes:
    """How bytes are pickled in the protocol that PyTorch uses."""
    if encoding != "latin1":
        raise refuse(f"a text encoded as {encoding!r}")
    return bytes(_exactly(str, text).encode("latin1"))


def _exactly(kind: type, given: Any) -> Any:
    if type(given) is not kind:
        raise TypeError(f"a {kind.__name__} that is a {type(given).__name__}")
    return given


def _ordered(pairs: Any = ()) -> OrderedDict[Any, Any]:
    return OrderedDict([(elements([key])[0], kept(value)) for key, value in pairs])


def _complex(real: Any, imag: Any) -> complex:
    return complex(float(real), float(imag))


def _size(lengths: Any) -> Size:
    return Size(tuple([int(n) for n in lengths]))


def _device(kind: Any, index: Any = None) -> str:
    """A device is its string here, as the file says it: it may not exist on this machine."""
    if type(kind) is not str or type(index) not in (int, type(None)):
        raise TypeError("a device that is no string")
    return kind if index is None else f"{kind}:{index}"


_MAKERS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": _tensor_v2,
    "torch._utils._rebuild_tensor_v2": _tensor_v2,
    "torch._utils._rebuild_tensor_v3": _tensor_v3,
    "torch._utils._rebuild_parameter": _parameter,
    "torch.Size": _size,
    "torch.device": _device,
    "collections.OrderedDict": _ordered,
    "collections.Counter": lambda counts: Counter(_exactly(dict, counts)),
    "builtins.complex": _complex,
    "builtins.bytearray": lambda data=b"": bytearray(_exactly(bytes, data)),
    "builtins.set": lambda items=(): set(elements(items)),
    "builtins.frozenset": lambda items=(): frozenset(elements(items)),
    "_codecs.encode": _bytes,
    "numpy.core.multiarray.scalar": _numpy_scalar,
    "numpy._core.multiarray.scalar": _numpy_scalar,
    "numpy.dtype": _NumpyDtype,
}

_STORAGES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "Byte": "uint8",
    "Char": "int8",
    "Short": "int16",
    "Int": "int32",
    "Long": "int64",
    "UInt16": "uint16",
    "UInt32": "uint32",
    "UInt64": "uint64",
    "Bool": "bool",
}

#: What a pickle may name, and what stands for it here.
NAMES: dict[str, Any] = {
    **{name: Maker(name, make) for name, make in _MAKERS.items()},
    **{
        name.replace("builtins", "__builtin__"): Maker(name, make)
        for name, make in _MAKERS.items()
        if name.startswith("builtins.")
    },
    **{f"torch.{word}Storage": _Type(as_dtype(name)) for word, name in _STORAGES.items()},
    **{f"torch.{name}": as_dtype(name) for name in _STORAGES.values()},
    "torch.storage.UntypedStorage": _Type(None),
    "torch.UntypedStorage": _Type(None),
}

#: What to do about names that are refused, by how they begin.
ADVICE = {
    "torch._utils._rebuild_sparse": "make sparse tensors dense, with to_dense(), where it was saved",
    "torch._utils._rebuild_qtensor": "dequantize() quantized tensors where it was saved",
    "torch._utils._rebuild_nested": "save the tensors of a nested one in a list",
    "torch._utils._rebuild_meta": "a tensor on the meta device has no values to save",
    "torch._utils": "save plain tensors, as a state_dict() has them",
    "torch.nn.": "it was saved as a whole module; save its state_dict() instead, and make the module here",
    "__main__.": "it was saved as an object of a class; save its state_dict() instead, and make the object here",
    "numpy": "make NumPy's arrays tensors, with torch.from_numpy, where it was saved",
}


def _unpickle(data: bytes, at: int, storage_of: Callable[..., Any]) -> tuple[Any, int]:
    """The object pickled in `data` at `at`, and where the pickle ends; `storage_of` gives the memory for a key."""

    def persistent(key: Any) -> _Memory:
        kind, storage_type, name, location, count = key[:5]
        if (
            kind != "storage"
            or not isinstance(storage_type, _Type)
            or type(count) is not int
            or key[5:]
            not in (
                (),
                (None,),
            )
        ):
            raise refuse(f"a reference to {kind!r}")
        if type(name) is not str or type(location) is not str:
            raise TypeError("memory is named by strings")
        return _Memory(storage_of(name, storage_type, location, count), storage_type.dtype)

    pickle = Pickle(data, at, names=NAMES, persistent=persistent, advice=ADVICE)
    return pickle.read(), pickle.at


def _check_length(name: str, storage_type: _Type, count: int, length: int) -> None:
    expected = count * (1 if storage_type.dtype is None else storage_type.dtype.itemsize)
    if expected != length:
        raise SerializationError(f"memory {name!r} in it should have {expected} bytes, and has {length}")


# ---------------------------------------------------------------- the zip archive


def _read_zip(data: bytes, place: Place) -> Any:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _Archive(archive, len(data)).read(place)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, UnicodeError, struct.error) as error:
        raise SerializationError(f"a zip archive that is cut off or damaged ({error})") from error


class _Archive:
    """A zip archive whose entries are checked before any is read: stored as they are, and no larger than the file."""

    def __init__(self, archive: zipfile.ZipFile, length: int) -> None:
        self._archive = archive
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for entry in archive.infolist():
            if entry.filename in self._entries:
                raise SerializationError(f"its entry {entry.filename!r} is there twice")
            self._entries[entry.filename] = entry
        pickles = [name for name in self._entries if name == "data.pkl" or name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise SerializationError("a zip archive, but not one of torch.save: it has not exactly one data.pkl")
        self._folder = pickles[0].removesuffix("data.pkl")
        if f"{self._folder}constants.pkl" in self._entries:
            raise refuse("a TorchScript program")
        for name, entry in self._entries.items():
            if entry.flag_bits & 1:
                raise SerializationError(f"its entry {name!r} is encrypted")
            if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
                raise SerializationError(f"its entry {name!r} is compressed, which torch.save never does")
        if sum(entry.file_size for entry in self._entries.values()) > length:
            raise SerializationError("its entries are declared to be larger than the file")

    def read(self, place: Place) -> Any:
        order = self._bytes("byteorder").tobytes() if f"{self._folder}byteorder" in self._entries else b"little"
        if order != b"little":
            raise SerializationError(f"its numbers are in byte order {order!r}, and only little-endian ones are read")
        storages: dict[str, Storage] = {}

        def storage_of(name: str, storage_type: _Type, location: str, count: int) -> Storage:
            if name not in storages:
                storages[name] = Storage(self._bytes(f"data/{name}"), location, place)
            _check_length(name, storage_type, count, storages[name].raw.size)
            return storages[name]

        return _unpickle(self._bytes("data.pkl").tobytes(), 0, storage_of)[0]

    def _bytes(self, name: str) -> Any:
        """The content of an entry, as an array that can be changed."""
        entry = self._entries.get(f"{self._folder}{name}")
        if entry is None:
            raise SerializationError(f"it has no entry {name!r}")
        data = self._archive.read(entry)
        if len(data) != entry.file_size:
            raise SerializationError(f"its entry {name!r} is cut off")
        return np.frombuffer(bytearray(data), np.uint8)


# ---------------------------------------------------------------- the row of pickles


def _read_row(data: bytes, place: Place) -> Any:
    """The older format: four pickles, the last what was saved; a pickled list of keys; the memory of each key."""

    def plain(at: int) -> tuple[Any, int]:
        return _unpickle(data, at, lambda *_: None)

    _, at = plain(0)
    protocol, at = plain(at)
    about, start = plain(at)
    if protocol != PROTOCOL or not isinstance(about, dict):
        raise SerializationError(
            f"written in protocol {protocol!r} of torch.save's older format, and {PROTOCOL} is read"
        )
    if about.get("little_endian") is not True:
        raise SerializationError("its numbers are not little-endian, and only little-endian ones are read")
    # Memory comes behind the pickle that says what it is: so the pickle is read once for what follows it and for the
    # size of elements, in which the row counts, and then in earnest.
    sizes: dict[str, int] = {}

    def note(name: str, storage_type: _Type, location: str, count: int) -> None:
        sizes[name] = 1 if storage_type.dtype is None else storage_type.dtype.itemsize

    _, at = _unpickle(data, start, note)
    keys, at = plain(at)
    windows: dict[Any, tuple[int, int]] = {}
    if type(keys) is not list:
        raise SerializationError("its list of keys is damaged")
    for key in elements(keys):
        head = data[at : at + 8]
        count = int.from_bytes(head, "little", signed=True)
        length = count * sizes.get(key, 1)
        if len(head) != 8 or count < 0 or at + 8 + length > len(data):
            raise SerializationError("it is cut off")
        windows[key] = at + 8, at + 8 + length
        at += 8 + length
    storages: dict[str, Storage] = {}

    def storage_of(name: str, storage_type: _Type, location: str, count: int) -> Storage:
        if name not in storages:
            if name not in windows:
                raise SerializationError(f"it has no memory {name!r}")
            begin, end = windows[name]
            storages[name] = Storage(np.frombuffer(bytearray(data[begin:end]), np.uint8), location, place)
        _check_length(name, storage_type, count, storages[name].raw.size)
        return storages[name]

    return _unpickle(data, start, storage_of)[0]
