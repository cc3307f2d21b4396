"""Plans, their cache, and what becomes of what oneDNN refuses."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from autograd_backends.numpy_backend.onednn import library as door

if door.why_not() is not None:
    pytest.skip(f"oneDNN: {door.why_not()}", allow_module_level=True)

from autograd_backends.numpy_backend.onednn import convolutions, memory, products, room
from autograd_backends.numpy_backend.onednn import plan as plans
from autograd_backends.numpy_backend.onednn.constants import (
    BINARY_ADD,
    DST,
    ELTWISE_RELU,
    FORWARD_INFERENCE,
    SRC,
    SRC_1,
)
from autograd_backends.numpy_backend.onednn.memory import Operand
from autograd_backends.numpy_backend.onednn.plan import Plan
from autograd_backends.numpy_backend.onednn.room import here
from autograd_backends.options import ConvOptions

from . import numbers


def relu(plan: Plan, slope: float, out: Operand, x: Operand) -> None:
    primitive = plan.primitive("eltwise_forward", FORWARD_INFERENCE, ELTWISE_RELU, x, out, slope, 0.0)
    plan.step(primitive, {SRC: x, DST: out})


def two_steps(plan: Plan, _: None, out: Operand, x: Operand) -> None:
    """relu(relu(x) + x): the second step in place, with a post-op, in another view of the arrays."""
    relu(plan, 0.0, out, x)
    out, x = out.seen_as(out.shape[0] * out.shape[1], 1), x.seen_as(x.shape[0] * x.shape[1], 1)
    primitive = plan.primitive("binary", BINARY_ADD, out, x, out, post_ops=(("eltwise", ELTWISE_RELU, 0.0, 0.0),))
    plan.step(primitive, {SRC: out, SRC_1: x, DST: out})


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """This thread's plans: none yet."""
    kept: dict[Any, Any] = {}
    monkeypatch.setattr(here(), "plans", kept)
    return kept


def test_a_plan_is_made_once(fresh: dict[Any, Any]) -> None:
    for _ in range(3):
        x = numbers(5, 7)
        out = np.empty_like(x)
        assert plans.run(relu, 0.0, out, x)
        np.testing.assert_array_equal(out, np.maximum(x, 0))
    assert len(fresh) == 1
    out = np.empty_like(x)
    assert plans.run(relu, 0.5, out, x)
    np.testing.assert_array_equal(out, np.where(x > 0, x, 0.5 * x))
    assert len(fresh) == 2


def test_steps_follow_one_another() -> None:
    x, out = numbers(6, 8), np.zeros((6, 8), np.float32)
    assert plans.run(two_steps, None, out, x)
    np.testing.assert_array_equal(out, 2 * np.maximum(x, 0))


def test_the_number_of_plans_is_bounded_and_those_forgotten_are_destroyed(
    monkeypatch: pytest.MonkeyPatch, fresh: dict[Any, Any]
) -> None:
    monkeypatch.setattr(room, "PLANS", 50)
    made = []
    for n in range(1, 100):
        x = np.full(n, -1.0, np.float32)
        out = np.empty_like(x)
        assert plans.run(relu, 0.0, out, x)
        assert out[-1] == 0
        made.append(weakref.ref(list(fresh.values())[-1]))
    assert [plan() is not None for plan in made] == [False] * 49 + [True] * 50


@pytest.mark.parametrize(
    "x",
    [
        np.zeros((2, 0), np.float32),
        np.zeros(4, np.float64),
        np.zeros(4, ">f4"),
        np.zeros(4, np.float32)[::-1],
        np.broadcast_to(np.float32(1), (3, 4)),
        np.zeros(4, [("a", np.int8), ("b", np.float32)])["b"],
        np.zeros((1,) * 13, np.float32),
    ],
    ids=["empty", "float64", "big endian", "backwards", "repeated", "packed", "13 dimensions"],
)
def test_what_onednn_cannot_read_is_refused_once_and_for_all(fresh: dict[Any, Any], x: np.ndarray) -> None:
    out = np.empty(x.shape, np.float32)
    assert not plans.run(relu, 0.0, out, x)
    assert list(fresh.values()) == [None]
    assert not plans.run(relu, 0.0, out, x)
    assert plans.prepare(relu, 0.0, out, x) is None


def test_a_reference_implementation_is_refused(monkeypatch: pytest.MonkeyPatch, fresh: dict[Any, Any]) -> None:
    monkeypatch.setattr(Plan, "implementation", lambda self, description: "ref:any")
    x = numbers(4)
    assert not plans.run(relu, 0.0, np.empty_like(x), x)


def test_where_it_fails_numpy_does_the_work(monkeypatch: pytest.MonkeyPatch, fresh: dict[Any, Any]) -> None:
    x, weight = numbers(4, 8), numbers(8, 2)
    assert products.linear(x, weight, None) is not None
    monkeypatch.setattr(door.library(), "primitive_execute", lambda *arguments: 5)
    assert products.linear(x, weight, None) is None
    monkeypatch.undo()


def test_a_plan_that_needs_much_has_memory_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight = numbers(2, 3, 9, 9), numbers(5, 3, 3, 3)
    options = ConvOptions(padding=1)
    with_arena = convolutions.conv(2, x, weight, None, options)
    monkeypatch.setattr(room, "KEPT", 100)
    monkeypatch.setattr(here(), "arena", np.empty(0, np.uint8))
    monkeypatch.setattr(here(), "base", 0)
    monkeypatch.setattr(here(), "plans", {})
    for _ in range(3):
        np.testing.assert_array_equal(convolutions.conv(2, x, weight, None, options), with_arena)
    assert here().arena.nbytes == 0


def test_what_runs_in_the_midst_of_a_plan_is_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    lib, x, found = door.library(), numbers(9, 9), []
    given = lib.set_handle

    def interrupted(memory: Any, handle: Any) -> Any:
        if not found:
            found.append(None)
            found.append(plans.run(relu, 0.0, np.empty_like(x), -x))  # as a finalizer might
        return given(memory, handle)

    out = np.empty_like(x)
    assert plans.run(relu, 0.0, out, x)
    monkeypatch.setattr(lib, "set_handle", interrupted)
    assert plans.run(relu, 0.0, out, x)
    assert found == [None, False]
    np.testing.assert_array_equal(out, np.maximum(x, 0))
    found.clear()
    assert plans.run(relu, 0.0, out, x)


def test_out_of_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door.library(), "primitive_create", lambda *arguments: 1)
    x = numbers(3, 11)
    with pytest.raises(MemoryError, match="oneDNN has no memory for a primitive"):
        plans.run(relu, 0.25, np.empty_like(x), x)
    monkeypatch.undo()
    assert plans.run(relu, 0.25, np.empty_like(x), x)


def test_an_error_in_a_plan_leaves_nothing_behind(fresh: dict[Any, Any]) -> None:
    def broken(plan: Plan, _: None, out: Operand, x: Operand) -> None:
        relu(plan, 0.0, out, x)
        raise ZeroDivisionError

    x = numbers(4)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            plans.run(broken, None, np.empty_like(x), x)
    assert not fresh
    assert plans.run(relu, 0.0, np.empty_like(x), x)


def test_addresses_are_those_that_numpy_says() -> None:
    x = numbers(3, 4)
    for view in (x, x[1:], x.T, x[:, 1:]):
        assert memory.address(view).value == view.__array_interface__["data"][0]
        assert memory._address_by_interface(view).value == memory.address(view).value


def test_without_knowledge_of_numpys_layout_numpy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_address_by_layout", memory.c_void_p.from_address)
    monkeypatch.setattr(memory, "_address_by_layout", lambda array: memory.c_void_p(8))
    assert not memory._layout_is_known()
