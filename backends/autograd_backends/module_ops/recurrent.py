"""Recurrent networks: one layer in one direction, forward and back through time.

    rnn    h' = tanh(a), or max(a, 0), with a = W_ih x + b_ih + W_hh h + b_hh           (Elman, 1990)
    lstm   i, f, o = sigmoid(a_i), sigmoid(a_f), sigmoid(a_o), g = tanh(a_g)
           c' = f c + i g, h' = o tanh(c')                    (Hochreiter and Schmidhuber, 1997; Gers and others, 2000)
    gru    r, z = sigmoid(a_r), sigmoid(a_z), n = tanh(W_in x + b_in + r (W_hn h + b_hn))
           h' = (1 - z) n + z h                               (Cho and others, 2014, with the reset after the product)

The rows of the weights are in the order of the gates: i, f, g, o and r, z, n. The part of the input is one product
over all steps, and so are the gradients of the weights; only what passes from step to step is computed step by step.
Going back, all that depends on the forward alone, the slopes, is computed before the loop for all steps at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..array_types import Array, Namespace, Shape
from ..lookup import namespace
from ..options import RecurrentOptions
from ..results import Lstm, LstmBackward, Recurrent, RecurrentBackward
from ..shapes import check_recurrent
from ..steps import recurrent_steps, state_before
from .precision import cast, widened

__all__ = [
    "gru",
    "gru_backward",
    "lstm",
    "lstm_backward",
    "rnn",
    "rnn_backward",
]


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
    """x [T, N, d_input], h_0 [N, d_hidden] -> output [T, N, d_hidden], h_n [N, d_hidden]"""
    check_arrays("rnn", 1, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    xp = namespace(x)
    tanh = is_tanh("rnn", nonlinearity)
    states = _input_part(xp, x, weight_ih, bias_ih, bias_hh)
    recurrent = xp.matrix_transpose(widened(xp, weight_hh))
    h = widened(xp, h_0)
    for rows, n_going in recurrent_steps(x.shape[:-1], options):
        a = states[rows, ...] + xp.matmul(h[:n_going, ...], recurrent)
        new = xp.tanh(a) if tanh else xp.maximum(a, xp.zeros_like(a))
        states[rows, ...] = new
        h = replace_first(xp, h, new)
    return Recurrent(_result(xp, states, x, h_0), cast(xp, h, x.dtype))


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
    """The gradients of ``rnn``, from its output; `needs` says which, in the order of the result."""
    xp = namespace(x)
    steps = recurrent_steps(x.shape[:-1], options)
    states = _rows(xp, output)
    tanh = is_tanh("rnn_backward", nonlinearity)
    slopes = 1.0 - states * states if tanh else xp.astype(states > 0, states.dtype)
    recurrent = widened(xp, weight_hh)
    arriving, d = _rows(xp, output_grad), widened(xp, h_n_grad)
    grads = xp.empty_like(slopes)
    for rows, n_going in reversed(steps):
        grad = (arriving[rows, ...] + d[:n_going, ...]) * slopes[rows, ...]
        grads[rows, ...] = grad
        d = replace_first(xp, d, xp.matmul(grad, recurrent))
    before = states_before(xp, x.shape[:-1], options, widened(xp, h_0), states) if needs[3] else None
    x_grad, *of_weights = input_gradients(xp, x, weight_ih, before, grads, grads, (needs[0], *needs[2:]))
    return RecurrentBackward(x_grad, cast(xp, d, x.dtype) if needs[1] else None, *of_weights)


def is_tanh(op_name: str, nonlinearity: str) -> bool:
    """Whether it is tanh, and not relu.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"{op_name}: nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}")
    return nonlinearity == "tanh"


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
    """x [T, N, d_input], h_0 and c_0 [N, d_hidden] -> output [T, N, d_hidden], h_n and c_n [N, d_hidden]

    Returns
    -------
    Lstm
    kept
        For the backward, in whatever form a backend likes: here i, f, g, o and c of each step, [T N, 5 d_hidden].
    """
    check_arrays("lstm", 4, x, {"h_0": h_0, "c_0": c_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    xp = namespace(x)
    size = h_0.shape[1]
    part = _input_part(xp, x, weight_ih, bias_ih, bias_hh)
    recurrent = xp.matrix_transpose(widened(xp, weight_hh))
    h, c = widened(xp, h_0), widened(xp, c_0)
    output, kept = (xp.empty((part.shape[0], n * size), dtype=part.dtype, device=x.device) for n in (1, 5))
    for rows, n_going in recurrent_steps(x.shape[:-1], options):
        a = part[rows, ...] + xp.matmul(h[:n_going, ...], recurrent)
        i_f, g, o = _sigmoid(xp, a[:, : 2 * size]), xp.tanh(a[:, 2 * size : 3 * size]), _sigmoid(xp, a[:, 3 * size :])
        new_c = i_f[:, size:] * c[:n_going, ...] + i_f[:, :size] * g
        new_h = o * xp.tanh(new_c)
        kept[rows, ...] = xp.concat([i_f, g, o, new_c], axis=1)
        output[rows, ...] = new_h
        h, c = replace_first(xp, h, new_h), replace_first(xp, c, new_c)
    return Lstm(_result(xp, output, x, h_0), cast(xp, h, x.dtype), cast(xp, c, x.dtype)), kept


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
    """The gradients of ``lstm``, from what it gave; `needs` says which, in the order of the result.

    Without `kept` the steps are taken again.
    """
    xp = namespace(x)
    steps = recurrent_steps(x.shape[:-1], options)
    if kept is None:
        kept = lstm(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, options)[1]
    i, f, g, o, cells = _parts(kept, 5)
    tanh_c = xp.tanh(cells)
    c_before = states_before(xp, x.shape[:-1], options, widened(xp, c_0), cells)
    through_h = o * (1.0 - tanh_c * tanh_c)
    slopes = xp.concat(
        [g * (i * (1.0 - i)), c_before * (f * (1.0 - f)), i * (1.0 - g * g), tanh_c * (o * (1.0 - o))], axis=1
    )
    recurrent = widened(xp, weight_hh)
    arriving = _rows(xp, output_grad)
    d_h, d_c = widened(xp, h_n_grad), widened(xp, c_n_grad)
    grads = xp.empty_like(slopes)
    for rows, n_going in reversed(steps):
        of_h = arriving[rows, ...] + d_h[:n_going, ...]
        of_c = d_c[:n_going, ...] + of_h * through_h[rows, ...]
        grad = slopes[rows, ...] * xp.concat([of_c, of_c, of_c, of_h], axis=1)
        grads[rows, ...] = grad
        d_h = replace_first(xp, d_h, xp.matmul(grad, recurrent))
        d_c = replace_first(xp, d_c, of_c * f[rows, ...])
    before = states_before(xp, x.shape[:-1], options, widened(xp, h_0), _rows(xp, output)) if needs[4] else None
    x_grad, *of_weights = input_gradients(xp, x, weight_ih, before, grads, grads, (needs[0], *needs[3:]))
    return LstmBackward(
        x_grad,
        cast(xp, d_h, x.dtype) if needs[1] else None,
        cast(xp, d_c, x.dtype) if needs[2] else None,
        *of_weights,
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
    """x [T, N, d_input], h_0 [N, d_hidden] -> output [T, N, d_hidden], h_n [N, d_hidden]

    Returns
    -------
    Recurrent
    kept
        For the backward, in whatever form a backend likes: here r, z, n and W_hn h + b_hn of each step,
        [T N, 4 d_hidden].
    """
    check_arrays("gru", 3, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    xp = namespace(x)
    size = h_0.shape[1]
    part = _input_part(xp, x, weight_ih, bias_ih)
    recurrent = xp.matrix_transpose(widened(xp, weight_hh))
    bias = None if bias_hh is None else widened(xp, bias_hh)
    h = widened(xp, h_0)
    output, kept = (xp.empty((part.shape[0], n * size), dtype=part.dtype, device=x.device) for n in (1, 4))
    for rows, n_going in recurrent_steps(x.shape[:-1], options):
        from_x, from_h = part[rows, ...], xp.matmul(h[:n_going, ...], recurrent)
        if bias is not None:
            from_h += bias
        r_z = _sigmoid(xp, from_x[:, : 2 * size] + from_h[:, : 2 * size])
        n = xp.tanh(from_x[:, 2 * size :] + r_z[:, :size] * from_h[:, 2 * size :])
        new = n + r_z[:, size:] * (h[:n_going, ...] - n)
        kept[rows, ...] = xp.concat([r_z, n, from_h[:, 2 * size :]], axis=1)
        output[rows, ...] = new
        h = replace_first(xp, h, new)
    return Recurrent(_result(xp, output, x, h_0), cast(xp, h, x.dtype)), kept


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
    """The gradients of ``gru``, from what it gave; `needs` says which, in the order of the result.

    Without `kept` the steps are taken again.
    """
    xp = namespace(x)
    size = h_0.shape[1]
    steps = recurrent_steps(x.shape[:-1], options)
    if kept is None:
        kept = gru(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, options)[1]
    r, z, n, hidden = _parts(kept, 4)
    before = states_before(xp, x.shape[:-1], options, widened(xp, h_0), _rows(xp, output))
    of_n = (1.0 - z) * (1.0 - n * n)
    # The gate n has a slope for its part of the input, in front, and another for that of the state, at the end: so
    # the last three are in the order of weight_hh.
    of_r = of_n * hidden * (r * (1.0 - r))
    slopes = xp.concat([of_n, of_r, (before - n) * (z * (1.0 - z)), of_n * r], axis=1)
    recurrent = widened(xp, weight_hh)
    arriving, d = _rows(xp, output_grad), widened(xp, h_n_grad)
    grads = xp.empty_like(slopes)
    for rows, n_going in reversed(steps):
        of_h = arriving[rows, ...] + d[:n_going, ...]
        grad = slopes[rows, ...] * xp.concat([of_h] * 4, axis=1)
        grads[rows, ...] = grad
        d = replace_first(xp, d, of_h * z[rows, ...] + xp.matmul(grad[:, size:], recurrent))
    of_x, of_state = xp.concat([grads[:, size : 3 * size], grads[:, :size]], axis=1), grads[:, size:]
    x_grad, *of_weights = input_gradients(xp, x, weight_ih, before, of_x, of_state, (needs[0], *needs[2:]))
    return RecurrentBackward(x_grad, cast(xp, d, x.dtype) if needs[1] else None, *of_weights)


# ---------------------------------------------------------------- what they share


def check_arrays(
    op_name: str,
    gates: int,
    x: Array,
    states: dict[str, Array],
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    options: RecurrentOptions,
) -> None:
    check_recurrent(
        op_name,
        gates,
        x.shape,
        {name: state.shape for name, state in states.items()},
        weight_ih.shape,
        weight_hh.shape,
        None if bias_ih is None else bias_ih.shape,
        None if bias_hh is None else bias_hh.shape,
        options,
    )


def _sigmoid(xp: Namespace, x: Array) -> Array:
    """1 / (1 + e^-x), which can neither overflow nor leave [0, 1] in this form"""
    return 0.5 * xp.tanh(0.5 * x) + 0.5


def _rows(xp: Namespace, x: Array) -> Array:
    """x [..., d], in the precision of sums, as [rows, d]"""
    return widened(xp, xp.reshape(x, (prod(x.shape[:-1]), x.shape[-1])))


def _parts(kept: Array, count: int) -> list[Array]:
    size = kept.shape[1] // count
    return [kept[:, k * size : (k + 1) * size] for k in range(count)]


def _input_part(xp: Namespace, x: Array, weight_ih: Array, *biases: Array | None) -> Array:
    """What the gates of all steps get from x and the biases: a new array [rows, gates d_hidden]."""
    part = xp.matmul(_rows(xp, x), xp.matrix_transpose(widened(xp, weight_ih)))
    for bias in biases:
        if bias is not None:
            part += widened(xp, bias)
    return part


def replace_first(xp: Namespace, state: Array, new: Array) -> Array:
    """`state` [N, d] with its first rows replaced by `new`: those of the sequences that have this step."""
    count = new.shape[0]
    return new if count == state.shape[0] else xp.concat([new, state[count:, ...]], axis=0)


def states_before(xp: Namespace, lead: Shape, options: RecurrentOptions, initial: Array, states: Array) -> Array:
    """The state before each row, from that before the first step and those after each row."""
    pieces = [(initial if piece.initial else states)[piece.rows, ...] for piece in state_before(lead, options)]
    return xp.concat(pieces, axis=0) if pieces else initial


def _result(xp: Namespace, rows: Array, x: Array, h_0: Array) -> Array:
    """The rows of the output in the shape and dtype that go with x."""
    return cast(xp, xp.reshape(rows, (*x.shape[:-1], h_0.shape[1])), x.dtype)


def input_gradients(
    xp: Namespace,
    x: Array,
    weight_ih: Array,
    before: Array | None,
    of_x: Array,
    of_state: Array,
    needs: Sequence[bool],
) -> tuple[Array | None, ...]:
    """The gradients of x, weight_ih, weight_hh, bias_ih and bias_hh, each one product or sum over all rows.

    Parameters
    ----------
    before
        The state before each row, which only the gradient of weight_hh takes.
    of_x, of_state
        The gradients of the sums that make the gates, [rows, gates d_hidden]: of what x and the state have part in.
    """
    x_grad = weight_ih_grad = weight_hh_grad = None
    if needs[0]:
        x_grad = cast(xp, xp.reshape(xp.matmul(of_x, widened(xp, weight_ih)), x.shape), x.dtype)
    if needs[1]:
        weight_ih_grad = cast(xp, xp.matmul(xp.matrix_transpose(of_x), _rows(xp, x)), x.dtype)
    if needs[2] and before is not None:
        weight_hh_grad = cast(xp, xp.matmul(xp.matrix_transpose(of_state), before), x.dtype)
    bias_ih_grad, bias_hh_grad = (
        cast(xp, xp.sum(grads, axis=0), x.dtype) if needed else None
        for grads, needed in ((of_x, needs[3]), (of_state, needs[4]))
    )
    return x_grad, weight_ih_grad, weight_hh_grad, bias_ih_grad, bias_hh_grad
