"""Adagrad: steps scaled by the root of all squared gradients so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    r"""Gradient descent whose step is divided, element by element, by the root of the sum of all squared gradients.

    .. code-block:: text

        g = grad + weight_decay w
        s = s + g^2
        w = w - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)       in step t = 1, 2, ...

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        How far to go.
    lr_decay
        How fast the learning rate falls with the number of steps.
    weight_decay
        This times the parameter is added to its gradient.
    initial_accumulator_value
        What the sum of squares starts from.
    eps
        Keeps the division from going wild where the gradients are small.
    maximize
        Go up instead of down.
    foreach, differentiable, fused
        Accepted for PyTorch's sake; they do nothing.

    Raises
    ------
    TypeError, ValueError
        As of `Optimizer`.

    Notes
    -----
    Duchi, Hazan and Singer, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization, 2011, with
    the diagonal matrix.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9, -1.9], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("sum",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, lr_decay, eps = float(group["lr"]), float(group["lr_decay"]), float(group["eps"])
        weight_decay, maximize = float(group["weight_decay"]), group["maximize"]
        start = float(group["initial_accumulator_value"])

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state.update(step=0, sum=Tensor(xp.full_like(array, start)))
            state["step"] += 1
            if maximize:
                grad = -grad
            if weight_decay:
                grad = grad + weight_decay * array
            total = state["sum"].array
            total += grad * grad
            root = xp.sqrt(total)
            root += eps
            array -= (lr / (1.0 + (state["step"] - 1) * lr_decay)) * grad / root

        return update
