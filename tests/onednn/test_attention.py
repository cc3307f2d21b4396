"""Attention in whole rows, by oneDNN, against its definition: in one block and in many, in any layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograd_backends.numpy_backend import attention_rows
from autograd_backends.numpy_backend.onednn import attention
from autograd_backends.options import AttentionModuleOptions

from ..backends.test_attention import Call

#: B, H, Sq, Sk, D, Dv: with few keys beside D, and with many.
SIZES = [(2, 3, 5, 5, 4, 3), (1, 2, 6, 9, 2, 4), (3, 1, 7, 40, 3, 2), (1, 1, 33, 33, 8, 8), (2, 2, 1, 6, 2, 2)]


def lying(x: Any, packed: bool) -> Any:
    """x [B, H, S, D] as float32 in order, or as a window on [B, S, 2 H D]."""
    if not packed or x.dtype == bool:
        return x if x.dtype == bool else x.astype(np.float32)
    batch, heads, length, width = x.shape
    memory = np.zeros((batch, length, 2, heads, width), np.float32)
    memory[:, :, 1] = x.transpose(0, 2, 1, 3)
    return memory[:, :, 1].transpose(0, 2, 1, 3)


@pytest.mark.parametrize("most", [2**18, 300, 80])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masks", [(None, None), ((1, 1), None), (None, (1, 1)), ("whole", "whole"), (None, "whole")])
def test_whole_rows(most: int, packed: bool, causal: bool, masks: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(attention, "BLOCK", most)
    monkeypatch.setattr(attention_rows, "ROWS", 1)
    rng = np.random.default_rng(most + packed)
    for batch, heads, queries, keys, width, value_width in SIZES:
        shapes = [(batch, heads) if mask == "whole" else mask for mask in masks]
        sizes = (batch, heads, heads, queries, keys, width, value_width)
        call = Call(rng, sizes, AttentionModuleOptions(0.4, None, causal), *shapes)
        if call.mask is not None:
            call.mask[..., 0] = False  # a query that sees nothing is NumPy's
        given = [None if a is None else lying(a, packed and a.shape[2:] != (queries, keys)) for a in call.arrays()]
        found = attention.attention(*given, call.options)
        assert found is not None
        grad = lying(call.grad, packed)
        grads = attention.attention_backward(*given, found.output, found.log_sum, grad, call.options)
        assert grads is not None
        output, _, *want = call.expected()
        for got, exact in zip((found.output, *grads), (output, *want), strict=True):
            assert (got is None) == (exact is None)
            if got is not None:
                np.testing.assert_allclose(got, exact, rtol=2e-5, atol=2e-5)


def test_one_number_for_many_gradients() -> None:
    call = Call(np.random.default_rng(1), (1, 2, 2, 4, 4, 2, 2), AttentionModuleOptions())
    given = [None if a is None else lying(a, False) for a in call.arrays()]
    call.grad = np.broadcast_to(np.float64(1.5), call.grad.shape)
    found = attention.attention(*given, call.options)
    assert found is not None
    grad = np.broadcast_to(np.float32(1.5), call.grad.shape)
    grads = attention.attention_backward(*given, found.output, found.log_sum, grad, call.options)
    assert grads is not None
    np.testing.assert_allclose(grads.value_grad, call.expected()[4], rtol=1e-5)


def test_what_it_leaves_to_numpy() -> None:
    call = Call(np.random.default_rng(2), (1, 2, 2, 4, 4, 2, 2), AttentionModuleOptions(), (1, 1))
    given = [None if a is None else lying(a, False) for a in call.arrays()]

    def declines(given: Any, options: AttentionModuleOptions = call.options) -> bool:
        return attention.attention(*given, options) is None

    given[3][..., 1, :] = True
    assert declines(given)  # a query that sees nothing
    given[3][:] = np.arange(4) == 3
    assert not declines(given)
    assert declines(given, AttentionModuleOptions(softcap=1.0))
    given[2][..., 3, :] = np.inf
    assert declines(given)  # a hidden value that is not finite
    assert declines([given[0], *(x[:, :1] for x in given[1:3]), None, None])  # heads that share keys
    assert declines(
        [*(x[..., :n, :] for x, n in zip(given[:3], (4, 3, 3), strict=True)), None, None],
        AttentionModuleOptions(is_causal=True),
    )  # queries before the first key


def test_blocks_see_no_keys_that_causality_hides() -> None:
    blocks = attention_rows._blocks((1, 1, 6, 6), 0, 12)
    assert [(place[2], seen) for place, seen in blocks] == [(slice(i, i + 2), i + 2) for i in (0, 2, 4)]
