"""RAdam: Adam that waits until its second moment is known well enough."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero, fractions

__all__ = ["RAdam"]


class RAdam(Optimizer):
    r"""`Adam` whose steps are at first those of momentum alone, and later shortened by how uncertain the moment is.

    .. code-block:: text

        m = beta1 m + (1 - beta1) g                          r_inf = 2 / (1 - beta2) - 1
        v = beta2 v + (1 - beta2) g^2                        r = r_inf - 2 t beta2^t / (1 - beta2^t)
        w = w - lr m / (1 - beta1^t)                         where r <= 5, else this times
            sqrt((r - 4) (r - 2) r_inf / ((r_inf - 4) (r_inf - 2) r)) sqrt(1 - beta2^t) / (sqrt(v) + eps)

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        About how far each element goes in one step.
    betas
        How slowly the two moments forget, each in [0, 1).
    eps
        Keeps the division from going wild where the gradients are small.
    weight_decay
        This times the parameter is added to its gradient; see `decoupled_weight_decay`.
    decoupled_weight_decay
        Shrink the parameter itself instead, as AdamW does.
    maximize
        Go up instead of down.
    foreach, capturable, differentiable
        Accepted for PyTorch's sake; they do nothing.

    Raises
    ------
    TypeError, ValueError
        As of `Optimizer`.

    Notes
    -----
    Liu and others, On the Variance of the Adaptive Learning Rate and Beyond, 2020.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.RAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8, -1.6], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "eps", "weight_decay")
        fractions(self, group, "betas")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, eps, weight_decay = (float(group[name]) for name in ("lr", "eps", "weight_decay"))
        beta1, beta2 = map(float, group["betas"])
        maximize, decoupled = group["maximize"], group["decoupled_weight_decay"]
        most = 2.0 / (1.0 - beta2) - 1.0

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state["step"] = 0
                state["exp_avg"] = Tensor(xp.zeros_like(array))
                state["exp_avg_sq"] = Tensor(xp.zeros_like(array))
            step = state["step"] = state["step"] + 1
            if maximize:
                grad = -grad
            if weight_decay and decoupled:
                array *= 1.0 - lr * weight_decay
            elif weight_decay:
                grad = grad + weight_decay * array
            mean, square = state["exp_avg"].array, state["exp_avg_sq"].array
            mean *= beta1
            mean += (1.0 - beta1) * grad
            square *= beta2
            square += (1.0 - beta2) * grad * grad
            unbias = 1.0 - beta2**step
            length = most - 2.0 * step * beta2**step / unbias
            rate = lr / (1.0 - beta1**step)
            if length <= 5.0:
                array -= rate * mean
                return
            shorter = math.sqrt((length - 4.0) * (length - 2.0) * most / ((most - 4.0) * (most - 2.0) * length))
            root = xp.sqrt(square)
            root += eps
            array -= (rate * shorter * math.sqrt(unbias)) * mean / root

        return update
