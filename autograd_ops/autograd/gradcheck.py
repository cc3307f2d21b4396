"""Gradients held against finite differences.

Behind `gradcheck` stand functions of single rows and elements, which the teaching tools show one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..creation import tensor
from ..tensor import Tensor
from .core import grad

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A gradient that disagrees with finite differences."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` agree with central differences, for every output and every input element.

    A complex element is two real ones, its parts: so the check holds for functions that are not holomorphic too.

    Parameters
    ----------
    func
        A function of `inputs` that gives a Tensor or a sequence of them.
    inputs
        Its arguments. The float64 and complex128 Tensors that require grad are checked; the others stay as they are.
    eps
        The step of the differences.
    atol, rtol
        Agreement is ``|analytic - numeric| <= atol + rtol |numeric|``.
    raise_exception
        Raise instead of returning False.
    nondet_tol
        How far two runs of backward may be apart.
    check_undefined_grad, check_grad_dtypes, check_batched_grad, check_batched_forward_grad, check_forward_ad, \
check_backward_ad, fast_mode, masked
        Accepted for PyTorch's sake; every element is checked.

    Raises
    ------
    GradcheckError
        Naming the output, the input, the element and both values.
    ValueError
        If no input is checked, or one is neither float64 nor complex128: differences need its precision.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([0.5, -1.0], dtype=ag.float64, requires_grad=True)
    >>> ag.autograd.gradcheck(lambda x: (x**3).sum(), x)
    True
    """
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    checked = [i for i, x in enumerate(arguments) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError("gradcheck: no input requires grad, so there is nothing to check")
    for i in checked:
        if arguments[i].dtype.name not in ("float64", "complex128"):
            raise ValueError(f"gradcheck: input {i} is {arguments[i].dtype.name}; differences need float64")
    if not _differentiable_outputs(func(*arguments)):
        raise GradcheckError("gradcheck: no output requires grad")
    return _check(func, _differentiable_outputs, arguments, checked, eps, atol, rtol, raise_exception, nondet_tol)


def _check(
    func: Callable[..., Any],
    chosen: Callable[[Any], list[Tensor]],
    arguments: list[Any],
    checked: list[int],
    eps: float,
    atol: float,
    rtol: float,
    raise_exception: bool,
    nondet_tol: float,
) -> bool:
    """Whether the gradients of those outputs of `func` that `chosen` picks agree with central differences."""
    outputs = chosen(func(*arguments))
    analytic = [
        [jacobian_row(out, arguments[i], k) for k in range(real_count(out))] for out in outputs for i in checked
    ]
    numeric = central_differences(lambda *values: chosen(func(*values)), outputs, arguments, checked, eps)
    pairs = [(o, i) for o in range(len(outputs)) for i in checked]
    for (o, i), rows, differences in zip(pairs, analytic, numeric, strict=True):
        again = jacobian_row(outputs[o], arguments[i], 0) if rows else np.empty(0)
        if rows and not np.allclose(again, rows[0], atol=nondet_tol, rtol=0.0, equal_nan=True):
            if not raise_exception:
                return False
            raise GradcheckError(
                f"gradcheck: backward from output {o} to input {i} is not deterministic: two runs differ by up to "
                f"{np.max(np.abs(again - rows[0]))}, and nondet_tol is {nondet_tol}"
            )
        for k, row in enumerate(rows):
            bad = ~np.isclose(row, differences[k], atol=atol, rtol=rtol, equal_nan=True)
            if bad.any():
                if not raise_exception:
                    return False
                e = int(np.argmax(bad))
                raise GradcheckError(
                    f"gradcheck: d output {o} {place_of(outputs[o], k)} / d input {i} {place_of(arguments[i], e)} is "
                    f"{row[e]!r} by backward, {differences[k][e]!r} by central differences"
                )
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """`gradcheck` of the gradients of `func`, with respect to its inputs and to the gradients that arrive.

    Parameters
    ----------
    grad_outputs
        The gradients that arrive at the outputs; fixed irregular ones, if not given.

    Raises
    ------
    GradcheckError, ValueError
        As `gradcheck`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([0.5, -1.0], dtype=ag.float64, requires_grad=True)
    >>> ag.autograd.gradgradcheck(ag.exp, x)
    True
    """
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    checked = [i for i, x in enumerate(arguments) if isinstance(x, Tensor) and x.requires_grad]
    outputs = _differentiable_outputs(func(*arguments))
    if grad_outputs is None:
        grad_outputs = [irregular(out) for out in outputs]

    def gradients(*values: Any) -> list[Tensor]:
        results = _differentiable_outputs(func(*values[: len(arguments)]))
        found = grad(
            results,
            [values[i] for i in checked],
            values[len(arguments) :],
            create_graph=True,
            allow_unused=True,
        )
        return [g for g in found if g is not None]

    # A gradient that depends on nothing, such as that of sign, is a constant: its differences must be 0.
    every = [*arguments, *grad_outputs]
    checked_again = [i for i, x in enumerate(every) if isinstance(x, Tensor) and x.requires_grad]
    return _check(gradients, list, every, checked_again, eps, atol, rtol, raise_exception, nondet_tol)


def _differentiable_outputs(result: Any) -> list[Tensor]:
    outputs = [result] if isinstance(result, Tensor) else list(result)
    return [out for out in outputs if isinstance(out, Tensor) and out.requires_grad]


def irregular(out: Tensor) -> Tensor:
    """A fixed gradient without regularities for the shape of `out`, on its device."""
    values = joined(np.cos(1.7 * np.arange(real_count(out)) + 0.3), out)
    return tensor(values, dtype=out.dtype, device=out.device, requires_grad=True)


def real_count(x: Tensor) -> int:
    """The number of real numbers in `x`: two for each complex element."""
    return x.numel() * (2 if x.dtype.is_complex else 1)


def real_parts(x: Tensor) -> Any:
    """The real numbers in `x`, in a row."""
    host = x.detach()._host().reshape(-1)
    return np.stack([host.real, host.imag], -1).reshape(-1) if x.dtype.is_complex else host


def joined(parts: Any, x: Tensor) -> Any:
    """What `real_parts` took apart, in the shape of `x`."""
    return (parts[::2] + 1j * parts[1::2] if x.dtype.is_complex else parts).reshape(tuple(x.shape))


def place_of(x: Tensor, k: int) -> str:
    return f"[{k // 2}].{'imag' if k % 2 else 'real'}" if x.dtype.is_complex else f"[{k}]"


def jacobian_row(out: Tensor, x: Tensor, element: int) -> Any:
    """One row of the Jacobian: the derivative of a real number in `out` by all in `x`."""
    if not out.requires_grad:
        return np.zeros(real_count(x))
    seed = np.zeros(real_count(out))
    seed[element] = 1.0
    gradient = tensor(joined(seed, out), dtype=out.dtype, device=out.device)
    (found,) = grad(out, x, gradient, retain_graph=True, allow_unused=True)
    return np.zeros(real_count(x)) if found is None else real_parts(found)


def central_differences(
    func: Callable[..., list[Tensor]], outputs: list[Tensor], arguments: list[Any], checked: list[int], eps: float
) -> list[Any]:
    """For each of `outputs` and each checked input, the Jacobian by central differences."""

    def values(i: int, moved: Any) -> list[Any]:
        replaced = list(arguments)
        x = arguments[i]
        replaced[i] = tensor(joined(moved, x), dtype=x.dtype, device=x.device, requires_grad=True)
        return [real_parts(out).copy() for out in func(*replaced)]

    jacobians = []
    for i in checked:
        at = np.array(real_parts(arguments[i]), dtype=np.float64)
        by_output = [np.empty((real_count(out), at.size)) for out in outputs]
        for e in range(at.size):
            up, down = at.copy(), at.copy()
            up[e] += eps
            down[e] -= eps
            for jacobian, a, b in zip(by_output, values(i, up), values(i, down), strict=True):
                jacobian[:, e] = (a - b) / (2 * eps)
        jacobians.append(by_output)
    return [by_output[o] for o in range(len(outputs)) for by_output in jacobians]
