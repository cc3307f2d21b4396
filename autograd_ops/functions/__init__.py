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
    from .layers import *
    from .matrices import *

#: Modules that are imported when one of their functions is first asked for, here, in ``autograd_ops`` or as a method.
LAZY = {
    "functions.layers": (
        "adaptive_avg_pool1d",
        "adaptive_max_pool1d",
        "alpha_dropout",
        "avg_pool1d",
        "batch_norm",
        "bilinear",
        "binary_cross_entropy_with_logits",
        "celu",
        "celu_",
        "channel_shuffle",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "cosine_embedding_loss",
        "cosine_similarity",
        "ctc_loss",
        "dropout",
        "dropout_",
        "embedding",
        "feature_alpha_dropout",
        "feature_dropout",
        "group_norm",
        "hardshrink",
        "hinge_embedding_loss",
        "instance_norm",
        "kl_div",
        "layer_norm",
        "margin_ranking_loss",
        "max_pool1d",
        "max_pool1d_with_indices",
        "max_pool2d",
        "max_pool3d",
        "native_channel_shuffle",
        "norm_except_dim",
        "pairwise_distance",
        "pixel_shuffle",
        "pixel_unshuffle",
        "poisson_nll_loss",
        "prelu",
        "relu_",
        "rms_norm",
        "rrelu",
        "rrelu_",
        "selu",
        "selu_",
        "threshold",
        "threshold_",
        "triplet_margin_loss",
    ),
    "functions.arranging": ("broadcast_shapes", "diag_embed", "diagflat", "fliplr", "flipud", "ravel", "rot90"),
    "functions.matrices": (
        "chain_matmul",
        "cholesky",
        "cholesky_inverse",
        "cholesky_solve",
        "cross",
        "det",
        "ger",
        "inverse",
        "kron",
        "logdet",
        "lu_solve",
        "matrix_exp",
        "matrix_power",
        "orgqr",
        "pinverse",
        "qr",
        "slogdet",
        "svd",
        "triangular_solve",
    ),
}

__getattr__, __dir__ = lazy.attributes(__name__, LAZY)
