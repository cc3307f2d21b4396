"""LSTM and GRU: all steps of a sequence in one primitive, and so are their gradients.

These primitives alone are used though oneDNN calls their implementation its reference: it is made of its fast products.
The forward one leaves what the backward one needs in a workspace, which nothing else can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...array_types import Array
from ...module_ops.recurrent import check_arrays
from ...options import RecurrentOptions
from ...results import Lstm, LstmBackward, Recurrent, RecurrentBackward
from ..buffers import empty
from .constants import (
    BACKWARD,
    BIAS,
    DIFF_BIAS,
    DIFF_DST,
    DIFF_DST_1,
    DIFF_DST_2,
    DIFF_SRC,
    DIFF_SRC_1,
    DIFF_SRC_2,
    DIFF_WEIGHTS,
    DIFF_WEIGHTS_1,
    DST,
    DST_1,
    DST_2,
    FORWARD_TRAINING,
    LEFT_TO_RIGHT,
    QUERY_DIFF_WEIGHTS,
    QUERY_WEIGHTS,
    QUERY_WORKSPACE,
    RIGHT_TO_LEFT,
    SRC,
    SRC_1,
    SRC_2,
    WEIGHTS,
    WEIGHTS_1,
    WORKSPACE,
)
from .helpers import in_parallel
from .memory import FLOAT32, Handle, Operand, any_layout
from .plan import Plan, prepare
from .room import here

__all__ = ["gru", "gru_backward", "lstm", "lstm_backward"]

BYTES = np.dtype(np.uint8)

#: A part of a batch that a thread goes through has at least so many sequences, and so many multiplications to do.
FEWEST, ENOUGH = 8, 2**22


class _Kind(NamedTuple):
    """What distinguishes the primitives of one kind of network.

    Attributes
    ----------
    name
        ``"lstm"`` in ``"lstm_forward"``.
    states
        How many states pass from step to step.
    gates
        How many blocks of rows the weights have.
    biases
        How many the bias has.
    """

    name: str
    states: int
    gates: int
    biases: int


#: What a plan depends on beside its arrays: the kind, whether it goes from the last time to the first, and whether it
#: is of a part.
_Said = tuple[_Kind, bool, bool]

_LSTM, _GRU = _Kind("lstm", 2, 4, 4), _Kind("lbr_gru", 1, 3, 4)


class _Places(NamedTuple):
    """Where a primitive takes x, the bias, the output and both weights; and the states before and after."""

    others: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


_READ = _Places((SRC, BIAS, DST, WEIGHTS, WEIGHTS_1), (SRC_1, SRC_2), (DST_1, DST_2))
_GRADIENTS = _Places(
    (DIFF_SRC, DIFF_BIAS, DIFF_DST, DIFF_WEIGHTS, DIFF_WEIGHTS_1), (DIFF_SRC_1, DIFF_SRC_2), (DIFF_DST_1, DIFF_DST_2)
)


def lstm(
    x: Array,
    h_0: Array,
    c_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    options: RecurrentOptions,
) -> tuple[Lstm, Array] | None:
    """As `module_ops.recurrent.lstm`; what is kept is the workspace, and the last of the cell states behind it."""
    check_arrays("lstm", 4, x, {"h_0": h_0, "c_0": c_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    found = _forward(_LSTM, x, (h_0, c_0), (weight_ih, weight_hh, _sum_of(bias_ih, bias_hh, weight_hh)), options)
    return None if found is None else (Lstm(found[0], *found[1]), found[2])


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
) -> LstmBackward | None:
    """The gradients of ``lstm``, if it was oneDNN that kept `kept`."""
    weights = weight_ih, weight_hh, _sum_of(bias_ih, bias_hh, weight_hh)
    found = _backward(_LSTM, x, (h_0, c_0), weights, output, kept, output_grad, (h_n_grad, c_n_grad), options)
    if found is None:
        return None
    *others, bias_grad = found
    return LstmBackward(*_needed((*others, bias_grad, bias_grad.copy()), needs))


def gru(
    x: Array,
    h_0: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
    options: RecurrentOptions,
) -> tuple[Recurrent, Array] | None:
    """As `module_ops.recurrent.gru`; what is kept is the workspace."""
    check_arrays("gru", 3, x, {"h_0": h_0}, weight_ih, weight_hh, bias_ih, bias_hh, options)
    weights = _swapped(weight_ih), _swapped(weight_hh), _gru_bias(bias_ih, bias_hh, weight_hh)
    found = _forward(_GRU, x, (h_0,), weights, options)
    return None if found is None else (Recurrent(found[0], *found[1]), found[2])


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
) -> RecurrentBackward | None:
    """The gradients of ``gru``, if it was oneDNN that kept `kept`."""
    weights = _swapped(weight_ih), _swapped(weight_hh), _gru_bias(bias_ih, bias_hh, weight_hh)
    found = _backward(_GRU, x, (h_0,), weights, output, kept, output_grad, (h_n_grad,), options)
    if found is None:
        return None
    x_grad, h_0_grad, of_ih, of_hh, of_bias = found
    of_z, of_r, of_n, of_hidden = np.split(of_bias, 4)
    biases = np.concatenate([of_r, of_z, of_n]), np.concatenate([of_r, of_z, of_hidden])
    return RecurrentBackward(*_needed((x_grad, h_0_grad, _swapped(of_ih), _swapped(of_hh), *biases), needs))


# ---------------------------------------------------------------- what goes in


def _sum_of(bias_ih: Array | None, bias_hh: Array | None, weight_hh: Array) -> Array:
    """The only bias that oneDNN has."""
    there = [bias for bias in (bias_ih, bias_hh) if bias is not None]
    return sum(there[1:], start=there[0]) if there else np.zeros(len(weight_hh), weight_hh.dtype)


def _swapped(weight: Array) -> Array:
    """A copy of a weight or bias of a GRU in the order z, r, n, which is oneDNN's, if it is in ours, and back."""
    size = len(weight) // 3
    return np.concatenate([weight[size : 2 * size], weight[:size], weight[2 * size :]])


def _gru_bias(bias_ih: Array | None, bias_hh: Array | None, weight_hh: Array) -> Array:
    """The bias of z and r, of n in the part of the input, and of n in that of the state."""
    nothing = np.zeros(len(weight_hh), weight_hh.dtype)
    of_x, of_state = (_swapped(nothing if bias is None else bias) for bias in (bias_ih, bias_hh))
    size = 2 * len(nothing) // 3
    return np.concatenate([of_x[:size] + of_state[:size], of_x[size:], of_state[size:]])


def _needed(gradients: tuple[Array, ...], needs: tuple[bool, ...]) -> list[Array | None]:
    return [grad if needed else None for grad, needed in zip(gradients, needs, strict=True)]


def _of_one_length(x: Array, options: RecurrentOptions) -> tuple[int, ...] | None:
    """T, N and d_input, of what oneDNN is to do.

    Not sequences of several lengths, which it cannot have; nor a single step, whose gradients NumPy has in half the
    time.
    """
    sizes = options.batch_sizes
    shape = x.shape if sizes is None else (len(sizes), sizes[0], x.shape[-1])
    return shape if shape[0] > 1 and (sizes is None or sizes[0] == sizes[-1]) else None


def _parts(shape: tuple[int, ...], weight_hh: Array) -> list[slice]:
    """Which sequences go together: as many parts as threads may run, if each has enough to do."""
    length, batch, _ = shape
    return _cut(batch, max(min(_threads(), batch // FEWEST, length * batch * weight_hh.size // ENOUGH), 1))


def _threads() -> int:
    """How many threads may run."""
    return here().lib.threads()


def _cut(batch: int, count: int) -> list[slice]:
    """`batch` sequences in `count` parts, none larger than the first."""
    return [slice(first, end) for first, end in pairwise([-(-batch * k // count) for k in range(count + 1)])]


def _dense(arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Those arrays in order."""
    return tuple([np.ascontiguousarray(array) for array in arrays])


def _room(array: Array, part: slice) -> Array:
    """Room for what an array [T, N, d], or states [N, d], has of some sequences, in order."""
    return np.empty((*array.shape[:-2], part.stop - part.start, array.shape[-1]), FLOAT32)


# ---------------------------------------------------------------- calls


def _forward(
    kind: _Kind, x: Array, states: tuple[Array, ...], weights: tuple[Array, ...], options: RecurrentOptions
) -> tuple[Array, list[Array], Array] | None:
    """The output, the last states, and what is kept: a row for each part."""
    shape = _of_one_length(x, options)
    if shape is None or any(a.dtype != FLOAT32 for a in (*states, *weights)):
        return None
    length, batch, _ = shape
    sequences, size, weights = x.reshape(shape), states[0].shape[1], _dense(weights)
    # It lies in memory as x does, so that one who has the batch first need not copy what comes out.
    turned = sequences.strides[0] < sequences.strides[1]
    output = empty((batch, length, size), FLOAT32).swapaxes(0, 1) if turned else empty((length, batch, size), FLOAT32)
    after = [np.empty(state.shape, FLOAT32) for state in states]
    parts = _parts(shape, weights[1])
    said = kind, options.reverse, len(parts) > 1
    rooms = [[_room(a, part) for a in (output, *after, sequences, *states)] for part in parts]
    plan = prepare(_plan_forward, said, *rooms[0], *weights)
    if plan is None:
        return None
    kept = empty((len(parts), plan.extras[0] + (rooms[0][1].nbytes if kind.states > 1 else 0)), BYTES)
    done = in_parallel(
        [
            partial(_run_forward, said, part, (output, *after), (sequences, *states), weights, room, row)
            for part, room, row in zip(parts, rooms, kept, strict=True)
        ]
    )
    return (output.reshape(*x.shape[:-1], size), after, kept) if all(done) else None


def _run_forward(
    said: _Said,
    part: slice,
    outputs: tuple[Array, ...],
    inputs: tuple[Array, ...],
    weights: tuple[Array, ...],
    room: list[Array],
    kept: Array,
) -> bool:
    """Go through one part in its room; `kept` has the workspace, and at its end the last state that is no output."""
    for copy, array in zip(room[len(outputs) :], inputs, strict=True):
        copy[...] = array[..., part, :]
    plan = prepare(_plan_forward, said, *room, *weights)
    if plan is None or not plan.run(here(), (*room, *weights, kept[: plan.extras[0]])):
        return False
    for array, copy in zip(outputs, room, strict=False):
        array[..., part, :] = copy
    if said[0].states > 1:
        last = room[2].reshape(-1).view(BYTES)
        kept[-last.size :] = last
    return True


def _backward(
    kind: _Kind,
    x: Array,
    states: tuple[Array, ...],
    weights: tuple[Array, ...],
    output: Array,
    kept: Array | None,
    output_grad: Array,
    state_grads: tuple[Array, ...],
    options: RecurrentOptions,
) -> list[Array] | None:
    """The gradients of x, of the states before, of both weights, and of the bias."""
    shape = _of_one_length(x, options)
    if shape is None or kept is None or kept.dtype != BYTES or output_grad.dtype != FLOAT32:
        return None
    sequences, out, out_grad = (rows.reshape(*shape[:2], rows.shape[-1]) for rows in (x, output, output_grad))
    weights = _dense(weights)
    said, arriving = (kind, options.reverse, len(kept) > 1), (out, out_grad, *state_grads)
    x_grad, of_states = np.empty(shape, FLOAT32), [np.empty(state.shape, FLOAT32) for state in states]
    found = in_parallel(
        [
            partial(_run_backward, said, part, (x_grad, *of_states), (sequences, *states), weights, row, arriving)
            for part, row in zip(_cut(shape[1], len(kept)), kept, strict=True)
        ]
    )
    if any(of_weights is None for of_weights in found):
        return None
    for more in found[1:]:
        for total, gradient in zip(found[0], more, strict=True):
            total += gradient
    return [x_grad.reshape(x.shape), *of_states, *found[0]]


def _run_backward(
    said: _Said,
    part: slice,
    gradients: tuple[Array, ...],
    inputs: tuple[Array, ...],
    weights: tuple[Array, ...],
    kept: Array,
    given: tuple[Array, ...],
) -> list[Array] | None:
    """Write the gradients of one part's inputs; those of the weights and the bias."""
    kind, reverse, _ = said
    read, (output, *arriving) = (_dense([array[..., part, :] for array in arrays]) for arrays in (inputs, given))
    state = read[1]
    behind = [kept[-state.nbytes :].view(FLOAT32).reshape(state.shape)] if kind.states > 1 else []
    # To the gradients of weights and the bias oneDNN adds; those of weights are in a layout of its own.
    found = [np.empty(array.shape, FLOAT32) for array in (*read, *weights[:2])]
    found.append(np.zeros(weights[2].shape, FLOAT32))
    arrays = (*found, *read, *weights, output, output[0 if reverse else -1], *behind, *arriving)
    plan = prepare(_plan_backward, said, *arrays)
    if plan is None or plan.extras[0] > kept.size:
        return None
    sums = [np.zeros(size, BYTES) for size in plan.extras[1:]]
    if not plan.run(here(), (*arrays, kept[: plan.extras[0]], *sums)):
        return None
    for array, copy in zip(gradients, found, strict=False):
        array[..., part, :] = copy
    return found[len(read) :]


# ---------------------------------------------------------------- plans


def _plan_forward(plan: Plan, said: _Said, *operands: Operand) -> None:
    kind, reverse, is_part = said
    after = kind.states + 1
    given = _Operands(kind, *_split(operands[after:], kind), output=operands[0], after=operands[1:after])
    with plan.shared(0 if is_part else given.work):
        primitive = plan.primitive(*given.forward(plan, reverse), reference=True)
        workspace = plan.extra(primitive, QUERY_WORKSPACE)
        plan.step(primitive, given.at(_READ, _laid_out(plan, given, primitive)) | {WORKSPACE: workspace})


def _plan_backward(plan: Plan, said: _Said, *operands: Operand) -> None:
    kind, reverse, is_part = said
    of_inputs, rest = operands[: kind.states + 4], operands[kind.states + 4 :]
    inputs, rest = rest[: kind.states + 4], rest[kind.states + 4 :]
    outputs, of_outputs = rest[: kind.states + 1], rest[kind.states + 1 :]
    given = _Operands(kind, *_split(inputs, kind), output=outputs[0], after=outputs[1:])
    grads = _Operands(kind, *_split(of_inputs, kind), output=of_outputs[0], after=of_outputs[1:])
    with plan.shared(0 if is_part else given.work):
        forward = plan.primitive(*given.forward(plan, reverse), reference=True)
        primitive = plan.primitive(
            *(f"{kind.name}_backward", BACKWARD, _direction(reverse)),
            *(*given.described(plan), *grads.described(plan), 0, forward),
            reference=True,
        )
        workspace = plan.extra(primitive, QUERY_WORKSPACE)
        sums = [plan.extra(primitive, QUERY_DIFF_WEIGHTS, place) for place in range(2)]
        weights = _laid_out(plan, given, primitive)
        plan.step(primitive, given.at(_READ, weights) | grads.at(_GRADIENTS, sums) | {WORKSPACE: workspace})
        with plan.one_thread():
            for total, weight in zip(sums, grads.weights, strict=True):
                plan.reorder(total, weight)


class _Operands:
    """What a primitive reads and writes, or the gradients of that, in oneDNN's dimensions.

    There the first are layers and directions, of which there is one.
    """

    def __init__(
        self,
        kind: _Kind,
        x: Operand,
        before: Sequence[Operand],
        weights: Sequence[Operand],
        bias: Operand,
        output: Operand,
        after: Sequence[Operand],
    ) -> None:
        _, batch, size = output.shape
        self.kind, self.x, self.output = kind, x, output
        self.work = batch * kind.gates * size * size
        self.before, self.after = (
            [state.seen_as(1, 1, *state.shape) for state in states] for states in (before, after)
        )
        self.bias = bias.seen_as(1, 1, kind.biases, size)
        self.weights = [_by_gate(weight, kind.gates) for weight in weights]

    def forward(self, plan: Plan, reverse: bool) -> list[Any]:
        """What describes the forward primitive."""
        return [f"{self.kind.name}_forward", FORWARD_TRAINING, _direction(reverse), *self.described(plan), 0]

    def described(self, plan: Plan) -> list[Any]:
        """As what describes a primitive takes them; it chooses how the weights lie."""
        weights = [any_layout(plan.lib, *weight.shape) for weight in self.weights]
        no_projection = [None, None] if self.kind.states > 1 else []
        return [self.x, *self.before, *weights, *no_projection, self.bias, self.output, *self.after]

    def at(self, places: _Places, weights: Sequence[Operand]) -> dict[int, Operand]:
        """By the place where what runs a primitive takes each; the weights as they are laid out."""
        operands = (self.x, self.bias, self.output, *weights, *self.before, *self.after)
        count = self.kind.states
        return dict(zip((*places.others, *places.before[:count], *places.after[:count]), operands, strict=True))


def _split(inputs: Sequence[Operand], kind: _Kind) -> tuple[Operand, Sequence[Operand], Sequence[Operand], Operand]:
    """x, the states before, the weights, and the bias."""
    x, *before = inputs[: kind.states + 1]
    *weights, bias = inputs[kind.states + 1 :]
    return x, before, weights, bias


def _by_gate(weight: Operand, gates: int) -> Operand:
    """A weight [gates d_hidden, d] as [1, 1, d, gates, d_hidden]"""
    height, d = weight.shape
    size = height // gates
    return weight.seen_as(1, 1, d, gates, size, strides=(height * d, height * d, 1, size * d, d))


def _laid_out(plan: Plan, given: _Operands, primitive: Handle) -> list[Operand]:
    """The weights as the primitive wants them; the copies are too little to wake a thread for."""
    with plan.one_thread():
        return [plan.laid_out(weight, primitive, QUERY_WEIGHTS, place) for place, weight in enumerate(given.weights)]


def _direction(reverse: bool) -> int:
    return RIGHT_TO_LEFT if reverse else LEFT_TO_RIGHT
