"""Recurrent networks: one step, and whole sequences, each one node on the tape.

The forward is a kernel that keeps the values of its gates; the backward goes back through time on arrays. Where the
backward is to be differentiated itself, the same steps are taken again as a loop of ops, and the tape goes back
through those.

A cell is a sequence of one step: it has no kernel of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from autograd_backends import RecurrentOptions, kernels, namespace
from autograd_backends.module_ops import Lstm, LstmBackward, Recurrent, RecurrentBackward
from autograd_backends.shapes import check_recurrent_cell
from autograd_backends.steps import recurrent_steps

from ..registry import Array, op
from ..tape import walk
from ..tensor import Tensor
from .activation import relu, sigmoid
from .dtype import clone
from .elementwise import tanh
from .linear import linear
from .shape import concat, expand_dims, getitem, reshape

__all__ = [
    "Lstm",
    "LstmBackward",
    "LstmCell",
    "Recurrent",
    "RecurrentBackward",
    "gru",
    "gru_backward",
    "gru_cell",
    "gru_cell_backward",
    "lstm",
    "lstm_backward",
    "lstm_cell",
    "lstm_cell_backward",
    "rnn",
    "rnn_backward",
    "rnn_cell",
    "rnn_cell_backward",
]

#: All sequences equally long, from the first time to the last.
FORWARDS = RecurrentOptions()

Needs = tuple[bool, ...]


class LstmCell(NamedTuple):
    """The hidden state and the cell state after one step, both [N, d_hidden]."""

    h_1: Any
    c_1: Any


# ---------------------------------------------------------------- the same in ops


def _over_steps(
    x: Any,
    states: tuple[Any, ...],
    weight_ih: Any,
    bias_ih: Any,
    options: RecurrentOptions,
    step: Callable[..., tuple[Any, ...]],
) -> tuple[Any, ...]:
    """Go through the steps in ops: the first state after each, in the order of x, and all states after the last.

    Parameters
    ----------
    step
        What the states become: a function of the input's part in the gates and of the states before.
    """
    steps = recurrent_steps(tuple(x.shape[:-1]), options)
    part = linear(reshape(x, (sum([count for _, count in steps]), x.shape[-1])), weight_ih, bias_ih, True)
    outputs = []
    for rows, count in steps:
        new = step(getitem(part, (rows, ...)), *[getitem(state, (slice(0, count), ...)) for state in states])
        outputs.append(new[0])
        others = [getitem(state, (slice(count, None), ...)) for state in states]
        states = tuple([concat(pair, 0) for pair in zip(new, others, strict=True)])
    output = concat(outputs[::-1] if options.reverse else outputs, 0)
    return reshape(output, (*x.shape[:-1], output.shape[-1])), *states


def _parts(gates: Any, count: int) -> list[Any]:
    """[N, count d_hidden] -> one [N, d_hidden] for each gate"""
    size = gates.shape[1] // count
    return [getitem(gates, (slice(None), slice(k * size, (k + 1) * size), ...)) for k in range(count)]


def _rnn_of_ops(
    x: Any, h_0: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any, nonlinearity: str, options: Any
) -> tuple[Any, ...]:
    activation = tanh if nonlinearity == "tanh" else relu

    def step(part: Any, h: Any) -> tuple[Any, ...]:
        return (activation(part + linear(h, weight_hh, bias_hh, True)),)

    return _over_steps(x, (h_0,), weight_ih, bias_ih, options, step)


def _lstm_of_ops(
    x: Any, h_0: Any, c_0: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any, options: Any
) -> tuple[Any, ...]:
    def step(part: Any, h: Any, c: Any) -> tuple[Any, ...]:
        i, f, g, o = _parts(part + linear(h, weight_hh, bias_hh, True), 4)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return sigmoid(o) * tanh(c), c

    return _over_steps(x, (h_0, c_0), weight_ih, bias_ih, options, step)


def _gru_of_ops(
    x: Any, h_0: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any, options: Any
) -> tuple[Any, ...]:
    def step(part: Any, h: Any) -> tuple[Any, ...]:
        r, z, n = _parts(part, 3)
        of_r, of_z, of_n = _parts(linear(h, weight_hh, bias_hh, True), 3)
        n = tanh(n + sigmoid(r + of_r) * of_n)
        return (n + sigmoid(z + of_z) * (h - n),)

    return _over_steps(x, (h_0,), weight_ih, bias_ih, options, step)


def _pulled_back(
    function: Callable[..., tuple[Any, ...]], inputs: Sequence[Any], gradients: Sequence[Any], needs: Needs
) -> list[Any]:
    """The gradients of `inputs` for those of the outputs of ``function(*inputs)``, by the tape, and on the tape."""
    # One Tensor may be given as several inputs, and what comes before them is none of this: so each is a branch of
    # its own, at which the walk ends.
    branches = [
        x if x is None else clone(x) if isinstance(x, Tensor) and x.requires_grad else Tensor(x, requires_grad=True)
        for x in inputs
    ]
    wanted = [branch.node if needed and branch is not None else None for branch, needed in zip(branches, needs)]
    nodes = [node for node in wanted if node is not None]
    outputs = function(*branches)
    arriving = [g if isinstance(g, Tensor) else Tensor(g) for g in gradients]
    # The nodes of these steps are behind the gradients too, so what they keep is needed again.
    found = walk([out.node for out in outputs], arriving, True, True, nodes) if nodes else {}
    return [None if node is None else found[node.seq] for node in wanted]


def _without(needs: Needs, bias_ih: Any, bias_hh: Any) -> Needs:
    """`needs`, but for biases that are not there."""
    return (*needs[:-2], needs[-2] and bias_ih is not None, needs[-1] and bias_hh is not None)


# ---------------------------------------------------------------- cells, as sequences of one step


def _check_cell(
    op_name: str,
    gates: int,
    x: Array,
    states: dict[str, Array],
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
) -> None:
    check_recurrent_cell(
        op_name,
        gates,
        x.shape,
        {name: state.shape for name, state in states.items()},
        weight_ih.shape,
        weight_hh.shape,
        None if bias_ih is None else bias_ih.shape,
        None if bias_hh is None else bias_hh.shape,
    )


def _once(x: Array) -> Array:
    """x [N, ...] as a sequence of one element [1, N, ...]"""
    return namespace(x).expand_dims(x, axis=0)


def _nothing(x: Array) -> Array:
    """The gradient of an output that none arrived at, of the shape of x"""
    xp = namespace(x)
    return xp.broadcast_to(xp.zeros((), dtype=x.dtype, device=x.device), x.shape)


def _of_one_step(found: Any) -> Any:
    """The gradients of a sequence of one element as those of a cell."""
    return found if found.x_grad is None else found._replace(x_grad=found.x_grad[0, ...])


# ---------------------------------------------------------------- rnn


@op(
    formula="back through time: da = g act'(a), dh = da W_hh, dx = da W_ih, dW_ih = da^T x, dW_hh = da^T h, db = sum da",
    outputs=("output", "h_n"),
    promote=True,
    fresh=True,
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
    return RecurrentBackward(*_pulled_back(lambda *a: _rnn_of_ops(*a, nonlinearity, options), inputs, grads, needs))


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
    needs = _without(needs, bias_ih, bias_hh)
    return kernels(x).rnn_backward(
        x, h_0, weight_ih, weight_hh, output, output_grad, h_n_grad, nonlinearity, options, needs
    )


@op(
    formula="with a the sums inside: da = g act'(a), dh = da W_hh, dx = da W_ih, dW_ih = da^T x, dW_hh = da^T h, db = "
    "sum da",
    promote=True,
    fresh=True,
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
    _check_cell("rnn_cell", 1, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh)
    return kernels(x).rnn(_once(x), h_0, weight_ih, weight_hh, bias_ih, bias_hh, nonlinearity, FORWARDS).h_n


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
    def cell(x: Any, *others: Any) -> tuple[Any, ...]:
        return _rnn_of_ops(expand_dims(x, 0), *others, nonlinearity, FORWARDS)[1:]

    inputs = (x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)
    return RecurrentBackward(*_pulled_back(cell, inputs, (output_grad,), needs))


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
    needs = _without(needs, bias_ih, bias_hh)
    nothing = _nothing(_once(output_grad))
    found = kernels(x).rnn_backward(
        _once(x), h_0, weight_ih, weight_hh, _once(output), nothing, output_grad, nonlinearity, FORWARDS, needs
    )
    return _of_one_step(found)


# ---------------------------------------------------------------- lstm


@op(
    formula="back through time, with t = tanh(c'): dc' = gc + gh o (1 - t^2), da_i = dc' g i (1 - i), "
    "da_f = dc' c f (1 - f), da_g = dc' i (1 - g^2), da_o = gh t o (1 - o), dc = dc' f; the rest as in rnn",
    outputs=("output", "h_n", "c_n"),
    saves=("cells", "gates"),
    promote=True,
    fresh=True,
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
    cells: Any,
    gates: Any,
    options: RecurrentOptions,
    needs: Needs,
) -> Any:
    return lstm_backward(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, output, cells, gates, *g, options, needs)


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
    cells: Any,
    gates: Any,
    output_grad: Any,
    h_n_grad: Any,
    c_n_grad: Any,
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 7,
) -> LstmBackward:
    inputs = (x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh)
    grads = (output_grad, h_n_grad, c_n_grad)
    return LstmBackward(*_pulled_back(lambda *a: _lstm_of_ops(*a, options), inputs, grads, needs))


@op(
    formula="that of the formula of lstm",
    outputs=LstmBackward._fields,
    nondiff=("output", "cells", "gates"),
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
    cells: Array,
    gates: Array,
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
    cells, gates
        c after each step [rows, d_hidden], and i, f, g and o of each step [rows, 4 d_hidden]; a row for each row of x
        but for its last dimension.
    """
    needs = _without(needs, bias_ih, bias_hh)
    return kernels(x).lstm_backward(
        x, h_0, c_0, weight_ih, weight_hh, output, cells, gates, output_grad, h_n_grad, c_n_grad, options, needs
    )


@op(
    formula="with t = tanh(c'): dc' = gc + gh o (1 - t^2), da_i = dc' g i (1 - i), da_f = dc' c f (1 - f), "
    "da_g = dc' i (1 - g^2), da_o = gh t o (1 - o), dc = dc' f; the rest as in rnn_cell",
    outputs=LstmCell._fields,
    saves=("cells", "gates"),
    promote=True,
    fresh=True,
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
    _check_cell("lstm_cell", 4, x, {"h_0": h_0, "c_0": c_0}, weight_ih, weight_hh, bias_ih, bias_hh)
    found, cells, gates = kernels(x).lstm(_once(x), h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, FORWARDS)
    return LstmCell(found.h_n, found.c_n), cells, gates  # type: ignore[return-value]


def _lstm_cell_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    c_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    cells: Any,
    gates: Any,
    needs: Needs,
) -> Any:
    return lstm_cell_backward(x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh, cells, gates, *g, needs)


lstm_cell.joint(_lstm_cell_gradients)


def _lstm_cell_backward_recorded(
    x: Any,
    h_0: Any,
    c_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    cells: Any,
    gates: Any,
    h_1_grad: Any,
    c_1_grad: Any,
    needs: Needs = (True,) * 7,
) -> LstmBackward:
    def cell(x: Any, *others: Any) -> tuple[Any, ...]:
        return _lstm_of_ops(expand_dims(x, 0), *others, FORWARDS)[1:]

    inputs = (x, h_0, c_0, weight_ih, weight_hh, bias_ih, bias_hh)
    return LstmBackward(*_pulled_back(cell, inputs, (h_1_grad, c_1_grad), needs))


@op(
    formula="that of the formula of lstm_cell",
    outputs=LstmBackward._fields,
    nondiff=("cells", "gates"),
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
    cells: Array,
    gates: Array,
    h_1_grad: Array,
    c_1_grad: Array,
    needs: Needs = (True,) * 7,
) -> LstmBackward:
    """The gradients of `lstm_cell`, from c_1 and the gates; None for what `needs` does not ask for, or a bias of None"""
    needs = _without(needs, bias_ih, bias_hh)
    nothing = _nothing(_once(h_1_grad))
    found = kernels(x).lstm_backward(
        *(_once(x), h_0, c_0, weight_ih, weight_hh, nothing, cells, gates, nothing, h_1_grad, c_1_grad),
        FORWARDS,
        needs,
    )
    return _of_one_step(found)


# ---------------------------------------------------------------- gru


@op(
    formula="back through time: da_n = g (1 - z) (1 - n^2), da_r = da_n (W_hn h + b_hn) r (1 - r), "
    "da_z = g (h - n) z (1 - z), of W_hn h + b_hn: da_n r, dh = g z + da W_hh; the rest as in rnn",
    outputs=("output", "h_n"),
    saves=("gates", "hidden"),
    promote=True,
    fresh=True,
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
    gates: Any,
    hidden: Any,
    options: RecurrentOptions,
    needs: Needs,
) -> Any:
    return gru_backward(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, output, gates, hidden, *g, options, needs)


gru.joint(_gru_gradients)


def _gru_backward_recorded(
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    output: Any,
    gates: Any,
    hidden: Any,
    output_grad: Any,
    h_n_grad: Any,
    options: RecurrentOptions = FORWARDS,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    inputs = (x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)
    grads = (output_grad, h_n_grad)
    return RecurrentBackward(*_pulled_back(lambda *a: _gru_of_ops(*a, options), inputs, grads, needs))


@op(
    formula="that of the formula of gru",
    outputs=RecurrentBackward._fields,
    nondiff=("output", "gates", "hidden"),
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
    gates: Array,
    hidden: Array,
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
    gates, hidden
        r, z and n of each step [rows, 3 d_hidden], and W_hn h + b_hn [rows, d_hidden]; a row for each row of x but for
        its last dimension.
    """
    needs = _without(needs, bias_ih, bias_hh)
    return kernels(x).gru_backward(
        x, h_0, weight_ih, weight_hh, output, gates, hidden, output_grad, h_n_grad, options, needs
    )


@op(
    formula="da_n = g (1 - z) (1 - n^2), da_r = da_n (W_hn h + b_hn) r (1 - r), da_z = g (h - n) z (1 - z), "
    "of W_hn h + b_hn: da_n r, dh = g z + da W_hh; the rest as in rnn_cell",
    saves=("gates", "hidden"),
    promote=True,
    fresh=True,
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
    _check_cell("gru_cell", 3, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh)
    found, gates, hidden = kernels(x).gru(_once(x), h_0, weight_ih, weight_hh, bias_ih, bias_hh, FORWARDS)
    return found.h_n, gates, hidden  # type: ignore[return-value]


def _gru_cell_gradients(
    g: Any,
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    gates: Any,
    hidden: Any,
    needs: Needs,
) -> Any:
    return gru_cell_backward(x, h_0, weight_ih, weight_hh, bias_ih, bias_hh, gates, hidden, g, needs)


gru_cell.joint(_gru_cell_gradients)


def _gru_cell_backward_recorded(
    x: Any,
    h_0: Any,
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    gates: Any,
    hidden: Any,
    output_grad: Any,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    def cell(x: Any, *others: Any) -> tuple[Any, ...]:
        return _gru_of_ops(expand_dims(x, 0), *others, FORWARDS)[1:]

    inputs = (x, h_0, weight_ih, weight_hh, bias_ih, bias_hh)
    return RecurrentBackward(*_pulled_back(cell, inputs, (output_grad,), needs))


@op(
    formula="that of the formula of gru_cell",
    outputs=RecurrentBackward._fields,
    nondiff=("gates", "hidden"),
    recorded=_gru_cell_backward_recorded,
)
def gru_cell_backward(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    gates: Array,
    hidden: Array,
    output_grad: Array,
    needs: Needs = (True,) * 6,
) -> RecurrentBackward:
    """The gradients of `gru_cell`, from what it saved; None for what `needs` does not ask for, and for an absent bias"""
    needs = _without(needs, bias_ih, bias_hh)
    nothing = _nothing(_once(output_grad))
    found = kernels(x).gru_backward(
        _once(x), h_0, weight_ih, weight_hh, nothing, gates, hidden, nothing, output_grad, FORWARDS, needs
    )
    return _of_one_step(found)
