"""Fourier transforms: torch.fft's names, arguments and errors. The ops beneath are tested with the others."""

from __future__ import annotations

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import ops
from autograd_ops.autograd import gradcheck, gradgradcheck

from .op_samples.base import distinct, distinct_complex

devices = pytest.mark.parametrize("device", ["cpu", "strict:device1"])

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
TWO = [f"{name}2" for name in ONE]
MANY = [f"{name}n" for name in ONE]


def signal(name: str, shape: tuple[int, ...], dtype: ag.DType = ag.float64, device: str = "cpu") -> ag.Tensor:
    """Real for the transforms of real numbers, else complex."""
    if name.startswith(("rfft", "ihfft")):
        return ag.tensor(distinct(shape), dtype=dtype, device=device, requires_grad=True)
    return ag.tensor(distinct_complex(shape), dtype=dtype.to_complex(), device=device, requires_grad=True)


def host(tensor: ag.Tensor) -> np.ndarray:
    return np.asarray(tensor.tolist())


@devices
@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize(("n", "dim", "norm"), [(None, -1, None), (3, 0, "ortho"), (5, 1, "forward")])
def test_transforms_of_one_dimension(name: str, n: int | None, dim: int, norm: str | None, device: str) -> None:
    x = signal(name, (2, 3, 2), device=device)
    want = getattr(np.fft, name)(host(x), n, dim, norm)
    np.testing.assert_allclose(host(getattr(ag.fft, name)(x, n, dim, norm)), want, atol=1e-13)


@devices
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
@pytest.mark.parametrize(("s", "dim", "norm"), [(None, (-2, -1), None), ((4, 3), (0, 2), "ortho")])
def test_transforms_of_several_dimensions(name: str, s: object, dim: object, norm: str | None, device: str) -> None:
    x = signal(name, (2, 3, 3), device=device)
    want = getattr(np.fft, f"{name}n")(host(x), s, dim, norm)
    np.testing.assert_allclose(host(getattr(ag.fft, f"{name}n")(x, s, dim, norm)), want, atol=1e-13)
    np.testing.assert_allclose(host(getattr(ag.fft, f"{name}2")(x, s, dim, norm)), want, atol=1e-13)


def test_hermitian_transforms_of_several_dimensions() -> None:
    z = signal("hfft", (3, 4))
    want = np.fft.hfft(np.fft.fft(host(z), axis=0), 5, axis=1)
    got = ag.fft.hfftn(z, (3, 5))
    np.testing.assert_allclose(host(got), want, atol=1e-12)
    np.testing.assert_allclose(host(ag.fft.hfft2(z, (3, 5))), want, atol=1e-12)
    back = ag.fft.ihfftn(got)
    np.testing.assert_allclose(host(ag.fft.hfft2(back, (3, 5))), want, atol=1e-12)


@pytest.mark.parametrize("name", [*ONE, *TWO, *MANY])
def test_derivatives(name: str) -> None:
    x = signal(name, (2, 3))
    assert gradcheck(getattr(ag.fft, name), x)
    assert gradgradcheck(getattr(ag.fft, name), x)


@devices
@pytest.mark.parametrize("name", ONE)
def test_dtypes(name: str, device: str) -> None:
    real = name in ("irfft", "hfft")
    for dtype in (ag.float32, ag.float64):
        x = signal(name, (4,), dtype, device)
        out = getattr(ag.fft, name)(x)
        assert out.dtype is (dtype if real else dtype.to_complex())
        (out.abs() ** 2).sum().backward()
        assert x.grad.dtype is x.dtype
    assert getattr(ag.fft, name)(ag.tensor([1, 2, 3], device=device)).dtype is (ag.float32 if real else ag.complex64)


@devices
def test_real_signals_get_real_gradients(device: str) -> None:
    x = ag.tensor([1.0, 2.0, 4.0], dtype=ag.float64, device=device, requires_grad=True)
    (ag.fft.fft(x).abs() ** 2).sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), [6, 12, 24])  # by Parseval: 3 |x|^2


@devices
def test_frequencies(device: str) -> None:
    for n in (1, 4, 5):
        np.testing.assert_allclose(ag.fft.fftfreq(n, 0.5, device=device).tolist(), np.fft.fftfreq(n, 0.5), rtol=1e-6)
        np.testing.assert_allclose(ag.fft.rfftfreq(n, device=device).tolist(), np.fft.rfftfreq(n), rtol=1e-6)
    freq = ag.fft.fftfreq(4, dtype=ag.float64, device=device, requires_grad=True)
    assert freq.dtype is ag.float64
    assert freq.is_leaf
    with pytest.raises(ValueError, match="fftfreq: n must be positive"):
        ag.fft.fftfreq(0)


@pytest.mark.parametrize("shape", [(4, 3), (5,)])
def test_shifts(shape: tuple[int, ...]) -> None:
    x = ag.tensor(distinct(shape))
    assert ag.fft.fftshift(x).tolist() == np.fft.fftshift(host(x)).tolist()
    assert ag.fft.fftshift(x, 0).tolist() == np.fft.fftshift(host(x), 0).tolist()
    assert ag.fft.ifftshift(x, (-1,)).tolist() == np.fft.ifftshift(host(x), (-1,)).tolist()
    assert ag.fft.ifftshift(ag.fft.fftshift(x)).tolist() == x.tolist()


def test_no_elements() -> None:
    assert tuple(ag.fft.fft(ag.zeros(0, 4)).shape) == (0, 4)
    assert tuple(ag.fft.irfft(ag.zeros(0, 3)).shape) == (0, 4)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda x: ag.fft.fft(x, norm="max"), ValueError, "norm must be 'backward', 'ortho' or 'forward', not 'max'"),
        (lambda x: ag.fft.hfft(x, norm="max"), ValueError, "hfftn: norm must be"),
        (lambda x: ag.fft.fft(x, 0), ValueError, "a signal has at least one element"),
        (lambda x: ag.fft.fft(ag.zeros(2, 0)), ValueError, "along dimension 1 it would have 0"),
        (lambda x: ag.fft.fft(ag.tensor(1.0)), ValueError, "fft: a 0-d tensor has no dimension to transform"),
        (lambda x: ag.fft.rfft(x), TypeError, "rfft: input must be real, and this is complex64; fft takes it"),
        (lambda x: ag.fft.ihfft2(x), TypeError, "ihfft2: input must be real, and this is complex64; ifft2 takes it"),
        (lambda x: ops.rfft(x), TypeError, "rfftn: x must be real"),
        (lambda x: ag.fft.fft(x, dim=2), IndexError, "fftn: dimension 2 is out of range"),
        (lambda x: ag.fft.fftn(x, dim=(0, -2)), ValueError, "fftn: dimension 0 is named twice"),
        (lambda x: ag.fft.fftn(x, (1, 2), (0,)), ValueError, "s gives 2 lengths for 1 dimensions"),
        (lambda x: ag.fft.fftn(x, (1, 2, 3)), ValueError, "s gives 3 lengths"),
        (lambda x: ag.fft.irfftn(x, dim=()), ValueError, "irfftn: there is no dimension to transform"),
    ],
)
def test_what_is_refused(call: object, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        call(ag.tensor([[1j, 2], [3, 4]]))  # type: ignore[operator]
