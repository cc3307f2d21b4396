"""The module ops against the recorded vectors, as Tensors: outputs, gradients, second derivatives, refusals."""

from __future__ import annotations

import pytest

from autograd_ops import ops

from .vector_calls import Vector, lanes_of, read_vectors, run

#: Ops that have vectors and are not there yet. It must become empty, and no op in it may exist.
MISSING = {"ctc_loss"}

VECTORS = read_vectors()
PLACES = [("cpu", "float64"), ("cpu", "float32"), ("strict:device1", "float64")]
CALLS = [
    pytest.param(vector, lane, *place, id=" ".join([vector.name, lane, *place]))
    for vector in VECTORS
    if vector.function_name not in MISSING
    for lane in lanes_of(vector)
    for place in PLACES
    if lane != "twice" or place[1] == "float64"  # finite differences need its digits
]


@pytest.mark.parametrize(("vector", "lane", "device", "dtype"), CALLS)
def test_vector(vector: Vector, lane: str, device: str, dtype: str) -> None:
    assert run(vector, lane, device, dtype) == ""


@pytest.mark.parametrize("name", sorted(MISSING))
def test_what_is_called_missing_is_missing(name: str) -> None:
    assert not hasattr(ops, name), f"{name} is there now: take it out of MISSING"


def test_nothing_else_is_missing() -> None:
    assert {name for v in VECTORS if not hasattr(ops, name := v.function_name)} == MISSING
