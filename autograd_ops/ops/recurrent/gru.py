"""Gated recurrent units: whole sequences, and one step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_backends import kernels
from autograd_backends.options import RecurrentOptions
from autograd_backends.results import Recurrent, RecurrentBackward

from ...registry import Array, op
from ..activation import sigmoid
from ..elementwise import tanh
from ..linear import linear
from ..shape import expand_dims
from .shared import FORWARDS, Needs, check_cell, nothing_like, of_one_step, once, over_steps, parts, pulled_back, there

__all__ = ["gru", "gru_backward", "gru_cell", "gru_cell_backward"]


def _gru_of_ops(inputs: Sequence[Any], options: RecurrentOptions) -> tuple[Any, ...]:
    x, h_0, weight_ih, weight_hh, bias_ih, bias_hh = inputs

    def step(part: Any, h: Any) -> tuple[Any, ...]:
        r, z, n = parts(part, 3)
        of_r, of_z, of_n = parts(linear(h, weight_hh, bias_hh, True), 3)
        n = tanh(n + sigmoid(r + of_r) * of_n)
        return (n + sigmoid(z + of_z) * (h - n),)

    return over_steps(x, (h_0,), weight_ih, bias_ih, options, step)


@op(
    formula="back through time: da_n = g (1 - z) (1 - n^2), da_r = da_n (W_hn h + b_hn) r (1 - r), "
    "da_z = g (h - n) z (1 - z), of W_hn h + b_hn: da_n r, dh = g z + da W_hh; the rest as in rnn",
    outputs=("output", "h_n"),
    saves=("kept",),
    promote=True,
    fresh=True,
    real=True,
)
def gru(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
    options: RecurrentOptions = FORWARDS,
) -> Recurrent:
    """A layer of gated recurrent units (Cho and others, 2014), with the reset gate after the product.

    ``r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)``, z likewise, ``n = tanh(W_in x + b_in + r (W_hn h + b_hn))``,
    ``h' = (1 - z) n + z h``.

    Parameters
    ----------
    x
        [T, N, d_input]; with ``options.batch_sizes`` [sum of batch_sizes, d_input].
    h_0
        [N, d_hidden], the state before the first step.
    weight_ih, weight_hh
        [3 d_hidden, d_input], [3 d_hidden, d_hidden]: the rows are those of r, z and n.
    bias_ih, bias_hh
        [3 d_hidden] or None.
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
    >>> output, h_n = ag.ops.gru(ag.ones(3, 1, 1), ag.zeros(1, 2), ag.ones(6, 1), ag.ones(6, 2))
    >>> output.shape, h_n.shape
    (Size([3, 1, 2]), Size([1, 2]))
    """
    return kernels(x).gru(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, options)


def _gru_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    kept: Any,
    options: RecurrentOptions,
    needs: Needs,
) -> Any:
    return gru_backward(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, output, kept, *g, options, needs)


gru.joint(_gru_gradients)


def _gru_backward_recorded(
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    kept: Any,
    output_grad: Any,
    h_n_grad: Any,
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    inputs = (x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)
    grads = (output_grad, h_n_grad)
    return RecurrentBackward(*pulled_back(lambda given: _gru_of_ops(given, options), inputs, grads, needs))


@op(
    formula="that of the formula of gru",
    outputs=RecurrentBackward._fields,
    nondiff=("output", "kept"),
    recorded=_gru_backward_recorded,
)
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
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    """The gradients of `gru`; None for what `needs` does not ask for, and for a bias that is None

    Parameters
    ----------
    output
        As `gru` gave it.
    kept
        What `gru` kept for this, in a form of the backend's own; None: the steps are taken again.
    """
    needs = there(needs, bias_ih, bias_hh)
    return kernels(x).gru_backward(
        x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, output, kept, output_grad, h_n_grad, options, needs
    )


@op(
    formula="da_n = g (1 - z) (1 - n^2), da_r = da_n (W_hn h + b_hn) r (1 - r), da_z = g (h - n) z (1 - z), "
    "of W_hn h + b_hn: da_n r, dh = g z + da W_hh; the rest as in rnn_cell",
    saves=("kept",),
    promote=True,
    fresh=True,
    real=True,
)
def gru_cell(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
) -> Array:
    """One step of `gru`: x [N, d_input], h_0 [N, d_hidden] -> the next state [N, d_hidden]

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    """
    check_cell("gru_cell", 3, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh)
    found, kept = kernels(x).gru(once(x), h_0, weight_ih, weight_hh, bias_ih, bias_hh, FORWARDS)
    return found.h_n, kept


def _gru_cell_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    kept: Any,
    needs: Needs,
) -> Any:
    return gru_cell_backward(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, kept, g, needs)


gru_cell.joint(_gru_cell_gradients)


def _gru_cell_backward_recorded(
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    kept: Any,
    output_grad: Any,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    def cell(given: Sequence[Any]) -> tuple[Any, ...]:
        return _gru_of_ops((expand_dims(given[0], 0), *given[1:]), FORWARDS)[1:]

    inputs = (x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)
    return RecurrentBackward(*pulled_back(cell, inputs, (output_grad,), needs))


@op(
    formula="that of the formula of gru_cell",
    outputs=RecurrentBackward._fields,
    nondiff=("kept",),
    recorded=_gru_cell_backward_recorded,
)
def gru_cell_backward(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    kept: Array | None,
    output_grad: Array,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    """The gradients of `gru_cell`, from what it saved; None for what `needs` does not ask for, or a bias of None"""
    needs = there(needs, bias_ih, bias_hh)
    nothing = nothing_like(once(output_grad))
    found = kernels(x).gru_backward(
        once(x), h_0, weight_ih, weight_hh, bias_ih, bias_hh, nothing, kept, nothing, output_grad, FORWARDS, needs
    )
    return of_one_step(found)
