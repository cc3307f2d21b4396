"""Random Tensors: distributions by their moments, streams by their seeds, arguments by their errors.

Moments are held against their exact values with six standard errors of the mean, with a fixed seed.
"""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag

N = 20000
FLOATS = ["float16", "bfloat16", "float32", "float64"]


@pytest.fixture(autouse=True)
def seeded() -> None:
    ag.manual_seed(20)


def has_moments(x: ag.Tensor, mean: float, variance: float) -> bool:
    values = np.asarray(x.numpy(), np.float64)
    return abs(values.mean() - mean) < 6 * math.sqrt(variance / values.size) and abs(values.var() / variance - 1) < 0.2


# ---------------------------------------------------------------- distributions

DRAWN: dict[str, tuple[Callable[[], ag.Tensor], float, float]] = {
    "rand": (lambda: ag.rand(N), 1 / 2, 1 / 12),
    "randn": (lambda: ag.randn(N), 0, 1),
    "randint": (lambda: ag.randint(2, 7, (N,)), 4, 2),
    "randperm": (lambda: ag.randperm(N), (N - 1) / 2, (N**2 - 1) / 12),
    "normal": (lambda: ag.normal(3, 2, (N,)), 3, 4),
    "normal by tensors": (lambda: ag.normal(ag.full((N,), 3.0), ag.full((N,), 2.0)), 3, 4),
    "bernoulli": (lambda: ag.bernoulli(ag.full((N,), 0.3)), 0.3, 0.21),
    "bernoulli by p": (lambda: ag.bernoulli(ag.zeros(N), 0.3), 0.3, 0.21),
    "poisson": (lambda: ag.poisson(ag.full((N,), 3.5)), 3.5, 3.5),
    "binomial": (lambda: ag.binomial(ag.full((N,), 10.0), ag.full((N,), 0.3)), 3, 2.1),
    "multinomial": (lambda: ag.multinomial(ag.tensor([1.0, 0.0, 3.0]), N, True), 1.5, 0.75),
    "uniform_": (lambda: ag.empty(N).uniform_(-1, 3), 1, 16 / 12),
    "uniform_ from, to": (lambda: ag.empty(N).uniform_(**{"from": -1, "to": 3}), 1, 16 / 12),
    "normal_": (lambda: ag.empty(N).normal_(3, 2), 3, 4),
    "log_normal_": (lambda: ag.empty(N).log_normal_(0, 0.5), math.exp(1 / 8), (math.exp(1 / 4) - 1) * math.exp(1 / 4)),
    "exponential_": (lambda: ag.empty(N).exponential_(2), 1 / 2, 1 / 4),
    "geometric_": (lambda: ag.empty(N).geometric_(0.25), 4, 0.75 / 0.25**2),
    "bernoulli_": (lambda: ag.empty(N).bernoulli_(0.3), 0.3, 0.21),
    "bernoulli_ by a tensor": (lambda: ag.empty(N).bernoulli_(ag.tensor(0.3)), 0.3, 0.21),
    "random_ of bytes": (lambda: ag.empty(N, dtype="uint8").random_(), 127.5, (2**16 - 1) / 12),
    "random_ to": (lambda: ag.empty(N).random_(5), 2, 2),
    "random_ from, to": (lambda: ag.empty(N).random_(2, 7), 4, 2),
}


@pytest.mark.parametrize("name", DRAWN)
def test_mean_and_variance(name: str) -> None:
    draw, mean, variance = DRAWN[name]
    assert has_moments(draw(), mean, variance)


def test_cauchy_has_no_mean_but_quartiles() -> None:
    quartiles = np.quantile(ag.empty(N).cauchy_(1, 2).numpy(), [0.25, 0.5, 0.75])
    np.testing.assert_allclose(quartiles, [-1, 1, 3], atol=0.2)


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_float_dtype_stays_below_one(dtype: str) -> None:
    x = ag.rand(N, dtype=dtype)
    assert x.dtype == dtype
    assert ((x >= 0) & (x < 1)).all()
    assert ag.randn(3, dtype=dtype).dtype == ag.empty(3, dtype=dtype).exponential_().dtype == dtype


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32"])
def test_random_integers_of_every_dtype(dtype: str) -> None:
    limits = ag.iinfo(dtype)
    x = ag.randint(max(limits.min, -100), min(limits.max, 100) + 1, (N,), dtype=dtype)
    assert x.dtype == dtype
    assert (x.min(), x.max()) == (max(limits.min, -100), min(limits.max, 100))
    assert ag.empty(N, dtype=dtype).random_().max() > limits.max * 0.99


def test_a_permutation_has_every_number() -> None:
    x = ag.randperm(100, dtype=ag.int32)
    assert x.dtype == "int32"
    assert sorted(x.tolist()) == list(range(100))
    assert x.tolist() != list(range(100))
    assert ag.randperm(0).tolist() == []


def test_multinomial_without_replacement() -> None:
    drawn = ag.multinomial(ag.tensor([[1.0, 2.0, 0.0, 3.0]] * 500), 3)
    assert all(sorted(row) == [0, 1, 3] for row in drawn.tolist())
    # The first is drawn with the weights themselves.
    assert abs((drawn[:, 0] == 3).float().mean().item() - 0.5) < 0.1


def test_like_another() -> None:
    x = ag.zeros(3, 2, dtype="float64")
    for made in (ag.rand_like(x), ag.randn_like(x), ag.randint_like(x, 5), ag.randint_like(x, 2, 5)):
        assert (made.shape, made.dtype) == ((3, 2), "float64")
    assert ag.randn_like(x, dtype="float32", requires_grad=True).requires_grad
    assert ag.randint_like(x, 5, dtype="int8").dtype == "int8"


def test_the_names_of_arguments() -> None:
    assert ag.randint(high=3, low=2, size=(2,)).tolist() == [2, 2]
    assert ag.randint(1, size=(2,)).tolist() == ag.randint(1, (2,)).tolist() == [0, 0]
    assert ag.rand((2, 3), requires_grad=True).requires_grad
    assert ag.rand(2, 3, layout=None, pin_memory=True).shape == ag.rand([2, 3]).shape == (2, 3)


# ---------------------------------------------------------------- streams


def test_the_same_seed_whatever_was_drawn_before() -> None:
    def run() -> list[Any]:
        return [ag.rand(3).tolist(), ag.randn(3, dtype="float64").tolist(), ag.randperm(5).tolist()]

    ag.manual_seed(1)
    first = run()
    ag.rand(1), ag.randn(3), ag.randint(5, (3,)), ag.poisson(ag.ones(2))
    ag.manual_seed(1)
    assert run() == first
    assert run() != first


def test_seeds_of_the_system_and_of_tensors() -> None:
    assert ag.seed() == ag.initial_seed()
    assert ag.seed() != ag.seed()
    ag.manual_seed(ag.tensor(7))
    assert ag.initial_seed() == 7
    ag.manual_seed(-1)
    assert ag.initial_seed() == 2**64 - 1
    with pytest.raises(TypeError, match="a seed is an integer, not 'a'"):
        ag.manual_seed("a")  # type: ignore[arg-type]


def test_a_generator_is_a_stream_by_itself() -> None:
    g = ag.Generator(device="cpu")
    assert g.device == "cpu"
    a = ag.rand(3, generator=g.manual_seed(5))
    ag.rand(3)
    assert ag.equal(a, ag.rand(3, generator=g.manual_seed(5)))
    assert g.initial_seed() == 5


@pytest.mark.parametrize(
    "again", [lambda g: copy.deepcopy(g), lambda g: pickle.loads(pickle.dumps(g)), ag.Generator.clone_state]
)
def test_a_copied_generator_goes_on_alike(again: Any) -> None:
    g = ag.Generator().manual_seed(5)
    ag.rand(3, generator=g)  # an odd number of 32-bit draws: half of a 64-bit one is left over
    other = again(g)
    assert other.initial_seed() == 5
    assert ag.equal(ag.rand(5, generator=g), ag.rand(5, generator=other))


def test_a_state_is_gone_back_to() -> None:
    ag.rand(3)
    state = ag.get_rng_state()
    first = ag.rand(5)
    ag.manual_seed(99)
    ag.set_rng_state(state)
    assert ag.equal(ag.rand(5), first)
    assert ag.initial_seed() == 20
    with pytest.raises(TypeError, match="a uint8 tensor of 80 elements, from its get_state"):
        ag.set_rng_state(ag.zeros(3))


def test_a_fork_leaves_no_trace() -> None:
    with ag.random.fork_rng():
        first = ag.rand(3)
    assert ag.equal(ag.rand(3), first)
    with ag.random.fork_rng(enabled=False):
        ag.rand(3)
    assert not ag.equal(ag.rand(3), first)


# ---------------------------------------------------------------- what is refused

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "floats only": (lambda: ag.rand(3, dtype="int32"), "rand: random numbers of this kind are floats, not int32"),
    "no bools": (lambda: ag.randn(3, dtype="bool"), "randn: random numbers of this kind are floats, not bool"),
    "no size": (lambda: ag.randint(0, 5), "randint: a size is missing"),
    "bernoulli of integers": (
        lambda: ag.bernoulli(ag.ones(2, dtype="int64")),
        "bernoulli: random numbers of this kind",
    ),
    "leaves by Tensors": (lambda: ag.normal(ag.zeros(2), 1, requires_grad=True), "normal: of Tensors it takes no"),
    "unknown end": (lambda: ag.ones(2).uniform_(to=2, up=3), "uniform_: unexpected argument 'up'"),
}
OUT_OF_RANGE: dict[str, tuple[Callable[[], Any], str]] = {
    "no integer": (lambda: ag.randint(5, 5, (2,)), "randint: no integer is at least 5 and below 5"),
    "too small a dtype": (
        lambda: ag.randint(0, 300, (2,), dtype="uint8"),
        "integers from 0 to 299 do not fit into uint8",
    ),
    "negative length": (lambda: ag.rand(-1), "a shape has no negative lengths"),
    "negative permutation": (lambda: ag.randperm(-1), "randperm: there is no order of -1 integers"),
    "negative deviation": (lambda: ag.normal(0, -1, (2,)), "normal: the deviation cannot be negative"),
    "probability": (lambda: ag.bernoulli(ag.tensor([0.5, 1.5])), "probabilities are in"),
    "probability p": (lambda: ag.bernoulli(ag.ones(2), 1.5), "a probability is in"),
    "no probability": (lambda: ag.bernoulli(ag.tensor([math.nan])), "probabilities are in"),
    "rate": (lambda: ag.poisson(ag.tensor([-1.0])), "poisson: rates cannot be negative"),
    "trials": (lambda: ag.binomial(ag.tensor([-1.0]), ag.tensor([0.5])), "binomial: counts cannot be negative"),
    "weights": (lambda: ag.multinomial(ag.tensor([1.0, -1.0]), 1), "must be finite and not negative"),
    "nothing to draw": (lambda: ag.multinomial(ag.zeros(2), 1), "has no positive one"),
    "too many": (lambda: ag.multinomial(ag.tensor([1.0, 0.0]), 2), "2 samples without replacement from 1 weights"),
    "rank": (lambda: ag.multinomial(ag.ones(1, 1, 1), 1), "weights are"),
    "none": (lambda: ag.multinomial(ag.ones(2), 0), "at least one sample"),
    "uniform_": (lambda: ag.ones(2).uniform_(2, 1), "uniform_: there is nothing from 2 to 1"),
    "normal_": (lambda: ag.ones(2).normal_(0, -1), "normal_: the deviation cannot be negative"),
    "log_normal_": (lambda: ag.ones(2).log_normal_(0, 0), "log_normal_: the deviation must be positive"),
    "exponential_": (lambda: ag.ones(2).exponential_(0), "exponential_: the rate must be positive"),
    "geometric_": (lambda: ag.ones(2).geometric_(1), "geometric_: a probability between 0 and 1"),
    "cauchy_": (lambda: ag.ones(2).cauchy_(0, 0), "cauchy_: the width must be positive"),
    "random_": (lambda: ag.ones(2).random_(0), "no integer is at least 0 and below 0"),
}


def test_leaves_are_drawn_from_the_normal_distribution() -> None:
    w = ag.normal(0, 0.01, size=(2, 1), requires_grad=True)
    (3 * w).sum().backward()
    assert w.grad.tolist() == [[3.0], [3.0]]


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_kinds(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_out_of_range(name: str) -> None:
    call, message = OUT_OF_RANGE[name]
    with pytest.raises(ValueError, match=message):
        call()
