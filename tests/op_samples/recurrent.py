"""Samples of the recurrent networks: sequences, single steps, and their gradients."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_backends.options import RecurrentOptions

from .base import Sample, complex_step, distinct

RnnBackward = namedtuple("RnnBackward", ["x", "h_0", "weight_ih", "weight_hh", "bias_ih", "bias_hh"])
LstmBackward = namedtuple("LstmBackward", ["x", "h_0", "c_0", "weight_ih", "weight_hh", "bias_ih", "bias_hh"])

FORWARDS = RecurrentOptions()


# ---------------------------------------------------------------- one step of one sequence


def sigmoid(x: Any) -> Any:
    """The definition."""
    return 1 / (1 + np.exp(-x))


def rnn_step(from_x: Any, from_h: Any, h: Any, nonlinearity: str = "tanh") -> Any:
    """The next state."""
    a = from_x + from_h
    return (np.tanh(a) if nonlinearity == "tanh" else a * (a.real > 0),)


def lstm_step(from_x: Any, from_h: Any, h: Any, c: Any) -> Any:
    """The next states."""
    a_i, a_f, a_g, a_o = np.split(from_x + from_h, 4)
    i, f, g, o = sigmoid(a_i), sigmoid(a_f), np.tanh(a_g), sigmoid(a_o)
    c = f * c + i * g
    return o * np.tanh(c), c


def gru_step(from_x: Any, from_h: Any, h: Any) -> Any:
    """The next state."""
    (x_r, x_z, x_n), (h_r, h_z, h_n) = np.split(from_x, 3), np.split(from_h, 3)
    r, z = sigmoid(x_r + h_r), sigmoid(x_z + h_z)
    n = np.tanh(x_n + r * h_n)
    return ((1 - z) * n + z * h,)


# ---------------------------------------------------------------- sequences, one after the other


def run(step: Callable[..., Any], x: Any, states: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, options: Any) -> Any:
    """The output and the last states."""
    counts = [x.shape[1]] * len(x) if options.batch_sizes is None else options.batch_sizes
    rows = x.reshape(-1, x.shape[-1]) if x.size or x.ndim == 2 else np.zeros((0, x.shape[-1]))
    starts = np.cumsum([0, *counts])
    b_ih, b_hh = (0.0 if b is None else b for b in (b_ih, b_hh))
    dtype = np.result_type(*(a for a in (x, *states, w_ih, w_hh, b_ih, b_hh)))
    output = np.zeros((len(rows), w_hh.shape[1]), dtype)
    last = [s.astype(dtype) for s in states]
    for n in range(len(states[0])):
        times = [t for t, count in enumerate(counts) if n < count]
        for t in reversed(times) if options.reverse else times:
            row = starts[t] + n
            new = step(w_ih @ rows[row] + b_ih, w_hh @ last[0][n] + b_hh, *[s[n] for s in last])
            output[row] = new[0]
            for s, value in zip(last, new, strict=True):
                s[n] = value
    return output.reshape(*x.shape[:-1], w_hh.shape[1]), *last


def rnn(x: Any, h: Any, *rest: Any) -> Any:
    """The definition: rest are weights, biases, the nonlinearity and options."""
    *weights, nonlinearity, options = rest
    return run(lambda *a: rnn_step(*a, nonlinearity), x, [h], *weights, options)


def lstm(x: Any, h: Any, c: Any, *rest: Any) -> Any:
    """The definition: rest are weights, biases and options."""
    return run(lstm_step, x, [h, c], *rest)


def gru(x: Any, h: Any, *rest: Any) -> Any:
    """The definition: rest are weights, biases and options."""
    return run(gru_step, x, [h], *rest)


# ---------------------------------------------------------------- gradients, by complex steps


def gradients(f: Callable[..., Any], inputs: Any, grads: Any, needs: Any) -> Any:
    """The gradient of each of `inputs` for those of the outputs of `f`; None for what is None or not needed."""

    def of(k: int) -> Any:
        if inputs[k] is None or not needs[k]:
            return None

        def flat(value: Any) -> Any:
            return np.concatenate([out.ravel() for out in f(*inputs[:k], value, *inputs[k + 1 :])])

        return complex_step(flat, inputs[k], np.concatenate([g.ravel() for g in grads]))

    return (RnnBackward if len(inputs) == 6 else LstmBackward)(*map(of, range(len(inputs))))


def rnn_backward(*arguments: Any) -> Any:
    """Those of `rnn`."""
    *inputs, _output, output_grad, h_grad, nonlinearity, options, needs = arguments
    return gradients(lambda *a: rnn(*a, nonlinearity, options), inputs, (output_grad, h_grad), needs)


def lstm_backward(*arguments: Any) -> Any:
    """Those of `lstm`."""
    *inputs, _output, _kept, output_grad, h_grad, c_grad, options, needs = arguments
    return gradients(lambda *a: lstm(*a, options), inputs, (output_grad, h_grad, c_grad), needs)


def gru_backward(*arguments: Any) -> Any:
    """Those of `gru`."""
    *inputs, _output, _kept, output_grad, h_grad, options, needs = arguments
    return gradients(lambda *a: gru(*a, options), inputs, (output_grad, h_grad), needs)


# ---------------------------------------------------------------- single steps


def rnn_cell(x: Any, h: Any, *rest: Any) -> Any:
    """A sequence of one element."""
    *weights, nonlinearity = rest
    return rnn(x[None], h, *weights, nonlinearity, FORWARDS)[1]


def lstm_cell(x: Any, h: Any, c: Any, *weights: Any) -> Any:
    """A sequence of one element."""
    return lstm(x[None], h, c, *weights, FORWARDS)[1:]


def gru_cell(x: Any, h: Any, *weights: Any) -> Any:
    """A sequence of one element."""
    return gru(x[None], h, *weights, FORWARDS)[1]


def rnn_cell_backward(*arguments: Any) -> Any:
    """Those of `rnn_cell`."""
    *inputs, _output, grad, nonlinearity, needs = arguments
    return gradients(lambda *a: (rnn_cell(*a, nonlinearity),), inputs, (grad,), needs)


def lstm_cell_backward(*arguments: Any) -> Any:
    """Those of `lstm_cell`."""
    *inputs, _kept, h_grad, c_grad, needs = arguments
    return gradients(lstm_cell, inputs, (h_grad, c_grad), needs)


def gru_cell_backward(*arguments: Any) -> Any:
    """Those of `gru_cell`."""
    *inputs, _kept, grad, needs = arguments
    return gradients(lambda *a: (gru_cell(*a),), inputs, (grad,), needs)


# ---------------------------------------------------------------- the samples

INPUT = 1

#: Of the state. Differences of a backward, and second ones all the more, take many steps: there it is 1.
HIDDEN, FEW = 2, 1

#: Lengths, of T and N or of the rows. Few sequences: second derivatives take a step for each element.
WALKS: list[tuple[tuple[int, ...], RecurrentOptions]] = [
    ((2, 1), FORWARDS),
    ((2, 1), RecurrentOptions(reverse=True)),
    ((3,), RecurrentOptions(batch_sizes=(2, 1))),
    ((3,), RecurrentOptions(reverse=True, batch_sizes=(2, 1))),
]
EMPTY = ((2, 0), FORWARDS)

#: Whether bias_ih and bias_hh are there.
BIASES = [(True, True), (False, True), (False, False)]


def drawn(
    gates: int, states: int, lead: tuple[int, ...], batch: int, biases: tuple[bool, bool], hidden: int
) -> list[Any]:
    """x, the states, the weights and biases."""
    height = gates * hidden
    shapes = [(*lead, INPUT), *[(batch, hidden)] * states, (height, INPUT), (height, hidden), (height,), (height,)]
    values: list[Any] = [distinct(shape, -0.9, 1.0, seed=k) for k, shape in enumerate(shapes)]
    return [*values[:-2], *[bias if there else None for bias, there in zip(values[-2:], biases, strict=True)]]


def needs_of(count: int, inputs: list[Any], options: RecurrentOptions) -> list[tuple[bool, ...]]:
    """All; for one kind of inputs also every other one."""
    every = (True,) * count
    if options != FORWARDS or inputs[-2] is None or not inputs[0].size:
        return [every]
    return [every, *[tuple(i % 2 == k for i in range(count)) for k in range(2)]]


def sequences(gates: int, states: int, hidden: int) -> list[tuple[list[Any], RecurrentOptions]]:
    """Inputs of all kinds."""
    found = []
    for lead, options in [*WALKS, EMPTY]:
        batch = lead[1] if options.batch_sizes is None else options.batch_sizes[0]
        for biases in BIASES if options == FORWARDS and batch else BIASES[:1]:
            found.append((drawn(gates, states, lead, batch, biases, hidden), options))
    return found


def grads_like(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Gradients without regularities."""
    return [distinct(shape, seed=50 + k) for k, shape in enumerate(shapes)]


def lead_grads(inputs: list[Any], states: int) -> list[np.ndarray]:
    """Gradients of the output and the last states."""
    batch = inputs[1].shape
    return grads_like((*inputs[0].shape[:-1], batch[1]), *[batch] * states)


SAMPLES: dict[str, list[Sample]] = {
    f"{kind}{cell}{backward}": []
    for kind in ("rnn", "lstm", "gru")
    for cell in ("", "_cell")
    for backward in ("", "_backward")
}

for _inputs, _options in sequences(1, 1, HIDDEN):
    for _nonlinearity in ("tanh", "relu"):
        SAMPLES["rnn"].append(Sample(rnn, *_inputs, _nonlinearity, _options))
for _inputs, _options in sequences(4, 2, HIDDEN):
    SAMPLES["lstm"].append(Sample(lstm, *_inputs, _options))
for _inputs, _options in sequences(3, 1, HIDDEN):
    SAMPLES["gru"].append(Sample(gru, *_inputs, _options))

for _size in (FEW, HIDDEN):
    _smooth = _size == FEW
    for _inputs, _options in sequences(1, 1, _size):
        for _nonlinearity in ("tanh", "relu"):
            _output = rnn(*_inputs, _nonlinearity, _options)[0]
            _rest = (_output, *lead_grads(_inputs, 1), _nonlinearity, _options)
            for _needs in needs_of(6, _inputs, _options):
                SAMPLES["rnn_backward"].append(Sample(rnn_backward, *_inputs, *_rest, _needs, smooth=_smooth))
    for _inputs, _options in sequences(4, 2, _size):
        _rest = (lstm(*_inputs, _options)[0], None, *lead_grads(_inputs, 2), _options)
        for _needs in needs_of(7, _inputs, _options):
            SAMPLES["lstm_backward"].append(Sample(lstm_backward, *_inputs, *_rest, _needs, smooth=_smooth))
    for _inputs, _options in sequences(3, 1, _size):
        _rest = (gru(*_inputs, _options)[0], None, *lead_grads(_inputs, 1), _options)
        for _needs in needs_of(6, _inputs, _options):
            SAMPLES["gru_backward"].append(Sample(gru_backward, *_inputs, *_rest, _needs, smooth=_smooth))

for _size, _batch in ((FEW, 1), (HIDDEN, 2), (HIDDEN, 0)):
    for _biases in BIASES if _size == FEW else BIASES[:1]:
        _smooth = _size == FEW
        _all_needs = [(True,) * 7, (False, True) * 3 + (True,)]
        _state = grads_like((_batch, _size), (_batch, _size))

        _inputs = drawn(1, 1, (_batch,), _batch, _biases, _size)
        for _nonlinearity in ("tanh", "relu"):
            SAMPLES["rnn_cell"].append(Sample(rnn_cell, *_inputs, _nonlinearity))
            _rest = (rnn_cell(*_inputs, _nonlinearity), _state[0], _nonlinearity)
            for _needs in _all_needs:
                SAMPLES["rnn_cell_backward"].append(
                    Sample(rnn_cell_backward, *_inputs, *_rest, _needs[:6], smooth=_smooth)
                )

        _inputs = drawn(4, 2, (_batch,), _batch, _biases, _size)
        SAMPLES["lstm_cell"].append(Sample(lstm_cell, *_inputs))
        _rest = (None, *_state)
        for _needs in _all_needs:
            SAMPLES["lstm_cell_backward"].append(Sample(lstm_cell_backward, *_inputs, *_rest, _needs, smooth=_smooth))

        _inputs = drawn(3, 1, (_batch,), _batch, _biases, _size)
        SAMPLES["gru_cell"].append(Sample(gru_cell, *_inputs))
        _rest = (None, _state[0])
        for _needs in _all_needs:
            SAMPLES["gru_cell_backward"].append(Sample(gru_cell_backward, *_inputs, *_rest, _needs[:6], smooth=_smooth))
