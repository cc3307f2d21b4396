"""What the ``*_backward`` ops refuse when they are called directly, before any work, on every device alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograd_ops as ag
from autograd_ops import ops

DEVICES = ("cpu", "strict:device1")

Make = Callable[..., Any]

OPTIONS = ops.AttentionModuleOptions()

#: A call, given what makes ones of a shape and what makes indices, and what it says.
SHAPES: list[tuple[Callable[[Make, Make], Any], str]] = [
    (lambda t, i: ops.linear_x_backward(t(3, 2), t(4, 3)), r"linear_x_backward: output_grad has shape \(4, 3\)"),
    (lambda t, i: ops.linear_x_backward(t(3, 2), t()), r"linear_x_backward: output_grad has shape \(\)"),
    (lambda t, i: ops.linear_x_backward(t(3), t(4, 3)), r"linear_x_backward: weight has shape \(3,\)"),
    (lambda t, i: ops.linear_weight_backward(t(2, 3, 4), t(6, 5)), r"linear_weight_backward: x has shape \(2, 3, 4\)"),
    (lambda t, i: ops.linear_weight_backward(t(), t()), r"linear_weight_backward: x has shape \(\)"),
    (lambda t, i: ops.linear_bias_backward(t()), r"linear_bias_backward: output_grad has shape \(\)"),
    (lambda t, i: ops.linear(t(2, 3), t(2, 3, 2), None, True), r"linear: weight has shape \(2, 3, 2\)"),
    (lambda t, i: ops.embedding_backward((3,), t(1, 2), i(1)), r"embedding_backward: weights have shape \(3,\)"),
    (lambda t, i: ops.embedding_backward((3, 2), t(1, 3), i(1)), r"embedding_backward: output_grad .* \(1, 3\)"),
    (lambda t, i: ops.embedding_backward((3, 2), t(2, 2), i(1)), r"embedding_backward: output_grad .* \(2, 2\)"),
    (lambda t, i: ops.conv2d_bias_backward((1, 2, 4, 4), (3,), t(1, 2, 2, 2)), "conv2d_bias_backward: output_grad"),
    (lambda t, i: ops.conv2d_bias_backward((1, 2, 4, 4), (3,), t(3)), "conv2d_bias_backward: output_grad"),
    (lambda t, i: ops.conv_transpose1d_bias_backward((1, 2, 4), (3,), t(1, 2, 2)), "conv_transpose1d_bias_backward: "),
    (lambda t, i: ops.adaptive_avg_pool2d_backward((1, 2, 4, 4), t(1, 2, 2)), "adaptive_avg_pool2d_backward: the grad"),
    (lambda t, i: ops.batch_norm(t(3, 2), None, None, t(1), t(2), 0.1), r"batch_norm: mean has shape \(1,\)"),
    (lambda t, i: ops.batch_norm(t(3, 2), None, None, t(2), t(2, 1), 0.1), r"batch_norm: variance has shape \(2, 1\)"),
    (
        lambda t, i: ops.batch_norm_train_backward(t(3, 2), t(1), t(2), t(2), 0.1, t(3, 2)),
        r"batch_norm_train_backward: gamma has shape \(1,\)",
    ),
    (
        lambda t, i: ops.batch_norm_train_backward(t(3, 2), t(2), t(1), t(2), 0.1, t(3, 2)),
        r"batch_norm_train_backward: mean has shape \(1,\)",
    ),
    (
        lambda t, i: ops.batch_norm_train_backward(t(3, 2), t(2), t(2), t(2), 0.1, t(1, 2)),
        r"batch_norm_train_backward: the gradient has shape \(1, 2\)",
    ),
    (
        lambda t, i: ops.layer_norm_backward(t(3, 2), t(1), t(3, 1), t(3, 1), 0.1, t(3, 2)),
        r"layer_norm_backward: gamma has shape \(1,\)",
    ),
    (
        lambda t, i: ops.layer_norm_backward(t(3, 2), t(2), t(1, 1), t(3, 1), 0.1, t(3, 2)),
        r"layer_norm_backward: mean has shape \(1, 1\)",
    ),
    (
        lambda t, i: ops.layer_norm_backward(t(3, 2), t(2), t(3, 1), t(3, 1), 0.1, t(3, 1)),
        r"layer_norm_backward: the gradient has shape \(3, 1\)",
    ),
    (lambda t, i: ops.rms_norm_backward(t(3, 2), t(2), t(1, 1), 0.1, t(3, 2)), r"rms_norm_backward: rstd .* \(1, 1\)"),
    (lambda t, i: ops.rms_norm_backward(t(3, 2), t(2), t(3, 1), 0.1, t(2)), "rms_norm_backward: the gradient"),
    (
        lambda t, i: ops.group_norm_backward(t(3, 2, 2), 3, t(2), t(3, 1, 1), t(3, 1, 1), 0.1, t(3, 2, 2)),
        "group_norm_backward: .* num_groups=3 does not divide",
    ),
    (
        lambda t, i: ops.group_norm_backward(t(3, 2, 2), 1, t(2), t(3, 1, 1), t(3, 1, 1), 0.1, t(3, 2, 1)),
        r"group_norm_backward: the gradient has shape \(3, 2, 1\)",
    ),
    (
        lambda t, i: ops.attention_backward(
            t(1, 4, 3, 2), t(1, 2, 5, 2), t(1, 2, 5, 3), None, None, t(1, 4, 3, 3), t(1, 4, 3), t(1, 4, 3, 2), OPTIONS
        ),
        r"attention_backward: output_grad has shape \(1, 4, 3, 2\)",
    ),
    (
        lambda t, i: ops.attention_backward(
            t(1, 4, 3, 2), t(1, 2, 5, 2), t(1, 2, 5, 3), None, None, t(1, 4, 3, 3), t(1, 4, 2), t(1, 4, 3, 3), OPTIONS
        ),
        r"attention_backward: log_sum has shape \(1, 4, 2\)",
    ),
    (
        lambda t, i: ops.ctc_loss_backward(-t(3, 1, 2), i([1]), i(3), i(1), t(), 0),
        r"ctc_loss_backward: grad_loss has shape \(\)",
    ),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("call", "message"), SHAPES)
def test_shapes_that_do_not_fit(call: Callable[[Make, Make], Any], message: str, device: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(lambda *shape: ag.ones(shape, device=device).array, lambda *n: ag.tensor(list(n), device=device).array)


@pytest.mark.parametrize("device", DEVICES)
def test_shapes_are_checked_where_the_call_is_recorded(device: str) -> None:
    x = ag.ones(3, 2, device=device, requires_grad=True)
    one, row = ag.ones(3, 1, device=device), ag.ones(1, 2, device=device)
    with pytest.raises(ValueError, match="layer_norm_backward: the gradient has shape"):
        ops.layer_norm_backward(x, None, one, one, 0.1, row)
    with pytest.raises(ValueError, match="rms_norm_backward: the gradient has shape"):
        ops.rms_norm_backward(x, None, one, 0.1, row)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("index", [-1, 3])
def test_an_index_out_of_range(index: int, device: str) -> None:
    grad, indices = ag.ones(1, 2, device=device), ag.tensor([index], device=device)
    with pytest.raises(IndexError, match=f"embedding_backward: index {index} is out of range for size 3"):
        ops.embedding_backward((3, 2), grad, indices)


@pytest.mark.parametrize("device", DEVICES)
def test_indices_that_are_not_integers(device: str) -> None:
    grad, indices = ag.ones(1, 1, 2, device=device), ag.ones(1, 1, 2, device=device)
    with pytest.raises(TypeError, match="max_pool1d_with_indices_backward: indices have dtype float32; they must be"):
        ops.max_pool1d_with_indices_backward((1, 1, 4), 2, 2, 0, 1, False, grad, indices)
    with pytest.raises(TypeError, match="embedding_backward: indices have dtype float32; they must be integers"):
        ops.embedding_backward((3, 1), grad, indices[0])
    with pytest.raises(TypeError, match="embedding: indices have dtype float32; they must be integers"):
        ops.embedding(grad[0], indices)


@pytest.mark.parametrize("device", DEVICES)
def test_a_list_is_a_shape(device: str) -> None:
    grad = ag.ones(1, 1, 2, 2, device=device)
    assert ops.avg_pool2d_backward([1, 1, 4, 4], grad, 2, 2, 0, True, False).sum().item() == 4.0


@pytest.mark.parametrize("device", DEVICES)
def test_linear_without_features(device: str) -> None:
    some, none = ag.ones(2, 3, device=device), ag.ones(2, 0, device=device)
    assert ops.linear_weight_backward(none, some).shape == (0, 3)
    assert ops.linear_weight_backward(some, none).shape == (3, 0)
    assert ops.linear_bias_backward(none).shape == (0,)
