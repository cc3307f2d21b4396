"""Muon: momentum whose matrix is made orthogonal before the step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

from autograd_backends import namespace

from ..tensor import Tensor
from .optimizer import Optimizer, Update, at_least_zero

__all__ = ["Muon"]


class Muon(Optimizer):
    r"""Momentum for matrices, each step of which is the nearest orthogonal matrix, about.

    .. code-block:: text

        b = momentum b + (1 - momentum) g
        u = orthogonal((1 - momentum) g + momentum b)     with nesterov, else of b
        w = (1 - lr weight_decay) w - lr scale u

    Parameters
    ----------
    params
        The matrices to optimize, or dicts for groups with hyper-parameters of their own. Embeddings, biases and heads
        are usually left to AdamW.
    lr
        The step.
    weight_decay
        The parameter shrinks by this times lr in each step.
    momentum
        How slowly the mean of the gradients forgets.
    nesterov
        Look ahead by one gradient.
    ns_coefficients, ns_steps
        The odd polynomial ``a x + b x^3 + c x^5`` that brings all singular values near 1, and how often it is taken.
    eps
        The least norm that is divided by.
    adjust_lr_fn
        How `lr` fits itself to a matrix of A rows and B columns: ``"original"``, the default, sqrt(max(1, A / B));
        ``"match_rms_adamw"``, 0.2 sqrt(max(A, B)).

    Raises
    ------
    ValueError
        If a parameter is no matrix, or a hyper-parameter is out of its range.

    Notes
    -----
    Jordan and others, Muon: An optimizer for hidden layers in neural networks, 2024. The iteration is computed in the
    precision of the parameter; PyTorch's is in bfloat16.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.eye(2, requires_grad=True)
    >>> optimizer = ag.optim.Muon([w], lr=0.1, weight_decay=0.0)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool((w.diagonal() < 0.95).all())
    True
    """

    like_parameter: ClassVar[tuple[str, ...]] = ("momentum_buffer",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr", "weight_decay", "momentum")
        if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise ValueError(
                f"Muon: adjust_lr_fn must be 'original' or 'match_rms_adamw', not {group['adjust_lr_fn']!r}"
            )
        for i, parameter in enumerate(group["params"]):
            if parameter.ndim != 2:
                raise ValueError(
                    f"Muon: takes matrices alone, and parameter {i} has shape {tuple(parameter.shape)}; "
                    "give the others to another optimizer"
                )

    def update_rule(self, group: dict[str, Any]) -> Update:
        lr, weight_decay, momentum = (float(group[name]) for name in ("lr", "weight_decay", "momentum"))
        nesterov, eps, adjust = group["nesterov"], float(group["eps"]), group["adjust_lr_fn"]
        coefficients, steps = group["ns_coefficients"], group["ns_steps"]

        def update(parameter: Tensor, array: Any, grad: Any) -> None:
            xp = namespace(array)
            state = self.state[parameter]
            if not state:
                state["momentum_buffer"] = Tensor(xp.zeros_like(array))
            mean = state["momentum_buffer"].array
            mean += (1.0 - momentum) * (grad - mean)
            ahead = grad + momentum * (mean - grad) if nesterov else mean
            rows, columns = array.shape
            scale = (
                0.2 * math.sqrt(max(rows, columns)) if adjust == "match_rms_adamw" else max(1, rows / columns) ** 0.5
            )
            array *= 1.0 - lr * weight_decay
            array -= (lr * scale) * _orthogonal(xp, ahead, coefficients, steps, eps)

        return update


def _orthogonal(xp: Any, matrix: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """About U V^T, of the singular value decomposition U S V^T of `matrix`: Newton's and Schulz's iteration."""
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = xp.matrix_transpose(matrix) if tall else matrix
    norm = xp.sqrt(xp.sum(x * x))
    x = x / xp.maximum(norm, xp.full_like(norm, eps))
    for _ in range(steps):
        gram = xp.matmul(x, xp.matrix_transpose(x))
        x = a * x + xp.matmul(b * gram + c * xp.matmul(gram, gram), x)
    return xp.matrix_transpose(x) if tall else x
