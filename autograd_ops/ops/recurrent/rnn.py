"""The plain recurrent network: whole sequences, and one step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_backends import kernels
from autograd_backends.options import RecurrentOptions
from autograd_backends.results import Recurrent, RecurrentBackward

from ...registry import Array, op
from ..activation import relu
from ..elementwise import tanh
from ..linear import linear
from ..shape import expand_dims
from .shared import FORWARDS, Needs, check_cell, nothing_like, of_one_step, once, over_steps, pulled_back, there

__all__ = ["Recurrent", "RecurrentBackward", "rnn", "rnn_backward", "rnn_cell", "rnn_cell_backward"]


def _rnn_of_ops(inputs: Sequence[Any], nonlinearity: str, options: RecurrentOptions) -> tuple[Any, ...]:
    x, h_0, weight_ih, weight_hh, bias_ih, bias_hh = inputs
    activation = tanh if nonlinearity == "tanh" else relu

    def step(part: Any, h: Any) -> tuple[Any, ...]:
        return (activation(part + linear(h, weight_hh, bias_hh, True)),)

    return over_steps(x, (h_0,), weight_ih, bias_ih, options, step)


@op(
    formula="back through time: da = g act'(a), dh = da W_hh, dx = da W_ih, dW_ih = da^T x, dW_hh = da^T h, db = "
    "sum da",
    outputs=("output", "h_n"),
    promote=True,
    fresh=True,
    real=True,
)
def rnn(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
    nonlinearity: str = "tanh",
    options: RecurrentOptions = FORWARDS,
) -> Recurrent:
    """A layer in which each state is made from the element of a sequence and the state before (Elman, 1990).

    ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``

    Parameters
    ----------
    x
        [T, N, d_input]; with ``options.batch_sizes`` [sum of batch_sizes, d_input].
    h_0
        [N, d_hidden], the state before the first step.
    weight_ih, weight_hh
        [d_hidden, d_input], [d_hidden, d_hidden]
    bias_ih, bias_hh
        [d_hidden] or None.
    nonlinearity
        ``"tanh"``, or ``"relu"`` in its place.
    options
        The direction, and sequences of several lengths.

    Returns
    -------
    Recurrent
        The output, the state after each step, [T, N, d_hidden] or in the rows of x; and h_n [N, d_hidden], the state
        after the last step of each sequence. Both carry gradients.

    Raises
    ------
    ShapeError
        If the shapes do not fit, or T is 0.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.ones(3, 1, 1)
    >>> ag.ops.rnn(x, ag.zeros(1, 1), ag.ones(1, 1), ag.ones(1, 1), nonlinearity="relu").output.flatten()
    tensor([1., 2., 3.])
    """
    return kernels(x).rnn(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, nonlinearity, options)


def _rnn_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    nonlinearity: str,
    options: RecurrentOptions,
    needs: Needs,
) -> Any:
    return rnn_backward(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, output, *g, nonlinearity, options, needs)


rnn.joint(_rnn_gradients)


def _rnn_backward_recorded(
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    output_grad: Any,
    h_n_grad: Any,
    nonlinearity: str = "tanh",
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    inputs = (x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)
    grads = (output_grad, h_n_grad)
    return RecurrentBackward(
        *pulled_back(lambda given: _rnn_of_ops(given, nonlinearity, options), inputs, grads, needs)
    )


@op(
    formula="that of the formula of rnn",
    outputs=RecurrentBackward._fields,
    nondiff=("output",),
    recorded=_rnn_backward_recorded,
)
def rnn_backward(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    output: Array,
    output_grad: Array,
    h_n_grad: Array,
    nonlinearity: str = "tanh",
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    """The gradients of `rnn`, from its output; None for what `needs` does not ask for, and for a bias that is None"""
    needs = there(needs, bias_ih, bias_hh)
    return kernels(x).rnn_backward(
        x, h_0, weight_ih, weight_hh, output, output_grad, h_n_grad, nonlinearity, options, needs
    )


@op(
    formula="with a the sums inside: da = g act'(a), dh = da W_hh, dx = da W_ih, dW_ih = da^T x, dW_hh = da^T h, db = "
    "sum da",
    promote=True,
    fresh=True,
    real=True,
)
def rnn_cell(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
    nonlinearity: str = "tanh",
) -> Array:
    """One step of `rnn`: x [N, d_input], h_0 [N, d_hidden] -> the next state [N, d_hidden]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    check_cell("rnn_cell", 1, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh)
    return kernels(x).rnn(once(x), h_0, weight_ih, weight_hh, bias_ih, bias_hh, nonlinearity, FORWARDS).h_n


def _rnn_cell_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    out: Any,
    nonlinearity: str,
    needs: Needs,
) -> Any:
    return rnn_cell_backward(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, out, g, nonlinearity, needs)


rnn_cell.joint(_rnn_cell_gradients)


def _rnn_cell_backward_recorded(
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    output_grad: Any,
    nonlinearity: str = "tanh",
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    def cell(given: Sequence[Any]) -> tuple[Any, ...]:
        return _rnn_of_ops((expand_dims(given[0], 0), *given[1:]), nonlinearity, FORWARDS)[1:]

    inputs = (x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)
    return RecurrentBackward(*pulled_back(cell, inputs, (output_grad,), needs))


@op(
    formula="that of the formula of rnn_cell",
    outputs=RecurrentBackward._fields,
    nondiff=("output",),
    recorded=_rnn_cell_backward_recorded,
)
def rnn_cell_backward(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    output: Array,
    output_grad: Array,
    nonlinearity: str = "tanh",
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    """The gradients of `rnn_cell`, from its output; None for what `needs` does not ask for, and for an absent bias"""
    needs = there(needs, bias_ih, bias_hh)
    nothing = nothing_like(once(output_grad))
    found = kernels(x).rnn_backward(
        once(x), h_0, weight_ih, weight_hh, once(output), nothing, output_grad, nonlinearity, FORWARDS, needs
    )
    return of_one_step(found)
