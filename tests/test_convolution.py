"""What the convolutions of `ops` offer beyond what holds for every op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import ops
from autograd_ops.ops import ConvOptions, PaddedConvOptions


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("options", [ConvOptions(2, 1), PaddedConvOptions.asymmetric(1, 0, 2)])
def test_all_gradients_at_once(rank: int, options: Any) -> None:
    rng = np.random.default_rng(0)
    name = f"conv{rank}d"
    x, weight, bias = (rng.normal(size=s) for s in [(2, 2, *(4,) * rank), (3, 2, *(2,) * rank), (3,)])
    grad = rng.normal(size=getattr(ops, name)(x, weight, bias, options).shape)
    together = getattr(ops, f"{name}_backward")
    got = together(x, weight, bias, grad, options)
    assert type(got) is getattr(ops, f"Conv{rank}dBackward")
    assert got._fields == ("x_grad", "weights_grad", "bias_grad")
    leaves = [ag.tensor(a, requires_grad=True) for a in (x, weight, bias)]
    getattr(ops, name)(*leaves, options).backward(ag.tensor(grad))
    for found, leaf in zip(got, leaves, strict=True):
        np.testing.assert_allclose(found, leaf.grad.numpy(), rtol=1e-12, atol=1e-12)
    assert together(x, weight, None, grad, options).bias_grad is None
    # Of Tensors, it is recorded.
    assert together(leaves[0], leaves[1], None, ag.tensor(grad), options).x_grad.requires_grad


def test_the_gradient_of_a_frozen_convolution_needs_no_input() -> None:
    x = ag.ones(1, 1, 4, 4).requires_grad_()
    weight = ag.ones(1, 1, 2, 2)
    for y in (
        ops.conv2d(x * 1.0, weight, None, ConvOptions()),
        ops.conv_transpose2d(x * 1.0, weight, None, ops.ConvTransposeOptions()),
    ):
        assert not any(isinstance(kept, np.ndarray) and kept.shape == (1, 1, 4, 4) for kept in y.node.saved)
