"""What the namespace is, and what a Tensor is to code that knows arrays by the standard."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from typing import Any

import array_api_compat
import array_api_strict
import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import Tensor, array_api


def names(words: str) -> list[str]:
    """The names in a text."""
    return words.split()


CONSTANTS = names("e inf nan newaxis pi")
DTYPES = names("bool complex64 complex128 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64")
CREATION = names("""
    arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros
    zeros_like
""")
DATA_TYPES = names("__array_namespace_info__ astype can_cast finfo iinfo isdtype result_type")
ELEMENTWISE = names("""
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
    greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not
    logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
    round sign signbit sin sinh sqrt square subtract tan tanh trunc
""")
OTHERS = names("""
    take take_along_axis matmul matrix_transpose tensordot vecdot broadcast_arrays broadcast_shapes broadcast_to concat
    expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero
    nonzero searchsorted where isin unique_all unique_counts unique_inverse unique_values argsort sort cumulative_prod
    cumulative_sum max mean min prod std sum var all any diff
""")
FUNCTIONS = CREATION + DATA_TYPES + ELEMENTWISE + OTHERS


@pytest.mark.parametrize("name", CONSTANTS + DTYPES + FUNCTIONS)
def test_has_every_name_of_the_standard(name: str) -> None:
    assert hasattr(array_api, name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_takes_the_arguments_of_the_standard(name: str) -> None:
    """Array-api-strict has the standard's signatures: what it takes by name or by place, so do these."""
    ours = list(inspect.signature(getattr(array_api, name)).parameters.values())
    for i, theirs in enumerate(inspect.signature(getattr(array_api_strict, name)).parameters.values()):
        mine = next(p for p in ours if p.name == theirs.name) if theirs.kind is theirs.KEYWORD_ONLY else ours[i]
        assert mine.kind in (theirs.kind, theirs.POSITIONAL_OR_KEYWORD)
        if theirs.kind is theirs.POSITIONAL_OR_KEYWORD:
            assert mine.name == theirs.name
        if theirs.default is not theirs.empty:
            assert mine.default == (
                None if theirs.name in ("copy", "device") and mine.default is None else theirs.default
            )


def test_the_version() -> None:
    assert array_api.__array_api_version__ == "2025.12"


def test_a_tensor_names_its_namespace() -> None:
    x = ag.ones(2)
    assert x.__array_namespace__() is array_api
    assert x.__array_namespace__(api_version="2023.12") is array_api
    with pytest.raises(ValueError, match=r"version '1999\.12' is none of 2021\.12"):
        x.__array_namespace__(api_version="1999.12")


def test_array_api_compat_finds_it() -> None:
    x = ag.ones(2, 3)
    assert array_api_compat.array_namespace(x, x) is array_api
    assert array_api_compat.is_array_api_obj(x)
    assert array_api_compat.size(x) == 6
    assert array_api_compat.device(x) == "cpu"
    assert array_api_compat.to_device(x, "cpu") is x
    with pytest.raises(TypeError, match="Multiple namespaces"):
        array_api_compat.array_namespace(x, np.ones(2))


def test_is_imported_when_it_is_asked_for() -> None:
    lines = "import sys, autograd_ops as ag; assert 'autograd_ops.array_api' not in sys.modules; ag.array_api.sum"
    subprocess.run([sys.executable, "-c", lines], check=True)


# ---------------------------------------------------------------- inspection


def test_says_what_it_can_do() -> None:
    info = array_api.__array_namespace_info__()
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}
    assert info.default_device() == "cpu"
    assert "cpu" in info.devices()
    assert info.default_dtypes() == {
        "real floating": ag.float32,
        "complex floating": ag.complex64,
        "integral": ag.int64,
        "indexing": ag.int64,
    }
    assert info.dtypes(kind="real floating") == {"float32": ag.float32, "float64": ag.float64}
    assert set(info.dtypes()) == set(DTYPES)
    assert set(info.dtypes(kind=("bool", "unsigned integer"))) == {"bool", "uint8", "uint16", "uint32", "uint64"}


def test_default_dtypes_follow_the_default_dtype() -> None:
    ag.set_default_dtype(ag.float64)
    try:
        defaults = array_api.__array_namespace_info__().default_dtypes()
        assert (defaults["real floating"], defaults["complex floating"]) == (ag.float64, ag.complex128)
    finally:
        ag.set_default_dtype(ag.float32)


def test_the_default_device_is_among_the_devices() -> None:
    ag.set_default_device("strict:device1")
    try:
        info = array_api.__array_namespace_info__()
        assert info.default_device() == "strict:device1"
        assert info.devices()[-1] == "strict:device1"
        assert array_api.zeros(2).device == "strict:device1"
    finally:
        ag.set_default_device("cpu")


# ---------------------------------------------------------------- dtypes


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_finfo(name: str) -> None:
    found, wanted = array_api.finfo(getattr(array_api, name)), np.finfo(name)
    assert found.dtype == wanted.dtype.name
    for field in ("bits", "eps", "max", "min", "smallest_normal"):
        assert getattr(found, field) == float(getattr(wanted, field))
        assert type(getattr(found, field)) in (int, float)
    assert array_api.finfo(ag.ones(1, dtype=name)) == found


@pytest.mark.parametrize("name", [name for name in DTYPES if "int" in name])
def test_iinfo(name: str) -> None:
    found, wanted = array_api.iinfo(getattr(array_api, name)), np.iinfo(name)
    assert (found.bits, found.max, found.min, found.dtype) == (wanted.bits, wanted.max, wanted.min, name)
    assert array_api.iinfo(ag.ones(1, dtype=name)) == found


def test_limits_are_of_the_right_kind_of_dtype() -> None:
    with pytest.raises(TypeError, match="finfo: int8 is no float dtype"):
        array_api.finfo(array_api.int8)
    with pytest.raises(TypeError, match="iinfo: float32 is no integer dtype"):
        array_api.iinfo(array_api.float32)


@pytest.mark.parametrize("name", DTYPES)
def test_isdtype(name: str) -> None:
    kinds = [
        *("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"),
        ("bool", "integral"),
    ]
    for kind in kinds:
        wanted = array_api_strict.isdtype(getattr(array_api_strict, name), kind)
        assert array_api.isdtype(getattr(array_api, name), kind) is wanted
    assert array_api.isdtype(getattr(array_api, name), getattr(array_api, name))
    with pytest.raises(ValueError, match="'floating' is no kind"):
        array_api.isdtype(getattr(array_api, name), "floating")


def promotes(a: str, b: str) -> Any:
    """What the standard promotes two dtypes to, or None where it does not say."""
    try:
        return array_api_strict.result_type(getattr(array_api_strict, a), getattr(array_api_strict, b))
    except TypeError:
        return None


def test_result_type_and_can_cast() -> None:
    for a in DTYPES:
        for b in DTYPES:
            wanted = promotes(a, b)
            if wanted is not None:
                assert array_api.result_type(getattr(array_api, a), ag.ones(1, dtype=b)) == str(wanted).split(".")[-1]
                leads = wanted == getattr(array_api_strict, b)
                assert array_api.can_cast(getattr(array_api, a), getattr(array_api, b)) is leads
                assert array_api.can_cast(ag.ones(1, dtype=a), getattr(array_api, b)) is leads


def test_result_type_with_python_numbers() -> None:
    assert array_api.result_type(array_api.int8, 5) == "int8"
    assert array_api.result_type(array_api.float32, 5, 2.0) == "float32"
    assert array_api.result_type(ag.ones(1), 1j) == "complex64"
    with pytest.raises(TypeError, match="at least one array or dtype"):
        array_api.result_type(1.0, 2)


def test_astype() -> None:
    x = ag.tensor([1.5, -2.0], requires_grad=True)
    assert array_api.astype(x, array_api.float32, copy=False) is x
    copied = array_api.astype(x, array_api.float32)
    assert copied is not x
    array_api.astype(x, array_api.float64).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    assert array_api.astype(x, array_api.int8, device="strict").device == "strict"
    with pytest.raises(TypeError, match="complex64 to float32 would lose a part"):
        array_api.astype(ag.ones(1, dtype=ag.complex64), array_api.float32)


# ---------------------------------------------------------------- the array object


def test_size_is_a_number_and_a_method() -> None:
    x = ag.ones(2, 3)
    assert x.size == 6
    assert x.size() == (2, 3)
    assert x.size(-1) == x.size(dim=1) == 3
    assert type(pickle.loads(pickle.dumps(x.size))) is int
    assert (ag.ones(()).size, ag.ones(0, 3).size) == (1, 0)


def test_to_device() -> None:
    x = ag.ones(2, requires_grad=True)
    assert x.to_device("cpu") is x
    there = x.to_device("strict:device1")
    assert there.device == "strict:device1"
    there.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="a stream cannot be chosen"):
        x.to_device("cpu", stream=1)


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
def test_shifts_are_operators(device: str) -> None:
    x = ag.tensor([1, -6], device=device)
    assert (x << 2).tolist() == [4, -24]
    assert (x >> 1).tolist() == [0, -3]
    assert (1 << ag.tensor([0, 3], device=device)).tolist() == [1, 8]
    assert (100 >> ag.tensor([0, 3], device=device)).tolist() == [100, 12]
    x <<= 3
    x >>= ag.tensor([1, 2], device=device)
    assert x.tolist() == [4, -12]


def test_python_takes_only_what_fits() -> None:
    assert complex(ag.tensor(2.0)) == 2.0
    assert [10, 20, 30][ag.tensor(1)] == 20
    with pytest.raises(TypeError, match="only an integer tensor can be an index"):
        [1, 2][ag.tensor(1.0)]
    with pytest.raises(TypeError):
        float(ag.tensor(1j))
    with pytest.raises(ValueError, match="the truth of a tensor"):
        bool(ag.ones(2))


def test_the_first_lines_of_the_package_run() -> None:
    x = ag.tensor([[1.0, 2.0], [3.0, 6.0]], requires_grad=True)

    def standardised(x: Tensor) -> Tensor:
        xp = x.__array_namespace__()
        return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)

    out = standardised(x)
    assert out.tolist() == [[-1.0, -1.0], [1.0, 1.0]]
    out[0, 0].backward()
    np.testing.assert_allclose(x.grad.numpy(), 0.0, atol=1e-6)  # of two numbers, always -1 and 1
