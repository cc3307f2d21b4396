"""Every op: functions of Tensors, which they record, and of arrays, which they do not.

The names and argument orders of the module ops (`linear`, `conv2d`, ...) are the library's own;
``autograd_ops.nn.functional`` has PyTorch's and translates.
"""

from .activation import *
from .compare import *
from .dtype import astype, clone, ones_like, zeros_like
from .dropout import *
from .elementwise import *
from .indexing import *
from .loss import *
from .product import *
from .reduce import *
from .shape import *
