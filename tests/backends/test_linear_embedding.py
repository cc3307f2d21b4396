"""linear and embedding against sums over every product."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends import ShapeError

from .conftest import Lane, close


@pytest.mark.parametrize("lead", [(), (4,), (2, 3), (0,), (2, 0)])
def test_linear(lead: Any, lane: Lane, dtype: str, rng: Any) -> None:
    x, weight, bias = rng.normal(size=(*lead, 5)), rng.normal(size=(5, 3)), rng.normal(size=3)
    grad = rng.normal(size=(*lead, 3))
    ax, aw, ab, ag = (lane.array(v, dtype) for v in (x, weight, bias, grad))
    product = (x[..., :, None] * weight).sum(-2)
    close(lane.host(lane.ops.linear(ax, aw, None)), product, dtype)
    close(lane.host(lane.ops.linear(ax, aw, ab)), product + bias, dtype)
    close(lane.host(lane.ops.linear_x_backward(aw, ag)), (weight * grad[..., None, :]).sum(-1), dtype)
    outer = (x[..., :, None] * grad[..., None, :]).reshape(-1, 5, 3).sum(0)
    close(lane.host(lane.ops.linear_weight_backward(ax, ag)), outer, dtype)
    close(lane.host(lane.ops.linear_bias_backward(ag)), grad.reshape(-1, 3).sum(0), dtype)


@pytest.mark.parametrize("lead", [(), (4,), (300,), (2, 3), (0,)])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("needs", [(True, True, True), (False, True, True), (True, False, False), (True, True, False)])
def test_all_gradients_of_linear_are_those_of_each(
    lead: Any, transposed: bool, needs: Any, lane: Lane, dtype: str, rng: Any
) -> None:
    x, grad, weight = (lane.array(rng.normal(size=s), dtype) for s in ((*lead, 5), (*lead, 3), (5, 3)))
    turned = lane.array(lane.host(weight).T, dtype) if transposed else weight
    got = lane.backend.linear_backward(x if needs[1] else None, turned if needs[0] else None, grad, transposed, needs)
    weight_grad = lane.ops.linear_weight_backward(x, grad)
    want = (
        lane.host(lane.ops.linear_x_backward(weight, grad)),
        lane.host(weight_grad).T if transposed else lane.host(weight_grad),
        lane.host(lane.ops.linear_bias_backward(grad)),
    )
    for one, other, needed in zip(got, want, needs, strict=True):
        assert (one is not None) is needed
        if needed:
            close(lane.host(one), other, dtype)


def test_linear_shares_no_memory(numpy_lane: Lane) -> None:
    grad = np.ones(3)
    assert not np.shares_memory(numpy_lane.ops.linear_bias_backward(grad), grad)


def test_linear_refuses_what_does_not_fit(lane: Lane) -> None:
    x, weight = lane.array(np.zeros((2, 4))), lane.array(np.zeros((5, 3)))
    with pytest.raises(ShapeError, match=r"linear: x has 4 features \(last dimension of \(2, 4\)\)"):
        lane.ops.linear(x, weight, None)


@pytest.mark.parametrize("shape", [(7,), (3, 4), (0, 2), (2, 2, 2)])
def test_embedding(shape: Any, lane: Lane, dtype: str, rng: Any) -> None:
    weights, indices = rng.normal(size=(5, 3)).astype(dtype), rng.integers(0, 5, size=shape)
    grad = rng.normal(size=(*shape, 3))
    aw, ai, ag = lane.array(weights), lane.array(indices), lane.array(grad, dtype)
    np.testing.assert_array_equal(lane.host(lane.ops.embedding(aw, ai)), weights[indices])
    want = np.zeros((5, 3))
    for at in np.ndindex(shape):
        want[indices[at]] += grad[at]
    close(lane.host(lane.ops.embedding_backward((5, 3), ag, ai)), want, dtype)


@pytest.mark.parametrize("bad", [-1, 5])
def test_embedding_refuses_an_index_out_of_range(bad: int, lane: Lane) -> None:
    weights, indices = lane.array(np.zeros((5, 3))), lane.array(np.array([[0, bad]]))
    with pytest.raises(IndexError, match=f"embedding: index {bad} is out of range for size 5"):
        lane.ops.embedding(weights, indices)


def test_embedding_refuses_indices_that_are_not_integers(lane: Lane) -> None:
    with pytest.raises(TypeError, match=r"embedding: indices have dtype .*float64.*; they must be integers"):
        lane.ops.embedding(lane.array(np.zeros((5, 3))), lane.array(np.zeros((1, 2))))


def test_half_precision_adds_up_in_single(numpy_lane: Lane) -> None:
    # 4096 times 1: in half precision the sum would stop at 2048.
    grad = np.ones((1, 4096, 1), np.float16)
    got = numpy_lane.ops.embedding_backward((2, 1), grad, np.zeros((1, 4096), np.int64))
    assert got.dtype == np.float16
    assert got.tolist() == [[4096.0], [0.0]]
    assert numpy_lane.ops.linear_bias_backward(grad).tolist() == [4096.0]
    assert numpy_lane.ops.linear_weight_backward(grad, grad).tolist() == [[4096.0]]
