"""Functions and methods with PyTorch's names: what they take, what they refuse, and numbers from PyTorch 2.13."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import functions, indexing
from autograd_ops.autograd import gradcheck, gradgradcheck

DATA = [[1.5, -2.0, 0.5], [3.0, 1.0, -1.0]]
INF = float("inf")


@pytest.fixture(params=["cpu", "strict:device1"])
def device(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def x(device: str) -> Any:
    return ag.tensor(DATA, dtype="float64", device=device)


def ints(x: Any, data: Any) -> Any:
    """Indices on the device of x."""
    return ag.tensor(data, device=x.device)


def floats(x: Any, data: Any) -> Any:
    """A float64 Tensor on the device of x."""
    return ag.tensor(data, dtype="float64", device=x.device)


def bools(x: Any, data: Any) -> Any:
    """A mask on the device of x."""
    return ag.tensor(data, dtype=bool, device=x.device)


def check(got: Any, want: Any) -> None:
    """Check Tensors, alone or in tuples, against nested lists of numbers."""
    if isinstance(got, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            check(g, w)
        return
    assert tuple(got.shape) == np.shape(want)
    np.testing.assert_allclose(got.detach().cpu().numpy(), want, rtol=1e-12, atol=1e-12)


#: A function of x, and what PyTorch 2.13 gives for it in float64.
FROM_PYTORCH: dict[str, tuple[Callable[[Any], Any], Any]] = {
    # arithmetic
    "add alpha": (lambda x: ag.add(x, x, alpha=2), 3 * np.array(DATA)),
    "sub alpha": (lambda x: ag.sub(x, 1.0, alpha=2), np.array(DATA) - 2),
    "lerp": (lambda x: ag.lerp(x, x * 2 + 1, 0.25), [[2.125, -2.25, 0.875], [4.0, 1.5, -1.0]]),
    "clamp by a tensor": (lambda x: ag.clamp(x, min=floats(x, [0.0, -1.0, 1.0])), [[1.5, -1.0, 1.0], [3.0, 1.0, 1.0]]),
    "clip": (lambda x: ag.clip(x, -1, 1), [[1.0, -1.0, 0.5], [1.0, 1.0, -1.0]]),
    "round": (
        lambda x: ag.round(floats(x, [1.255, -2.5, 0.5, 1234.567]), decimals=1),
        [1.3, -2.5, 0.5, 1234.6],
    ),
    "round to hundreds": (lambda x: ag.round(floats(x, [1250.0, 1350.0, -49.0]), decimals=-2), [1200.0, 1400.0, 0.0]),
    "remainder": (lambda x: ag.remainder(floats(x, [7.0, -7.0, -6.5]), 3.0), [1.0, 2.0, 2.5]),
    "div floor": (lambda x: ag.div(ints(x, [7, -7, 6]), 2, rounding_mode="floor"), [3, -4, 3]),
    "div trunc": (lambda x: ag.div(ints(x, [7, -7, 6]), 2, rounding_mode="trunc"), [3, -3, 3]),
    "div trunc of floats": (lambda x: ag.div(x, 0.4, rounding_mode="trunc"), [[3.0, -5.0, 1.0], [7.0, 2.0, -2.0]]),
    "isclose": (
        lambda x: ag.isclose(
            floats(x, [1.0, INF, np.nan, INF]), floats(x, [1.0 + 1e-9, INF, np.nan, -INF]), equal_nan=True
        ),
        [True, True, True, False],
    ),
    # reductions
    "norm 3": (lambda x: ag.norm(x, 3), 3.4341427276599954),
    "norm 1.5": (lambda x: ag.norm(x, 1.5, dim=1), [2.931458655923177, 3.7273505202246384]),
    "norm inf": (lambda x: ag.norm(x, INF, dim=0), [3.0, 2.0, 1.0]),
    "norm -inf": (lambda x: ag.norm(x, -INF), 0.5),
    "norm 0": (lambda x: ag.norm(x, 0, dim=1), [3.0, 3.0]),
    "norm 1": (lambda x: ag.norm(x, 1, dim=1, keepdim=True), [[4.0], [5.0]]),
    "std": (lambda x: ag.std(x), 1.7888543819998317),
    "std along 1": (lambda x: ag.std(x, 1), [1.8027756377319946, 2.0]),
    "var biased": (lambda x: ag.var(x, 1, unbiased=False), [2.1666666666666665, 2.6666666666666665]),
    "var correction": (lambda x: ag.var(x, 1, correction=0), [2.1666666666666665, 2.6666666666666665]),
    "var kept": (lambda x: ag.var(x, 0, keepdim=True), [[1.125, 4.5, 1.125]]),
    "logsumexp of both": (lambda x: ag.logsumexp(x, (0, 1)), 3.382267463225956),
    "sum of both kept": (lambda x: x.sum((0, 1), keepdim=True), [[3.0]]),
    "prod": (lambda x: x.prod(1), [-1.5, -3.0]),
    "amax": (lambda x: x.amax((0, 1)), 3.0),
    "argmax": (lambda x: ag.argmax(x), 3),
    "argmin": (lambda x: ag.argmin(x, 0), [0, 0, 1]),
    "max": (lambda x: ag.max(x, 1), ([1.5, 3.0], [0, 0])),
    "min kept": (lambda x: x.min(dim=0, keepdim=True), ([[1.5, -2.0, -1.0]], [[0, 0, 1]])),
    "max of two": (lambda x: ag.max(x, -x), [[1.5, 2.0, 0.5], [3.0, 1.0, 1.0]]),
    "cumsum": (lambda x: ag.cumsum(x, 1), [[1.5, -0.5, 0.0], [3.0, 4.0, 3.0]]),
    "softmax": (
        lambda x: ag.softmax(x, 1),
        [
            [0.7152682759694339, 0.021599230379269717, 0.2631324936512963],
            [0.8668133321973347, 0.11731042782619835, 0.015876239976466762],
        ],
    ),
    "log_softmax": (
        lambda x: ag.log_softmax(x, dim=0),
        [
            [-1.7014132779827524, -3.048587351573742, -0.20141327798275246],
            [-0.20141327798275246, -0.048587351573741965, -1.7014132779827524],
        ],
    ),
    "sort": (
        lambda x: ag.sort(x, 1, descending=True),
        ([[1.5, 0.5, -2.0], [3.0, 1.0, -1.0]], [[0, 2, 1], [0, 1, 2]]),
    ),
    "argsort": (lambda x: ag.argsort(x, 0), [[0, 0, 1], [1, 1, 0]]),
    "topk": (lambda x: ag.topk(x, 2, dim=1), ([[1.5, 0.5], [3.0, 1.0]], [[0, 2], [0, 1]])),
    "topk smallest": (lambda x: ag.topk(x, 1, dim=0, largest=False), ([[1.5, -2.0, -1.0]], [[0, 0, 1]])),
    # products
    "addmm": (
        lambda x: ag.addmm(floats(x, [[1.0, 1.0]] * 2), x, x.T, beta=0.5, alpha=2),
        [[13.5, 4.5], [4.5, 22.5]],
    ),
    "inner": (lambda x: ag.inner(x, x), [[6.5, 2.0], [2.0, 11.0]]),
    "outer": (lambda x: ag.outer(x[0], x[1]), [[4.5, 1.5, -1.5], [-6.0, -2.0, 2.0], [1.5, 0.5, -0.5]]),
    "mm": (lambda x: ag.mm(x, x.T), [[6.5, 2.0], [2.0, 11.0]]),
    "mv": (lambda x: ag.mv(x, x[0]), [6.5, 2.0]),
    "dot": (lambda x: ag.dot(x[0], x[1]), 2.0),
    "bmm": (lambda x: ag.bmm(x[None], x.T[None]), [[[6.5, 2.0], [2.0, 11.0]]]),
    "trace": (lambda x: ag.trace(x), 2.5),
    # by number
    "gather": (lambda x: ag.gather(x, 1, ints(x, [[2, 0], [1, 1]])), [[0.5, 1.5], [1.0, 1.0]]),
    "gather fewer": (lambda x: ag.gather(x, 0, ints(x, [[1, 0]])), [[3.0, -2.0]]),
    "scatter": (
        lambda x: ag.scatter(x * 0, 1, ints(x, [[0, 2], [1, 0]]), x),
        [[1.5, 0.0, -2.0], [1.0, 3.0, 0.0]],
    ),
    "scatter a number": (lambda x: ag.scatter(x, 1, ints(x, [[0], [2]]), 9.0), [[9.0, -2.0, 0.5], [3.0, 1.0, 9.0]]),
    "index_add": (
        lambda x: ag.index_add(x * 0, 1, ints(x, [0, 2]), floats(x, [[1.0, 2.0], [3.0, 4.0]]), alpha=2),
        [[2.0, 0.0, 4.0], [6.0, 0.0, 8.0]],
    ),
    "index_fill": (lambda x: ag.index_fill(x, 1, ints(x, [0, 2]), 9.0), [[9.0, -2.0, 9.0], [9.0, 1.0, 9.0]]),
    "index_select": (lambda x: ag.index_select(x, 1, ints(x, [2, 0])), [[0.5, 1.5], [-1.0, 3.0]]),
    "masked_select": (lambda x: ag.masked_select(x, bools(x, [1, 0, 1])), [1.5, 0.5, 3.0, -1.0]),
    "masked_fill": (lambda x: x.masked_fill(x < 0, 7.0), [[1.5, 7.0, 0.5], [3.0, 1.0, 7.0]]),
    "take": (lambda x: ag.take(x, ints(x, [[0, 5], [2, 2]])), [[1.5, -1.0], [0.5, 0.5]]),
    "nonzero": (lambda x: ag.nonzero(ints(x, [[0, 1], [2, 0]])), [[0, 1], [1, 0]]),
    "where alone": (lambda x: ag.where(ints(x, [[0, 1], [2, 0]]) != 0), ([0, 1], [1, 0])),
    "narrow": (lambda x: ag.narrow(x, 1, 1, 2), [[-2.0, 0.5], [1.0, -1.0]]),
    "select": (lambda x: ag.select(x, 1, -1), [0.5, -1.0]),
    # shapes
    "roll": (lambda x: ag.roll(x, 1), [[-1.0, 1.5, -2.0], [0.5, 3.0, 1.0]]),
    "roll along both": (lambda x: ag.roll(x, (1, -1), (0, 1)), [[1.0, -1.0, 3.0], [-2.0, 0.5, 1.5]]),
    "flip": (lambda x: x.flip(0, 1), [[-1.0, 1.0, 3.0], [0.5, -2.0, 1.5]]),
    "repeat": (lambda x: x[:, :2].repeat(1, 2), [[1.5, -2.0, 1.5, -2.0], [3.0, 1.0, 3.0, 1.0]]),
    "repeat to more dimensions": (lambda x: x[0].repeat(2, 1), [[1.5, -2.0, 0.5]] * 2),
    "tile": (lambda x: ag.tile(x[:, :2], (2,)), [[1.5, -2.0, 1.5, -2.0], [3.0, 1.0, 3.0, 1.0]]),
    "repeat_interleave": (
        lambda x: ag.repeat_interleave(x, 2, dim=1),
        [[1.5, 1.5, -2.0, -2.0, 0.5, 0.5], [3.0, 3.0, 1.0, 1.0, -1.0, -1.0]],
    ),
    "repeat_interleave flat": (lambda x: x[0].repeat_interleave(2), [1.5, 1.5, -2.0, -2.0, 0.5, 0.5]),
    "diag of a matrix": (lambda x: ag.diag(x), [1.5, 1.0]),
    "diag above": (lambda x: ag.diag(x, 1), [-2.0, -1.0]),
    "diag of a vector": (lambda x: ag.diag(floats(x, [1.0, 2.0]), -1), [[0, 0, 0], [1, 0, 0], [0, 2, 0]]),
    "diagonal below": (lambda x: ag.diagonal(x, -1), [3.0]),
    "diagonal beyond": (lambda x: ag.diagonal(x, 5), np.zeros(0)),
    "diagonal of two dimensions": (
        lambda x: ag.diagonal(floats(x, np.arange(12.0).reshape(2, 2, 3)), 0, 1, 2),
        [[0.0, 4.0], [6.0, 10.0]],
    ),
    "tril": (lambda x: x.tril(-1), [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]),
    "triu": (lambda x: x.triu(1), [[0.0, -2.0, 0.5], [0.0, 0.0, -1.0]]),
    "hstack": (lambda x: ag.hstack([ints(x, [1, 2]), ints(x, [3])]), [1, 2, 3]),
    "hstack of matrices": (lambda x: ag.hstack([x[:, :1], x[:, 2:]]), [[1.5, 0.5], [3.0, -1.0]]),
    "vstack": (lambda x: ag.vstack([ints(x, [1, 2]), ints(x, [3, 4])]), [[1, 2], [3, 4]]),
    "split": (lambda x: ints(x, [0, 1, 2, 3, 4]).split(2), ([0, 1], [2, 3], [4])),
    "split in lengths": (lambda x: x.split([1, 2], dim=1), ([[1.5], [3.0]], [[-2.0, 0.5], [1.0, -1.0]])),
    "chunk": (lambda x: ints(x, list(range(7))).chunk(3), ([0, 1, 2], [3, 4, 5], [6])),
    "chunk in fewer": (lambda x: ints(x, list(range(5))).chunk(4), ([0, 1], [2, 3], [4])),
    "unbind": (lambda x: x.unbind(1), ([1.5, 3.0], [-2.0, 1.0], [0.5, -1.0])),
    "meshgrid": (lambda x: ag.meshgrid(ints(x, [1, 2]), ints(x, [3, 4, 5])), ([[1] * 3, [2] * 3], [[3, 4, 5]] * 2)),
    "meshgrid xy": (
        lambda x: ag.meshgrid([ints(x, [1, 2]), ints(x, [3, 4, 5])], indexing="xy"),
        ([[1, 2]] * 3, [[3, 3], [4, 4], [5, 5]]),
    ),
    "cat": (lambda x: ag.cat([x, x[:, :1]], dim=-1), [[1.5, -2.0, 0.5, 1.5], [3.0, 1.0, -1.0, 3.0]]),
    "stack": (lambda x: ag.stack([x[0], x[1]], dim=1), [[1.5, 3.0], [-2.0, 1.0], [0.5, -1.0]]),
}


@pytest.mark.parametrize("name", FROM_PYTORCH)
def test_what_pytorch_gives(name: str, x: Any) -> None:
    function, want = FROM_PYTORCH[name]
    check(function(x), want)


#: The gradient of the sum of norms of rows, from PyTorch 2.13.
NORM_GRADIENTS = {
    1: [[1.0, -1.0, 1.0], [1.0, 1.0, -1.0]],
    1.5: [
        [0.715325558807779, -0.8259868078717815, 0.41299340393589073],
        [0.8971405967272621, 0.5179643650214263, -0.5179643650214263],
    ],
    3: [
        [0.4416219230355002, -0.7851056409520003, 0.04906910255950002],
        [0.9534776355576768, 0.10594195950640854, -0.10594195950640854],
    ],
}


@pytest.mark.parametrize("p", NORM_GRADIENTS)
def test_gradients_of_norms(p: float, x: Any) -> None:
    x.requires_grad_()
    ag.norm(x, p, dim=1).sum().backward()
    check(x.grad, NORM_GRADIENTS[p])


#: Functions that are several ops, whose derivatives no test of single ops sees.
COMPOSED: dict[str, Callable[[Any], Any]] = {
    **{
        name: FROM_PYTORCH[name][0]
        for name in (
            *("lerp", "norm 3", "norm 1.5", "norm inf", "sort", "topk", "addmm", "inner", "outer", "trace", "gather"),
            *("gather fewer", "scatter", "scatter a number", "index_fill", "index_select", "masked_select", "take"),
            *("masked_fill", "repeat", "tile", "repeat_interleave", "diag above", "diagonal below", "max"),
            *("hstack of matrices", "split in lengths", "unbind", "roll along both", "narrow", "select", "max of two"),
        )
    },
    "index_add": lambda x: ag.index_add(x, 1, ints(x, [0, 2, 0]), x * 2, alpha=3),
    "scatter_add": lambda x: ag.scatter_add(x, 1, ints(x, [[0, 0], [2, 1]]), x**2),
    "diag of a vector": lambda x: ag.diag(x[0], 1),
    "meshgrid": lambda x: ag.meshgrid(x[0], x[1]),
    "einsum": lambda x: ag.einsum("ij,kj,k->i", x, x, x[:, 0]),
    "movedim": lambda x: ag.movedim(x[None], (0, 1), (2, 0)) ** 2,
    "expand": lambda x: x[:, None].expand(-1, 4, 3) ** 2,
    "setitem": lambda x: _written(x),
}


def _written(x: Any) -> Any:
    y = x * 1.0
    y[0, [0, 2]] = x[1, :2] * 3
    return y * y


@pytest.mark.parametrize("name", COMPOSED)
def test_derivatives_of_composed_functions(name: str, x: Any) -> None:
    x.requires_grad_()
    assert gradcheck(COMPOSED[name], [x])
    if x.device == "cpu":
        assert gradgradcheck(COMPOSED[name], [x])


# ---------------------------------------------------------------- shapes

SHAPES: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "reshape in numbers": (lambda c: c.reshape(4, -1), (4, 6)),
    "reshape in a tuple": (lambda c: c.reshape((4, 6)), (4, 6)),
    "view": (lambda c: c.view(2, 12), (2, 12)),
    "view_as": (lambda c: c.view_as(ag.zeros(6, 4)), (6, 4)),
    "flatten": (lambda c: ag.flatten(c, 1), (2, 12)),
    "flatten all": (lambda c: c.flatten(), (24,)),
    "flatten a number": (lambda c: ag.flatten(ag.tensor(1.0)), (1,)),
    "unflatten": (lambda c: c.unflatten(2, (2, -1)), (2, 3, 2, 2)),
    "transpose": (lambda c: c.transpose(0, -1), (4, 3, 2)),
    "swapaxes": (lambda c: ag.swapaxes(c, 0, 1), (3, 2, 4)),
    "t": (lambda c: c[0].t(), (4, 3)),
    "T": (lambda c: c.T, (4, 3, 2)),
    "mT": (lambda c: c.mT, (2, 4, 3)),
    "permute": (lambda c: c.permute(2, 0, 1), (4, 2, 3)),
    "permute from the end": (lambda c: c.permute((-1, 0, 1)), (4, 2, 3)),
    "movedim": (lambda c: ag.movedim(c, (0, 1), (2, 0)), (3, 4, 2)),
    "moveaxis": (lambda c: ag.moveaxis(c, 0, -1), (3, 4, 2)),
    "squeeze": (lambda c: c[:1].squeeze(), (3, 4)),
    "squeeze what is longer": (lambda c: c.squeeze(0), (2, 3, 4)),
    "unsqueeze": (lambda c: c.unsqueeze(-1), (2, 3, 4, 1)),
    "expand": (lambda c: c[:, :1].expand(5, 2, 3, -1), (5, 2, 3, 4)),
    "expand_as": (lambda c: c[:1].expand_as(c), (2, 3, 4)),
    "broadcast_to": (lambda c: ag.broadcast_to(c, (5, 2, 3, 4)), (5, 2, 3, 4)),
    "chunk of nothing": (lambda c: c[:0].chunk(2)[0], (0, 3, 4)),
    "keepdims": (lambda c: c.sum(axis=(0, 2), keepdims=True), (1, 3, 1)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str, device: str) -> None:
    function, shape = SHAPES[name]
    got = function(ag.ones(2, 3, 4, device=device))
    assert type(got.shape) is ag.Size
    assert got.shape == shape


# ---------------------------------------------------------------- names and refusals


@pytest.mark.parametrize(
    "name", ["sum", "mean", "prod", "amax", "amin", "all", "any", "logsumexp", "var", "std", "max", "min", "argmax"]
)
def test_both_words_for_a_dimension(name: str, x: Any) -> None:
    function = getattr(ag, name)
    one, other = function(x, dim=1, keepdim=True), function(x, axis=1, keepdims=True)
    check(one, [t.tolist() for t in other] if isinstance(other, tuple) else other.tolist())
    with pytest.raises(TypeError, match=f"{name}: dim and axis mean the same; give one"):
        function(x, dim=0, axis=0)


@pytest.mark.parametrize("dim", [2, -3, 7])
@pytest.mark.parametrize(
    "function",
    [
        *(ag.sum, ag.mean, ag.prod, ag.var, ag.std, ag.amax, ag.amin, ag.max, ag.min, ag.argmax, ag.argmin, ag.all),
        *(ag.any, ag.logsumexp, ag.softmax, ag.log_softmax, ag.cumsum, ag.sort, ag.argsort, ag.unbind, ag.flip),
        *(ag.flatten, ag.squeeze),
    ],
    ids=lambda f: f.__name__,
)
def test_a_dimension_that_is_not_there(function: Callable[..., Any], dim: int) -> None:
    with pytest.raises(IndexError, match=f"dimension {dim} is out of range for a tensor of 2 dimensions"):
        function(ag.ones(2, 3), dim)


X, V = ag.ones(2, 3), ag.ones(3)
REFUSALS: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
    "sum twice": (ValueError, "sum: dimension 0 is named twice", lambda: X.sum((0, -2))),
    "sum of a bool": (TypeError, "sum: a dimension is an int, not True", lambda: X.sum(True)),
    "softmax without": (TypeError, "softmax: give dim", lambda: X.softmax()),
    "cumsum without": (TypeError, "cumsum: give dim", lambda: X.cumsum()),
    "topk": (ValueError, "topk: k = 4 is not between 0 and 3", lambda: ag.topk(X, 4)),
    "norm": (ValueError, "norm: p must be a number or 'fro', not 'nuc'", lambda: X.norm("nuc")),
    "amax of nothing": (ValueError, "amax: ", lambda: ag.zeros(0).amax()),
    "clamp": (ValueError, "clamp: give min, max or both", lambda: X.clamp()),
    "div": (
        ValueError,
        "div: rounding_mode must be None, 'floor' or 'trunc'",
        lambda: ag.div(X, 2, rounding_mode="up"),
    ),
    "reshape": (ValueError, "reshape: .*", lambda: X.reshape(4, 2)),
    "reshape unknown": (ValueError, "reshape: 6 elements of shape .* do not fit", lambda: X.reshape(-1, 4)),
    "reshape two unknown": (ValueError, "reshape: 6 elements", lambda: X.reshape(-1, -1)),
    "view": (ValueError, "view: shape .* is no view of this non-contiguous tensor", lambda: X.T.view(6)),
    "flatten": (ValueError, "flatten: start_dim 1 comes after end_dim 0", lambda: X.flatten(1, 0)),
    "unflatten": (ValueError, "unflatten: a dimension of 3 does not fit", lambda: X.unflatten(1, (2, -1))),
    "t": (ValueError, "t: expected at most 2 dimensions, got 3", lambda: ag.ones(1, 1, 1).t()),
    "permute": (ValueError, "permute: .* does not name each of 2 dimensions once", lambda: X.permute(0, 0)),
    "movedim": (ValueError, "movedim: 2 sources but 1 destinations", lambda: ag.movedim(X, (0, 1), 0)),
    "transpose": (IndexError, "transpose: dimension 2 is out of range", lambda: X.transpose(0, 2)),
    "unsqueeze": (IndexError, "unsqueeze: dimension 3 is out of range", lambda: X.unsqueeze(3)),
    "expand": (ValueError, "expand: .* has fewer dimensions", lambda: X.expand(3)),
    "expand longer": (ValueError, "cannot be broadcast to", lambda: X.expand(3, 3)),
    "roll": (ValueError, "roll: 2 shifts but 1 dimensions", lambda: X.roll((1, 2), 0)),
    "repeat": (ValueError, "repeat: 1 numbers for a tensor of 2 dimensions", lambda: X.repeat(2)),
    "cat nothing": (ValueError, "cat: expected at least one tensor", lambda: ag.cat([])),
    "cat": (ValueError, "cat: tensor 1 has shape .* only dimension 0 may differ", lambda: ag.cat([X, ag.ones(2, 4)])),
    "stack nothing": (ValueError, "stack: expected at least one tensor", lambda: ag.stack([])),
    "stack": (ValueError, "stack: tensor 1 has shape .2,., and tensor 0 .3,.", lambda: ag.stack([V, ag.ones(2)])),
    "split": (ValueError, "split: lengths .1, 1. do not add up to 3", lambda: V.split([1, 1])),
    "split 0": (ValueError, "split: the length of a part must be positive", lambda: V.split(0)),
    "chunk 0": (ValueError, "chunk: the number of parts must be positive", lambda: V.chunk(0)),
    "meshgrid": (ValueError, "meshgrid: indexing must be 'ij' or 'xy'", lambda: ag.meshgrid(V, V, indexing="yx")),
    "diagonal": (ValueError, "diagonal: dim1 and dim2 are both 1", lambda: X.diagonal(0, 1, -1)),
    "diag": (ValueError, "diag: expected a vector or a matrix, got 3 dimensions", lambda: ag.diag(ag.ones(1, 1, 1))),
    "broadcast_tensors": (
        ValueError,
        "broadcast_tensors: shapes .* differ in",
        lambda: ag.broadcast_tensors(X, ag.ones(2)),
    ),
    "mm": (ValueError, "mm: operand 1 must have 2 dimensions", lambda: ag.mm(X, V)),
    "bmm": (ValueError, "bmm: operand 0 must have 3 dimensions", lambda: ag.bmm(X, X)),
    "dot": (ValueError, "dot: operand 0 must have 1 dimensions", lambda: ag.dot(X, V)),
    "matmul": (
        ValueError,
        "matmul: the last dimension of x, 3, must equal the only dimension of y, 2",
        lambda: X @ ag.ones(2),
    ),
    "matmul 0-d": (ValueError, "matmul: a 0-d operand", lambda: ag.tensor(1.0) @ V),
    "trace": (ValueError, "trace: operand 0 must have 2 dimensions", lambda: ag.trace(V)),
    "gather": (IndexError, "gather: index 3 is out of range for size 3", lambda: X.gather(1, ag.tensor([[3]]))),
    "gather negative": (IndexError, "gather: index -1 is out of range", lambda: X.gather(1, ag.tensor([[-1]]))),
    "gather floats": (TypeError, "gather: indices must be integers, not float32", lambda: X.gather(1, X)),
    "gather rank": (ValueError, "gather: index .* must have the rank of", lambda: X.gather(1, ag.tensor([0, 1]))),
    "gather longer": (ValueError, "gather: index .* be no longer", lambda: X.gather(1, ag.zeros(3, 1, dtype=int))),
    "scatter": (IndexError, "scatter: index 3 is out of range for size 3", lambda: X.scatter(1, ag.tensor([[3]]), 1.0)),
    "scatter_add": (IndexError, "scatter_add: index 3 is out of", lambda: X.scatter_add(1, ag.tensor([[3]]), X)),
    "index_select": (IndexError, "index_select: index 5 is out of range", lambda: X.index_select(1, ag.tensor([5]))),
    "index_add": (IndexError, "index_add: index 9 is out of range", lambda: X.index_add(1, ag.tensor([9]), X[:, :1])),
    "index_fill": (IndexError, "index_fill: index 2 is out of range", lambda: X.index_fill(0, ag.tensor([2]), 1.0)),
    "masked_fill": (
        TypeError,
        "masked_fill: the mask must be of bools, not int64",
        lambda: V.masked_fill(V.long(), 1.0),
    ),
    "narrow": (IndexError, "narrow: elements 2 to 4 are not all in a dimension of 3", lambda: X.narrow(1, 2, 2)),
    "select": (IndexError, "getitem: index 3 is out of bounds", lambda: X.select(1, 3)),
    "two ellipses": (IndexError, "getitem: an index can have one ... only", lambda: X[..., ...]),
    "two ellipses beside a list": (IndexError, "getitem: an index can have one ... only", lambda: X[..., [0], ...]),
    "too many": (IndexError, "getitem: 3 indices for a tensor of 2 dimensions", lambda: X[0, 0, 0]),
    "a float": (TypeError, "getitem: an index is an int, a slice, None, ..., a list or a tensor", lambda: X[1.0]),
    "floats": (TypeError, "getitem: an index tensor must be of integers or bools, not float32", lambda: X[[1.0]]),
    "a value too long": (
        ValueError,
        "cannot be broadcast|do not fit|could not be broadcast",
        lambda: ag.ones(3).__setitem__(0, V),
    ),
    "einsum count": (ValueError, "einsum: 'ij,jk' has 2 operands, but 1 were given", lambda: ag.einsum("ij,jk", X)),
    "einsum rank": (ValueError, "einsum: 'i' in 'i->i' does not fit", lambda: ag.einsum("i->i", X)),
    "einsum lengths": (
        ValueError,
        "einsum: letter 'j' in 'ij,jk' has lengths 3 and 2",
        lambda: ag.einsum("ij,jk", X, X),
    ),
    "einsum result": (ValueError, "einsum: letter 'k' of the result in", lambda: ag.einsum("ij->k", X)),
    "einsum twice": (ValueError, "einsum: letter 'i' of the result in", lambda: ag.einsum("ij->ii", X)),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str) -> None:
    kind, message, call = REFUSALS[name]
    with pytest.raises(kind, match=message):
        call()


def test_functions_are_methods_and_attributes_of_the_package() -> None:
    several = {"broadcast_tensors", "cat", "concat", "concatenate", "einsum", "hstack", "meshgrid", "stack", "vstack"}
    for module in (functions.arithmetic, functions.reductions, functions.shapes, functions.products):
        for name in module.__all__:
            assert _is_shown(getattr(module, name), getattr(ag, name))
            assert hasattr(ag.Tensor, name) or name in several or name.startswith("is_")
    for name in ("gather", "scatter", "index_add", "masked_fill", "nonzero", "take", "narrow"):
        assert getattr(indexing, name) is getattr(ag.Tensor, name)
        assert _is_shown(getattr(indexing, name), getattr(ag, name))


def _is_shown(function: Any, shown: Any) -> bool:
    """Whether the package shows `function`, itself or with ``out=``."""
    return shown is function or shown.__wrapped__ is function


@pytest.mark.parametrize(
    ("operator", "reference"),
    [
        (lambda a, b: a + b, np.add),
        (lambda a, b: a - b, np.subtract),
        (lambda a, b: a * b, np.multiply),
        (lambda a, b: a / b, np.divide),
        (lambda a, b: a // b, np.floor_divide),
        (lambda a, b: a % b, np.remainder),
        (lambda a, b: a**b, np.power),
        (lambda a, b: a < b, np.less),
        (lambda a, b: a <= b, np.less_equal),
        (lambda a, b: a > b, np.greater),
        (lambda a, b: a >= b, np.greater_equal),
        (lambda a, b: a == b, np.equal),
        (lambda a, b: a != b, np.not_equal),
    ],
    ids=["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!="],
)
def test_operators_with_tensors_arrays_and_numbers_on_either_side(operator: Any, reference: Any) -> None:
    a, b = np.array([0.5, 1.5, 2.0]), np.array([2.0, 1.5, 0.7])
    for left, right in [(a, b), (a, 1.5), (1.5, b), (a, 2), (2, b), (a, np.float64(1.5)), (np.float64(1.5), b)]:
        want = reference(left, right)
        as_tensors = [ag.tensor(v) if isinstance(v, np.ndarray) else v for v in (left, right)]
        check(operator(*as_tensors), want)
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
            check(operator(left, as_tensors[1]), want)
            check(operator(as_tensors[0], right), want)


def test_matmul_operator_with_an_array_on_either_side() -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    check(ag.tensor(a) @ b, a @ b)
    check(a @ ag.tensor(b), a @ b)


def test_operators_of_integers_and_bools() -> None:
    a, b = ag.tensor([6, 5]), ag.tensor([3, 1])
    assert (a & b).tolist() == [2, 1]
    assert (a | b).tolist() == [7, 5]
    assert (a ^ b).tolist() == [5, 4]
    assert (~a).tolist() == [-7, -6]
    p, q = ag.tensor([True, True]), ag.tensor([True, False])
    assert [(p & q).tolist(), (p | q).tolist(), (p ^ q).tolist(), (~q).tolist()] == [
        [True, False],
        [True, True],
        [False, True],
        [False, True],
    ]
    assert (+a) is a
    assert (-a).tolist() == [-6, -5]
    assert abs(-a).tolist() == [6, 5]


def test_comparing_and_closeness_of_whole_tensors() -> None:
    a = ag.tensor([1.0, 2.0])
    assert ag.equal(a, a.clone()) is True
    assert ag.equal(a, ag.tensor([1.0])) is False
    assert ag.allclose(a, a + 1e-7) is True
    assert ag.allclose(a, a + 1e-3) is False
    assert ag.allclose(ag.tensor([INF]), ag.tensor([INF])) is True
    assert ag.allclose(ag.tensor([np.nan]), ag.tensor([np.nan])) is False
    assert ag.allclose(ag.tensor([np.nan]), ag.tensor([np.nan]), equal_nan=True) is True


def test_reductions_to_a_dtype() -> None:
    x = ag.tensor([1, 2], dtype="int32")
    assert ag.sum(x, dtype=ag.float64).dtype == "float64"
    assert ag.mean(x, dtype=ag.float64).dtype == "float64"
    assert ag.prod(x, dtype=ag.float32).dtype == "float32"
    assert ag.cumsum(x, 0, dtype=ag.float32).dtype == "float32"
    assert ag.softmax(ag.ones(2), 0, ag.float64).dtype == "float64"


@pytest.mark.parametrize("dim", [0, -1])
def test_a_number_counts_as_having_one_dimension(dim: int) -> None:
    s = ag.tensor(2.0, requires_grad=True)
    for function in (ag.sum, ag.mean, ag.prod, ag.amax, ag.cumsum, ag.logsumexp):
        assert function(s, dim).item() == 2.0
    assert ag.softmax(s, dim).item() == 1.0
    assert ag.log_softmax(s, dim).item() == 0.0
    assert [v.item() for v in ag.max(s, dim)] == [2.0, 0]
    assert [v.item() for v in ag.sort(s, dim)] == [2.0, 0]
    assert ag.argmax(s, dim).item() == 0
    with pytest.raises(IndexError, match="out of range for a tensor of 0 dimensions"):
        ag.sum(s, 1)


def test_shape_functions_give_views_where_memory_allows() -> None:
    x = ag.zeros(2, 3)
    views = [x.T, x.view(6), x.reshape(3, 2), x[0], x[:, 1:], x.unsqueeze(0), x.transpose(0, 1), x.flatten(), x.mT]
    views += [*x.unbind(0), *x.split(1), x.narrow(1, 0, 2), x.select(0, 1), x.expand(4, 2, 3), x.diagonal()]
    x.fill_(1.0)
    assert all((v == 1.0).all() for v in views)
    copies = [
        x.flip(0),
        x.roll(1),
        x.repeat(1, 1),
        x[:1, :1].repeat(2, 2),
        x[[0, 1]],
        x.clone(),
        x.tril(2),
        x.contiguous().clone(),
    ]
    x.fill_(2.0)
    assert all((c == 1.0).all() for c in copies)
