"""GradScaler: a loss made larger, so that small gradients in half precision do not become 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..cuda import is_available
from ..optim.optimizer import Optimizer
from ..tensor import Tensor
from ..warn import warn_user

__all__ = ["GradScaler"]

#: How far an optimizer has come in a step.
_READY, _UNSCALED, _STEPPED = "ready", "unscaled", "stepped"


class GradScaler:
    """Multiplies a loss by a scale, and divides the gradients by it before the optimizer's step.

    A step whose gradients are not finite is left out, and the scale made smaller; after many that are, it grows.

    Parameters
    ----------
    device
        The type of the devices. For ``"cuda"`` without one it is disabled, with a warning, as in PyTorch.
    init_scale
        The scale to begin with.
    growth_factor, backoff_factor
        What the scale is multiplied by to grow, and to shrink.
    growth_interval
        How many good steps in a row let it grow.
    enabled
        Otherwise `scale` gives its input back, and `step` calls the optimizer's.

    Raises
    ------
    ValueError
        If a factor is out of its range.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> w = ag.tensor([1.0], requires_grad=True)
    >>> optimizer, scaler = ag.optim.SGD([w], lr=0.5), ag.amp.GradScaler("cpu", init_scale=8.0)
    >>> scaler.scale((w * w).sum()).backward()
    >>> w.grad
    tensor([16.])
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> w
    tensor([0.], requires_grad=True)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        if enabled and device.startswith("cuda") and not is_available():
            warn_user("GradScaler: there is no CUDA device, so it is disabled")
            enabled = False
        if enabled and growth_factor <= 1.0:
            raise ValueError(f"GradScaler: growth_factor must be above 1, not {growth_factor}")
        if enabled and not backoff_factor < 1.0:
            raise ValueError(f"GradScaler: backoff_factor must be below 1, not {backoff_factor}")
        self._enabled = enabled
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._stages: dict[int, str] = {}
        self._found_inf: dict[int, bool] = {}

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def scale(self, outputs: Any) -> Any:
        """A Tensor times the scale, or a list or tuple of them."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = [self.scale(output) for output in outputs]
            return tuple(scaled) if isinstance(outputs, tuple) else scaled
        raise ValueError(f"GradScaler.scale: expected a Tensor or several, not {type(outputs).__name__}")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale: before they are clipped, say.

        Raises
        ------
        RuntimeError
            If it was called already since the last `update`.
        """
        if not self._enabled:
            return
        stage = self._stages.get(id(optimizer), _READY)
        if stage != _READY:
            done = "unscale_()" if stage == _UNSCALED else "step()"
            raise RuntimeError(f"GradScaler.unscale_: {done} was called on this optimizer since the last update()")
        found = False
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                parameter.grad = parameter.grad.detach() * (1.0 / self._scale)
                found = found or not bool(parameter.grad.isfinite().all())
        self._found_inf[id(optimizer)] = found
        self._stages[id(optimizer)] = _UNSCALED

    def step(self, optimizer: Optimizer, *args: Any, **kwargs: Any) -> Any:
        """Call the optimizer's ``step(*args, **kwargs)``, if its gradients, divided by the scale, are finite.

        Returns
        -------
        Tensor or None
            What that gave.

        Raises
        ------
        RuntimeError
            If it was called already since the last `update`, or with a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs or args:
            raise RuntimeError("GradScaler.step: closures are not supported, since each call may need another scale")
        if self._stages.get(id(optimizer)) == _STEPPED:
            raise RuntimeError("GradScaler.step: step() was called on this optimizer since the last update()")
        if self._stages.get(id(optimizer)) != _UNSCALED:
            self.unscale_(optimizer)
        self._stages[id(optimizer)] = _STEPPED
        return None if self._found_inf[id(optimizer)] else optimizer.step()

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Make the scale smaller, or after many good steps larger, or `new_scale`; the next step may begin.

        Raises
        ------
        RuntimeError
            If there was no step.
        """
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._found_inf:
            raise RuntimeError("GradScaler.update: there was no step() or unscale_() since the last one")
        elif any(self._found_inf.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale *= self._growth_factor
                self._growth_tracker = 0
        self._stages.clear()
        self._found_inf.clear()

    # ---------------------------------------------------------------- what it is set to

    def get_scale(self) -> float:
        """The scale; 1 if it is disabled."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """What the scale is multiplied by to grow."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by to grow."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by to shrink."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the scale is multiplied by to shrink."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many good steps in a row let it grow."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set how many good steps in a row let it grow."""
        self._growth_interval = new_interval

    # ---------------------------------------------------------------- saving and loading

    def state_dict(self) -> dict[str, Any]:
        """All that it needs to go on; empty if it is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave.

        Raises
        ------
        RuntimeError
            If it is empty, having come from one that was disabled.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("GradScaler.load_state_dict: the state is empty: it is of one that was disabled")
        self._scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
