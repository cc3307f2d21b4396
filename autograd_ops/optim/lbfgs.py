"""L-BFGS: Newton's method with curvature seen in the last steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from .. import ops
from ..creation import zeros_like
from ..tape import enable_grad, no_grad
from ..tensor import Tensor
from .line_search import strong_wolfe
from .optimizer import Optimizer, at_least_zero

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Newton's method, with the inverse of the Hessian built from the last few steps and changes of the gradient.

    `step` takes up to `max_iter` steps and needs a closure that computes the loss anew.

    Parameters
    ----------
    params
        The Tensors to optimize: one group of real ones.
    lr
        The length of a step, in directions found; the first is shorter.
    max_iter
        How many steps one call takes at most.
    max_eval
        How often it calls the closure at most; by default ``max_iter * 5 // 4``.
    tolerance_grad
        The largest element of the gradient at which it stops.
    tolerance_change
        The change of the loss, or of the largest element, at which it stops.
    history_size
        How many steps are remembered.
    line_search_fn
        None, or ``"strong_wolfe"`` to look for a length that meets the strong Wolfe conditions.

    Raises
    ------
    ValueError
        If there is more than one group, or a hyper-parameter is out of its range.
    TypeError
        From `step`, without a closure.

    Notes
    -----
    Liu and Nocedal, On the limited memory BFGS method for large scale optimization, 1989; Nocedal and Wright,
    Numerical Optimization, 2006, algorithms 3.5, 3.6 and 7.4.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = ag.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - ag.tensor([1.0, 2.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> loss = optimizer.step(closure)
    >>> w.detach().round(decimals=4)
    tensor([1., 2.])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS: takes one group of parameters, since their curvature is one matrix")

    def check(self, group: dict[str, Any]) -> None:
        at_least_zero(self, group, "lr")
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise ValueError(f"LBFGS: line_search_fn must be None or 'strong_wolfe', not {group['line_search_fn']!r}")

    @no_grad
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take up to `max_iter` steps.

        Parameters
        ----------
        closure
            Computes the loss anew, calls its ``backward()`` and returns it.

        Returns
        -------
        Tensor
            The loss before the first of them.
        """
        if closure is None:
            raise TypeError("LBFGS: step needs a closure that computes the loss anew, calls backward() and returns it")
        group = self.param_groups[0]
        lr, tolerance_change = float(group["lr"]), float(group["tolerance_change"])
        search = group["line_search_fn"]
        with enable_grad():
            first_loss = closure()
        loss, gradient, calls = float(first_loss), self._flat_gradient(), 1
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        state["func_evals"] += 1
        if _largest(gradient) <= group["tolerance_grad"]:
            return first_loss
        history = _History(state, group["history_size"])
        for i in range(group["max_iter"]):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction = -gradient
                length = min(1.0, 1.0 / float(ops.sum(ops.abs(gradient)))) * lr
            else:
                history.learn(direction := state["d"], state["t"], gradient, state["prev_flat_grad"])
                direction = history.direction(gradient)
                length = lr
            state["prev_flat_grad"], before = gradient, loss
            slope = _dot(gradient, direction)
            if slope > -tolerance_change:
                break
            if search is None:
                self._move(direction, length)
                tried = int(i + 1 < group["max_iter"])  # where it ends, the next call computes the loss first
                if tried:
                    with enable_grad():
                        loss = float(closure())
                    gradient = self._flat_gradient()
            else:
                at = [parameter.detach().clone() for parameter in group["params"]]

                def look(
                    length: float, at: list[Tensor] = at, direction: Tensor = direction
                ) -> tuple[float, Tensor, float]:
                    self._restore(at)
                    self._move(direction, length)
                    with enable_grad():
                        value = float(closure())
                    there = self._flat_gradient()
                    return value, there, _dot(there, direction)

                largest = _largest(direction)
                loss, gradient, length, tried = strong_wolfe(
                    look,
                    length,
                    loss,
                    gradient,
                    slope,
                    largest,
                    tolerance_change,
                    max_looks=group["max_eval"] - calls,
                )
                self._restore(at)
                self._move(direction, length)
            state["d"], state["t"] = direction, length
            calls += tried
            state["func_evals"] += tried
            if (
                calls >= group["max_eval"]
                or _largest(gradient) <= group["tolerance_grad"]
                or length * _largest(direction) <= tolerance_change
                or abs(loss - before) < tolerance_change
            ):
                break
        return first_loss

    def _flat_gradient(self) -> Tensor:
        parts = []
        for parameter in self._parameters():
            gradient = zeros_like(parameter) if parameter.grad is None else parameter.grad.detach()
            parts.append(ops.reshape(gradient, (gradient.numel(),)))
        # A copy where there is one part: the next backward writes into the gradient itself.
        return ops.concat(parts, 0) if len(parts) > 1 else ops.clone(parts[0])

    def _move(self, direction: Tensor, length: float) -> None:
        start = 0
        for parameter in self._parameters():
            end = start + parameter.numel()
            parameter.add_(ops.reshape(direction[start:end], tuple(parameter.shape)) * length)
            start = end

    def _restore(self, values: list[Tensor]) -> None:
        for parameter, value in zip(self._parameters(), values, strict=True):
            parameter.copy_(value)


class _History:
    """The last steps and changes of the gradient, and the direction that they give: kept in an optimizer's state."""

    def __init__(self, state: dict[str, Any], size: int) -> None:
        self.state = state
        self.size = size
        state.setdefault("old_dirs", [])  # changes of the gradient
        state.setdefault("old_stps", [])
        state.setdefault("ro", [])
        state.setdefault("H_diag", 1)

    def learn(self, direction: Tensor, length: float, gradient: Tensor, gradient_before: Tensor) -> None:
        """Remember a step, unless the loss curved the wrong way along it."""
        change, moved = gradient - gradient_before, direction * length
        curvature = _dot(change, moved)
        if curvature <= 1e-10:
            return
        for name, value in (("old_dirs", change), ("old_stps", moved), ("ro", 1.0 / curvature)):
            kept = deque(self.state[name], maxlen=self.size)
            kept.append(value)
            self.state[name] = list(kept)
        self.state["H_diag"] = curvature / _dot(change, change)

    def direction(self, gradient: Tensor) -> Tensor:
        """Minus the inverse of the Hessian times `gradient`, by the two loops of Nocedal's algorithm 7.4."""
        pairs = list(zip(self.state["old_dirs"], self.state["old_stps"], self.state["ro"], strict=True))
        q, weights = -gradient, []
        for change, moved, inverse in reversed(pairs):
            weights.append(_dot(moved, q) * inverse)
            q = q - change * weights[-1]
        q = q * self.state["H_diag"]
        for (change, moved, inverse), weight in zip(pairs, reversed(weights), strict=True):
            q = q + moved * (weight - _dot(change, q) * inverse)
        return q


def _dot(a: Tensor, b: Tensor) -> float:
    return float(ops.sum(a * b))


def _largest(x: Tensor) -> float:
    return float(ops.amax(ops.abs(x))) if x.numel() else 0.0
