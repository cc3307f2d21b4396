"""ASGD: stochastic gradient descent that also keeps the mean of where it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero

__all__ = ["ASGD"]


class ASGD(Optimizer):
    r"""Gradient descent with falling steps, that keeps the mean of the parameters as state ``"ax"``.

    .. code-block:: text

        w = (1 - lambd eta) w - eta g
        a = a + mu (w - a)
        eta = lr / (1 + lambd lr t)^alpha,  mu = 1 / max(1, t - t0)       after step t = 1, 2, ...

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        The first step.
    lambd
        How fast steps, and parameters, shrink.
    alpha
        The power with which steps shrink.
    t0
        The step from which on the mean is taken; before, it is the parameter itself.
    weight_decay
        This times the parameter is added to its gradient.
    maximize
        Go up instead of down.
    foreach, differentiable, capturable
        Accepted for PyTorch's sake; they do nothing.

    Raises
    ------
    TypeError, ValueError
        As of `Optimizer`.

    Notes
    -----
    Polyak and Juditsky, Acceleration of stochastic approximation by averaging, 1992.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.ASGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8, -1.6], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("ax",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "weight_decay")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, lambd, alpha, t0 = (float(group[name]) for name in ("lr", "lambd", "alpha", "t0"))
        weight_decay, maximize = float(group["weight_decay"]), group["maximize"]

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state.update(step=0, eta=lr, mu=1.0, ax=Tensor(xp.zeros_like(array)))
            step = state["step"] = state["step"] + 1
            if maximize:
                grad = -grad
            if weight_decay:
                grad = grad + weight_decay * array
            eta, mu, mean = float(state["eta"]), float(state["mu"]), state["ax"].array
            array *= 1.0 - lambd * eta
            array -= eta * grad
            if mu == 1.0:
                mean[...] = array
            else:
                mean += mu * (array - mean)
            state["eta"] = lr / (1.0 + lambd * lr * step) ** alpha
            state["mu"] = 1.0 / max(1.0, step - t0)

        return update
