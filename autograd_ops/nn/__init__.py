"""Modules, written with ops, under PyTorch's names: parameters, ``state_dict`` keys and defaults are PyTorch's too."""

from typing import TYPE_CHECKING

from ..lazy import attributes
from . import functional, init, parallel, utils
from .activation import *
from .adaptive_softmax import *
from .attention import *
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .conv import *
from .distance import *
from .dropout import *
from .embedding import *
from .lazy import *
from .likelihood import *
from .linear import *
from .loss import *
from .margin_loss import *
from .module import Module
from .normalization import *
from .padding import *
from .parallel import *
from .parameter import Buffer, Parameter
from .piecewise import *
from .pooling import *
from .recurrent import *
from .shape import *
from .shuffle import *
from .smooth import *
from .transformer import *
from .unfolding import *
from .uninitialized import UninitializedBuffer, UninitializedParameter
from .upsampling import *

if TYPE_CHECKING:
    from . import modules

__getattr__, __dir__ = attributes(
    __name__,
    {
        "nn.functional": ("functional",),
        "nn.init": ("init",),
        "nn.modules": ("modules",),
        "nn.parallel": ("parallel",),
        "nn.utils": ("utils",),
    },
)
