"""Batch norm and layer norm as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..creation import ones, tensor, zeros
from ..dtypes import int64
from ..tape import no_grad
from ..tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "LayerNorm"]


def _reset_affine(weight: Tensor | None, bias: Tensor | None) -> None:
    if weight is not None:
        init.ones_(weight)
    if bias is not None:
        init.zeros_(bias)


class _BatchNorm(Module):
    """What the batch norms share; they differ in the shapes they take."""

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

    def forward(self, input: Tensor) -> Tensor:
        """`input`, normalised: by its own statistics in training or where none are kept, else by those kept."""
        if input.ndim not in self.ranks:
            expected = " or ".join(f"{rank}-d" for rank in self.ranks)
            raise ValueError(f"{type(self).__name__}: expected {expected} input, got shape {tuple(input.shape)}")
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

    def extra_repr(self) -> str:
        """Its channels and options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
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
