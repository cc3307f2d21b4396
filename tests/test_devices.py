"""Device strings: what they may be, what is said when they cannot be, and Tensors that move between devices."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import ops

STRICT = "strict:device1"


# ---------------------------------------------------------------- strings


@pytest.mark.parametrize(
    ("given", "full", "type_", "index"),
    [
        ("cpu", "cpu", "cpu", None),
        ("cpu:0", "cpu", "cpu", None),
        ("strict", "strict", "strict", None),
        ("strict:device1", "strict:device1", "strict", "device1"),
    ],
)
def test_a_device_string_in_full(given: str, full: str, type_: str, index: Any) -> None:
    device = ag.zeros(1, device=given).device
    assert device == full
    assert isinstance(device, str)
    assert (device.type, device.index) == (type_, index)


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("tpu", r"unknown device 'tpu': .*'cpu', 'cuda', 'strict'"),
        ("cpu:1", r"no device 'cpu:1': this machine has 'cpu'"),
        ("strict:device9", r"no device 'strict:device9': .*'strict:device1'"),
        ("cpu:", "ends in a colon"),
        ("", "unknown device ''"),
    ],
)
def test_a_device_that_does_not_exist_is_one_clear_line(device: str, message: str) -> None:
    with pytest.raises(ag.DeviceError, match=message) as raised:
        ag.zeros(1, device=device)
    assert "\n" not in str(raised.value)


def test_a_device_is_a_string() -> None:
    with pytest.raises(TypeError, match="not int"):
        ag.zeros(1, device=0)  # type: ignore[arg-type]


def test_asking_for_cuda_never_raises() -> None:
    assert ag.cuda.is_available() == (ag.cuda.device_count() > 0)


NO_CUPY = """
import sys
sys.modules["cupy"] = None  # as where it is not installed
import autograd_ops as ag
assert ag.cuda.device_count() == 0 and not ag.cuda.is_available()
try:
    ag.zeros(1).cuda()
except ag.DeviceError as error:
    print(error)
"""


def test_without_cupy_the_error_names_what_to_install() -> None:
    said = _run(NO_CUPY)
    assert "cupy" in said.lower()
    assert "autograd-ops[cuda" in said
    assert len(said.strip().splitlines()) == 1


def _run(program: str, *path: Path) -> str:
    root = Path(__file__).parents[1]
    environment = {"PYTHONPATH": ":".join(map(str, [root, root / "backends", *path])), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---------------------------------------------------------------- third parties

TOY = """
import autograd_ops as ag
from autograd_ops import nn
import toy_backend
ag.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)).to("toy")
x = ag.ones(4, 2, device="toy:0")
net(x).sum().backward()
grad = net[0].weight.grad
print(x.device, type(grad.array).__name__, grad.device, toy_backend.ToyBackend.calls.count("linear") >= 2)
try:
    ag.zeros(1, device="toy:7")
except ag.DeviceError as error:
    print(error)
try:
    net(ag.ones(4, 2))
except ag.DeviceError as error:
    print(str(error).splitlines()[0])
try:
    ag.tensor([1.0], device="toy:0") * ag.tensor([2.0], device="toy:1")
except ag.DeviceError as error:
    print(error)
"""


def test_a_backend_of_a_third_party_is_found_by_its_entry_point() -> None:
    lines = _run(TOY, Path(__file__).parent / "toy_backend").splitlines()
    assert lines[0] == "toy:0 ToyArray toy:0 True"
    assert lines[1] == "zeros: there is no device 'toy:7': this machine has 'toy:0', 'toy:1'"
    assert "linear: operands are on two devices, 'cpu' and 'toy:0'" in lines[2]
    assert "mul: operands are on two devices, 'toy:0' and 'toy:1'" in lines[3]


TOY_CTC = """
import autograd_ops as ag
import autograd_ops.nn.functional as F
grads = []
for device in ("toy", "cpu"):
    x = ag.arange(24.0, device=device).sin().reshape(4, 2, 3).detach().requires_grad_()
    F.ctc_loss(x, ag.tensor([[1, 2], [2, 2]], device=device), (4, 3), (2, 2)).backward()
    grads.append(x.grad)
print(grads[0].device, (grads[0].cpu() - grads[1]).abs().max().item() < 1e-6)
"""


def test_a_backend_without_a_ctc_loss_backward_leaves_it_to_the_tape() -> None:
    assert _run(TOY_CTC, Path(__file__).parent / "toy_backend") == "toy:0 True\n"


# ---------------------------------------------------------------- mixing


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: a + b,
        lambda a, b: a @ b,
        lambda a, b: ops.maximum(a, b),
        lambda a, b: ops.linear(a, b),
        lambda a, b: ops.concat([a, b], 0),
        lambda a, b: ops.where(a > 0, a, b),
        lambda a, b: ops.div(a, b),
    ],
)
@pytest.mark.parametrize("other", ["strict", STRICT])
def test_operands_on_two_devices_are_refused_with_the_op_both_devices_and_the_fix(call: Any, other: str) -> None:
    a, b = ag.ones(2, 2), ag.ones(2, 2, device=other)
    for first, second in ((a, b), (b, a)):
        pattern = rf"^\w+: operands are on two devices, '{first.device}' and '{second.device}'.*x\.to\("
        with pytest.raises(ag.DeviceError, match=pattern):
            call(first, second)


def test_operands_on_two_devices_of_one_library_are_refused() -> None:
    with pytest.raises(ag.DeviceError, match="mul: operands are on two devices, 'strict' and 'strict:device1'"):
        ag.ones(2, device="strict") * ag.ones(2, device=STRICT)


def test_python_numbers_go_with_any_device() -> None:
    x = ag.ones(2, device=STRICT, requires_grad=True)
    (2.0 * x + 1).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 2.0]
    assert x.grad.device == STRICT


# ---------------------------------------------------------------- moving


def test_to_moves_casts_and_is_the_same_tensor_where_nothing_changes() -> None:
    x = ag.ones(2)
    assert x.to("cpu") is x
    assert x.to(ag.float32) is x
    moved = x.to(STRICT, ag.float64)
    assert (moved.device, moved.dtype) == (STRICT, ag.float64)
    assert moved.to(x).tolist() == [1.0, 1.0]
    assert moved.cpu().device == "cpu"
    assert x.to(device="cpu", copy=True) is not x
    assert x.to("cpu", non_blocking=True) is x
    with pytest.raises(TypeError, match="unexpected keyword argument 'where'"):
        x.to(where="cpu")


def test_gradients_flow_back_to_the_device_they_came_from() -> None:
    x = ag.ones(3, requires_grad=True)
    (x.to(STRICT) * 2.0).sum().backward()
    assert x.grad is not None
    assert x.grad.device == "cpu"
    assert x.grad.tolist() == [2.0] * 3


def test_every_creation_function_takes_a_device() -> None:
    made = [
        ag.tensor([1.0], device=STRICT),
        ag.tensor(np.ones(2), device=STRICT),
        ag.zeros(2, device=STRICT),
        ag.ones((2, 3), device=STRICT),
        ag.empty(2, device=STRICT),
        ag.full((2,), 3.0, device=STRICT),
        ag.arange(3, device=STRICT),
        ag.linspace(0, 1, 3, device=STRICT),
        ag.eye(2, device=STRICT),
        ag.rand(2, device=STRICT),
        ag.randn(2, device=STRICT),
        ag.randint(0, 5, (2,), device=STRICT),
        ag.randperm(4, device=STRICT),
        ag.as_tensor([1.0], device=STRICT),
    ]
    assert {t.device for t in made} == {STRICT}
    like = made[2]
    assert {t.device for t in (ag.zeros_like(like), ag.ones_like(like), ag.randn_like(like))} == {STRICT}


def test_the_default_device() -> None:
    ag.set_default_device(STRICT)
    try:
        assert ag.zeros(2).device == STRICT
        assert ag.randn(2).device == STRICT
        assert ag.tensor([1.0]).device == STRICT
        assert ag.get_default_device() == STRICT
    finally:
        ag.set_default_device("cpu")
    assert ag.zeros(2).device == "cpu"


def test_strict_has_no_float16_and_says_why() -> None:
    with pytest.raises(TypeError, match="'strict' has no dtype float16: the array API standard has none"):
        ag.zeros(2, dtype=ag.float16, device="strict")
    with pytest.raises(TypeError, match="float16"):
        ag.zeros(2, device="strict").half()


def test_the_same_seed_gives_the_same_numbers_on_one_device() -> None:
    for device in ("cpu", STRICT):
        ag.manual_seed(5)
        first = ag.randn(4, device=device).tolist()
        ag.manual_seed(5)
        assert ag.randn(4, device=device).tolist() == first
    assert ag.initial_seed() == 5
