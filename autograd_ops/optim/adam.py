"""Adam and AdamW: steps scaled by running moments of the gradient."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import kernels, namespace
from autograd_backends.options import AdamStep

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero, fractions

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    r"""Gradient descent whose step is scaled, element by element, by the size that the gradients had lately.

    .. code-block:: text

        g = grad + weight_decay w               w = (1 - lr weight_decay) w  if the decay is decoupled
        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g^2           its largest value so far, with amsgrad
        w = w - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)      in step t = 1, 2, ...

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
    amsgrad
        Divide by the largest second moment so far, so that the steps of an element never grow.
    maximize
        Go up instead of down.
    decoupled_weight_decay
        Shrink the parameter itself instead, so that the moments see nothing of it: AdamW.
    foreach, capturable, differentiable, fused
        Accepted for PyTorch's sake; they do nothing.

    Raises
    ------
    TypeError, ValueError
        As of `Optimizer`.

    Notes
    -----
    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015; computed in the order that the end of their
    section 2 gives. AMSGrad: Reddi et al., On the Convergence of Adam and Beyond, 2018.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9, -1.9], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    elementwise: ClassVar[bool] = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "eps", "weight_decay")
        fractions(self, group, "betas")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, eps, weight_decay = float(group["lr"]), float(group["eps"]), float(group["weight_decay"])
        beta1, beta2 = map(float, group["betas"])
        amsgrad, maximize, decoupled = group["amsgrad"], group["maximize"], group["decoupled_weight_decay"]
        shrink = 1.0 - lr * weight_decay if decoupled else 1.0

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            state = self.state[parameter]
            if not state:
                _start(state, namespace(array), array, amsgrad)
            count = state["step"] = state["step"] + 1
            # Both corrections are numbers, so they are taken together and out of the arrays.
            unbias = math.sqrt(1.0 - beta2**count)
            step = AdamStep(beta1, beta2, lr * unbias / (1.0 - beta1**count), eps * unbias, shrink)
            if maximize:
                grad = -grad
            if weight_decay and not decoupled:
                grad = grad + weight_decay * array
            largest = state.get("max_exp_avg_sq")
            kernels(array).adam_step(
                array,
                grad,
                state["exp_avg"].array,
                state["exp_avg_sq"].array,
                None if largest is None else largest.array,
                step,
            )

        return update


def _start(state: dict[str, Any], xp: Any, array: Any, amsgrad: bool) -> None:
    state["step"] = 0
    state["exp_avg"] = Tensor(xp.zeros_like(array))
    state["exp_avg_sq"] = Tensor(xp.zeros_like(array))
    if amsgrad:
        state["max_exp_avg_sq"] = Tensor(xp.zeros_like(array))


class AdamW(Adam):
    """Adam with decoupled weight decay: the parameter itself shrinks by ``lr * weight_decay`` in each step.

    Parameters
    ----------
    params, lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable, differentiable, fused
        As of `Adam`; here some weight decay is the default.

    Raises
    ------
    TypeError, ValueError
        As of `Optimizer`.

    Notes
    -----
    Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019, with the decay scaled by the learning rate.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.AdamW([w], lr=0.1, weight_decay=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.85, -1.8 ], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True)
