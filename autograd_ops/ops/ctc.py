"""Connectionist temporal classification."""

from __future__ import annotations

from typing import Any

from autograd_backends import kernels, namespace
from autograd_backends.module_ops.ctc import ctc_states
from autograd_backends.shapes import check_argument

from ..registry import Array, op
from ..tape import enable_grad
from ..tensor import Tensor
from .compare import where
from .dtype import astype, zeros_like
from .indexing import take_along_axis
from .reduce import logsumexp
from .shape import concat, getitem, stack, unstack

__all__ = ["ctc_loss", "ctc_loss_backward"]


@op(
    formula="dlog_probs = -g p, with p the probability, given the target, that an alignment is at a class at a time",
    nondiff=("targets", "input_lengths", "target_lengths"),
    saves=("posterior",),
    real=True,
    fresh=True,
)
def ctc_loss(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int = 0,
    differentiable: bool = True,
) -> Array:
    """-log of the sum of the probabilities of all alignments of a target (Graves and others, 2006).

    Parameters
    ----------
    log_probs
        [T, N, C], the log-probability of each class at each time.
    targets
        [N, S], classes; what is past a target's length does not matter.
    input_lengths, target_lengths
        [N], at most T and S.
    blank
        The class that stands for no label.
    differentiable
        Whether what the gradient is a multiple of is computed with the loss; else it is if the gradient is needed.

    Returns
    -------
    Array
        [N]; +inf, with the gradient 0, where no alignment is possible.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or `blank` is no class.
    TypeError
        If targets or lengths are not integers.
    IndexError
        If a length is longer than what it is of, or a label is no class.

    Examples
    --------
    >>> import math
    >>> import autograd_ops as ag
    >>> even = ag.full((2, 1, 2), math.log(0.5))
    >>> ag.ops.ctc_loss(even, ag.tensor([[1]]), ag.tensor([2]), ag.tensor([1])).exp()  # 1 / (3 alignments of 4)
    tensor([1.3333])
    """
    backend = kernels(log_probs)
    given = (log_probs, targets, input_lengths, target_lengths, blank)
    if differentiable and backend.has_ctc_loss_backward():
        return backend.ctc_loss_posterior(*given)
    return backend.ctc_loss(*given), None


ctc_loss.backward(
    log_probs=lambda g, log_probs, targets, input_lengths, target_lengths, blank, posterior: ctc_loss_backward(
        log_probs, targets, input_lengths, target_lengths, g, blank, posterior
    )
)


def _loss_in_ops(log_probs: Tensor, targets: Array, input_lengths: Array, target_lengths: Array, blank: int) -> Tensor:
    """The same loss, which the tape differentiates step by step, as often as one likes."""
    states = ctc_states("ctc_loss", log_probs.array, targets, input_lengths, target_lengths, blank)
    xp = namespace(states.labels)
    steps = log_probs.array.shape[0]
    batch, count = states.labels.shape
    wide = astype(log_probs, xp.float64)
    like = {"dtype": xp.float64, "device": wide.array.device}
    labels = xp.broadcast_to(xp.expand_dims(states.labels, axis=0), (steps, batch, count))
    scores = unstack(take_along_axis(wide, labels, 2), 0)
    never = xp.full((batch, 2), -xp.inf, **like)
    alpha = Tensor(xp.concat([xp.zeros((batch, 1), **like), xp.full((batch, count - 1), -xp.inf, **like)], axis=1))
    for t in range(steps):
        padded = concat([never, alpha], 1)
        step = getitem(padded, (slice(None), slice(1, -1)))
        skip = where(states.skips, getitem(padded, (slice(None), slice(None, -2))), -xp.inf)
        # Of -inf alone the sum is -inf and its derivatives are 0: what leads nowhere takes no part.
        alpha = where(states.runs[t, ...], logsumexp(stack([alpha, step, skip], 0), (0,)) + scores[t], alpha)
    return astype(-logsumexp(where(states.ends, alpha, -xp.inf), (1,)), log_probs.array.dtype)


def _backward_in_ops(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    grad_loss: Any,
    blank: int = 0,
    posterior: Any = None,
    create_graph: bool = True,
) -> Tensor:
    """The gradient of `_loss_in_ops` by the tape; with `create_graph`, one that can be differentiated again."""
    from ..autograd import grad

    targets, input_lengths, target_lengths = (
        t.array if isinstance(t, Tensor) else t for t in (targets, input_lengths, target_lengths)
    )
    if not isinstance(log_probs, Tensor) or not log_probs.requires_grad:
        log_probs = Tensor(getattr(log_probs, "array", log_probs), requires_grad=True)
    with enable_grad():
        loss = _loss_in_ops(log_probs, targets, input_lengths, target_lengths, blank)
        if not loss.requires_grad:  # sequences without a step
            return zeros_like(log_probs)
        (gradient,) = grad(loss, log_probs, grad_loss, create_graph=create_graph)
    assert gradient is not None
    return gradient


@op(
    formula="as of the gradient of the recursion over time",
    nondiff=("targets", "input_lengths", "target_lengths", "posterior"),
    recorded=_backward_in_ops,
)
def ctc_loss_backward(
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    grad_loss: Array,
    blank: int = 0,
    posterior: Array | None = None,
) -> Array:
    """The gradient of log_probs [T, N, C], from that of the loss, grad_loss [N], and what `ctc_loss` saves, if it does:
    [T, N, C], the probability, given the target, of each class at each time; the rest as in `ctc_loss`"""
    of = f"log_probs {tuple(log_probs.shape)}, [T, N, C],"
    check_argument("ctc_loss_backward", "grad_loss", tuple(grad_loss.shape), tuple(log_probs.shape[1:2]), of)
    if posterior is not None:
        return posterior * -namespace(grad_loss).expand_dims(grad_loss, axis=-1)
    backend = kernels(log_probs)
    if backend.has_ctc_loss_backward():
        return backend.ctc_loss_backward(log_probs, targets, input_lengths, target_lengths, grad_loss, blank)
    return _backward_in_ops(log_probs, targets, input_lengths, target_lengths, grad_loss, blank, None, False).array
