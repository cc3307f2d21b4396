"""The front of saving and loading: paths and file objects, and which format a file is of."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, BinaryIO, TypeAlias

from . import torch_file, tree
from .errors import PlacementError, SerializationError
from .places import MapLocation, place_for

__all__ = ["load", "save"]

#: Where to save to or load from.
File: TypeAlias = str | os.PathLike[str] | BinaryIO


def save(obj: Any, f: File) -> None:
    """Write `obj` to a file, as safetensors, whatever it is called.

    A path gets a new file in one go when all is written, so that the old file survives a failure.

    Parameters
    ----------
    obj
        Tensors, numbers, strings, bools and ``None``, in dicts, lists and tuples, as deep as you like. Keys are strings
        or integers. What is of a subclass comes back as the plain type: an ``OrderedDict`` as a dict; a ``Parameter``
        comes back as one. A leaf that requires grad comes back as one, and what a recorded op made as its value.
        Tensors of the same memory, such as tied weights, are written once and come back tied; parts of a Tensor are
        written in full.
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
    data = tree.to_bytes(obj)
    if hasattr(f, "write"):
        f.write(data)
    else:
        _replace(os.path.realpath(os.fspath(f)), data)


def load(f: File, map_location: MapLocation = None, *, weights_only: bool = True, mmap: bool | None = None) -> Any:
    """Read what `save` wrote, or any other safetensors file, or what PyTorch's ``torch.save`` wrote.

    The file is known by its content. Nothing in it is ever run: of PyTorch's files, tensors and parameters,
    containers and numbers are read, and a file with anything else is refused, naming it.

    Parameters
    ----------
    f
        A path, or a file open for reading bytes.
    map_location
        The device that the tensors are put on, by default the default device, wherever they were when they were saved.
        As in PyTorch also a dict, from where they were to where they go, or a function of a flat Tensor and of where it
        was, which returns that Tensor, moved or not, a device, or ``None`` for the default device.
    weights_only, mmap
        Accepted for PyTorch's sake; they do nothing.

    Returns
    -------
    object
        As saved; of a safetensors file that `save` did not write, a dict of its tensors by name. bfloat16 becomes
        float32 where the device has no bfloat16.

    Raises
    ------
    SerializationError
        If the file is cut off, damaged, of another format, or holds what would have to be run; naming the path.
    OSError
        If it cannot be read.
    DeviceError
        If there is no such device.
    TypeError
        If `map_location` is none of these, or the device has no such dtype.
    """
    place = place_for(map_location)
    if hasattr(f, "read"):
        name, data = str(getattr(f, "name", "the file")), f.read()
    else:
        name = os.fspath(f)
        with open(name, "rb") as file:
            data = file.read()
    reader = torch_file.reader_for(data) or tree.from_bytes
    try:
        return reader(data, place)
    except SerializationError as error:
        raise SerializationError(f"{name}: {error}") from error.__cause__
    except PlacementError as error:
        raise error.error from None


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
