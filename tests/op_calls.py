"""Calling ops on samples: the arguments on a device, the results back on the host, gradients, comparisons."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import autograd_ops as ag
from autograd_backends import is_array, kernels
from autograd_ops import Tensor
from autograd_ops.registry import Op

from .op_samples import SAMPLES, Sample

__all__ = [
    "TOLERANCES",
    "arrays",
    "close",
    "dtype_under_test",
    "flat",
    "float_inputs",
    "gradients",
    "host",
    "leaves",
    "on_host",
    "outputs",
    "over",
    "reference",
    "rounded",
    "seeds",
    "tensors",
]

#: What may differ, relative and absolute, for operands of size about 1. In float64 and float32: some hundred units of
#: the last place, for a few dozen roundings whose errors a function such as log or 1 / x enlarges a few times. In
#: half precision, where sums are taken in float32: eight units, for a few roundings between the steps of an op.
TOLERANCES = {"float64": 1e-13, "float32": 2e-5, "float16": 8e-3, "bfloat16": 6.4e-2}


def over(ops: Iterable[Op], choose: Callable[[Op, Sample], Any] = lambda op, sample: True) -> Any:
    """Run a test of ``(op, sample, ...)`` for each of `ops` and of its samples that `choose` wants.

    It is one case an op, as pytest takes longer for a case than most samples take; what fails says which samples do.
    """
    found = [(op, [sample for sample in SAMPLES.get(op.name, ()) if choose(op, sample)]) for op in ops]
    chosen = [pytest.param(op, samples, id=op.name) for op, samples in found if samples]

    def decorated(check: Callable[..., None]) -> Any:
        @wraps(check)
        def test(op: Op, samples: Sequence[Sample], **others: Any) -> None:
            failed = []
            for sample in samples:
                try:
                    check(op=op, sample=sample, **others)
                except Exception as error:
                    error.add_note(f"{op.name} {sample.label()}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{op.name}: {len(failed)} of {len(samples)} samples", failed)

        signature = inspect.signature(check)
        own = [x.replace(name="samples") if x.name == "sample" else x for x in signature.parameters.values()]
        test.__dict__["__signature__"] = signature.replace(parameters=own)
        return pytest.mark.parametrize(("op", "samples"), chosen)(test)

    return decorated


def _each(function: Callable[[Any], Any], argument: Any) -> Any:
    return [function(a) for a in argument] if isinstance(argument, list) else function(argument)


def _on_device(value: Any, dtype: str, device: str) -> Any:
    """An array of the sample as a Tensor; anything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    return ag.tensor(value, dtype=dtype_under_test(value.dtype, dtype), device=device)


def dtype_under_test(native: np.dtype, dtype: str) -> str:
    """The dtype of a value that has the dtype `native` in float64: complex numbers have parts of `dtype`."""
    if native == np.complex128:
        return "complex64" if dtype == "float32" else "complex128"
    return dtype if native == np.float64 else native.name


def arrays(sample: Sample, dtype: str = "float64", device: str = "cpu") -> list[Any]:
    """The arguments of `sample` with a backend's arrays, whose floats are of `dtype`."""
    return [_each(lambda t: t.array if isinstance(t, Tensor) else t, a) for a in tensors(sample, dtype, device)]


def tensors(
    sample: Sample,
    dtype: str | Sequence[str] = "float64",
    device: str = "cpu",
    op: Op | None = None,
    inputs: Sequence[str] = (),
) -> list[Any]:
    """The arguments of `sample` with Tensors whose floats are of `dtype`, or of one dtype for each argument.

    Those of `op` that are called as in `inputs` require gradients.
    """
    count = len(sample.arguments)
    dtypes = [dtype] * count if isinstance(dtype, str) else dtype
    found = [_each(lambda a, d=d: _on_device(a, d, device), a) for a, d in zip(sample.arguments, dtypes, strict=True)]
    for name, argument in zip(argument_names(op) if op is not None else (), found, strict=False):
        if name in inputs:
            _each(lambda t: t.requires_grad_(), argument)
    return found


def argument_names(op: Op) -> tuple[str, ...]:
    """The names of the arguments of `op`, in order."""
    code = op.forward.__code__
    return code.co_varnames[: code.co_argcount]


def float_inputs(op: Op, sample: Sample) -> list[str]:
    """The inputs that have rules and are arrays of floats in `sample`."""
    named = dict(zip(argument_names(op), sample.arguments, strict=False))

    def is_floats(value: Any) -> bool:
        return isinstance(value, np.ndarray) and value.dtype in (np.float64, np.complex128)

    return [
        name
        for name in op.differentiable
        if is_floats(named.get(name)) or (isinstance(named.get(name), list) and all(map(is_floats, named[name])))
    ]


def flat(arguments: Sequence[Any]) -> list[Any]:
    """The arguments with those that are lists spread out."""
    return [x for a in arguments for x in (a if isinstance(a, list) else [a])]


def leaves(arguments: Sequence[Any]) -> list[Tensor]:
    """The Tensors among the arguments that require gradients."""
    return [t for t in flat(arguments) if isinstance(t, Tensor) and t.requires_grad]


def outputs(result: Any) -> list[Any]:
    """The outputs of an op, without those that are None."""
    return [result] if isinstance(result, Tensor) or is_array(result) else [out for out in result if out is not None]


def seeds(result: Any) -> tuple[list[Tensor], list[Tensor]]:
    """The outputs that carry gradients, and an irregular gradient for each."""
    # By its place among all outputs: which of them carry gradients may depend on which inputs need one.
    numbered = [(k, out) for k, out in enumerate(outputs(result)) if out.requires_grad]
    values = [_irregular(out, 1.3, k).reshape(tuple(out.shape)) for k, out in numbered]
    carrying = [out for _, out in numbered]
    given = [ag.tensor(v, dtype=out.dtype, device=out.device) for v, out in zip(values, carrying, strict=True)]
    return carrying, given


def _irregular(out: Tensor, step: float, start: int) -> np.ndarray:
    waves = np.cos(step * np.arange(out.numel()) + start)
    return waves + 1j * np.sin(1 + step * np.arange(out.numel())) if out.dtype.is_complex else waves


def gradients(op: Op, arguments: Sequence[Any]) -> list[Tensor]:
    """The gradients of all arguments that require one, for irregular gradients of the outputs."""
    carrying, given = seeds(op.function(*arguments))
    return list(ag.autograd.grad(carrying, leaves(arguments), given, materialize_grads=True))


def host(value: Any) -> np.ndarray:
    """A Tensor's or an array's elements as a NumPy array."""
    array = value.array if isinstance(value, Tensor) else value
    return kernels(array).to_host(array)


def on_host(values: Sequence[Any]) -> list[np.ndarray]:
    """`host` of each."""
    return [host(value) for value in values]


def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's dtype of that name, or ml_dtypes'."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def rounded(sample: Sample, dtype: str) -> Sample:
    """The same sample with float64 inputs that are numbers of `dtype`."""

    def through(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        return value.astype(numpy_dtype(dtype_under_test(value.dtype, dtype))).astype(value.dtype)

    return Sample(sample.reference, *[_each(through, a) for a in sample.arguments])


def reference(sample: Sample, dtype: str = "float64") -> list[np.ndarray]:
    """What `sample` says the outputs are, for inputs rounded to `dtype`."""
    result = sample.reference(*rounded(sample, dtype).arguments)
    many = isinstance(result, tuple)
    return [np.asarray(out) for out in result if out is not None] if many else [np.asarray(result)]


def close(got: Any, want: Any, dtype: str | None = None) -> None:
    """Check the shape of `got`, and its values against `want` to the precision of its dtype, or of `dtype`."""
    got = host(got)
    assert got.shape == np.shape(want)
    if got.dtype.name == "bfloat16":
        # A sum is off by the rounding of its largest term, which with so few digits is easily more than what remains.
        largest = np.max(np.abs(want), initial=1.0, where=np.isfinite(want))
        tolerance = TOLERANCES["bfloat16"]
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=tolerance, atol=tolerance * largest)
    elif got.dtype.kind in "fc":
        tolerance = TOLERANCES[dtype or got.real.dtype.name]
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(got, want)
