"""Connectionist temporal classification: the loss of all alignments of a target with a sequence of log-probabilities.

Graves, Fernandez, Gomez and Schmidhuber, "Connectionist temporal classification", 2006: the states of an alignment are
the labels of the target with a blank before, between and after them. A step of time leads from a state to itself, to
the next, or past a blank between two different labels. alpha adds up what leads to a state, beta what follows it;
everything is in logarithms, and the only loop is over time. The logarithms of a thousand steps are thousands, of which
float32 keeps no more than three decimals: they are float64, whatever the dtype of the input.
"""

from __future__ import annotations

from typing import NamedTuple

from ..array_types import Array, Namespace, Shape
from ..lookup import kernels, namespace
from ..results import CtcLoss
from ..shapes import check_ctc_loss
from .precision import cast

__all__ = [
    "NEVER",
    "CtcStates",
    "ctc_labels",
    "ctc_loss",
    "ctc_loss_backward",
    "ctc_loss_posterior",
    "ctc_states",
    "impossible",
    "likelihood_of",
    "scores_of_states",
    "to_classes",
]

#: The logarithm of 0 in these kernels: finite, so that differences of it are numbers.
NEVER = -1e30


class CtcStates(NamedTuple):
    """The states of a batch's alignments: L = 2 S + 1 for targets of at most S labels.

    Attributes
    ----------
    labels
        [N, L], int64: the class of each state.
    skips
        [N, L]: whether a step may come to a state from the last but one.
    ends
        [N, L]: whether an alignment may end in it.
    runs
        [T, N, 1]: whether a sequence lasts until after that time.
    """

    labels: Array
    skips: Array
    ends: Array
    runs: Array


def ctc_labels(
    op_name: str, log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> Array:
    """The targets [N, S], int64, with the blank past their ends, after a check of all arguments.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or `blank` is no class.
    TypeError
        If targets or lengths are not integers.
    IndexError
        If a length is longer than what it is of, or a label is no class.
    """
    xp = namespace(log_probs)
    check_ctc_loss(op_name, log_probs.shape, targets, input_lengths, target_lengths, blank, xp)
    steps, batch, classes = log_probs.shape
    width = targets.shape[1]
    check = kernels(log_probs).check_indices
    check(input_lengths, steps + 1, f"{op_name}: an input length is at most T = {steps}")
    check(target_lengths, width + 1, f"{op_name}: a target length is at most S = {width}")
    places = xp.arange(width, dtype=xp.int64, device=log_probs.device)
    used = places < xp.reshape(xp.astype(target_lengths, xp.int64, copy=False), (batch, 1))
    targets = xp.where(used, xp.astype(targets, xp.int64, copy=False), blank)
    check(targets, classes, f"{op_name}: a label is one of the C = {classes} classes")
    return targets


def ctc_states(
    op_name: str, log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> CtcStates:
    """The states of each alignment, after a check of all arguments; raises as `ctc_labels`."""
    targets = ctc_labels(op_name, log_probs, targets, input_lengths, target_lengths, blank)
    xp = namespace(log_probs)
    steps, batch, _ = log_probs.shape
    width = targets.shape[1]
    device = log_probs.device
    blanks = xp.full((batch, width, 1), blank, dtype=xp.int64, device=device)
    pairs = xp.concat([blanks, xp.reshape(targets, (batch, width, 1))], axis=2)
    after = xp.full((batch, 1), blank, dtype=xp.int64, device=device)
    labels = xp.concat([xp.reshape(pairs, (batch, 2 * width)), after], axis=1)
    # Before the first state there is nothing, so whether a step may skip from there does not matter.
    ahead = xp.full((batch, 2), blank, dtype=xp.int64, device=device)
    skips = labels != xp.concat([ahead, labels], axis=1)[:, :-2]
    state = xp.arange(2 * width + 1, dtype=xp.int64, device=device)
    last = 2 * xp.reshape(xp.astype(target_lengths, xp.int64, copy=False), (batch, 1))
    ends = xp.logical_or(state == last, state == last - 1)
    time = xp.reshape(xp.arange(steps, dtype=xp.int64, device=device), (steps, 1, 1))
    runs = time < xp.reshape(xp.astype(input_lengths, xp.int64, copy=False), (1, batch, 1))
    return CtcStates(labels, skips, ends, runs)


def ctc_loss(log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int) -> Array:
    """-log of the sum of the probabilities of all alignments; +inf where there is none.

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

    Returns
    -------
    Array
        [N]

    Raises
    ------
    ShapeError, TypeError, IndexError
        As `ctc_states`.
    """
    xp = namespace(log_probs)
    states = ctc_states("ctc_loss", log_probs, targets, input_lengths, target_lengths, blank)
    scores = scores_of_states(xp, log_probs, states)
    alpha = _start(xp, states)
    for t in range(log_probs.shape[0]):
        alpha = _next(xp, alpha, scores, states, t)
    likelihood = likelihood_of(xp, alpha, states)
    return cast(xp, xp.where(impossible(likelihood), xp.inf, -likelihood), log_probs.dtype)


def ctc_loss_posterior(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> CtcLoss:
    """The loss [N], and minus its derivative: the arguments are those of `ctc_loss`.

    That is the probability [T, N, C], given the target, that an alignment is at a class at a time: alpha and beta added
    up over the states of the class. Of an impossible target it is 0.
    """
    states = ctc_states("ctc_loss", log_probs, targets, input_lengths, target_lengths, blank)
    return _of_states(log_probs, states)


def ctc_loss_backward(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, grad_loss: Array, blank: int
) -> Array:
    """The gradient of log_probs [T, N, C] from that of the loss, grad_loss [N]; the rest as in `ctc_loss`."""
    states = ctc_states("ctc_loss_backward", log_probs, targets, input_lengths, target_lengths, blank)
    xp = namespace(log_probs)
    return _of_states(log_probs, states).posterior * -xp.expand_dims(cast(xp, grad_loss, log_probs.dtype), axis=-1)


def _of_states(log_probs: Array, states: CtcStates) -> CtcLoss:
    xp = namespace(log_probs)
    steps = log_probs.shape[0]
    scores = scores_of_states(xp, log_probs, states)
    alphas = [_start(xp, states)]
    for t in range(steps):
        alphas.append(_next(xp, alphas[-1], scores, states, t))
    likelihood = likelihood_of(xp, alphas[-1], states)
    loss = cast(xp, xp.where(impossible(likelihood), xp.inf, -likelihood), log_probs.dtype)
    # From 0 as the likelihood of what is impossible, every state of it has the probability e^NEVER = 0.
    likelihood = xp.expand_dims(xp.where(impossible(likelihood), 0.0, likelihood), axis=-1)
    end = _or_never(xp, states.ends, xp.zeros_like(alphas[0]))
    nothing = xp.zeros((states.skips.shape[0], 2), dtype=xp.bool, device=log_probs.device)
    skips = xp.concat([states.skips, nothing], axis=1)[:, 2:]
    beta, found = end, []
    for t in range(steps - 1, -1, -1):
        shares = xp.exp(alphas[t + 1] + beta - likelihood)
        found.append(xp.where(states.runs[t, ...], shares, 0.0))
        after = beta + scores[t, ...]
        padded = xp.concat([after, _never(xp, after)], axis=1)
        before = _merged(xp, after, padded[:, 1:-1], _or_never(xp, skips, padded[:, 2:]))
        beta = xp.where(states.runs[t, ...], before, end)
    if not found:
        return CtcLoss(loss, xp.zeros_like(log_probs))
    return CtcLoss(loss, cast(xp, to_classes(xp, xp.stack(found[::-1]), states, log_probs.shape), log_probs.dtype))


def scores_of_states(xp: Namespace, log_probs: Array, states: CtcStates) -> Array:
    """The log-probability [T, N, L] of the class of each state."""
    steps, batch, classes = log_probs.shape
    rows = xp.reshape(cast(xp, log_probs, xp.float64), (steps, batch * classes))
    scores = xp.reshape(xp.take(rows, _columns(xp, states, classes), axis=1), (steps, *states.labels.shape))
    return xp.where(scores < NEVER, NEVER, scores)


def _columns(xp: Namespace, states: CtcStates, classes: int) -> Array:
    """Where among the N C numbers of one time those of the states [N L] are."""
    batch = states.labels.shape[0]
    rows = xp.arange(batch, dtype=xp.int64, device=states.labels.device)
    return xp.reshape(states.labels + xp.reshape(rows * classes, (batch, 1)), (-1,))


def _start(xp: Namespace, states: CtcStates) -> Array:
    """alpha [N, L] before the first time: in the first blank, so that the first step leads to it or the first label."""
    device = states.labels.device
    batch, count = states.labels.shape
    first = xp.zeros((batch, 1), dtype=xp.float64, device=device)
    return xp.concat([first, xp.full((batch, count - 1), NEVER, dtype=xp.float64, device=device)], axis=1)


def _next(xp: Namespace, alpha: Array, scores: Array, states: CtcStates, t: int) -> Array:
    """alpha [N, L] after time t; as it was where the sequence is over."""
    padded = xp.concat([_never(xp, alpha), alpha], axis=1)
    came = _merged(xp, alpha, padded[:, 1:-1], _or_never(xp, states.skips, padded[:, :-2]))
    return xp.where(states.runs[t, ...], came + scores[t, ...], alpha)


def _merged(xp: Namespace, stay: Array, step: Array, skip: Array) -> Array:
    """log(e^stay + e^step + e^skip); of finite numbers, so that nothing has to be looked at."""
    top = xp.maximum(xp.maximum(stay, step), skip)
    return top + xp.log(xp.exp(stay - top) + xp.exp(step - top) + xp.exp(skip - top))


def likelihood_of(xp: Namespace, alpha: Array, states: CtcStates) -> Array:
    """The log-probability [N] of the target."""
    ending = _or_never(xp, states.ends, alpha)
    top = xp.max(ending, axis=1, keepdims=True)
    return xp.squeeze(top, axis=1) + xp.log(xp.sum(xp.exp(ending - top), axis=1))


def impossible(likelihood: Array) -> Array:
    """Where no alignment is possible; of what is NaN that cannot be said."""
    return likelihood < NEVER / 2


def _or_never(xp: Namespace, condition: Array, x: Array) -> Array:
    return xp.where(condition, x, NEVER)


def _never(xp: Namespace, alpha: Array) -> Array:
    """Two columns beside alpha [N, L] that lead nowhere."""
    return xp.full((alpha.shape[0], 2), NEVER, dtype=alpha.dtype, device=alpha.device)


def to_classes(xp: Namespace, shares: Array, states: CtcStates, shape: Shape) -> Array:
    """shares [T, N, L] of the states, added up to their classes: [T, N, C]"""
    steps, batch, classes = shape
    device = shares.device
    times = xp.arange(steps, dtype=xp.int64, device=device)
    places = xp.reshape(times * (batch * classes), (steps, 1)) + _columns(xp, states, classes)
    zeros = xp.zeros((steps * batch * classes,), dtype=shares.dtype, device=device)
    sums = kernels(shares).scatter_add(zeros, xp.reshape(places, (-1,)), xp.reshape(shares, (-1,)))
    return xp.reshape(sums, shape)
