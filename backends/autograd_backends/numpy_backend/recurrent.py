"""Recurrent networks without temporaries: most of their time goes into many operations on small arrays.

Within a step each gate is one piece of memory, [gates, n, d_hidden], which a product of its own makes. These products,
and those of the way back in blocks of columns, are of a size that OpenBLAS multiplies without packing, on one thread:
to wake another at every step would cost more than it saves.

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

#: Up to how many multiplications OpenBLAS does a product without packing.
SMALL = 10**6

#: Blocks of columns are not narrower.
NARROW = 32

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
    # The states take the place of what they are made from.
    output = _input_part(x, weight_ih, bias_ih, bias_hh)
    recurrent = _blocks(weight_hh.T, len(h_0))
    h = h_0
    for rows, n in recurrent_steps(x.shape[:-1], options):
        new = output[rows]
        new += _product(h[:n], recurrent)
        if tanh:
            np.tanh(new, out=new)
        else:
            np.maximum(new, 0, out=new)
        h = replace_first(xp, h, new)
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
    grads = np.empty(states.shape, x.dtype)
    back = _blocks(weight_hh, len(h_0))
    d = h_n_grad
    for rows, n in reversed(recurrent_steps(lead, options)):
        h, grad = states[rows], grads[rows]
        if tanh:
            np.multiply(h, h, out=grad)
            np.subtract(1, grad, out=grad)
        else:
            np.greater(h, 0, out=grad)
        grad *= arriving[rows] + d[:n]
        d = replace_first(xp, d, _product(grad, back))
    before = states_before(xp, lead, options, h_0, states) if needs[3] else None
    x_grad, *of_weights = _input_gradients(x, weight_ih, before, grads, grads, (needs[0], *needs[2:]))
    return RecurrentBackward(x_grad, d.copy() if needs[1] else None, *of_weights)


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
    """What is kept is, for each step in the order of the rows, i, f, o, g and c [5, n, d_hidden]."""
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
    recurrent = _by_gate(weight_hh)
    output, kept = np.empty((len(part), size), x.dtype), np.empty(5 * size * len(part), x.dtype)
    h, c = h_0, c_0
    for rows, n in recurrent_steps(x.shape[:-1], options):
        block = _block(kept, rows, 5, size)
        a, sigmoids, (i, f, o, g, new_c), new_h = block[:4], block[:3], block, output[rows]
        np.add(xp.matmul(h[:n], recurrent), _gates(part, rows, 4), out=a)
        np.tanh(a, out=a)
        sigmoids *= 0.5
        sigmoids += 0.5
        np.multiply(f, c[:n], out=new_c)
        new_c += np.multiply(i, g, out=new_h)
        np.tanh(new_c, out=new_h)
        new_h *= o
        h, c = replace_first(xp, h, new_h), replace_first(xp, c, new_c)
    return Lstm(_result(output, x), h.copy(), c.copy()), kept


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
    kept = kept if _is_ours(kept, x) else lstm(*inputs, options)[1]
    lead, size, arriving = x.shape[:-1], h_0.shape[1], _rows(output_grad)
    grads = np.empty((len(arriving), 4 * size), x.dtype)
    back = _blocks(weight_hh, len(h_0))
    d_h, d_c = h_n_grad, c_n_grad
    steps = recurrent_steps(lead, options)
    for place in reversed(range(len(steps))):
        rows, n = steps[place]
        block = _block(kept, rows, 5, size)
        earlier = _block(kept, steps[place - 1].rows, 5, size)[4] if place else c_0
        sigmoids, (i, f, o, g, c) = block[:3], block
        of_i_f, (_, _, of_g, of_o) = _gates(grads, rows, 4)[:2], _gates(grads, rows, 4)
        of_h = arriving[rows] + d_h[:n]
        slopes = sigmoids * sigmoids
        np.subtract(sigmoids, slopes, out=slopes)
        slopes[0] *= g
        slopes[1] *= _before(c_0, earlier, n)
        through = np.tanh(c)
        slopes[2] *= through
        np.multiply(slopes[2], of_h, out=of_o)
        through *= through
        np.subtract(1, through, out=through)
        through *= o
        of_c = np.multiply(through, of_h, out=of_h)
        of_c += d_c[:n]
        np.multiply(slopes[:2], of_c, out=of_i_f)
        slope = np.multiply(g, g, out=through)
        np.subtract(1, slope, out=slope)
        slope *= i
        np.multiply(slope, of_c, out=of_g)
        of_c *= f
        d_c = replace_first(xp, d_c, of_c)
        d_h = replace_first(xp, d_h, _product(grads[rows], back))
    before = states_before(xp, lead, options, h_0, _rows(output)) if needs[4] else None
    x_grad, *of_weights = _input_gradients(x, weight_ih, before, grads, grads, (needs[0], *needs[3:]))
    return LstmBackward(x_grad, d_h.copy() if needs[1] else None, d_c.copy() if needs[2] else None, *of_weights)


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
    """What is kept is, for each step in the order of the rows, r, z, n and W_hn h + b_hn [4, n, d_hidden]."""
    if x.dtype == _HALF:
        return Backend.gru(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, options)
    check_arrays("gru", 3, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    size = h_0.shape[1]
    weight_ih, weight_hh, bias_ih, bias_hh = (
        None if w is None else np.concatenate([w[: 2 * size] * 0.5, w[2 * size :]])
        for w in (weight_ih, weight_hh, bias_ih, bias_hh)
    )
    # That of n in the part of the state is multiplied with r too.
    bias = np.zeros(size, x.dtype) if bias_hh is None else bias_hh[2 * size :].copy()
    if bias_hh is not None:
        bias_hh[2 * size :] = 0
    part = _input_part(x, weight_ih, bias_ih, bias_hh)
    recurrent = _by_gate(weight_hh)
    output, kept = np.empty((len(part), size), x.dtype), np.empty(4 * size * len(part), x.dtype)
    h = h_0
    for rows, n in recurrent_steps(x.shape[:-1], options):
        block = _block(kept, rows, 4, size)
        sigmoids, (r, z, new, hidden), new_h = block[:2], block, output[rows]
        from_h, from_x = xp.matmul(h[:n], recurrent), _gates(part, rows, 3)
        np.add(from_h[:2], from_x[:2], out=sigmoids)
        np.tanh(sigmoids, out=sigmoids)
        sigmoids *= 0.5
        sigmoids += 0.5
        np.add(from_h[2], bias, out=hidden)
        np.multiply(r, hidden, out=new)
        new += from_x[2]
        np.tanh(new, out=new)
        np.subtract(h[:n], new, out=new_h)
        new_h *= z
        new_h += new
        h = replace_first(xp, h, new_h)
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
    kept = kept if _is_ours(kept, x) else gru(*inputs, options)[1]
    lead, size, arriving = x.shape[:-1], h_0.shape[1], _rows(output_grad)
    before = states_before(xp, lead, options, h_0, _rows(output))
    # Of n in the part of the input, of r, of z, and of n in the part of the state: three for either weight.
    grads = np.empty((len(arriving), 4 * size), x.dtype)
    of_x, of_state = grads[:, : 3 * size], grads[:, size:]
    back = _blocks(weight_hh, len(h_0))
    d = h_n_grad
    for rows, n in reversed(recurrent_steps(lead, options)):
        r, z, new, hidden = _block(kept, rows, 4, size)
        of_n, of_r, of_z, of_hidden = _gates(grads, rows, 4)
        of_h = arriving[rows] + d[:n]
        rest = 1 - z
        slope = new * new
        np.subtract(1, slope, out=slope)
        slope *= rest
        np.multiply(slope, of_h, out=of_n)
        np.multiply(of_n, r, out=of_hidden)
        rest *= z
        rest *= of_h
        np.multiply(np.subtract(before[rows], new, out=slope), rest, out=of_z)
        np.subtract(1, r, out=rest)
        rest *= hidden
        np.multiply(rest, of_hidden, out=of_r)
        of_h *= z
        of_h += _product(of_state[rows], back)
        d = replace_first(xp, d, of_h)
    # The gradient of n comes first: so does its part of the weight, and of what is made of it.
    x_grad, of_ih, of_hh, of_bias_ih, of_bias_hh = _input_gradients(
        x, np.roll(weight_ih, size, 0), before, of_x, of_state, (needs[0], *needs[2:])
    )
    of_ih, of_bias_ih = (None if g is None else np.roll(g, -size, 0) for g in (of_ih, of_bias_ih))
    return RecurrentBackward(x_grad, d.copy() if needs[1] else None, of_ih, of_hh, of_bias_ih, of_bias_hh)


# ---------------------------------------------------------------- products


def _input_part(x: Array, weight_ih: Array, bias_ih: Array | None, bias_hh: Array | None) -> Array:
    """What the gates of all steps get from x and the biases: a new array [rows, gates d_hidden]."""
    *lead, d = x.shape
    # The biases are the weights of one more feature, which is always 1.
    rows, weight = np.empty((prod(lead), d + 1), x.dtype), np.zeros((d + 1, len(weight_ih)), x.dtype)
    rows[:, :d], rows[:, d], weight[:d] = _rows(x), 1, weight_ih.T
    for bias in (bias_ih, bias_hh):
        if bias is not None:
            weight[d] += bias
    return xp.matmul(rows, weight)


def _by_gate(weight: Array) -> Array:
    """weight [gates d_hidden, d] as [gates, d, d_hidden], a copy"""
    size = weight.shape[1]
    return np.ascontiguousarray(weight.reshape(-1, size, size).swapaxes(1, 2))


def _blocks(weight: Array, n: int) -> Array:
    """The columns of weight [k, m] as [blocks, k, m / blocks], a copy: blocks that are small products with n rows."""
    k, m = weight.shape
    width = m
    while n * k * width > SMALL and width % 2 == 0:
        width //= 2
    if width < NARROW:
        width = m
    return np.ascontiguousarray(weight.reshape(k, m // width, width).swapaxes(0, 1))


def _product(x: Array, blocks: Array) -> Array:
    """x [n, k] times a weight in blocks -> [n, m]"""
    if len(x) * blocks[0].size > SMALL:
        return xp.matmul(x, blocks[0])
    count, _, width = blocks.shape
    out = np.empty((len(x), count * width), x.dtype)
    np.matmul(x, blocks, out=out.reshape(len(x), count, width).swapaxes(0, 1))
    return out


def _input_gradients(
    x: Array, weight_ih: Array, before: Array | None, of_x: Array, of_state: Array, needs: tuple[bool, ...]
) -> tuple[Array | None, ...]:
    """As `input_gradients`; but those of biases are products with 1, which are quicker sums."""
    found = input_gradients(xp, x, weight_ih, before, of_x, of_state, (*needs[:3], False, False))
    ones = np.ones(len(of_x), x.dtype)
    biases = [xp.matmul(ones, grads) if needed else None for grads, needed in ((of_x, needs[3]), (of_state, needs[4]))]
    return (*found[:3], *biases)


# ---------------------------------------------------------------- where things are


def _rows(x: Array) -> Array:
    """x [..., d] as [rows, d]"""
    return x.reshape(prod(x.shape[:-1]), x.shape[-1])


def _result(rows: Array, x: Array) -> Array:
    """The rows of the output in the shape that goes with x."""
    return rows.reshape(*x.shape[:-1], rows.shape[1])


def _gates(array: Array, rows: slice, count: int) -> Array:
    """Rows of an array [rows, count d_hidden] as [count, n, d_hidden]"""
    part = array[rows]
    return part.reshape(len(part), count, part.shape[1] // count).swapaxes(0, 1)


def _block(kept: Array, rows: slice, count: int, size: int) -> Array:
    """What was kept of the step whose rows these are: [count, n, d_hidden]"""
    height = count * size
    return kept[height * rows.start : height * rows.stop].reshape(count, rows.stop - rows.start, size)


def _is_ours(kept: Array | None, x: Array) -> bool:
    """Whether one of these kernels kept it: a workspace of oneDNN's nobody else can read."""
    return kept is not None and kept.dtype == x.dtype


def _before(initial: Array, earlier: Array, n: int) -> Array:
    """The state of n sequences before a step, from that before the first step and that after the step before."""
    known = len(earlier)
    return earlier[:n] if n <= known else np.concatenate([earlier, initial[known:n]])
