"""Losses against numbers from PyTorch, central differences, and what must be refused."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import Tensor, nn
from autograd_ops.autograd import gradcheck, gradgradcheck

from .conftest import DEVICES, made, near

CASES = json.loads((Path(__file__).parent / "torch_losses.json").read_text())["cases"]
WEIGHT = [0.5, 2.0, 1.5]
CLASS_LOSSES = {"cross_entropy": nn.CrossEntropyLoss, "nll_loss": nn.NLLLoss}
MODULES = {
    **CLASS_LOSSES,
    "mse_loss": nn.MSELoss,
    "l1_loss": nn.L1Loss,
    "smooth_l1_loss": nn.SmoothL1Loss,
    "huber_loss": nn.HuberLoss,
    "binary_cross_entropy": nn.BCELoss,
    "binary_cross_entropy_with_logits": nn.BCEWithLogitsLoss,
    "kl_div": nn.KLDivLoss,
}


def inputs(name: str, device: str = "cpu") -> tuple[Tensor, Tensor]:
    """The input, on the tape, and the target of a set of that name."""
    x, y = made((2, 3), device=device), made((2, 3), 1.0, device)

    def tensor(data: Any, dtype: Any = None) -> Tensor:
        return ag.tensor(data, dtype=dtype, device=device)

    sets: dict[str, tuple[Any, Any]] = {
        "values": (x, y),
        "probabilities": (0.5 + 0.4 * x, 0.5 + 0.4 * y),
        "certain": (
            tensor([[0.0, 1.0, 0.5], [1.0, 0.0, 0.25]], ag.float64),
            tensor([[0.0, 0.0, 1.0], [1.0, 1.0, 0.5]], ag.float64),
        ),
        "logs": (F.log_softmax(x, 1), F.softmax(y, 1)),
        "log_targets": (F.log_softmax(x, 1), F.log_softmax(y, 1)),
        "zero_targets": (F.log_softmax(x, 1), tensor([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]], ag.float64)),
        "classes": (made((4, 3), device=device), tensor([0, 2, 1, 2])),
        "some_ignored": (made((4, 3), device=device), tensor([0, -100, 1, 2])),
        "images": (made((2, 3, 2), device=device), tensor([[0, 2], [1, 1]])),
        "images_ignored": (made((2, 3, 2), device=device), tensor([[0, 1], [1, 2]])),
        "soft": (x, F.softmax(y, 1)),
        "soft_images": (made((1, 3, 2), device=device), F.softmax(made((1, 3, 2), 1.0, device), 1)),
        "single": (made((3,), device=device), tensor(1)),
    }
    given, target = sets[name]
    return given.detach().requires_grad_(), target


def options_of(options: dict[str, Any], device: str = "cpu") -> dict[str, Any]:
    return {
        key: ag.tensor(WEIGHT, dtype=ag.float64, device=device) if value == "W" else value
        for key, value in options.items()
    }


def quiet(function: Any, *args: Any, **options: Any) -> Tensor:
    """The loss, without the warning of kl_div's mean."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="kl_div: reduction='mean'")
        return function(*args, **options)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "given", "options", "value", "grad"), CASES)
def test_value_and_gradient(name: str, given: str, options: dict, value: list, grad: list, device: str) -> None:
    x, y = inputs(given, device)
    loss = quiet(getattr(F, name), x, y, **options_of(options, device))
    near(loss, value if loss.ndim else value[0])
    loss.sum().backward()
    near(x.grad, grad)
    assert loss.device == device


@pytest.mark.parametrize(("name", "given", "options", "value", "grad"), CASES)
def test_modules_are_the_functions(name: str, given: str, options: dict, value: list, grad: list) -> None:
    x, y = inputs(given)
    loss = quiet(MODULES[name](**options_of(options)), x, y)
    near(loss, value if loss.ndim else value[0])


@pytest.mark.parametrize(("name", "given", "options"), [case[:3] for case in CASES if case[1] != "certain"])
def test_gradcheck(name: str, given: str, options: dict) -> None:
    x, y = inputs(given)
    function = getattr(F, name)
    kwargs = options_of(options)
    assert gradcheck(lambda x: quiet(function, x, y, **kwargs), x)
    assert gradgradcheck(lambda x: quiet(function, x, y, **kwargs), x)


@pytest.mark.parametrize("name", ["mse_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div"])
def test_gradient_in_the_target(name: str) -> None:
    x, y = inputs("probabilities")
    assert gradcheck(lambda y: getattr(F, name)(x.detach(), y, reduction="sum"), y.requires_grad_())


@pytest.mark.parametrize(("name", "given", "options"), [case[:3] for case in CASES])
def test_float32_stays_float32(name: str, given: str, options: dict) -> None:
    x, y = inputs(given)
    x = x.detach().float().requires_grad_()
    kwargs = {key: v.float() if isinstance(v, Tensor) else v for key, v in options_of(options).items()}
    loss = quiet(getattr(F, name), x, y.float() if y.dtype is ag.float64 else y, **kwargs)
    loss.sum().backward()
    assert loss.dtype is ag.float32
    assert x.grad.dtype is ag.float32


# ---------------------------------------------------------------- classes


@pytest.mark.parametrize("dtype", [ag.uint8, ag.int8, ag.int16, ag.int32, ag.int64])
def test_classes_of_any_integer_dtype(dtype: Any) -> None:
    x = made((40, 20)).requires_grad_()
    y = ag.arange(40) % 20
    expected = F.cross_entropy(x, y)
    (grad,) = ag.autograd.grad(expected, (x,))
    loss = F.cross_entropy(x, y.to(dtype))
    loss.backward()
    near(loss, expected.item())
    near(x.grad, grad.tolist())


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("target", [-1, 3, 100])
@pytest.mark.parametrize("options", [{}, {"weight": "W"}, {"label_smoothing": 0.1}, {"ignore_index": -5}])
def test_a_class_out_of_range(target: int, options: dict, device: str) -> None:
    x, y = made((2, 3), device=device), ag.tensor([0, target], device=device)
    with pytest.raises(IndexError, match=rf"target.* {target} .* 3"):
        F.cross_entropy(x, y, **options_of(options, device))
    with pytest.raises(IndexError, match=rf"target.* {target} .* 3"):
        F.nll_loss(x, y)


def test_nothing_kept() -> None:
    x = made((2, 3)).requires_grad_()
    y = ag.tensor([-100, -100])
    assert math.isnan(F.cross_entropy(x, y))
    assert F.cross_entropy(x, y, reduction="sum").item() == 0.0
    near(F.cross_entropy(x, y, reduction="none"), [0.0, 0.0])


def test_large_scores_do_not_overflow() -> None:
    x = ag.tensor([[1000.0, 0.0], [0.0, -1000.0]], requires_grad=True)
    loss = F.cross_entropy(x, ag.tensor([1, 0]), reduction="none")
    near(loss, [1000.0, 0.0])


@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss])
def test_shapes_of_classes(loss: Any) -> None:
    with pytest.raises(ValueError, match=r"\(2, 3\) takes targets of shape \(2,\).*\(3,\)"):
        loss(made((2, 3)), ag.tensor([0, 1, 2]))
    with pytest.raises(ValueError, match="0-d"):
        loss(ag.tensor(1.0), ag.tensor(0))


def test_float_targets_must_be_probabilities_of_each_class() -> None:
    with pytest.raises(ValueError, match=r"target\.long\(\)"):
        F.cross_entropy(made((2, 3)), ag.tensor([0.0, 1.0]))


@pytest.mark.parametrize("smoothing", [-0.1, 1.5])
def test_smoothing_out_of_range(smoothing: float) -> None:
    with pytest.raises(ValueError, match="label_smoothing"):
        F.cross_entropy(made((2, 3)), ag.tensor([0, 1]), label_smoothing=smoothing)


# ---------------------------------------------------------------- shapes and options


@pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss])
def test_shapes_that_broadcast_warn(loss: Any) -> None:
    with pytest.warns(UserWarning, match=r"\(3, 1\).*\(3,\)") as caught:
        loss(made((3, 1)), made((3,)))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("loss", [nn.MSELoss(), nn.SmoothL1Loss()])
def test_the_warning_points_here_from_a_module_too(loss: nn.Module) -> None:
    with pytest.warns(UserWarning, match="broadcast") as caught:
        loss(made((3, 1)), made((3,)))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("loss", [F.binary_cross_entropy, F.binary_cross_entropy_with_logits])
def test_binary_shapes_must_be_equal(loss: Any) -> None:
    with pytest.raises(ValueError, match=r"\(2, 1\).*\(2,\)"):
        loss(ag.tensor([[0.5], [0.5]]), ag.tensor([1.0, 0.0]))


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_no_probability(value: float) -> None:
    with pytest.raises(ValueError, match=r"in \[0, 1\].*binary_cross_entropy_with_logits"):
        F.binary_cross_entropy(ag.tensor([value]), ag.tensor([1.0]))


@pytest.mark.parametrize("name", list(MODULES))
def test_unknown_reduction(name: str) -> None:
    x, y = inputs("classes" if name in CLASS_LOSSES else "probabilities")
    with pytest.raises(ValueError, match=rf"{name}: reduction must be 'mean', 'sum' or 'none', not 'average'"):
        getattr(F, name)(x, y, reduction="average")


@pytest.mark.parametrize(
    ("older", "reduction"),
    [({"size_average": False}, "sum"), ({"reduce": False}, "none"), ({"size_average": True}, "mean")],
)
def test_older_names_of_reduction(older: dict, reduction: str) -> None:
    x, y = inputs("values")
    with pytest.warns(UserWarning, match=rf"reduction='{reduction}'"):
        loss = F.mse_loss(x, y, **older)
    near(loss, F.mse_loss(x, y, reduction=reduction).tolist())
    with pytest.warns(UserWarning, match="deprecated"):
        assert nn.MSELoss(**older).reduction == reduction


def test_kl_div_mean_warns() -> None:
    x, y = inputs("logs")
    with pytest.warns(UserWarning, match="batchmean"):
        F.kl_div(x, y)


def test_huber_of_an_infinite_distance() -> None:
    x = ag.tensor([math.inf, 0.0], requires_grad=True)
    F.huber_loss(x, ag.tensor([0.0, 0.0]), reduction="sum", delta=0.5).backward()
    near(x.grad, [0.5, 0.0])


@pytest.mark.parametrize(("loss", "options"), [(F.smooth_l1_loss, {"beta": -1.0}), (F.huber_loss, {"delta": 0.0})])
def test_thresholds(loss: Any, options: dict) -> None:
    x, y = inputs("values")
    with pytest.raises(ValueError, match=r"beta|delta"):
        loss(x, y, **options)


def test_weights_of_a_loss_are_buffers() -> None:
    loss = nn.CrossEntropyLoss(weight=ag.tensor(WEIGHT))
    assert list(loss.state_dict()) == ["weight"]
    assert loss.double().weight.dtype is ag.float64
    assert list(nn.CrossEntropyLoss().state_dict()) == []
