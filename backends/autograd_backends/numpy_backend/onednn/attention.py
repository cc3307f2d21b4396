"""Attention in blocks of whole rows: the products and the softmax of a block are one plan."""

from __future__ import annotations

from functools import partial
from math import prod

from ...array_types import Array
from ...options import AttentionModuleOptions
from ...results import Attention, AttentionBackward
from .. import attention_rows as rows
from .constants import (
    BINARY_ADD,
    DIFF_DST,
    DIFF_SRC,
    DST,
    ELTWISE_LINEAR,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    SOFTMAX_ACCURATE,
    SRC,
    SRC_1,
    WEIGHTS,
)
from .memory import Operand
from .plan import Plan, PostOp, run

__all__ = ["attention", "attention_backward"]

#: The most scores of a block.
BLOCK = 2**18


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    options: AttentionModuleOptions,
) -> Attention | None:
    """The values [B, H, Sk, Dv], weighted for each query [B, H, Sq, D] by the softmax of its scores"""
    return rows.forward(partial(run, _forward), BLOCK, query, key, value, mask, attn_bias, options)


def attention_backward(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    attn_bias: Array | None,
    output: Array,
    log_sum: Array | None,
    output_grad: Array,
    options: AttentionModuleOptions,
    needs: rows.Needs = (True, True, True, True),
) -> AttentionBackward | None:
    """The gradients of `attention`, where that was done in whole rows"""
    if log_sum is not None and log_sum.ndim == 3:
        return None
    given = (query, key, value, mask, attn_bias, output, log_sum, output_grad, options, needs)
    return rows.backward(partial(run, _backward), BLOCK, *given)


# ---------------------------------------------------------------- plans


def _forward(
    plan: Plan,
    scale: float,
    out: Operand,
    value: Operand,
    weights: Operand,
    query: Operand,
    key: Operand,
    added: Operand | None = None,
) -> None:
    with plan.shared(_work(weights, query)):
        _weigh(plan, scale, weights, query, key, added)
        _product(plan, weights, value, out)


def _backward(
    plan: Plan,
    options: tuple[float, bool, bool],
    weights: Operand,
    scores_grad: Operand,
    query_grad: Operand,
    key_grad: Operand,
    value_grad: Operand,
    query: Operand,
    key: Operand,
    value: Operand,
    output_grad: Operand,
    added: Operand | None = None,
) -> None:
    """The gradients; those of keys and values are added to what is there if it `goes_on`."""
    scale, again, goes_on = options
    scaled: tuple[PostOp, ...] = (("eltwise", ELTWISE_LINEAR, scale, 0.0),)
    # What is there is added before all is scaled: the other order has only a reference implementation.
    onto: tuple[PostOp, ...] = (("sum", 1.0),) if goes_on else ()
    scaled_onto = (("sum", 1.0 / scale), *scaled) if goes_on else scaled
    axis = len(weights.shape) - 1
    with plan.shared(_work(weights, query)):
        if again:
            _weigh(plan, scale, weights, query, key, added)
        _product(plan, _turned(weights), output_grad, value_grad, onto)
        _product(plan, output_grad, _turned(value), scores_grad)
        hint = plan.primitive("softmax_forward", FORWARD_TRAINING, SOFTMAX_ACCURATE, weights, weights, axis)
        primitive = plan.primitive("softmax_backward", SOFTMAX_ACCURATE, scores_grad, scores_grad, weights, axis, hint)
        plan.step(primitive, {DST: weights, DIFF_DST: scores_grad, DIFF_SRC: scores_grad})
        _product(plan, scores_grad, key, query_grad, scaled)
        _product(plan, _turned(scores_grad), query, key_grad, scaled_onto)


def _work(weights: Operand, query: Operand) -> int:
    """As a number of elements passed over, which `Plan.shared` compares."""
    return prod(weights.shape) * query.shape[-1] // 2


def _weigh(plan: Plan, scale: float, weights: Operand, query: Operand, key: Operand, added: Operand | None) -> None:
    """softmax(query key^T scale + added)"""
    axis = len(weights.shape) - 1
    _product(plan, query, _turned(key), weights, (("eltwise", ELTWISE_LINEAR, scale, 0.0),))
    if added is not None:
        primitive = plan.primitive("binary", BINARY_ADD, weights, added, weights)
        plan.step(primitive, {SRC: weights, SRC_1: added, DST: weights})
    primitive = plan.primitive("softmax_forward", FORWARD_INFERENCE, SOFTMAX_ACCURATE, weights, weights, axis)
    plan.step(primitive, {SRC: weights, DST: weights})


def _product(plan: Plan, x: Operand, y: Operand, out: Operand, post_ops: tuple[PostOp, ...] = ()) -> None:
    plan.step(plan.primitive("matmul", x, y, None, out, post_ops=post_ops), {SRC: x, WEIGHTS: y, DST: out})


def _turned(x: Operand) -> Operand:
    """[..., n, m] -> [..., m, n]"""
    *lead, n, m = x.shape
    *steps, step_n, step_m = x.strides
    return x.seen_as(*lead, m, n, strides=(*steps, step_m, step_n))
