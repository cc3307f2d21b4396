"""Recurrent networks as modules: several layers and directions over sequences, and single steps."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from autograd_backends import ShapeError

from .. import ops
from ..creation import empty, zeros
from ..ops import RecurrentOptions
from ..tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter
from .utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

States = tuple[Tensor, ...]


class _Recurrent(Module):
    """What modules of sequences and of steps share: the sizes, and how parameters start.

    Attributes
    ----------
    gates
        How many numbers are computed for each element of the hidden state.
    state_names
        What the states are called.
    """

    gates: int
    state_names: tuple[str, ...] = ("hx",)

    def __init__(self, input_size: int, hidden_size: int, bias: bool) -> None:
        super().__init__()
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if not isinstance(size, int):
                raise TypeError(f"{type(self).__name__}: {name} is an int, not {type(size).__name__}")
            if size <= 0:
                raise ValueError(f"{type(self).__name__}: {name} must be positive, got {size}")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias

    def _make_weights(
        self, input_size: int, suffix: str, device: str | None, dtype: Any, proj_size: int = 0
    ) -> tuple[str, ...]:
        """Make the parameters of one layer in one direction; their names, in the order in which ops take them."""
        height = self.gates * self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (height, input_size),
            "weight_hh": (height, proj_size or self.hidden_size),
            "bias_ih": (height,),
            "bias_hh": (height,),
        }
        if proj_size:
            shapes["weight_hr"] = (proj_size, self.hidden_size)
        for name, shape in shapes.items():
            there = self.bias or name.startswith("weight")
            parameter = Parameter(empty(*shape, device=device, dtype=dtype)) if there else None
            self.register_parameter(name + suffix, parameter)
        return tuple([name + suffix for name in shapes])

    def reset_parameters(self) -> None:
        """Draw the parameters anew, evenly from ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _states(self, hx: Any) -> States | None:
        """`hx` as a tuple of states."""
        if hx is None:
            return None
        if len(self.state_names) == 1:
            if not isinstance(hx, Tensor):
                raise TypeError(f"{type(self).__name__}: hx is a Tensor, not {type(hx).__name__}")
            return (hx,)
        if not isinstance(hx, (tuple, list)) or len(hx) != len(self.state_names):
            raise TypeError(f"{type(self).__name__}: hx is a tuple ({', '.join(self.state_names)})")
        return tuple(hx)

    def _give(self, states: Sequence[Tensor]) -> Any:
        """States as the user gets them: one alone is no tuple."""
        return tuple(states) if len(self.state_names) > 1 else states[0]

    def _state_sizes(self) -> tuple[int, ...]:
        """The length of each state."""
        return (self.hidden_size,) * len(self.state_names)

    def _check_states(self, states: States, leading: tuple[int, ...], meaning: str) -> None:
        for name, state, size in zip(self.state_names, states, self._state_sizes(), strict=True):
            expected = (*leading, size)
            if tuple(state.shape) != expected:
                raise ShapeError(
                    f"{type(self).__name__}: {name} has shape {tuple(state.shape)} but must have {expected}, {meaning}"
                )

    def _check_features(self, input: Tensor) -> None:
        if input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: input has {input.shape[-1]} features (last dimension of {tuple(input.shape)}) "
                f"but input_size is {self.input_size}"
            )


# ---------------------------------------------------------------- sequences


class RNNBase(_Recurrent):
    """What `RNN`, `LSTM` and `GRU` share: layers, directions, and the shapes of sequences.

    Parameters
    ----------
    input_size
        The length of each element of a sequence.
    hidden_size
        The length of the hidden state.
    num_layers
        Each layer but the first has the output of the one below as its input.
    bias
        Whether there are biases.
    batch_first
        Whether sequences are [N, T, input_size], and so is the output; states are as without.
    dropout
        The probability with which, in training, elements of the output of each layer but the last become 0.
    bidirectional
        Whether each layer also goes from the last element to the first; its output is then both outputs, one behind
        the other.
    device, dtype
        Of the parameters.
    proj_size
        As of `LSTM`, the only one to have it.

    Raises
    ------
    ValueError
        If a size is not positive or `dropout` is not in [0, 1].
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: str | None = None,
        dtype: Any = None,
        *,
        proj_size: int = 0,
    ) -> None:
        super().__init__(input_size, hidden_size, bias)
        if proj_size and not isinstance(self, LSTM):
            raise ValueError(f"{type(self).__name__}: proj_size={proj_size}, but only an LSTM projects its state")
        if num_layers <= 0:
            raise ValueError(f"{type(self).__name__}: num_layers must be positive, got {num_layers}")
        if isinstance(dropout, bool) or not 0.0 <= dropout <= 1.0:
            raise ValueError(f"{type(self).__name__}: dropout is a probability, in [0, 1], not {dropout}")
        if dropout and num_layers == 1:
            warnings.warn(
                f"{type(self).__name__}: dropout={dropout} does nothing in one layer: it stands between layers",
                UserWarning,
                stacklevel=2,
            )
        self.num_layers = num_layers
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._names: list[tuple[str, ...]] = []
        suffixes = ("", "_reverse") if bidirectional else ("",)
        for layer in range(num_layers):
            size = (proj_size or hidden_size) * len(suffixes) if layer else input_size
            for suffix in suffixes:
                self._names.append(self._make_weights(size, f"_l{layer}{suffix}", device, dtype, proj_size))
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        weights = [[getattr(self, name) for name in names] for names in self._names]
        return [[weight for weight in some if weight is not None] for some in weights]

    def flatten_parameters(self) -> None:
        """Nothing: no backend wants the parameters in one piece of memory."""

    def _over_sequence(self, x: Tensor, states: States, weights: list[Any], options: RecurrentOptions) -> Any:
        """One layer in one direction: its output and last states."""
        raise NotImplementedError

    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> Any:
        """Run all layers over sequences.

        Parameters
        ----------
        input
            [T, N, input_size], or [N, T, input_size] with `batch_first`; one sequence [T, input_size]; or a
            `PackedSequence`.
        hx
            The states before the first step, each [num_layers * directions, N, hidden_size], without N for one
            sequence; by default zeros.

        Returns
        -------
        tuple
            The last layer's output, [T, N, directions * hidden_size] or as `input` is laid out, and the states after
            the last step of each sequence, as `hx`.

        Raises
        ------
        ShapeError
            If the shapes do not fit, or T is 0.
        """
        states = self._states(hx)
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, states)
        if input.ndim not in (2, 3):
            raise ShapeError(
                f"{type(self).__name__}: input must be [T, N, input_size], or [T, input_size] for one sequence, "
                f"and has shape {tuple(input.shape)}"
            )
        self._check_features(input)
        alone = input.ndim == 2
        turned = self.batch_first and not alone
        x = ops.expand_dims(input, 1) if alone else ops.permute(input, (1, 0, 2)) if turned else input
        rows = self.num_layers * (2 if self.bidirectional else 1)
        if states is not None and alone:
            self._check_states(states, (rows,), "(num_layers * directions, hidden_size)")
            states = tuple([ops.expand_dims(state, 1) for state in states])
        elif states is not None:
            self._check_states(states, (rows, x.shape[1]), "(num_layers * directions, N, hidden_size)")
        output, last = self._over_layers(x, states, x.shape[1], None)
        if alone:
            output, last = ops.squeeze(output, (1,)), [ops.squeeze(state, (1,)) for state in last]
        return ops.permute(output, (1, 0, 2)) if turned else output, self._give(last)

    def _forward_packed(self, packed: PackedSequence, states: States | None) -> tuple[PackedSequence, Any]:
        data, batch_sizes, order, back = packed
        self._check_features(data)
        sizes = tuple(batch_sizes.tolist())
        if states is not None:
            rows = self.num_layers * (2 if self.bidirectional else 1)
            self._check_states(states, (rows, sizes[0]), "(num_layers * directions, N, hidden_size)")
            if order is not None:
                states = tuple([state.index_select(1, order) for state in states])
        output, last = self._over_layers(data, states, sizes[0], sizes)
        if back is not None:
            last = [state.index_select(1, back) for state in last]
        return PackedSequence(output, batch_sizes, order, back), self._give(last)

    def _over_layers(
        self, x: Tensor, states: States | None, batch: int, batch_sizes: tuple[int, ...] | None
    ) -> tuple[Tensor, list[Tensor]]:
        """All layers over x [T, N, input_size], or the rows of a packed sequence."""
        directions = [RecurrentOptions(False, batch_sizes), RecurrentOptions(True, batch_sizes)]
        if not self.bidirectional:
            directions.pop()
        if states is None:
            begin = tuple([zeros(batch, size, dtype=x.dtype, device=x.device) for size in self._state_sizes()])
        last: list[list[Tensor]] = [[] for _ in self.state_names]
        for layer in range(self.num_layers):
            outputs = []
            for direction, options in enumerate(directions):
                k = layer * len(directions) + direction
                first = begin if states is None else tuple([state[k] for state in states])
                weights = [getattr(self, name) for name in self._names[k]]
                output, *after = self._over_sequence(x, first, weights, options)
                outputs.append(output)
                for states_so_far, state in zip(last, after, strict=True):
                    states_so_far.append(state)
            x = ops.concat(outputs, -1) if self.bidirectional else outputs[0]
            if self.dropout and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        return x, [ops.stack(states_so_far, 0) for states_so_far in last]

    def extra_repr(self) -> str:
        """Its sizes, and the options that are not the default."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.proj_size:
            parts.append(f"proj_size={self.proj_size}")
        if self.num_layers != 1:
            parts.append(f"num_layers={self.num_layers}")
        if not self.bias:
            parts.append("bias=False")
        if self.batch_first:
            parts.append("batch_first=True")
        if self.dropout:
            parts.append(f"dropout={self.dropout}")
        if self.bidirectional:
            parts.append("bidirectional=True")
        return ", ".join(parts)


class RNN(RNNBase):
    """``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`` over sequences; see `ops.rnn`.

    Parameters
    ----------
    nonlinearity
        ``"tanh"`` or ``"relu"``; it comes after `num_layers`.
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As in `RNNBase`.

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, ...
        [hidden_size, input_size], [hidden_size, hidden_size], [hidden_size] and [hidden_size] of each layer and
        direction, at first drawn evenly from ±1/sqrt(hidden_size).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> output, h_n = ag.nn.RNN(3, 4, num_layers=2)(ag.ones(5, 2, 3))
    >>> output.shape, h_n.shape
    (Size([5, 2, 4]), Size([2, 2, 4]))
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        _check_nonlinearity("RNN", nonlinearity)
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype)
        self.nonlinearity = nonlinearity

    def _over_sequence(self, x: Tensor, states: States, weights: list[Any], options: RecurrentOptions) -> Any:
        return ops.rnn(x, *states, *weights, self.nonlinearity, options)


class LSTM(RNNBase):
    """Long short-term memory over sequences; see `ops.lstm`. Its states are a tuple (h, c).

    Parameters
    ----------
    proj_size
        If not 0, the hidden state is ``W_hr h``, of this length, both in the output and for the next step.
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As in `RNNBase`.

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, ...
        [4 hidden_size, input_size], [4 hidden_size, hidden_size], [4 hidden_size] and [4 hidden_size] of each layer
        and direction, at first drawn evenly from ±1/sqrt(hidden_size). With `proj_size`, weight_hh is
        [4 hidden_size, proj_size], and there is weight_hr_l0, ..., [proj_size, hidden_size].

    Raises
    ------
    ValueError
        If `proj_size` is negative or not less than `hidden_size`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> lstm = ag.nn.LSTM(3, 4, batch_first=True, bidirectional=True)
    >>> output, (h_n, c_n) = lstm(ag.ones(2, 5, 3))
    >>> output.shape, h_n.shape, c_n.shape
    (Size([2, 5, 8]), Size([2, 2, 4]), Size([2, 2, 4]))
    """

    gates = 4
    state_names = ("h_0", "c_0")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        if proj_size and not 0 < proj_size < hidden_size:
            raise ValueError(f"LSTM: proj_size={proj_size} must be from 0 to less than hidden_size, {hidden_size}")
        super().__init__(
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device,
            dtype,
            proj_size=proj_size,
        )

    def _state_sizes(self) -> tuple[int, ...]:
        return (self.proj_size or self.hidden_size, self.hidden_size)

    def _over_sequence(self, x: Tensor, states: States, weights: list[Any], options: RecurrentOptions) -> Any:
        if self.proj_size:
            from .projection import projected_lstm

            h_0, c_0 = states
            return projected_lstm(x, h_0, c_0, weights, options)
        return ops.lstm(x, *states, *weights, options)


class GRU(RNNBase):
    """Gated recurrent units over sequences; see `ops.gru`.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype
        As in `RNNBase`.

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse, ...
        [3 hidden_size, input_size], [3 hidden_size, hidden_size], [3 hidden_size] and [3 hidden_size] of each layer
        and direction, at first drawn evenly from ±1/sqrt(hidden_size).

    Examples
    --------
    >>> import autograd_ops as ag
    >>> output, h_n = ag.nn.GRU(3, 4)(ag.ones(5, 3))
    >>> output.shape, h_n.shape
    (Size([5, 4]), Size([1, 4]))
    """

    gates = 3

    def _over_sequence(self, x: Tensor, states: States, weights: list[Any], options: RecurrentOptions) -> Any:
        return ops.gru(x, *states, *weights, options)


def _check_nonlinearity(name: str, nonlinearity: str) -> None:
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"{name}: nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}")


# ---------------------------------------------------------------- single steps


class RNNCellBase(_Recurrent):
    """What `RNNCell`, `LSTMCell` and `GRUCell` share."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias)
        self._make_weights(input_size, "", device, dtype)
        self.reset_parameters()

    def _step(self, x: Tensor, states: States, weights: list[Any]) -> States:
        """The states after x."""
        raise NotImplementedError

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """Take one step.

        Parameters
        ----------
        input
            [N, input_size], or [input_size].
        hx
            The states before, each [N, hidden_size], or [hidden_size]; by default zeros.

        Returns
        -------
        Tensor or tuple
            The states after, as `hx`.

        Raises
        ------
        ShapeError
            If the shapes do not fit.
        """
        if input.ndim not in (1, 2):
            raise ShapeError(
                f"{type(self).__name__}: input must be [N, input_size], or [input_size] alone, "
                f"and has shape {tuple(input.shape)}"
            )
        self._check_features(input)
        states = self._states(hx)
        leading = input.shape[:-1]
        if states is None:
            states = tuple(
                [zeros(*leading, size, dtype=input.dtype, device=input.device) for size in self._state_sizes()]
            )
        self._check_states(states, leading, "(N, hidden_size)" if input.ndim == 2 else "(hidden_size,)")
        weights = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        if input.ndim == 2:
            return self._give(self._step(input, states, weights))
        batch = [ops.expand_dims(tensor, 0) for tensor in (input, *states)]
        return self._give([ops.squeeze(after, (0,)) for after in self._step(batch[0], tuple(batch[1:]), weights)])

    def extra_repr(self) -> str:
        """Its sizes, and the options that are not the default."""
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RNNCellBase):
    """One step of `RNN`: ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``.

    Parameters
    ----------
    input_size, hidden_size
        The lengths of the input and of the state.
    bias
        Whether there are biases.
    nonlinearity
        ``"tanh"`` or ``"relu"``.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.RNNCell(3, 4)(ag.ones(2, 3)).shape
    Size([2, 4])
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        _check_nonlinearity("RNNCell", nonlinearity)
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def _step(self, x: Tensor, states: States, weights: list[Any]) -> States:
        return (ops.rnn_cell(x, *states, *weights, self.nonlinearity),)

    def extra_repr(self) -> str:
        """Its sizes, and the options that are not the default."""
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class LSTMCell(RNNCellBase):
    """One step of `LSTM`; its states are a tuple (h, c).

    Parameters
    ----------
    input_size, hidden_size
        The lengths of the input and of the states.
    bias
        Whether there are biases.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> h, c = ag.nn.LSTMCell(3, 4)(ag.ones(2, 3))
    >>> h.shape, c.shape
    (Size([2, 4]), Size([2, 4]))
    """

    gates = 4
    state_names = ("h_0", "c_0")

    def _step(self, x: Tensor, states: States, weights: list[Any]) -> States:
        return tuple(ops.lstm_cell(x, *states, *weights))


class GRUCell(RNNCellBase):
    """One step of `GRU`.

    Parameters
    ----------
    input_size, hidden_size
        The lengths of the input and of the state.
    bias
        Whether there are biases.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.GRUCell(3, 4)(ag.ones(3)).shape
    Size([4])
    """

    gates = 3

    def _step(self, x: Tensor, states: States, weights: list[Any]) -> States:
        return (ops.gru_cell(x, *states, *weights),)
