"""Batch, instance, group, layer and RMS norm, and local response normalisation, as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..creation import ones, tensor, zeros
from ..dtypes import int64
from ..tape import no_grad
from ..tensor import Tensor
from ..warn import warn_user
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "CrossMapLRN2d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
]


def _reset_affine(weight: Tensor | None, bias: Tensor | None) -> None:
    if weight is not None:
        init.ones_(weight)
    if bias is not None:
        init.zeros_(bias)


class _ChannelNorm(Module):
    """What batch and instance norms share: parameters, running statistics, and a choice of shapes."""

    ranks: tuple[int, ...]
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: str | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        where = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(num_features, **where)) if affine else None)
        self.register_parameter("bias", Parameter(zeros(num_features, **where)) if affine and bias else None)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **where) if tracked else None)
        self.register_buffer("running_var", ones(num_features, **where) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if tracked else None)

    def reset_running_stats(self) -> None:
        """Forget all batches: mean 0, variance 1."""
        for buffer, value in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            if buffer is not None:
                buffer.fill_(value)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0, and forget all batches."""
        self.reset_running_stats()
        _reset_affine(self.weight, self.bias)

    def extra_repr(self) -> str:
        """Its channels and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _check_rank(self, input: Tensor) -> None:
        if input.ndim not in self.ranks:
            expected = " or ".join(f"{rank}-d" for rank in self.ranks)
            raise ValueError(f"{type(self).__name__}: expected {expected} input, got shape {tuple(input.shape)}")


class _BatchNorm(_ChannelNorm):
    """What the batch norms share; they differ in the shapes they take."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, normalised: by its own statistics in training or where none are kept, else by those kept."""
        self._check_rank(input)
        momentum: float | Tensor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            with no_grad():
                self.num_batches_tracked.add_(1)
            if self.momentum is None and self.running_mean is not None:
                # Left on the device: on an asynchronous one, to look at the number would be to wait for it.
                momentum = 1.0 / self.num_batches_tracked.to(self.running_mean.dtype)
        return F.batch_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or self.running_mean is None,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalises each channel of [N, C] or [N, C, L] over the rest; see `functional.batch_norm`.

    Parameters
    ----------
    num_features
        C.
    eps
        Added to the variance.
    momentum
        The batch's part in the new running statistics; None for the mean over all batches so far.
    affine
        Whether there is a weight, at first 1.
    bias
        Whether there is, beside the weight, a bias, at first 0.
    track_running_stats
        Whether to keep running statistics, by which evaluation mode normalises; without, it takes the batch's own.
    device, dtype
        Of parameters and buffers.

    Attributes
    ----------
    weight, bias
        [C], or None.
    running_mean, running_var
        [C], or None: the mean and unbiased variance, mixed over the batches.
    num_batches_tracked
        int64, how many batches went into them.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> norm = ag.nn.BatchNorm1d(2)
    >>> norm(ag.tensor([[1.0, 5.0], [3.0, 5.0]]))[:, 1].detach()
    tensor([0., 0.])
    >>> norm.running_mean
    tensor([0.2, 0.5])
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises each channel of [N, C, H, W] over the rest; parameters and attributes are those of `BatchNorm1d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.BatchNorm2d(3)(ag.ones(2, 3, 4, 4)).shape
    Size([2, 3, 4, 4])
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalises each channel of [N, C, D, H, W] over the rest; parameters and attributes are `BatchNorm1d`'s."""

    ranks = (5,)


class _InstanceNorm(_ChannelNorm):
    """What the instance norms share; they differ in the shapes they take."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: str | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """`input`, normalised: by its own statistics, or in evaluation by those kept, if they are."""
        self._check_rank(input)
        single = input.ndim == self.ranks[0]
        batch = input.unsqueeze(0) if single else input
        if batch.shape[1] != self.num_features:
            message = f"{type(self).__name__}: expected {self.num_features} channels, got shape {tuple(input.shape)}"
            if self.affine or self.track_running_stats:
                raise ValueError(message)
            warn_user(f"{message}; without affine the number does not matter")
        output = F.instance_norm(
            batch,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return output.squeeze(0) if single else output


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample of [N, C, L] or [C, L]; see `functional.instance_norm`.

    Parameters
    ----------
    num_features
        C.
    eps
        Added to the variance.
    momentum
        The batch's part in the new running statistics; None leaves them as they are.
    affine
        Whether there is a weight, at first 1.
    bias
        Whether there is, beside the weight, a bias, at first 0.
    track_running_stats
        Whether to keep running statistics, by which evaluation mode normalises.
    device, dtype
        Of parameters and buffers.

    Attributes
    ----------
    weight, bias, running_mean, running_var
        [C], or None.
    num_batches_tracked
        Always 0, as in PyTorch; there for its ``state_dict``.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.InstanceNorm1d(1)(ag.tensor([[[1.0, 3.0]], [[10.0, 30.0]]])).reshape(2, 2)
    tensor([[-1.,  1.],
            [-1.,  1.]])
    """

    ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each sample of [N, C, H, W] or [C, H, W]; the rest is that of `InstanceNorm1d`."""

    ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of each sample of [N, C, D, H, W] or [C, D, H, W]; the rest as `InstanceNorm1d`."""

    ranks = (4, 5)


class GroupNorm(Module):
    """Normalises groups of channels of each sample of [N, C, ...]; see `functional.group_norm`.

    Parameters
    ----------
    num_groups
        How many groups the channels are cut into.
    num_channels
        C, which `num_groups` divides.
    eps
        Added to the variance.
    affine
        Whether there is a weight, at first 1.
    device, dtype
        Of the parameters.
    bias
        Whether there is, beside the weight, a bias, at first 0.

    Raises
    ------
    ValueError
        If `num_groups` does not divide `num_channels`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.GroupNorm(2, 4)(ag.ones(3, 4, 5)).shape
    Size([3, 4, 5])
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: str | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_groups < 1 or num_channels % num_groups:
            raise ValueError(f"GroupNorm: num_groups={num_groups} does not divide num_channels={num_channels}")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        where = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(num_channels, **where)) if affine else None)
        self.register_parameter("bias", Parameter(zeros(num_channels, **where)) if affine and bias else None)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        _reset_affine(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> the same shape"""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Its groups, channels and options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LayerNorm(Module):
    """Normalises over the last dimensions; see `functional.layer_norm`.

    Parameters
    ----------
    normalized_shape
        The lengths of these dimensions; an int for the last one only.
    eps
        Added to the variance.
    elementwise_affine
        Whether there is a weight, at first 1.
    bias
        Whether there is, beside the weight, a bias, at first 0.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.LayerNorm(2)(ag.tensor([[1.0, 3.0]])).detach()
    tensor([[-1.,  1.]])
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        where = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(ones(shape, **where)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(zeros(shape, **where)) if elementwise_affine and bias else None)

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0."""
        _reset_affine(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """input [*, *normalized_shape] -> the same shape"""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Its shape and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides by the root of the mean square over the last dimensions; see `functional.rms_norm`.

    Parameters
    ----------
    normalized_shape
        The lengths of these dimensions; an int for the last one only.
    eps
        Added to the mean square; by default the smallest step from 1 of the dtype that it is computed in.
    elementwise_affine
        Whether there is a weight, at first 1.
    device, dtype
        Of the weight.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.RMSNorm(2)(ag.tensor([[1.0, 7.0]])).detach()
    tensor([[0.2, 1.4]])
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = Parameter(ones(shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def reset_parameters(self) -> None:
        """Set weight to 1."""
        _reset_affine(self.weight, None)

    def forward(self, input: Tensor) -> Tensor:
        """input [*, *normalized_shape] -> the same shape"""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Its shape and options."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """Divides by a power of the mean square over neighbouring channels; see `functional.local_response_norm`.

    Parameters
    ----------
    size
        The number of channels.
    alpha, beta, k
        x / (k + alpha m)^beta, with m the mean square.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, ...] -> the same shape"""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Its size and constants."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """PyTorch's older name of `LocalResponseNorm`.

    Where `size` is even it takes one channel less, as PyTorch's does, and still divides by `size`. (PyTorch's keeps
    the first channel in windows that are past it.)
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        """input [N, C, H, W] -> the same shape"""
        width = self.size - 1 + self.size % 2
        return F.local_response_norm(input, width, self.alpha * width / self.size, self.beta, self.k)
