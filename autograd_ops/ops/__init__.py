"""Every op: functions of Tensors, which they record, and of arrays, which they do not.

The names and argument orders of the module ops (`linear`, `conv2d`, ...) are the library's own;
``autograd_ops.nn.functional`` has PyTorch's and translates.
"""

from autograd_backends import (
    AttentionModuleOptions,
    ConvOptions,
    ConvTransposeOptions,
    DeformConvOptions,
    GridSampleOptions,
    InterpolateOptions,
    PaddedConvOptions,
    RecurrentOptions,
    UnfoldOptions,
)

from .activation import *
from .attention import *
from .compare import *
from .conv import *
from .conv_transpose import *
from .ctc import *
from .deform_conv import *
from .dropout import *
from .dtype import *
from .elementwise import *
from .embedding import *
from .grid_sample import *
from .group_norm import *
from .indexing import *
from .interpolate import *
from .linear import *
from .loss import *
from .norm import *
from .pad import *
from .pool import *
from .product import *
from .recurrent import *
from .reduce import *
from .shape import *
from .unfold import *
