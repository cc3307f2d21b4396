"""Kernels of special functions: every digit, at numbers that each branch has to deal with.

The values are those of mpmath 1.3 at 50 digits, rounded to float64.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from autograd_backends import get_backend

VALUES: dict[str, dict[float, float]] = {
    "erfc": {
        -5.0: 1.9999999999984626,
        -0.5: 1.5204998778130465,
        1e-20: 1.0,
        0.3: 0.6713732405408726,
        0.47: 0.5062549491139179,
        1.0: 0.15729920705028513,
        4.0: 1.541725790028002e-08,
        4.5: 1.9661604415428876e-10,
        12.0: 1.3562611692059042e-64,
        26.5: 2.2109076642637343e-307,
    },
    "erfcx": {
        -26.5: 1.924553162418569e305,
        -3.0: 16205.988853999586,
        -0.2: 1.2726020284831958,
        0.3: 0.7345993345676551,
        0.5: 0.6156903441929259,
        4.0: 0.13699945762506138,
        30.0: 0.01879588886141675,
        10000000000.0: 5.641895835477563e-11,
    },
    "lgamma": {
        1e-300: 690.7755278982137,
        0.01: 4.599479878042022,
        0.5: 0.5723649429247001,
        0.999: 0.0005780385328913802,
        1.0000001: -5.772155829918507e-08,
        1.5: -0.12078223763524522,
        1.9999999: -4.2278430309861296e-08,
        2.5: 0.2846828704729192,
        8.9: 10.391128627481786,
        9.1: 10.819252325110433,
        100.5: 361.4355404677776,
        10000000000.0: 220258509288.81058,
        1e300: 6.897755278982137e302,
        -0.5: 1.2655121234846454,
        -1e-10: 23.025850929998178,
        -3.7: -1.3797399049658245,
        -20.25: -41.60096191534053,
    },
    "digamma": {
        1e-10: -10000000000.577215,
        0.1: -10.423754940411076,
        0.5: -1.9635100260214235,
        1.0: -0.5772156649015329,
        3.3: 1.0348224890596216,
        9.0: 2.14064147795561,
        100000.0: 11.512920464961896,
        1e200: 460.51701859880916,
        -0.5: 0.03648997397857652,
        -3.7: -0.8450768588704194,
        -20.25: 6.174235633614484,
    },
    "i0": {
        0.0: 1.0,
        1e-05: 1.000000000025,
        -1.5: 1.646723189772891,
        10.0: 2815.7166284662544,
        19.9: 39513376.52006682,
        20.1: 48017874.1071365,
        100.0: 1.0737517071310738e42,
        713.0: 6.705128263670996e307,
    },
    "i1": {
        0.0: 0.0,
        1e-05: 5.0000000000625004e-06,
        -1.5: -0.9816664285779075,
        10.0: 2670.9883037012546,
        19.9: 38507423.87486228,
        20.1: 46807739.533029884,
        100.0: 1.0683693903381625e42,
        713.0: 6.700424559186402e307,
    },
    "i0e": {
        0.0: 1.0,
        -1.5: 0.36743360905415834,
        19.9: 0.0900085888643896,
        20.1: 0.08955376362061344,
        100000.0: 0.0012615678379767768,
    },
    "i1e": {
        0.0: 0.0,
        -1.5: -0.21903938742092569,
        19.9: 0.0877171021317061,
        20.1: 0.08729685184320159,
        100000.0: 0.0012615615301218171,
    },
    "erfinv": {
        0.0: 0.0,
        1e-15: 8.862269254527581e-16,
        -0.3: -0.2724627147267543,
        0.5: 0.4769362762044699,
        -0.9: -1.1630871536766743,
        0.999: 2.3267537655135246,
        0.9999999999: 4.572824958544925,
    },
    "ndtri": {
        1e-300: -37.0470962993612,
        1e-12: -7.034483825301132,
        0.02: -2.053748910631823,
        0.3: -0.5244005127080408,
        0.9: 1.2815515655446006,
    },
}
ZETA: dict[tuple[float, float], float] = {
    (1.1, 0.5): 12.103813495683747,
    (2.0, 1.0): 1.6449340668482264,
    (2.0, 1e-05): 10000000001.644909,
    (3.0, 12.5): 0.0034662182928941205,
    (7.5, 2.0): 0.005826727536522807,
    (30.0, 3.3): 2.7844322024735947e-16,
    (2.0, -0.5): 8.934802200544679,
    (3.0, -2.75): 62.05882652985759,
    (2.0, -20.3): 15.03134603262623,
}
#: Between the poles below 0 the terms of these two cancel, and so the last digits are those of numbers of size 1.
OF_SIZE_ONE = ("digamma", "lgamma")
INF, NAN = math.inf, math.nan


@pytest.fixture(params=["cpu", "strict:device1"])
def backend(request: pytest.FixtureRequest) -> Any:
    return get_backend(request.param)


def values(backend: Any, name: str, *arguments: Any) -> np.ndarray:
    """The kernel `name` of arrays of `arguments`."""
    given = [a if isinstance(a, float) else backend.xp.asarray(a, dtype=backend.xp.float64) for a in arguments]
    return np.asarray(backend.to_host(getattr(backend, name)(*given)))


@pytest.mark.parametrize("name", VALUES)
def test_every_digit(name: str, backend: Any) -> None:
    x, want = np.array(list(VALUES[name])), np.array(list(VALUES[name].values()))
    size = np.where((x < 0) & (name in OF_SIZE_ONE), np.maximum(np.abs(want), 1.0), np.abs(want))
    # A few units of the last place, for the roundings of each formula.
    assert np.all(np.abs(values(backend, name, x.tolist()) - want) <= 6 * np.spacing(size))


def test_zeta(backend: Any) -> None:
    want = np.array(list(ZETA.values()))
    got = values(backend, "zeta", [s for s, _ in ZETA], [q for _, q in ZETA])
    assert np.all(np.abs(got - want) <= 8 * np.spacing(np.abs(want)))


def test_lgamma_is_that_of_python(backend: Any) -> None:
    x = [*np.linspace(0.05, 30, 400), *np.linspace(-9.97, -0.01, 167)]
    want = np.array([math.lgamma(one) for one in x])
    np.testing.assert_allclose(values(backend, "lgamma", x), want, rtol=4e-15, atol=4e-15)


@pytest.mark.parametrize(
    ("name", "x", "want"),
    [
        ("erfc", [INF, -INF, NAN, 30.0], [0, 2, NAN, 0]),
        ("erfcx", [INF, -INF, NAN, -27.0], [0, INF, NAN, INF]),
        ("erfinv", [1.0, -1.0, 1.5, NAN], [INF, -INF, NAN, NAN]),
        ("ndtri", [0.0, 1.0, -0.5, NAN], [-INF, INF, NAN, NAN]),
        ("lgamma", [0.0, -2.0, INF, -INF, NAN, 1e308, 1.0, 2.0], [INF, INF, INF, INF, NAN, INF, 0, 0]),
        ("digamma", [0.0, -0.0, -2.0, INF, NAN], [-INF, INF, NAN, INF, NAN]),
        ("i0", [INF, -INF, NAN, 714.0], [INF, INF, NAN, INF]),
        ("i1", [INF, -INF, NAN, -714.0], [INF, -INF, NAN, -INF]),
        ("i0e", [INF, -INF, NAN], [0, 0, NAN]),
        ("i1e", [INF, -INF, NAN], [0, 0, NAN]),
    ],
)
def test_where_there_are_no_digits(name: str, x: list[float], want: list[float], backend: Any) -> None:
    np.testing.assert_array_equal(values(backend, name, x), want)


def test_zeta_where_there_are_no_digits(backend: Any) -> None:
    s, q = [1.0, 0.5, 2.0, 2.0, 2.0, 2.5, NAN], [1.0, 1.0, 0.0, -3.0, INF, -0.5, 1.0]
    np.testing.assert_array_equal(values(backend, "zeta", s, q), [INF, NAN, INF, INF, 0, NAN, NAN])


@pytest.mark.parametrize("name", VALUES)
def test_float32_is_exact_to_half_a_unit(name: str, backend: Any) -> None:
    xp = backend.xp
    x = xp.asarray([0.125, 0.25, 0.375, 0.625], dtype=xp.float32)
    got = getattr(backend, name)(x)
    wide = getattr(backend, name)(xp.astype(x, xp.float64))
    assert got.dtype == xp.float32
    np.testing.assert_array_equal(backend.to_host(got), backend.to_host(wide).astype(np.float32))
