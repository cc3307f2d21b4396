"""Samples of reductions and scans."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Sample, distinct

M, CUBE, NUMBER = distinct((2, 3)), distinct((2, 2, 3), seed=1), distinct((), seed=2)
INTEGERS = np.array([[3, -1, 2], [0, 5, 2]])
BOOLS = np.array([[True, False, True], [True, True, True]])

#: Every way to name dimensions: all, one, several, none; kept and not.
WAYS: list[tuple[np.ndarray, Any, bool]] = [
    (M, None, False),
    (M, None, True),
    (M, (0,), False),
    (M, (1,), True),
    (M, (0, 1), False),
    (M, (0, 1), True),
    (CUBE, (0, 2), False),
    (CUBE, (0, 2), True),
    (CUBE, (1,), False),
    (NUMBER, None, False),
    (NUMBER, (), False),
    (distinct((1, 4), seed=3), (0,), False),
]


def over(reference: Any, ways: Any = WAYS) -> list[Sample]:
    """A sample for each of `ways`."""
    return [Sample(reference, *way) for way in ways]


def moments(reference: Any, ddof: float) -> list[Sample]:
    """Samples of a variance or deviation whose divisor is n - `ddof`, where that is positive."""
    samples = []
    for x, axis, keepdims in WAYS:
        n = x.size if axis is None else int(np.prod([x.shape[i] for i in axis]))
        if n > max(ddof, 1):
            samples.append(Sample(reference, x, axis, ddof, keepdims))
    return samples


def var(x: np.ndarray, axis: Any, ddof: float, keepdims: bool) -> Any:
    """NumPy's."""
    return np.var(x, axis, ddof=ddof, keepdims=keepdims)


def std(x: np.ndarray, axis: Any, ddof: float, keepdims: bool) -> Any:
    """NumPy's."""
    return np.std(x, axis, ddof=ddof, keepdims=keepdims)


def reducing(function: Any) -> Any:
    """A NumPy reduction with our order of arguments."""
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims)


def logsumexp(x: np.ndarray, axis: Any, keepdims: bool) -> Any:
    """By NumPy's pairwise logaddexp, which does not overflow."""
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def norm(x: np.ndarray, axis: Any, keepdims: bool) -> Any:
    """The root of the sum of squares."""
    return np.sqrt(np.sum(x**2, axis=axis, keepdims=keepdims))


def argsort(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """By Python's sort, which is stable in both directions."""
    out = np.empty(x.shape, np.int64)
    rows, order = np.moveaxis(x, axis, -1), np.moveaxis(out, axis, -1)
    for at in np.ndindex(rows.shape[:-1]):
        order[at] = sorted(range(rows.shape[-1]), key=lambda i, row=rows[at]: row[i], reverse=descending)
        if descending:  # reverse keeps equal elements in order as well
            assert list(order[at]) == sorted(range(rows.shape[-1]), key=lambda i, row=rows[at]: -float(row[i]))
    return out


def prod_others(x: np.ndarray, axis: tuple[int, ...]) -> np.ndarray:
    """The product without each element in turn."""
    out = np.empty_like(x)
    for at in np.ndindex(x.shape):
        one = x.copy()
        one[at] = 1.0
        out[at] = np.prod(one, axis=axis)[tuple(i for d, i in enumerate(at) if d not in axis)]
    return out


def one_axis(reference: Any) -> list[Sample]:
    """Samples of argmax and argmin: with ties, and over all."""
    ties = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0], [1.0, 0.0, 0.0]])
    return [
        Sample(reference, x, axis, keepdims)
        for x, axis, keepdims in [
            (M, None, False),
            (M, 0, False),
            (M, 1, True),
            (CUBE, 1, False),
            (ties, 1, False),
            (ties, 0, True),
            (ties, None, False),
            (NUMBER, None, False),
            (INTEGERS, 1, False),
        ]
    ]


NO_ELEMENTS = [(np.zeros((0, 3)), None, False), (np.zeros((0, 3)), (0,), True), (np.zeros((2, 0)), (1,), False)]
NOTHING_REDUCED = (np.zeros((0, 3)), (1,), False)
ZEROS = np.array([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0], [1.5, 2.0, -1.0]])
LARGE = np.array([[1000.0, 1001.0], [-1000.0, -1002.0]])

SAMPLES: dict[str, list[Sample]] = {
    "sum": over(reducing(np.sum), [*WAYS, *NO_ELEMENTS, (INTEGERS, (0,), False), (BOOLS, None, False)]),
    "mean": [
        *over(reducing(np.mean), [*WAYS, NOTHING_REDUCED]),
        Sample(reducing(np.mean), INTEGERS, (1,), False, dtype="float32"),
    ],
    "var": [
        *moments(var, 1.0),
        *moments(var, 0.0),
        *moments(var, 0.5)[:3],
        Sample(var, INTEGERS, (1,), 1.0, True, dtype="float32"),
    ],
    "std": [
        *moments(std, 1.0),
        *moments(std, 0.0),
        *moments(std, 0.5)[:3],
        Sample(std, INTEGERS, (1,), 1.0, True, dtype="float32"),
    ],
    "amax": over(reducing(np.max), [*WAYS, NOTHING_REDUCED, (INTEGERS, (1,), False)]),
    "amin": over(reducing(np.min), [*WAYS, NOTHING_REDUCED, (INTEGERS, (1,), False)]),
    "argmax": one_axis(reducing(np.argmax)),
    "argmin": one_axis(reducing(np.argmin)),
    "argsort": [
        Sample(argsort, x, axis, descending)
        for x in (CUBE, np.array([[2.0, 1.0, 2.0, 1.0, 2.0]]), np.array([[3, 1, 3], [0, 0, 1]]), BOOLS)
        for axis in (0, 1, -1)
        for descending in (False, True)
    ],
    "all": over(reducing(np.all), [(BOOLS, None, False), (BOOLS, (1,), True), (INTEGERS, (0,), False), *NO_ELEMENTS]),
    "any": over(reducing(np.any), [(BOOLS, None, False), (~BOOLS, (1,), True), (INTEGERS, (0,), False), *NO_ELEMENTS]),
    "logsumexp": [
        *over(logsumexp),
        *[Sample(logsumexp, LARGE, *way) for way in (((1,), False), (None, True))],
    ],
    "norm2": over(norm, [*WAYS, NOTHING_REDUCED]),
    "cumsum": [
        Sample(np.cumsum, x, axis)
        for x, axis in [
            (M, 0),
            (M, 1),
            (CUBE, 1),
            (CUBE, -1),
            (distinct((4,)), 0),
            (np.zeros((0, 3)), 0),
            (INTEGERS, 1),
        ]
    ],
    "cumprod": [
        Sample(np.cumprod, x, axis)
        for x, axis in [
            (M, 0),
            (M, 1),
            (CUBE, 1),
            (CUBE, -1),
            (distinct((7,)), 0),
            (distinct((1, 2)), 0),
            (ZEROS, 1),
            (ZEROS, 0),
            (np.zeros((0, 3)), 0),
            (np.zeros((2, 0)), 0),
            (INTEGERS, 1),
            (BOOLS, 0),
        ]
    ],
    "prod": over(
        reducing(np.prod),
        [*WAYS, *NO_ELEMENTS, (ZEROS, (1,), False), (ZEROS, None, False), (INTEGERS, (1,), False)],
    ),
    "prod_others": [
        Sample(prod_others, x, axis)
        for x, axis in [(M, (1,)), (M, (0,)), (M, (0, 1)), (CUBE, (0, 2)), (ZEROS, (1,)), (ZEROS, (0,)), (NUMBER, ())]
    ],
}
