"""Modules, written with ops, under PyTorch's names: parameters, ``state_dict`` keys and defaults are PyTorch's too."""

from typing import TYPE_CHECKING

from .. import lazy
from . import functional, init, utils
from .activation import *
from .attention import *
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from .conv import *
from .dropout import *
from .embedding import *
from .linear import *
from .loss import *
from .module import Module
from .normalization import *
from .padding import *
from .parameter import Parameter
from .pooling import *
from .recurrent import *
from .shape import *
from .shuffle import *
from .transformer import *
from .unfolding import *
from .upsampling import *

if TYPE_CHECKING:
    from . import modules

__getattr__, __dir__ = lazy.attributes(__name__, {"nn.modules": ("modules",)})
