"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import kernels, namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero

__all__ = ["SGD"]


class SGD(Optimizer):
    r"""Gradient descent, with momentum and weight decay if wanted.

    .. code-block:: text

        g = grad + weight_decay w
        v = momentum v + (1 - dampening) g      in the first step v = g
        w = w - lr v                            w - lr (g + momentum v) with nesterov

    Parameters
    ----------
    params
        The Tensors to optimize, or dicts for groups with hyper-parameters of their own.
    lr
        How far to go.
    momentum
        How much of the last step's direction is kept, 0 for none.
    dampening
        How much of the gradient the momentum leaves out.
    weight_decay
        This times the parameter is added to its gradient, as the gradient of ``weight_decay / 2 * (w * w).sum()``.
    nesterov
        Look one step of momentum ahead; takes a momentum, and no dampening.
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
    Momentum as in Sutskever et al., On the importance of initialization and momentum in deep learning, 2013, but with
    the learning rate outside of the momentum, as PyTorch has it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.8, -1.6], requires_grad=True)
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("momentum_buffer",)
    elementwise: ClassVar[bool] = True
    takes_complex: ClassVar[bool] = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "momentum", "weight_decay")
        if group["nesterov"] and (group["momentum"] == 0 or group["dampening"] != 0):
            raise ValueError("SGD: nesterov takes a momentum above 0 and a dampening of 0")

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, momentum, weight_decay = (
            float(group["lr"]),
            float(group["momentum"]),
            float(group["weight_decay"]),
        )
        undamped = 1.0 - float(group["dampening"])
        nesterov, maximize = group["nesterov"], group["maximize"]

        if not (maximize or weight_decay or momentum):
            return lambda parameter, array, grad: kernels(array).descend((array,), (grad,), lr)

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            if maximize:
                grad = -grad
            if weight_decay:
                grad = grad + weight_decay * array
            if momentum:
                state = self.state[parameter]
                if state.get("momentum_buffer") is None:
                    velocity = namespace(array).asarray(grad, copy=True)
                    state["momentum_buffer"] = Tensor(velocity)
                else:
                    velocity = state["momentum_buffer"].array
                    velocity *= momentum
                    velocity += grad if undamped == 1.0 else undamped * grad
                grad = grad + momentum * velocity if nesterov else velocity
            kernels(array).descend((array,), (grad,), lr)

        return update

    def move_together(
        self, number: int, group: dict[str, Any], parameters: list[Tensor], update: Update
    ) -> list[Tensor]:
        if group["momentum"] or group["weight_decay"] or group["maximize"]:
            return super().move_together(number, group, parameters, update)
        arrays = [parameter.array for parameter in parameters]
        if not self.goes_as_it_is(arrays):
            return parameters
        grads = [parameter._grad.array for parameter in parameters]  # type: ignore[union-attr]
        kernels(arrays[0]).descend(arrays, grads, float(group["lr"]))
        for parameter in parameters:
            parameter.version[0] += 1
        return []
