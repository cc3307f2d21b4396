"""The shapes that module ops take and give, and what is wrong with the shapes that they refuse.

Pure arithmetic on tuples of ints. Every ``*_output_shape`` function checks its arguments first.
"""

from .attention import *
from .common import *
from .conv import *
from .ctc import *
from .hints import *
from .linear import *
from .norm import *
from .pad import *
from .pool import *
from .recurrent import *
from .resample import *
from .unfold import *
