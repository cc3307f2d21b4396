"""Rprop: steps by the sign of the gradient alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero

__all__ = ["Rprop"]


class Rprop(Optimizer):
    r"""Each element has a step of its own, which grows while the gradient keeps its sign and shrinks when it changes.

    .. code-block:: text

        s = s etas[1]  where g g_before > 0
        s = s etas[0]  where g g_before < 0, and g = 0 there
        w = w - sign(g) s,  s in [step_sizes[0], step_sizes[1]]

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        The first steps.
    etas
        By what steps shrink, in (0, 1), and grow, above 1.
    step_sizes
        The least and the largest step.
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
    Riedmiller and Braun, A direct adaptive method for faster backpropagation learning: the RPROP
    algorithm, 1993.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.Rprop([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9, -1.9], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("prev", "step_size")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr")
        shrink, grow = group["etas"]
        if not 0.0 < shrink < 1.0 < grow:
            raise ValueError(f"Rprop: etas must be one in (0, 1) and one above 1, not {group['etas']}")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, (shrink, grow), (least, most) = float(group["lr"]), group["etas"], group["step_sizes"]
        maximize = group["maximize"]

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state["step"] = 0
                state["prev"] = Tensor(xp.zeros_like(array))
                state["step_size"] = Tensor(xp.full_like(array, lr))
            state["step"] += 1
            if maximize:
                grad = -grad
            before, size = state["prev"].array, state["step_size"].array
            agreement = grad * before
            turned = agreement < 0
            factor = xp.where(turned, xp.full_like(array, shrink), xp.ones_like(array))
            factor = xp.where(agreement > 0, xp.full_like(array, grow), factor)
            size[...] = xp.clip(size * factor, least, most)
            grad = xp.where(turned, xp.zeros_like(grad), grad)
            array -= xp.sign(grad) * size
            before[...] = grad

        return update
