"""Adadelta: steps scaled by the size of the steps before, over that of the gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero, fractions

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    r"""Gradient descent whose step has the size, element by element, of lately taken ones over lately seen gradients.

    .. code-block:: text

        v = rho v + (1 - rho) g^2
        d = sqrt(u + eps) / sqrt(v + eps) g
        u = rho u + (1 - rho) d^2
        w = w - lr d

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        A factor for each step.
    rho
        How slowly both means forget, in [0, 1).
    eps
        Keeps the roots from 0; it decides how large the first steps are.
    weight_decay
        This times the parameter is added to its gradient.
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
    Zeiler, ADADELTA: An Adaptive Learning Rate Method, 2012.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.Adadelta([w], lr=1.0, eps=0.01)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.6877, -1.6848], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("square_avg", "acc_delta")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "eps", "weight_decay")
        fractions(self, group, "rho")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, rho, eps, weight_decay = (float(group[name]) for name in ("lr", "rho", "eps", "weight_decay"))
        maximize = group["maximize"]

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state["step"] = 0
                state["square_avg"] = Tensor(xp.zeros_like(array))
                state["acc_delta"] = Tensor(xp.zeros_like(array))
            state["step"] += 1
            if maximize:
                grad = -grad
            if weight_decay:
                grad = grad + weight_decay * array
            square, moved = state["square_avg"].array, state["acc_delta"].array
            square *= rho
            square += (1.0 - rho) * grad * grad
            delta = xp.sqrt(moved + eps) / xp.sqrt(square + eps) * grad
            moved *= rho
            moved += (1.0 - rho) * delta * delta
            array -= lr * delta

        return update
