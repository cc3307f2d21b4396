"""Functions with PyTorch's names and signatures, behind the modules of ``nn``. Each translates to ops."""

from .activation import *
from .attention import *
from .convolution import *
from .cross_entropy import *
from .ctc import *
from .distance import *
from .dropout import *
from .embedding import *
from .embedding_bag import *
from .grid_sample import *
from .in_place import *
from .interpolation import *
from .likelihood import *
from .linear import *
from .loss import *
from .margin_loss import *
from .normalization import *
from .padding import *
from .piecewise import *
from .pooling import *
from .shuffle import *
from .smooth import *
from .unfolding import *
from .unpooling import *
