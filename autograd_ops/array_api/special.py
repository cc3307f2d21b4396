"""Special functions by SciPy's names, where SciPy looks for them first: so its functions of Tensors are differentiated.

They are no part of the standard yet. Each is elementwise, and the same as in `autograd_ops.special`.
"""

from __future__ import annotations

from ..special import (
    digamma,
    entr,
    erf,
    erfc,
    erfcx,
    erfinv,
    exp2,
    expit,
    expm1,
    gammaln,
    i0,
    i0e,
    i1,
    i1e,
    log1p,
    log_ndtr,
    logit,
    multigammaln,
    ndtr,
    ndtri,
    psi,
    sinc,
    xlog1py,
    xlogy,
    zeta,
)

__all__ = [
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "log1p",
    "log_ndtr",
    "logit",
    "multigammaln",
    "ndtr",
    "ndtri",
    "psi",
    "sinc",
    "xlog1py",
    "xlogy",
    "zeta",
]
