"""The ends of the tape, where gradients pass between its walk and its users.

The walk carries ``g = dL/d(real) - i dL/d(imag)`` of a complex value: what makes ``dL = Re(g dz)``. Then the chain
rule of a holomorphic function is ``g f'(z)``, as of a real one, and no rule has a conjugate. Users are given PyTorch's
gradient, the conjugate of that: it points where the loss grows, so that a step against it descends. Whatever hands a
gradient to a user, or takes one, passes it through `across`; there is no other place where the two conventions meet.
"""

from __future__ import annotations

from typing import Any

from autograd_backends.lookup import complex_dtypes

from .table import TABLE

__all__ = ["across"]


def across(gradient: Any) -> Any:
    """The conjugate of a complex gradient, an array or a Tensor; a real gradient itself."""
    cls = type(gradient)
    if cls in complex_dtypes:
        found = gradient.dtype in complex_dtypes[cls]
    else:  # a Tensor, or an array of a type not seen before
        array = getattr(gradient, "array", gradient)
        found = array.dtype in complex_dtypes[type(array)]
    return TABLE["conj"].function(gradient) if found else gradient
