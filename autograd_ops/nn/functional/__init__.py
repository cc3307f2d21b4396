"""Functions with PyTorch's names and signatures, behind the modules of ``nn``. Each translates to ops."""

from .activation import *
from .attention import *
from .convolution import *
from .cross_entropy import *
from .ctc import *
from .dropout import *
from .embedding import *
from .grid_sample import *
from .interpolation import *
from .linear import *
from .loss import *
from .normalization import *
from .padding import *
from .pooling import *
from .shuffle import *
from .unfolding import *
from .unpooling import *
