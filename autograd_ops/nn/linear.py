"""The affine map as a module."""

from __future__ import annotations

import math
from typing import Any

from .. import ops
from ..creation import empty
from ..tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter

__all__ = ["Identity", "Linear"]


class Identity(Module):
    """Gives its input back; whatever it is made with is ignored.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Identity()(ag.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """`input`."""
        return input


class Linear(Module):
    """x W^T + b.

    Parameters
    ----------
    in_features, out_features
        The lengths of the last dimension of the input and the output.
    bias
        Whether there is a b.
    device, dtype
        Of the parameters.

    Attributes
    ----------
    weight
        [out_features, in_features], at first drawn evenly from ±1/sqrt(in_features).
    bias
        [out_features], likewise; or None.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.Linear(3, 2)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    >>> layer(ag.ones(5, 3)).shape
    Size([5, 2])
    """

    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.fan_in_uniform_(self.bias, self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """input [..., in_features] -> [..., out_features]"""
        try:
            return ops.linear(input, self.weight, self.bias, True)
        except Exception:
            return F.linear(input, self.weight, self.bias)  # which says what is wrong in the words of its users

    def extra_repr(self) -> str:
        """Its sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
