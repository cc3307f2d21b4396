"""The affine map."""

from __future__ import annotations

from autograd_backends import ShapeError
from autograd_backends.shapes import features_hint

from ... import ops
from ...refusals import named
from ...tensor import Tensor

__all__ = ["linear"]


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x W^T + b.

    Parameters
    ----------
    input
        [..., in_features]
    weight
        [out_features, in_features], or [in_features] for one output that has no dimension.
    bias
        [out_features] or None; with a weight of one dimension, [] or None.

    Returns
    -------
    Tensor
        [..., out_features], or [...] with a weight of one dimension.

    Raises
    ------
    ValueError
        If the last dimension of `input` is not in_features.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.linear(ag.ones(1, 2), ag.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    tensor([[ 3.,  7., 11.]])
    """
    try:
        return ops.linear(input, weight, bias, True)
    except ValueError:
        if weight.ndim == 1:
            row = None if bias is None else ops.reshape(bias, (1,))
            return ops.squeeze(linear(input, ops.expand_dims(weight, 0), row), (-1,))
        # The op knows the weight as [in, out]; say it as it is here.
        if weight.ndim == 2 and input.ndim and input.shape[-1] != weight.shape[1]:
            raise ShapeError(
                f"linear: the last dimension of the input must be in_features, {weight.shape[1]}, and the input has "
                f"shape {tuple(input.shape)}{features_hint('input', input.shape, weight.shape[1])}"
            ) from None
        raise


named(__name__)
