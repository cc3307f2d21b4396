"""linear: a matrix product and a bias."""

from __future__ import annotations

from ..array_types import Array
from ..lookup import namespace

__all__ = ["linear"]


def linear(x: Array, weight: Array, bias: Array | None) -> Array:
    """x [..., d_input] @ weight [d_input, d_output] + bias [d_output] -> [..., d_output]"""
    out = namespace(x).matmul(x, weight)
    return out if bias is None else out + bias
