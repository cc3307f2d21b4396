"""Recurrent networks without temporaries: most of their time goes into many operations on small arrays.

Within a step a column is a sequence: [d_hidden, n]. So each gate is one piece of memory, with no copy of what the
product of all gates gives, and that product has its short side last, which OpenBLAS shares between threads.

sigmoid(a) is (1 + tanh(a / 2)) / 2. The halves go into the weights, where they are exact, so that one tanh serves the
gates of both kinds.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ..array_types import Array
from ..base import Backend
from ..module_ops.recurrent import check_arrays, input_gradients, is_tanh, replace_first, states_before
from ..options import RecurrentOptions
from ..results import Lstm, LstmBackward, Recurrent, RecurrentBackward
from ..steps import recurrent_steps
from . import namespace as xp

__all__ = ["gru", "gru_backward", "lstm", "lstm_backward", "rnn", "rnn_backward"]

_HALF = np.dtype(np.float16)

# ---------------------------------------------------------------- rnn


def rnn(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    nonlinearity: str,
    options: RecurrentOptions,
) -> Recurrent:
    if x.dtype == _HALF:
        return Backend.rnn(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, nonlinearity, options)
    check_arrays("rnn", 1, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    tanh = is_tanh("rnn", nonlinearity)
    part = _input_part(x, weight_ih, bias_ih, bias_hh)
    output = np.empty((part.shape[1], len(part)), x.dtype)
    h = h_0
    for rows, n in recurrent_steps(x.shape[:-1], options):
        a = xp.matmul(weight_hh, h[:n].T)
        a += part[:, rows]
        if tanh:
            np.tanh(a, out=output[rows].T)
        else:
            np.maximum(a, 0, out=output[rows].T)
        h = replace_first(xp, h, output[rows])
    return Recurrent(_result(output, x), h.copy())


def rnn_backward(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    output: Array,
    output_grad: Array,
    h_n_grad: Array,
    nonlinearity: str,
    options: RecurrentOptions,
    needs: tuple[bool, ...] = (True,) * 6,
) -> RecurrentBackward:
    if x.dtype == _HALF:
        return Backend.rnn_backward(
            x, h_0, weight_ih, weight_hh, output, output_grad, h_n_grad, nonlinearity, options, needs
        )
    tanh = is_tanh("rnn_backward", nonlinearity)
    lead, states, arriving = x.shape[:-1], _rows(output), _rows(output_grad)
    grads = np.empty(states.shape[::-1], x.dtype)
    back = np.ascontiguousarray(weight_hh.T)
    d = h_n_grad.T
    for rows, n in reversed(recurrent_steps(lead, options)):
        h, grad = states[rows].T, grads[:, rows]
        if tanh:
            slope = np.multiply(h, h, order="C")
            np.subtract(1, slope, out=slope)
        else:
            slope = np.greater(h, 0, order="C")
        np.multiply(np.add(arriving[rows].T, d[:, :n], order="C"), slope, out=grad)
        d = _replace_first(d, xp.matmul(back, grad))
    before = states_before(xp, lead, options, h_0, states) if needs[3] else None
    x_grad, *of_weights = _input_gradients(x, weight_ih, before, grads, grads, (needs[0], *needs[2:]))
    return RecurrentBackward(x_grad, _transposed(d) if needs[1] else None, *of_weights)


# ---------------------------------------------------------------- lstm


def lstm(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    options: RecurrentOptions,
) -> tuple[Lstm, Array]:
    """What is kept is, for each step in the order of the rows, i, f, o, g and c [5, d_hidden, n]."""
    if x.dtype == _HALF:
        return Backend.lstm(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, options)
    check_arrays("lstm", 4, x, {"h_0": h_0, "c_0": c_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    size = h_0.shape[1]
    # The three gates that are sigmoids stand together.
    weight_ih, weight_hh, bias_ih, bias_hh = (
        None if w is None else np.concatenate([w[: 2 * size] * 0.5, w[3 * size :] * 0.5, w[2 * size : 3 * size]])
        for w in (weight_ih, weight_hh, bias_ih, bias_hh)
    )
    part = _input_part(x, weight_ih, bias_ih, bias_hh)
    rows_in_all = part.shape[1]
    output, kept = np.empty((rows_in_all, size), x.dtype), np.empty(5 * size * rows_in_all, x.dtype)
    h, c = h_0, c_0.T
    for rows, n in recurrent_steps(x.shape[:-1], options):
        i, f, o, g, new_c = block = _block(kept, rows, 5, size)
        a, sigmoids = block[:4].reshape(4 * size, n), block[:3]
        np.add(xp.matmul(weight_hh, h[:n].T), part[:, rows], out=a)
        np.tanh(a, out=a)
        sigmoids *= 0.5
        sigmoids += 0.5
        np.multiply(f, c[:, :n], out=new_c)
        new_c += i * g
        np.multiply(o, np.tanh(new_c), out=output[rows].T)
        h, c = replace_first(xp, h, output[rows]), _replace_first(c, new_c)
    return Lstm(_result(output, x), h.copy(), _transposed(c)), kept


def lstm_backward(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    output: Array,
    kept: Array | None,
    output_grad: Array,
    h_n_grad: Array,
    c_n_grad: Array,
    options: RecurrentOptions,
    needs: tuple[bool, ...] = (True,) * 7,
) -> LstmBackward:
    inputs = x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh
    if x.dtype == _HALF:
        return Backend.lstm_backward(*inputs, output, kept, output_grad, h_n_grad, c_n_grad, options, needs)
    if not _is_ours(kept, x):
        _, kept = lstm(*inputs, options)
    lead, size, arriving = x.shape[:-1], h_0.shape[1], _rows(output_grad)
    grads = np.empty((4 * size, len(arriving)), x.dtype)
    of_i_f, of_g, of_o = grads[: 2 * size].reshape(2, size, -1), grads[2 * size : 3 * size], grads[3 * size :]
    back = np.ascontiguousarray(weight_hh.T)
    d_h, d_c = h_n_grad.T, c_n_grad.T
    steps = recurrent_steps(lead, options)
    for place in reversed(range(len(steps))):
        rows, n = steps[place]
        i, _, o, g, c = block = _block(kept, rows, 5, size)
        f = block[1]
        of_h = np.add(arriving[rows].T, d_h[:, :n], order="C")
        slopes = block[:3] * block[:3]
        np.subtract(block[:3], slopes, out=slopes)
        slopes[0] *= g
        slopes[1] *= _before(c_0.T, _block(kept, steps[place - 1].rows, 5, size)[4] if place else None, n)
        through = np.tanh(c)
        slope = np.multiply(slopes[2], through, out=slopes[2])
        np.multiply(slope, of_h, out=of_o[:, rows])
        through *= through
        np.subtract(1, through, out=through)
        through *= o
        of_c = np.multiply(through, of_h, out=through)
        of_c += d_c[:, :n]
        np.multiply(slopes[:2], of_c, out=of_i_f[:, :, rows])
        slope = np.multiply(g, g, out=slope)
        np.subtract(1, slope, out=slope)
        slope *= i
        np.multiply(slope, of_c, out=of_g[:, rows])
        of_c *= f
        d_c = _replace_first(d_c, of_c)
        d_h = _replace_first(d_h, xp.matmul(back, grads[:, rows]))
    before = states_before(xp, lead, options, h_0, _rows(output)) if needs[4] else None
    x_grad, *of_weights = _input_gradients(x, weight_ih, before, grads, grads, (needs[0], *needs[3:]))
    return LstmBackward(
        x_grad, _transposed(d_h) if needs[1] else None, _transposed(d_c) if needs[2] else None, *of_weights
    )


# ---------------------------------------------------------------- gru


def gru(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    options: RecurrentOptions,
) -> tuple[Recurrent, Array]:
    """What is kept is, for each step in the order of the rows, r, z, n and W_hn h + b_hn [4, d_hidden, n]."""
    if x.dtype == _HALF:
        return Backend.gru(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, options)
    check_arrays("gru", 3, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    size = h_0.shape[1]
    weight_ih, weight_hh, bias_ih, bias_hh = (
        None if w is None else np.concatenate([w[: 2 * size] * 0.5, w[2 * size :]])
        for w in (weight_ih, weight_hh, bias_ih, bias_hh)
    )
    # That of n in the part of the state is multiplied with r too.
    bias = None if bias_hh is None else bias_hh[2 * size :, None].copy()
    if bias_hh is not None:
        bias_hh[2 * size :] = 0
    part = _input_part(x, weight_ih, bias_ih, bias_hh)
    rows_in_all = part.shape[1]
    output, kept = np.empty((rows_in_all, size), x.dtype), np.empty(4 * size * rows_in_all, x.dtype)
    h = h_0
    for rows, n in recurrent_steps(x.shape[:-1], options):
        r, z, new, hidden = block = _block(kept, rows, 4, size)
        sigmoids = block[:2].reshape(2 * size, n)
        from_h = xp.matmul(weight_hh, h[:n].T)
        np.add(from_h[: 2 * size], part[: 2 * size, rows], out=sigmoids)
        np.tanh(sigmoids, out=sigmoids)
        sigmoids *= 0.5
        sigmoids += 0.5
        if bias is None:
            hidden[...] = from_h[2 * size :]
        else:
            np.add(from_h[2 * size :], bias, out=hidden)
        np.multiply(r, hidden, out=new)
        new += part[2 * size :, rows]
        np.tanh(new, out=new)
        step = np.subtract(h[:n].T, new, order="C")
        step *= z
        np.add(new, step, out=output[rows].T)
        h = replace_first(xp, h, output[rows])
    return Recurrent(_result(output, x), h.copy()), kept


def gru_backward(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    output: Array,
    kept: Array | None,
    output_grad: Array,
    h_n_grad: Array,
    options: RecurrentOptions,
    needs: tuple[bool, ...] = (True,) * 6,
) -> RecurrentBackward:
    inputs = x, h_0, weight_ih, weight_hh, bias_ih, bias_hh
    if x.dtype == _HALF:
        return Backend.gru_backward(*inputs, output, kept, output_grad, h_n_grad, options, needs)
    if not _is_ours(kept, x):
        _, kept = gru(*inputs, options)
    lead, size, arriving = x.shape[:-1], h_0.shape[1], _rows(output_grad)
    before = states_before(xp, lead, options, h_0, _rows(output))
    # Of n in the part of the input, of r, of z, and of n in the part of the state: three for either weight.
    grads = np.empty((4 * size, len(arriving)), x.dtype)
    of_n, of_r, of_z, of_hidden = grads.reshape(4, size, -1)
    of_x, of_state = grads[: 3 * size], grads[size:]
    back = np.ascontiguousarray(weight_hh.T)
    d = h_n_grad.T
    for rows, n in reversed(recurrent_steps(lead, options)):
        r, z, new, hidden = _block(kept, rows, 4, size)
        of_h = np.add(arriving[rows].T, d[:, :n], order="C")
        rest = 1 - z
        grad = new * new
        np.subtract(1, grad, out=grad)
        grad *= rest
        grad *= of_h
        of_n[:, rows] = grad
        rest *= z
        rest *= of_h
        np.multiply(rest, np.subtract(before[rows].T, new, order="C"), out=of_z[:, rows])
        grad *= r
        of_hidden[:, rows] = grad
        grad *= hidden
        np.multiply(grad, np.subtract(1, r, out=rest), out=of_r[:, rows])
        of_h *= z
        of_h += xp.matmul(back, of_state[:, rows])
        d = _replace_first(d, of_h)
    x_grad, of_ih, of_hh, *of_biases = _input_gradients(
        x, np.roll(weight_ih, size, 0), before, of_x, of_state, (needs[0], *needs[2:])
    )
    of_ih, of_bias_ih = (None if g is None else np.roll(g, -size, 0) for g in (of_ih, of_biases[0]))
    return RecurrentBackward(x_grad, _transposed(d) if needs[1] else None, of_ih, of_hh, of_bias_ih, of_biases[1])


# ---------------------------------------------------------------- what they share


def _input_part(x: Array, weight_ih: Array, bias_ih: Array | None, bias_hh: Array | None) -> Array:
    """What the gates of all steps get from x and the biases: a new array [gates d_hidden, rows]."""
    *lead, d = x.shape
    # The biases are the weights of one more feature, which is always 1.
    rows, weight = np.empty((prod(lead), d + 1), x.dtype), np.zeros((len(weight_ih), d + 1), x.dtype)
    rows[:, :d], rows[:, d], weight[:, :d] = x.reshape(-1, d) if d else 0, 1, weight_ih
    for bias in (bias_ih, bias_hh):
        if bias is not None:
            weight[:, d] += bias
    return xp.matmul(weight, rows.T)


def _rows(x: Array) -> Array:
    """x [..., d] as [rows, d]"""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _result(rows: Array, x: Array) -> Array:
    """The rows of the output in the shape that goes with x."""
    return rows.reshape(*x.shape[:-1], rows.shape[1])


def _block(kept: Array, rows: slice, count: int, size: int) -> Array:
    """What was kept of the step whose rows these are: [count, d_hidden, n]"""
    height = count * size
    return kept[height * rows.start : height * rows.stop].reshape(count, size, rows.stop - rows.start)


def _is_ours(kept: Array | None, x: Array) -> bool:
    """Whether one of these kernels kept it: a workspace of oneDNN's, nobody else can read."""
    return kept is not None and kept.dtype == x.dtype and kept.ndim == 1


def _replace_first(state: Array, new: Array) -> Array:
    """`state` [d, N] with its first columns replaced by `new`: those of the sequences that have this step."""
    count = new.shape[1]
    return new if count == state.shape[1] else np.concatenate([new, state[:, count:]], axis=1)


def _before(initial: Array, earlier: Array | None, n: int) -> Array:
    """The state [d, n] before a step, from that before the first step and that after the one before it."""
    if earlier is None:
        return initial[:, :n]
    known = earlier.shape[1]
    return earlier[:, :n] if n <= known else np.concatenate([earlier, initial[:, known:n]], axis=1)


def _transposed(state: Array) -> Array:
    """[d, N] -> [N, d], a copy"""
    return state.T.copy()


def _input_gradients(
    x: Array, weight_ih: Array, before: Array | None, of_x: Array, of_state: Array, needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    """As `input_gradients`, of gradients [gates d_hidden, rows]; of biases by products with 1, the quicker sums."""
    found = input_gradients(xp, x, weight_ih, before, of_x.T, of_state.T, (*needs[:3], False, False))
    ones = np.ones(of_x.shape[1], x.dtype)
    biases = [xp.matmul(grads, ones) if needed else None for grads, needed in ((of_x, needs[3]), (of_state, needs[4]))]
    return (*found[:3], *biases)
