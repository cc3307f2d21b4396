"""autocast, which is accepted and casts nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

C = TypeVar("C", bound=Callable[..., Any])


class autocast:
    """A ``with`` block, or a decorator, in which PyTorch computes in `dtype`; here nothing is cast.

    Parameters
    ----------
    device_type
        The type of the devices that it is about: a string.
    dtype, enabled, cache_enabled
        Accepted for PyTorch's sake; they do nothing.

    Raises
    ------
    ValueError
        If `device_type` is no string.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> with ag.autocast("cpu", dtype=ag.float16):
    ...     (ag.ones(2, 2) @ ag.ones(2, 2)).dtype
    autograd_ops.float32
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"autocast: device_type is a string such as 'cpu', not {type(device_type).__name__}")
        self.device = device_type
        self.fast_dtype = dtype

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def __call__(self, func: C) -> C:
        """`func`, as it is."""
        return func


def is_autocast_available(device_type: str) -> bool:
    """Whether something would be cast: False."""
    return False


def custom_fwd(fwd: Any = None, *, device_type: str = "cuda", cast_inputs: Any = None) -> Any:
    """For the forward of an `autograd.Function`: gives it as it is, since nothing is cast."""
    return _given_back if fwd is None else fwd


def custom_bwd(bwd: Any = None, *, device_type: str = "cuda") -> Any:
    """For the backward of an `autograd.Function`: gives it as it is."""
    return _given_back if bwd is None else bwd


def _given_back(function: C) -> C:
    return function
