"""Clipping gradients: values by hand."""

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.nn.utils import clip_grad_norm_, clip_grad_value_


def with_grad(values, dtype=ag.float64, device="cpu"):
    p = ag.zeros(len(values), dtype=dtype, device=device, requires_grad=True)
    p.grad = ag.tensor(values, dtype=dtype, device=device)
    return p


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
@pytest.mark.parametrize(
    ("norm_type", "norm"),
    [(2, 13.0), (2.0, 13.0), (1, 19.0), (float("inf"), 12.0), ("inf", 12.0), (3, (27 + 64 + 1728) ** (1 / 3))],
)
def test_norm(norm_type, norm, device):
    p, q = with_grad([3.0, -4.0], device=device), with_grad([12.0], device=device)
    untouched = ag.zeros(1, device=device, requires_grad=True)
    total = clip_grad_norm_([p, untouched, q], 2.0, norm_type)
    assert tuple(total.shape) == ()
    assert total.item() == pytest.approx(norm, rel=1e-14)
    scale = 2.0 / (norm + 1e-6)
    np.testing.assert_allclose(p.grad.tolist(), [3 * scale, -4 * scale], rtol=1e-14)
    np.testing.assert_allclose(q.grad.tolist(), [12 * scale], rtol=1e-14)
    assert untouched.grad is None


def test_small_gradients_stay():
    p = with_grad([0.3, 0.4])
    grad = p.grad
    assert clip_grad_norm_(p, 1.0).item() == pytest.approx(0.5)
    assert p.grad is grad
    assert grad.tolist() == [0.3, 0.4]


def test_nothing_to_clip():
    assert clip_grad_norm_([], 1.0).item() == 0.0
    assert clip_grad_norm_(iter([ag.zeros(2, requires_grad=True)]), 1.0).item() == 0.0
    assert clip_grad_norm_([with_grad([])], 1.0).item() == 0.0
    assert clip_grad_norm_([with_grad([]), with_grad([2.0])], 1.0, float("inf")).item() == 2.0


def test_half_precision_norm_is_taken_in_float32():
    p = with_grad([300.0, 400.0], ag.float16)  # their squares are too large for float16
    total = clip_grad_norm_(p, 5.0)
    assert total.dtype == ag.float32
    assert total.item() == 500.0
    assert p.grad.dtype == ag.float16
    np.testing.assert_allclose(p.grad.tolist(), [3.0, 4.0], rtol=1e-3)


def test_gradients_of_several_dtypes_and_devices():
    p, q = with_grad([3.0], ag.float32), with_grad([4.0], ag.float64)
    assert clip_grad_norm_([p, q], 1.0).item() == 5.0
    assert p.grad.dtype == ag.float32
    near, far = with_grad([3.0]), with_grad([4.0], device="strict:device1")
    assert clip_grad_norm_([near, far], 1.0).item() == 5.0
    np.testing.assert_allclose(far.grad.tolist(), [0.8], rtol=1e-6)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_error_if_nonfinite(bad):
    p = with_grad([1.0, bad])
    with pytest.raises(RuntimeError, match=f"the norm of the gradients is {bad}"):
        clip_grad_norm_(p, 1.0, error_if_nonfinite=True)
    assert p.grad.tolist()[0] == 1.0


def test_nan_spreads():
    p = with_grad([1.0, float("nan")])
    assert np.isnan(clip_grad_norm_(p, 1.0).item())
    assert np.isnan(p.grad.tolist()).all()


def test_complex_gradients():
    p = with_grad([3 + 4j], ag.complex128)
    assert clip_grad_norm_(p, 1.0).item() == 5.0
    np.testing.assert_allclose(p.grad.tolist(), [0.6 + 0.8j], rtol=1e-6)


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
def test_value(device):
    p, untouched = with_grad([-3.0, 0.5, 2.0], device=device), ag.zeros(1, requires_grad=True)
    grad = p.grad
    clip_grad_value_([p, untouched], 1)
    assert p.grad is grad
    assert grad.tolist() == [-1.0, 0.5, 1.0]
    clip_grad_value_(p, 0.25)
    assert grad.tolist() == [-0.25, 0.25, 0.25]


def test_a_change_is_noticed():
    p = with_grad([3.0, 4.0])
    before = p.grad.version[0]
    clip_grad_norm_(p, 1.0)
    clip_grad_value_(p, 0.1)
    assert p.grad.version[0] == before + 2


def test_bad_arguments():
    with pytest.raises(ValueError, match="norm_type must be above 0, not 0"):
        clip_grad_norm_([], 1.0, 0)
    with pytest.raises(ValueError, match="clip_value must be at least 0, not -1"):
        clip_grad_value_([], -1)
