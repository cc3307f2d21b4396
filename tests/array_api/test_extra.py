"""array-api-extra, which is written for any arrays of the standard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_extra as xpx
import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.autograd import gradcheck

X = np.random.default_rng(0).permutation(np.linspace(0.2, 2.0, 12)).reshape(3, 4)

CALLS: dict[str, Callable[[Any], Any]] = {
    "atleast_nd": lambda x: xpx.atleast_nd(x, ndim=3),
    "cov": lambda x: xpx.cov(x),
    "create_diagonal": lambda x: xpx.create_diagonal(x[0]),
    "kron": lambda x: xpx.kron(x[:2], x[:, :2]),
    "one_hot": lambda x: xpx.one_hot(x.argmax(1), 4) * x,
    "pad": lambda x: xpx.pad(x, 1, constant_values=2.0),
    "sinc": lambda x: xpx.sinc(x),
    "nan_to_num": lambda x: xpx.nan_to_num(x),
    "apply_where": lambda x: xpx.apply_where(x > 1, (x,), lambda x: x * x, lambda x: -x),
    "at add": lambda x: xpx.at(x * 1)[1, ...].add(2.0),
    "at set": lambda x: xpx.at(x * 1)[:, 0].set(0.5),
    "at multiply": lambda x: xpx.at(x * 1)[x > 1].multiply(3.0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_does_what_it_does_with_numpy_and_is_differentiated(call: Callable[[Any], Any]) -> None:
    x = ag.tensor(X, requires_grad=True)
    got = call(x)
    np.testing.assert_allclose(got.detach().numpy(), call(X), rtol=1e-13)
    assert gradcheck(call, x)


def test_a_mask_that_chooses_nothing_leaves_all_as_it_was() -> None:
    """So that code which sets what is infinite, and finds nothing that is, can be gone back through."""
    x = ag.tensor(X, requires_grad=True)
    largest = x.__array_namespace__().max(x, axis=1)
    version = largest.version[0]
    kept = xpx.at(largest)[largest > 9].set(0.0)
    assert kept.version[0] == version
    kept.sum().backward()
    assert x.grad.sum().item() == 3.0


def test_a_leaf_is_not_assigned_to_by_a_mask_that_chooses_nothing() -> None:
    x = ag.tensor(X, requires_grad=True)
    with pytest.raises(ag.TapeError, match="a leaf that requires grad"):
        x[x > 9] = 0.0
