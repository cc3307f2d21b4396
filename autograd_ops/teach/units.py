"""``teach.dead_units(model, x)``: units that give 0 for everything, or stand at the flat ends of their function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.around import innermost
from ..nn.module import Module
from ..pytree import flatten
from ..tape import Leaf, Node, Port, enable_grad, nodes_behind
from ..tensor import Tensor
from .charts import Bar, bars
from .graph import to_host
from .look import GREEN, RED
from .shown import Shown, framed
from .watching import seen_of, watch
from .words import name_in_short

__all__ = ["DeadUnits", "LayerUnits", "dead_units"]

#: For each activation, where a unit is of no use: its derivative there is 0, or nearly.
_FLAT: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "relu": ("dead", lambda out: out <= 0),
    "hardtanh": ("at an end", lambda out: (out <= out.min()) | (out >= out.max())),
    "sigmoid": ("saturated", lambda out: (out < 0.01) | (out > 0.99)),
    "tanh": ("saturated", lambda out: abs(out) > 0.99),
}


def dead_units(model: Module, *inputs: Any, **options: Any) -> DeadUnits:
    """How many units of each activation are dead or saturated for every example of a batch.

    A unit of relu that is 0 for all examples gets no gradient from any, and does not learn again by itself. The model
    is run once in eval mode, in which nothing of it changes, with every call of relu, hardtanh, sigmoid and tanh
    counted, in modules and in functions. A unit is a channel of an image and a feature of anything else.

    Parameters
    ----------
    model
        A module.
    inputs, options
        What it is called with: a batch of examples.

    Raises
    ------
    TypeError
        If `model` is no module.
    ValueError
        If it has no such activation on the tape.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import nn, teach
    >>> net = nn.Sequential(nn.Linear(1, 4), nn.ReLU())
    >>> with ag.no_grad():
    ...     _ = net[0].weight.fill_(1.0), net[0].bias.copy_(ag.tensor([0.0, 0.0, -9.0, 9.0]))
    >>> print(teach.dead_units(net, ag.tensor([[1.0], [2.0], [-3.0]])))
    layer              units  of no use
    Sequential.1 relu      4      1 dead  25%
    """
    if not isinstance(model, Module):
        raise TypeError(f"teach.dead_units: expected a module, got {type(model).__name__}")
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with enable_grad(), watch():
            result = model(*inputs, **options)
    finally:
        for module, training in modes:
            module.training = training
    roots = [t.place() for t in flatten(result)[0] if isinstance(t, Tensor)]
    nodes = [n for n in nodes_behind([r for r in roots if r is not None]) if not isinstance(n, (Leaf, Port))]
    layers = [_count(node) for node in sorted(nodes, key=lambda n: n.seq) if innermost(node.op).name in _FLAT]
    if not layers:
        raise ValueError(
            "teach.dead_units: no relu, hardtanh, sigmoid or tanh was recorded; does a parameter require grad?"
        )
    return DeadUnits(layers)


@dataclass(frozen=True, slots=True)
class LayerUnits:
    """The units of one activation.

    Attributes
    ----------
    name
        The module that called it, and the op.
    units, flat
        How many there are, and how many of them are of no use.
    word
        What these are called: ``"dead"``, ``"saturated"`` or ``"at an end"``.
    which
        Their numbers.
    """

    name: str
    units: int
    flat: int
    word: str
    which: tuple[int, ...]

    @property
    def share(self) -> float:
        """The part of them that is of no use."""
        return self.flat / self.units if self.units else 0.0


class DeadUnits(Shown):
    """The units of every activation, as `LayerUnits` in ``layers``."""

    title = "dead units"

    def __init__(self, layers: list[LayerUnits]) -> None:
        self.layers = layers

    def text(self) -> str:
        """A line an activation."""
        names = [name_in_short(layer.name, 60) for layer in self.layers]
        width = max(len("layer"), *map(len, names))
        lines = [f"{'layer':<{width}}  units  of no use"]
        lines += [
            f"{name:<{width}}  {layer.units:>5}  {layer.flat:>5} {layer.word}  {layer.share:.0%}"
            for name, layer in zip(names, self.layers, strict=True)
        ]
        return "\n".join(lines)

    def html(self) -> str:
        """A bar an activation: the part of its units that is of no use."""
        rows = [
            Bar(layer.name, layer.share, f"{layer.flat} of {layer.units} {layer.word}", RED if layer.flat else GREEN)
            for layer in self.layers
        ]
        return framed(f"<h4>units of no use</h4>{bars(rows, 'dead and saturated units')}", "units")


def _count(node: Node) -> LayerUnits:
    seen = seen_of(node)
    assert seen is not None
    op = innermost(node.op).name
    out = to_host(seen.result)
    axis = _unit_axis(out.ndim, node)
    word, is_flat = _FLAT[op]
    rest = tuple(i for i in range(out.ndim) if i != axis)
    flat = np.all(is_flat(out), axis=rest) if out.size else np.zeros(out.shape[axis] if out.ndim else 1, dtype=bool)
    which = tuple(int(i) for i in np.flatnonzero(flat))
    name = f"{seen.call.path} {op}" if seen.call is not None else op
    return LayerUnits(name, int(np.size(flat)), len(which), word, which)


def _unit_axis(ndim: int, node: Node) -> int:
    """Which dimension counts the units: that of the channels after a convolution, or else the last."""
    if ndim >= 4:
        return 1
    before = node.parents[0]
    after_conv = before is not None and not isinstance(before, (Leaf, Port)) and "conv" in innermost(before.op).name
    return 1 if ndim == 3 and after_conv else ndim - 1
