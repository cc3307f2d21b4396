"""The module ops against the recorded vectors, as Tensors: outputs, gradients, second derivatives, refusals."""

from __future__ import annotations

import pytest

from autograd_ops import ops

from .vector_calls import Vector, lanes_of, read_vectors, run

VECTORS = read_vectors()
PLACES = [("cpu", "float64"), ("cpu", "float32"), ("strict:device1", "float64")]
CALLS = [
    pytest.param(vector, lane, *place, id=" ".join([vector.name, lane, *place]))
    for vector in VECTORS
    for lane in lanes_of(vector)
    for place in PLACES
    if lane != "twice" or place[1] == "float64"  # finite differences need its digits
]


@pytest.mark.parametrize(("vector", "lane", "device", "dtype"), CALLS)
def test_vector(vector: Vector, lane: str, device: str, dtype: str) -> None:
    assert run(vector, lane, device, dtype) == ""


def test_every_op_with_vectors_is_there() -> None:
    assert [v.function_name for v in VECTORS if not hasattr(ops, v.function_name)] == []
