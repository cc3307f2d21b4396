"""Recurrent modules: their parameters, what they print, and what they compute, with numbers from PyTorch."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import autograd_ops as ag
from autograd_backends import ShapeError
from autograd_ops import nn
from autograd_ops.nn.utils import rnn as sequences

from .conftest import DEVICES, made, near

CASES = json.loads((Path(__file__).parent / "torch_recurrent.json").read_text())["cases"]

#: As PyTorch 2.13 prints them.
REPRS = [
    (nn.LSTM(10, 20), "LSTM(10, 20)"),
    (
        nn.LSTM(10, 20, 2, batch_first=True, dropout=0.5, bidirectional=True),
        "LSTM(10, 20, num_layers=2, batch_first=True, dropout=0.5, bidirectional=True)",
    ),
    (nn.LSTM(3, 4, 2, proj_size=2), "LSTM(3, 4, proj_size=2, num_layers=2)"),
    (nn.GRU(3, 4, bias=False), "GRU(3, 4, bias=False)"),
    (nn.RNN(3, 4, 2, "relu", False), "RNN(3, 4, num_layers=2, bias=False)"),
    (nn.RNNCell(3, 4), "RNNCell(3, 4)"),
    (nn.RNNCell(3, 4, False, "relu"), "RNNCell(3, 4, bias=False, nonlinearity=relu)"),
    (nn.LSTMCell(3, 4), "LSTMCell(3, 4)"),
    (nn.GRUCell(3, 4, bias=False), "GRUCell(3, 4, bias=False)"),
]

MODULES = [nn.RNN, nn.LSTM, nn.GRU]
CELLS = [nn.RNNCell, nn.LSTMCell, nn.GRUCell]


def filled(cls: Any, *args: Any, **options: Any) -> Any:
    """A module in float64 whose parameters PyTorch can make too."""
    module = cls(*args, **options, dtype=ag.float64)
    for k, parameter in enumerate(module.parameters()):
        parameter.data.copy_(made(tuple(parameter.shape), 0.7 * k) * 0.8)
    return module


def label(case: dict[str, Any]) -> str:
    return " ".join(f"{case[key]}" for key in ("name", "args", "options", "shape", "hx", "lengths"))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_outputs_and_gradients_are_those_of_pytorch(case: dict[str, Any], device: str) -> None:
    name, shape, options = case["name"], tuple(case["shape"]), case["options"]
    module = filled(getattr(nn, name), *case["args"], **options, device=device)
    x = made(shape, 0.1, device).requires_grad_()
    many = name.startswith("LSTM")
    first = case["shapes"][0 if name.endswith("Cell") else 1]
    states = [made(tuple(first), 2.0 + k, device).requires_grad_() for k in range(len(case["grads"]) - 1)]
    hx = None if not states else tuple(states) if many else states[0]
    batch_first = options.get("batch_first", False)
    packed = case["lengths"] is not None
    given: Any = x
    if packed:
        given = sequences.pack_padded_sequence(x, case["lengths"], batch_first, case["enforce_sorted"])
    result = module(given, hx)
    if name.endswith("Cell"):
        outputs = list(result) if many else [result]
    else:
        output, last = result
        if packed:
            output, lengths = sequences.pad_packed_sequence(output, batch_first, -1.0)
            assert lengths.tolist() == case["lengths"]
        outputs = [output, *(last if many else [last])]
    for output, expected, expected_shape in zip(outputs, case["outputs"], case["shapes"], strict=True):
        assert list(output.shape) == expected_shape
        assert output.device == device
        near(output.reshape(-1), expected)
    loss = sum((o * made(tuple(o.shape), 0.3 + k, device)).sum() for k, o in enumerate(outputs))
    loss.backward()
    for tensor, expected in zip([x, *states], case["grads"], strict=True):
        near(tensor.grad.reshape(-1), expected)
    assert list(case["weight_grads"]) == [name for name, _ in module.named_parameters()]
    for name, parameter in module.named_parameters():
        near(parameter.grad.reshape(-1), case["weight_grads"][name])


@pytest.mark.parametrize(("module", "text"), REPRS)
def test_repr(module: nn.Module, text: str) -> None:
    assert repr(module) == text


def test_keys_and_shapes() -> None:
    module = nn.LSTM(3, 2, 2, bidirectional=True)
    shapes = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    assert list(shapes.items()) == [
        ("weight_ih_l0", (8, 3)),
        ("weight_hh_l0", (8, 2)),
        ("bias_ih_l0", (8,)),
        ("bias_hh_l0", (8,)),
        ("weight_ih_l0_reverse", (8, 3)),
        ("weight_hh_l0_reverse", (8, 2)),
        ("bias_ih_l0_reverse", (8,)),
        ("bias_hh_l0_reverse", (8,)),
        ("weight_ih_l1", (8, 4)),
        ("weight_hh_l1", (8, 2)),
        ("bias_ih_l1", (8,)),
        ("bias_hh_l1", (8,)),
        ("weight_ih_l1_reverse", (8, 4)),
        ("weight_hh_l1_reverse", (8, 2)),
        ("bias_ih_l1_reverse", (8,)),
        ("bias_hh_l1_reverse", (8,)),
    ]
    assert [len(weights) for weights in module.all_weights] == [4, 4, 4, 4]
    assert module.all_weights[1][0] is module.weight_ih_l0_reverse
    assert module.flatten_parameters() is None
    assert list(nn.GRU(3, 2, bias=False).state_dict()) == ["weight_ih_l0", "weight_hh_l0"]
    assert list(nn.GRUCell(3, 2).state_dict()) == ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    assert isinstance(module, nn.RNNBase)
    assert isinstance(nn.GRUCell(1, 1), nn.RNNCellBase)


@pytest.mark.parametrize("cls", MODULES + CELLS)
def test_initialisation(cls: Any) -> None:
    ag.manual_seed(0)
    module = cls(30, 50)
    bound = 1 / math.sqrt(50)
    for parameter in module.parameters():
        assert 0.8 * bound < float(parameter.abs().max()) <= bound
    weight = next(module.parameters())
    assert float(weight.std()) == pytest.approx(bound / math.sqrt(3), rel=0.05)


@pytest.mark.parametrize("cls", MODULES)
@pytest.mark.parametrize("packed", [False, True])
def test_loss_through_the_last_states_alone(cls: Any, packed: bool) -> None:
    module = filled(cls, 2, 3)
    x = made((3, 2, 2)).requires_grad_()
    given: Any = sequences.pack_padded_sequence(x, [3, 1]) if packed else x
    output, last = module(given)
    states = last if cls is nn.LSTM else (last,)
    if packed:
        near(states[0][0, 1], output.data[1].tolist())  # the shorter sequence has one element
    else:
        near(states[0][0], output[-1].tolist())
    sum(state.sum() for state in states).backward()
    assert float(x.grad[0].abs().sum()) > 0
    if packed:
        assert x.grad[1:, 1].tolist() == [[0.0, 0.0]] * 2


@pytest.mark.parametrize("cls", MODULES)
def test_dropout_is_between_layers_and_in_training(cls: Any) -> None:
    ag.manual_seed(0)
    module = filled(cls, 2, 3, 2, dropout=0.5)
    x = made((3, 2, 2))
    assert module(x)[0].tolist() != module(x)[0].tolist()
    module.eval()
    plain = filled(cls, 2, 3, 2)
    near(module(x)[0], plain(x)[0].tolist())
    everything = filled(cls, 2, 3, 2, dropout=1.0)
    below = everything(x)[1]
    state = below[0] if cls is nn.LSTM else below
    expected = plain(x)[1]
    near(state[0], (expected[0] if cls is nn.LSTM else expected)[0].tolist())  # the first layer is not touched


@pytest.mark.parametrize("cls", MODULES)
def test_dropout_in_one_layer_warns(cls: Any) -> None:
    with pytest.warns(UserWarning, match="dropout=0.5 does nothing in one layer"):
        cls(2, 3, dropout=0.5)


@pytest.mark.parametrize("cls", MODULES)
@pytest.mark.parametrize("device", DEVICES)
def test_an_empty_batch(cls: Any, device: str) -> None:
    module = cls(2, 3, 2, bidirectional=True, device=device)
    x = ag.zeros(4, 0, 2, device=device, requires_grad=True)
    output, last = module(x)
    assert output.shape == (4, 0, 6)
    assert (last[0] if cls is nn.LSTM else last).shape == (4, 0, 3)
    output.sum().backward()
    assert x.grad.shape == (4, 0, 2)
    assert float(module.weight_hh_l1.grad.abs().sum()) == 0.0


@pytest.mark.parametrize("cls", MODULES)
def test_half_precision(cls: Any) -> None:
    module, exact = filled(cls, 2, 3).half(), filled(cls, 2, 3)
    x = made((40, 2, 2))
    half = x.half().requires_grad_()
    output, last = module(half)
    assert output.dtype is ag.float16
    assert (last[0] if cls is nn.LSTM else last).dtype is ag.float16
    near(output.double(), exact(x)[0].tolist(), 1e-2)
    output.sum().backward()
    assert half.grad.dtype is ag.float16
    exact(x)[0].sum().backward()
    for (name, parameter), (_, expected) in zip(module.named_parameters(), exact.named_parameters(), strict=True):
        assert parameter.grad.dtype is ag.float16, name
        near(parameter.grad.double(), expected.grad.tolist(), 3e-2)


@pytest.mark.parametrize("cls", MODULES)
def test_one_tensor_as_several_inputs(cls: Any) -> None:
    module = filled(cls, 3, 3)
    state = made((1, 2, 3)).requires_grad_()

    def loss(state: Any) -> Any:
        output, _ = module(state.expand(4, 2, 3), (state, state) if cls is nn.LSTM else state)
        return (output * output).sum()

    assert ag.autograd.gradcheck(loss, state)
    assert ag.autograd.gradgradcheck(loss, state)


@pytest.mark.parametrize("cls", MODULES)
def test_a_saved_state_is_loaded_and_copied(cls: Any) -> None:
    module, other = filled(cls, 2, 3, 2), cls(2, 3, 2, dtype=ag.float64)
    other.load_state_dict(module.state_dict())
    x = made((3, 2, 2))
    near(other(x)[0], module(x)[0].tolist(), 0.0)


# ---------------------------------------------------------------- a projected hidden state


def projected(x: ag.Tensor, h: ag.Tensor, c: ag.Tensor, weights: list[Any]) -> tuple[list[ag.Tensor], ag.Tensor]:
    """One sequence [T, d] step by step: h after each step, and the last c."""
    weight_ih, weight_hh, bias_ih, bias_hh, weight_hr = weights
    output = []
    for step in x.unbind():
        i, f, g, o = (weight_ih @ step + bias_ih + weight_hh @ h + bias_hh).chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = weight_hr @ (o.sigmoid() * c.tanh())
        output.append(h)
    return output, c


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_projected_lstm_is_the_loop_over_its_steps(bidirectional: bool, device: str) -> None:
    # A Linear behind an LSTM is another model: https://github.com/rdspring1/PyTorch_GBW_LM/issues/2
    module = filled(nn.LSTM, 2, 4, bidirectional=bidirectional, proj_size=3, device=device)
    lengths = [2, 4]
    x = made((4, 2, 2), 0.3, device).requires_grad_()
    directions = module.all_weights
    h_0 = made((len(directions), 2, 3), 1.0, device).requires_grad_()
    c_0 = made((len(directions), 2, 4), 2.0, device).requires_grad_()
    given = [x, h_0, c_0, *module.parameters()]

    output, (h_n, c_n) = module(sequences.pack_padded_sequence(x, lengths, enforce_sorted=False), (h_0, c_0))
    padded, _ = sequences.pad_packed_sequence(output)
    gradients = ag.autograd.grad((padded * padded).sum() + (h_n * 2.0).sum() + c_n.sum(), given)

    loss: Any = 0.0
    for n, length in enumerate(lengths):
        for k, weights in enumerate(directions):
            sequence = x[:length, n]
            hs, c = projected(sequence.flip(0) if k else sequence, h_0[k, n], c_0[k, n], weights)
            near(h_n[k, n], hs[-1].tolist())
            near(c_n[k, n], c.tolist())
            near(padded[:length, n, 3 * k : 3 * k + 3], ag.stack(hs[::-1] if k else hs).tolist())
            loss = loss + sum((h * h).sum() for h in hs) + (hs[-1] * 2.0).sum() + c.sum()
    for gradient, expected in zip(gradients, ag.autograd.grad(loss, given), strict=True):
        near(gradient, expected.tolist())


def test_a_projected_lstm_in_layers() -> None:
    # PyTorch 2.13: keys and shapes.
    module = nn.LSTM(2, 4, 2, batch_first=True, bidirectional=True, proj_size=3)
    shapes = {key: tuple(value.shape) for key, value in module.state_dict().items() if "l1_reverse" in key}
    assert shapes == {
        "weight_ih_l1_reverse": (16, 6),
        "weight_hh_l1_reverse": (16, 3),
        "bias_ih_l1_reverse": (16,),
        "bias_hh_l1_reverse": (16,),
        "weight_hr_l1_reverse": (3, 4),
    }
    output, (h_n, c_n) = module(ag.ones(2, 5, 2))
    assert (output.shape, h_n.shape, c_n.shape) == ((2, 5, 6), (4, 2, 3), (4, 2, 4))
    output, (h_n, c_n) = module(ag.ones(5, 2))
    assert (output.shape, h_n.shape, c_n.shape) == ((5, 6), (4, 3), (4, 4))
    assert module(ag.ones(0, 5, 2))[0].shape == (0, 5, 6)
    with pytest.raises(ShapeError, match=r"h_0 has shape \(4, 2, 4\) but must have \(4, 2, 3\)"):
        module(ag.ones(2, 5, 2), (ag.zeros(4, 2, 4), ag.zeros(4, 2, 4)))
    with pytest.raises(ShapeError):
        module(ag.ones(2, 0, 2))


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("cls", MODULES)
@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((3, 2, 5), r"input has 5 features \(last dimension of \(3, 2, 5\)\) but input_size is 2"),
        ((2,), r"input must be \[T, N, input_size\], or \[T, input_size\] for one sequence, and has shape \(2,\)"),
        ((0, 2, 2), r"x \(0, 2, 2\), \[T, N, d_input\], has T = 0; a sequence needs an element"),
    ],
)
def test_refused_inputs(cls: Any, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        cls(2, 3)(ag.zeros(*shape))


@pytest.mark.parametrize("cls", MODULES)
def test_refused_states(cls: Any) -> None:
    module = cls(2, 3, 2)
    name = "h_0" if cls is nn.LSTM else "hx"
    rule = r"\(num_layers \* directions, N, hidden_size\)"

    def states(*shape: int) -> Any:
        state = ag.zeros(*shape)
        return (state, ag.zeros(2, 4, 3)) if cls is nn.LSTM else state

    for shape in ((1, 4, 3), (2, 1, 3), (2, 4, 2), (4, 3)):
        text = str(shape).replace("(", r"\(").replace(")", r"\)")
        with pytest.raises(ShapeError, match=rf"{cls.__name__}: {name} has shape {text} but must have .*, {rule}"):
            module(ag.zeros(5, 4, 2), states(*shape))
    with pytest.raises(ShapeError, match=r"must have \(2, 3\), \(num_layers \* directions, hidden_size\)"):
        module(ag.zeros(5, 2), states(2, 4, 3))
    with pytest.raises(ShapeError, match=r"must have \(2, 2, 3\)"):
        module(sequences.pack_padded_sequence(ag.zeros(5, 2, 2), [5, 1]), states(2, 4, 3))
    with pytest.raises(TypeError, match="hx is a"):
        module(ag.zeros(5, 4, 2), ag.zeros(2, 4, 3) if cls is nn.LSTM else (ag.zeros(2, 4, 3),))


def test_a_second_state_is_looked_at() -> None:
    with pytest.raises(ShapeError, match=r"LSTM: c_0 has shape \(1, 1, 3\) but must have \(1, 4, 3\)"):
        nn.LSTM(2, 3)(ag.zeros(5, 4, 2), (ag.zeros(1, 4, 3), ag.zeros(1, 1, 3)))


@pytest.mark.parametrize("cls", CELLS)
def test_refused_steps(cls: Any) -> None:
    cell = cls(2, 3)
    name = "h_0" if cls is nn.LSTMCell else "hx"
    wrong = (ag.zeros(2, 2), ag.zeros(2, 3)) if cls is nn.LSTMCell else ag.zeros(2, 2)
    with pytest.raises(ShapeError, match=rf"{cls.__name__}: {name} has shape \(2, 2\) but must have \(2, 3\), \(N, "):
        cell(ag.zeros(2, 2), wrong)
    with pytest.raises(ShapeError, match="input has 3 features"):
        cell(ag.zeros(2, 3))
    with pytest.raises(ShapeError, match=r"input must be \[N, input_size\]"):
        cell(ag.zeros(1, 2, 2))


@pytest.mark.parametrize("cls", MODULES + CELLS)
def test_refused_sizes(cls: Any) -> None:
    with pytest.raises(ValueError, match=f"{cls.__name__}: hidden_size must be positive, got 0"):
        cls(2, 0)
    with pytest.raises(ValueError, match=f"{cls.__name__}: input_size must be positive, got 0"):
        cls(0, 2)
    with pytest.raises(TypeError, match=f"{cls.__name__}: hidden_size is an int, not float"):
        cls(2, 2.0)


@pytest.mark.parametrize("cls", MODULES)
def test_refused_options(cls: Any) -> None:
    with pytest.raises(ValueError, match="num_layers must be positive"):
        cls(2, 3, 0)
    with pytest.raises(ValueError, match="dropout is a probability"):
        cls(2, 3, 2, dropout=1.5)


def test_other_refused_options() -> None:
    with pytest.raises(ValueError, match="GRU: proj_size=2, but only an LSTM projects its state"):
        nn.GRU(2, 3, proj_size=2)
    for size in (-1, 3):
        with pytest.raises(ValueError, match=f"LSTM: proj_size={size} must be from 0 to less than hidden_size, 3"):
            nn.LSTM(2, 3, proj_size=size)
    for cls in (nn.RNN, nn.RNNCell):
        with pytest.raises(ValueError, match=f"{cls.__name__}: nonlinearity must be 'tanh' or 'relu', not 'gelu'"):
            cls(2, 3, nonlinearity="gelu")
