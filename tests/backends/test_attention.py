"""Attention against its definition, in blocks of many sizes; what hidden keys hold; memory; refusals."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_backends import ShapeError, get_backend
from autograd_backends.module_ops.attention import attention, attention_backward
from autograd_backends.module_ops.score_blocks import ScoreBlocks
from autograd_backends.numpy_backend import attention as attention_of_numpy
from autograd_backends.numpy_backend import attention_rows
from autograd_backends.numpy_backend.attention import CachedBlocks
from autograd_backends.options import AttentionModuleOptions

from .conftest import Lane, close

MIB = 2**20


class Call:
    """Random arguments, and what the definition makes of them, a query at a time."""

    def __init__(
        self,
        rng: Any,
        sizes: tuple[int, ...],
        options: AttentionModuleOptions,
        mask: tuple[int, int] | None = None,
        bias: tuple[int, int] | None = None,
    ) -> None:
        batch, heads, key_heads, queries, keys, width, value_width = sizes
        self.options = options
        self.query = rng.normal(size=(batch, heads, queries, width))
        self.key = rng.normal(size=(batch, key_heads, keys, width))
        self.value = rng.normal(size=(batch, key_heads, keys, value_width))
        self.mask = None if mask is None else rng.random((*mask, queries, keys)) < 0.4
        self.bias = None if bias is None else rng.normal(size=(*bias, queries, keys))
        self.grad = rng.normal(size=(batch, heads, queries, value_width))

    def arrays(self) -> tuple[Any, ...]:
        return (self.query, self.key, self.value, self.mask, self.bias)

    def expected(self) -> tuple[Any, ...]:
        """Output, log-sums, and the gradients of query, key, value and bias."""
        o, q, k, v = self.options, self.query, self.key, self.value
        queries, keys, group = q.shape[2], k.shape[2], q.shape[1] // max(1, k.shape[1])
        out, sums = np.zeros(self.grad.shape), np.full(q.shape[:3], -np.inf)
        dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
        db = None if self.bias is None else np.zeros(self.bias.shape)
        scale = q.shape[3] ** -0.5 if o.scale is None else o.scale
        for b, h, i in np.ndindex(q.shape[:3]):
            at = (b, h // group)

            def of(x: Any, b: int = b, h: int = h, i: int = i) -> Any:
                return x[b % len(x), h % x.shape[1], i]

            seen = [j for j in range(keys) if not (o.is_causal and j > i + keys - queries)]
            seen = [j for j in seen if self.mask is None or not of(self.mask)[j]]
            if not seen:
                continue
            raw = k[at][seen] @ q[b, h, i] * scale
            s = raw if o.softcap is None else o.softcap * np.tanh(raw / o.softcap)
            slope = 1.0 if o.softcap is None else 1 - np.tanh(raw / o.softcap) ** 2
            s = s if self.bias is None else s + of(self.bias)[seen]
            p = np.exp(s - s.max())
            sums[b, h, i] = np.log(p.sum()) + s.max()
            p /= p.sum()
            out[b, h, i] = p @ v[at][seen]
            g = self.grad[b, h, i]
            ds = p * (v[at][seen] @ g - out[b, h, i] @ g)
            dv[at][seen] += p[:, None] * g
            if db is not None:
                db[b % len(db), h % db.shape[1], i, seen] += ds
            ds = ds * slope * scale
            dq[b, h, i] = ds @ k[at][seen]
            dk[at][seen] += ds[:, None] * q[b, h, i]
        return out, sums, dq, dk, dv, db


def blocks_of(count: int, base: type[ScoreBlocks]) -> type[ScoreBlocks]:
    """`base` with at most `count` scores a block."""
    return type("SmallBlocks", (base,), {"size": count})


@st.composite
def calls(draw: Any) -> Call:
    key_heads = draw(st.integers(1, 2))
    sizes = (
        draw(st.integers(0, 3)),
        key_heads * draw(st.integers(1, 3)),
        key_heads,
        draw(st.integers(0, 7)),
        draw(st.integers(0, 7)),
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
    )
    lead = st.tuples(st.sampled_from([1, sizes[0]]), st.sampled_from([1, sizes[1]]))
    options = AttentionModuleOptions(
        draw(st.sampled_from([None, 0.7])), draw(st.sampled_from([None, 1.5])), draw(st.booleans())
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    return Call(rng, sizes, options, draw(st.none() | lead), draw(st.none() | lead))


@pytest.mark.parametrize("base", [ScoreBlocks, CachedBlocks])
@settings(max_examples=150, deadline=None)
@given(calls(), st.sampled_from([1, 4, 9, 30, 10**6]))
def test_blocks_of_any_size_give_the_same(base: Any, call: Call, count: int) -> None:
    blocks = blocks_of(count, base)
    output, log_sum = attention(*call.arrays(), call.options, blocks)
    grads = attention_backward(*call.arrays(), output, log_sum, call.grad, call.options, blocks=blocks)
    for got, want in zip((output, log_sum, *grads), call.expected(), strict=True):
        assert (got is None) == (want is None)
        if got is not None:
            close(got, want, "float64")


@pytest.mark.parametrize("most", [2**16, 60, 30])
def test_numpy_in_whole_rows(most: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(attention_of_numpy, "BLOCK", most)
    monkeypatch.setattr(attention_of_numpy, "SMALL", 1)
    monkeypatch.setattr(attention_rows, "ROWS", 1)
    cpu: Any = get_backend("cpu")
    for causal, mask, bias in product((False, True), (None, (1, 1), (2, 3)), (None, (1, 3), (2, 1))):
        call = Call(rng, (2, 3, 3, 5, 6, 4, 3), AttentionModuleOptions(None, None, causal), mask, bias)
        if call.mask is not None:
            call.mask[..., 0] = False
        output, weights = cpu.attention(*call.arrays(), call.options)
        assert weights.ndim == 4
        grads = cpu.attention_backward(*call.arrays(), output, weights, call.grad, call.options)
        again = cpu.attention_backward(*call.arrays(), output, None, call.grad, call.options)
        want, _, *gradients = call.expected()
        for got, exact in zip((output, *grads, *again), (want, *gradients, *gradients), strict=True):
            assert (got is None) == (exact is None)
            if got is not None:
                close(got, exact, "float64")


OPTIONS = [
    AttentionModuleOptions(),
    AttentionModuleOptions(scale=0.3),
    AttentionModuleOptions(softcap=2.0, is_causal=True),
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("mask", [None, (1, 1), (2, 4)])
def test_on_every_lane(options: AttentionModuleOptions, mask: Any, lane: Lane, dtype: str, rng: Any) -> None:
    call = Call(rng, (2, 4, 2, 5, 6, 3, 2), options, mask, (1, 4))
    given = [None if a is None else lane.array(a, None if a.dtype == bool else dtype) for a in call.arrays()]
    output, log_sum = lane.ops.attention(*given, options)
    grads = lane.ops.attention_backward(*given, output, log_sum, lane.array(call.grad, dtype), options)
    for got, want in zip((output, log_sum, *grads), call.expected(), strict=True):
        close(lane.host(got), want, dtype, 10)


def test_only_what_is_needed(lane: Lane, rng: Any) -> None:
    call = Call(rng, (1, 2, 1, 3, 3, 2, 2), OPTIONS[2], (1, 1), (1, 1))
    given = [lane.array(a) for a in call.arrays()]
    output, log_sum = lane.ops.attention(*given, call.options)
    for at in range(4):
        needs = tuple(i == at for i in range(4))
        grads = lane.ops.attention_backward(*given, output, log_sum, lane.array(call.grad), call.options, needs)
        assert tuple(g is not None for g in grads) == needs
        close(lane.host(grads[at]), call.expected()[2 + at], "float64")


def test_half_precision_is_summed_in_single(numpy_lane: Lane, rng: Any) -> None:
    # 4,000 weights, of which half precision could not hold the sum of the exponentials, nor the scores.
    call = Call(rng, (1, 1, 1, 2, 4000, 8, 2), AttentionModuleOptions(scale=30.0), None, (1, 1))
    for name in ("query", "key", "value", "bias", "grad"):
        setattr(call, name, getattr(call, name).astype(np.float16).astype(float))
    given = [None if a is None else a.astype(np.float16) for a in call.arrays()]
    output, log_sum = numpy_lane.ops.attention(*given, call.options)
    want = call.expected()
    close(output, want[0], "float16")
    close(log_sum, want[1], "float32", 10)
    grads = numpy_lane.ops.attention_backward(*given, output, log_sum, call.grad.astype(np.float16), call.options)
    assert {g.dtype.name for g in grads} == {"float16"}
    close(grads.value_grad, want[4], "float16")


# ---------------------------------------------------------------- hidden keys

GARBAGE = [1e30, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("how", ["mask", "bias", "causal"])
@pytest.mark.parametrize("count", [2, 10**6])
def test_what_hidden_keys_hold_makes_no_difference(
    garbage: float, how: str, count: int, lane: Lane, rng: Any, dtype: str
) -> None:
    call = Call(rng, (1, 2, 1, 4, 4, 2, 2), AttentionModuleOptions(None, 2.0, how == "causal"))
    hidden = np.triu(np.ones((1, 1, 4, 4), bool), 1)
    call.mask = hidden if how == "mask" else None
    call.bias = np.where(hidden, -np.inf, 0.5) if how == "bias" else None
    clean = [None if a is None else lane.array(a, None if a.dtype == bool else dtype) for a in call.arrays()]
    want, want_sums = lane.ops.attention(*clean, call.options)
    # The last key is hidden from all queries but the last, on which nothing is asked.
    call.key[..., 3, :] = call.value[..., 3, :] = garbage
    call.grad[..., 3, :] = 0.0
    call.mask = None if call.mask is None else np.where(np.arange(4)[:, None] == 3, True, call.mask)
    given = [None if a is None else lane.array(a, None if a.dtype == bool else dtype) for a in call.arrays()]
    blocks = blocks_of(count, CachedBlocks if lane.name == "cpu" else ScoreBlocks)
    with np.errstate(all="ignore"):  # the defaults on NumPy's arrays do warn
        output, log_sum = lane.ops.attention(*given, call.options, blocks)
        grads = lane.ops.attention_backward(
            *given, output, log_sum, lane.array(call.grad, dtype), call.options, blocks=blocks
        )
    close(lane.host(output)[:, :, :3], lane.host(want)[:, :, :3], dtype)
    close(lane.host(log_sum)[:, :, :3], lane.host(want_sums)[:, :, :3], dtype)
    if how == "mask":
        for grad in grads[:3]:
            assert np.isfinite(lane.host(grad)).all()
        assert not lane.host(grads.key_grad)[..., 3, :].any()
        assert not lane.host(grads.value_grad)[..., 3, :].any()


def test_no_warning_of_what_hidden_keys_hold(rng: Any) -> None:
    cpu: Any = get_backend("cpu")
    call = Call(rng, (1, 1, 1, 2, 3, 2, 2), OPTIONS[2])
    call.mask = np.array([[[[False, False, True]] * 2]])
    call.key[..., 2, :] = call.value[..., 2, :] = np.inf
    output, log_sum = cpu.attention(*call.arrays(), call.options)
    grads = cpu.attention_backward(*call.arrays(), output, log_sum, call.grad, call.options)
    assert all(np.isfinite(g).all() for g in grads[:3])


def test_infinite_values_that_are_seen_stay_infinite(lane: Lane) -> None:
    zeros = lane.array(np.zeros((1, 1, 3, 1)))
    value = lane.array([[[[np.inf, 1.0, np.nan], [-np.inf, np.inf, 1.0], [0.0, 1.0, 1.0]]]])
    mask = lane.array([[[[False, True, False], [False, False, False], [True, True, False]]]])
    with np.errstate(invalid="ignore"):
        output, _ = lane.ops.attention(zeros, zeros, value, mask, None, AttentionModuleOptions())
    want = [[np.inf, 1.0, np.nan], [np.nan, np.inf, np.nan], [0.0, 1.0, 1.0]]
    np.testing.assert_allclose(lane.host(output)[0, 0], want)


@pytest.mark.parametrize("causal", [False, True])
def test_a_query_that_sees_nothing_gives_zero(causal: bool, lane: Lane, rng: Any) -> None:
    call = Call(rng, (1, 1, 1, 4, 2, 2, 2), AttentionModuleOptions(is_causal=causal))
    call.mask = None if causal else np.array([[[[True, True]] * 2 + [[True, False], [False, False]]]])
    given = [None if a is None else lane.array(a) for a in call.arrays()]
    output, log_sum = lane.ops.attention(*given, call.options)
    grads = lane.ops.attention_backward(*given, output, log_sum, lane.array(call.grad), call.options)
    assert not lane.host(output)[0, 0, :2].any()
    assert lane.host(log_sum)[0, 0, :2].tolist() == [-np.inf, -np.inf]
    assert not lane.host(grads.query_grad)[0, 0, :2].any()
    for got, want in zip((output, *grads[:3]), [call.expected()[i] for i in (0, 2, 3, 4)], strict=True):
        close(lane.host(got), want, "float64")


def test_scores_too_large_for_an_exponential(lane: Lane, rng: Any) -> None:
    call = Call(rng, (1, 1, 1, 3, 5, 2, 2), AttentionModuleOptions(scale=5000.0))
    given = [None if a is None else lane.array(a) for a in call.arrays()]
    output, _ = lane.ops.attention(*given, call.options, blocks_of(4, ScoreBlocks))
    close(lane.host(output), call.expected()[0], "float64")


# ---------------------------------------------------------------- memory


@pytest.mark.parametrize("options", [AttentionModuleOptions(), AttentionModuleOptions(softcap=5.0, is_causal=True)])
@pytest.mark.parametrize("masked", [False, True])
def test_memory(options: AttentionModuleOptions, masked: bool, rng: Any) -> None:
    cpu: Any = get_backend("cpu")
    n = 2048
    query, key, value, grad = (rng.normal(size=(1, 1, n, 64)).astype(np.float32) for _ in range(4))
    mask = np.zeros((1, 1, n, n), bool) if masked else None
    cpu.attention(query, key, value, mask, None, options)  # the first call imports what it needs, and that stays
    tracemalloc.start()
    output, log_sum = cpu.attention(query, key, value, mask, None, options)
    kept, forward = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    cpu.attention_backward(query, key, value, mask, None, output, log_sum, grad, options)
    backward = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # All weights would be 16 MiB; query, key, value and output are 0.5 MiB each, and so is a block.
    assert n * n * 4 == 16 * MIB
    assert kept < 0.55 * MIB
    assert forward < 3 * MIB
    assert backward < 6 * MIB


# ---------------------------------------------------------------- refusals

GOOD = {
    "query": (2, 4, 3, 5),
    "key": (2, 2, 6, 5),
    "value": (2, 2, 6, 7),
    "mask": (2, 4, 3, 6),
    "attn_bias": (1, 1, 3, 6),
}
BAD = [
    ("query", (4, 3, 5), r"query has 3 dimensions \(4, 3, 5\); it needs 4, \[B, H, Sq, D\]"),
    ("key", (1, 2, 6, 5), r"key \(1, 2, 6, 5\), \[B, Hk, Sk, D\], must have the batch size .* query \(2, 4, 3, 5\), 2"),
    ("key", (2, 2, 6, 4), r"key .* must have the width \(dimension 3\) of query \(2, 4, 3, 5\), 5"),
    ("key", (2, 3, 6, 5), r"value .* must have the number of heads \(dimension 1\) of key \(2, 3, 6, 5\), 3"),
    ("value", (2, 2, 5, 7), r"value .* must have the number of keys \(dimension 2\) of key"),
    ("query", (2, 3, 3, 5), r"key \(2, 2, 6, 5\) has 2 heads \(dimension 1\), which must divide the 3 heads of query"),
    ("mask", (3, 6), r"mask has shape \(3, 6\); for query .* it must be \[1 or 2, 1 or 4, 3, 6\]"),
    ("mask", (2, 2, 3, 6), r"mask has shape \(2, 2, 3, 6\)"),
    ("mask", (2, 4, 1, 6), r"mask has shape \(2, 4, 1, 6\)"),
    ("attn_bias", (1, 1, 3, 1), r"attn_bias has shape \(1, 1, 3, 1\).*\[1 or B, 1 or H, Sq, Sk\]"),
]


@pytest.mark.parametrize(("name", "shape", "message"), BAD)
def test_refuses_shapes(name: str, shape: Any, message: str, lane: Lane) -> None:
    shapes = {**GOOD, name: shape}
    given = [lane.array(np.zeros(s, bool if n == "mask" else float)) for n, s in shapes.items()]
    with pytest.raises(ShapeError, match=f"^attention: {message}"):
        lane.ops.attention(*given, AttentionModuleOptions())


def test_refuses_a_mask_of_numbers(lane: Lane) -> None:
    x = lane.array(np.zeros((1, 1, 2, 2)))
    with pytest.raises(TypeError, match=r"attention: mask has dtype .*float64.*; it must be bool"):
        lane.ops.attention(x, x, x, x, None, AttentionModuleOptions())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"softcap": 0.0}, r"softcap=0.0 must be positive"),
        ({"softcap": -1}, r"softcap=-1 must be positive"),
        ({"scale": float("nan")}, r"scale=nan must be finite"),
        ({"softcap": float("inf")}, r"softcap=inf must be finite"),
    ],
)
def test_options_refuse_values(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"AttentionModuleOptions: {message}"):
        AttentionModuleOptions(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"scale": "big"}, "scale='big' is not a number or None"), ({"is_causal": 1}, "is_causal=1 is not a bool")],
)
def test_options_refuse_types(options: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"AttentionModuleOptions: {message}"):
        AttentionModuleOptions(**options)
