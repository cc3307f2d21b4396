"""Starting values: each function fills a Tensor in place, off the tape, and returns it.

How far the values of a layer spread depends on its fans, of which `fan_in_and_out` tells: how many inputs make an
output, and how many outputs an input goes into.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import ops
from ..creation import eye as identity
from ..creation import zeros_like
from ..random import Generator, rand_like, randn, randn_like
from ..refusals import named
from ..tape import no_grad
from ..tensor import Tensor
from ..warn import warn_user

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "fan_in_and_out",
    "fan_in_uniform_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

# ---------------------------------------------------------------- plain


@no_grad
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with numbers drawn evenly from [a, b).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.nn.init.uniform_(ag.empty(100), -1.0, 1.0)
    >>> bool((x.abs() <= 1).all())
    True
    """
    return tensor.uniform_(a, b, generator=generator)


@no_grad
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with numbers drawn from the normal distribution of that mean and standard deviation."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill `tensor` with `val`."""
    return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 0."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with 1."""
    return constant_(tensor, 1.0)


@no_grad
def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with 1 on its diagonal, 0 elsewhere.

    Raises
    ------
    ValueError
        If `tensor` is no matrix.
    """
    if tensor.ndim != 2:
        raise ValueError(f"eye_: expected a matrix, got shape {tuple(tensor.shape)}")
    return tensor.copy_(identity(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


# ---------------------------------------------------------------- by fan


def fan_in_and_out(tensor: Tensor) -> tuple[int, int]:
    """The fans of a weight [out, in, ...]: ``in`` and ``out``, each times the cells of the kernel.

    Raises
    ------
    ValueError
        If `tensor` has fewer than two dimensions.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.init.fan_in_and_out(ag.empty(8, 3, 5, 5))
    (75, 200)
    """
    if tensor.ndim < 2:
        raise ValueError(f"a fan needs a weight of two dimensions or more, got shape {tuple(tensor.shape)}")
    cells = tensor.shape[2:]
    count = math.prod(cells)
    return tensor.shape[1] * count, tensor.shape[0] * count


def fan_in_uniform_(bias: Tensor, weight: Tensor, generator: Generator | None = None) -> Tensor:
    """Fill `bias` with numbers drawn evenly from ±1/sqrt(fan_in), of the fan-in of `weight`: a layer's default."""
    fan_in, _ = fan_in_and_out(weight)
    bound = 1.0 / math.sqrt(fan_in) if fan_in > 0 else 0.0
    return uniform_(bias, -bound, bound, generator)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """What the standard deviation is multiplied by to make up for an activation function.

    Parameters
    ----------
    nonlinearity
        ``"linear"``, ``"conv2d"`` and its like, ``"sigmoid"``: 1; ``"tanh"``: 5/3; ``"relu"``: sqrt(2);
        ``"leaky_relu"``: sqrt(2 / (1 + slope^2)); ``"selu"``: 3/4.
    param
        The slope of ``"leaky_relu"``, 0.01 by default.

    Raises
    ------
    ValueError
        If the function is not known.

    Examples
    --------
    >>> from autograd_ops import nn
    >>> round(nn.init.calculate_gain("leaky_relu", 1.0), 4)
    1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1.0 + slope * slope))
    if nonlinearity.startswith("conv") or nonlinearity in ("linear", "sigmoid"):
        return 1.0
    gains = {"tanh": 5.0 / 3.0, "relu": math.sqrt(2.0), "selu": 0.75}
    if nonlinearity not in gains:
        raise ValueError(f"calculate_gain: no gain is known for {nonlinearity!r}")
    return gains[nonlinearity]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn evenly from ±gain sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normal numbers of standard deviation gain sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers drawn evenly from ±gain sqrt(3 / fan) (He and others, 2015).

    Parameters
    ----------
    tensor
        A weight [out, in, ...]; without elements it is left alone, with a warning.
    a
        The slope of a leaky ReLU.
    mode
        ``"fan_in"`` keeps the spread of values on the way forward, ``"fan_out"`` of gradients on the way back.
    nonlinearity
        As in `calculate_gain`.
    generator
        What is drawn from.

    Raises
    ------
    ValueError
        If `mode` or `nonlinearity` is unknown, or `tensor` has fewer than two dimensions.
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal numbers of standard deviation gain / sqrt(fan); the arguments are `kaiming_uniform_`'s."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / sum(fan_in_and_out(tensor)))


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"kaiming: mode must be 'fan_in' or 'fan_out', not {mode!r}")
    fan_in, fan_out = fan_in_and_out(tensor)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan_in if mode == "fan_in" else fan_out)


def _is_empty(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warn_user(f"a weight of shape {tuple(tensor.shape)} has no elements to fill")
        return True
    return False


# ---------------------------------------------------------------- structured


@no_grad
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it gives its input back, as far as there are channels.

    Parameters
    ----------
    tensor
        [out, in, *kernel], of 3, 4 or 5 dimensions.
    groups
        How many groups of output channels each give the first input channels back.

    Raises
    ------
    ValueError
        If `tensor` has other dimensions, or `groups` does not divide its first one.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.init.dirac_(ag.empty(2, 2, 3))[0]
    tensor([[0., 1., 0.],
            [0., 0., 0.]])
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError(f"dirac_: takes a weight of 3, 4 or 5 dimensions, not of shape {tuple(tensor.shape)}")
    if tensor.shape[0] % groups:
        raise ValueError(f"dirac_: {tensor.shape[0]} output channels are not divisible by groups={groups}")
    per_group = tensor.shape[0] // groups
    centre = tuple(n // 2 for n in tensor.shape[2:])
    filled = zeros_like(tensor)
    for group in range(groups):
        for channel in range(min(per_group, tensor.shape[1])):
            filled[(group * per_group + channel, channel, *centre)] = 1.0
    return tensor.copy_(filled)


@no_grad
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a random matrix whose rows, or columns if these are fewer, are orthogonal and of length `gain`.

    Parameters
    ----------
    tensor
        Of two dimensions or more; all after the first count as one.
    gain
        The length.
    generator
        What is drawn from.

    Raises
    ------
    ValueError
        If `tensor` has fewer than two dimensions.

    Notes
    -----
    Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning in deep linear neural networks,
    2013. The signs that a QR decomposition leaves open are chosen so that all such matrices are equally likely.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.nn.init.orthogonal_(ag.empty(3, 5))
    >>> ag.allclose(w @ w.T, ag.eye(3), atol=1e-5)
    True
    """
    from ..linalg import qr  # which few models need

    if tensor.ndim < 2:
        raise ValueError(f"orthogonal_: needs two dimensions or more, got shape {tuple(tensor.shape)}")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.shape[0]
    columns = tensor.numel() // rows
    wide = rows < columns
    size = (columns, rows) if wide else (rows, columns)
    drawn = randn(*size, generator=generator, dtype=tensor.dtype, device=tensor.device)
    q, r = qr(drawn)
    q = q * ops.sign(r.diagonal())
    if wide:
        q = ops.matrix_transpose(q)
    return tensor.copy_(ops.reshape(q, tuple(tensor.shape)) * gain)


@no_grad
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with normal numbers, and of each column a part of `sparsity` with 0 (Martens, 2010).

    Raises
    ------
    ValueError
        If `tensor` is no matrix.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.nn.init.sparse_(ag.empty(10, 3), sparsity=0.3)
    >>> (w == 0).sum(dim=0).tolist()
    [3, 3, 3]
    """
    if tensor.ndim != 2:
        raise ValueError(f"sparse_: expected a matrix, got shape {tuple(tensor.shape)}")
    zeros = math.ceil(sparsity * tensor.shape[0])
    ranks = rand_like(tensor, generator=generator).argsort(dim=0).argsort(dim=0)
    return tensor.copy_(ops.where(ranks < zeros, 0.0, randn_like(tensor, generator=generator) * std))


# ---------------------------------------------------------------- truncated normal


@no_grad
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal numbers of that mean and standard deviation, drawn again until they are in [a, b].

    Parameters
    ----------
    tensor
        Of any shape.
    mean, std
        Of the distribution before it is cut.
    a, b
        Where it is cut; not multiples of `std`.
    generator
        What is drawn from.

    Raises
    ------
    ValueError
        If `a` is not below `b`, or `std` is not positive.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.nn.init.trunc_normal_(ag.empty(1000), std=0.02, a=-0.03, b=0.03)
    >>> bool((x.abs() <= 0.03).all())
    True
    """
    if not a < b or not std > 0:
        raise ValueError(f"trunc_normal_: a must be below b and std positive, got a={a}, b={b}, std={std}")
    low, high = (a - mean) / std, (b - mean) / std
    # Most of the normal distribution, or a piece of it that may be far out: two ways to propose numbers.
    wide = math.erf(high / math.sqrt(2.0)) - math.erf(low / math.sqrt(2.0)) > 0.5
    propose = _propose_normal if wide else _propose_in_piece
    drawn, accepted = propose(tensor, low, high, generator)
    while not bool(ops.all(accepted)):
        again, accepted_again = propose(tensor, low, high, generator)
        drawn = ops.where(accepted, drawn, again)
        accepted = accepted | accepted_again
    return tensor.copy_(ops.clamp(drawn * std + mean, a, b))


def _propose_normal(like: Tensor, low: float, high: float, generator: Generator | None) -> tuple[Tensor, Tensor]:
    drawn = randn_like(like, generator=generator)
    return drawn, (drawn >= low) & (drawn <= high)


def _propose_in_piece(like: Tensor, low: float, high: float, generator: Generator | None) -> tuple[Tensor, Tensor]:
    """Evenly from [low, high], accepted with the density there over the largest one (Robert, 1995)."""
    drawn = rand_like(like, generator=generator) * (high - low) + low
    peak = min(max(0.0, low), high)
    return drawn, rand_like(like, generator=generator) <= ops.exp((peak * peak - drawn * drawn) * 0.5)


# ---------------------------------------------------------------- older names


def _older(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    name = function.__name__.rstrip("_")

    def older(*args: Any, **kwargs: Any) -> Tensor:
        warn_user(f"nn.init.{name} is deprecated: use nn.init.{function.__name__}", category=FutureWarning)
        return function(*args, **kwargs)

    older.__name__ = older.__qualname__ = name
    older.__doc__ = f"PyTorch's older name of `{function.__name__}`; it warns."
    return older


constant, dirac, eye, normal, uniform = map(_older, (constant_, dirac_, eye_, normal_, uniform_))
kaiming_normal, kaiming_uniform, orthogonal, sparse = map(
    _older, (kaiming_normal_, kaiming_uniform_, orthogonal_, sparse_)
)
xavier_normal, xavier_uniform = map(_older, (xavier_normal_, xavier_uniform_))


named(__name__)
