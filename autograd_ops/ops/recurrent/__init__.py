"""Recurrent networks: whole sequences, and one step of each, a call being one node on the tape.

The forward is a kernel that keeps the values of its gates; the backward goes back through time on arrays. Where the
backward is to be differentiated itself, the same steps are taken again as a loop of ops, and the tape goes back
through those. A cell is a sequence of one step, and has no kernel of its own.
"""

from . import gru as _gru
from . import lstm as _lstm
from . import rnn as _rnn
from .gru import *
from .lstm import *
from .rnn import *

__all__ = [*_gru.__all__, *_lstm.__all__, *_rnn.__all__]
