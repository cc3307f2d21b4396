"""The names that end in an underscore: each changes its input itself, and is the same as ``inplace=True``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...refusals import named
from ...tensor import Tensor
from .activation import elu, hardtanh, leaky_relu, relu
from .piecewise import celu, rrelu, selu, threshold

__all__ = ["celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "rrelu_", "selu_", "threshold_"]


def _changing(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def changing(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return function(input, *args, **kwargs, inplace=True)

    changing.__name__ = changing.__qualname__ = f"{function.__name__}_"
    changing.__doc__ = f"`{function.__name__}`, written into `input`, which is returned."
    return changing


celu_, elu_, hardtanh_, leaky_relu_ = _changing(celu), _changing(elu), _changing(hardtanh), _changing(leaky_relu)
relu_, rrelu_, selu_, threshold_ = _changing(relu), _changing(rrelu), _changing(selu), _changing(threshold)


named(__name__)
