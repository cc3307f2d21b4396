"""NumPy's kernels give what the defaults give, on random shapes and options."""

from __future__ import annotations

from math import prod
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_backends import Backend, get_backend
from autograd_backends.numpy_backend import (
    activation,
    blocks,
    choice,
    conv,
    correlate,
    ctc,
    embedding,
    linear,
    norm,
    softmax,
)
from autograd_backends.options import ConvOptions, InterpolateOptions
from autograd_backends.resampling import MODES
from autograd_backends.shapes import conv_windows

from .conftest import batch_last

CPU: Any = get_backend("cpu")


@pytest.fixture(autouse=True)
def _always_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No array but an empty one is too small for the kernels, and each is cut into several blocks."""
    monkeypatch.setattr(blocks, "BLOCK", 16)
    monkeypatch.setattr(activation, "BLOCK", 16)
    monkeypatch.setattr(activation, "SMALL", 1)
    monkeypatch.setattr(choice, "SMALL", 1)
    monkeypatch.setattr(norm, "SMALL", 1)
    monkeypatch.setattr(softmax, "SMALL", 1)


def same(got: Any, want: Any, dtype: str) -> None:
    if want is None:
        assert got is None
        return
    assert got.dtype == want.dtype
    tolerance = {"float64": 1e-11, "float32": 1e-4, "float16": 1e-2}[dtype]
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@st.composite
def arrays(draw: Any, least: int, most: int, empty: bool = True) -> tuple[np.ndarray, np.ndarray, str]:
    """Two arrays of one random shape, in a random order of memory, and their dtype."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=least, max_size=most)))
    if empty and draw(st.booleans()) and draw(st.booleans()):
        shape = (0, *shape[1:])
    dtype = draw(st.sampled_from(["float64", "float32", "float16"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    x, grad = (rng.normal(size=shape).astype(dtype) for _ in range(2))
    orders = [np.ascontiguousarray, np.asfortranarray, batch_last, lambda a: np.repeat(a, 2, -1)[..., ::2]]
    return draw(st.sampled_from(orders))(x), draw(st.sampled_from(orders))(grad), dtype


common = settings(max_examples=60, deadline=None)


@common
@given(arrays(2, 5), st.booleans(), st.booleans(), st.tuples(*[st.booleans()] * 3))
def test_batch_norm(drawn: Any, has_gamma: bool, has_beta: bool, needs: Any) -> None:
    x, grad, dtype = drawn
    if x.size // max(1, x.shape[1]) == 1:
        return
    gamma = np.linspace(1, 2, x.shape[1]).astype(dtype) if has_gamma else None
    beta = np.linspace(-1, 1, x.shape[1]).astype(dtype) if has_beta else None
    out, want = (ops.batch_norm_train(x, gamma, beta, 1e-2) for ops in (CPU, Backend))
    for a, b in zip(out, want, strict=True):
        same(a, b, dtype)
    arguments = (x, gamma, want.mean, want.variance, 1e-2, grad, needs)
    for a, b in zip(*(ops.batch_norm_train_backward(*arguments) for ops in (CPU, Backend)), strict=True):
        same(a, b, dtype)


@common
@given(arrays(1, 4), st.booleans(), st.booleans(), st.tuples(*[st.booleans()] * 3))
def test_layer_norm(drawn: Any, has_gamma: bool, has_beta: bool, needs: Any) -> None:
    x, grad, dtype = drawn
    gamma = np.linspace(1, 2, x.shape[-1]).astype(dtype) if has_gamma else None
    beta = np.linspace(-1, 1, x.shape[-1]).astype(dtype) if has_beta else None
    out, want = (ops.layer_norm(x, gamma, beta, 1e-2) for ops in (CPU, Backend))
    for a, b in zip(out, want, strict=True):
        same(a, b, dtype)
    arguments = (x, gamma, want.mean, want.rstd, grad, needs)
    for a, b in zip(*(ops.layer_norm_backward(*arguments) for ops in (CPU, Backend)), strict=True):
        same(a, b, dtype)


@common
@given(arrays(1, 4, empty=False), st.data())
def test_softmax(drawn: Any, data: Any) -> None:
    x, grad, dtype = drawn
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    before = x.copy()
    for name in ("softmax", "log_softmax"):
        out, want = (getattr(ops, name)(x, axis) for ops in (CPU, Backend))
        same(out, want, dtype)
        assert not np.shares_memory(out, x)
        got, want = (getattr(ops, f"{name}_backward")(want, grad, axis) for ops in (CPU, Backend))
        same(got, want, dtype)
    np.testing.assert_array_equal(x, before)


@common
@given(arrays(1, 4))
def test_activations(drawn: Any) -> None:
    x, grad, dtype = drawn
    before = x.copy()
    same(CPU.erf(x), Backend.erf(x), dtype)
    same(CPU.relu_backward(x, grad), Backend.relu_backward(x, grad), dtype)
    for name in ("relu", "sigmoid", "silu"):
        same(*(getattr(ops, name)(x) for ops in (CPU, Backend)), dtype)
    for name in ("sigmoid_backward", "silu_backward"):
        same(*(getattr(ops, name)(x, grad) for ops in (CPU, Backend)), dtype)
    for approximate in ("none", "tanh"):
        same(CPU.gelu(x, approximate), Backend.gelu(x, approximate), dtype)
        same(*(ops.gelu_backward(x, grad, approximate) for ops in (CPU, Backend)), dtype)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_relu_backward_of_what_is_no_number(dtype: str) -> None:
    odd = np.array([0.0, -0.0, 1.0, np.inf, np.nan, -np.nan], dtype)
    output, grad = (a.reshape(-1) for a in np.meshgrid(odd, odd))
    np.testing.assert_array_equal(CPU.relu_backward(output, grad), Backend.relu_backward(output, grad))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int32", "uint8"])
def test_a_choice_is_that_of_numpy_bit_by_bit(dtype: str) -> None:
    rng = np.random.default_rng(0)
    odd = [0.0, -0.0, np.inf, -np.inf, np.nan] if dtype.startswith("float") else [0, 1, 2, 3, 4]
    x, y = (rng.permutation([*odd, *range(5, 60)]).astype(dtype).reshape(5, 12) for _ in range(2))
    condition = rng.random((5, 12)) < 0.5
    halves = (x, 0.5) if dtype.startswith("float") else (x, True)
    for a, b in ((x, y), (x, y.T.copy().T), (x, 0), (1, y), (x, np.array(2, dtype)), (x[:1], y), (1.0, 0.0), halves):
        got, want = choice.choose(condition, a, b), np.where(condition, a, b)
        assert got.dtype == want.dtype
        assert got.tobytes() == want.tobytes()


def test_gelu_to_the_last_digits_of_float32() -> None:
    x = np.concatenate([np.linspace(-9, 9, 20001), [-1e30, 1e30, np.inf, np.nan]]).astype(np.float32)
    grad = np.ones_like(x)
    with np.errstate(invalid="ignore", over="ignore"):
        want = [Backend.gelu(x.astype(np.float64), "none"), Backend.gelu_backward(x, grad, "none")]
    np.testing.assert_allclose(CPU.gelu(x, "none"), want[0], rtol=3e-7, atol=3e-7)
    np.testing.assert_allclose(CPU.gelu_backward(x, grad, "none"), want[1], rtol=1e-6, atol=1e-6)


@common
@given(arrays(3, 5), st.data())
def test_max_pool(drawn: Any, data: Any) -> None:
    x, _, dtype = drawn
    rank = x.ndim - 2
    x = np.round(x)  # so that there are ties

    def each(least: Any, most: Any) -> tuple[int, ...]:
        return tuple(data.draw(st.integers(least, m)) for m in most)

    kernel = each(1, x.shape[2:])
    stride = each(1, (3,) * rank)
    padding = each(0, [k // 2 for k in kernel])
    arguments = (x, kernel, stride, padding, (1,) * rank, data.draw(st.booleans()))
    name = f"max_pool{rank}d_with_indices"
    before = x.copy()
    out, want = (getattr(ops, name)(*arguments) for ops in (CPU, Backend))
    np.testing.assert_array_equal(out.output, want.output)
    np.testing.assert_array_equal(out.indices, want.indices)
    assert (out.output.dtype, out.indices.dtype) == (x.dtype, np.int64)
    grad = batch_last(want.output) if data.draw(st.booleans()) else want.output
    same(*(ops.scatter_planes(x.shape, grad, want.indices) for ops in (CPU, Backend)), dtype)
    np.testing.assert_array_equal(x, before)


@common
@given(arrays(2, 5), st.booleans(), st.data())
def test_group_norm(drawn: Any, scaled: bool, data: Any) -> None:
    x, grad, dtype = drawn
    channels = x.shape[1]
    num_groups = data.draw(st.sampled_from([g for g in range(1, channels + 1) if channels % g == 0]))
    gamma = np.linspace(-1, 2, channels).astype(dtype) if scaled else None
    needs = data.draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    want = Backend.group_norm(x, num_groups, gamma, None, 0.1)
    same(CPU.group_norm(x, num_groups, gamma, None, 0.1).output, want.output, dtype)
    arguments = (x, num_groups, gamma, want.mean, want.rstd, grad, needs)
    for got, expected in zip(CPU.group_norm_backward(*arguments), Backend.group_norm_backward(*arguments), strict=True):
        same(got, expected, dtype)


@common
@given(arrays(3, 5), st.data())
def test_interpolate(drawn: Any, data: Any) -> None:
    x, _, dtype = drawn
    out = tuple(data.draw(st.integers(1, 9)) for _ in x.shape[2:])
    options = InterpolateOptions(data.draw(st.sampled_from(MODES)), data.draw(st.booleans()))
    before = x.copy()
    y, want = (ops.interpolate(x, out, options) for ops in (CPU, Backend))
    same(y, want, dtype)
    same(*(ops.interpolate_backward(x.shape, want, out, options) for ops in (CPU, Backend)), dtype)
    np.testing.assert_array_equal(x, before)


@common
@given(st.lists(st.integers(0, 5), max_size=3), st.integers(0, 2**16))
def test_bits(shape: list[int], seed: int) -> None:
    x = np.random.default_rng(seed).random(tuple(shape)) > 0.5
    got, want = (ops.pack_bits(x) for ops in (CPU, Backend))
    same(got, want, "float64")
    for ops in (CPU, Backend):
        np.testing.assert_array_equal(ops.unpack_bits(got, x.shape), x)


@common
@given(st.data())
def test_correlate(data: Any) -> None:
    """What all convolutions are made of, with kernels of any layout, stride, dilation, padding and groups."""
    rank = data.draw(st.integers(1, 3))

    def each(least: int, most: int) -> tuple[int, ...]:
        return tuple(data.draw(st.integers(least, most)) for _ in range(rank))

    groups, n = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 3))
    inputs, outputs = (groups * data.draw(st.integers(1, 3)) for _ in range(2))
    kernel, sizes = each(1, 3), each(5, 7)
    options = ConvOptions(each(1, 2), each(0, 3), each(1, 2), groups)
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    order = data.draw(st.sampled_from([np.ascontiguousarray, batch_last]))
    x = order(rng.normal(size=(n, inputs, *sizes)).astype(dtype))
    weight = rng.normal(size=(outputs, inputs // groups, *kernel)).astype(dtype)
    bias = rng.normal(size=outputs).astype(dtype) if data.draw(st.booleans()) else None
    windows = conv_windows(f"conv{rank}d", x.shape, weight.shape, options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correlate, "THIN", 1)
        patch.setattr(correlate, "FEW", 1)
        patch.setattr(type(CPU), "workspace", data.draw(st.sampled_from([100, 1000, 2**20])))
        out, want = (ops.correlate(x, weight, bias, windows, groups) for ops in (CPU, Backend))
        same(out, want, dtype)
        grad = order(rng.normal(size=want.shape).astype(dtype))
        same(*(ops.correlate_x_backward(weight, grad, windows, groups) for ops in (CPU, Backend)), dtype)
        same(*(ops.correlate_weight_backward(x, grad, windows, groups) for ops in (CPU, Backend)), dtype)


@common
@given(st.data())
def test_ctc(data: Any) -> None:
    """Alignments of targets of any length, impossible ones too, of probabilities that are too small to multiply too."""
    steps, n, width = (data.draw(st.integers(0, most)) for most in (12, 3, 4))
    classes = data.draw(st.integers(1, 3))
    dtype = data.draw(st.sampled_from(["float64", "float32", "float16"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    x = rng.normal(scale=data.draw(st.sampled_from([1.0, 30.0, 300.0])), size=(steps, n, classes)).astype(dtype)
    x[rng.random(x.shape) < data.draw(st.sampled_from([0.0, 0.2]))] = -np.inf
    lengths = rng.integers(0, steps + 1, n), rng.integers(0, width + 1, n)
    arguments = (x, rng.integers(0, classes, (n, width)), *lengths)
    blank = data.draw(st.integers(0, classes - 1))
    grad = rng.normal(size=n).astype(dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ctc, "STEPS", data.draw(st.integers(1, 5)))
        patch.setattr(ctc, "TOGETHER", data.draw(st.sampled_from([1, 2**13])))
        same(*(ops.ctc_loss(*arguments, blank) for ops in (CPU, Backend)), dtype)
        for got, want in zip(*(ops.ctc_loss_posterior(*arguments, blank) for ops in (CPU, Backend)), strict=True):
            same(got, want, dtype)
        same(*(ops.ctc_loss_backward(*arguments, grad, blank) for ops in (CPU, Backend)), dtype)


def test_ctc_of_long_sequences() -> None:
    """What is too small for a float is asked in logarithms; and only that."""
    rng = np.random.default_rng(0)
    steps, width = 600, 120
    x = rng.normal(size=(steps, 3, 4))
    x[:, 1, 1:] -= 12.0  # a network that says nothing but the blank
    x -= np.log(np.exp(x).sum(-1, keepdims=True))
    arguments = (x, rng.integers(1, 4, (3, width)), np.array([steps, steps, 100]), np.array([width, width, 100]), 0)
    with mock.patch.object(ctc.ctc_logarithms, "ctc_loss", wraps=ctc.ctc_logarithms.ctc_loss) as asked:
        got = CPU.ctc_loss_posterior(*arguments)
    assert [call.args[0].shape for call in asked.call_args_list] == [(steps, 1, 4)]
    want = Backend.ctc_loss_posterior(*arguments)
    assert want.loss[2] == np.inf
    np.testing.assert_allclose(got.loss, want.loss, rtol=1e-13)
    np.testing.assert_allclose(got.posterior, want.posterior, atol=1e-11)


@common
@given(arrays(1, 3, empty=False), st.integers(1, 6), st.integers(0, 2**16))
def test_embedding_backward(drawn: Any, rows: int, seed: int) -> None:
    grad, _, dtype = drawn
    indices = np.random.default_rng(seed).integers(0, rows, grad.shape[:-1])
    shape = (rows, grad.shape[-1])
    want = Backend.embedding_backward(shape, grad, indices)
    for few in (0, 128):  # sorted, and as a product
        with mock.patch.object(embedding, "SMALL", 0), mock.patch.object(embedding, "FEW", few):
            same(CPU.embedding_backward(shape, grad, indices), want, dtype)


@pytest.mark.parametrize("special", [np.inf, np.nan])
def test_embedding_backward_of_what_is_not_finite(special: float) -> None:
    grad = np.ones((5, 4), np.float32)
    grad[1, 2] = special
    indices = np.array([0, 2, 0, 1, 2], np.uint64)
    with mock.patch.object(embedding, "SMALL", 0):
        got = CPU.embedding_backward((3, 4), grad, indices)
    np.testing.assert_array_equal(got, [[2, 2, 2, 2], [1, 1, 1, 1], [2, 2, special, 2]])


def test_embedding_backward_of_rows_named_once() -> None:
    grad = np.arange(6.0).reshape(3, 2)
    got = CPU.embedding_backward((4, 2), grad, np.array([3, 0, 1]))
    np.testing.assert_array_equal(got, [[2, 3], [4, 5], [0, 0], [0, 1]])


@common
@given(arrays(1, 4))
def test_linear_bias(drawn: Any) -> None:
    _, grad, dtype = drawn
    # In one product with ones, in several of three rows, of two, and rows too long for any.
    for few, many in ((256, linear.MANY), (3, linear.MANY), (256, 2 * grad.shape[-1]), (256, 1)):
        with mock.patch.object(linear, "_FEW", few), mock.patch.object(linear, "MANY", many):
            got = linear.linear_bias_backward(grad)
        same(got, Backend.linear_bias_backward(grad), dtype)


@common
@given(arrays(3, 5))
def test_conv_bias(drawn: Any) -> None:
    _, grad, dtype = drawn
    for many in (linear.MANY, 2 * prod(grad.shape[1:])):
        with mock.patch.object(conv, "MANY", many):
            got = conv.conv_bias_backward(grad)
        same(got, Backend.conv2d_bias_backward(grad), dtype)
