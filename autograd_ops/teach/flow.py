"""``teach.gradient_flow(model)``: how large the gradients are, layer by layer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..nn.module import Module
from ..tensor import Tensor
from .charts import Bar, bars
from .graph import to_host
from .look import ORANGE, RED
from .shown import Shown, framed
from .words import name_in_short, number

__all__ = ["GradientFlow", "LayerGradient", "gradient_flow"]


def gradient_flow(model: Module | Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]) -> GradientFlow:
    """The size of the gradient of every parameter, as bars on a logarithmic scale, first layer first.

    Where the bars shrink from the last layer to the first, gradients vanish; where they grow, they explode. Beside each
    stands the size of the gradient as a part of that of the parameter: what a step of SGD with rate 1 would change.

    Parameters
    ----------
    model
        A module after backward; or parameters by name, as ``model.named_parameters()`` gives them.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If it has no parameters, or none has a gradient: call backward first.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import nn, teach
    >>> net = nn.Linear(2, 1)
    >>> with ag.no_grad():
    ...     _ = net.weight.fill_(1.0), net.bias.fill_(0.5)
    >>> net(ag.tensor([[3.0, 4.0]])).sum().backward()
    >>> print(teach.gradient_flow(net))
    parameter  rms gradient  of the parameter
    weight            3.536             3.536  ████████████████████
    bias                  1                 2  ███
    """
    named = model.named_parameters() if isinstance(model, Module) else model
    try:
        pairs = list(named.items() if isinstance(named, Mapping) else named)
    except TypeError:
        raise TypeError(f"teach.gradient_flow: expected a module, got {type(model).__name__}") from None
    if not all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], Tensor) for pair in pairs):
        raise TypeError(
            "teach.gradient_flow: expected a module, or pairs of names and Tensors, as named_parameters() gives"
        )
    if not pairs:
        raise ValueError("teach.gradient_flow: there are no parameters")
    if all(tensor.grad is None for _, tensor in pairs):
        raise ValueError("teach.gradient_flow: no parameter has a gradient; call backward on a loss first")
    return GradientFlow([_layer(name, tensor) for name, tensor in pairs])


@dataclass(frozen=True, slots=True)
class LayerGradient:
    """The gradient of one parameter.

    Attributes
    ----------
    rms
        Its root mean square; ``None`` if there is no gradient.
    relative
        That, divided by the root mean square of the parameter.
    zeros
        Which part of it is 0.
    """

    name: str
    rms: float | None
    relative: float | None = None
    zeros: float = 0.0


class GradientFlow(Shown):
    """The gradients of all parameters, as `LayerGradient` in ``layers``."""

    title = "the flow of gradients"

    def __init__(self, layers: list[LayerGradient]) -> None:
        self.layers = layers
        known = [layer.rms for layer in layers if layer.rms is not None and 0 < layer.rms < math.inf]
        self._high = math.log10(max(known, default=1.0))
        # At least a decade, so that bars of like gradients are of like length.
        self._low = min(math.log10(min(known, default=1.0)), self._high - 0.5) - 0.1

    def _share(self, layer: LayerGradient) -> float:
        """The length of a bar, on a logarithmic scale."""
        if not layer.rms or not math.isfinite(layer.rms):
            return 0.0
        return (math.log10(layer.rms) - self._low) / (self._high - self._low)

    def text(self) -> str:
        """A line a parameter."""
        names = [name_in_short(layer.name, 28) for layer in self.layers]
        width = max(len("parameter"), *map(len, names))
        lines = [f"{'parameter':<{width}}  rms gradient  of the parameter"]
        for name, layer in zip(names, self.layers, strict=True):
            if layer.rms is None:
                lines.append(f"{name:<{width}}          none")
                continue
            relative = "" if layer.relative is None else number(layer.relative)
            bar = "█" * round(20 * self._share(layer))
            lines.append(f"{name:<{width}}  {number(layer.rms):>12}  {relative:>16}  {bar}{_remark(layer)}".rstrip())
        return "\n".join(lines)

    def html(self) -> str:
        """A bar a parameter."""
        rows = [
            Bar(layer.name, self._share(layer), _words(layer), ORANGE if _is_sound(layer) else RED)
            for layer in self.layers
        ]
        chart = bars(rows, "the size of the gradient of each parameter")
        head = "<h4>root mean square of each gradient, <span class='beside'>on a logarithmic scale</span></h4>"
        return framed(f"{head}<div class='scroll'>{chart}</div>", "flow")


def _layer(name: str, tensor: Tensor) -> LayerGradient:
    if tensor.grad is None:
        return LayerGradient(name, None)
    gradient, value = to_host(tensor.grad.array), to_host(tensor.array)
    rms, size = _rms(gradient), _rms(value)
    zeros = float(np.mean(gradient == 0)) if gradient.size else 0.0
    return LayerGradient(name, rms, rms / size if size else None, zeros)


def _rms(array: np.ndarray) -> float:
    wide = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    return float(np.sqrt(np.mean(wide * wide))) if array.size else 0.0


def _is_sound(layer: LayerGradient) -> bool:
    return layer.rms is not None and math.isfinite(layer.rms) and layer.rms > 0


def _remark(layer: LayerGradient) -> str:
    if layer.rms is not None and not math.isfinite(layer.rms):
        return "  not finite: teach.explain_nan(loss)"
    return f"  {layer.zeros:.0%} zeros" if layer.zeros > 0.5 else ""


def _words(layer: LayerGradient) -> str:
    if layer.rms is None:
        return "no gradient"
    relative = "" if layer.relative is None else f", {number(layer.relative)} of the parameter"
    return f"{number(layer.rms)}{relative}{_remark(layer)}"
