"""Softmax over many classes, of which the rare ones are computed only where they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from .. import ops
from ..indexing import check_indices, gather, nonzero
from ..tensor import Tensor
from . import functional as F
from .containers import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class ASMoutput(NamedTuple):
    """The log-probability of each target, and their mean, negative: the loss."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-softmax in two steps: over the frequent classes and clusters of rare ones, then within a cluster.

    Parameters
    ----------
    in_features
        The width of the input.
    n_classes
        How many classes there are, ordered from frequent to rare.
    cutoffs
        Where each cluster begins, rising; below the first are the frequent classes.
    div_value
        Cluster i is computed from ``in_features // div_value^(i + 1)`` features.
    head_bias
        Whether the first step has a bias.
    device, dtype
        Of the parameters.

    Raises
    ------
    ValueError
        If the cutoffs do not rise or are not between 0 and `n_classes`.

    Notes
    -----
    Grave, Joulin, Cissé, Grangier and Jégou, Efficient softmax approximation for GPUs, 2017.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> softmax = ag.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[5, 10], div_value=2.0)
    >>> softmax(ag.ones(3, 8), ag.tensor([0, 7, 19])).output.shape, softmax.log_prob(ag.ones(3, 8)).shape
    (Size([3]), Size([3, 20]))
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        bounds = [0, *cutoffs, n_classes]
        if len(bounds) == 2 or any(a >= b for a, b in pairwise(bounds)):
            raise ValueError(
                f"AdaptiveLogSoftmaxWithLoss: cutoffs must rise, from above 0 to below {n_classes}; got {list(cutoffs)}"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = bounds[1:]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = bounds[1]
        self.n_clusters = len(bounds) - 2
        self.head_size = self.shortlist_size + self.n_clusters
        where: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **where)
        self.tail: Any = ModuleList()
        for i, (begin, end) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // div_value ** (i + 1))
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **where), Linear(width, end - begin, bias=False, **where)
                )
            )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        for down, up in self.tail:
            down.reset_parameters()
            up.reset_parameters()

    def forward(self, input: Tensor, target: Tensor) -> ASMoutput:
        """input [N, in_features] and classes [N] -> log-probabilities [N] and the loss; or without N"""
        name = "AdaptiveLogSoftmaxWithLoss"
        if input.ndim != target.ndim + 1 or target.ndim > 1 or input.shape[:-1] != target.shape:
            raise ValueError(
                f"{name}: takes an input [N, {self.in_features}] and classes [N], or both without N, not "
                f"{tuple(input.shape)} and {tuple(target.shape)}"
            )
        check_indices(target, self.n_classes, name)
        rows, classes = ops.reshape(input, (-1, self.in_features)), ops.reshape(target, (-1,)).long()
        first = F.log_softmax(self.head(rows), 1)
        # Of a rare class, the column of its cluster in the head.
        column = classes
        for i, begin in enumerate(self.cutoffs[:-1]):
            column = ops.where(classes >= begin, self.shortlist_size + i, column)
        output = ops.squeeze(gather(first, 1, ops.expand_dims(column, 1)), (1,))
        for (begin, end), cluster in zip(pairwise(self.cutoffs), self.tail, strict=True):
            at = ops.squeeze(nonzero((classes >= begin) & (classes < end)), (1,))
            if at.shape[0]:
                within = F.log_softmax(cluster(rows[at]), 1)
                chosen = gather(within, 1, ops.expand_dims(classes[at] - begin, 1))
                output = output.index_add(0, at, ops.squeeze(chosen, (1,)))
        output = ops.reshape(output, tuple(target.shape))
        return ASMoutput(output, -ops.mean(output))

    def log_prob(self, input: Tensor) -> Tensor:
        """input [N, in_features] -> the log-probabilities of all classes [N, n_classes]"""
        first = F.log_softmax(self.head(input), 1)
        parts = [first[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            column = self.shortlist_size + i
            parts.append(F.log_softmax(cluster(input), 1) + first[:, column : column + 1])
        return ops.concat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """input [N, in_features] -> the most likely class of each [N]"""
        return ops.argmax(self.log_prob(input), 1)
