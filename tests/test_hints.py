"""What messages suggest: each suggestion is taken, and helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_backends import ShapeError

X, Y, Z = ag.ones(3, 4), ag.ones(3, 4), ag.ones(4, 5)
WEIGHT, KERNEL = ag.ones(2, 12), ag.ones(2, 3, 1, 1)
IMAGES, FIRST, LAST = ag.ones(5, 1, 3, 4), ag.ones(3, 5, 4, 4), ag.ones(5, 4, 4, 3)
SCORES, LABELS = ag.ones(3, 4), ag.zeros(3, 1, dtype=ag.int64)

#: What fails, what its message ends in, and what was suggested.
CASES: dict[str, tuple[Callable[[], Any], str, Callable[[], Any]]] = {
    "linear: flatten": (
        lambda: F.linear(IMAGES, WEIGHT),
        "; flatten it first: input.flatten(1) has 12",
        lambda: F.linear(IMAGES.flatten(1), WEIGHT),
    ),
    "linear: flatten, as an op": (
        lambda: ag.ops.linear(IMAGES, WEIGHT.T),
        "; flatten it first: x.flatten(1) has 12",
        lambda: ag.ops.linear(IMAGES.flatten(1), WEIGHT.T),
    ),
    "linear: move": (
        lambda: F.linear(ag.ones(12, 7), WEIGHT),
        "; dimension 0 has 12: move it, as with input.movedim(0, -1)",
        lambda: F.linear(ag.ones(12, 7).movedim(0, -1), WEIGHT),
    ),
    "linear: one feature": (
        lambda: F.linear(ag.ones(7), ag.ones(2, 1)),
        "; add a dimension, as with input.unsqueeze(-1)",
        lambda: F.linear(ag.ones(7).unsqueeze(-1), ag.ones(2, 1)),
    ),
    "conv2d: channels last": (
        lambda: F.conv2d(LAST, KERNEL),
        "; the last dimension has as many: move it, as with x.movedim(-1, 1)",
        lambda: F.conv2d(LAST.movedim(-1, 1), KERNEL),
    ),
    "conv2d: channels first": (
        lambda: F.conv2d(FIRST, KERNEL),
        "; dimension 0 has as many: exchange the two, as with x.transpose(0, 1)",
        lambda: F.conv2d(FIRST.transpose(0, 1), KERNEL),
    ),
    "matmul: mT on the right": (lambda: X @ ag.ones(5, 4), "; x @ y.mT would fit", lambda: X @ ag.ones(5, 4).mT),
    "matmul: mT on the left": (lambda: X @ ag.ones(3, 5), "; x.mT @ y would fit", lambda: X.mT @ ag.ones(3, 5)),
    "matmul: the other way round": (lambda: Z @ X, "; y @ x would fit", lambda: X @ Z),
    "add: a dimension of the second": (
        lambda: X + ag.ones(3),
        "; give the second one a dimension more, as with unsqueeze(-1)",
        lambda: X + ag.ones(3).unsqueeze(-1),
    ),
    "add: a dimension of the first": (
        lambda: ag.ones(3) + X,
        "; give the first one a dimension more, as with unsqueeze(-1)",
        lambda: ag.ones(3).unsqueeze(-1) + X,
    ),
    "mul: transpose": (
        lambda: X * ag.ones(4, 3),
        "; the transpose of the second one would fit, as with .mT",
        lambda: X * ag.ones(4, 3).mT,
    ),
    "cross_entropy: squeeze": (
        lambda: F.cross_entropy(SCORES, LABELS),
        "; drop the last dimension, as with target.squeeze(-1)",
        lambda: F.cross_entropy(SCORES, LABELS.squeeze(-1)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_suggestion_helps(name: str) -> None:
    fails, hint, fixed = CASES[name]
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the end of its message is looked at below
        fails()
    assert str(caught.value).endswith(hint)
    fixed()


@pytest.mark.parametrize(
    "fails",
    [
        lambda: F.linear(ag.ones(5, 7), WEIGHT),
        lambda: F.conv2d(ag.ones(1, 4, 5, 5), KERNEL),
        lambda: ag.ones(2, 3) @ ag.ones(7, 5),
        lambda: ag.ones(2, 3) + ag.ones(5, 7),
        lambda: ag.ones(2, 3) @ ag.ones(2),
    ],
)
def test_no_suggestion_where_none_would_help(fails: Callable[[], Any]) -> None:
    with pytest.raises(ShapeError) as caught:
        fails()
    assert ";" not in str(caught.value)


def test_reshape_counts() -> None:
    with pytest.raises(ShapeError, match=r"reshape: the 3 elements of shape \(3,\) do not fill \(2, 2\)"):
        ag.ones(3).reshape(2, 2)
