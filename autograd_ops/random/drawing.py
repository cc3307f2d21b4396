"""Random Tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_backends import Device, get_backend, kernels, parse_device

from ..arrays import array_from, get_default_device, shape_from
from ..creation import placed_like
from ..dtypes import as_dtype, get_default_dtype, int64, native_dtype
from ..refusals import named
from ..tensor import Tensor
from .generator import Generator, default_generator

__all__ = [
    "bernoulli",
    "binomial",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "uniform",
]


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
        return getattr(backend.for_dtype(native), kind)(stream, *bounds, shape, native, where)
    parts = getattr(backend, kind)(stream, *bounds, (*shape, 2), native, where)
    # The variance of a complex number is that of both parts together.
    return backend.view_as_complex(parts * math.sqrt(0.5) if kind == "normal" else parts)


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers drawn evenly from [0, 1). `layout` and `pin_memory` are accepted for PyTorch's sake.

    Raises
    ------
    TypeError
        If `dtype` is no float dtype.
    """
    _refuse_integers("rand", dtype)
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
    """Numbers drawn evenly from [low, high).

    Raises
    ------
    ValueError
        If `low` is above `high`.
    """
    if not low <= high:
        raise ValueError(f"uniform: there is nothing from {low} to {high}")
    drawn = draw("uniform", shape_from((size,)), dtype, device, generator)
    return Tensor(drawn * (high - low) + low)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and variance 1.

    `layout` and `pin_memory` are accepted for PyTorch's sake.

    Raises
    ------
    TypeError
        If `dtype` is no float dtype.
    """
    _refuse_integers("randn", dtype)
    return Tensor(draw("normal", shape_from(size), dtype, device, generator), requires_grad=requires_grad)


def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Numbers drawn from the normal distribution; `mean` or `std` may be Tensors, whose shape the result then has.

    `layout` and `pin_memory` are accepted for PyTorch's sake.

    Raises
    ------
    ValueError
        If a number `std` is negative.
    TypeError
        If `requires_grad` is asked for where `mean` or `std` is a Tensor: the result then is no leaf.
    """
    if not isinstance(std, Tensor) and not std >= 0:
        raise ValueError(f"normal: the deviation cannot be negative, got std={std}")
    like = mean if isinstance(mean, Tensor) else std if isinstance(std, Tensor) else None
    if like is not None and requires_grad:
        raise TypeError("normal: of Tensors it takes no requires_grad; call requires_grad_() of the result's detach()")
    if like is not None:
        return randn_like(like, generator=generator) * std + mean
    drawn = draw("normal", shape_from(() if size is None else (size,)), dtype, device, generator)
    return Tensor(drawn * std + mean, requires_grad=requires_grad)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Integers from `low` up to but without `high`; ``randint(high, size)`` starts from 0.

    `layout` and `pin_memory` are accepted for PyTorch's sake. Of a float `dtype`, the integers are floats.

    Raises
    ------
    ValueError
        If there is no integer to draw, or `dtype` does not hold them all.
    """
    if size is None and not isinstance(high, int):
        low, high, size = 0, low, high
    if high is None:
        low, high = 0, low
    if size is None:
        raise TypeError("randint: a size is missing, as in randint(0, 10, (3,))")
    if low >= high:
        raise ValueError(f"randint: no integer is at least {low} and below {high}")
    chosen = int64 if dtype is None else as_dtype(dtype)
    if chosen.kind in ("int", "uint"):
        bits = 8 * chosen.itemsize - (chosen.kind == "int")
        least = 0 if chosen.kind == "uint" else -(2**bits)
        if low < least or high > 2**bits:
            raise ValueError(f"randint: integers from {low} to {high - 1} do not fit into {chosen.name}")
    array = draw("integers", shape_from((size,)), chosen, device, generator, low, high)
    return Tensor(array, requires_grad=requires_grad)


def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """The integers from 0 to n - 1 in random order. `layout` and `pin_memory` are accepted for PyTorch's sake.

    Raises
    ------
    ValueError
        If `n` is negative.
    """
    if n < 0:
        raise ValueError(f"randperm: there is no order of {n} integers")
    where = get_default_device() if device is None else parse_device(device)
    backend = get_backend(where)
    array = backend.permutation((generator or default_generator).stream(backend, where), n, where)
    native = native_dtype(backend, int64 if dtype is None else as_dtype(dtype))
    return Tensor(backend.xp.astype(array, native, copy=False), requires_grad=requires_grad)


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
) -> Tensor:
    """`rand` of the shape, dtype and device of `input`."""
    return rand(input.shape, generator=generator, requires_grad=requires_grad, **placed_like(input, dtype, device))


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
) -> Tensor:
    """`randn` of the shape, dtype and device of `input`."""
    return randn(input.shape, generator=generator, requires_grad=requires_grad, **placed_like(input, dtype, device))


def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: str | None = None,
    requires_grad: bool = False,
    layout: Any = None,
    memory_format: Any = None,
) -> Tensor:
    """`randint` of the shape, dtype and device of `input`."""
    low, high = (0, low) if high is None else (low, high)
    kind = placed_like(input, dtype, device)
    return randint(low, high, tuple(input.shape), generator=generator, requires_grad=requires_grad, **kind)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that each element of `input` says, or that `p` says for all, else 0.

    Raises
    ------
    ValueError
        If a probability is not in [0, 1]; one of an element on a GPU is refused at the next wait.
    TypeError
        If `input` is of integers, which are no probabilities.
    """
    if p is not None:
        if not isinstance(p, (int, float)) or not 0 <= p <= 1:
            raise ValueError(f"bernoulli: a probability is in [0, 1], got p={p}")
        limit: Any = p
    else:
        _refuse_integers("bernoulli", input.dtype)
        backend, limit = kernels(input.array), input.array
        good = backend.xp.all((limit >= 0) & (limit <= 1))
        backend.refuse_unless(good, ValueError("bernoulli: probabilities are in [0, 1], and some of input are not"))
    dtype = input.dtype if input.dtype.is_floating_point else get_default_dtype()
    drawn = draw("uniform", tuple(input.shape), dtype, input.device, generator)
    return Tensor(kernels(input.array).xp.astype(drawn < limit, input.array.dtype))


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Counts of the Poisson distribution with the rate that each element of `input` says, of its dtype.

    They are drawn on the host.

    Raises
    ------
    ValueError
        If a rate is negative or not a number.
    """
    rates = _on_host(input)
    if not (rates >= 0).all():
        raise ValueError("poisson: rates cannot be negative")
    return Tensor(array_from(_host_stream(generator).poisson(rates), input.dtype, input.device))


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """How many of `count` trials succeed, each with probability `prob`; elementwise, of the dtype of `count`.

    They are drawn on the host.

    Raises
    ------
    ValueError
        If a count is negative, or a probability not in [0, 1].
    """
    trials, chances = _on_host(count), _on_host(prob)
    if not (trials >= 0).all() or not ((chances >= 0) & (chances <= 1)).all():
        raise ValueError("binomial: counts cannot be negative, and probabilities are in [0, 1]")
    return Tensor(
        array_from(_host_stream(generator).binomial(trials.astype(np.int64), chances), count.dtype, count.device)
    )


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
    if input.ndim not in (1, 2):
        raise ValueError(f"multinomial: weights are [n] or [rows, n], and these have shape {tuple(input.shape)}")
    if num_samples < 1:
        raise ValueError(f"multinomial: at least one sample is drawn, got num_samples={num_samples}")
    weights = np.atleast_2d(_on_host(input))
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("multinomial: the weights must be finite and not negative")
    possible = (weights > 0).sum(axis=1)
    if (possible == 0).any():
        raise ValueError("multinomial: a row of weights has no positive one")
    if not replacement and (possible < num_samples).any():
        raise ValueError(f"multinomial: {num_samples} samples without replacement from {possible.min()} weights")
    stream = _host_stream(generator)
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


def _on_host(input: Tensor) -> Any:
    """The values of `input` in float64, on the host."""
    return np.asarray(kernels(input.array).to_host(input.array), dtype=np.float64)


def _host_stream(generator: Generator | None) -> Any:
    """The stream of `generator` on the CPU, for what only NumPy draws."""
    return (generator or default_generator).stream(get_backend("cpu"), Device("cpu"))


def _refuse_integers(name: str, dtype: Any) -> None:
    if dtype is not None and as_dtype(dtype).kind not in ("float", "complex"):
        raise TypeError(f"{name}: random numbers of this kind are floats, not {as_dtype(dtype).name}; see randint")


named(__name__)
