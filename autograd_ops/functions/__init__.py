"""Functions with PyTorch's names and signatures. Each translates to ops; most are methods of Tensor as well."""

from .arithmetic import *
from .products import *
from .reductions import *
from .shapes import *
