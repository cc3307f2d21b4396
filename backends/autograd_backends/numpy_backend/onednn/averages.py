"""Average pools and their gradients, and sums over windows that lie side by side."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import NamedTuple

from ...array_types import Array, Shape
from ...shapes import adaptive_pool_output_shape, check_output_grad, pool_windows
from ...windows import Window
from .constants import (
    DIFF_DST,
    DIFF_SRC,
    DST,
    ELTWISE_LINEAR,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    POOLING_AVG_EXCLUDE_PADDING,
    POOLING_AVG_INCLUDE_PADDING,
    SRC,
)
from .memory import Operand, in_order
from .plan import Plan, made
from .positions import pool_positions

__all__ = ["adaptive_avg_pool", "adaptive_avg_pool_backward", "avg_pool", "avg_pool_backward", "sums"]

#: Planes that oneDNN takes averages of at once.
PLANES = 16


def avg_pool(
    x: Array,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    count_include_pad: bool,
    ceil_mode: bool,
    divisor_override: int | None = None,
) -> Array | None:
    """The mean of each window of x [N, C, ...]."""
    windows = _windows(x.shape, kernel_size, stride, padding, ceil_mode)
    options = _averaging(windows, count_include_pad, divisor_override)
    return None if options is None else _averages(options, x)


def avg_pool_backward(
    x_shape: Shape,
    output_grad: Array,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    count_include_pad: bool,
    ceil_mode: bool,
    divisor_override: int | None = None,
) -> Array | None:
    """The gradient of x, of `x_shape`, from that of its windows' means."""
    windows = _windows(x_shape, kernel_size, stride, padding, ceil_mode)
    check_output_grad(f"avg_pool{len(windows)}d_backward", output_grad.shape, (*x_shape[:2], *[w.out for w in windows]))
    options = _averaging(windows, count_include_pad, divisor_override)
    return None if options is None else _spread(options, output_grad)


def adaptive_avg_pool(x: Array, output_size: Shape) -> Array | None:
    """The means of x [N, C, ...] over `output_size` windows, where these lie side by side."""
    adaptive_pool_output_shape(f"adaptive_avg_pool{len(output_size)}d", x.shape, output_size)
    options = _side_by_side(x.shape[2:], output_size)
    return None if options is None else _averages(options, x)


def adaptive_avg_pool_backward(x_shape: Shape, output_grad: Array) -> Array | None:
    """The gradient of x, of `x_shape`, where the windows lie side by side."""
    if output_grad.ndim != len(x_shape) or output_grad.shape[:2] != tuple(x_shape[:2]):
        return None  # the default says what is wrong
    options = _side_by_side(tuple(x_shape[2:]), output_grad.shape[2:])
    return None if options is None else _spread(options, output_grad)


def sums(x: Array, kernel: Shape) -> Array | None:
    """The sum of each window of x [N, C, ...], where these lie side by side."""
    options = _side_by_side(x.shape[2:], tuple([n // k for n, k in zip(x.shape[2:], kernel, strict=True)]))
    return None if options is None else _averages(options._replace(factor=float(prod(kernel))), x)


class Averaging(NamedTuple):
    """Windows, what the mean of one that is not all inside is divided by, and what it is multiplied with."""

    windows: tuple[Window, ...]
    algorithm: int
    factor: float = 1.0


@lru_cache(maxsize=512)
def _side_by_side(size: Shape, out: Shape) -> Averaging | None:
    """`out` windows that share a plane of `size` evenly; None if they cannot."""
    if not prod(out) or any(n % m for n, m in zip(size, out, strict=True)):
        return None
    windows = tuple([Window(n, n // m, n // m, 0, 1, m) for n, m in zip(size, out, strict=True)])
    return Averaging(windows, POOLING_AVG_INCLUDE_PADDING)


def _averages(options: Averaging, x: Array) -> Array | None:
    lead = x.shape[:2]
    return made(_avg_pool, options, (*lead, *[w.out for w in options.windows]), x) if _fills_blocks(lead) else None


def _spread(options: Averaging, output_grad: Array) -> Array | None:
    lead = output_grad.shape[:2]
    if options.factor != 1.0 or not _fills_blocks(lead):
        return None
    return made(_avg_pool_backward, options, (*lead, *[w.size for w in options.windows]), output_grad)


def _fills_blocks(lead: Shape) -> bool:
    """Whether most of what oneDNN computes is wanted, which takes planes by so many at once."""
    planes = prod(lead)
    return planes > 0 and -planes % PLANES <= planes // 2


def _planes(operand: Operand) -> Operand:
    """[N, C, ...] as one image of all planes: N times C fill more blocks than N times those of C."""
    return in_order(operand).seen_as(1, prod(operand.shape[:2]), *operand.shape[2:])


def _windows(x_shape: Shape, kernel_size: Shape, stride: Shape, padding: Shape, ceil_mode: bool) -> tuple[Window, ...]:
    rank = len(kernel_size)
    return pool_windows(f"avg_pool{rank}d", x_shape, kernel_size, stride, padding, (1,) * rank, ceil_mode)


@lru_cache(maxsize=512)
def _averaging(windows: tuple[Window, ...], count_include_pad: bool, divisor_override: int | None) -> Averaging | None:
    """How oneDNN divides as is wanted; None if it does not: it counts all padding or none, and more in `ceil_mode`."""
    if not prod(w.out for w in windows):
        return None
    cells = prod(w.kernel for w in windows)
    if divisor_override is not None:
        return Averaging(windows, POOLING_AVG_INCLUDE_PADDING, cells / divisor_override)
    if not count_include_pad:
        return Averaging(windows, POOLING_AVG_EXCLUDE_PADDING)
    whole = all(w.divisor(position, True) == w.kernel for w in windows for position in range(w.out))
    return Averaging(windows, POOLING_AVG_INCLUDE_PADDING) if whole else None


def _avg_pool(plan: Plan, options: Averaging, out: Operand, x: Operand) -> None:
    out, x = _planes(out), _planes(x)
    factor = () if options.factor == 1.0 else (("eltwise", ELTWISE_LINEAR, options.factor, 0.0),)
    with plan.shared(prod(x.shape)):
        primitive = plan.primitive(
            *("pooling_forward", FORWARD_INFERENCE, options.algorithm, x, out),
            *pool_positions(options.windows),
            post_ops=factor,
        )
        plan.step(primitive, {SRC: x, DST: out})


def _avg_pool_backward(plan: Plan, options: Averaging, out: Operand, output_grad: Operand) -> None:
    out, output_grad = _planes(out), _planes(output_grad)
    with plan.shared(prod(out.shape)):
        given = options.algorithm, out, output_grad, *pool_positions(options.windows)
        hint = plan.primitive("pooling_forward", FORWARD_TRAINING, *given, reference=True)
        plan.step(plan.primitive("pooling_backward", *given, hint), {DIFF_DST: output_grad, DIFF_SRC: out})
