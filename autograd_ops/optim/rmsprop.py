"""RMSprop: steps scaled by the root mean square of recent gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero, fractions

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    r"""Gradient descent whose step is divided, element by element, by the root mean square of recent gradients.

    .. code-block:: text

        g = grad + weight_decay w
        s = alpha s + (1 - alpha) g^2
        d = g / (sqrt(s) + eps)                 sqrt(s - m^2), m the running mean of g, if centered
        w = w - lr d                            w - lr b, b = momentum b + d, with momentum

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        How far to go.
    alpha
        How slowly the mean square forgets, in [0, 1).
    eps
        Keeps the division from going wild where the gradients are small.
    weight_decay
        This times the parameter is added to its gradient.
    momentum
        How much of the last step's direction is kept, 0 for none.
    centered
        Divide by the standard deviation of the gradients instead.
    maximize
        Go up instead of down.
    capturable, foreach, differentiable
        Accepted for PyTorch's sake; they do nothing.

    Raises
    ------
    TypeError, ValueError
        As of `Optimizer`.

    Notes
    -----
    Tieleman and Hinton, Neural Networks for Machine Learning, lecture 6.5, 2012; centered as in Graves, Generating
    Sequences With Recurrent Neural Networks, 2013, with eps outside of the root, as PyTorch has it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.RMSprop([w], lr=0.05)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.5, -1.5], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("square_avg", "grad_avg", "momentum_buffer")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "eps", "weight_decay", "momentum")
        fractions(self, group, "alpha")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, alpha, eps = float(group["lr"]), float(group["alpha"]), float(group["eps"])
        weight_decay, momentum = float(group["weight_decay"]), float(group["momentum"])
        centered, maximize = group["centered"], group["maximize"]

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                kept = (
                    "square_avg",
                    *(["grad_avg"] if centered else []),
                    *(["momentum_buffer"] if momentum else []),
                )
                state.update({name: Tensor(xp.zeros_like(array)) for name in kept}, step=0)
            state["step"] += 1
            if maximize:
                grad = -grad
            if weight_decay:
                grad = grad + weight_decay * array
            square = state["square_avg"].array
            square *= alpha
            square += (1.0 - alpha) * grad * grad
            if centered:
                mean = state["grad_avg"].array
                mean *= alpha
                mean += (1.0 - alpha) * grad
                square = xp.maximum(square - mean * mean, 0.0)  # a variance, which rounding may make negative
            root = xp.sqrt(square)
            root += eps
            if momentum:
                direction = state["momentum_buffer"].array
                direction *= momentum
                direction += grad / root
                array -= lr * direction
            else:
                array -= lr * grad / root

        return update
