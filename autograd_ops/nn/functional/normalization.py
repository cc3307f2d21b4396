"""Batch, layer, group, instance and RMS norm, local response normalisation, and vectors of length 1."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_backends.shapes import check_channel_statistics

from ... import ops
from ...dtypes import float64
from ...inplace import in_place
from ...refusals import named
from ...tape import no_grad
from ...tensor import Tensor
from .padding import pad
from .pooling import avg_pool2d

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]


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
    _check_running("batch_norm", input, running_mean, running_var)
    output, mean, variance = ops.batch_norm_train(input, weight, bias, eps)
    count = input.numel() // max(mean.numel(), 1)
    _mix_in(running_mean, running_var, mean, variance, count, momentum)
    return output


def _check_running(name: str, input: Tensor, running_mean: Tensor | None, running_var: Tensor | None) -> None:
    """Refuse running statistics that are not one number a channel of `input` [N, C, ...], before they are changed."""
    shapes = {"running_mean": running_mean, "running_var": running_var}
    check_channel_statistics(
        name, tuple(input.shape), **{field: None if t is None else tuple(t.shape) for field, t in shapes.items()}
    )


def _mix_in(
    running_mean: Tensor | None,
    running_var: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    count: int,
    momentum: float | Tensor,
) -> None:
    """Mix the mean and the biased variance of `count` values into what runs, where the variance is unbiased.

    An empty batch has neither, and changes nothing.
    """
    if not count:
        return
    unbiased = momentum * count / max(count - 1, 1)
    with no_grad():
        for running, found, share in ((running_mean, mean, momentum), (running_var, variance, unbiased)):
            if running is not None:
                in_place(running, _mixed, found, 1.0 - momentum, share, name="batch_norm")


def _mixed(running: Tensor, found: Tensor, kept: float | Tensor, share: float | Tensor) -> Tensor:
    mixed: Tensor = running * kept + found * share
    return mixed


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) of each channel of each sample, scaled and shifted (Ulyanov and others, 2016).

    Parameters
    ----------
    input
        [N, C, ...] with at least one more dimension.
    running_mean, running_var
        [C]: with `use_input_stats`, what the mean over the batch of each sample's mean and unbiased variance is mixed
        into, in place; without, the statistics to normalise by.
    weight, bias
        [C], scale and shift, or None.
    use_input_stats
        Whether to normalise by the statistics of the input itself.
    momentum
        The batch's part in the new running statistics.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the shapes do not fit, a channel of a sample has one value only, or running statistics are missing without
        `use_input_stats`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.instance_norm(ag.tensor([[[1.0, 3.0], [10.0, 30.0]]]))
    tensor([[[-1.,  1.],
             [-1.,  1.]]])
    """
    if input.ndim < 3:
        raise ValueError(f"instance_norm: expected [N, C, ...] with a third dimension, got {tuple(input.shape)}")
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ValueError("instance_norm: running_mean and running_var are needed without use_input_stats")
        return ops.batch_norm(input, weight, bias, running_mean, running_var, eps)
    _check_running("instance_norm", input, running_mean, running_var)
    count = _product(input.shape[2:])
    if count == 1:
        raise ValueError(
            f"instance_norm: x {tuple(input.shape)} has one value a channel of a sample; a variance needs two"
        )
    output = ops.instance_norm(input, weight, bias, eps)
    if input.numel() and (running_mean is not None or running_var is not None):
        with no_grad():
            positions = tuple(range(2, input.ndim))
            mean, variance = ops.mean(input, positions), ops.var(input, positions, 0.0)
            _mix_in(running_mean, running_var, ops.mean(mean, (0,)), ops.mean(variance, (0,)), count, momentum)
    return output


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """(x - mean) / sqrt(variance + eps) of each group of channels of each sample, scaled and shifted (Wu and He, 2018).

    Parameters
    ----------
    input
        [N, C, ...]
    num_groups
        How many groups the channels are cut into; divides C.
    weight, bias
        [C], scale and shift, or None.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the shapes do not fit, or one sample has one value a group.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.group_norm(ag.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
    tensor([[-1.,  1., -1.,  1.]])
    """
    if input.ndim >= 2 and input.numel() == num_groups > 0:
        raise ValueError(f"group_norm: x {tuple(input.shape)} has one value a group; a variance needs two")
    return ops.group_norm(input, num_groups, weight, bias, eps)


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
    _check_normalized("layer_norm", input, normalized_shape, weight=weight, bias=bias)
    rows = _rows(input, normalized_shape)
    return _unrows(ops.layer_norm(rows, _flat(weight), _flat(bias), eps), input)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x / sqrt(mean(x^2) + eps) over the last dimensions, scaled (Zhang and Sennrich, 2019).

    Parameters
    ----------
    input
        [*, *normalized_shape]
    normalized_shape
        The lengths of the last dimensions: the mean square is taken over all of them.
    weight
        [*normalized_shape], a scale, or None.
    eps
        Added to the mean square; by default the smallest step from 1 of the dtype that it is computed in.

    Raises
    ------
    ValueError
        If `input` does not end in `normalized_shape`, or `weight` has another shape.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.rms_norm(ag.tensor([[1.0, 7.0]]), (2,))
    tensor([[0.2, 1.4]])
    """
    _check_normalized("rms_norm", input, normalized_shape, weight=weight)
    if eps is None:
        eps = 2.0**-52 if input.dtype is float64 else 2.0**-23
    return _unrows(ops.rms_norm(_rows(input, normalized_shape), _flat(weight), eps), input)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha m)^beta, with m the mean of x^2 over `size` neighbouring channels (Krizhevsky and others, 2012).

    Parameters
    ----------
    input
        [N, C, ...] with at least one more dimension.
    size
        The number of channels; beyond the first and the last one there are zeros, which count in the mean.
    alpha, beta, k
        As in the formula.

    Raises
    ------
    ValueError
        If `input` has fewer dimensions, or `size` is not positive.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.local_response_norm(ag.ones(1, 3, 1), 3, alpha=3.0, beta=1.0).flatten()
    tensor([0.3333, 0.25  , 0.3333])
    """
    if input.ndim < 3:
        raise ValueError(f"local_response_norm: expected [N, C, ...] with a third dimension, got {tuple(input.shape)}")
    if size < 1:
        raise ValueError(f"local_response_norm: size must be positive, not {size}")
    batch, count = input.shape[:2]
    planes = ops.reshape(ops.square(input), (batch, 1, count, _product(input.shape[2:])))
    padded = pad(planes, (0, 0, size // 2, (size - 1) // 2))
    mean = ops.reshape(avg_pool2d(padded, (size, 1), 1), tuple(input.shape))
    return input / (mean * alpha + k) ** beta


def _check_normalized(name: str, input: Tensor, normalized_shape: Sequence[int], **parameters: Tensor | None) -> None:
    """Refuse an input that does not end in `normalized_shape`, and parameters of another shape."""
    normalized = tuple(normalized_shape)
    if not normalized or input.shape[-len(normalized) :] != normalized:
        raise ValueError(
            f"{name}: the input must end in normalized_shape {normalized}, and has shape {tuple(input.shape)}"
        )
    for parameter, value in parameters.items():
        if value is not None and value.shape != normalized:
            raise ValueError(f"{name}: {parameter} must have shape {normalized}, and has {tuple(value.shape)}")


def _rows(input: Tensor, normalized_shape: Sequence[int]) -> Tensor:
    """`input` [*, *normalized_shape] with its last dimensions as one."""
    count = len(normalized_shape)
    return input if count == 1 else ops.reshape(input, (*input.shape[:-count], _product(normalized_shape)))


def _unrows(rows: Tensor, input: Tensor) -> Tensor:
    return rows if rows.ndim == input.ndim else ops.reshape(rows, tuple(input.shape))


def _product(lengths: Sequence[int]) -> int:
    count = 1
    for n in lengths:
        count *= n
    return count


def _flat(tensor: Tensor | None) -> Tensor | None:
    return tensor if tensor is None or tensor.ndim == 1 else ops.reshape(tensor, (tensor.numel(),))


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """x over its `p`-norm along `dim`, or over `eps` where the norm is smaller.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.functional.normalize(ag.tensor([[3.0, 4.0]]))
    tensor([[0.6, 0.8]])
    """
    return input / ops.clamp(input.norm(p, dim, keepdim=True), eps)


named(__name__)
