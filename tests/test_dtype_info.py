"""What dtypes hold, and how they meet."""

from __future__ import annotations

import pytest

import autograd_ops as ag

FLOATS = {
    # eps, largest, smallest normal: IEEE 754, and for bfloat16 float32's exponents with 7 bits of fraction.
    "float16": (2.0**-10, 65504.0, 2.0**-14),
    "bfloat16": (2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126),
    "float32": (2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126),
    "float64": (2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022),
}


@pytest.mark.parametrize("name", FLOATS)
def test_finfo(name: str) -> None:
    info = ag.finfo(getattr(ag, name))
    eps, largest, normal = FLOATS[name]
    assert (info.eps, info.max, info.min, info.tiny, info.smallest_normal) == (eps, largest, -largest, normal, normal)
    assert info.smallest_subnormal == normal * eps
    assert info.bits == ag.as_dtype(name).itemsize * 8
    assert info.dtype == name
    one, step = ag.ones(1, dtype=name), ag.full((1,), eps, dtype=name)
    assert (one + step != one).all()
    assert (one + step / 2 == one).all()


def test_finfo_of_complex_and_default() -> None:
    assert ag.finfo(ag.complex128).eps == ag.finfo(ag.float64).eps
    assert ag.finfo().dtype == "float32"
    assert "max=3.40282e+38" in repr(ag.finfo(ag.float32))


@pytest.mark.parametrize(
    ("name", "low", "high"), [("int8", -128, 127), ("uint8", 0, 255), ("int64", -(2**63), 2**63 - 1)]
)
def test_iinfo(name: str, low: int, high: int) -> None:
    info = ag.iinfo(name)
    assert (info.min, info.max, info.bits) == (low, high, ag.as_dtype(name).itemsize * 8)
    assert repr(info) == f"iinfo(min={low}, max={high}, dtype={name})"


def test_of_the_other_kind() -> None:
    with pytest.raises(TypeError, match="finfo: int8 is no float dtype; its limits are in iinfo"):
        ag.finfo(ag.int8)
    with pytest.raises(TypeError, match="iinfo: float32 is no integer dtype; the limits of floats are in finfo"):
        ag.iinfo(ag.float32)


@pytest.mark.parametrize(
    ("a", "b", "meet"),
    [
        ("uint8", "int8", "int16"),
        ("int32", "int64", "int64"),
        ("bool", "uint8", "uint8"),
        ("int64", "float16", "float16"),
        ("float16", "bfloat16", "float32"),
        ("bfloat16", "float32", "float32"),
        ("float64", "complex64", "complex128"),
        ("int64", "bfloat16", "bfloat16"),
    ],
)
def test_promotion(a: str, b: str, meet: str) -> None:
    assert ag.promote_types(a, b) is ag.promote_types(b, a) is ag.as_dtype(meet)
    assert ag.result_type(ag.ones(2, dtype=a), ag.ones(2, dtype=b)) == meet
    assert (ag.ones(2, dtype=a) + ag.ones(2, dtype=b)).dtype == meet


@pytest.mark.parametrize(
    ("dtype", "number", "meet"),
    [
        ("float16", 2.5, "float16"),
        ("bfloat16", 2.5, "bfloat16"),
        ("float64", 1, "float64"),
        ("int8", 3, "int8"),
        ("int64", 2.5, "float32"),
        ("bool", 2, "int64"),
        ("bool", True, "bool"),
        ("float32", 1j, "complex64"),
        ("float64", 1j, "complex128"),
    ],
)
def test_numbers_are_weak(dtype: str, number: complex, meet: str) -> None:
    x = ag.ones(2, dtype=dtype)
    assert ag.result_type(x, number) is ag.result_type(number, x) is ag.as_dtype(meet)
    if dtype != "bool" or number is not True:
        assert (x * number).dtype == (number * x).dtype == meet


def test_result_type_of_numbers_and_of_something_else() -> None:
    assert ag.result_type(1, 2.5) == "float32"
    assert ag.result_type(1, True) == "int64"
    with pytest.raises(TypeError, match="result_type: expected Tensors and numbers, got str"):
        ag.result_type("a", 1)


def test_can_cast_as_in_pytorch() -> None:
    # PyTorch 2.13: torch.can_cast of every pair.
    names = ("bool", "uint8", "int8", "int64", "float16", "complex64")
    refused = {(a, b) for a in names for b in names if not ag.can_cast(a, b)}
    ints = ("uint8", "int8", "int64")
    assert refused == {
        *((a, "bool") for a in names[1:]),
        *((a, b) for a in ("float16", "complex64") for b in ints),
        ("complex64", "float16"),
    }


def test_integers_need_no_gradient_and_gradients_have_their_tensors_dtype() -> None:
    for name in FLOATS:
        x = ag.tensor([1.0, 2.0], dtype=name, requires_grad=True)
        y = ag.tensor([3.0, 5.0], dtype="float64")
        (x * y * 2).sum().backward()
        assert x.grad is not None
        assert (x.grad.dtype, x.grad.tolist()) == (name, [6.0, 10.0])
    for name in ("int8", "uint64", "bool"):
        with pytest.raises(TypeError, match=f"only float tensors can require grad, and this one is {name}"):
            ag.ones(2, dtype=name).requires_grad_()
