"""The CTC loss on NumPy: of probabilities, not of their logarithms, and in one loop over time for both directions.

What follows a state is what leads to it when all is read backwards. So beta is the alpha of each sequence from its last
time to its first, with its target from the last label to the first, and both recursions are one: on arrays
[2, S + 1, N], with the direction first. Row r of those for labels is the r-th label, of those for blanks the blank
behind it; before the first label there is a row of zeros. So all that a step of time reads is a contiguous piece of one
buffer, and a step is six calls.

Every few steps what belongs to one sequence is divided by the largest of it, and what is less than `LEAST` becomes
`LEAST`. Then nothing is ever too small, and by how much the likelihood is too large is known: by no more than `LEAST`
times what alpha and beta are at most, for each state and each time that it happened. Where that is more than `ERROR` of
the likelihood, and for whatever is no number, `ctc_logarithms` has the answer.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from ..array_types import Array
from ..module_ops.ctc import ctc_labels
from ..results import CtcLoss
from . import ctc_logarithms

__all__ = ["ctc_loss", "ctc_loss_backward", "ctc_loss_posterior"]

#: Steps of time from one division to the next.
STEPS = 16

#: The least that a probability becomes, where the largest is 1.
LEAST = 1e-250

#: The largest part of a likelihood that may be too much.
ERROR = 1e-14

#: What the sum of the products of alpha and beta exceeds, that no product which matters to it has vanished.
TINY = 1e-280

#: As many sequences are computed together as have this many states: more would not stay in the processor's cache.
TOGETHER = 2**13


class _Sequences(NamedTuple):
    """Some sequences of a batch, n of them.

    Attributes
    ----------
    log_probs
        [T, n, C]
    labels
        [n, S]; past the end of a target, the blank.
    lengths, counts
        [n], int64: how long each sequence is, and its target.
    """

    log_probs: Array
    labels: Array
    lengths: Array
    counts: Array
    blank: int


class _Walk(NamedTuple):
    """Both recursions.

    Attributes
    ----------
    arriving
        [T, 2, 2, S + 1, n]: what comes to the labels, and to the blanks, at each time, in each direction.
    met
        Of the same shape: the probability of each state's class; 0 in row 0 of the labels.
    scales
        [1 + T // STEPS, 2, n], the logarithm of all that had been divided by, after each so many steps.
    """

    arriving: Array
    met: Array
    scales: Array


def ctc_loss(log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int) -> Array:
    return _computed("ctc_loss", False, log_probs, targets, input_lengths, target_lengths, blank)[0]


def ctc_loss_posterior(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> CtcLoss:
    return CtcLoss(*_computed("ctc_loss", True, log_probs, targets, input_lengths, target_lengths, blank))


def ctc_loss_backward(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, grad_loss: Array, blank: int
) -> Array:
    arguments = (log_probs, targets, input_lengths, target_lengths, blank)
    _, posterior = _computed("ctc_loss_backward", True, *arguments)
    posterior *= -grad_loss[:, None]
    return posterior


def _computed(
    op_name: str,
    wanted: bool,
    log_probs: Array,
    targets: Array,
    input_lengths: Array,
    target_lengths: Array,
    blank: int,
) -> tuple[Array, Array]:
    """The loss, and the posterior if it is `wanted`."""
    labels = ctc_labels(op_name, log_probs, targets, input_lengths, target_lengths, blank)
    steps, batch, _ = log_probs.shape
    # Like what was given, whose class may be that of a backend which builds on this one.
    loss = np.empty_like(log_probs, shape=(batch,))
    posterior = np.empty_like(log_probs, order="C", shape=log_probs.shape if wanted else (0, batch, 0))
    lengths, counts = (a.astype(np.int64, copy=False) for a in (input_lengths, target_lengths))
    known = np.zeros(batch, np.bool)
    block = max(1, TOGETHER // (2 * labels.shape[1] + 1))
    for first in range(0, batch if steps else 0, block):
        of = slice(first, first + block)
        part = _Sequences(log_probs[:, of], labels[of], lengths[of], counts[of], blank)
        with np.errstate(all="ignore"):  # what overflows, or divides 0 by 0, is not known after it
            known[of] = _block(part, loss[of], posterior[:, of] if wanted else None)
    if not known.all():
        rest = np.flatnonzero(~known)
        given = (log_probs[:, rest], targets[rest], input_lengths[rest], target_lengths[rest])
        loss[rest] = ctc_logarithms.ctc_loss(*given, blank)
        if wanted:
            posterior[:, rest] = ctc_logarithms.ctc_loss_posterior(*given, blank)
    return loss, posterior


def _block(part: _Sequences, loss: Array, posterior: Array | None) -> Array:
    """Write the loss [n] of some sequences, and their posterior [T, n, C]; and say of which [n] they are known."""
    scores = _scores(part)
    largest = float(scores.max())
    walk = _walked(part, scores)
    likelihood = _likelihood(part, walk)
    known = (_excess(part, walk, largest) < likelihood + log(ERROR)) & (likelihood < np.inf) & (part.lengths > 0)
    np.negative(likelihood, out=loss, casting="same_kind")
    if posterior is not None:
        known &= _write_posterior(part, walk, posterior) > TINY * max(1.0, float(np.exp(largest)))
    # Where labels do not fit the times, none of this is needed to say that nothing is possible.
    repeats = np.count_nonzero((part.labels[:, 1:] == part.labels[:, :-1]) & _used(part)[:, 1:], axis=1)
    hopeless = (part.lengths < part.counts + repeats) & (largest < np.inf)
    if hopeless.any():
        loss[hopeless] = np.inf
        if posterior is not None:
            posterior[:, hopeless] = 0.0
    return known | hopeless


def _used(part: _Sequences) -> Array:
    """Which labels [n, S] belong to their targets."""
    return np.arange(part.labels.shape[1]) < part.counts[:, None]


def _scores(part: _Sequences) -> Array:
    """The logarithms [T, S + 1, n] of the probabilities of the blank, in row 0, and of the labels."""
    log_probs, labels, _, _, blank = part
    steps, n, classes = log_probs.shape
    found = np.full((labels.shape[1] + 1, n), blank)
    found[1:] = labels.T
    found += np.arange(0, n * classes, classes)
    scores = np.take(log_probs.reshape(steps, n * classes), found.ravel(), axis=1).reshape(steps, -1, n)
    past_ends = np.zeros((labels.shape[1] + 1, n))
    past_ends[1:][~_used(part).T] = -np.inf
    return scores + past_ends


def _walked(part: _Sequences, scores: Array) -> _Walk:
    met = _met(part, scores)
    steps, kinds, ways, rows, n = met.shape
    size = ways * rows * n
    # What is at the labels and then what is at the blanks; one row before each is what is behind it.
    memory = np.zeros(n + kinds * size)
    states = memory[n:]
    by_column = states.reshape(kinds, ways, rows, n)
    by_column[1, :, 0] = 1.0
    at_labels, behind_labels = states[:size], memory[:size]
    at_blanks, behind_blanks = states[size:], memory[size:-n]
    skips = _skips(part).ravel()
    skipping = np.empty(size)
    arriving = np.empty(met.shape)
    to_all = arriving.reshape(steps, -1)
    scales = np.ones((1 + steps // STEPS, ways, n))
    multiply, add = np.multiply, np.add
    by_time = zip(to_all[:, :size], to_all[:, size:], to_all, met.reshape(steps, -1), strict=True)
    for t, (to_labels, to_blanks, to_states, met_now) in enumerate(by_time, 1):
        multiply(behind_labels, skips, skipping)
        add(skipping, behind_blanks, skipping)
        add(skipping, at_labels, to_labels)
        add(at_labels, at_blanks, to_blanks)
        multiply(to_states, met_now, states)
        if t % STEPS == 0:
            np.maximum(at_labels, at_blanks, out=skipping)
            largest = np.maximum.reduce(skipping.reshape(ways, rows, n), 1, out=scales[t // STEPS])
            multiply(by_column, (1.0 / largest)[:, None], by_column)
            np.maximum(states, LEAST, out=states)
    np.log(scales, out=scales)
    return _Walk(arriving, met, np.add.accumulate(scales, 0))


def _met(part: _Sequences, scores: Array) -> Array:
    """The probabilities of the states' classes, as in `_Walk`."""
    steps, rows, n = scores.shape
    met = np.empty((steps, 2, 2, rows, n))
    np.exp(scores, out=met[:, 0, 0])
    # Backwards, label r is that which is r-th from the last; what is past an end reads anything.
    row = np.arange(rows)[:, None]
    last_first = np.where((row > 0) & (row <= part.counts), part.counts + 1 - row, row)
    places = (part.lengths - 1) * met[0].size + last_first * n + np.arange(n)
    met[:, 0, 1] = _read_back(met, places).reshape(steps, rows, n)
    met[:, 1] = met[:, 0, :, :1]
    met[:, 0, :, 0] = 0.0
    return met


def _read_back(x: Array, places: Array) -> Array:
    """From each of `places` in x [T, ...] one number at each time, going back in time: [T, places]"""
    times = np.arange(0, x.size, x[0].size)
    return np.take(x, places.ravel() - times[:, None], mode="clip")


def _skips(part: _Sequences) -> Array:
    """1 where a step may lead to a label from that before it, else 0: [2, S + 1, n]"""
    labels = part.labels.T
    rows, n = labels.shape[0] + 1, labels.shape[1]
    skips = np.zeros((2, rows, n))
    differ = labels[1:] != labels[:-1]
    skips[0, 2:] = differ
    # Backwards, the r-th label is r - 1 before the last, and behind it is the one after that.
    row = np.arange(2, rows)[:, None]
    skips[1, 2:] = np.take_along_axis(differ, np.maximum(part.counts - row, 0), 0)
    return skips


def _likelihood(part: _Sequences, walk: _Walk) -> Array:
    """Its logarithm [n]: what is at the last label, or the blank behind it, at the last time."""
    column = np.arange(part.counts.shape[0])
    last = part.lengths - 1
    at_end = (last, slice(None), 0, part.counts, column)
    return np.log(np.sum(walk.arriving[at_end] * walk.met[at_end], axis=1)) + walk.scales[last // STEPS, 0, column]


def _excess(part: _Sequences, walk: _Walk, largest: float) -> Array:
    """The logarithm [n] of what the likelihood may be too large by; `largest` is that of the largest probability."""
    scales = walk.scales
    taken = np.arange(0, scales.shape[0] * STEPS, STEPS)[:, None, None]
    left = part.lengths - taken
    # Where something became `LEAST`, or vanished in the steps from there on; and what followed it, the other direction
    # after the steps that were left, which since its last division may have grown threefold in each.
    other = np.take_along_axis(scales[:, ::-1], np.maximum(left, 0) // STEPS, 0)
    excess = np.where(left > 0, scales + other, -np.inf).max((0, 1))
    times = 2 * scales.shape[0] * 2 * walk.met.shape[3]
    return excess + log(LEAST * times) + STEPS * (log(3.0) + max(largest, 0.0))


def _write_posterior(part: _Sequences, walk: _Walk, posterior: Array) -> Array:
    """Of each class at each time, the part of the likelihood that is of alignments which have it there: [T, n, C].

    Returns
    -------
    Array
        [n], the least sum of the products of alpha and beta in any time.
    """
    arriving = walk.arriving
    steps, kinds, _, rows, n = arriving.shape
    classes = posterior.shape[2]
    row, column, time = np.arange(rows)[:, None], np.arange(n), np.arange(steps)[:, None]
    # Who comes back meets label r as the r-th from the last, and one blank more than there are labels.
    facing = np.array([part.counts + 1 - row, part.counts - row])
    kind = np.array([0, 1])[:, None, None]
    places = ((part.lengths - 1) * (2 * kinds) + 2 * kind + 1) * (rows * n) + np.maximum(facing, 0) * n + column
    following = _read_back(arriving, places).reshape(steps, kinds, rows, n)
    of_blanks = np.einsum("trn,trn->tn", following[:, 1], arriving[:, 1, 0])
    of_blanks *= walk.met[:, 1, 0, 0]
    of_labels = following[:, 0, 1:]
    of_labels *= arriving[:, 0, 0, 1:]
    of_labels *= walk.met[:, 0, 0, 1:]
    total = np.add.reduce(of_labels, 1)
    total += of_blanks
    part_of_all = 1.0 / total
    of_blanks *= part_of_all
    of_labels *= part_of_all[:, None]
    classes_of_labels = (column * classes + part.labels.T).ravel() + time * (n * classes)
    sums = np.bincount(classes_of_labels.ravel(), of_labels.ravel(), posterior.size)
    sums = sums.astype(np.float64, copy=False).reshape(posterior.shape)  # without labels it is of integers
    sums[:, :, part.blank] += of_blanks
    posterior[...] = sums
    over = time >= part.lengths
    if over.any():
        posterior[over] = 0.0
        total[over] = np.inf
    least: Array = total.min(0)
    return least
