"""Parametrizations that are there: lengths of weights apart from directions, and a bound on what weights stretch."""

from __future__ import annotations

from typing import Any

from ...refusals import named
from ...tensor import Tensor
from ..functional import normalize
from ..module import Module
from .norms import PowerIteration, as_matrix, norm_except_dim
from .parametrize import register_parametrization

__all__ = ["spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    def __init__(self, dim: int | None) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """g v / |v|"""
        return weight_v * (weight_g / norm_except_dim(weight_v, 2, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """|w| and w"""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn the length and the direction of a weight apart: g v / |v| (Salimans and Kingma, 2016).

    Parameters
    ----------
    module
        Is changed and returned.
    name
        The parameter. It becomes ``parametrizations.<name>.original0``, g, and ``original1``, v.
    dim
        The dimension along which each slice has a length of its own; None for one length of all.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.utils.parametrizations.weight_norm(ag.nn.Linear(2, 3))
    >>> layer.parametrizations.weight.original0.shape
    Size([3, 1])
    """
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    _u: Any
    _v: Any

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if n_power_iterations < 1:
            raise ValueError(f"spectral_norm: n_power_iterations must be at least 1, not {n_power_iterations}")
        self.dim = dim % weight.ndim
        self.eps = eps
        self.n_power_iterations = n_power_iterations
        if weight.ndim > 1:
            matrix = as_matrix(weight.detach(), self.dim)
            u, v = PowerIteration.start(matrix, eps)
            PowerIteration.step(matrix, u, v, 15, eps, u_first=True)
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)

    def forward(self, weight: Tensor) -> Tensor:
        """w over its largest singular value"""
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            PowerIteration.step(matrix.detach(), self._u, self._v, self.n_power_iterations, self.eps, u_first=True)
        return weight / PowerIteration.value(matrix, self._u, self._v)

    def right_inverse(self, value: Tensor) -> Tensor:
        """w, which is divided already"""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value, found by power iteration (Miyato and others, 2018).

    Parameters
    ----------
    module
        Is changed and returned.
    name
        The parameter. It becomes ``parametrizations.<name>.original``.
    n_power_iterations
        How many steps each reading in training mode takes.
    eps
        The least length that is divided by.
    dim
        The dimension of the outputs: by default 0, and 1 for transposed convolutions.

    Raises
    ------
    ValueError
        If `n_power_iterations` is not at least 1, or there is no such parameter.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"spectral_norm: {type(module).__name__} has no parameter {name!r}")
    at = _output_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, at, eps))


def _output_dim(module: Module) -> int:
    return 1 if "ConvTranspose" in type(module).__name__ else 0


named(__name__)
