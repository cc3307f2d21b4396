"""Generators: where random numbers come from.

A Generator has one stream for each device it is used on, started from its seed; the same seed gives the same numbers
on one device, whatever was drawn before. The streams of different devices differ.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograd_backends import Backend, Device, get_backend, parse_device

from ..tensor import Tensor

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


class Generator:
    """A source of random numbers.

    Parameters
    ----------
    device
        Accepted for PyTorch's sake: a Generator serves every device.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> g = ag.Generator().manual_seed(0)
    >>> a = ag.rand(3, generator=g)
    >>> b = ag.rand(3, generator=g.manual_seed(0))
    >>> bool((a == b).all())
    True
    """

    #: How often a stream was asked for.
    draws: int = 0

    def __init__(self, device: str = "cpu") -> None:
        # The default generator is made when this is imported: its backend can wait until something is drawn.
        self.device = Device("cpu") if device == "cpu" else parse_device(device)
        self._streams: dict[Device, Any] = {}
        self._seed = 0
        self.seed()

    def manual_seed(self, seed: int) -> Generator:
        """Start every stream from `seed`; returns itself.

        Raises
        ------
        TypeError
            If `seed` is no integer.
        """
        self._seed = _integer(seed) % 2**64
        self._streams.clear()
        return self

    def seed(self) -> int:
        """Start every stream from a new seed of the operating system's; returns that seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed that the streams were started from."""
        return self._seed

    def stream(self, backend: Backend, device: Device) -> Any:
        """The backend's own random number generator for `device`, to draw from."""
        self.draws += 1
        stream = self._streams.get(device)
        if stream is None:
            stream = self._streams[device] = backend.make_rng(self._seed, device)
        return stream

    def get_state(self) -> Tensor:
        """Where its stream on the CPU stands, as a Tensor of bytes for `set_state`.

        Streams on other devices are started again from the seed when the state is set: libraries for GPUs do not tell
        where theirs stand.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> g = ag.Generator().manual_seed(0)
        >>> state = g.get_state()
        >>> a = ag.rand(3, generator=g)
        >>> g.set_state(state)
        >>> ag.equal(a, ag.rand(3, generator=g))
        True
        """
        cpu = Device("cpu")
        place = self.stream(get_backend(cpu), cpu).bit_generator.state
        numbers = (
            self._seed,
            place["state"]["state"],
            place["state"]["inc"],
            place["has_uint32"],
            place["uinteger"],
        )
        return Tensor(np.frombuffer(b"".join(n.to_bytes(16, "little") for n in numbers), np.uint8).copy())

    def set_state(self, new_state: Tensor) -> None:
        """Go on from where `get_state` found it.

        Raises
        ------
        TypeError
            If `new_state` is no Tensor of bytes that `get_state` gave.
        """
        data = new_state.array if isinstance(new_state, Tensor) else None
        if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.shape != (80,):
            raise TypeError(
                "set_state: the state of a generator is a uint8 tensor of 80 elements, from its get_state()"
            )
        seed, state, inc, has_uint32, uinteger = (
            int.from_bytes(data[i : i + 16].tobytes(), "little") for i in range(0, 80, 16)
        )
        self.manual_seed(seed)
        cpu = Device("cpu")
        self.stream(get_backend(cpu), cpu).bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": state, "inc": inc},
            "has_uint32": has_uint32,
            "uinteger": uinteger,
        }

    def clone_state(self) -> Generator:
        """Another Generator that goes on from where this one stands, by itself; on every device."""
        other = Generator(self.device)
        other.take_state(self)
        return other

    def take_state(self, other: Generator) -> None:
        """Go on from where `other` stands, which is left alone; on every device."""
        self._seed = other._seed
        self._streams = {at: get_backend(at).copy_rng(stream, at) for at, stream in other._streams.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "state": self.get_state().array}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.device = kept["device"]
        self._streams = {}
        self.set_state(Tensor(kept["state"]))


def _integer(seed: Any) -> int:
    try:
        return int(seed.__index__() if hasattr(seed, "__index__") else seed)
    except (TypeError, ValueError):
        raise TypeError(f"manual_seed: a seed is an integer, not {seed!r}") from None


#: What is drawn from when no generator is given.
default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Start the default generator from `seed`: the same seed, the same run."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Start the default generator from a new seed; returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Where the default generator stands, as a Tensor of bytes for `set_rng_state`."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Let the default generator go on from where `get_rng_state` found it.

    Raises
    ------
    TypeError
        If `new_state` is no such state.
    """
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Let what is drawn in a ``with`` block not be seen by what is drawn after it.

    Parameters
    ----------
    devices
        Accepted for PyTorch's sake.
    enabled
        Whether to do anything.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> _ = ag.manual_seed(0)
    >>> with ag.random.fork_rng():
    ...     a = ag.rand(3)
    >>> ag.equal(a, ag.rand(3))
    True
    """
    before = default_generator.clone_state() if enabled else None
    try:
        yield
    finally:
        if before is not None:
            default_generator.take_state(before)
