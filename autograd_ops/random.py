"""Random Tensors, and the generators that they are drawn from.

A Generator has one stream for each device it is used on, started from its seed; the same seed gives the same numbers
on one device. The streams of different devices differ.
"""

from __future__ import annotations

import math
import os
from typing import Any

from autograd_backends import Backend, Device, get_backend, parse_device

from .arrays import array_from, get_default_device, shape_from
from .dtypes import as_dtype, get_default_dtype, int64, native_dtype
from .tensor import Tensor

__all__ = [
    "Generator",
    "bernoulli",
    "default_generator",
    "initial_seed",
    "manual_seed",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "uniform",
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

    def __init__(self, device: str = "cpu") -> None:
        self._streams: dict[Device, Any] = {}
        self._seed = 0
        self.seed()

    def manual_seed(self, seed: int) -> Generator:
        """Start every stream from `seed`; returns itself."""
        self._seed = int(seed) % 2**64
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
        """The backend's own random number generator for `device`."""
        stream = self._streams.get(device)
        if stream is None:
            stream = self._streams[device] = backend.make_rng(self._seed, device)
        return stream


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


def draw(
    kind: str,
    shape: tuple[int, ...],
    dtype: Any,
    device: str | None,
    generator: Generator | None,
    *bounds: int,
) -> Any:
    """An array of random numbers: `kind` is a primitive of Backend, ``"uniform"``, ``"normal"`` or ``"integers"``."""
    where = get_default_device() if device is None else parse_device(device)
    backend = get_backend(where)
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    native = native_dtype(backend, wanted.to_real())
    stream = (generator or default_generator).stream(backend, where)
    if not wanted.is_complex:
        return getattr(backend, kind)(stream, *bounds, shape, native, where)
    parts = getattr(backend, kind)(stream, *bounds, (*shape, 2), native, where)
    # The variance of a complex number is that of both parts together.
    return backend.view_as_complex(parts * math.sqrt(0.5) if kind == "normal" else parts)


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn evenly from [0, 1)."""
    return Tensor(draw("uniform", shape_from(size), dtype, device, generator), requires_grad=requires_grad)


def uniform(
    low: float,
    high: float,
    size: Any,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
) -> Tensor:
    """Numbers drawn evenly from [low, high)."""
    drawn = draw("uniform", shape_from((size,)), dtype, device, generator)
    return Tensor(drawn * (high - low) + low)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and variance 1."""
    return Tensor(draw("normal", shape_from(size), dtype, device, generator), requires_grad=requires_grad)


def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
) -> Tensor:
    """Numbers drawn from the normal distribution; `mean` or `std` may be Tensors, whose shape the result then has."""
    like = mean if isinstance(mean, Tensor) else std if isinstance(std, Tensor) else None
    if like is not None:
        return randn_like(like, generator=generator) * std + mean
    drawn = draw("normal", shape_from(() if size is None else (size,)), dtype, device, generator)
    return Tensor(drawn * std + mean)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
) -> Tensor:
    """Integers from `low` up to but without `high`; ``randint(high, size)`` starts from 0.

    Raises
    ------
    ValueError
        If there is no integer to draw.
    """
    if not isinstance(high, int):
        low, high, size = 0, low, high if size is None else size
    if low >= high:
        raise ValueError(f"randint: no integer is at least {low} and below {high}")
    array = draw("integers", shape_from((size,)), int64 if dtype is None else dtype, device, generator, low, high)
    return Tensor(array)


def randperm(n: int, *, generator: Generator | None = None, dtype: Any = None, device: str | None = None) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    where = get_default_device() if device is None else parse_device(device)
    backend = get_backend(where)
    array = backend.permutation((generator or default_generator).stream(backend, where), n, where)
    native = native_dtype(backend, int64 if dtype is None else as_dtype(dtype))
    return Tensor(backend.xp.astype(array, native, copy=False))


def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: Any = None) -> Tensor:
    """`rand` of the shape, dtype and device of `input`."""
    return rand(input.shape, generator=generator, dtype=dtype or input.dtype, device=input.device)


def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: Any = None) -> Tensor:
    """`randn` of the shape, dtype and device of `input`."""
    return randn(input.shape, generator=generator, dtype=dtype or input.dtype, device=input.device)


def randint_like(
    input: Tensor, low: int, high: int | None = None, *, generator: Generator | None = None, dtype: Any = None
) -> Tensor:
    """`randint` of the shape and device of `input`; int64 by default, as `randint`."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, tuple(input.shape), generator=generator, dtype=dtype, device=input.device)


def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that each element of `input` says, else 0."""
    drawn = draw("uniform", tuple(input.shape), input.dtype, input.device, generator)
    return Tensor(get_backend(input.device).xp.astype(drawn < input.array, input.array.dtype))


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Indices drawn with the probabilities that each row of `input` is proportional to.

    Parameters
    ----------
    input
        Weights [n] or [rows, n], not negative; they need not add up to 1.
    num_samples
        How many are drawn from each row.
    replacement
        Whether an index may come more than once.

    Returns
    -------
    Tensor
        int64, [num_samples] or [rows, num_samples].

    Raises
    ------
    ValueError
        If a weight is negative or not finite, a row has nothing to draw, or fewer positive weights than samples.
    """
    import numpy as np

    weights = np.atleast_2d(np.asarray(input.detach()._host(), dtype=np.float64))
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("multinomial: the weights must be finite and not negative")
    possible = (weights > 0).sum(axis=1)
    if (possible == 0).any():
        raise ValueError("multinomial: a row of weights has no positive one")
    if not replacement and (possible < num_samples).any():
        raise ValueError(f"multinomial: {num_samples} samples without replacement from {possible.min()} weights")
    cpu = get_backend("cpu")
    stream = (generator or default_generator).stream(cpu, Device("cpu"))
    rows, n = weights.shape
    if replacement:
        cumulative = np.cumsum(weights, axis=1)
        points = stream.random((rows, num_samples)) * cumulative[:, -1:]
        chosen = np.stack([np.searchsorted(c, p, side="right") for c, p in zip(cumulative, points, strict=True)])
        chosen = np.minimum(chosen, n - 1)
    else:
        # The smallest of exponential waiting times, each at the rate of its weight: Efraimidis and Spirakis, 2006.
        with np.errstate(divide="ignore"):
            waiting = stream.standard_exponential((rows, n)) / weights
        chosen = np.argsort(waiting, axis=1)[:, :num_samples]
    result = Tensor(array_from(chosen, int64, input.device))
    return result if input.ndim == 2 else result[0]
