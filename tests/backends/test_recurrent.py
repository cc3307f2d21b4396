"""Recurrent networks: NumPy's kernels against the defaults, the steps through sequences, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_backends import Backend, ShapeError, get_backend
from autograd_backends.options import RecurrentOptions
from autograd_backends.shapes import check_recurrent, check_recurrent_cell
from autograd_backends.steps import recurrent_steps, state_before

CPU: Any = get_backend("cpu")

KINDS = {"rnn": (1, 1), "lstm": (4, 2), "gru": (3, 1)}

#: What rounding and the order of sums may change.
TOLERANCES = {"float64": 1e-11, "float32": 1e-4, "float16": 1e-2}


@st.composite
def calls(draw: Any) -> tuple[str, list[Any], list[Any], RecurrentOptions, str, list[bool]]:
    """A kind, its inputs, the gradients of its outputs, options, the dtype and the needs."""
    kind = draw(st.sampled_from(list(KINDS)))
    gates, count = KINDS[kind]
    sizes = tuple(sorted(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)), reverse=True))
    packed = draw(st.booleans())
    options = RecurrentOptions(draw(st.booleans()), sizes if packed else None)
    batch = sizes[0] if packed else draw(st.integers(0, 3))
    lead = (sum(sizes),) if packed else (len(sizes), batch)
    d_input, d_hidden = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    dtype = draw(st.sampled_from(list(TOLERANCES)))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))

    def made(*shape: int) -> Any:
        array = rng.normal(size=shape).astype(dtype)
        return np.asfortranarray(array) if draw(st.booleans()) else array

    state = (batch, d_hidden)
    height = gates * d_hidden
    inputs = [made(*lead, d_input), *[made(*state) for _ in range(count)], made(height, d_input)]
    inputs += [made(height, d_hidden), *[made(height) if draw(st.booleans()) else None for _ in range(2)]]
    grads = [made(*lead, d_hidden), *[made(*state) for _ in range(count)]]
    return kind, inputs, grads, options, dtype, [draw(st.booleans()) for _ in inputs]


def same(got: Any, want: Any, dtype: str) -> None:
    if want is None:
        assert got is None
        return
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype])


@settings(max_examples=150, deadline=None)
@given(calls())
def test_kernels_give_what_the_defaults_give(call: Any) -> None:
    kind, inputs, grads, options, dtype, needs = call
    before = [None if a is None else a.copy() for a in [*inputs, *grads]]
    extra = ("tanh",) if kind == "rnn" else ()
    found, want = (getattr(ops, kind)(*inputs, *extra, options) for ops in (CPU, Backend))
    outputs, expected = (r if kind == "rnn" else r[0] for r in (found, want))
    for a, b in zip(outputs, expected, strict=True):
        same(a, b, dtype)
    given = inputs[:-2] if kind == "rnn" else inputs
    kept, theirs = (() if kind == "rnn" else r[1:] for r in (found, want))
    rest = (*grads, *extra, options, tuple(needs))
    want = getattr(Backend, f"{kind}_backward")(*given, expected.output, *theirs, *rest)
    for again in (kept, [None for _ in kept]):  # without what was kept the steps are taken again
        found = getattr(CPU, f"{kind}_backward")(*given, expected.output, *again, *rest)
        for a, b, needed in zip(found, want, needs, strict=True):
            assert (b is not None) == needed
            same(a, b, dtype)
    for a, b in zip([*inputs, *grads], before, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not any(np.shares_memory(outputs.output, state) for state in outputs[1:])


def test_sums_over_many_steps_of_half_precision_are_not_taken_in_it() -> None:
    steps = 3000
    x, zero = np.ones((steps, 1, 1), np.float16), np.zeros((1, 1), np.float16)
    one = np.ones((1, 1), np.float16)
    for ops in (CPU, Backend):
        output = ops.rnn(x * np.float16(2**-11), zero, one, one, None, None, "relu", RecurrentOptions()).output
        assert abs(float(output[-1, 0, 0]) - steps / 2048) < 2e-3  # in half precision it would stop at 1
        grads = ops.rnn_backward(
            x, zero, one, zero, output, np.ones_like(output), zero, "relu", RecurrentOptions(), (True,) * 6
        )
        assert float(grads.bias_ih_grad[0]) == steps  # and the sum at 2048


# ---------------------------------------------------------------- the steps


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("sizes", [(1,), (2, 2, 2), (3, 1, 1), (4, 3, 3, 1)])
def test_the_state_before_each_row(reverse: bool, sizes: tuple[int, ...]) -> None:
    options = RecurrentOptions(reverse, sizes)
    names = [(t, n) for t, size in enumerate(sizes) for n in range(size)]
    before = []
    for initial, rows in state_before((len(names),), options):
        before += [("first", n) for n in range(rows.start, rows.stop)] if initial else names[rows]
    for (t, n), found in zip(names, before, strict=True):
        earlier = t + 1 if reverse else t - 1
        assert found == ((earlier, n) if (earlier, n) in names else ("first", n))
    steps = recurrent_steps((len(names),), options)
    assert [step.size for step in steps] == list(reversed(sizes) if reverse else sizes)


def test_options() -> None:
    assert hash(RecurrentOptions(True, [2, 1])) == hash(RecurrentOptions(True, (2, 1)))  # type: ignore[arg-type]
    for sizes, message in (
        ((), "must be positive"),
        ((2, 0), "must be positive"),
        ((1, 2), "may not rise: order the longest first"),
    ):
        with pytest.raises(ValueError, match=f"RecurrentOptions: batch_sizes=.* {message}"):
            RecurrentOptions(batch_sizes=sizes)
    for other in (3, (1.5,), "ab"):
        with pytest.raises(TypeError, match="RecurrentOptions: batch_sizes="):
            RecurrentOptions(batch_sizes=other)  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is refused

RIGHT: dict[str, Any] = {
    "x_shape": (5, 2, 3),
    "states": {"h_0": (2, 4), "c_0": (2, 4)},
    "weight_ih_shape": (16, 3),
    "weight_hh_shape": (16, 4),
    "bias_ih_shape": (16,),
    "bias_hh_shape": None,
}

WRONG = [
    ({"x_shape": (5, 3)}, "x has 2 dimensions (5, 3); it needs 3, [T, N, d_input]"),
    ({"x_shape": (0, 2, 3)}, "x (0, 2, 3), [T, N, d_input], has T = 0; a sequence needs an element"),
    (
        {"x_shape": (5, 2, 7)},
        "x has 7 features (last dimension of (5, 2, 7)) but weight_ih (16, 3), [4 d_hidden, d_input], expects 3",
    ),
    ({"weight_hh_shape": (16, 3)}, "weight_hh has shape (16, 3); it must be [4 d_hidden, d_hidden]"),
    ({"weight_hh_shape": (16,)}, "weight_hh has shape (16,); it must be [4 d_hidden, d_hidden]"),
    (
        {"weight_ih_shape": (12, 3)},
        "weight_ih has shape (12, 3) but weight_hh (16, 4), [4 d_hidden, d_hidden], expects (16, d_input)",
    ),
    ({"bias_ih_shape": (4,)}, "bias_ih has shape (4,) but weight_hh (16, 4) expects (16,)"),
    ({"bias_hh_shape": (16, 1)}, "bias_hh has shape (16, 1) but weight_hh (16, 4) expects (16,)"),
    (
        {"states": {"h_0": (2, 4), "c_0": (1, 4)}},
        "c_0 has shape (1, 4) but a batch of 2 (x (5, 2, 3)) and weight_hh (16, 4) expect (2, 4)",
    ),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_refused_sequences(changes: dict[str, Any], message: str) -> None:
    check_recurrent("lstm", 4, **RIGHT, options=RecurrentOptions())
    with pytest.raises(ShapeError) as caught:
        check_recurrent("lstm", 4, **(RIGHT | changes), options=RecurrentOptions())
    assert str(caught.value) == f"lstm: {message}"


@pytest.mark.parametrize(("changes", "message"), WRONG[2:-1])
def test_refused_steps(changes: dict[str, Any], message: str) -> None:
    right = RIGHT | {"x_shape": (2, 3)}
    check_recurrent_cell("lstm_cell", 4, **right)
    with pytest.raises(ShapeError) as caught:
        check_recurrent_cell(
            "lstm_cell", 4, **(right | changes | ({"x_shape": (2, 7)} if "x_shape" in changes else {}))
        )
    assert str(caught.value) == f"lstm_cell: {message}".replace("(5, 2, 7)", "(2, 7)")


def test_other_refusals() -> None:
    packed = RIGHT | {"x_shape": (4, 3)}
    check_recurrent("gru", 4, **(packed | {"x_shape": (3, 3)}), options=RecurrentOptions(batch_sizes=(2, 1)))
    with pytest.raises(ShapeError, match=r"gru: x has shape \(4, 3\) but batch_sizes, which sum to 3, expect \(3, d_"):
        check_recurrent("gru", 4, **packed, options=RecurrentOptions(batch_sizes=(2, 1)))
    with pytest.raises(ShapeError, match=r"rnn_cell: x has 3 dimensions \(5, 2, 3\); it needs 2, \[N, d_input\]"):
        check_recurrent_cell("rnn_cell", 4, **RIGHT)
    zero, one = np.zeros((1, 1)), np.zeros((1, 1, 1))
    for ops in (CPU, Backend):
        with pytest.raises(ValueError, match="rnn: nonlinearity must be 'tanh' or 'relu', not 'elu'"):
            ops.rnn(one, zero, zero, zero, None, None, "elu", RecurrentOptions())
