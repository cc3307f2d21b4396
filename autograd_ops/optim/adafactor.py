"""Adafactor: second moments of matrices kept as one row and one column."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    r"""Steps scaled by the gradient's root mean square, which for matrices is kept as an outer product.

    .. code-block:: text

        b = t^beta2_decay,  a = max(eps[1], rms(w)) min(lr, 1 / sqrt(t))
        R = (1 - b) R + b mean(g^2, over columns),  C likewise over rows,  V = R C / mean(R)
        u = g / sqrt(max(V, eps[0]^2))
        w = w - a u / max(1, rms(u) / d)      in step t = 1, 2, ...

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own. Of Tensors of more than two
        dimensions the last two are the matrix; those of fewer keep V whole.
    lr
        The largest step relative to the size of the parameter.
    beta2_decay
        How fast the second moment comes to remember longer, at most 0.
    eps
        The least root of the second moment, by default the dtype's epsilon, and the least size of a parameter.
    d
        The largest root mean square of an update.
    weight_decay
        The parameter shrinks by this times lr in each step.
    foreach
        Accepted for PyTorch's sake; does nothing.
    maximize
        Go up instead of down.

    Raises
    ------
    TypeError, ValueError
        As of `Optimizer`.

    Notes
    -----
    Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost, 2018.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.Adafactor([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8419, -1.8419], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("variance",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "weight_decay")
        if group["beta2_decay"] > 0:
            raise ValueError(f"Adafactor: beta2_decay must be at most 0, not {group['beta2_decay']}")
        if group["d"] < 1:
            raise ValueError(f"Adafactor: d must be at least 1, not {group['d']}")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, decay, clip, weight_decay = (float(group[name]) for name in ("lr", "beta2_decay", "d", "weight_decay"))
        (floor, least), maximize = group["eps"], group["maximize"]

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                _start(state, xp, array)
            step = state["step"] = state["step"] + 1
            if maximize:
                grad = -grad
            fresh = step**decay
            size = xp.sqrt(xp.mean(array * array))
            rate = xp.maximum(size, xp.full_like(size, least)) * min(lr, 1.0 / math.sqrt(step))
            if weight_decay:
                array *= 1.0 - lr * weight_decay
            square = grad * grad
            if array.ndim > 1:
                rows, columns = state["row_var"].array, state["col_var"].array
                rows += fresh * (xp.mean(square, axis=-1, keepdims=True) - rows)
                columns += fresh * (xp.mean(square, axis=-2, keepdims=True) - columns)
                mean = xp.mean(rows, axis=-2, keepdims=True)
                variance = rows * columns / xp.maximum(mean, xp.full_like(mean, _epsilon(floor, array)))
            else:
                variance = state["variance"].array
                variance += fresh * (square - variance)
            change = grad / xp.sqrt(xp.maximum(variance, xp.full_like(variance, _epsilon(floor, array) ** 2)))
            spread = xp.sqrt(xp.mean(change * change)) / clip
            array -= rate / xp.maximum(spread, xp.ones_like(spread)) * change

        return update


def _start(state: dict[str, Any], xp: Any, array: Any) -> None:
    state["step"] = 0
    if array.ndim > 1:
        state["row_var"] = Tensor(xp.zeros_like(array[..., :1]))
        state["col_var"] = Tensor(xp.zeros_like(array[..., :1, :]))
    else:
        state["variance"] = Tensor(xp.zeros_like(array))


def _epsilon(given: float | None, array: Any) -> float:
    return float(namespace(array).finfo(array.dtype).eps) if given is None else given
