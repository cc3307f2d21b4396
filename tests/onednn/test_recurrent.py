"""LSTM and GRU by oneDNN: what the defaults give, in parts or at once, and what becomes of what is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_backends import Backend, ShapeError, get_backend
from autograd_backends.numpy_backend.onednn import recurrent
from autograd_backends.numpy_backend.onednn.gate import forced
from autograd_backends.options import RecurrentOptions

CPU: Any = get_backend("cpu")

#: The number of gates, and of states.
KINDS = {"lstm": (4, 2), "gru": (3, 1)}


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a batch be cut however little there is to do."""
    monkeypatch.setattr(recurrent, "FEWEST", 1)
    monkeypatch.setattr(recurrent, "ENOUGH", 1)


def made(rng: np.random.Generator, kind: str, lead: tuple[int, ...], sizes: tuple[int, int, int]) -> Any:
    """Inputs, and the gradients of outputs; sequences lie in memory as they are, or batch first."""
    (batch, d_input, d_hidden), (gates, states) = sizes, KINDS[kind]

    def drawn(*shape: int) -> Any:
        return rng.normal(size=shape).astype(np.float32)

    def sequence(d: int) -> Any:
        turned = len(lead) == 2 and rng.integers(2)
        return drawn(*lead[::-1], d).swapaxes(0, 1) if turned else drawn(*lead, d)

    height = gates * d_hidden
    inputs = [sequence(d_input), *[drawn(batch, d_hidden) for _ in range(states)]]
    inputs += [drawn(height, d_input) / 2, drawn(height, d_hidden) / 2]
    inputs += [drawn(height) if rng.integers(2) else None for _ in range(2)]
    return inputs, [sequence(d_hidden), *[drawn(batch, d_hidden) for _ in range(states)]]


def close(got: Any, want: Any) -> None:
    if want is None:
        assert got is None
        return
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * max(1.0, np.abs(want).max()))


def check(kind: str, inputs: Any, grads: Any, options: RecurrentOptions, needs: tuple[bool, ...]) -> Any:
    """Compare with the defaults; what was kept."""
    with forced():
        found, kept = getattr(CPU, kind)(*inputs, options)
        back = getattr(CPU, f"{kind}_backward")(*inputs, found.output, kept, *grads, options, needs)
    want, theirs = getattr(Backend, kind)(*inputs, options)
    for a, b in zip(found, want, strict=True):
        close(a, b)
    for a, b in zip(
        back, getattr(Backend, f"{kind}_backward")(*inputs, want.output, theirs, *grads, options, needs), strict=True
    ):
        close(a, b)
    arrays = [a for a in (*found, *back, kept) if a is not None]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])
    return kept


@settings(max_examples=80, deadline=None)
@given(
    kind=st.sampled_from(list(KINDS)),
    length=st.integers(2, 6),
    sizes=st.tuples(st.integers(1, 6), st.integers(1, 9), st.integers(1, 20)),
    reverse=st.booleans(),
    packed=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_random_shapes(kind: str, length: int, sizes: Any, reverse: bool, packed: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    inputs, grads = made(rng, kind, (length * sizes[0],) if packed else (length, sizes[0]), sizes)
    needs = tuple(bool(n) for n in rng.integers(2, size=len(inputs)))
    options = RecurrentOptions(reverse, (sizes[0],) * length if packed else None)
    assert check(kind, inputs, grads, options, needs).dtype == np.uint8


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("batch", [1, 2, 5, 7])
@pytest.mark.parametrize("reverse", [False, True])
def test_parts(kind: str, batch: int, reverse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(batch)
    for threads in (1, 3):
        monkeypatch.setattr(recurrent, "_threads", lambda threads=threads: threads)
        inputs, grads = made(rng, kind, (4, batch), (batch, 3, 17))
        kept = check(kind, inputs, grads, RecurrentOptions(reverse), (True,) * len(inputs))
        assert len(kept) == min(threads, batch)


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("sizes", [(3, 2, 1), (3,)])
def test_several_lengths_and_single_steps_are_left_to_numpy(kind: str, sizes: tuple[int, ...]) -> None:
    inputs, grads = made(np.random.default_rng(0), kind, (sum(sizes),), (3, 2, 4))
    kept = check(kind, inputs, grads, RecurrentOptions(False, sizes), (True,) * len(inputs))
    assert kept.dtype == np.float32


@pytest.mark.parametrize("kind", list(KINDS))
def test_numpy_takes_the_steps_again_where_it_cannot_read_what_was_kept(kind: str) -> None:
    inputs, grads = made(np.random.default_rng(0), kind, (4, 3), (3, 2, 5))
    options, needs = RecurrentOptions(), (True,) * len(inputs)
    with forced():
        found, kept = getattr(CPU, kind)(*inputs, options)
    assert kept.dtype == np.uint8
    with forced(2**40):
        back = getattr(CPU, f"{kind}_backward")(*inputs, found.output, kept, *grads, options, needs)
    want, theirs = getattr(Backend, kind)(*inputs, options)
    for a, b in zip(
        back, getattr(Backend, f"{kind}_backward")(*inputs, want.output, theirs, *grads, options, needs), strict=True
    ):
        close(a, b)


def test_what_is_wrong_is_said_as_ever() -> None:
    inputs, _ = made(np.random.default_rng(0), "lstm", (4, 3), (3, 2, 5))
    with forced(), pytest.raises(ShapeError, match="lstm: c_0 has shape"):
        CPU.lstm(inputs[0], inputs[1], inputs[2][:2], *inputs[3:], RecurrentOptions())
