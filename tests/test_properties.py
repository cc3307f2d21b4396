"""Broadcasting, promotion, indexing, einsum and reductions against NumPy, on random shapes, dtypes and keys."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import autograd_ops as ag

from .op_samples import distinct

#: The same examples on every run, however slow the machine.
bounded = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
#: Fewer: for tests that are parametrised as well.
few = settings(bounded, max_examples=30)

sizes = st.integers(0, 3)
shapes = st.lists(sizes, max_size=4).map(tuple)


def leaf(array: np.ndarray, device: str = "cpu") -> Any:
    """A Tensor of `array` that requires a gradient."""
    return ag.tensor(array, device=device, requires_grad=True)


def close(tensor: Any, want: Any) -> None:
    """Check shape and float64 values."""
    got = np.asarray(tensor.detach().cpu().numpy())
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------- broadcasting


@st.composite
def broadcastable(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that broadcast: one with some dimensions 1 and some leading ones missing, on either side."""
    full = draw(shapes)

    def shrunk() -> tuple[int, ...]:
        ones = draw(st.lists(st.booleans(), min_size=len(full), max_size=len(full)))
        lead = draw(st.integers(0, len(full)))
        return tuple(1 if one else n for n, one in zip(full, ones, strict=True))[lead:]

    return shrunk(), shrunk()


def summed_to(gradient: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The sum over the dimensions along which an array of `shape` was stretched."""
    lead = gradient.ndim - len(shape)
    gradient = gradient.sum(tuple(range(lead)))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and gradient.shape[i] != 1)
    return gradient.sum(stretched, keepdims=True)


@bounded
@given(broadcastable(), st.sampled_from(["cpu", "strict:device1"]))
def test_broadcasting(pair: Any, device: str) -> None:
    a, b = distinct(pair[0], seed=1), distinct(pair[1], 0.5, 2.0, seed=2)
    g = distinct(np.broadcast_shapes(*pair), seed=3)
    for function, reference, by_a, by_b in (
        (ag.add, np.add, lambda: g, lambda: g),
        (ag.sub, np.subtract, lambda: g, lambda: -g),
        (ag.mul, np.multiply, lambda: g * b, lambda: g * a),
        (ag.div, np.divide, lambda: g / b, lambda: -g * a / b**2),
    ):
        x, y = leaf(a, device), leaf(b, device)
        out = function(x, y)
        close(out, reference(a, b))
        out.backward(ag.tensor(g, device=device))
        close(x.grad, summed_to(by_a() + np.zeros_like(g), a.shape))
        close(y.grad, summed_to(by_b() + np.zeros_like(g), b.shape))


@bounded
@given(shapes, shapes)
def test_shapes_that_do_not_broadcast_are_refused(a: Any, b: Any) -> None:
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError, match=r"add: shapes .* do not broadcast"):
            ag.add(ag.zeros(a), ag.zeros(b))
    else:
        assert ag.add(ag.zeros(a), ag.zeros(b)).shape == np.broadcast_shapes(a, b)


# ---------------------------------------------------------------- promotion

#: What two dtypes meet in: the array API's table, and where it has none, an integer gives way to a float.
INTEGER_MEETS = {
    ("int8", "int8"): "int8",
    ("int8", "int16"): "int16",
    ("int8", "int32"): "int32",
    ("int8", "int64"): "int64",
    ("int16", "int16"): "int16",
    ("int16", "int32"): "int32",
    ("int16", "int64"): "int64",
    ("int32", "int32"): "int32",
    ("int32", "int64"): "int64",
    ("int64", "int64"): "int64",
    ("uint8", "uint8"): "uint8",
    ("uint8", "uint16"): "uint16",
    ("uint16", "uint16"): "uint16",
    ("int8", "uint8"): "int16",
    ("int16", "uint8"): "int16",
    ("int32", "uint8"): "int32",
    ("int64", "uint8"): "int64",
    ("int8", "uint16"): "int32",
    ("int16", "uint16"): "int32",
    ("int32", "uint16"): "int32",
    ("int64", "uint16"): "int64",
}
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16")
FLOATS = ("float16", "float32", "float64")
MEETS = {
    **INTEGER_MEETS,
    **{(i, f): f for i in ("bool", *INTEGERS) for f in FLOATS},
    **{("bool", i): i for i in ("bool", *INTEGERS)},
    ("float16", "float16"): "float16",
    ("float16", "float32"): "float32",
    ("float16", "float64"): "float64",
    ("float32", "float32"): "float32",
    ("float32", "float64"): "float64",
    ("float64", "float64"): "float64",
}


def meet(a: str, b: str) -> str:
    """Their entry in the table, whichever comes first."""
    return MEETS[(a, b)] if (a, b) in MEETS else MEETS[(b, a)]


DTYPES = ("bool", *INTEGERS, *FLOATS)
#: The dtypes that each device has: the standard has no float16.
DTYPES_OF = {"cpu": DTYPES, "strict:device1": tuple(dtype for dtype in DTYPES if dtype != "float16")}


@pytest.mark.parametrize(
    ("device", "a", "b"),
    [(d, *two) for d, those in DTYPES_OF.items() for two in combinations_with_replacement(those, 2)],
)
def test_two_dtypes_meet(a: str, b: str, device: str) -> None:
    for left, right in ((a, b), (b, a)):
        for shape in ((2,), ()):  # of whatever rank
            x, y = ag.ones(2, dtype=left, device=device), ag.ones(shape, dtype=right, device=device)
            assert ag.where(ag.ones(2, dtype=bool, device=device), x, y).dtype == meet(a, b)
            assert ag.eq(x, y).dtype == "bool"
            if "bool" not in (a, b):
                assert ag.maximum(x, y).dtype == meet(a, b)
            if meet(a, b) != "bool":
                assert (x + y).dtype == meet(a, b)
                quotient = meet(a, b) if meet(a, b) in FLOATS else "float32"
                assert (x / y).dtype == quotient


@pytest.mark.parametrize(("device", "dtype"), [(d, dtype) for d, those in DTYPES_OF.items() for dtype in those])
def test_python_numbers_are_weak(dtype: str, device: str) -> None:
    x = ag.ones(2, dtype=dtype, device=device)
    with_float = dtype if dtype in FLOATS else "float32"
    with_int = "int64" if dtype == "bool" else dtype
    for out in (x + 1.5, 1.5 + x, x * 2.5, 2.5 - x):
        assert out.dtype == with_float
    for out in (x + 1, 1 + x, x * 2, x - 1):
        assert out.dtype == with_int
    for out in (x / 2, 2 / x, x / 2.0):
        assert out.dtype == with_float
    if dtype != "bool":
        assert (x + True).dtype == dtype


@pytest.mark.parametrize("scalar", [np.float64(1.5), np.float32(1.5), np.float16(1.5), np.int64(2), np.int8(2)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_numpy_scalars_are_weak(dtype: str, scalar: Any) -> None:
    x = ag.ones(2, dtype=dtype)
    for out in (x + scalar, scalar + x, x * scalar, scalar * x, x / scalar, scalar / x, x - scalar, x**scalar):
        assert type(out) is ag.Tensor
        assert out.dtype == dtype


def test_the_default_dtype_is_what_integers_become() -> None:
    ag.set_default_dtype(ag.float64)
    try:
        x = ag.ones(2, dtype=int)
        assert (x / 2).dtype == ag.exp(x).dtype == (x + 1.5).dtype == ag.mean(x).dtype == "float64"
    finally:
        ag.set_default_dtype(ag.float32)


# ---------------------------------------------------------------- indexing


@st.composite
def slices(draw: Any, size: int) -> slice:
    """A slice with ends in and out of bounds, of either direction."""
    ends = st.none() | st.integers(-size - 2, size + 2)
    return slice(draw(ends), draw(ends), draw(st.sampled_from([None, 1, 2, 3, -1, -2])))


@st.composite
def basic_keys(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A key of integers, slices, None and at most one ``...``."""
    key: list[Any] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        choices = [slices(size)] + ([st.integers(-size, size - 1)] if size else [])
        key.append(draw(st.one_of(choices)))
    for _ in range(draw(st.integers(0, 2))):
        key.insert(draw(st.integers(0, len(key))), None)
    if draw(st.booleans()):
        # From here on the key counts from the last dimension: only right if it names them all.
        named = sum(k is not None for k in key)
        if named == len(shape):
            key.insert(draw(st.integers(0, len(key))), ...)
        else:
            key.append(...)
    return tuple(key)


@st.composite
def advanced_keys(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A key with arrays of indices that broadcast or masks, between integers, slices and None."""
    assume(shape)
    key: list[Any] = []
    common = draw(st.lists(st.integers(0, 3), max_size=2).map(tuple))
    at, arrays, masked = 0, 0, False
    while at < len(shape):
        size = shape[at]
        kind = draw(st.sampled_from(["slice", "int", "array", "array", "mask", "none", "stop"]))
        if kind == "slice":
            key.append(draw(slices(size)))
        elif kind == "int" and size:
            key.append(draw(st.integers(-size, size - 1)))
        elif kind == "array" and size and not masked:
            stretched = tuple(draw(st.sampled_from([n, 1])) for n in common)
            count = math.prod(stretched)
            values = draw(st.lists(st.integers(-size, size - 1), min_size=count, max_size=count))
            key.append(np.array(values, np.int64).reshape(stretched))
            arrays += 1
        elif kind == "mask" and not arrays:
            rank = draw(st.integers(1, len(shape) - at))
            count = math.prod(shape[at : at + rank])
            bits = draw(st.lists(st.booleans(), min_size=count, max_size=count))
            key.append(np.array(bits, bool).reshape(shape[at : at + rank]))
            arrays, masked, at = 1, True, at + rank - 1
        elif kind == "none":
            key.append(None)
            continue
        elif kind == "stop":
            break
        else:
            key.append(slice(None))
        at += 1
    assume(arrays)
    return tuple(key)


keyed_basic = shapes.flatmap(lambda shape: st.tuples(st.just(shape), basic_keys(shape)))
keyed_advanced = shapes.flatmap(lambda shape: st.tuples(st.just(shape), advanced_keys(shape)))


def as_key(key: tuple[Any, ...], device: str) -> tuple[Any, ...]:
    """The key with Tensors in place of arrays."""
    return tuple(ag.tensor(k, device=device) if isinstance(k, np.ndarray) else k for k in key)


def chosen(shape: Any, key: Any) -> np.ndarray:
    """The numbers of the elements at `key`, by NumPy: integers first, then what is left of the key, as in PyTorch."""
    integers: list[Any] = []
    rest: list[Any] = []
    for k in key if isinstance(key, tuple) else (key,):
        array = np.asarray(k) if isinstance(k, (list, np.ndarray, bool)) else None
        if type(k) is int or (array is not None and array.ndim == 0 and array.dtype != bool):
            integers.append(int(k))
            continue
        rest.append(k)
        if array is not None:
            integers += [slice(None)] * (array.ndim if array.dtype == bool else 1)
        elif k is not None:
            integers.append(k if k is ... else slice(None))
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    return np.asarray(np.asarray(numbers[tuple(integers)])[tuple(rest)])


def check_getitem(shape: Any, key: Any, device: str) -> None:
    """The value and the gradient against NumPy's."""
    a, numbers = distinct(shape, seed=1), chosen(shape, key)
    x = leaf(a, device)
    got = x[as_key(key, device)]
    close(got, a.reshape(-1)[numbers])
    g = distinct(numbers.shape, seed=2)
    got.backward(ag.tensor(g, device=device))
    gradient = np.zeros(a.size)
    np.add.at(gradient, numbers, g)
    close(x.grad, gradient.reshape(shape))


def check_setitem(shape: Any, key: Any, device: str) -> None:
    """The value against NumPy's; the gradients where elements are not written twice."""
    a, numbers = distinct(shape, seed=1), chosen(shape, key)
    values = distinct(numbers.shape, seed=2)
    assume(len(set(numbers.reshape(-1).tolist())) == numbers.size)
    x, v = leaf(a, device), leaf(values, device)
    y = x * 1.0
    y[as_key(key, device)] = v
    want = a.copy().reshape(-1)
    want[numbers] = values
    close(y, want.reshape(shape))
    g = distinct(shape, seed=3)
    y.backward(ag.tensor(g, device=device))
    close(v.grad, g.reshape(-1)[numbers])
    rest = g.copy().reshape(-1)
    rest[numbers] = 0.0
    close(x.grad, rest.reshape(shape))


on_devices = pytest.mark.parametrize("device", ["cpu", "strict:device1"])


@on_devices
@bounded
@given(keyed_basic)
def test_getitem_with_a_basic_key(device: str, keyed: Any) -> None:
    check_getitem(*keyed, device)


@on_devices
@bounded
@given(keyed_advanced)
def test_getitem_with_arrays_in_the_key(device: str, keyed: Any) -> None:
    check_getitem(*keyed, device)


@on_devices
@bounded
@given(keyed_basic)
def test_setitem_with_a_basic_key(device: str, keyed: Any) -> None:
    check_setitem(*keyed, device)


@on_devices
@bounded
@given(keyed_advanced)
def test_setitem_with_arrays_in_the_key(device: str, keyed: Any) -> None:
    check_setitem(*keyed, device)


@on_devices
@bounded
@given(keyed_basic | keyed_advanced)
def test_setitem_of_a_number_off_the_tape(device: str, keyed: Any) -> None:
    shape, key = keyed
    want = distinct(shape)
    x = ag.tensor(want, device=device)
    want[key] = 7
    x[as_key(key, device)] = 7
    close(x, want)


# ---------------------------------------------------------------- einsum


@st.composite
def equations(draw: Any) -> tuple[str, list[tuple[int, ...]]]:
    """An equation of up to three operands, with letters repeated within and between them, and shapes that fit."""
    lengths = {letter: draw(st.integers(0, 3)) for letter in "ijkl"}
    count = draw(st.integers(1, 3))
    terms = [draw(st.text("ijkl", max_size=3)) for _ in range(count)]
    dots = [draw(st.booleans()) for _ in range(count)]
    hidden = draw(st.lists(st.integers(1, 2), max_size=2).map(tuple))
    operands = []
    for i, term in enumerate(terms):
        shape = tuple(lengths[c] for c in term)
        if dots[i]:
            own = hidden[draw(st.integers(0, len(hidden))) :]
            shape = tuple(draw(st.sampled_from([n, 1])) for n in own) + shape
            terms[i] = "..." + term
        operands.append(shape)
    letters = sorted(set("".join(terms)) - {"."})
    result = "".join(draw(st.permutations(letters)))[: draw(st.integers(0, len(letters)))]
    right = ("..." if any(dots) else "") + result
    implicit = draw(st.booleans())
    return ",".join(terms) + ("" if implicit else "->" + right), operands


@bounded
@given(equations())
def test_einsum(case: Any) -> None:
    equation, operand_shapes = case
    given_arrays = [distinct(shape, seed=i) for i, shape in enumerate(operand_shapes)]
    want = np.asarray(np.einsum(equation, *given_arrays))
    leaves = [leaf(a) for a in given_arrays]
    got = ag.einsum(equation, *leaves)
    close(got, want)
    g = distinct(want.shape, seed=9)
    got.backward(ag.tensor(g))
    # It is linear in each operand: the derivative along a direction is einsum with the direction in its place.
    for i, x in enumerate(leaves):
        direction = distinct(operand_shapes[i], seed=20 + i)
        moved = np.einsum(equation, *[direction if j == i else a for j, a in enumerate(given_arrays)])
        slope = 0.0 if x.grad is None else np.sum(x.grad.numpy() * direction)
        np.testing.assert_allclose(slope, np.sum(moved * g), rtol=1e-10, atol=1e-10)


# ---------------------------------------------------------------- reductions


@st.composite
def reductions(draw: Any) -> tuple[tuple[int, ...], Any, bool]:
    """A shape, dimensions named from either end, and whether they are kept."""
    shape = draw(shapes)
    named = draw(st.lists(st.integers(0, max(len(shape) - 1, 0)), unique=True, max_size=len(shape)))
    named = [n - len(shape) if draw(st.booleans()) else n for n in named]
    form = draw(st.sampled_from(["all", "one", "several"]))
    if form == "all" or not named:
        return shape, None, draw(st.booleans())
    return shape, named[0] if form == "one" else tuple(named), draw(st.booleans())


def count(shape: tuple[int, ...], dim: Any) -> int:
    """How many elements are reduced to one."""
    return int(
        np.prod([shape[d] for d in ((dim,) if isinstance(dim, int) else range(len(shape)) if dim is None else dim)])
    )


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "amax", "amin", "all", "any", "var", "std"])
@few
@given(reductions())
def test_reductions(name: str, case: Any) -> None:
    shape, dim, keepdim = case
    n = count(shape, dim)
    assume(n > {"sum": -1, "prod": -1, "all": -1, "any": -1, "var": 1, "std": 1}.get(name, 0))
    a = distinct(shape)
    if name in ("all", "any"):
        a = a > 0
    numpy_name = {"amax": "max", "amin": "min"}.get(name, name)
    options = {"ddof": 1} if name in ("var", "std") else {}
    want = getattr(np, numpy_name)(a, axis=dim, keepdims=keepdim, **options)
    function = getattr(ag, name)
    for device in ("cpu", "strict:device1"):
        x = ag.tensor(a, device=device)
        close(function(x, dim, keepdim=keepdim), want)
        close(function(x, axis=dim, keepdims=keepdim), want)
        close(getattr(x, name)(dim=dim, keepdim=keepdim), want)


@pytest.mark.parametrize("name", ["argmax", "argmin", "cumsum", "flip", "sort", "argsort", "logsumexp", "softmax"])
@few
@given(st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple), st.data())
def test_functions_of_one_dimension(name: str, shape: Any, data: Any) -> None:
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    a = distinct(shape)
    references: dict[str, Any] = {
        "softmax": lambda: np.exp(a) / np.exp(a).sum(dim, keepdims=True),
        "logsumexp": lambda: np.log(np.exp(a).sum(dim)),
    }
    want = references[name]() if name in references else getattr(np, name)(a, axis=dim)
    for device in ("cpu", "strict:device1"):
        got = getattr(ag, name)(ag.tensor(a, device=device), dim)
        close(got.values if name == "sort" else got, want)


@bounded
@given(shapes, st.data())
def test_reshape_keeps_the_elements_in_order(shape: Any, data: Any) -> None:
    a = distinct(shape)
    wanted = data.draw(st.permutations(list(shape)).map(tuple))
    x = leaf(a)
    y = x.reshape(wanted)
    close(y, a.reshape(wanted))
    y.backward(ag.tensor(distinct(wanted, seed=1)))
    close(x.grad, distinct(wanted, seed=1).reshape(shape))


@bounded
@given(st.lists(sizes, min_size=1, max_size=4).map(tuple), st.data())
def test_permute_and_its_gradient(shape: Any, data: Any) -> None:
    order = tuple(data.draw(st.permutations(range(len(shape)))))
    a = distinct(shape)
    x = leaf(a)
    y = x.permute(order)
    close(y, a.transpose(order))
    g = distinct(y.shape, seed=1)
    y.backward(ag.tensor(g))
    close(x.grad, g.transpose(np.argsort(order)))
