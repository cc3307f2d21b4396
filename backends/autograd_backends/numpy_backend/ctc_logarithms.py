"""The CTC loss on NumPy in logarithms: as the default, with half of the calls a step and no new arrays.

What `ctc` asks where probabilities would be too small. Everything is float64.

The three ways into a state lie one behind the other in one array, so that one exponential serves all. Beside the states
are two columns that lead nowhere.
"""

from __future__ import annotations

import numpy as np

from ..array_types import Array
from ..module_ops.ctc import NEVER, CtcStates, ctc_states, impossible, likelihood_of, scores_of_states, to_classes
from . import namespace as xp

__all__ = ["ctc_loss", "ctc_loss_posterior"]


def ctc_loss(log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int) -> Array:
    states = ctc_states("ctc_loss", log_probs, targets, input_lengths, target_lengths, blank)
    alphas = _alphas(scores_of_states(xp, log_probs, states), states)
    likelihood = likelihood_of(xp, alphas[-1, :, 2:], states)
    return np.where(impossible(likelihood), np.inf, -likelihood)


def ctc_loss_posterior(
    log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int
) -> Array:
    states = ctc_states("ctc_loss", log_probs, targets, input_lengths, target_lengths, blank)
    scores = scores_of_states(xp, log_probs, states)
    alphas = _alphas(scores, states)
    likelihood = likelihood_of(xp, alphas[-1, :, 2:], states)
    likelihood = np.where(impossible(likelihood), 0.0, likelihood)[:, None]
    shares = _betas(scores, states)
    shares += alphas[1:, :, 2:]
    shares -= likelihood
    np.exp(shares, out=shares)
    np.copyto(shares, 0.0, where=~states.runs)
    return to_classes(xp, shares, states, log_probs.shape)


def _alphas(scores: Array, states: CtcStates) -> Array:
    """alpha before the first time and after each, [T + 1, N, 2 + L]: what leads to a state; see the default."""
    steps, batch, count = scores.shape
    alphas = np.full((steps + 1, batch, 2 + count), NEVER)
    alphas[0, :, 2] = 0.0
    closed = np.where(states.skips, 0.0, NEVER)
    ways = np.empty((3, batch, count))
    over = _over(states)
    for t in range(steps):
        before, after = alphas[t], alphas[t + 1, :, 2:]
        _merge(ways, before[:, 2:], before[:, 1:-1], before[:, :-2], closed, after)
        after += scores[t]
        if over[t] is not None:
            np.copyto(after, before[:, 2:], where=over[t])
    return alphas


def _betas(scores: Array, states: CtcStates) -> Array:
    """beta after each time, [T, N, L]: what follows a state."""
    steps, batch, count = scores.shape
    betas = np.empty(scores.shape)
    end = np.where(states.ends, 0.0, NEVER)
    betas[-1:] = end
    following = np.full((batch, count + 2), NEVER)
    closed = np.full((batch, count), NEVER)
    closed[:, :-2][states.skips[:, 2:]] = 0.0
    ways = np.empty((3, batch, count))
    over = _over(states)
    for t in range(steps - 1, 0, -1):
        np.add(betas[t], scores[t], out=following[:, :-2])
        before = betas[t - 1]
        _merge(ways, following[:, :-2], following[:, 1:-1], following[:, 2:], closed, before)
        if over[t] is not None:
            np.copyto(before, end, where=over[t])
    return betas


def _over(states: CtcStates) -> list[Array | None]:
    """Which sequences [N, 1] are over at each time; None where none is."""
    over = ~states.runs
    return [now if some else None for now, some in zip(over, over.any(axis=(1, 2)).tolist(), strict=True)]


def _merge(ways: Array, stay: Array, step: Array, skip: Array, closed: Array, out: Array) -> None:
    """out = log(e^stay + e^step + e^skip), where a skip is `closed` by adding NEVER to it"""
    ways[0] = stay
    ways[1] = step
    np.add(skip, closed, out=ways[2])
    top = np.maximum.reduce(ways, 0)
    ways -= top
    np.exp(ways, out=ways)
    np.add.reduce(ways, 0, out=out)
    np.log(out, out=out)
    out += top
