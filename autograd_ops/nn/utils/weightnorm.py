"""Weight and spectral normalization in their older form: a hook computes the weight before each call.

The newer form, which computes it when it is read, is in `parametrizations`.
"""

from __future__ import annotations

from typing import Any, TypeVar

from ...refusals import named
from ...tensor import Tensor
from ...warn import warn_user
from ..module import Module
from ..parameter import Parameter
from .norms import PowerIteration, as_matrix, norm_except_dim

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]

M = TypeVar("M", bound=Module)


class _Normalization:
    """A hook that computes the weight called `name` before each call."""

    handle: Any

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, module: Any, inputs: Any) -> None:
        raise NotImplementedError


def _register(module: Module, hook: _Normalization, what: str) -> None:
    for other in module._forward_pre_hooks.values():
        if isinstance(other, _Normalization) and type(other) is type(hook) and other.name == hook.name:
            raise RuntimeError(f"{what}: {hook.name!r} of {type(module).__name__} has one already")
    hook.handle = module.register_forward_pre_hook(hook)


def _find(module: Module, kind: type, name: str, what: str) -> Any:
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, _Normalization) and isinstance(hook, kind) and hook.name == name:
            return hook
    raise ValueError(f"{what}: {name!r} of {type(module).__name__} has none")


def _weight(module: Module, name: str, what: str) -> Parameter:
    weight = module._parameters.get(name)
    if weight is None:
        raise ValueError(f"{what}: {type(module).__name__} has no parameter {name!r}")
    return weight


class _WeightNorm(_Normalization):
    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = -1 if dim is None else dim

    def compute(self, module: Any) -> Tensor:
        """g v / |v|"""
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return v * (g / norm_except_dim(v, 2, self.dim))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute(module))


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Learn the length and the direction of a weight apart; deprecated for `parametrizations.weight_norm`.

    The parameter becomes two, ``<name>_g`` and ``<name>_v``.

    Parameters
    ----------
    module
        Is changed and returned.
    name
        The parameter.
    dim
        The dimension along which each slice has a length of its own; None for one length of all.

    Raises
    ------
    ValueError
        If there is no such parameter.
    """
    warn_user("nn.utils.weight_norm is deprecated: use nn.utils.parametrizations.weight_norm", category=FutureWarning)
    hook = _WeightNorm(name, dim)
    weight = _weight(module, name, "weight_norm")
    _register(module, hook, "weight_norm")
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight.detach(), 2, hook.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute(module))
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Let the weight be one parameter again.

    Raises
    ------
    ValueError
        If there is no weight norm.
    """
    hook = _find(module, _WeightNorm, name, "remove_weight_norm")
    weight = hook.compute(module).detach()
    hook.handle.remove()
    for attribute in (name, f"{name}_g", f"{name}_v"):
        delattr(module, attribute)
    module.register_parameter(name, Parameter(weight))
    return module


class _SpectralNorm(_Normalization):
    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def compute(self, module: Any, iterate: bool = False) -> Tensor:
        """w over its largest singular value"""
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = as_matrix(weight, self.dim)
        if iterate:
            PowerIteration.step(matrix.detach(), u, v, self.n_power_iterations, self.eps, u_first=False)
        return weight / PowerIteration.value(matrix, u, v)

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute(module, iterate=module.training))


def spectral_norm(
    module: M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> M:
    """Divide a weight by its largest singular value before each call; see `parametrizations.spectral_norm`.

    The parameter becomes ``<name>_orig``, beside it are the buffers ``<name>_u`` and ``<name>_v``.

    Parameters
    ----------
    module
        Is changed and returned.
    name
        The parameter.
    n_power_iterations
        How many steps each call in training mode takes.
    eps
        The least length that is divided by.
    dim
        The dimension of the outputs: by default 0, and 1 for transposed convolutions.

    Raises
    ------
    ValueError
        If there is no such parameter, or `n_power_iterations` is not at least 1.
    """
    if n_power_iterations < 1:
        raise ValueError(f"spectral_norm: n_power_iterations must be at least 1, not {n_power_iterations}")
    weight = _weight(module, name, "spectral_norm")
    at = (1 if "ConvTranspose" in type(module).__name__ else 0) if dim is None else dim
    hook = _SpectralNorm(name, n_power_iterations, at, eps)
    _register(module, hook, "spectral_norm")
    u, v = PowerIteration.start(as_matrix(weight.detach(), at), eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Let the weight be a parameter again, with the value it has.

    Raises
    ------
    ValueError
        If there is no spectral norm.
    """
    hook = _find(module, _SpectralNorm, name, "remove_spectral_norm")
    weight = hook.compute(module).detach()
    hook.handle.remove()
    for attribute in (name, f"{name}_orig", f"{name}_u", f"{name}_v"):
        delattr(module, attribute)
    module.register_parameter(name, Parameter(weight))
    return module


named(__name__)
