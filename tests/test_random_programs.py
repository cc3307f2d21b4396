"""Random programs of views, changes in place and backward, against the same programs in NumPy.

A program is a list of steps. Each kind of step is given twice: on Tensors, and on NumPy arrays, whose views share
memory too. The values must agree after every step, and the gradients with central differences of the NumPy program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.tape import TapeError

#: What a step is given: what it works on, the vector w, and two numbers.
Action = Callable[[Any, Any, int, int], Any]


def _diagonal(a: np.ndarray, *_: Any) -> np.ndarray:
    """A writable diagonal; NumPy's own is not."""
    return np.lib.stride_tricks.as_strided(a, (min(a.shape),), (sum(a.strides),))


def _write(change: Callable[[np.ndarray, Any, int, int], Any]) -> Action:
    """In NumPy: what `change` computes, written to the array."""

    def action(a: np.ndarray, w: np.ndarray, i: int, j: int) -> None:
        a[...] = change(a.copy(), w, i, j)

    return action


def _set(key: Any) -> Action:
    def action(t: Any, w: Any, i: int, j: int) -> None:
        t[key] = w[i] * 2.0

    return action


def _set_ends(t: Any, w: Any, i: int, j: int) -> None:
    # What a place that is set twice gives as gradient is nobody's promise.
    t[[0, -1] if t.shape[0] > 1 else [0]] = w[i] * 2.0


#: Steps that give a view, or a new value: the least number of dimensions, on Tensors, on arrays.
MAKING: dict[str, tuple[int, Action, Action]] = {
    "row": (1, lambda t, w, i, j: t[j % t.shape[0]], lambda a, w, i, j: a[j % a.shape[0], ...]),
    "from the second": (1, lambda t, w, i, j: t[-2:], lambda a, w, i, j: a[-2:]),
    "every other": (1, lambda t, w, i, j: t[..., ::2], lambda a, w, i, j: a[..., ::2]),
    "flat": (0, lambda t, w, i, j: t.reshape(-1), lambda a, w, i, j: a.reshape(-1)),
    "transpose": (2, lambda t, w, i, j: t.transpose(0, -1), lambda a, w, i, j: np.swapaxes(a, 0, -1)),
    "new dimension": (0, lambda t, w, i, j: t.unsqueeze(0), lambda a, w, i, j: a[None]),
    "diagonal": (
        2,
        lambda t, w, i, j: t.diagonal() if t.ndim == 2 else t[0],
        lambda a, *r: _diagonal(a) if a.ndim == 2 else a[0],
    ),
    "part": (1, lambda t, w, i, j: t.chunk(2)[-1], lambda a, w, i, j: a[-(-len(a) // 2) if len(a) > 1 else 0 :]),
    "rows by number": (1, lambda t, w, i, j: t[[0, -1, 0]], lambda a, w, i, j: a[[0, -1, 0]]),
    "times": (0, lambda t, w, i, j: t * w[i], lambda a, w, i, j: np.asarray(a * w[i])),
    "sine": (0, lambda t, w, i, j: t.sin(), lambda a, w, i, j: np.asarray(np.sin(a))),
}

#: Steps that change what they work on.
CHANGING: dict[str, tuple[int, Action, Action]] = {
    "mul_": (0, lambda t, w, i, j: t.mul_(j + 0.5), _write(lambda a, w, i, j: a * (j + 0.5))),
    "mul_ by w": (0, lambda t, w, i, j: t.mul_(w[i]), _write(lambda a, w, i, j: a * w[i])),
    "add_": (0, lambda t, w, i, j: t.add_(w[i] * w[j]), _write(lambda a, w, i, j: a + w[i] * w[j])),
    "tanh_": (0, lambda t, w, i, j: t.tanh_(), _write(lambda a, w, i, j: np.tanh(a))),
    "lerp_": (0, lambda t, w, i, j: t.lerp_(t * w[i], 0.25), _write(lambda a, w, i, j: a + 0.25 * (a * w[i] - a))),
    "square_": (0, lambda t, w, i, j: t.mul_(t), _write(lambda a, w, i, j: a * a)),
    "less the first": (1, lambda t, w, i, j: t.sub_(t[..., :1]), _write(lambda a, w, i, j: a - a[..., :1])),
    "zero_": (0, lambda t, w, i, j: t.zero_(), _write(lambda a, w, i, j: 0.0)),
    "fill_": (0, lambda t, w, i, j: t.fill_(w[i]), _write(lambda a, w, i, j: w[i])),
    "copy_": (0, lambda t, w, i, j: t.copy_(w[i : i + 1]), _write(lambda a, w, i, j: w[i])),
    "set row": (1, _set(0), _set(0)),
    "set rows": (1, _set_ends, _set_ends),
    "set the rest": (1, _set(slice(1, None)), _set(slice(1, None))),
}

#: Steps after which a Tensor shows its memory in another shape.
RESHAPING: dict[str, tuple[int, Action, Action]] = {
    "transpose_": (2, lambda t, w, i, j: t.transpose_(0, 1), lambda a, w, i, j: np.swapaxes(a, 0, 1)),
    "unsqueeze_": (0, lambda t, w, i, j: t.unsqueeze_(-1), lambda a, w, i, j: a[..., None]),
}

ALL = {**MAKING, **CHANGING, **RESHAPING}


def _steps(seed: int) -> list[tuple[str, int, int, int]]:
    rng = np.random.default_rng(seed)
    names = rng.choice([*MAKING, *CHANGING, *CHANGING, *RESHAPING], rng.integers(4, 11))
    return [(str(name), *map(int, rng.integers(0, 3, 3))) for name in names]


def _run(steps: Any, on_arrays: bool, x: Any, w: Any) -> list[Any]:
    """Everything that the program made, in the end."""
    made = [x * 1.0]
    for name, of, i, j in steps:
        at = of % len(made)
        least, *actions = ALL[name]
        if len(made[at].shape) < least or len(made[at].shape) > 4:
            continue
        result = actions[on_arrays](made[at], w, i, j)
        if name in MAKING:
            made.append(result)
        elif name in RESHAPING and on_arrays:
            made[at] = result
    return made


def _loss(made: list[Any]) -> Any:
    return sum((i + 1.0) * (t * t).sum() for i, t in enumerate(made))


def _differences(steps: Any, arguments: list[np.ndarray], which: int, eps: float = 1e-6) -> np.ndarray:
    gradient = np.zeros_like(arguments[which])
    for at in np.ndindex(gradient.shape):
        ends = []
        for step in (eps, -eps):
            moved = [a.copy() for a in arguments]
            moved[which][at] += step
            ends.append(_loss(_run(steps, True, *moved)))
        gradient[at] = (ends[0] - ends[1]) / (2 * eps)
    return gradient


def _check(seed: int) -> bool:
    """Whether the program of `seed` could be differentiated; everything it gave was right."""
    steps = _steps(seed)
    rng = np.random.default_rng(seed + 10**6)
    arguments = [rng.uniform(-1.0, 1.0, (3, 3)), rng.uniform(0.5, 1.5, 3)]
    leaves = [ag.tensor(a, requires_grad=True) for a in arguments]
    made = _run(steps, False, *leaves)
    for got, want in zip(made, _run(steps, True, *arguments), strict=True):
        np.testing.assert_allclose(got.tolist(), want.tolist(), rtol=1e-12, atol=1e-12, err_msg=str(steps))
        assert not got.is_leaf
    try:
        _loss(made).backward()
    except TapeError as error:
        assert "has since changed it in place" in str(error)  # noqa: PT017
        return False
    for which, tensor in enumerate(leaves):
        got = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy()
        want = _differences(steps, arguments, which)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * max(1.0, np.abs(want).max()), err_msg=str(steps))
    return True


@pytest.mark.parametrize("start", range(0, 160, 20))
def test_random_programs_have_the_values_and_gradients_of_numpy_or_are_refused(start: int) -> None:
    # Of twenty about half need, in backward, something that they have changed.
    assert sum(_check(seed) for seed in range(start, start + 20)) >= 3
