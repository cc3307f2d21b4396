"""LSTM and GRU without temporaries: most of their time goes into many operations on small arrays.

sigmoid(a) is (1 + tanh(a / 2)) / 2. The halves go into the weights, where they are exact, so that one tanh serves the
gates of both kinds.
"""

from __future__ import annotations

import numpy as np

from ..array_types import Array
from ..base import Backend
from ..module_ops.recurrent import check_arrays, input_gradients, replace_first, states_before
from ..options import RecurrentOptions
from ..results import Lstm, LstmBackward, Recurrent, RecurrentBackward
from ..steps import recurrent_steps
from . import namespace as xp

__all__ = ["gru", "gru_backward", "lstm", "lstm_backward"]

_HALF = np.dtype(np.float16)


def lstm(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    options: RecurrentOptions,
) -> tuple[Lstm, Array, Array]:
    check_arrays("lstm", 4, x, {"h_0": h_0, "c_0": c_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    if x.dtype == _HALF:
        return Backend.lstm(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, options)
    size = h_0.shape[1]
    scale, shift = np.full((4, 1, 1), 0.5, x.dtype), np.full((4, 1, 1), 0.5, x.dtype)
    scale[2], shift[2] = 1.0, 0.0
    of_rows = np.repeat(scale.reshape(4), size)
    # Gate after gate, [4, rows, d_hidden], so that what is done with one of them runs through memory in order.
    gates = _by_gate(_input_part(x, weight_ih, of_rows, bias_ih, bias_hh))
    recurrent = np.ascontiguousarray((weight_hh * of_rows[:, None]).T)  # a third faster to multiply with
    rows_in_all = gates.shape[1]
    output, cells = np.empty((rows_in_all, size), x.dtype), np.empty((rows_in_all, size), x.dtype)
    part = np.empty((len(h_0), size), x.dtype)
    h, c = h_0, c_0
    for rows, n in recurrent_steps(x.shape[:-1], options):
        a, new_c, new_h = gates[:, rows], cells[rows], output[rows]
        a += xp.matmul(h[:n], recurrent).reshape(n, 4, size).swapaxes(0, 1)
        np.tanh(a, out=a)
        a *= scale
        a += shift
        np.multiply(a[1], c[:n], out=new_c)
        new_c += np.multiply(a[0], a[2], out=part[:n])
        np.tanh(new_c, out=part[:n])
        np.multiply(a[3], part[:n], out=new_h)
        h, c = replace_first(xp, h, new_h), replace_first(xp, c, new_c)
    by_row = gates.swapaxes(0, 1).reshape(rows_in_all, 4 * size)
    return Lstm(output.reshape(*x.shape[:-1], size), h.copy(), c.copy()), cells, by_row


def lstm_backward(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    output: Array,
    cells: Array,
    gates: Array,
    output_grad: Array,
    h_n_grad: Array,
    c_n_grad: Array,
    options: RecurrentOptions,
    needs: tuple[bool, ...] = (True,) * 7,
) -> LstmBackward:
    if x.dtype == _HALF:
        return Backend.lstm_backward(
            *(x, h_0, c_0, weight_ih, weight_hh, output, cells, gates, output_grad, h_n_grad, c_n_grad), options, needs
        )
    lead, size = x.shape[:-1], h_0.shape[1]
    grads = np.empty_like(gates)
    # Gate after gate, as in the forward.
    i, f, g, o = gates = _by_gate(gates)
    tanh_c = np.tanh(cells)
    slopes = gates * gates
    of_i, of_f, of_g, of_o = np.subtract(gates, slopes, out=slopes)
    of_i *= g
    of_f *= states_before(xp, lead, options, c_0, cells)
    np.multiply(g, g, out=of_g)
    np.subtract(1.0, of_g, out=of_g)
    of_g *= i
    of_o *= tanh_c
    through_h = np.multiply(tanh_c, tanh_c, out=tanh_c)
    np.subtract(1.0, through_h, out=through_h)
    through_h *= o
    by_row = slopes.swapaxes(0, 1)
    arriving = output_grad.reshape(cells.shape)
    d_h, d_c = h_n_grad, c_n_grad
    for rows, n in reversed(recurrent_steps(lead, options)):
        grad = grads[rows]
        of_h = arriving[rows] + d_h[:n]
        of_c = of_h * through_h[rows]
        of_c += d_c[:n]
        by_gate = grad.reshape(n, 4, size)
        np.multiply(by_row[rows, :3], of_c[:, None], out=by_gate[:, :3])
        np.multiply(of_o[rows], of_h, out=by_gate[:, 3])
        d_h = replace_first(xp, d_h, xp.matmul(grad, weight_hh))
        of_c *= f[rows]
        d_c = replace_first(xp, d_c, of_c)
    before = states_before(xp, lead, options, h_0, output.reshape(cells.shape)) if needs[4] else None
    x_grad, *of_weights = input_gradients(xp, x, weight_ih, before, grads, grads, (needs[0], *needs[3:]))
    return LstmBackward(x_grad, d_h if needs[1] else None, d_c if needs[2] else None, *of_weights)


def gru(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    options: RecurrentOptions,
) -> tuple[Recurrent, Array, Array]:
    check_arrays("gru", 3, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    if x.dtype == _HALF:
        return Backend.gru(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, options)
    size = h_0.shape[1]
    scale = np.full(3 * size, 0.5, x.dtype)
    scale[2 * size :] = 1.0
    gates = _input_part(x, weight_ih, scale, bias_ih)
    recurrent = np.ascontiguousarray((weight_hh * scale[:, None]).T)  # a third faster to multiply with
    bias = None if bias_hh is None else bias_hh * scale
    rows_in_all = len(gates)
    output, hidden = np.empty((rows_in_all, size), x.dtype), np.empty((rows_in_all, size), x.dtype)
    part = np.empty((len(h_0), size), x.dtype)
    h = h_0
    for rows, n in recurrent_steps(x.shape[:-1], options):
        from_h = xp.matmul(h[:n], recurrent)
        if bias is not None:
            from_h += bias
        a, new_h = gates[rows], output[rows]
        r_z, a_n, of_n = a[:, : 2 * size], a[:, 2 * size :], hidden[rows]
        of_n[...] = from_h[:, 2 * size :]
        r_z += from_h[:, : 2 * size]
        np.tanh(r_z, out=r_z)
        r_z *= 0.5
        r_z += 0.5
        a_n += np.multiply(a[:, :size], of_n, out=part[:n])
        np.tanh(a_n, out=a_n)
        np.subtract(h[:n], a_n, out=new_h)
        new_h *= a[:, size : 2 * size]
        new_h += a_n
        h = replace_first(xp, h, new_h)
    return Recurrent(output.reshape(*x.shape[:-1], size), h.copy()), gates, hidden


def gru_backward(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    output: Array,
    gates: Array,
    hidden: Array,
    output_grad: Array,
    h_n_grad: Array,
    options: RecurrentOptions,
    needs: tuple[bool, ...] = (True,) * 6,
) -> RecurrentBackward:
    if x.dtype == _HALF:
        return Backend.gru_backward(
            *(x, h_0, weight_ih, weight_hh, output, gates, hidden, output_grad, h_n_grad), options, needs
        )
    lead, size = x.shape[:-1], h_0.shape[1]
    r, z, n_gate = (gates[:, k * size : (k + 1) * size] for k in range(3))
    before = states_before(xp, lead, options, h_0, output.reshape(hidden.shape))
    # In the order of the default: of n in the part of the input, of r, of z, of n in the part of the state.
    grads = np.empty((len(gates), 4 * size), x.dtype)
    of_n, of_r, of_z, of_hidden = (grads[:, k * size : (k + 1) * size] for k in range(4))
    np.multiply(n_gate, n_gate, out=of_n)
    np.subtract(1.0, of_n, out=of_n)
    np.subtract(1.0, z, out=of_z)
    of_n *= of_z
    of_z *= z
    of_z *= before - n_gate
    np.multiply(of_n, r, out=of_hidden)
    np.subtract(1.0, r, out=of_r)
    of_r *= of_hidden
    of_r *= hidden
    arriving = output_grad.reshape(hidden.shape)
    d = h_n_grad
    for rows, n in reversed(recurrent_steps(lead, options)):
        grad = grads[rows]
        of_h = arriving[rows] + d[:n]
        by_gate = grad.reshape(n, 4, size)
        by_gate *= of_h[:, None]
        of_h *= z[rows]
        of_h += xp.matmul(grad[:, size:], weight_hh)
        d = replace_first(xp, d, of_h)
    of_x = np.concatenate([grads[:, size : 3 * size], of_n], axis=1)
    x_grad, *of_weights = input_gradients(xp, x, weight_ih, before, of_x, grads[:, size:], (needs[0], *needs[2:]))
    return RecurrentBackward(x_grad, d if needs[1] else None, *of_weights)


def _input_part(x: Array, weight_ih: Array, scale: Array, *biases: Array | None) -> Array:
    """What the gates of all steps get from x and the biases, times `scale`: a new array [rows, gates d_hidden]."""
    rows = x.reshape(int(np.prod(x.shape[:-1])), x.shape[-1])
    part = xp.matmul(rows, (weight_ih * scale[:, None]).T)
    for bias in biases:
        if bias is not None:
            part += bias * scale
    return part


def _by_gate(gates: Array) -> Array:
    """gates [rows, 4 d_hidden] -> [4, rows, d_hidden], a copy"""
    return np.ascontiguousarray(gates.reshape(len(gates), 4, gates.shape[1] // 4).swapaxes(0, 1))
