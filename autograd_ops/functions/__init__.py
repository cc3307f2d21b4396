"""Functions with PyTorch's names and signatures. Each translates to ops; most are methods of Tensor as well.

What a small training script needs is imported with the package; the rest, listed here, when it is first asked for.
"""

from typing import TYPE_CHECKING

from .. import lazy
from .arithmetic import *
from .products import *
from .reductions import *
from .shapes import *

if TYPE_CHECKING:
    from .arranging import *
    from .complex_numbers import *
    from .distances import *
    from .elementary import *
    from .facts import *
    from .histograms import *
    from .joining import *
    from .layers import *
    from .making import *
    from .matrices import *
    from .scans import *
    from .scattering import *
    from .searching import *
    from .special import *
    from .statistics import *
    from .tensor_products import *

#: Modules that are imported when one of their functions is first asked for, here, in ``autograd_ops`` or as a method.
LAZY = {
    "functions.layers": (
        *("adaptive_avg_pool1d", "adaptive_max_pool1d", "alpha_dropout", "avg_pool1d", "batch_norm", "bilinear"),
        *("binary_cross_entropy_with_logits", "celu", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d"),
        *("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss", "cosine_similarity"),
        *("ctc_loss", "dropout", "dropout_", "embedding", "feature_alpha_dropout", "feature_dropout", "group_norm"),
        *("hardshrink", "hinge_embedding_loss", "instance_norm", "kl_div", "layer_norm", "margin_ranking_loss"),
        *("max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "native_channel_shuffle"),
        *("norm_except_dim", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss", "prelu"),
        *("rms_norm", "rrelu", "rrelu_", "selu", "selu_", "threshold", "threshold_", "triplet_margin_loss"),
    ),
    "functions.arranging": (
        *("broadcast_shapes", "diag_embed", "diagflat", "fliplr", "flipud", "ravel", "rot90", "sum_to_size"),
        *("swapdims",),
    ),
    "functions.complex_numbers": (
        *("adjoint", "angle", "complex", "conj", "conj_physical", "imag", "is_complex", "is_conj", "is_neg", "isreal"),
        *("polar", "real", "resolve_conj", "resolve_neg", "sgn", "vdot", "view_as_complex", "view_as_real"),
    ),
    "functions.distances": ("cdist", "dist", "pdist", "renorm"),
    "functions.elementary": (
        *("addcdiv", "addcmul", "bitwise_left_shift", "bitwise_not", "bitwise_right_shift", "copysign"),
        *("deg2rad", "detach", "fill", "float_power", "fmax", "fmin", "fmod", "frac", "frexp", "gcd"),
        *("heaviside", "hypot", "isneginf", "isposinf", "lcm", "ldexp", "nan_to_num", "nextafter", "positive"),
        *("rad2deg", "rsub", "signbit"),
    ),
    "functions.facts": ("is_nonzero", "is_same_size", "is_signed", "typename"),
    "functions.histograms": ("bincount", "histc", "histogram"),
    "functions.joining": (
        *("atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "cartesian_prod", "column_stack"),
        *("combinations", "dsplit", "dstack", "hsplit", "row_stack", "split_with_sizes", "tensor_split"),
        *("unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "vsplit"),
    ),
    "functions.making": (
        *("bartlett_window", "blackman_window", "empty_strided", "hamming_window", "hann_window"),
        *("kaiser_window", "logspace", "range", "scalar_tensor"),
    ),
    "functions.matrices": (
        *("cholesky", "cholesky_inverse", "cholesky_solve", "det", "inverse", "logdet", "lu_solve", "matrix_exp"),
        *("matrix_power", "orgqr", "pinverse", "qr", "slogdet", "svd", "triangular_solve"),
    ),
    "functions.scans": (
        *("cummax", "cummin", "cumulative_trapezoid", "diff", "gradient", "logcumsumexp", "trapezoid", "trapz"),
    ),
    "functions.scattering": (
        *("diagonal_scatter", "index_copy", "index_put", "index_reduce", "masked_scatter", "narrow_copy"),
        *("put", "scatter_reduce", "select_scatter", "slice_scatter", "take_along_dim", "tril_indices"),
        *("triu_indices", "unravel_index"),
    ),
    "functions.searching": ("argwhere", "bucketize", "isin", "msort", "searchsorted", "unique", "unique_consecutive"),
    "functions.special": (
        *("digamma", "erfc", "erfinv", "exp2", "i0", "lgamma", "logaddexp2", "logit", "mvlgamma", "polygamma"),
        *("sinc", "xlogy"),
    ),
    "functions.statistics": (
        *("aminmax", "corrcoef", "count_nonzero", "cov", "kthvalue", "median", "mode", "nanmean", "nanmedian"),
        *("nanquantile", "nansum", "quantile", "std_mean", "var_mean"),
    ),
    "functions.tensor_products": (
        *("addbmm", "addmv", "addr", "baddbmm", "chain_matmul", "cross", "ger", "kron", "tensordot", "vander"),
    ),
}

__getattr__, __dir__ = lazy.attributes(__name__, LAZY)
