"""Adamax: Adam with the largest gradient in place of their mean square."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero, fractions

__all__ = ["Adamax"]


class Adamax(Optimizer):
    r"""Gradient descent whose step is scaled, element by element, by the largest gradient lately.

    .. code-block:: text

        m = beta1 m + (1 - beta1) g
        u = max(beta2 u, |g| + eps)
        w = w - lr / (1 - beta1^t) m / u      in step t = 1, 2, ...

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        About how far each element goes in one step.
    betas
        How slowly mean and maximum forget, each in [0, 1).
    eps
        Keeps the division from 0.
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
    Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015, section 7.1.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.Adamax([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9, -1.9], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "eps", "weight_decay")
        fractions(self, group, "betas")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, eps, weight_decay = (float(group[name]) for name in ("lr", "eps", "weight_decay"))
        beta1, beta2 = map(float, group["betas"])
        maximize = group["maximize"]

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state["step"] = 0
                state["exp_avg"] = Tensor(xp.zeros_like(array))
                state["exp_inf"] = Tensor(xp.zeros_like(array))
            state["step"] += 1
            if maximize:
                grad = -grad
            if weight_decay:
                grad = grad + weight_decay * array
            mean, largest = state["exp_avg"].array, state["exp_inf"].array
            mean *= beta1
            mean += (1.0 - beta1) * grad
            largest[...] = xp.maximum(largest * beta2, xp.abs(grad) + eps)
            array -= (lr / (1.0 - beta1 ** state["step"])) * mean / largest

        return update
