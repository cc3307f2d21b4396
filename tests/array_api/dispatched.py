"""SciPy and scikit-learn called with Tensors, and their gradients beside differences of the results.

Run by `test_dispatch` in a process of its own, with SCIPY_ARRAY_API=1, which SciPy reads when it is imported. Prints a
line for each call: its name, how far the result is from that of NumPy arrays, and the gradient from the differences.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn
from scipy import differentiate, integrate, signal, special, stats
from scipy.spatial.transform import Rotation
from sklearn import metrics
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import pairwise
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

import autograd_ops as ag
from autograd_ops import Tensor

rng = np.random.default_rng(0)
X = rng.permutation(np.linspace(0.5, 2.0, 12))
POINTS = rng.normal(size=(8, 3))
CLASSES = np.array([0, 1, 1, 0, 1, 0, 0, 1])

#: Of `xp.asarray` and x, so that constants are arrays of the same library.
CALLS: dict[str, tuple[Callable[[Any, Any], Any], np.ndarray]] = {
    "special.logsumexp": (lambda a, x: special.logsumexp(x), X),
    "special.softmax": (lambda a, x: special.softmax(x), X),
    "special.log_softmax": (lambda a, x: special.log_softmax(x), X),
    "special.xlogy": (lambda a, x: special.xlogy(x, a(X[::-1].copy())), X),
    "special.rel_entr": (lambda a, x: special.rel_entr(x, a(X[::-1].copy())), X),
    "special.expit": (lambda a, x: special.expit(x), X),
    "special.entr": (lambda a, x: special.entr(x), X),
    "special.gammaln": (lambda a, x: special.gammaln(x), X),
    "special.ndtr": (lambda a, x: special.ndtr(x), X),
    "stats.entropy": (lambda a, x: stats.entropy(x), X),
    "stats.zscore": (lambda a, x: stats.zscore(x), X),
    "stats.skew": (lambda a, x: stats.skew(x), X),
    "stats.kurtosis": (lambda a, x: stats.kurtosis(x), X),
    "stats.gmean": (lambda a, x: stats.gmean(x), X),
    "stats.pmean": (lambda a, x: stats.pmean(x, 3), X),
    "stats.variation": (lambda a, x: stats.variation(x), X),
    "stats.sem": (lambda a, x: stats.sem(x), X),
    "stats.lmoment": (lambda a, x: stats.lmoment(x), X),
    "stats.quantile": (lambda a, x: stats.quantile(x, 0.3), X),
    "stats.circmean": (lambda a, x: stats.circmean(x), X),
    "stats.differential_entropy": (lambda a, x: stats.differential_entropy(x), X),
    "signal.fftconvolve": (lambda a, x: signal.fftconvolve(x, a(X[:5])), X),
    "signal.hilbert": (lambda a, x: abs(signal.hilbert(x)), X),
    "signal.resample": (lambda a, x: signal.resample(x, 8), X),
    "Rotation": (lambda a, x: Rotation.from_rotvec(x).as_matrix(), POINTS),
    "integrate.trapezoid": (lambda a, x: integrate.trapezoid(x), X),
    "integrate.cumulative_simpson": (lambda a, x: integrate.cumulative_simpson(x), X),
    "differentiate.derivative": (lambda a, x: differentiate.derivative(lambda t: t**3, x).df, X),
    "MinMaxScaler": (lambda a, x: MinMaxScaler().fit_transform(x), POINTS),
    "MaxAbsScaler": (lambda a, x: MaxAbsScaler().fit_transform(x), POINTS),
    "rbf_kernel": (lambda a, x: pairwise.rbf_kernel(x, a(POINTS[:2])), POINTS),
    "euclidean_distances": (lambda a, x: pairwise.euclidean_distances(x, a(POINTS[:2] + 1.0)), POINTS),
    "polynomial_kernel": (lambda a, x: pairwise.polynomial_kernel(x, a(POINTS[:2])), POINTS),
    "PCA": (lambda a, x: PCA(2, svd_solver="covariance_eigh").fit_transform(x) ** 2, POINTS),
    "LinearDiscriminantAnalysis": (
        lambda a, x: LinearDiscriminantAnalysis().fit(x, a(CLASSES)).decision_function(x),
        POINTS,
    ),
    "Ridge": (lambda a, x: Ridge(solver="svd").fit(x, a(X[:8])).predict(x), POINTS),
    "GaussianNB": (lambda a, x: GaussianNB().fit(x, a(CLASSES)).predict_proba(x), POINTS),
}
#: Metrics give Python numbers.
METRICS: dict[str, Callable[[Any], float]] = {
    "accuracy_score": lambda a: metrics.accuracy_score(a(CLASSES), a(CLASSES[::-1].copy())),
    "f1_score": lambda a: metrics.f1_score(a(CLASSES), a(CLASSES[::-1].copy())),
    "mean_squared_error": lambda a: metrics.mean_squared_error(a(POINTS[0]), a(POINTS[1])),
    "r2_score": lambda a: metrics.r2_score(a(X), a(X[::-1].copy())),
}


def weighted(result: Any) -> Any:
    """The elements of a result, summed with irregular weights."""
    weights = np.cos(np.arange(result.size) + 1.0).reshape(tuple(result.shape))
    return (result * (ag.tensor(weights) if isinstance(result, Tensor) else weights)).sum()


def by_differences(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    """The gradient of a function of NumPy arrays."""
    gradient = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-6
        gradient[at] = (f(x + step) - f(x - step)) / 2e-6
    return gradient


def main() -> None:
    """Print the line of each call."""
    warnings.simplefilter("ignore")
    ag.set_default_dtype(ag.float64)
    with sklearn.config_context(array_api_dispatch=True):
        for name, (call, data) in CALLS.items():
            x = ag.tensor(data, requires_grad=True)
            result = call(ag.tensor, x)
            assert isinstance(result, Tensor), name
            weighted(result).backward()
            wanted = np.asarray(call(np.asarray, data))
            differences = by_differences(lambda a, call=call: weighted(np.asarray(call(np.asarray, a))), data)
            off = np.abs(x.grad.numpy() - differences).max()
            print(name, np.abs(result.detach().numpy() - wanted).max(), off)
        for name, metric in METRICS.items():
            print(name, abs(metric(ag.tensor) - metric(np.asarray)), 0.0)


if __name__ == "__main__":
    main()
