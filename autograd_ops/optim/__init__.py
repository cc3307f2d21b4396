"""Optimizers, which move parameters against their gradients, and schedules for their learning rates.

The most used ones are imported with the package, the others when they are first asked for.
"""

from typing import TYPE_CHECKING

from .. import lazy
from . import lr_scheduler
from .adagrad import Adagrad
from .adam import Adam, AdamW
from .forgotten import ForgottenZeroGrad
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

if TYPE_CHECKING:
    from . import swa_utils
    from .adadelta import Adadelta
    from .adafactor import Adafactor
    from .adamax import Adamax
    from .asgd import ASGD
    from .lbfgs import LBFGS
    from .muon import Muon
    from .nadam import NAdam
    from .radam import RAdam
    from .rprop import Rprop
    from .sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "ForgottenZeroGrad",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

__getattr__, __dir__ = lazy.attributes(
    __name__,
    {
        "optim.adadelta": ("Adadelta",),
        "optim.adafactor": ("Adafactor",),
        "optim.adamax": ("Adamax",),
        "optim.asgd": ("ASGD",),
        "optim.lbfgs": ("LBFGS",),
        "optim.muon": ("Muon",),
        "optim.nadam": ("NAdam",),
        "optim.radam": ("RAdam",),
        "optim.rprop": ("Rprop",),
        "optim.sparse_adam": ("SparseAdam",),
        "optim.swa_utils": ("swa_utils",),
    },
)
