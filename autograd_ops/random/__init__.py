"""Random Tensors, and the generators that they are drawn from."""

from .drawing import *
from .drawing import draw
from .generator import *
