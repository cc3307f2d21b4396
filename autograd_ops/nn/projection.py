"""Long short-term memory whose hidden state is projected to fewer numbers."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

from .. import ops
from ..creation import tensor, zeros
from ..functions import index_copy
from ..ops import RecurrentOptions
from ..tensor import Tensor

__all__ = ["projected_lstm"]


def projected_lstm(
    x: Tensor, h_0: Tensor, c_0: Tensor, weights: list[Any], options: RecurrentOptions
) -> tuple[Tensor, Tensor, Tensor]:
    """One layer of `LSTM` in one direction, in which h = W_hr o tanh(c) (Sak, Senior and Beaufays, 2014).

    With h = W_hr u the gates have W_hh h = (W_hh W_hr) u, so that u = o tanh(c) is the hidden state of an ordinary
    LSTM. Before the first step no u need be there for `h_0`, which comes as more features of the first element
    instead; their weight is W_hh.

    Parameters
    ----------
    x
        [T, N, d_input], or the rows of a packed sequence.
    h_0, c_0
        [N, proj_size] and [N, hidden_size]
    weights
        weight_ih [4 hidden_size, d_input], weight_hh [4 hidden_size, proj_size], bias_ih and bias_hh [4 hidden_size] or
        None, and weight_hr [proj_size, hidden_size].
    options
        As of `ops.lstm`.

    Returns
    -------
    tuple
        The output [T, N, proj_size] and the last states, as `h_0` and `c_0`.
    """
    weight_ih, weight_hh, bias_ih, bias_hh, weight_hr = weights
    output, u, c = ops.lstm(
        ops.concat([x, _as_features(h_0, x.shape[:-1], options)], -1),
        ops.zeros_like(c_0),
        c_0,
        ops.concat([weight_ih, weight_hh], -1),
        weight_hh @ weight_hr,
        bias_ih,
        bias_hh,
        options,
    )
    return ops.linear(output, weight_hr, None, True), ops.linear(u, weight_hr, None, True), c


def _as_features(h_0: Tensor, shape: tuple[int, ...], options: RecurrentOptions) -> Tensor:
    """`h_0` beside the element of each sequence that comes first, and 0 beside the others: [*shape, proj_size]."""
    steps = options.batch_sizes or (shape[-1],) * shape[0]
    first = list(range(steps[0])) if steps else []
    if options.reverse:
        starts = [0, *accumulate(steps)]
        first = [starts[sum(size > n for size in steps) - 1] + n for n in first]
    features = zeros(math.prod(shape), h_0.shape[-1], dtype=h_0.dtype, device=h_0.device)
    if first:
        features = index_copy(features, 0, tensor(first, device=h_0.device), h_0)
    return ops.reshape(features, (*shape, h_0.shape[-1]))
