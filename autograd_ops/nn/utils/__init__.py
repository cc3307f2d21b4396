"""Helpers around modules: gradients made smaller, parameters as a vector or computed from others, packed sequences.

What few programs use is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

from ... import lazy
from . import rnn
from .clip_grad import clip_grad_norm, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters

if TYPE_CHECKING:
    from . import fusion, init, parametrizations, parametrize, stateless
    from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
    from .init import skip_init
    from .weightnorm import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "fusion",
    "get_total_norm",
    "init",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]

__getattr__, __dir__ = lazy.attributes(
    __name__,
    {
        "nn.utils.fusion": (
            "fuse_conv_bn_eval",
            "fuse_conv_bn_weights",
            "fuse_linear_bn_eval",
            "fuse_linear_bn_weights",
            "fusion",
        ),
        "nn.utils.init": ("init", "skip_init"),
        "nn.utils.norms": ("norms",),
        "nn.utils.parametrizations": ("parametrizations",),
        "nn.utils.parametrize": ("parametrize",),
        "nn.utils.stateless": ("stateless",),
        "nn.utils.weightnorm": ("remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"),
    },
)
