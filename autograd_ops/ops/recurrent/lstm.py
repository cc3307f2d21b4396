"""Long short-term memory: whole sequences, and one step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from autograd_backends import kernels
from autograd_backends.options import RecurrentOptions
from autograd_backends.results import Lstm, LstmBackward

from ...registry import Array, op
from ..activation import sigmoid
from ..elementwise import tanh
from ..linear import linear
from ..shape import expand_dims
from .shared import FORWARDS, Needs, check_cell, nothing_like, of_one_step, once, over_steps, parts, pulled_back, there

__all__ = ["Lstm", "LstmBackward", "LstmCell", "lstm", "lstm_backward", "lstm_cell", "lstm_cell_backward"]


class LstmCell(NamedTuple):
    """The hidden state and the cell state after one step, both [N, d_hidden]."""

    h_1: Any
    c_1: Any


def _lstm_of_ops(inputs: Sequence[Any], options: RecurrentOptions) -> tuple[Any, ...]:
    x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh = inputs

    def step(part: Any, h: Any, c: Any) -> tuple[Any, ...]:
        i, f, g, o = parts(part + linear(h, weight_hh, bias_hh, True), 4)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return sigmoid(o) * tanh(c), c

    return over_steps(x, (h_0, c_0), weight_ih, bias_ih, options, step)


@op(
    formula="back through time, with t = tanh(c'): dc' = gc + gh o (1 - t^2), da_i = dc' g i (1 - i), "
    "da_f = dc' c f (1 - f), da_g = dc' i (1 - g^2), da_o = gh t o (1 - o), dc = dc' f; the rest as in rnn",
    outputs=("output", "h_n", "c_n"),
    saves=("kept",),
    promote=True,
    fresh=True,
    real=True,
)
def lstm(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
    options: RecurrentOptions = FORWARDS,
) -> Lstm:
    """A layer of long short-term memory (Hochreiter and Schmidhuber, 1997, with forget gates).

    With the sums ``a = W_ih x + b_ih + W_hh h + b_hh``, whose rows are those of i, f, g and o:
    ``i, f, o = sigmoid(a_i), sigmoid(a_f), sigmoid(a_o)``, ``g = tanh(a_g)``, ``c' = f c + i g``, ``h' = o tanh(c')``.

    Parameters
    ----------
    x
        [T, N, d_input]; with ``options.batch_sizes`` [sum of batch_sizes, d_input].
    h_0, c_0
        [N, d_hidden], the states before the first step.
    weight_ih, weight_hh
        [4 d_hidden, d_input], [4 d_hidden, d_hidden]
    bias_ih, bias_hh
        [4 d_hidden] or None.
    options
        The direction, and sequences of several lengths.

    Returns
    -------
    Lstm
        The output, h after each step, [T, N, d_hidden] or in the rows of x; and h_n and c_n [N, d_hidden], the states
        after the last step of each sequence. All carry gradients.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or T is 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> zero = ag.zeros(1, 2)
    >>> output, h_n, c_n = ag.ops.lstm(ag.ones(3, 1, 1), zero, zero, ag.ones(8, 1), ag.ones(8, 2))
    >>> output.shape, h_n.shape, c_n.shape
    (Size([3, 1, 2]), Size([1, 2]), Size([1, 2]))
    """
    return kernels(x).lstm(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, options)


def _lstm_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    c_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    kept: Any,
    options: RecurrentOptions,
    needs: Needs,
) -> Any:
    return lstm_backward(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, output, kept, *g, options, needs)


lstm.joint(_lstm_gradients)


def _lstm_backward_recorded(
    x: Any,
    h_0: Any,
    c_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    kept: Any,
    output_grad: Any,
    h_n_grad: Any,
    c_n_grad: Any,
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 7,
) -> LstmBackward:
    inputs = (x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh)
    grads = (output_grad, h_n_grad, c_n_grad)
    return LstmBackward(*pulled_back(lambda given: _lstm_of_ops(given, options), inputs, grads, needs))


@op(
    formula="that of the formula of lstm",
    outputs=LstmBackward._fields,
    nondiff=("output", "kept"),
    recorded=_lstm_backward_recorded,
)
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
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 7,
) -> LstmBackward:
    """The gradients of `lstm`; None for what `needs` does not ask for, and for a bias that is None

    Parameters
    ----------
    output
        As `lstm` gave it.
    kept
        What `lstm` kept for this, in a form of the backend's own; None: the steps are taken again.
    """
    needs = there(needs, bias_ih, bias_hh)
    return kernels(x).lstm_backward(
        x,
        h_0,
        c_0,
        weight_ih,
        weight_hh,
        bias_ih,
        bias_hh,
        output,
        kept,
        output_grad,
        h_n_grad,
        c_n_grad,
        options,
        needs,
    )


@op(
    formula="with t = tanh(c'): dc' = gc + gh o (1 - t^2), da_i = dc' g i (1 - i), da_f = dc' c f (1 - f), "
    "da_g = dc' i (1 - g^2), da_o = gh t o (1 - o), dc = dc' f; the rest as in rnn_cell",
    outputs=LstmCell._fields,
    saves=("kept",),
    promote=True,
    fresh=True,
    real=True,
)
def lstm_cell(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
) -> LstmCell:
    """One step of `lstm`: x [N, d_input], h_0 and c_0 [N, d_hidden] -> the next states

    Returns
    -------
    LstmCell
        h_1 and c_1 [N, d_hidden]; both carry gradients.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    check_cell("lstm_cell", 4, x, {"h_0": h_0, "c_0": c_0}, weight_ih, weight_hh, bias_ih, bias_hh)
    found, kept = kernels(x).lstm(once(x), h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, FORWARDS)
    return LstmCell(found.h_n, found.c_n), kept  # type: ignore[return-value]


def _lstm_cell_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    c_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    kept: Any,
    needs: Needs,
) -> Any:
    return lstm_cell_backward(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, kept, *g, needs)


lstm_cell.joint(_lstm_cell_gradients)


def _lstm_cell_backward_recorded(
    x: Any,
    h_0: Any,
    c_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    kept: Any,
    h_1_grad: Any,
    c_1_grad: Any,
    needs: Needs = (True,) * 7,
) -> LstmBackward:
    def cell(given: Sequence[Any]) -> tuple[Any, ...]:
        return _lstm_of_ops((expand_dims(given[0], 0), *given[1:]), FORWARDS)[1:]

    inputs = (x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh)
    return LstmBackward(*pulled_back(cell, inputs, (h_1_grad, c_1_grad), needs))


@op(
    formula="that of the formula of lstm_cell",
    outputs=LstmBackward._fields,
    nondiff=("kept",),
    recorded=_lstm_cell_backward_recorded,
)
def lstm_cell_backward(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    kept: Array | None,
    h_1_grad: Array,
    c_1_grad: Array,
    needs: Needs = (True,) * 7,
) -> LstmBackward:
    """The gradients of `lstm_cell`, from c_1 and the gates; None for what `needs` leaves out, or a bias of None"""
    needs = there(needs, bias_ih, bias_hh)
    nothing = nothing_like(once(h_1_grad))
    found = kernels(x).lstm_backward(
        *(once(x), h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, nothing, kept, nothing, h_1_grad, c_1_grad),
        FORWARDS,
        needs,
    )
    return of_one_step(found)
