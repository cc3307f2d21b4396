"""NAdam: Adam that looks ahead, as Nesterov's momentum does."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero, fractions

__all__ = ["NAdam"]


class NAdam(Optimizer):
    r"""`Adam` with Nesterov's momentum: the step is of the mean as it will be with the next gradient.

    .. code-block:: text

        mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)       M_t = mu_1 ... mu_t
        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g^2
        h = mu_(t+1) m / (1 - M_(t+1)) + (1 - mu_t) g / (1 - M_t)
        w = w - lr h / (sqrt(v / (1 - beta2^t)) + eps)       in step t = 1, 2, ...

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
    momentum_decay
        How fast the momentum grows to beta1.
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
    Dozat, Incorporating Nesterov Momentum into Adam, 2016.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.NAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8944, -1.8944], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "eps", "weight_decay", "momentum_decay")
        fractions(self, group, "betas")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, eps, weight_decay = (float(group[name]) for name in ("lr", "eps", "weight_decay"))
        beta1, beta2 = map(float, group["betas"])
        momentum_decay = float(group["momentum_decay"])
        maximize, decoupled = group["maximize"], group["decoupled_weight_decay"]

        def momentum(step: int) -> float:
            return beta1 * (1.0 - 0.5 * 0.96 ** (step * momentum_decay))

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state.update(step=0, mu_product=1.0)
                state["exp_avg"] = Tensor(xp.zeros_like(array))
                state["exp_avg_sq"] = Tensor(xp.zeros_like(array))
            step = state["step"] = state["step"] + 1
            if maximize:
                grad = -grad
            if weight_decay and decoupled:
                array *= 1.0 - lr * weight_decay
            elif weight_decay:
                grad = grad + weight_decay * array
            now, following = momentum(step), momentum(step + 1)
            product = state["mu_product"] = float(state["mu_product"]) * now
            mean, square = state["exp_avg"].array, state["exp_avg_sq"].array
            mean *= beta1
            mean += (1.0 - beta1) * grad
            square *= beta2
            square += (1.0 - beta2) * grad * grad
            root = xp.sqrt(square)
            root *= 1.0 / math.sqrt(1.0 - beta2**step)
            root += eps
            ahead = (lr * (1.0 - now) / (1.0 - product)) * grad
            ahead += (lr * following / (1.0 - product * following)) * mean
            array -= ahead / root

        return update
