"""The ops that oneDNN does for large arrays, on the small samples of tests/op_samples: what holds for every op."""

from __future__ import annotations

import pytest

from autograd_backends.numpy_backend.onednn.table import KERNELS
from autograd_ops.registry import TABLE, Op

from ..op_calls import close, float_inputs, gradients, host, leaves, tensors
from ..op_samples import SAMPLES
from ..test_ops import OPS, check_forward, has_gradient

pytestmark = pytest.mark.usefixtures("onednn_does_all")

#: Ops that a kernel of the table computes, or whose own kernel calls one.
CALLERS = (
    "einsum",
    "attention",
    "rnn",
    "lstm",
    "gru",
    "conv",
    "norm",
    "pool",
    "softmax",
    "interpolate",
    "gelu",
    "silu",
)
TOUCHED = [op for op in OPS if op.name in KERNELS or any(part in op.name for part in CALLERS)]

over_touched = pytest.mark.parametrize("op", TOUCHED, ids=lambda op: op.name)


def test_every_kernel_is_that_of_an_op() -> None:
    of_optimizers = {"adam_step"}
    assert {name for name, kernel in KERNELS.items() if kernel.of_backend} <= set(TABLE) | of_optimizers


@over_touched
def test_forward(op: Op) -> None:
    for sample in SAMPLES[op.name]:
        check_forward(op, sample, "cpu", "float32")


@over_touched
def test_gradients(op: Op) -> None:
    for sample in SAMPLES[op.name]:
        if not has_gradient(op, sample):
            continue
        names = float_inputs(op, sample)
        given = tensors(sample, "float32", "cpu", op, names)
        exact = gradients(op, tensors(sample, "float64", "cpu", op, names))
        for gradient, leaf, want in zip(gradients(op, given), leaves(given), exact, strict=True):
            assert (gradient.shape, gradient.dtype, gradient.device) == (leaf.shape, leaf.dtype, leaf.device)
            close(gradient, host(want))
