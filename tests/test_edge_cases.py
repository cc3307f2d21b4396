"""Behaviour at the edges: kinks, zeros, ties, infinities, empty dimensions, repeated indices, odd graphs.

Where a case comes from a fault that was reported of another library, the report is named.
"""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag

NAN, INF = math.nan, math.inf


def leaf(data: Any, device: str = "cpu", dtype: str = "float64") -> Any:
    """A Tensor that requires a gradient."""
    return ag.tensor(data, dtype=dtype, device=device, requires_grad=True)


def fixed(data: Any, device: str = "cpu") -> Any:
    """A float64 Tensor."""
    return ag.tensor(data, dtype="float64", device=device)


def check(tensor: Any, want: Any, tolerance: float = 1e-12) -> None:
    """Check shape and values; NaN equals NaN."""
    got = np.asarray(tensor.detach().cpu().numpy())
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def gradient(function: Any, data: Any, device: str = "cpu") -> Any:
    """The gradient of the sum of a function at `data`."""
    x = leaf(data, device)
    function(x).sum().backward()
    return x.grad


@pytest.fixture(params=["cpu", "strict:device1"])
def device(request: pytest.FixtureRequest) -> str:
    return request.param


# ---------------------------------------------------------------- kinks


def test_sqrt_at_0_has_an_infinite_slope(device: str) -> None:
    with np.errstate(divide="ignore"):
        check(gradient(ag.sqrt, [0.0, 4.0], device), [INF, 0.25])


def test_relu_and_abs_at_0(device: str) -> None:
    check(gradient(ag.relu, [-1.0, 0.0, 1.0], device), [0.0, 0.0, 1.0])
    check(gradient(ag.abs, [-1.0, 0.0, 1.0], device), [-1.0, 0.0, 1.0])


def test_clamp_at_its_bounds(device: str) -> None:
    check(gradient(lambda x: ag.clamp(x, -1.0, 1.0), [-2.0, -1.0, 0.0, 1.0, 2.0], device), [0.0, 1.0, 1.0, 1.0, 0.0])


def test_hardtanh_at_its_bounds() -> None:
    check(gradient(lambda x: ag.ops.hardtanh(x, -1.0, 1.0), [-1.0, 0.0, 1.0]), [0.0, 1.0, 0.0])


def test_maximum_and_minimum_share_at_equal_elements(device: str) -> None:
    # https://github.com/Lightning-AI/lightning-thunder/pull/599
    for function, of_a, of_b in (
        (ag.maximum, [0.5, 0.0, 1.0], [0.5, 1.0, 0.0]),
        (ag.minimum, [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]),
    ):
        a, b = leaf([1.0, 2.0, 5.0], device), leaf([1.0, 3.0, 4.0], device)
        function(a, b).sum().backward()
        check(a.grad, of_a)
        check(b.grad, of_b)


def test_the_full_maximum_shares_among_ties_and_along_a_dimension_the_first_wins(device: str) -> None:
    check(gradient(ag.max, [1.0, 1.0, 0.0], device), [0.5, 0.5, 0.0])
    check(gradient(ag.min, [1.0, 0.0, 0.0], device), [0.0, 0.5, 0.5])
    check(gradient(lambda x: ag.max(x, 0).values, [1.0, 1.0, 0.0], device), [1.0, 0.0, 0.0])
    check(gradient(lambda x: ag.amax(x, 1), [[1.0, 1.0], [2.0, 3.0]], device), [[0.5, 0.5], [0.0, 1.0]])


def test_where_keeps_nan_of_the_branch_not_taken() -> None:
    # 0 times an infinite slope: as in every library, and explained by the teaching tools.
    with np.errstate(divide="ignore", invalid="ignore"):
        check(gradient(lambda x: ag.where(x > 0, ag.sqrt(x), 0.0 * x), [0.0, 4.0]), [NAN, 0.25])


def test_where_gives_exact_zeros_to_the_branch_not_taken(device: str) -> None:
    x, y = leaf([1.0, 2.0], device), leaf([3.0, 4.0], device)
    ag.where(ag.tensor([True, False], device=device), x, y).backward(fixed([INF, NAN], device))
    check(x.grad, [INF, 0.0])
    check(y.grad, [0.0, NAN])


# ---------------------------------------------------------------- elementwise functions at zero and beyond


def test_the_slope_of_a_power_in_its_exponent_at_base_0(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/27134
    a, b = leaf([0.0, 3.0], device), leaf([1.0, 2.0], device)
    (a**b).sum().backward()
    check(a.grad, [1.0, 6.0])
    check(b.grad, [0.0, 9 * math.log(3)])


def test_repeated_derivatives_of_a_power_at_0() -> None:
    # https://github.com/tensorflow/tensorflow/issues/35011
    y = x = leaf([-1.0, 0.0, 1.0])
    y = x**4
    for want in ([-4, 0, 4], [12, 0, 12], [-24, 0, 24], [24, 24, 24], [0, 0, 0]):
        (y,) = ag.autograd.grad(y.sum(), x, create_graph=True)
        check(y, want)


def test_powers_of_0(device: str) -> None:
    check(gradient(lambda x: x**2, [0.0], device), [0.0])
    check(gradient(lambda x: x**1, [0.0], device), [1.0])
    check(gradient(lambda x: x**0, [0.0], device), [0.0])
    check(gradient(lambda y: 0.0**y, [0.0, 2.0], device), [0.0, 0.0])


def test_atan2_at_the_origin(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/98276
    y, x = leaf([0.0, 1.0, -2.0], device), leaf([0.0, 1.0, 0.0], device)
    z = ag.atan2(y, x)
    z.sum().backward()
    check(z, [0.0, math.pi / 4, -math.pi / 2])
    check(y.grad, [0.0, 0.5, 0.0])
    check(x.grad, [0.0, -0.5, 0.5])


def test_nan_stays_nan_in_clamp_and_maximum(device: str) -> None:
    # https://github.com/tracel-ai/burn/issues/5659
    x = leaf([-3.0, NAN, 3.0], device)
    low, high, both = ag.clamp(x, min=-1.0), ag.clamp(x, max=1.0), ag.clamp(x, -1.0, 1.0)
    (low[0] + low[2] + high[0] + high[2]).backward()
    check(low, [-1.0, NAN, 3.0])
    check(high, [-3.0, NAN, 1.0])
    check(both, [-1.0, NAN, 1.0])
    check(ag.maximum(x, fixed([0.0, 0.0, 0.0], device)), [0.0, NAN, 3.0])
    check(x.grad, [1.0, 0.0, 1.0])


def test_logsigmoid_at_0_and_far_out(device: str) -> None:
    # https://github.com/jax-ml/jax/issues/2140
    check(ag.ops.logsigmoid(fixed([0.0, -1000.0, 1000.0], device)), [-math.log(2), -1000.0, 0.0])
    check(gradient(ag.ops.logsigmoid, [0.0, -1000.0, 1000.0], device), [0.5, 1.0, 0.0])


@pytest.mark.parametrize("function", [ag.sigmoid, ag.tanh, ag.ops.silu, ag.ops.softplus], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_no_overflow_far_out(function: Any, dtype: str) -> None:
    x = leaf([-900.0, 900.0], dtype=dtype)
    out = function(x)
    out.sum().backward()
    assert np.isfinite(out.detach().numpy()).all()
    assert np.isfinite(x.grad.numpy()).all()


def test_softmax_and_logsumexp_of_large_and_infinite_elements(device: str) -> None:
    check(ag.softmax(fixed([1000.0, 1000.0, -INF], device), 0), [0.5, 0.5, 0.0])
    check(ag.log_softmax(fixed([1000.0, 0.0], device), 0), [0.0, -1000.0])
    check(ag.logsumexp(fixed([[1e4, 1e4], [-INF, -INF], [INF, 0.0]], device), 1), [1e4 + math.log(2), -INF, INF])
    x = leaf([[-INF, -INF], [0.0, -INF]], device)
    ag.logsumexp(x, 1).sum().backward()
    check(x.grad, [[0.0, 0.0], [1.0, 0.0]])


# ---------------------------------------------------------------- dtypes


def test_float32_stays_float32() -> None:
    # https://github.com/chainer/chainer/issues/684
    x = leaf([[0.5, -1.0], [2.0, 0.0]], dtype="float32")
    for y in (
        *(x.mean(), x.var(), x.std(), (x / 3).sum(), (x * 2.5).sum(), (2.0 / (x + 4)).sum(), x.max()),
        *(x.softmax(1).sum(), (x**2).sum(), (x * np.float64(2)).sum(), (x / np.int64(3)).sum(), x.norm(), x.prod()),
    ):
        (g,) = ag.autograd.grad(y, x)
        assert y.dtype == g.dtype == "float32"


def test_integers_cannot_require_gradients() -> None:
    for data in ([1, 2], [True]):
        with pytest.raises(
            TypeError, match=r"only float tensors can require grad, .*: make it one first, as with x\.fl"
        ):
            ag.tensor(data, requires_grad=True)
        with pytest.raises(TypeError, match="only float tensors can require grad"):
            ag.tensor(data).requires_grad_()


@pytest.mark.parametrize("dtype", [ag.int64, ag.uint8, ag.bool_])
def test_a_cast_to_integers_leaves_the_tape(dtype: Any, device: str) -> None:
    x = leaf([1.5, 0.0], device)
    for cast in (x.to(dtype), ag.ops.astype(x, dtype)):
        assert cast.node is None
    assert x.long().float().requires_grad is False
    assert x.float().requires_grad


# ---------------------------------------------------------------- reductions


def test_the_norm_of_zeros_has_gradient_0(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/2421
    check(gradient(ag.norm, [0.0, 0.0, 0.0], device), [0.0, 0.0, 0.0])
    check(gradient(lambda z: ag.norm(z) ** 2, [0.0, 0.0], device), [0.0, 0.0])
    check(gradient(lambda w: ag.norm(w, dim=1), [[0.0, 0.0], [3.0, 4.0]], device), [[0.0, 0.0], [0.6, 0.8]])


def test_the_deviation_of_constants_has_gradient_0(device: str) -> None:
    check(gradient(ag.std, [2.0, 2.0, 2.0], device), [0.0, 0.0, 0.0])


def test_a_product_with_zeros(device: str) -> None:
    # https://github.com/tracel-ai/burn/issues/5533
    check(gradient(ag.prod, [3.0, 0.0, 5.0, 2.0], device), [0.0, 30.0, 0.0, 0.0])
    m = leaf([[1.0, 2.0, 3.0], [0.0, 2.0, 5.0], [0.0, 0.0, 7.0]], device)
    y = m.prod(dim=1)
    (y * fixed([1.0, 10.0, 100.0], device)).sum().backward()
    check(y, [6.0, 0.0, 0.0])
    check(m.grad, [[6.0, 3.0, 2.0], [100.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    check(gradient(lambda x: x.prod(0), [0.0], device), [1.0])


def test_many_ties_in_half_precision() -> None:
    # https://github.com/tinygrad/tinygrad/issues/12296: the number of ties is no float16
    x = ag.ones(80000, dtype="float16", requires_grad=True)
    x.max().backward()
    assert x.grad.dtype == "float16"
    assert set(x.grad.tolist()) == {210 * 2.0**-24}  # 1/80000, rounded


def test_the_only_dimension_and_none(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/1813
    x = leaf([1.0, 2.0, 3.0, 4.0], device)
    y = (x * x).mean(0)
    y.backward()
    check(y, 7.5)
    check(x.grad, [0.5, 1.0, 1.5, 2.0])
    check(gradient(lambda s: s.sum(), 3.0, device), 1.0)
    check(gradient(lambda s: s.sum(0), 3.0, device), 1.0)
    check(gradient(lambda s: s.mean(-1), 3.0, device), 1.0)


def test_the_mean_and_variance_of_large_half_precision() -> None:
    # https://github.com/cupy/cupy/pull/3402: their sums are no float16
    x = leaf([60000.0] * 4, dtype="float16")
    x.mean().backward()
    assert x.mean().item() == 60000.0
    assert x.grad.tolist() == [0.25] * 4
    spread = ag.var(ag.tensor([200.0, -200.0] * 2, dtype="float16"), unbiased=False)
    assert (spread.item(), spread.dtype) == (40000.0, "float16")


def test_sorting_keeps_equal_elements_in_order(device: str) -> None:
    # https://github.com/numpy/numpy/issues/24165: an unstable sort shows from about 16 elements on
    x = leaf([1.0] * 10 + [0.0] * 10 + [1.0] * 4, device)
    values, indices = ag.sort(x, stable=True)
    (values * fixed([float(i) for i in range(24)], device)).sum().backward()
    assert indices.tolist() == [*range(10, 20), *range(10), *range(20, 24)]
    check(x.grad, [*range(10, 20), *range(10), *range(20, 24)])
    assert ag.sort(x, descending=True, stable=True).indices.tolist() == [*range(10), *range(20, 24), *range(10, 20)]


def test_reductions_of_nothing(device: str) -> None:
    empty = ag.zeros(0, 3, dtype="float64", device=device)
    check(empty.sum(), 0.0)
    check(empty.prod(0), [1.0, 1.0, 1.0])
    check(empty.mean(1), np.zeros(0))
    assert bool(ag.all(empty)) is True
    assert bool(ag.any(empty)) is False
    with pytest.raises(ValueError, match="amax: "):
        empty.max()


def test_the_mean_of_nothing_is_no_number_and_does_not_warn() -> None:
    check(ag.zeros(0, 3, dtype="float64").mean(), NAN)
    check(ag.zeros(0, 3, dtype="float64").mean(0), [NAN, NAN, NAN])


def test_one_element_has_no_variance() -> None:
    check(ag.var(fixed([1.0])), NAN)
    check(ag.std(fixed([[1.0], [2.0]]), 1), [NAN, NAN])
    check(gradient(ag.var, [1.0]), [NAN])


# ---------------------------------------------------------------- indices


def test_repeated_indices_add_up(device: str) -> None:
    check(gradient(lambda x: x[[0, 0, 1]], [1.0, 2.0, 3.0], device), [2.0, 1.0, 0.0])
    check(gradient(lambda x: x[ag.tensor([[0, 0], [2, 2]], device=device)], [1.0, 2.0, 3.0], device), [2.0, 0.0, 2.0])


def test_filling_repeated_rows_counts_each_element_once(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/57006
    t, v = leaf(np.arange(12.0).reshape(4, 3), device), leaf(2.0, device)
    t.index_fill(0, ag.tensor([1, 3, 1], device=device), v).sum().backward()
    check(v.grad, 6.0)
    check(t.grad, [[1.0] * 3, [0.0] * 3, [1.0] * 3, [0.0] * 3])


def test_scattering_adds_up(device: str) -> None:
    # https://github.com/unslothai/unsloth-zoo/pull/776
    x, s = leaf([1.0, 1.0, 1.0], device), leaf([1.0, 2.0, 4.0, 8.0], device)
    y = x.index_add(0, ag.tensor([2, 0, 2, 2], device=device), s)
    (y * fixed([1.0, 10.0, 100.0], device)).sum().backward()
    check(y, [3.0, 1.0, 14.0])
    check(x.grad, [1.0, 10.0, 100.0])
    check(s.grad, [100.0, 1.0, 100.0, 100.0])
    b = leaf([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]], device)
    index = ag.tensor([[0, 0, 1], [1, 1, 1]], device=device)
    z = ag.zeros(2, 2, dtype="float64", device=device).scatter_add(1, index, b)
    (z * fixed([[1.0, 2.0], [3.0, 4.0]], device)).sum().backward()
    check(z, [[3.0, 4.0], [0.0, 56.0]])
    check(b.grad, [[1.0, 1.0, 2.0], [4.0, 4.0, 4.0]])


@pytest.mark.parametrize("index", [3, -4, [0, 3], [-4]], ids=str)
def test_indices_out_of_range(index: Any, device: str) -> None:
    x = fixed([1.0, 2.0, 3.0], device)
    with pytest.raises(IndexError, match=r"3|-4"):
        x[index]
    with pytest.raises(IndexError, match=r"3|-4"):
        x[index] = 0.0


@pytest.mark.parametrize("mask", [[True, False], [True, False, True, False], [[True, False, True]]], ids=str)
def test_a_mask_of_another_shape_is_refused(mask: Any, device: str) -> None:
    x = fixed([1.0, 2.0, 3.0], device)
    with pytest.raises(IndexError, match=r"mask of shape|indices for a tensor"):
        x[ag.tensor(mask, device=device)]
    with pytest.raises(IndexError, match=r"mask of shape|indices for a tensor"):
        x[ag.tensor(mask, device=device)] = 0.0


@pytest.mark.parametrize("index", [np.int64(1), np.array(1), ag.tensor(1)], ids=["scalar", "array", "tensor"])
def test_a_0d_index_is_an_integer(index: Any) -> None:
    x = leaf([1.0, 2.0, 3.0])
    x[index].backward()
    check(x.grad, [0.0, 1.0, 0.0])
    y = fixed([1.0, 2.0, 3.0])
    y[index] = 7.0
    check(y, [1.0, 7.0, 3.0])


def test_an_empty_index(device: str) -> None:
    check(gradient(lambda x: x[[]], [1.0, 2.0], device), [0.0, 0.0])
    check(gradient(lambda x: x[x > 5], [1.0, 2.0], device), [0.0, 0.0])


# ---------------------------------------------------------------- broadcasting


def test_ranks_that_differ_on_both_sides(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/913
    a, b = leaf([[[1.0], [2.0]], [[3.0], [4.0]]], device), leaf([[5.0, 6.0], [7.0, 8.0]], device)
    y = a + b
    (y * fixed(np.arange(8.0).reshape(2, 2, 2), device)).sum().backward()
    assert y.shape == (2, 2, 2)
    check(a.grad, [[[1.0], [5.0]], [[9.0], [13.0]]])
    check(b.grad, [[4.0, 6.0], [8.0, 10.0]])


def test_a_number_against_a_batch_and_against_nothing(device: str) -> None:
    # https://github.com/jax-ml/jax/issues/6452
    z = leaf(0.1, device)
    y = fixed([2.0, 0.5, 1.0], device)
    ag.logaddexp(z, y + z).sum().backward()
    check(z.grad, 3.0)
    e = leaf(3.0, device)
    q = e * ag.ones(0, 4, dtype="float64", device=device)
    q.sum().backward()
    assert q.shape == (0, 4)
    check(e.grad, 0.0)


# ---------------------------------------------------------------- products


def test_einsum_with_a_repeated_letter_that_is_not_last(device: str) -> None:
    # https://github.com/tinygrad/tinygrad/issues/18207
    data = np.arange(16.0).reshape(2, 2, 4)
    x = leaf(data, device)
    y = ag.einsum("iij->ij", x)
    check(y, [data[0, 0], data[1, 1]])
    check(ag.einsum("iij->i", x), [data[0, 0].sum(), data[1, 1].sum()])
    check(ag.einsum("iij,j->ij", x, fixed([1.0, 2.0, 3.0, 4.0], device)), np.einsum("iij,j->ij", data, [1, 2, 3, 4]))
    (y * fixed([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]], device)).sum().backward()
    check(x.grad, [[[1, 2, 3, 4], [0, 0, 0, 0]], [[0, 0, 0, 0], [5, 6, 7, 8]]])


def test_einsum_with_ranks_that_differ_and_letters_of_one_operand(device: str) -> None:
    # https://github.com/HIPS/autograd/issues/112
    a, b = leaf(np.arange(12.0).reshape(2, 2, 3), device), leaf([[1.0, -1.0], [2.0, 0.5], [0.0, 3.0]], device)
    y = ag.einsum("...ij,...jk->...ik", a, b)
    y.sum().backward()
    check(y, np.arange(12.0).reshape(2, 2, 3) @ np.array([[1.0, -1.0], [2.0, 0.5], [0.0, 3.0]]))
    check(b.grad, [[18.0] * 2, [22.0] * 2, [26.0] * 2])
    p, q = leaf([1.0, 2.0, 3.0], device), leaf([4.0, 5.0], device)
    (ag.einsum("i,j->ij", p, q) * fixed([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], device)).sum().backward()
    check(p.grad, [14.0, 32.0, 50.0])
    check(q.grad, [22.0, 28.0])
    r = leaf(np.arange(16.0).reshape(2, 2, 2, 2), device)
    z = ag.einsum("abcd->bd", r)
    (z * z).sum().backward()
    check(z, np.arange(16.0).reshape(2, 2, 2, 2).sum((0, 2)))
    check(r.grad[0, :, 0], 2 * np.arange(16.0).reshape(2, 2, 2, 2).sum((0, 2)))


# ---------------------------------------------------------------- in place, views


def test_an_expanded_target_is_refused() -> None:
    # https://github.com/pytorch/pytorch/issues/4664
    expanded = fixed([[3.0]]).expand(2, 3)
    with pytest.raises(ValueError, match="one element stands for many"):
        expanded *= 2


def test_a_target_that_overlaps_its_operand() -> None:
    # https://github.com/pytorch/pytorch/issues/135487: the operand counts as it was before
    a = fixed([[1.0, 2.0], [3.0, 5.0]])
    a -= a[:, :1]
    check(a, [[0.0, 1.0], [0.0, 2.0]])


def test_a_change_between_two_walks_to_what_no_rule_needs() -> None:
    # https://github.com/pytorch/pytorch/issues/197054
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    v = x.view(4)
    y = v * 3.0
    (first,) = ag.autograd.grad(y.sum(), x, retain_graph=True)
    with ag.no_grad():
        v.add_(1.0)
    (second,) = ag.autograd.grad(y.sum(), x)
    check(first, [[3.0, 3.0], [3.0, 3.0]])
    check(second, [[3.0, 3.0], [3.0, 3.0]])
    check(x, [[2.0, 3.0], [4.0, 5.0]])


def test_a_change_to_one_of_several_views() -> None:
    # https://github.com/pytorch/pytorch/issues/49824
    x = leaf([1.0, 2.0, 3.0])
    a = x * 1.0
    a.unbind(0)[0].view(1).mul_(2.0)
    a.sum().backward()
    check(a, [2.0, 2.0, 3.0])
    check(x.grad, [2.0, 1.0, 1.0])


def test_a_change_to_what_a_rule_still_needs() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1.0
    z = y * y
    y += 1
    with pytest.raises(
        ag.TapeError, match=r"backward of mul needs its '[xy]' as it was in forward, but add_ at .*has since"
    ):
        z.sum().backward()


# ---------------------------------------------------------------- graphs


def test_a_long_chain_is_walked_and_freed() -> None:
    # https://github.com/pytorch/pytorch/issues/5534
    x = leaf(1.0)
    y = x * 2.0
    for _ in range(20000):
        y = y + 0.5
    assert y.item() == 10002.0
    y.backward()
    check(x.grad, 2.0)
    z = x * 1.0
    first = weakref.ref(z.node)
    for _ in range(20000):
        z = z * 1.0
    del z
    assert first() is None


def test_a_second_walk() -> None:
    # https://github.com/pytorch/pytorch/issues/46588
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    check(x.grad, [2.0, 4.0])
    y.backward()
    check(x.grad, [4.0, 8.0])
    with pytest.raises(ag.TapeError, match="a second time, after what it had kept was freed: pass retain_graph=True"):
        y.backward()


def test_a_hook_stays_with_its_value_and_a_kept_gradient_moves_on() -> None:
    # https://github.com/pytorch/pytorch/pull/79996
    seen = []
    a = leaf([3.0, 5.0]) - 1.0
    a.register_hook(lambda g: seen.append(g.tolist()))
    a.retain_grad()
    a.mul_(4.0)
    (a * fixed([1.0, 3.0])).sum().backward()
    assert seen == [[4.0, 12.0]]
    check(a.grad, [1.0, 3.0])


def test_a_value_used_on_several_paths_is_walked_once() -> None:
    # https://github.com/sebgao/cTensor/issues/5
    x = leaf([1.5])
    u = x * 2.0
    v = u + x
    (u * v + v * x).sum().backward()  # 9 x^2
    check(x.grad, [27.0])
    z = y = leaf(1.0)
    for _ in range(30):
        z = z + z
    z.backward()
    check(y.grad, 2.0**30)


def test_a_loss_that_is_dropped_leaves_no_cycle() -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            x.grad = None
            loss = ((x @ x).softmax(1) * x.var(0)).sum() + x[[0, 0], 1].norm()
            node = weakref.ref(loss.node)
            loss.backward()
            del loss
            assert node() is None
    finally:
        gc.enable()


# ---------------------------------------------------------------- further cases, each once a fault


def test_logaddexp_of_infinities(device: str) -> None:
    x, y = leaf([INF, 0.0, -INF, 1e9], device), leaf([0.0, INF, 2.0, 1e9], device)
    ag.logaddexp(x, y).sum().backward()
    check(x.grad, [1.0, 0.0, 0.0, 0.5])
    check(y.grad, [0.0, 1.0, 1.0, 0.5])


def test_the_slope_of_a_remainder_is_the_quotient_that_it_belongs_to(device: str) -> None:
    # 1 / 0.1 rounds to 10, but 0.1 goes into 1 nine times: it is a little more than a tenth.
    y = leaf([0.1], device)
    ag.remainder(fixed([1.0], device), y).backward(fixed([1.0], device))
    check(y.grad, [-9.0])


def test_nan_lets_gradients_through(device: str) -> None:
    for function in (ag.relu, ag.nn.functional.relu6, lambda x: ag.maximum(x, x.detach() * 0.0 + 1.0)):
        check(gradient(function, [NAN], device), [1.0])
    check(gradient(ag.max, [1.0, NAN, 3.0, NAN], device), [0.0, 0.5, 0.0, 0.5])
    check(gradient(lambda x: ag.amax(x, 1), [[1.0, NAN], [3.0, 2.0]], device), [[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
@pytest.mark.parametrize(("shape", "dim"), [((0,), 0), ((0, 3), 0), ((3, 0), -1), ((2, 0, 3), 1), ((0, 3), 1)])
def test_softmax_along_nothing(name: str, shape: tuple[int, ...], dim: int, device: str) -> None:
    x = leaf(np.zeros(shape), device)
    out = getattr(ag, name)(x, dim)
    out.sum().backward()
    assert tuple(x.grad.shape) == shape
    check(out, np.full(np.zeros(shape).sum(dim).shape, -INF) if name == "logsumexp" else np.zeros(shape))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "bool"])
def test_products_and_running_sums_of_integers_are_int64(dtype: str, device: str) -> None:
    x = ag.tensor([1, 1, 1], dtype=dtype, device=device)
    for function in (ag.prod, ag.sum, lambda x: ag.cumsum(x, 0), lambda x: ag.cumprod(x, 0)):
        assert function(x).dtype == ag.int64


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64", "bool"])
def test_activations_of_integers_are_of_the_default_dtype(dtype: str, device: str) -> None:
    x = ag.tensor([0, 1], dtype=dtype, device=device)
    functional = ag.nn.functional
    for function in (functional.elu, functional.leaky_relu, functional.relu6, functional.hardtanh, functional.gelu):
        assert function(x).dtype == ag.float32


def test_the_bits_of_unsigned_integers_inverted(device: str) -> None:
    x = ~ag.tensor([0, 1, 255], dtype="uint8", device=device)
    assert (x.tolist(), x.dtype) == ([255, 254, 0], ag.uint8)


def test_integers_too_large_for_their_dtype() -> None:
    for value, dtype in [(2**63, None), ([300], "uint8"), ([-129], "int8")]:
        with pytest.raises(OverflowError, match="do not fit"):
            ag.tensor(value, dtype=dtype)
    x = ag.tensor([1, 2], dtype="uint8")
    with pytest.raises(OverflowError, match="uint8"):
        x[0] = 300


def test_steps_that_lead_nowhere() -> None:
    for arguments in [(0, 5, 0), (0, 5, -1), (5, 0)]:
        with pytest.raises(ValueError, match="arange"):
            ag.arange(*arguments)
    assert ag.arange(1, 1).tolist() == []


def test_variance_without_a_degree_of_freedom(device: str) -> None:
    x = fixed([1.0, 2.0, 4.0], device)
    check(ag.var(x, correction=3), INF)
    check(ag.var(x, correction=4), INF)
    check(ag.var(x[:1]), NAN)
    check(x.var(False), 14 / 9)
    check(x.std(False), math.sqrt(14) / 3)


def test_norms_with_negative_p_and_p_0(device: str) -> None:
    check(gradient(lambda x: ag.norm(x, p=-1, dim=1), [[3.0, 0.0], [1.0, 1.0]], device), [[0.0, 0.0], [0.25, 0.25]])
    check(gradient(lambda x: ag.norm(x, p=0), [3.0, 0.0], device), [0.0, 0.0])


def test_a_single_bool_as_index(device: str) -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]], device)
    assert tuple(x[True].shape) == tuple(x[ag.tensor(True, device=device)].shape) == (1, 2, 2)
    assert tuple(x[False].shape) == (0, 2, 2)
    (x[True].sum() + x[False].sum()).backward()
    check(x.grad, [[1.0, 1.0], [1.0, 1.0]])
    y = ag.ones(2, device=device)
    y[False] = 5.0
    check(y, [1.0, 1.0])
    y[True] = 5.0
    check(y, [5.0, 5.0])
    assert tuple(ag.nonzero(ag.tensor(3.0, device=device)).shape) == (1, 0)
    assert tuple(ag.nonzero(ag.tensor(0.0, device=device)).shape) == (0, 0)


def test_indices_and_masks_of_the_wrong_kind_are_refused(device: str) -> None:
    x = fixed([[1.0, 2.0], [3.0, 4.0]], device)
    numbers = ag.tensor([1, 0], device=device)
    with pytest.raises(TypeError, match="bools"):
        ag.masked_select(x, numbers)
    with pytest.raises(ValueError, match="one dimension"):
        ag.index_select(x, 0, numbers.reshape(1, 2))
    with pytest.raises(ValueError, match="source"):
        x.index_add(0, numbers, fixed([[1.0], [1.0]], device))
    check(ag.index_select(x, 1, numbers[0]), [[2.0], [4.0]])


def test_repeats_of_each_place_its_own(device: str) -> None:
    x = leaf([[1.0], [2.0], [3.0]], device)
    out = ag.repeat_interleave(x, ag.tensor([0, 2, 1], device=device), 0)
    check(out, [[2.0], [2.0], [3.0]])
    out.sum().backward()
    check(x.grad, [[0.0], [2.0], [1.0]])
    for wrong in ([1, 2], [1, -1, 1]):
        with pytest.raises(ValueError, match="repeat_interleave"):
            ag.repeat_interleave(x, ag.tensor(wrong, device=device), 0)


def test_a_list_that_begins_with_nothing(device: str) -> None:
    x = leaf([[1.0, 2.0]], device)
    out = ag.cat([ag.tensor([], dtype="float64", device=device), x, x], 0)
    out.sum().backward()
    check(x.grad, [[2.0, 2.0]])


def test_products_of_nothing_and_of_unequal_batches(device: str) -> None:
    a, b = leaf(np.zeros((2, 0)), device), leaf(np.zeros((3, 0)), device)
    out = ag.inner(a, b)
    out.sum().backward()
    check(out, np.zeros((2, 3)))
    check(a.grad, np.zeros((2, 0)))
    with pytest.raises(ValueError, match="bmm"):
        ag.bmm(fixed(np.ones((1, 2, 2)), device), fixed(np.ones((3, 2, 2)), device))
    with pytest.raises(ValueError, match="neither a letter"):
        ag.einsum("i1->i", fixed([[1.0]], device))
    check(ag.addmm(fixed([NAN], device), fixed([[2.0]], device), fixed([[3.0]], device), beta=0), [[6.0]])


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_no_target_that_counts(smoothing: float, device: str) -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]], device)
    target = ag.tensor([-100, -100], device=device)
    loss = ag.nn.functional.cross_entropy(x, target, label_smoothing=smoothing)
    loss.backward()
    check(loss, NAN)
    check(x.grad, [[0.0, 0.0], [0.0, 0.0]])
    none = leaf(np.zeros((0, 3)), device)
    check(ag.nn.functional.cross_entropy(none, ag.zeros(0, dtype="int64", device=device)), NAN)
    empty = ag.zeros(2, 0, dtype="int64", device=device)
    check(ag.nn.functional.cross_entropy(leaf(np.zeros((2, 3, 0)), device), empty, reduction="sum"), 0.0)


def test_float_targets_of_nll_loss_are_refused() -> None:
    with pytest.raises(TypeError, match="integers"):
        ag.nn.functional.nll_loss(fixed([[-1.0, -2.0]]), fixed([1.0]))


def test_a_huber_loss_without_a_linear_part() -> None:
    zeros = fixed([0.0, 0.0])
    check(ag.nn.functional.huber_loss(fixed([1.0, 3.0]), zeros, reduction="sum", delta=INF), 5.0)
    check(ag.nn.functional.smooth_l1_loss(fixed([1.0, 3.0]), zeros, reduction="sum", beta=INF), 0.0)


def test_what_a_hook_returns_is_kept_and_checked() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2.0
    y.retain_grad()
    y.register_hook(lambda g: g * 10.0)
    y.sum().backward()
    check(y.grad, [10.0, 10.0])
    check(x.grad, [20.0, 20.0])
    for wrong, error in [(fixed([1.0]), ag.TapeError), (ag.ones(2), ag.TapeError), (3.0, TypeError)]:
        z = leaf([1.0, 2.0])
        z.register_hook(lambda g, wrong=wrong: wrong)
        with pytest.raises(error, match="hook"):
            z.sum().backward()
        assert z.grad is None


def test_a_gradient_of_another_kind_cannot_be_set() -> None:
    x = leaf([1.0, 2.0])
    with pytest.raises(TypeError, match="Tensor or None"):
        x.grad = 3.0
    for wrong in (fixed([1.0]), ag.ones(2)):
        with pytest.raises(ValueError, match="gradient"):
            x.grad = wrong
    x.grad = fixed([1.0, 1.0])
    x.grad = None


# ---------------------------------------------------------------- dtypes again


def test_a_dtype_that_is_asked_for_is_given(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/82159: the running dtype of integers is int64, whatever was asked for
    x = ag.tensor([100, 100, 100], dtype="int8", device=device)
    for y, want in (
        *((ag.sum(x, dtype="int8"), 44), (ag.prod(x, dtype="int8"), 64)),  # modulo 256
        *((ag.cumsum(x, 0, dtype="int8"), [100, -56, 44]), (ag.cumprod(x, 0, dtype="int8"), [100, 16, 64])),
    ):
        assert y.dtype is ag.int8
        check(y, want)


def test_gradients_of_bfloat16_are_of_bfloat16() -> None:
    # https://github.com/tinygrad/tinygrad/pull/3613: a stretched gradient lost its dtype on the way
    x = leaf([[0.5, -1.0], [2.0, 3.0]], dtype="bfloat16")
    for y in (x.cumsum(0).sum(), x.std(), x.std(0).sum(), x.sum(1).sum(), x.expand(2, 2, 2).sum(), x.norm(dim=1).sum()):
        (g,) = ag.autograd.grad(y, x)
        assert y.dtype is g.dtype is ag.bfloat16
        assert type(g.array) is type(x.array)


def test_a_long_sum_of_float32_that_is_not_along_memory() -> None:
    # https://github.com/numpy/numpy/issues/22956: added one by one, a million of them lose a hundredth
    x = ag.full((1_000_001, 2), 0.1, requires_grad=True)
    for y, want in (
        *((x.sum(0), 100_000.1), (x.mean(0), 0.1), (x.T.sum(1), 100_000.1), (x.sum(0, keepdim=True)[0], 100_000.1)),
        *((x[1:].reshape(1000, 1000, 2).mean((0, 1)), 0.1), (ag.ones(2, 4097, 3).sum(1)[0], 4097.0)),
    ):
        check(y, [want] * y.numel(), 3e-6)
    x.sum(0)[1].backward()
    check(x.grad[-1], [0.0, 1.0])


def test_a_power_of_2_as_large_as_the_numbers_it_scales(device: str) -> None:
    # https://github.com/numpy/numpy/issues/29182: the integer exponent alone chose the dtype
    exponent = ag.tensor([1, -1, 1000], device=device)
    x = leaf([1.0, 2.0, 3.0], device)
    y = ag.ldexp(x, exponent)
    y.sum().backward()
    check(y, [2.0, 1.0, 3.0 * 2.0**1000])
    check(x.grad, [2.0, 0.5, 2.0**1000])


def test_a_power_of_2_that_is_larger_than_the_result() -> None:
    # https://github.com/jax-ml/jax/issues/28040
    y = ag.ldexp(ag.tensor([0.5, -(2.0**-24), 3.0], dtype="float16"), ag.tensor([16, 39, -3]))
    assert y.tolist() == [2.0**15, -(2.0**15), 0.375]
    exponent = leaf([3.0, -1.0])
    ag.ldexp(fixed([1.0, 5.0]), exponent).sum().backward()
    check(exponent.grad, [8 * math.log(2), 2.5 * math.log(2)])


# ---------------------------------------------------------------- one element, none, fewer than there is room for


def test_functions_along_a_dimension_take_a_number(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/46999
    functional, zero = ag.nn.functional, ag.tensor([0], device=device)
    for function, value, slope in (
        (lambda x: functional.softmax(x, 0), 1.0, 0.0),
        (lambda x: functional.log_softmax(x, -1), 0.0, 0.0),
        (lambda x: x.index_select(0, zero), 2.0, 1.0),
        (lambda x: x.index_fill(0, zero, 3.0) * x, 6.0, 3.0),
        (lambda x: x.index_add(0, zero, x.reshape(1), alpha=2), 6.0, 3.0),
    ):
        x = leaf(2.0, device)
        y = function(x)
        y.backward()
        check(y, value)
        check(x.grad, slope)
    assert functional.softmax(ag.tensor(1.0, device=device), 0, dtype="float64").dtype is ag.float64


def test_a_number_has_no_parts(device: str) -> None:
    for cut in (lambda x: ag.split(x, 1), lambda x: ag.chunk(x, 1), ag.unbind):
        with pytest.raises(ValueError, match="a 0-d tensor has no dimension to cut"):
            cut(fixed(1.0, device))


def test_as_many_parts_of_nothing_as_were_asked_for(device: str) -> None:
    # https://github.com/pytorch/pytorch/pull/9362
    assert [tuple(part.shape) for part in ag.chunk(ag.zeros(2, 0, device=device), 3, 1)] == [(2, 0)] * 3


def test_fewer_values_to_scatter_than_there_is_room_for(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/27614: the gradient is read in the shape of the indices
    x, values = leaf(np.ones((3, 4)), device), leaf([[1.0, 2.0, 7.0], [4.0, 8.0, 7.0]], device)
    y = x.scatter_add(0, ag.tensor([[0, 0], [0, 1]], device=device), values)
    (y * fixed(np.arange(12.0).reshape(3, 4), device)).sum().backward()
    check(y, [[6.0, 3.0, 1.0, 1.0], [1.0, 9.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]])
    check(values.grad, [[0.0, 1.0, 0.0], [0.0, 5.0, 0.0]])
    check(x.grad, np.arange(12.0).reshape(3, 4))


def test_logit_at_0_and_1(device: str) -> None:
    # Through x / (1 - x) its slope is 0 times an infinity.
    with np.errstate(divide="ignore", invalid="ignore"):
        check(ag.logit(fixed([0.0, 0.5, 1.0], device)), [-INF, 0.0, INF])
        check(gradient(ag.logit, [0.0, 0.5, 1.0], device), [INF, 4.0, INF])


# ---------------------------------------------------------------- calls


def test_einsum_with_numbers_for_letters(device: str) -> None:
    # https://github.com/pytorch/pytorch/issues/21412
    a, b = leaf([[1.0, 2.0], [3.0, 4.0]], device), fixed([[1.0], [10.0]], device)
    check(ag.einsum(a, [0, 1], [1, 0]), [[1.0, 3.0], [2.0, 4.0]])
    check(ag.einsum(a, [..., 7], b, [7, 30], [30, ...]), [[21.0, 43.0]])
    check(ag.einsum(a, [1, 0]), [[1.0, 3.0], [2.0, 4.0]])
    with pytest.raises(TypeError, match="einsum: expected an equation"):
        ag.einsum(a, b)
    with pytest.raises(ValueError, match="einsum: the number 52 is none of 0 to 51"):
        ag.einsum(a, [0, 52])


def test_a_number_in_a_string_is_that_number() -> None:
    x = ag.tensor(1.5, requires_grad=True)
    assert f"{x}" == "1.5"
    assert f"{x:.2f}" == "1.50"
    assert f"{ag.tensor([1.5])}" == "tensor([1.5])"


def test_probabilities_cannot_be_ignored_by_class(device: str) -> None:
    # https://github.com/pytorch/pytorch/pull/63122
    scores = leaf([[1.0, 2.0]], device)
    probabilities = fixed([[0.5, 0.5]], device)
    with pytest.raises(ValueError, match="cross_entropy: ignore_index=1 is for targets that are classes"):
        ag.nn.functional.cross_entropy(scores, probabilities, ignore_index=1)
    check(ag.nn.functional.cross_entropy(scores, probabilities), math.log(1.0 + math.e) - 0.5)


def test_a_weight_of_one_dimension_gives_one_output(device: str) -> None:
    x, weight = leaf([[1.0, 2.0], [3.0, 4.0]], device), leaf([5.0, 6.0], device)
    bias = leaf(0.5, device)
    y = ag.nn.functional.linear(x, weight, bias)
    check(y, [17.5, 39.5])
    y.sum().backward()
    check(x.grad, [[5.0, 6.0], [5.0, 6.0]])
    check(weight.grad, [4.0, 6.0])
    check(bias.grad, 2.0)
    with pytest.raises(ValueError, match="in_features, 2"):
        ag.nn.functional.linear(fixed([1.0, 2.0, 3.0], device), weight)


def test_a_lazy_module_that_moves_before_its_first_input(device: str) -> None:
    # https://github.com/chainer/chainer/issues/6368
    model = ag.nn.Sequential(ag.nn.LazyLinear(3), ag.nn.LazyBatchNorm1d()).to(device, ag.float64)
    y = model(fixed([[1.0, 2.0], [3.0, 5.0]], device))
    assert model[1].running_mean.shape == (3,)
    assert str(model[1].running_var.device) == str(y.device) == device
    assert model[1].running_var.dtype == ag.float64
    assert list(model.state_dict()) == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
    ]


def test_losses_with_a_weight_for_each_element(device: str) -> None:
    # PyTorch 2.13: mse and l1 divide by the sum of the weights, huber by the number of elements.
    target, weight = fixed([0.0, 0.0, 0.0], device), fixed([1.0, 2.0, 5.0], device)
    for loss, mean, each in (
        (ag.nn.functional.mse_loss, 9.0 / 8.0, [1.0, 8.0, 0.0]),
        (ag.nn.functional.l1_loss, 5.0 / 8.0, [1.0, 4.0, 0.0]),
        (ag.nn.functional.huber_loss, 3.5 / 3.0, [0.5, 3.0, 0.0]),
    ):
        x = leaf([1.0, -2.0, 0.0], device)
        check(loss(x, target, weight=weight), mean)
        check(loss(x, target, weight=weight, reduction="none"), each)
        check(loss(x, target, weight=weight, reduction="sum"), sum(each))
        with pytest.raises(ValueError, match="the weight must have the shape of the input"):
            loss(x, target, weight=fixed([1.0], device))


def test_an_ignored_target_stops_even_a_nan_gradient(device: str) -> None:
    # The mean of nothing is NaN, and so is the slope of its square; PyTorch 2.13 keeps it from the scores.
    scores = leaf([[1.0, 2.0], [3.0, 4.0]], device)
    loss = ag.nn.functional.cross_entropy(scores, ag.tensor([-100, -100], device=device))
    loss.square().backward()
    check(loss, NAN)
    check(scores.grad, [[0.0, 0.0], [0.0, 0.0]])


def test_an_image_that_doubles_repeats_each_cell(device: str) -> None:
    # PyTorch 2.13: 2.05 x 4 cells are 8 cells, at which the nearest are not looked for by the scale.
    x = leaf([[[[1.0, 2.0, 3.0, 4.0]]]], device)
    y = ag.nn.functional.interpolate(x, scale_factor=(1.0, 2.05))
    check(y, [[[[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]]]])
    (y * fixed([[[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]]], device)).sum().backward()
    check(x.grad, [[[[3.0, 7.0, 11.0, 15.0]]]])
