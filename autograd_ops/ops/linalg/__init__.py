"""Linear algebra on batches of matrices.

The tape carries C-linear gradients, so what is holomorphic (inv, det, solve, matrix_exp, eig) has one rule for real and
complex matrices, with transposes and no conjugates. The rules of the other decompositions are the published ones, which
are written for the conjugate of the tape's gradient: as they are made of products, adjoints and sums alone, they hold
for the tape's own with the conjugates of the factors in them.
"""

from .determinant import *
from .eigen import *
from .exponential import *
from .factor import *
from .singular import *
from .solve import *

__all__ = [
    "cholesky",
    "cholesky_ex",
    "cofactor",
    "cofactor_backward",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "inv_ex",
    "lu_factor",
    "matrix_exp",
    "pinv",
    "qr",
    "row_order",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
]
