"""Batch norm, layer norm, and vectors of length 1."""

from __future__ import annotations

from collections.abc import Sequence

from ... import ops
from ...tape import no_grad
from ...tensor import Tensor

__all__ = ["batch_norm", "layer_norm", "normalize"]


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float | Tensor = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) of each channel, scaled and shifted (Ioffe and Szegedy, 2015).

    Parameters
    ----------
    input
        [N, C, ...]
    running_mean, running_var
        [C]: in training, what the batch's mean and unbiased variance are mixed into, in place; otherwise the
        statistics to normalise by.
    weight, bias
        [C], scale and shift, or None.
    training
        Whether to normalise by the mean and biased variance of the batch itself.
    momentum
        The batch's part in the new running statistics; a number or a 0-d Tensor.
    eps
        Added to the variance.

    Returns
    -------
    Tensor
        [N, C, ...]

    Raises
    ------
    ValueError
        If the shapes do not fit, a channel has one value only in training, or running statistics are missing
        otherwise.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> mean, var = ag.zeros(1), ag.ones(1)
    >>> ag.nn.functional.batch_norm(ag.tensor([[1.0], [3.0]]), mean, var, training=True)
    tensor([[-1.],
            [ 1.]])
    >>> mean, var
    (tensor([0.2]), tensor([1.1]))
    """
    if input.ndim < 2:
        raise ValueError(f"batch_norm: expected [N, C, ...], got shape {tuple(input.shape)}")
    if not training:
        if running_mean is None or running_var is None:
            raise ValueError("batch_norm: running_mean and running_var are needed when not training")
        return ops.batch_norm(input, weight, bias, running_mean, running_var, eps)
    output, mean, variance = ops.batch_norm_train(input, weight, bias, eps)
    with no_grad():
        if running_mean is not None:
            running_mean.mul_(1.0 - momentum).add_(mean * momentum)
        if running_var is not None:
            count = input.numel() // max(mean.numel(), 1)
            unbiased = variance * (momentum * count / max(count - 1, 1))
            running_var.mul_(1.0 - momentum).add_(unbiased)
    return output


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) over the last dimensions, scaled and shifted (Ba and others, 2016).

    Parameters
    ----------
    input
        [*, *normalized_shape]
    normalized_shape
        The lengths of the last dimensions: mean and biased variance are taken over all of them.
    weight, bias
        [*normalized_shape], scale and shift, or None.
    eps
        Added to the variance.

    Returns
    -------
    Tensor
        Of the shape of `input`.

    Raises
    ------
    ValueError
        If `input` does not end in `normalized_shape`, or `weight` or `bias` has another shape.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.layer_norm(ag.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.,  1.]])
    """
    shape = input.shape
    normalized = tuple(normalized_shape)
    count = len(normalized)
    if count == 0 or shape[-count:] != normalized:
        raise ValueError(
            f"layer_norm: the input must end in normalized_shape {normalized}, and has shape {tuple(shape)}"
        )
    if count == 1:
        return ops.layer_norm(input, weight, bias, eps)
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and parameter.shape != normalized:
            raise ValueError(f"layer_norm: {name} must have shape {normalized}, and has {tuple(parameter.shape)}")
    rows = ops.reshape(input, (*shape[:-count], _product(normalized)))
    return ops.reshape(ops.layer_norm(rows, _flat(weight), _flat(bias), eps), tuple(shape))


def _product(lengths: Sequence[int]) -> int:
    count = 1
    for n in lengths:
        count *= n
    return count


def _flat(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else ops.reshape(tensor, (tensor.numel(),))


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """x over its `p`-norm along `dim`, or over `eps` where the norm is smaller.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.normalize(ag.tensor([[3.0, 4.0]]))
    tensor([[0.6, 0.8]])
    """
    return input / ops.clamp(input.norm(p, dim, keepdim=True), eps)
