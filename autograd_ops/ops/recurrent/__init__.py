"""Recurrent networks: whole sequences, and one step of each, a call being one node on the tape.

The forward is a kernel that keeps the values of its gates; the backward goes back through time on arrays. Where the
backward is to be differentiated itself, the same steps are taken again as a loop of ops, and the tape goes back
through those. A cell is a sequence of one step, and has no kernel of its own.
"""

from .gru import *
from .lstm import *
from .rnn import *
