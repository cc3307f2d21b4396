"""Functions that few programs use, against numbers from PyTorch 2.13 in float64."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import autograd_ops as ag
from autograd_ops.autograd import gradcheck, gradgradcheck

from .test_functions import check

NAN, INF = float("nan"), float("inf")
Cases = dict[str, tuple[Callable[[Any], Any], Any]]

FLOATS = {
    "m": [[1.5, -2.0, 0.5], [3.0, 1.0, -1.0]],
    "v": [0.5, -1.5, 2.0],
    "p": [[0.5, 1.5, 2.5], [0.25, 4.0, 1.0]],
    "u": [0.1, 0.5, 0.9],
    "s": [-1.0, 0.0, 1.0, 2.5],
    "sq": [[1.0, 2.0], [3.0, 5.0]],
    "c": [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]]],
    "ties": [[2.0, 1.0, 2.0], [3.0, 3.0, 3.0]],
    "far": [INF, -INF, 1.0],
    "nans": [[1.0, NAN, 3.0], [2.0, 5.0, 4.0]],
}
OTHERS = {
    "i": [[3, 1, 2], [0, -5, 7]],
    "k": [2, 0, 2],
    "r": [[0, 1, 0], [1, 1, 1]],
    "b": [[True, False, True], [False, False, True]],
}


def on_device(device: str) -> Any:
    """The Tensors that the cases name."""
    made = {name: ag.tensor(data, dtype=ag.float64, device=device) for name, data in FLOATS.items()}
    return SimpleNamespace(**made, **{name: ag.tensor(data, device=device) for name, data in OTHERS.items()})


SPECIAL: Cases = {
    "exp2(v)": (lambda t: ag.exp2(t.v), [1.4142135623731, 0.353553390593274, 4.0]),
    "erfc(v)": (lambda t: ag.erfc(t.v), [0.479500122186953, 1.96610514647531, 0.00467773498104727]),
    "erfinv(u)": (lambda t: ag.erfinv(t.u), [0.0888559904942577, 0.47693627620447, 1.16308715367667]),
    "lgamma(p)": (
        lambda t: ag.lgamma(t.p),
        [[0.5723649429247, -0.120782237635245, 0.284682870472919], [1.28802252469808, 1.79175946922805, 0.0]],
    ),
    "digamma(p)": (
        lambda t: ag.digamma(t.p),
        [
            [-1.96351002602142, 0.0364899739785762, 0.703156640645243],
            [-4.22745353337627, 1.2561176684318, -0.577215664901533],
        ],
    ),
    "polygamma(2, p)": (
        lambda t: ag.polygamma(2, t.p),
        [
            [-16.8287966442343, -0.82879664423432, -0.236204051641727],
            [-129.327739937537, -0.0800397322451145, -2.40411380631919],
        ],
    ),
    "mvlgamma(p + 1, 2)": (
        lambda t: ag.mvlgamma(t.p + 1, 2),
        [
            [0.451582705289455, 0.857047813397619, 2.46648572583172],
            [0.677374057934182, 6.20415534411509, 0.451582705289455],
        ],
    ),
    "sinc(v)": (lambda t: ag.sinc(t.v), [0.636619772367581, -0.212206590789194, -3.89817183251938e-17]),
    "logit(u)": (lambda t: ag.logit(t.u), [-2.19722457733622, 0.0, 2.19722457733622]),
    "logit(u, eps=0.2)": (lambda t: ag.logit(t.u, eps=0.2), [-1.38629436111989, 0.0, 1.38629436111989]),
    "i0(v)": (lambda t: ag.i0(t.v), [1.06348337074132, 1.64672318977289, 2.27958530233607]),
    "xlogy(v, p)": (
        lambda t: ag.xlogy(t.v, t.p),
        [[-0.346573590279973, -0.608197662162247, 1.83258146374831], [-0.693147180559945, -2.07944154167984, 0.0]],
    ),
    "xlogy(2, p)": (
        lambda t: ag.xlogy(2, t.p),
        [[-1.38629436111989, 0.810930216216329, 1.83258146374831], [-2.77258872223978, 2.77258872223978, 0.0]],
    ),
    "logaddexp2(m, p)": (
        lambda t: ag.logaddexp2(t.m, t.p),
        [
            [2.08496250072116, 1.62219341620227, 2.82192809488736],
            [3.19994038484379, 4.16992500144231, 1.32192809488736],
        ],
    ),
    "special.xlog1py(v, p)": (
        lambda t: ag.special.xlog1py(t.v, t.p),
        [
            [0.202732554054082, -1.37443609781123, 2.50552593699074],
            [0.111571775657105, -2.41415686865115, 1.38629436111989],
        ],
    ),
    "special.entr(p)": (
        lambda t: ag.special.entr(t.p),
        [[0.346573590279973, -0.608197662162247, -2.29072682968539], [0.346573590279973, -5.54517744447956, -0.0]],
    ),
    "special.ndtr(v)": (lambda t: ag.special.ndtr(t.v), [0.691462461274013, 0.066807201268858, 0.977249868051821]),
    "special.ndtri(u)": (lambda t: ag.special.ndtri(t.u), [-1.2815515655446, 0.0, 1.2815515655446]),
    "special.log_ndtr(v * 10)": (
        lambda t: ag.special.log_ndtr(t.v * 10),
        [-2.86651612963763e-07, -116.131384845712, -2.75362411860619e-89],
    ),
    "special.zeta(r + 2, p)": (
        lambda t: ag.special.zeta(t.r + 2, t.p),
        [
            [4.93480220054468, 0.41439832211716, 0.490357756100235],
            [64.6638699687684, 0.0400198661225573, 1.20205690315959],
        ],
    ),
    "special.i1(v)": (lambda t: ag.special.i1(t.v), [0.257894305390896, -0.981666428577908, 1.59063685463733]),
    "special.i0e(v)": (lambda t: ag.special.i0e(t.v), [0.64503527044915, 0.367433609054158, 0.308508322553671]),
    "special.i1e(v)": (lambda t: ag.special.i1e(t.v), [0.156420803184872, -0.219039387420926, 0.215269289248938]),
    "special.erfcx(v)": (lambda t: ag.special.erfcx(t.v), [0.615690344192926, 18.6538862562627, 0.255395676310506]),
}

ELEMENTARY: Cases = {
    "fmod(m, p)": (lambda t: ag.fmod(t.m, t.p), [[0.0, -0.5, 0.5], [0.0, 1.0, -0.0]]),
    "fmod(i, 2)": (lambda t: ag.fmod(t.i, 2), [[1, 1, 0], [0, -1, 1]]),
    "fmax(nans, m)": (lambda t: ag.fmax(t.nans, t.m), [[1.5, -2.0, 3.0], [3.0, 5.0, 4.0]]),
    "fmin(nans, m)": (lambda t: ag.fmin(t.nans, t.m), [[1.0, -2.0, 0.5], [2.0, 1.0, -1.0]]),
    "frac(m)": (lambda t: ag.frac(t.m), [[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]]),
    "deg2rad(m)": (
        lambda t: ag.deg2rad(t.m),
        [
            [0.0261799387799149, -0.0349065850398866, 0.00872664625997165],
            [0.0523598775598299, 0.0174532925199433, -0.0174532925199433],
        ],
    ),
    "rad2deg(m)": (
        lambda t: ag.rad2deg(t.m),
        [
            [85.9436692696235, -114.591559026165, 28.6478897565412],
            [171.887338539247, 57.2957795130823, -57.2957795130823],
        ],
    ),
    "float_power(p, 2)": (lambda t: ag.float_power(t.p, 2), [[0.25, 2.25, 6.25], [0.0625, 16.0, 1.0]]),
    "ldexp(m, k)": (lambda t: ag.ldexp(t.m, t.k), [[6.0, -2.0, 2.0], [12.0, 1.0, -4.0]]),
    "rsub(m, p, alpha=2)": (lambda t: ag.rsub(t.m, t.p, alpha=2), [[-2.5, 5.5, 1.5], [-5.75, 2.0, 3.0]]),
    "addcmul(m, m, p, value=0.5)": (
        lambda t: ag.addcmul(t.m, t.m, t.p, value=0.5),
        [[1.875, -3.5, 1.125], [3.375, 3.0, -1.5]],
    ),
    "addcdiv(m, m, p, value=0.5)": (
        lambda t: ag.addcdiv(t.m, t.m, t.p, value=0.5),
        [[3.0, -2.66666666666667, 0.6], [9.0, 1.125, -1.5]],
    ),
    "heaviside(s, s + 5)": (lambda t: ag.heaviside(t.s, t.s + 5), [0.0, 5.0, 1.0, 1.0]),
    "nan_to_num(nans, nan=9.0)": (lambda t: ag.nan_to_num(t.nans, nan=9.0), [[1.0, 9.0, 3.0], [2.0, 5.0, 4.0]]),
    "isposinf(far)": (lambda t: ag.isposinf(t.far), [True, False, False]),
    "isneginf(far)": (lambda t: ag.isneginf(t.far), [False, True, False]),
    "nan_to_num(far, posinf=2.0, neginf=3.0)": (
        lambda t: ag.nan_to_num(t.far, posinf=2.0, neginf=3.0),
        [2.0, 3.0, 1.0],
    ),
    "gcd(i, i + 3)": (lambda t: ag.gcd(t.i, t.i + 3), [[3, 1, 1], [3, 1, 1]]),
    "lcm(i, i + 3)": (lambda t: ag.lcm(t.i, t.i + 3), [[6, 4, 10], [0, 10, 70]]),
    "bitwise_left_shift(i, 2)": (lambda t: ag.bitwise_left_shift(t.i, 2), [[12, 4, 8], [0, -20, 28]]),
    "bitwise_not(i)": (lambda t: ag.bitwise_not(t.i), [[-4, -2, -3], [-1, 4, -8]]),
    "hypot(m, p)": (
        lambda t: ag.hypot(t.m, t.p),
        [[1.58113883008419, 2.5, 2.54950975679639], [3.01039864469807, 4.12310562561766, 1.4142135623731]],
    ),
    "copysign(m, p)": (lambda t: ag.copysign(t.m, t.p), [[1.5, 2.0, 0.5], [3.0, 1.0, 1.0]]),
    "signbit(m)": (lambda t: ag.signbit(t.m), [[False, True, False], [False, False, True]]),
    "clamp_min(m, 0.0)": (lambda t: ag.clamp_min(t.m, 0.0), [[1.5, 0.0, 0.5], [3.0, 1.0, 0.0]]),
    "clamp_max(m, v)": (lambda t: ag.clamp_max(t.m, t.v), [[0.5, -2.0, 0.5], [0.5, -1.5, -1.0]]),
    "fill(m, 2.0)": (lambda t: ag.fill(t.m, 2.0), [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]),
}

STATISTICS: Cases = {
    "median(m)": (lambda t: ag.median(t.m), 0.5),
    "median(m, 1)": (lambda t: ag.median(t.m, 1), ([0.5, 1.0], [2, 1])),
    "median(nans, 1, keepdim=True)": (lambda t: ag.median(t.nans, 1, keepdim=True), ([[NAN], [4.0]], [[1], [2]])),
    "nanmedian(nans)": (lambda t: ag.nanmedian(t.nans), 3.0),
    "nanmedian(nans, 0)": (lambda t: ag.nanmedian(t.nans, 0), ([1.0, 5.0, 3.0], [0, 1, 0])),
    "kthvalue(m, 2)": (lambda t: ag.kthvalue(t.m, 2), ([0.5, 1.0], [2, 1])),
    "kthvalue(m, 1, 0, keepdim=True)": (
        lambda t: ag.kthvalue(t.m, 1, 0, keepdim=True),
        ([[1.5, -2.0, -1.0]], [[0, 0, 1]]),
    ),
    "mode(ties)": (lambda t: ag.mode(t.ties), ([2.0, 3.0], [2, 2])),
    "mode(i, 0)": (lambda t: ag.mode(t.i, 0), ([0, -5, 2], [1, 1, 0])),
    "quantile(m, 0.3)": (lambda t: ag.quantile(t.m, 0.3), -0.25),
    "quantile(m, u, dim=1)": (lambda t: ag.quantile(t.m, t.u, dim=1), [[-1.5, -0.6], [0.5, 1.0], [1.3, 2.6]]),
    "quantile(m, 0.3, dim=0, keepdim=True)": (
        lambda t: ag.quantile(t.m, 0.3, dim=0, keepdim=True),
        [[1.95, -1.1, -0.55]],
    ),
    "quantile(nans, 0.5, dim=1)": (lambda t: ag.quantile(t.nans, 0.5, dim=1), [NAN, 4.0]),
    "quantile(m, 0.7, dim=1, interpolation='lower')": (
        lambda t: ag.quantile(t.m, 0.7, dim=1, interpolation="lower"),
        [0.5, 1.0],
    ),
    "quantile(m, 0.7, dim=1, interpolation='higher')": (
        lambda t: ag.quantile(t.m, 0.7, dim=1, interpolation="higher"),
        [1.5, 3.0],
    ),
    "quantile(m, 0.7, dim=1, interpolation='midpoint')": (
        lambda t: ag.quantile(t.m, 0.7, dim=1, interpolation="midpoint"),
        [1.0, 2.0],
    ),
    "quantile(m, 0.7, dim=1, interpolation='nearest')": (
        lambda t: ag.quantile(t.m, 0.7, dim=1, interpolation="nearest"),
        [0.5, 1.0],
    ),
    "nanquantile(nans, 0.5)": (lambda t: ag.nanquantile(t.nans, 0.5), 3.0),
    "nanquantile(nans, u, dim=0)": (
        lambda t: ag.nanquantile(t.nans, t.u, dim=0),
        [[1.1, 5.0, 3.1], [1.5, 5.0, 3.5], [1.9, 5.0, 3.9]],
    ),
    "nansum(nans, 1)": (lambda t: ag.nansum(t.nans, 1), [4.0, 11.0]),
    "nanmean(nans, 1)": (lambda t: ag.nanmean(t.nans, 1), [2.0, 3.66666666666667]),
    "aminmax(m, dim=1)": (lambda t: ag.aminmax(t.m, dim=1), ([-2.0, -1.0], [1.5, 3.0])),
    "count_nonzero(i)": (lambda t: ag.count_nonzero(t.i), 5),
    "count_nonzero(i, 0)": (lambda t: ag.count_nonzero(t.i, 0), [1, 2, 2]),
    "std_mean(m, 1)": (lambda t: ag.std_mean(t.m, 1), ([1.80277563773199, 2.0], [0.0, 1.0])),
    "var_mean(m, correction=0)": (lambda t: ag.var_mean(t.m, correction=0), (2.66666666666667, 0.5)),
    "cov(m)": (lambda t: ag.cov(t.m), [[3.25, 1.0], [1.0, 4.0]]),
    "cov(m, correction=0, fweights=k + 1)": (
        lambda t: ag.cov(t.m, correction=0, fweights=t.k + 1),
        [[1.31632653061224, 0.857142857142857], [0.857142857142857, 3.42857142857143]],
    ),
    "cov(m, aweights=u)": (
        lambda t: ag.cov(t.m, aweights=t.u),
        [[2.97881355932203, -1.30508474576271], [-1.30508474576271, 2.91525423728814]],
    ),
    "cov(v)": (lambda t: ag.cov(t.v), 3.08333333333333),
    "corrcoef(m)": (lambda t: ag.corrcoef(t.m), [[1.0, 0.277350098112615], [0.277350098112615, 1.0]]),
    "bincount(k, minlength=5)": (lambda t: ag.bincount(t.k, minlength=5), [1, 0, 2, 0, 0]),
    "bincount(k, v)": (lambda t: ag.bincount(t.k, t.v), [-1.5, 0.0, 2.5]),
    "histc(m, 4)": (lambda t: ag.histc(t.m, 4), [2.0, 0.0, 3.0, 1.0]),
    "histc(m, 4, -1, 1)": (lambda t: ag.histc(t.m, 4, -1, 1), [1.0, 0.0, 0.0, 2.0]),
    "histogram(m, 3)": (
        lambda t: ag.histogram(t.m, 3),
        ([2.0, 2.0, 2.0], [-2.0, -0.333333333333333, 1.33333333333333, 3.0]),
    ),
    "histogram(m)": (lambda t: ag.histogram(t.m).hist.reshape(10, 10).sum(), 6.0),
    "histogram(m, s)": (lambda t: ag.histogram(t.m, t.s), ([1.0, 1.0, 2.0], [-1.0, 0.0, 1.0, 2.5])),
    "histogram(m, 2, range=(-2.0, 2.0), weight=p, density=True)": (
        lambda t: ag.histogram(t.m, 2, range=(-2.0, 2.0), weight=t.p, density=True),
        ([0.131578947368421, 0.368421052631579], [-2.0, 0.0, 2.0]),
    ),
}

SCANS: Cases = {
    "cummax(ties, 1)": (lambda t: ag.cummax(t.ties, 1), ([[2.0, 2.0, 2.0], [3.0, 3.0, 3.0]], [[0, 0, 2], [0, 1, 2]])),
    "cummin(m, 1)": (lambda t: ag.cummin(t.m, 1), ([[1.5, -2.0, -2.0], [3.0, 1.0, -1.0]], [[0, 1, 1], [0, 1, 2]])),
    "cummax(nans, 1)": (lambda t: ag.cummax(t.nans, 1), ([[1.0, NAN, NAN], [2.0, 5.0, 5.0]], [[0, 1, 1], [0, 1, 1]])),
    "logcumsumexp(m, 1)": (
        lambda t: ag.logcumsumexp(t.m, 1),
        [[1.5, 1.52975041827262, 1.83509759551617], [3.0, 3.12692801104297, 3.1429316284999]],
    ),
    "diff(m)": (lambda t: ag.diff(t.m), [[-3.5, 2.5], [-2.0, -2.0]]),
    "diff(m, 2)": (lambda t: ag.diff(t.m, 2), [[6.0], [0.0]]),
    "diff(m, dim=0, prepend=m)": (
        lambda t: ag.diff(t.m, dim=0, prepend=t.m),
        [[1.5, 3.0, -1.5], [-1.5, -3.0, 1.5], [1.5, 3.0, -1.5]],
    ),
    "trapezoid(m)": (lambda t: ag.trapezoid(t.m), [-1.0, 2.0]),
    "trapezoid(m, v)": (lambda t: ag.trapezoid(t.m, t.v), [-2.125, -4.0]),
    "trapezoid(m, dx=2.0, dim=0)": (lambda t: ag.trapezoid(t.m, dx=2.0, dim=0), [4.5, -1.0, -0.5]),
    "cumulative_trapezoid(m, v)": (lambda t: ag.cumulative_trapezoid(t.m, t.v), [[0.5, -2.125], [-4.0, -4.0]]),
    "gradient(m)": (
        lambda t: ag.gradient(t.m),
        ([[1.5, 3.0, -1.5], [1.5, 3.0, -1.5]], [[-3.5, -0.5, 2.5], [-2.0, -2.0, -2.0]]),
    ),
    "gradient(m, spacing=2.0, dim=1, edge_order=2)": (
        lambda t: ag.gradient(t.m, spacing=2.0, dim=1, edge_order=2),
        ([[-3.25, -0.25, 2.75], [-1.0, -1.0, -1.0]],),
    ),
    "gradient(m, spacing=(u[:2], u))": (
        lambda t: ag.gradient(t.m, spacing=(t.u[:2], t.u)),
        ([[3.75, 7.5, -3.75], [3.75, 7.5, -3.75]], [[-8.75, -1.25, 6.25], [-5.0, -5.0, -5.0]]),
    ),
}

DISTANCES: Cases = {
    "dist(m, p, 3)": (lambda t: ag.dist(t.m, t.p, 3), 4.75737543035177),
    "cdist(m, p)": (
        lambda t: ag.cdist(t.m, t.p),
        [[4.15331193145904, 6.14918693812442], [4.33012701892219, 4.53458928680426]],
    ),
    "cdist(m, p, p=1.0)": (lambda t: ag.cdist(t.m, t.p, p=1.0), [[6.5, 7.75], [6.5, 7.75]]),
    "cdist(m, p, p=float('inf'))": (lambda t: ag.cdist(t.m, t.p, p=float("inf")), [[3.5, 6.0], [3.5, 3.0]]),
    "pdist(m.T)": (lambda t: ag.pdist(t.m.T), [4.03112887414927, 4.12310562561766, 3.20156211871642]),
    "renorm(m, 2, 0, 1.0)": (
        lambda t: ag.renorm(t.m, 2, 0, 1.0),
        [
            [0.58834838233763, -0.784464509783507, 0.196116127445877],
            [0.904534006460564, 0.301511335486855, -0.301511335486855],
        ],
    ),
}

SEARCHING: Cases = {
    "msort(m)": (lambda t: ag.msort(t.m), [[1.5, -2.0, -1.0], [3.0, 1.0, 0.5]]),
    "argwhere(i)": (lambda t: ag.argwhere(t.i), [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2]]),
    "searchsorted(s, m)": (lambda t: ag.searchsorted(t.s, t.m), [[3, 0, 2], [4, 2, 0]]),
    "searchsorted(s, m, right=True)": (lambda t: ag.searchsorted(t.s, t.m, right=True), [[3, 0, 2], [4, 3, 1]]),
    "searchsorted(s, m, side='right')": (lambda t: ag.searchsorted(t.s, t.m, side="right"), [[3, 0, 2], [4, 3, 1]]),
    "bucketize(m, s)": (lambda t: ag.bucketize(t.m, t.s), [[3, 0, 2], [4, 2, 0]]),
    "isin(i, k)": (lambda t: ag.isin(t.i, t.k), [[False, False, True], [True, False, False]]),
    "unique(i)": (lambda t: ag.unique(t.i), [-5, 0, 1, 2, 3, 7]),
    "unique(ties, return_inverse=True, return_counts=True)": (
        lambda t: ag.unique(t.ties, return_inverse=True, return_counts=True),
        ([1.0, 2.0, 3.0], [[1, 0, 1], [2, 2, 2]], [1, 2, 3]),
    ),
    "unique(ties, dim=1, return_inverse=True, return_counts=True)": (
        lambda t: ag.unique(t.ties, dim=1, return_inverse=True, return_counts=True),
        ([[1.0, 2.0], [3.0, 3.0]], [1, 0, 1], [1, 2]),
    ),
    "unique_consecutive(k, return_inverse=True)": (
        lambda t: ag.unique_consecutive(t.k, return_inverse=True),
        ([2, 0, 2], [0, 1, 2]),
    ),
    "unique_consecutive(ties, dim=0, return_counts=True)": (
        lambda t: ag.unique_consecutive(t.ties, dim=0, return_counts=True),
        ([[2.0, 1.0, 2.0], [3.0, 3.0, 3.0]], [1, 1]),
    ),
}

SCATTERING: Cases = {
    "scatter_reduce(m, 1, r, p, 'sum', include_self=True)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "sum", include_self=True),
        [[4.5, -0.5, 0.5], [3.0, 6.25, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'sum', include_self=False)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "sum", include_self=False),
        [[3.0, 1.5, 0.5], [3.0, 5.25, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'prod', include_self=True)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "prod", include_self=True),
        [[1.875, -3.0, 0.5], [3.0, 1.0, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'prod', include_self=False)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "prod", include_self=False),
        [[1.25, 1.5, 0.5], [3.0, 1.0, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'mean', include_self=True)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "mean", include_self=True),
        [[1.5, -0.25, 0.5], [3.0, 1.5625, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'mean', include_self=False)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "mean", include_self=False),
        [[1.5, 1.5, 0.5], [3.0, 1.75, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'amax', include_self=True)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "amax", include_self=True),
        [[2.5, 1.5, 0.5], [3.0, 4.0, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'amax', include_self=False)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "amax", include_self=False),
        [[2.5, 1.5, 0.5], [3.0, 4.0, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'amin', include_self=True)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "amin", include_self=True),
        [[0.5, -2.0, 0.5], [3.0, 0.25, -1.0]],
    ),
    "scatter_reduce(m, 1, r, p, 'amin', include_self=False)": (
        lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "amin", include_self=False),
        [[0.5, 1.5, 0.5], [3.0, 0.25, -1.0]],
    ),
    "index_reduce(m, 0, k[1:2], p[:1], 'prod')": (
        lambda t: ag.index_reduce(t.m, 0, t.k[1:2], t.p[:1], "prod"),
        [[0.75, -3.0, 1.25], [3.0, 1.0, -1.0]],
    ),
    "index_reduce(m, 1, k, p, 'mean', include_self=False)": (
        lambda t: ag.index_reduce(t.m, 1, t.k, t.p, "mean", include_self=False),
        [[1.5, -2.0, 1.5], [4.0, 1.0, 0.625]],
    ),
    "index_put(m, (r[0], k), v)": (
        lambda t: ag.index_put(t.m, (t.r[0], t.k), t.v),
        [[1.5, -2.0, 2.0], [-1.5, 1.0, -1.0]],
    ),
    "index_put(m, (r[0] * 0, k), v, accumulate=True)": (
        lambda t: ag.index_put(t.m, (t.r[0] * 0, t.k), t.v, accumulate=True),
        [[0.0, -2.0, 3.0], [3.0, 1.0, -1.0]],
    ),
    "index_put(m, (b,), v)": (lambda t: ag.index_put(t.m, (t.b,), t.v), [[0.5, -2.0, -1.5], [3.0, 1.0, 2.0]]),
    "index_copy(m, 1, k[:2], p[:, :2])": (
        lambda t: ag.index_copy(t.m, 1, t.k[:2], t.p[:, :2]),
        [[1.5, -2.0, 0.5], [4.0, 1.0, 0.25]],
    ),
    "masked_scatter(m, b, p)": (lambda t: ag.masked_scatter(t.m, t.b, t.p), [[0.5, -2.0, 1.5], [3.0, 1.0, 2.5]]),
    "take_along_dim(m, r, 1)": (lambda t: ag.take_along_dim(t.m, t.r, 1), [[1.5, -2.0, 1.5], [1.0, 1.0, 1.0]]),
    "take_along_dim(m, k)": (lambda t: ag.take_along_dim(t.m, t.k), [0.5, 1.5, 0.5]),
    "put(m, k, v)": (lambda t: ag.put(t.m, t.k, t.v), [[-1.5, -2.0, 2.0], [3.0, 1.0, -1.0]]),
    "put(m, k, v, accumulate=True)": (
        lambda t: ag.put(t.m, t.k, t.v, accumulate=True),
        [[0.0, -2.0, 3.0], [3.0, 1.0, -1.0]],
    ),
    "diagonal_scatter(m, v[:2], 1)": (
        lambda t: ag.diagonal_scatter(t.m, t.v[:2], 1),
        [[1.5, 0.5, 0.5], [3.0, 1.0, -1.5]],
    ),
    "select_scatter(m, v, 0, 1)": (lambda t: ag.select_scatter(t.m, t.v, 0, 1), [[1.5, -2.0, 0.5], [0.5, -1.5, 2.0]]),
    "slice_scatter(m, p[:, :2], 1, 0, 3, 2)": (
        lambda t: ag.slice_scatter(t.m, t.p[:, :2], 1, 0, 3, 2),
        [[0.5, -2.0, 1.5], [0.25, 1.0, 4.0]],
    ),
    "narrow_copy(m, 1, 1, 2)": (lambda t: ag.narrow_copy(t.m, 1, 1, 2), [[-2.0, 0.5], [1.0, -1.0]]),
    "unravel_index(k, (2, 3))": (lambda t: ag.unravel_index(t.k, (2, 3)), ([0, 0, 0], [2, 0, 2])),
    "scatter(m, 1, r, p, reduce='add')": (
        lambda t: ag.scatter(t.m, 1, t.r, t.p, reduce="add"),
        [[4.5, -0.5, 0.5], [3.0, 6.25, -1.0]],
    ),
    "repeat_interleave(k)": (lambda t: ag.repeat_interleave(t.k), [0, 0, 2, 2]),
}

JOINING: Cases = {
    "block_diag(m, v, v[0])": (
        lambda t: ag.block_diag(t.m, t.v, t.v[0]),
        [
            [1.5, -2.0, 0.5, 0.0, 0.0, 0.0, 0.0],
            [3.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.5, -1.5, 2.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5],
        ],
    ),
    "cartesian_prod(v, u)": (
        lambda t: ag.cartesian_prod(t.v, t.u),
        [[0.5, 0.1], [0.5, 0.5], [0.5, 0.9], [-1.5, 0.1], [-1.5, 0.5], [-1.5, 0.9], [2.0, 0.1], [2.0, 0.5], [2.0, 0.9]],
    ),
    "combinations(v)": (lambda t: ag.combinations(t.v), [[0.5, -1.5], [0.5, 2.0], [-1.5, 2.0]]),
    "combinations(v, 2, with_replacement=True)": (
        lambda t: ag.combinations(t.v, 2, with_replacement=True),
        [[0.5, 0.5], [0.5, -1.5], [0.5, 2.0], [-1.5, -1.5], [-1.5, 2.0], [2.0, 2.0]],
    ),
    "column_stack((v, u))": (lambda t: ag.column_stack((t.v, t.u)), [[0.5, 0.1], [-1.5, 0.5], [2.0, 0.9]]),
    "dstack((m, p))": (
        lambda t: ag.dstack((t.m, t.p)),
        [[[1.5, 0.5], [-2.0, 1.5], [0.5, 2.5]], [[3.0, 0.25], [1.0, 4.0], [-1.0, 1.0]]],
    ),
    "row_stack((v, u))": (lambda t: ag.row_stack((t.v, t.u)), [[0.5, -1.5, 2.0], [0.1, 0.5, 0.9]]),
    "hsplit(m, (1, 2))": (lambda t: ag.hsplit(t.m, (1, 2)), ([[1.5], [3.0]], [[-2.0], [1.0]], [[0.5], [-1.0]])),
    "vsplit(m, 2)": (lambda t: ag.vsplit(t.m, 2), ([[1.5, -2.0, 0.5]], [[3.0, 1.0, -1.0]])),
    "dsplit(c, 2)": (lambda t: ag.dsplit(t.c, 2), ([[[1.0], [3.0]], [[5.0], [7.0]]], [[[2.0], [4.0]], [[6.0], [9.0]]])),
    "tensor_split(s, 3)": (lambda t: ag.tensor_split(t.s, 3), ([-1.0, 0.0], [1.0], [2.5])),
    "tensor_split(s, (1, -1))": (lambda t: ag.tensor_split(t.s, (1, -1)), ([-1.0], [0.0, 1.0], [2.5])),
    "split_with_sizes(s, [1, 3])": (lambda t: ag.split_with_sizes(t.s, [1, 3]), ([-1.0], [0.0, 1.0, 2.5])),
    "atleast_3d(m)": (lambda t: ag.atleast_3d(t.m), [[[1.5], [-2.0], [0.5]], [[3.0], [1.0], [-1.0]]]),
}

ARRANGING: Cases = {
    "diag_embed(m, 1)": (
        lambda t: ag.diag_embed(t.m, 1),
        [
            [[0.0, 1.5, 0.0, 0.0], [0.0, 0.0, -2.0, 0.0], [0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0]],
            [[0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0]],
        ],
    ),
    "diag_embed(v, -1, 1, 0)": (
        lambda t: ag.diag_embed(t.v, -1, 1, 0),
        [[0.0, 0.5, 0.0, 0.0], [0.0, 0.0, -1.5, 0.0], [0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0]],
    ),
    "diagflat(sq, -1)": (
        lambda t: ag.diagflat(t.sq, -1),
        [
            [0.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 2.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 3.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 5.0, 0.0],
        ],
    ),
    "fliplr(m)": (lambda t: ag.fliplr(t.m), [[0.5, -2.0, 1.5], [-1.0, 1.0, 3.0]]),
    "flipud(m)": (lambda t: ag.flipud(t.m), [[3.0, 1.0, -1.0], [1.5, -2.0, 0.5]]),
    "rot90(m)": (lambda t: ag.rot90(t.m), [[0.5, -1.0], [-2.0, 1.0], [1.5, 3.0]]),
    "rot90(m, -1)": (lambda t: ag.rot90(t.m, -1), [[3.0, 1.5], [1.0, -2.0], [-1.0, 0.5]]),
    "rot90(c, 2, (1, 2))": (lambda t: ag.rot90(t.c, 2, (1, 2)), [[[4.0, 3.0], [2.0, 1.0]], [[9.0, 7.0], [6.0, 5.0]]]),
    "ravel(m)": (lambda t: ag.ravel(t.m), [1.5, -2.0, 0.5, 3.0, 1.0, -1.0]),
    "swapdims(m, 0, 1)": (lambda t: ag.swapdims(t.m, 0, 1), [[1.5, 3.0], [-2.0, 1.0], [0.5, -1.0]]),
}

TENSOR_PRODUCTS: Cases = {
    "tensordot(c, sq, 2)": (lambda t: ag.tensordot(t.c, t.sq, 2), [34.0, 83.0]),
    "tensordot(m, p, dims=([1], [1]))": (
        lambda t: ag.tensordot(t.m, t.p, dims=([1], [1])),
        [[-1.0, -7.125], [0.5, 3.75]],
    ),
    "kron(v, m)": (
        lambda t: ag.kron(t.v, t.m),
        [[0.75, -1.0, 0.25, -2.25, 3.0, -0.75, 3.0, -4.0, 1.0], [1.5, 0.5, -0.5, -4.5, -1.5, 1.5, 6.0, 2.0, -2.0]],
    ),
    "cross(v, u)": (lambda t: ag.cross(t.v, t.u), [-2.35, -0.25, 0.4]),
    "cross(m, p, dim=1)": (lambda t: ag.cross(t.m, t.p, dim=1), [[-5.75, -3.5, 3.25], [5.0, -3.25, 11.75]]),
    "vander(v, 3)": (lambda t: ag.vander(t.v, 3), [[0.25, 0.5, 1.0], [2.25, -1.5, 1.0], [4.0, 2.0, 1.0]]),
    "vander(v, 3, increasing=True)": (
        lambda t: ag.vander(t.v, 3, increasing=True),
        [[1.0, 0.5, 0.25], [1.0, -1.5, 2.25], [1.0, 2.0, 4.0]],
    ),
    "ger(v, u)": (lambda t: ag.ger(t.v, t.u), [[0.05, 0.25, 0.45], [-0.15, -0.75, -1.35], [0.2, 1.0, 1.8]]),
    "addmv(v[:2], m, u, beta=0.5, alpha=2)": (lambda t: ag.addmv(t.v[:2], t.m, t.u, beta=0.5, alpha=2), [-0.55, -0.95]),
    "addr(m, v[:2], u, beta=0)": (
        lambda t: ag.addr(t.m, t.v[:2], t.u, beta=0),
        [[0.05, 0.25, 0.45], [-0.15, -0.75, -1.35]],
    ),
    "addbmm(sq, c, c)": (lambda t: ag.addbmm(t.sq, t.c, t.c), [[75.0, 96.0], [116.0, 150.0]]),
    "baddbmm(sq, c, c, beta=0.5, alpha=2)": (
        lambda t: ag.baddbmm(t.sq, t.c, t.c, beta=0.5, alpha=2),
        [[[14.5, 21.0], [31.5, 46.5]], [[134.5, 169.0], [197.5, 248.5]]],
    ),
    "chain_matmul(m, p.T, sq)": (lambda t: ag.chain_matmul(t.m, t.p.T, t.sq), [[-22.375, -37.625], [11.75, 19.75]]),
}

MAKING: Cases = {
    "logspace(0.0, 2.0, 3, base=2, dtype=ag.float64)": (
        lambda t: ag.logspace(0.0, 2.0, 3, base=2, dtype=ag.float64),
        [1.0, 2.0, 4.0],
    ),
    "range(1, 3, 0.5, dtype=ag.float64)": (lambda t: ag.range(1, 3, 0.5, dtype=ag.float64), [1.0, 1.5, 2.0, 2.5, 3.0]),
    "scalar_tensor(2.5, dtype=ag.float64)": (lambda t: ag.scalar_tensor(2.5, dtype=ag.float64), 2.5),
    "hann_window(5, dtype=ag.float64)": (
        lambda t: ag.hann_window(5, dtype=ag.float64),
        [0.0, 0.345491502812526, 0.904508497187474, 0.904508497187474, 0.345491502812526],
    ),
    "hamming_window(4, periodic=False, dtype=ag.float64)": (
        lambda t: ag.hamming_window(4, periodic=False, dtype=ag.float64),
        [0.08, 0.77, 0.77, 0.08],
    ),
    "blackman_window(4, dtype=ag.float64)": (lambda t: ag.blackman_window(4, dtype=ag.float64), [0.0, 0.34, 1.0, 0.34]),
    "bartlett_window(5, dtype=ag.float64)": (
        lambda t: ag.bartlett_window(5, dtype=ag.float64),
        [0.0, 0.4, 0.8, 0.8, 0.4],
    ),
    "kaiser_window(4, dtype=ag.float64)": (
        lambda t: ag.kaiser_window(4, dtype=ag.float64),
        [5.27734413200977e-05, 0.215672744758967, 1.0, 0.215672744758967],
    ),
    "tril_indices(2, 3)": (lambda t: ag.tril_indices(2, 3), [[0, 1, 1], [0, 0, 1]]),
    "triu_indices(3, 3, 1)": (lambda t: ag.triu_indices(3, 3, 1), [[0, 0, 1], [1, 2, 2]]),
}

FAMILIES = (
    *(SPECIAL, ELEMENTARY, STATISTICS, SCANS, DISTANCES, SEARCHING, SCATTERING, JOINING, ARRANGING),
    *(TENSOR_PRODUCTS, MAKING),
)
CASES: Cases = {name: case for family in FAMILIES for name, case in family.items()}


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
@pytest.mark.parametrize("name", CASES)
def test_numbers_from_pytorch(name: str, device: str) -> None:
    call, want = CASES[name]
    check(call(on_device(device)), want)


#: Where a function has a jump or a corner at the numbers of a case, or an index repeats, and one of the values counts.
CORNERS = (
    *("fmod(m, p)", "frac(m)", "quantile(m, u, dim=1)", "nanquantile(nans, u, dim=0)", "index_put(m, (r[0], k), v)"),
    *("put(m, k, v)", "corrcoef(m)"),
)
INPUTS = ("m", "v", "p", "u", "s", "sq", "c")


def floats_of(result: Any) -> tuple[Any, ...]:
    """The Tensors of a result that carry gradients."""
    return tuple([x for x in (result if isinstance(result, tuple) else (result,)) if x.requires_grad])


def carries_gradients(name: str) -> bool:
    """Whether a case is a function of `INPUTS` with a result that carries gradients."""
    inputs = on_device("cpu")
    for one in INPUTS:
        getattr(inputs, one).requires_grad_()
    return bool(floats_of(CASES[name][0](inputs)))


DIFFERENTIABLE = [name for name in CASES if name not in CORNERS and "nans" not in name and carries_gradients(name)]


def test_most_families_are_differentiable() -> None:
    for family in FAMILIES[:3] + FAMILIES[3:5] + FAMILIES[6:10]:
        assert set(family) & set(DIFFERENTIABLE)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_derivatives(name: str) -> None:
    inputs = on_device("cpu")
    used = [one for one in INPUTS if re.search(rf"\b{one}\b", name)]

    def function(*values: Any) -> Any:
        vars(inputs).update(zip(used, values, strict=True))
        return floats_of(CASES[name][0](inputs))

    moving = [getattr(inputs, one).requires_grad_() for one in used]
    assert gradcheck(function, moving)
    assert gradgradcheck(function, moving)


# ---------------------------------------------------------------- conventions of gradients


def gradient(call: Callable[[Any], Any], data: Any) -> Any:
    """The gradient of the sum of ``call(x)``."""
    x = ag.tensor(data, dtype=ag.float64, requires_grad=True)
    call(x).sum().backward()
    assert x.grad is not None
    return x.grad.tolist()


def test_who_gets_the_gradient_where_elements_are_equal() -> None:
    assert gradient(lambda x: ag.median(x), [1.0, 2.0, 2.0, 3.0, 2.0]) == pytest.approx([0, 1 / 3, 1 / 3, 0, 1 / 3])
    assert sorted(gradient(lambda x: ag.median(x, 0).values, [2.0, 2.0, 2.0])) == [0, 0, 1]
    assert sorted(gradient(lambda x: ag.kthvalue(x, 2).values, [2.0, 2.0, 2.0])) == [0, 0, 1]
    assert gradient(lambda x: ag.cummax(x, 0).values, [2.0, 2.0, 1.0]) == [1, 2, 0]
    assert gradient(lambda x: ag.fmax(x, ag.tensor([1.0, 2.0])), [1.0, NAN]) == [1, 0]
    assert gradient(lambda x: ag.aminmax(x).max, [3.0, 3.0, 1.0]) == [0.5, 0.5, 0]
    both = ag.tensor([0, 0])
    assert gradient(lambda x: ag.scatter_reduce(x, 0, both, ag.ones(2, dtype=ag.float64), "amax"), [1.0, 5.0]) == (
        pytest.approx([1 / 3, 1])
    )
    assert gradient(lambda x: ag.scatter_reduce(ag.ones(1, dtype=ag.float64) * 2, 0, both, x, "prod"), [0.0, 3.0]) == (
        [6, 0]
    )


def test_gradients_that_are_zero_by_convention() -> None:
    assert gradient(lambda x: ag.cdist(x, x.detach()), [[1.0, 2.0]]) == [[0, 0]]
    assert gradient(lambda x: ag.dist(x, x.detach()), [1.0, 2.0]) == [0, 0]
    assert gradient(lambda x: ag.nansum(x), [1.0, NAN]) == [1, 0]
    assert gradient(lambda x: ag.nan_to_num(x), [1.0, NAN, INF]) == [1, 0, 0]
    assert gradient(ag.sinc, [0.0]) == [0]
    assert gradient(lambda x: ag.xlogy(x, ag.zeros(2)), [0.0, 0.0]) == [0, 0]


def test_cdist_of_many_rows_is_that_of_few() -> None:
    ag.manual_seed(0)
    x, y = (ag.randn(2, n, 4, dtype=ag.float64, requires_grad=True) for n in (30, 3))
    results = [
        ag.cdist(x, y, compute_mode=mode) for mode in (None, "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    ]
    gradients = [ag.autograd.grad(distance.square().sin().sum(), [x, y]) for distance in results]
    for distance, found in zip(results, gradients, strict=True):
        assert ag.allclose(distance, results[2], rtol=1e-12)
        for got, want in zip(found, gradients[2], strict=True):
            assert ag.allclose(got, want, rtol=1e-10, atol=1e-12)
    far = ag.tensor([[1e8, 1.0]], requires_grad=True)
    ag.cdist(far, far.detach(), compute_mode="use_mm_for_euclid_dist").sum().backward()
    assert far.grad is not None
    assert far.grad.tolist() == [[0, 0]]
    with pytest.raises(ValueError, match="cdist: compute_mode must be one of"):
        ag.cdist(x, y, compute_mode="fast")


def test_a_gradient_to_both_inputs_and_to_the_number_of_a_quantile() -> None:
    x = ag.tensor([0.0, 1.0, 3.0], dtype=ag.float64, requires_grad=True)
    q = ag.tensor(0.6, dtype=ag.float64, requires_grad=True)
    ag.quantile(x, q).backward()
    assert x.grad is not None
    assert q.grad is not None
    assert x.grad.tolist() == pytest.approx([0, 0.8, 0.2])
    assert q.grad.item() == pytest.approx(4.0)  # the slope of 1 + 2 (2 q - 1)


# ---------------------------------------------------------------- edges


def test_special_values() -> None:
    far = ag.tensor([0.0, -1.0, INF, NAN], dtype=ag.float64)
    assert ag.lgamma(far).tolist()[:3] == [INF, INF, INF]
    assert ag.digamma(far).tolist()[::2] == [-INF, INF]
    assert ag.erfinv(ag.tensor([1.0, -1.0])).tolist() == [INF, -INF]
    assert ag.xlogy(0, far).tolist()[:3] == [0, 0, 0]
    assert math.isnan(ag.xlogy(0, far)[3].item())
    assert ag.special.entr(ag.tensor([0.0, -1.0])).tolist() == [0, -INF]
    mantissa, exponent = ag.frexp(ag.tensor([5e-324, 1.0, -8.0, INF], dtype=ag.float64))
    assert (mantissa.tolist(), exponent.tolist()) == ([0.5, 0.5, -0.5, INF], [-1073, 1, 4, 0])
    assert ag.logcumsumexp(ag.tensor([-INF, -INF, 0.0]), 0).tolist() == [-INF, -INF, 0]


def test_nothing_at_all() -> None:
    nothing = ag.zeros(0)
    assert math.isnan(ag.median(nothing).item())
    assert ag.nansum(nothing).item() == 0
    assert ag.unique(nothing, return_counts=True)[1].tolist() == []
    assert ag.unique_consecutive(nothing).shape == (0,)
    assert ag.bincount(nothing.long(), minlength=2).tolist() == [0, 0]
    assert ag.histc(nothing, 2).tolist() == [0, 0]
    assert ag.cummax(nothing, 0).indices.shape == (0,)
    assert ag.diff(nothing).shape == (0,)
    assert ag.trapezoid(nothing).item() == 0
    assert ag.vander(nothing).shape == (0, 0)
    assert ag.cdist(ag.zeros(2, 0), ag.zeros(3, 0)).tolist() == [[0] * 3] * 2
    assert ag.pdist(ag.zeros(1, 2)).shape == (0,)
    assert ag.block_diag().shape == (1, 0)
    assert ag.combinations(ag.arange(2), 3).shape == (0, 3)
    assert ag.diag_embed(nothing).shape == (0, 0)


def test_numbers_of_no_dimension() -> None:
    one = ag.tensor(2.0)
    assert ag.median(one, 0) == (2, 0)
    assert ag.kthvalue(one, 1) == (2, 0)
    assert ag.mode(one) == (2, 0)
    assert ag.cummax(one, 0) == (2, 0)
    assert ag.quantile(one, 0.3).item() == 2
    assert ag.gather(one, 0, ag.tensor([0]).reshape(())).item() == 2
    assert ag.scatter_reduce(one, 0, ag.tensor(0), one, "sum").item() == 4
    assert ag.atleast_2d(one, one)[1].shape == (1, 1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: ag.kthvalue(t.m, 4), IndexError, "kthvalue: k = 4 is not between 1 and 3"),
        (lambda t: ag.median(ag.zeros(2, 0), 1), IndexError, "median: dimension 1 .* has no elements"),
        (lambda t: ag.quantile(t.m, 1.5), ValueError, "quantile: q must be in"),
        (lambda t: ag.quantile(t.i, 0.5), TypeError, "quantile: expected floats, got int64"),
        (lambda t: ag.quantile(t.m, 0.5, interpolation="cubic"), ValueError, "quantile: interpolation must be one of"),
        (lambda t: ag.bincount(t.v), TypeError, "bincount: expected integers"),
        (lambda t: ag.bincount(-t.k), ValueError, "bincount: -2 is negative"),
        (lambda t: ag.histc(t.m, 0), ValueError, "histc: bins must be positive"),
        (lambda t: ag.histc(t.far, 2), ValueError, "histc: the range .* is not finite"),
        (lambda t: ag.histogram(t.m, 2, weight=t.v), ValueError, "histogram: weight must have shape"),
        (lambda t: ag.cov(t.c), ValueError, "cov: expected at most 2 dimensions"),
        (lambda t: ag.diff(t.m, -1), ValueError, "diff: n must not be negative"),
        (lambda t: ag.trapezoid(t.m, t.v, dx=1), TypeError, "trapezoid: x and dx both say"),
        (lambda t: ag.trapezoid(t.m, t.s), ValueError, "trapezoid: 4 points x for 3 values"),
        (lambda t: ag.gradient(t.m, edge_order=3), ValueError, "gradient: edge_order must be 1 or 2"),
        (lambda t: ag.gradient(t.m, spacing=(1.0,)), ValueError, "gradient: 1 spacings for 2 dimensions"),
        (lambda t: ag.cdist(t.m, t.sq), ValueError, "cdist: the rows have lengths 3 and 2"),
        (lambda t: ag.searchsorted(t.m, t.c), ValueError, "searchsorted: the sequence must be a vector"),
        (lambda t: ag.searchsorted(t.s, t.m, side="up"), ValueError, "searchsorted: side must be"),
        (lambda t: ag.scatter_reduce(t.m, 1, t.r, t.p, "max"), ValueError, "scatter_reduce: reduce must be one of"),
        (lambda t: ag.scatter_reduce(t.m, 1, t.r + 9, t.p, "sum"), IndexError, "scatter_reduce: index 9 is out of"),
        (lambda t: ag.scatter(t.m, 1, t.r, t.p, reduce="mean"), ValueError, "scatter: reduce must be 'add'"),
        (lambda t: ag.put(t.m, t.k, t.s), ValueError, "put: 4 elements for 3 indices"),
        (lambda t: ag.put(t.m, t.k + 9, t.v), IndexError, "put: index 11 is out of range for size 6"),
        (lambda t: ag.masked_scatter(t.m, t.b, t.v[:1]), ValueError, "masked_scatter: the mask holds for 3 elements"),
        (lambda t: ag.index_put(t.m, (t.k,), t.i), TypeError, "index_put: the values must be float64"),
        (lambda t: ag.select_scatter(t.m, t.v, 0, 5), IndexError, "select_scatter: index 5 is out of range"),
        (lambda t: ag.slice_scatter(t.m, t.m, 1, step=0), ValueError, "slice_scatter: step must be positive"),
        (lambda t: ag.unravel_index(t.k, (2,)), IndexError, "unravel_index: index 2 is out of range"),
        (lambda t: ag.hsplit(t.m, 2), ValueError, "hsplit: dimension 1, of length 3, is not 2 equal parts"),
        (lambda t: ag.tensor_split(t.s, 0), ValueError, "tensor_split: the number of parts must be positive"),
        (lambda t: ag.block_diag(t.c), ValueError, "block_diag: tensor 0 has 3 dimensions"),
        (lambda t: ag.diag_embed(t.v, 0, 1, 1), ValueError, "diag_embed: dim1 and dim2 are both 1"),
        (lambda t: ag.rot90(t.m, 1, (0,)), ValueError, "rot90: dims must name two dimensions"),
        (lambda t: t.m.sum_to_size(2, 2), ValueError, "sum_to_size: shapes"),
        (lambda t: ag.tensordot(t.m, t.m, 1), ValueError, "tensordot: dimensions 1 and 0 have lengths 3 and 2"),
        (lambda t: ag.cross(t.sq, t.sq), ValueError, "cross: no dimension of shape"),
        (lambda t: ag.vander(t.m), ValueError, "vander: expected a vector"),
        (lambda t: ag.chain_matmul(), ValueError, "chain_matmul: expected at least one matrix"),
        (lambda t: ag.hann_window(3, dtype=ag.int64), TypeError, "hann_window: a window is of floats"),
        (lambda t: ag.range(1, 0), ValueError, "range: no steps of 1 lead from 1 to 0"),
        (lambda t: ag.polygamma(-1, t.v), ValueError, "polygamma: n must not be negative"),
        (lambda t: ag.gcd(t.v, t.v), TypeError, "gcd: expected integers"),
        (lambda t: ag.positive(t.b), TypeError, "positive: bools have no sign"),
        (lambda t: ag.repeat_interleave(t.m), ValueError, "repeat_interleave: the numbers must be a vector"),
        (lambda t: ag.repeat_interleave(t.k, 2, output_size=5), ValueError, "repeat_interleave: output_size is 5"),
        (lambda t: ag.tril(t.v), ValueError, "tril: expected at least 2 dimensions"),
    ],
)
def test_refusals(call: Callable[[Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(on_device("cpu"))


def test_methods_are_the_functions() -> None:
    t = on_device("cpu")
    assert t.m.median(1).values.tolist() == [0.5, 1.0]
    assert t.p.polygamma is not None
    assert ag.Tensor.polygamma(2, t.p).tolist() == ag.polygamma(2, t.p).tolist()
    assert t.m.scatter_reduce(1, t.r, t.p, reduce="sum").tolist() == ag.scatter_reduce(t.m, 1, t.r, t.p, "sum").tolist()
    assert t.m.ndimension() == 2


def test_arguments_have_the_names_of_pytorch() -> None:
    t = on_device("cpu")
    assert ag.pow(input=t.v, exponent=2).tolist() == t.v.pow(exponent=2).tolist() == [0.25, 2.25, 4.0]
    assert ag.exp(input=t.v * 0).tolist() == [1, 1, 1]
    assert t.v.mul(other=2.0).tolist() == [1.0, -3.0, 4.0]
    assert ag.eq(input=t.k, other=2).tolist() == [True, False, True]
    assert ag.matmul(input=t.v, other=t.v).item() == 6.5
    assert ag.special.i1e(input=t.v * 0).tolist() == [0, 0, 0]
    assert list(inspect.signature(ag.atan2).parameters) == ["input", "other", "out"]
    assert list(inspect.signature(ag.ops.atan2).parameters) == ["x", "y"]
    with pytest.raises(TypeError, match=r"exp\(\) got an unexpected keyword argument 'x'"):
        ag.exp(x=t.v)


def test_constants() -> None:
    assert (ag.pi, ag.e, ag.inf) == (math.pi, math.e, math.inf)
    assert math.isnan(ag.nan)
    assert ag.ones(2)[:, ag.newaxis].shape == (2, 1)
