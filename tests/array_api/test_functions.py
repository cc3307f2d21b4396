"""The standard's functions: their values and dtypes are array-api-strict's, and what can be differentiated is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import Tensor
from autograd_ops import array_api as xp
from autograd_ops.autograd import gradcheck, gradgradcheck

rng = np.random.default_rng(0)
X = rng.permutation(np.linspace(-1.9, 2.0, 24)).reshape(2, 3, 4)
V = rng.permutation(np.linspace(0.3, 2.1, 6))
M = rng.permutation(np.linspace(0.4, 1.9, 12)).reshape(3, 4)
WHOLE = rng.integers(-3, 4, (2, 3)).astype(np.int8)
NATURAL = rng.integers(0, 200, (2, 3)).astype(np.uint8)
FLAGS = rng.integers(0, 2, (2, 3)).astype(bool)
PLACES = np.array([2, 0, -1, 1])
COMPLEX = X[0] + 1j * M

Call = Callable[..., Any]

#: A call, and arrays for it. Those of float64 are differentiated.
CALLS: list[tuple[str, Call, tuple[np.ndarray, ...]]] = [
    # statistical
    *[
        (f"{name} {kw}", lambda n, x, name=name, kw=kw: getattr(n, name)(x, **kw), (X,))
        for name in ("sum", "prod", "max", "min", "mean", "std", "var")
        for kw in ({}, {"axis": 1}, {"axis": (0, -1), "keepdims": True}, {"axis": ()})
    ],
    *[
        (f"{name} correction", lambda n, x, name=name: getattr(n, name)(x, axis=1, correction=1.5), (X,))
        for name in ("std", "var")
    ],
    *[
        (f"{name} of integers", lambda n, *xs, name=name: [getattr(n, name)(x, axis=0) for x in xs], (WHOLE, NATURAL))
        for name in ("sum", "prod", "cumulative_sum", "cumulative_prod")
    ],
    *[
        (
            f"{name} in a dtype",
            lambda n, x, y, name=name: [
                getattr(n, name)(x, axis=1, dtype=n.int8),
                getattr(n, name)(y, axis=1, dtype=n.float32),
                getattr(n, name)(x, axis=1, dtype=n.uint16),
            ],
            (NATURAL, WHOLE),
        )
        for name in ("sum", "prod", "cumulative_sum", "cumulative_prod")
    ],
    *[
        (f"{name} {kw}", lambda n, x, name=name, kw=kw: getattr(n, name)(x, **kw), (x,))
        for name in ("cumulative_sum", "cumulative_prod")
        for x, kw in [
            (V, {}),
            (V, {"include_initial": True}),
            (X, {"axis": 1, "include_initial": True}),
            (X, {"axis": -1}),
            (np.zeros((2, 0)), {"axis": 1, "include_initial": True}),
        ]
    ],
    # manipulation
    ("broadcast_arrays", lambda n, x, y: n.broadcast_arrays(x, y), (X, M)),
    ("broadcast_to", lambda n, x: n.broadcast_to(x, (2, 3, 4)), (M,)),
    ("concat", lambda n, x, y: n.concat([x, y, x], axis=1), (X, X[:, :1])),
    ("concat flat", lambda n, x, y: n.concat((x, y), axis=None), (X, M)),
    ("concat promotes", lambda n, x, y: n.concat((x, y)), (V, V.astype(np.float32))),
    ("expand_dims", lambda n, x: [n.expand_dims(x, axis=0), n.expand_dims(x, -1), n.expand_dims(x, (0, -2))], (M,)),
    ("flip", lambda n, x: [n.flip(x), n.flip(x, axis=1), n.flip(x, axis=(0, -1))], (X,)),
    ("moveaxis", lambda n, x: [n.moveaxis(x, 0, -1), n.moveaxis(x, (0, 1), (-1, 0))], (X,)),
    ("permute_dims", lambda n, x: n.permute_dims(x, (2, 0, 1)), (X,)),
    ("repeat", lambda n, x: [n.repeat(x, 2), n.repeat(x, 3, axis=-1)], (M,)),
    ("repeat by place", lambda n, x, k: n.repeat(x, k, axis=0), (M, np.array([2, 0, 3]))),
    ("reshape", lambda n, x: [n.reshape(x, (4, -1)), n.reshape(x, (24,), copy=True)], (X,)),
    ("roll", lambda n, x: [n.roll(x, 5), n.roll(x, -1, axis=1), n.roll(x, (1, 2), axis=(0, 2))], (X,)),
    ("squeeze", lambda n, x: [n.squeeze(x, 0), n.squeeze(x, axis=(0, 2))], (M.reshape(1, 3, 1, 4),)),
    ("stack", lambda n, x, y: [n.stack([x, y]), n.stack((x, y), axis=-1)], (M, M + 1)),
    ("tile", lambda n, x: [n.tile(x, (2, 1)), n.tile(x, (2,)), n.tile(x, (2, 1, 3))], (M,)),
    ("unstack", lambda n, x: [*n.unstack(x), *n.unstack(x, axis=-1)], (M,)),
    # searching, sorting, sets
    *[
        (f"{name} {kw}", lambda n, x, name=name, kw=kw: getattr(n, name)(x, **kw), (x,))
        for name in ("argmax", "argmin")
        for x, kw in [(X, {}), (X, {"axis": 1}), (X, {"axis": -1, "keepdims": True}), (WHOLE, {"keepdims": True})]
    ],
    (
        "count_nonzero",
        lambda n, x, y: [
            n.count_nonzero(x),
            n.count_nonzero(x, axis=1, keepdims=True),
            n.count_nonzero(y, axis=(0, 1)),
        ],
        (WHOLE, FLAGS),
    ),
    ("nonzero", lambda n, x, y: [*n.nonzero(x), *n.nonzero(y)], (WHOLE, FLAGS)),
    (
        "searchsorted",
        lambda n, x, y: [
            n.searchsorted(x, y, sorter=n.argsort(x)),
            n.searchsorted(n.sort(x), y, side="right"),
            n.searchsorted(n.sort(x), 1.0),
        ],
        (V, M),
    ),
    ("where", lambda n, c, x, y: [n.where(c, x, y), n.where(c, x, 0.5), n.where(c, 1, x)], (FLAGS, M[:2, :3], V[:3])),
    ("sort", lambda n, x: [n.sort(x), n.sort(x, axis=0, descending=True)], (X,)),
    (
        "argsort",
        lambda n, x: [n.argsort(x), n.argsort(x, axis=0, descending=True), n.argsort(x, descending=True)],
        (WHOLE,),
    ),
    ("unique_all", lambda n, x: [*n.unique_all(x)], (WHOLE,)),
    ("unique_counts", lambda n, x: [*n.unique_counts(x)], (X,)),
    ("unique_inverse", lambda n, x: [*n.unique_inverse(x)], (X,)),
    ("unique_values", lambda n, x: n.unique_values(x), (V,)),
    ("isin", lambda n, x, y: [n.isin(x, y), n.isin(x, 2), n.isin(2, x)], (WHOLE, WHOLE[0])),
    # indexing
    ("take", lambda n, x, i: [n.take(x, i[:3], axis=1), n.take(n.reshape(x, (-1,)), i)], (X, PLACES)),
    (
        "take_along_axis",
        lambda n, x, i: n.take_along_axis(x, n.reshape(i, (1, 4, 1)), axis=1),
        (X, PLACES),
    ),
    ("take_along_axis last", lambda n, x: n.take_along_axis(x, n.argsort(x)), (M,)),
    # utility
    *[
        (f"{name} {kw}", lambda n, x, y, name=name, kw=kw: [getattr(n, name)(a, **kw) for a in (x, y)], (WHOLE, FLAGS))
        for name in ("all", "any")
        for kw in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"axis": ()})
    ],
    *[
        (f"diff {kw}", lambda n, x, kw=kw: n.diff(x, **kw), (X,))
        for kw in ({}, {"axis": 0}, {"n": 3}, {"n": 0}, {"axis": 1, "n": 2})
    ],
    ("diff between", lambda n, x, y: n.diff(x, axis=0, prepend=y, append=y), (M, M[:1])),
    ("diff of integers", lambda n, x: n.diff(x), (NATURAL,)),
    # linear algebra
    ("matmul", lambda n, x, y: n.matmul(x, n.matrix_transpose(y)), (X, M)),
    (
        "tensordot",
        lambda n, x, y: [
            n.tensordot(x, y),
            n.tensordot(x, y, axes=((1, 2), (0, 1))),
            n.tensordot(x, y, axes=([-1], [1])),
            n.tensordot(x, y, axes=0),
        ],
        (X, M),
    ),
    ("vecdot", lambda n, x, y: [n.vecdot(x, y), n.vecdot(x, y, axis=-2)], (X, M)),
    ("vecdot conjugates", lambda n, x, y: n.vecdot(x, y), (COMPLEX, COMPLEX * 1j)),
    ("vecdot of integers", lambda n, x, y: n.vecdot(x, y), (WHOLE, WHOLE)),
    # elementwise
    ("clip", lambda n, x, y: [n.clip(x, -1, 1), n.clip(x, max=y), n.clip(x, min=0.0)], (X, M)),
    ("clip of integers", lambda n, x: n.clip(x, 1, 2), (WHOLE,)),
    (
        "logical functions",
        lambda n, x, y: [n.logical_and(x, y), n.logical_or(x, False), n.logical_xor(True, x), n.logical_not(x)],
        (FLAGS, FLAGS[::-1].copy()),
    ),
    (
        "bits",
        lambda n, x, y: [
            *(n.bitwise_and(x, y), n.bitwise_or(x, 3), n.bitwise_xor(5, y), n.bitwise_invert(x)),
            *(n.bitwise_left_shift(x, 1), n.bitwise_right_shift(x, 2)),
        ],
        (WHOLE, WHOLE[::-1].copy()),
    ),
    (
        "pairs of floats",
        lambda n, x, y: [
            *(n.add(x, y), n.subtract(1.0, y), n.multiply(x, y), n.divide(x, y), n.pow(y, x)),
            *(n.hypot(x, y), n.copysign(y, x), n.atan2(x, y), n.logaddexp(x, y), n.maximum(x, y), n.minimum(x, 0.5)),
            n.remainder(x + 10.0, y + 7.0),
        ],
        (X, M),
    ),
    (
        "of one float",
        lambda n, x: [
            *(n.positive(x), n.negative(x), n.square(x), n.reciprocal(x), n.sign(x), n.sqrt(n.abs(x)), n.exp(x)),
            *(n.log(x * x), n.log2(x * x), n.log10(x * x), n.log1p(x * x), n.expm1(x), n.tanh(x), n.asinh(x)),
        ],
        (X,),
    ),
    ("signs and steps", lambda n, x: [n.signbit(x), n.nextafter(x, 9.0), n.floor_divide(x, 0.7)], (X,)),
    ("parts", lambda n, x: [n.real(x), n.imag(x), n.conj(x), n.abs(x)], (COMPLEX,)),
    # creation
    ("meshgrid", lambda n, x, y: [*n.meshgrid(x, y), *n.meshgrid(x, y, indexing="ij")], (V, V[:2])),
    ("triangles", lambda n, x: [n.tril(x), n.triu(x, k=1), n.tril(x, k=-1)], (M,)),
    (
        "like",
        lambda n, x: [
            n.zeros_like(x),
            n.ones_like(x, dtype=n.float32),
            n.full_like(x, 3),
            n.zeros_like(x, dtype=n.bool),
        ],
        (WHOLE,),
    ),
]
CREATIONS: list[tuple[str, Call]] = [
    ("zeros", lambda n: n.zeros((2, 3), dtype=n.float64)),
    ("ones of a vector", lambda n: n.ones(3, dtype=n.int8)),
    ("full", lambda n: [n.full((2,), 7), n.full((), True), n.full(2, 1.5, dtype=n.float64)]),
    ("arange", lambda n: [n.arange(5), n.arange(5, 1, -2), n.arange(2, 2), n.arange(3, 1), n.arange(1, 3, -1)]),
    ("arange of floats", lambda n: n.arange(0.5, 2, 0.25, dtype=n.float64)),
    (
        "linspace",
        lambda n: [n.linspace(0, 1, 5, dtype=n.float64), n.linspace(0, 1, 4, endpoint=False, dtype=n.float64)],
    ),
    ("eye", lambda n: [n.eye(3, dtype=n.float64), n.eye(2, 4, k=1, dtype=n.int32), n.eye(3, k=-1, dtype=n.bool)]),
    ("asarray", lambda n: [n.asarray([[1, 2], [3, 4]]), n.asarray(True), n.asarray([1, 2], dtype=n.uint8)]),
    ("asarray of complex", lambda n: n.asarray([1.0, 2j], dtype=n.complex128)),
    ("broadcast_shapes", lambda n: n.asarray(n.broadcast_shapes((2, 1), (3,), ()))),
]


def many(result: Any) -> list[Any]:
    """The results of a call in a list."""
    return list(result) if isinstance(result, (list, tuple)) else [result]


def as_strict(a: np.ndarray) -> Any:
    """An array of array-api-strict."""
    return strict.asarray(a)


def on_host(x: Any) -> np.ndarray:
    """The elements as a NumPy array."""
    return np.asarray(x.detach().cpu().numpy() if isinstance(x, Tensor) else np.from_dlpack(x))


def check(got: Any, wanted: Any, device: str) -> None:
    """The values, shapes and dtypes of array-api-strict, on the right device."""
    got, wanted = many(got), many(wanted)
    assert len(got) == len(wanted)
    for mine, theirs in zip(got, wanted, strict=True):
        assert isinstance(mine, Tensor)
        assert mine.device == device
        expected = on_host(theirs)
        assert mine.dtype.name == expected.dtype.name
        np.testing.assert_allclose(on_host(mine), expected, rtol=1e-12, atol=1e-12)
        assert tuple(mine.shape) == expected.shape


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
@pytest.mark.parametrize(("call", "arrays"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_means_what_the_standard_says(call: Call, arrays: tuple[np.ndarray, ...], device: str) -> None:
    given = [ag.tensor(a, device=device) for a in arrays]
    check(call(xp, *given), call(strict, *map(as_strict, arrays)), device)


@pytest.mark.parametrize(("call", "arrays"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_is_differentiable_where_the_mathematics_is(call: Call, arrays: tuple[np.ndarray, ...]) -> None:
    given = [ag.tensor(a, requires_grad=a.dtype == np.float64 and a.size > 0) for a in arrays]
    moving = [x for x in given if x.requires_grad]

    def following(*values: Tensor) -> Any:
        rest = iter(values)
        out = many(call(xp, *[next(rest) if x.requires_grad else x for x in given]))
        return tuple(y for y in out if y.requires_grad)

    if moving and following(*moving):
        assert gradcheck(following, moving)
        assert gradgradcheck(following, moving)


@pytest.mark.parametrize("call", [c[1] for c in CREATIONS], ids=[c[0] for c in CREATIONS])
def test_creation(call: Call) -> None:
    check(call(xp), call(strict), "cpu")


def test_floats_are_of_the_default_dtype() -> None:
    for made in (xp.zeros(2), xp.arange(0.0, 2.0), xp.linspace(0, 1, 3), xp.eye(2), xp.asarray(1.5), xp.full(2, 0.5)):
        assert made.dtype == "float32"
    assert xp.asarray(1j).dtype == xp.linspace(0, 1j, 3).dtype == "complex64"


# ---------------------------------------------------------------- memory and the tape


def test_asarray_shares_memory_unless_told_otherwise() -> None:
    a = np.zeros(2)
    shared, copied = xp.asarray(a), xp.asarray(a, copy=True)
    a[0] = 1.0
    assert shared.tolist() == [1.0, 0.0]
    assert copied.tolist() == [0.0, 0.0]
    assert xp.asarray(shared) is shared
    assert xp.asarray(shared, copy=False) is shared
    with pytest.raises(ValueError, match="copy=False forbids"):
        xp.asarray(a, dtype=xp.float32, copy=False)
    with pytest.raises(ValueError, match="copy=False forbids"):
        xp.asarray([1.0], copy=False)


def test_asarray_of_tensors_in_lists_keeps_their_history() -> None:
    x = ag.tensor([1.0, 2.0], dtype=ag.float64, requires_grad=True)
    made = xp.asarray([[x[0], 1.0], [x.sum(), x[1]]])
    assert made.tolist() == [[1.0, 1.0], [3.0, 2.0]]
    (made * ag.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert x.grad.tolist() == [101.0, 1100.0]


def test_full_of_a_tensor_keeps_its_history() -> None:
    x = ag.tensor(2.0, requires_grad=True)
    xp.full((2, 3), x).sum().backward()
    assert x.grad.item() == 6.0


def test_reshape_copies_or_not_as_asked() -> None:
    x = ag.ones(2, 3)
    view, copied = xp.reshape(x, (6,), copy=False), xp.reshape(x, (6,), copy=True)
    x[0, 0] = 5.0
    assert view[0].item() == 5.0
    assert copied[0].item() == 1.0
    with pytest.raises(ValueError, match="needs a copy here"):
        xp.reshape(x.T, (6,), copy=False)


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
def test_isin_inverted(device: str) -> None:
    for x in (ag.tensor([1, 2, 3], device=device), ag.tensor([1.0, 2.0, 3.0], device=device)):
        assert xp.isin(x, x[1:], invert=True).tolist() == [True, False, False]


def test_the_gradient_of_unique_values_goes_to_the_first_of_equals() -> None:
    x = ag.tensor([3.0, 1.0, 3.0], requires_grad=True)
    (xp.unique_values(x) * ag.tensor([1.0, 10.0])).sum().backward()
    assert x.grad.tolist() == [10.0, 1.0, 0.0]


# ---------------------------------------------------------------- special values

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("device", ["cpu", "strict"])
def test_floor_division_of_and_by_infinities(device: str) -> None:
    x = ag.tensor([INF, -INF, INF, -INF, 1.0, -1.0, 1.0, -1.0, INF, NAN], device=device)
    y = ag.tensor([2.0, 2.0, -2.0, -2.0, INF, INF, -INF, -INF, INF, INF], device=device)
    wanted = [INF, -INF, -INF, INF, 0.0, -0.0, -0.0, 0.0, NAN, NAN]
    with np.errstate(all="ignore"):
        for got in (xp.floor_divide(x, y), x // y):
            np.testing.assert_array_equal(got.cpu().numpy(), wanted)
            assert np.array_equal(np.signbit(got.cpu().numpy()[:8]), np.signbit(wanted[:8]))
        assert (x[:1] // 2.0).tolist() == [INF]
        assert (INF // y[:1]).tolist() == [INF]


@pytest.mark.parametrize(
    ("function", "z", "wanted"),
    [
        ("expm1", complex(-0.0, 0.0), complex(0.0, 0.0)),
        ("expm1", complex(INF, 0.0), complex(INF, 0.0)),
        ("expm1", complex(-INF, INF), complex(-1.0, 0.0)),
        ("expm1", complex(-INF, NAN), complex(-1.0, 0.0)),
        ("expm1", complex(INF, INF), complex(INF, NAN)),
        ("expm1", complex(INF, NAN), complex(INF, NAN)),
        ("expm1", complex(NAN, 0.0), complex(NAN, 0.0)),
        ("expm1", complex(-INF, 2.0), complex(-1.0, 0.0)),
        ("tanh", complex(INF, 2.0), complex(1.0, 0.0)),
        ("tanh", complex(-INF, -2.0), complex(-1.0, -0.0)),
        ("tanh", complex(INF, NAN), complex(1.0, 0.0)),
    ],
)
def test_complex_functions_at_infinities(function: str, z: complex, wanted: complex) -> None:
    with np.errstate(all="ignore"):
        got = getattr(xp, function)(ag.tensor([z], dtype=ag.complex128)).numpy()[0]
    np.testing.assert_array_equal([got.real, abs(got.imag)], [wanted.real, abs(wanted.imag)])


def test_complex_expm1_is_exact_near_zero() -> None:
    z = ag.tensor([1e-12 + 2e-12j, 0.3 - 2.0j], dtype=ag.complex128)
    np.testing.assert_allclose(xp.expm1(z).numpy(), [1e-12 + 2e-12j, np.exp(0.3 - 2.0j) - 1], rtol=1e-11)


# ---------------------------------------------------------------- what is refused

REFUSED: list[tuple[type[Exception], str, Call]] = [
    (ValueError, "cumulative_sum: an array of 2 dimensions needs an axis", lambda: xp.cumulative_sum(ag.ones(2, 2))),
    (ValueError, "axis 0 is named twice", lambda: xp.sum(ag.ones(2, 2), axis=(0, -2))),
    (IndexError, "sum: dimension 2 is out of range", lambda: xp.sum(ag.ones(2, 2), axis=2)),
    (ValueError, "squeeze: axis 1 has length 3, not 1", lambda: xp.squeeze(ag.ones(1, 3), axis=1)),
    (ValueError, "nonzero: an array of no dimensions", lambda: xp.nonzero(ag.ones(()))),
    (ValueError, "unstack: an array of no dimensions", lambda: xp.unstack(ag.ones(()))),
    (ValueError, "side must be 'left' or 'right'", lambda: xp.searchsorted(ag.ones(2), ag.ones(2), side="up")),
    (ValueError, "indices have 1 dimensions, and x has 2", lambda: xp.take_along_axis(ag.ones(2, 2), ag.tensor([0]))),
    (IndexError, "index 5 is out of range", lambda: xp.take(ag.ones(3), ag.tensor([5]))),
    (ValueError, "diff: -1 differences", lambda: xp.diff(ag.ones(3), n=-1)),
    (ValueError, "tensordot: axes", lambda: xp.tensordot(ag.ones(2, 3), ag.ones(2, 3), axes=1)),
    (ValueError, "vecdot: vectors of length 2 and of 3", lambda: xp.vecdot(ag.ones(2), ag.ones(3))),
    (ValueError, "arange: no steps of 0", lambda: xp.arange(0, 1, 0)),
    (ValueError, "concat: array 1 has shape", lambda: xp.concat([ag.ones(2), ag.ones(2, 2)])),
    (ValueError, "broadcast_shapes: shapes", lambda: xp.broadcast_shapes((2,), (3,))),
]


@pytest.mark.parametrize(("error", "message", "call"), REFUSED, ids=[r[1] for r in REFUSED])
def test_what_makes_no_sense_is_refused(error: type[Exception], message: str, call: Call) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
def test_a_mask_without_elements_fits_any_length(device: str) -> None:
    x = ag.ones(2, 3, device=device)
    assert x[ag.zeros(0, dtype=ag.bool, device=device)].shape == (0, 3)
    assert x[ag.zeros(2, 0, dtype=ag.bool, device=device)].shape == (0,)
    with pytest.raises(IndexError, match=r"a mask of shape \(3,\) does not fit"):
        x[ag.zeros(3, dtype=ag.bool, device=device)]


def test_from_dlpack_shares_the_memory_of_others() -> None:
    a = np.zeros(2)
    shared, copied = xp.from_dlpack(a), xp.from_dlpack(a, copy=True)
    a[0] = 1.0
    assert shared.tolist() == [1.0, 0.0]
    assert copied.tolist() == [0.0, 0.0]
    assert np.from_dlpack(shared).tolist() == [1.0, 0.0]
