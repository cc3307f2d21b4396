"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ... import ops
from ...refusals import named
from ...tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Parameters, flattened and one after the other; it is recorded.

    Raises
    ------
    ValueError
        If there is none.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.nn.utils import parameters_to_vector
    >>> parameters_to_vector([ag.ones(2), ag.zeros(1, 2)])
    tensor([1., 1., 0., 0.])
    """
    flat = [ops.reshape(parameter, (parameter.numel(),)) for parameter in parameters]
    if not flat:
        raise ValueError("parameters_to_vector: there are no parameters")
    return ops.concat(flat, 0)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give `parameters` the values in `vec`, one after the other.

    Raises
    ------
    TypeError
        If `vec` is no Tensor.
    ValueError
        If it has fewer elements than they; then nothing was changed.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.nn.utils import vector_to_parameters
    >>> w = ag.nn.Parameter(ag.zeros(1, 2))
    >>> vector_to_parameters(ag.tensor([3.0, 4.0]), [w])
    >>> w.tolist()
    [[3.0, 4.0]]
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters: expected a Tensor, not {type(vec).__name__}")
    listed = list(parameters)
    needed = sum(parameter.numel() for parameter in listed)
    if vec.ndim != 1 or vec.numel() < needed:
        raise ValueError(
            f"vector_to_parameters: the parameters have {needed} elements, and the vector has shape {tuple(vec.shape)}"
        )
    start, values = 0, vec.detach()
    for parameter in listed:
        end = start + parameter.numel()
        # A copy, so that a step of the one is not one of the other; the parameter stays what it is on the tape.
        parameter.data.copy_(ops.reshape(values[start:end], tuple(parameter.shape)))
        parameter.version[0] += 1
        start = end


named(__name__)
