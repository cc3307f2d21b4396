"""Derivatives: ``backward``, ``grad``, functions with their own backward, and checks against finite differences."""

from typing import TYPE_CHECKING

from .. import lazy
from ..tape import enable_grad, inference_mode, no_grad, set_grad_enabled
from ..tensor import Tensor as Variable  # what a Tensor on the tape was once called
from .core import backward, grad
from .gradcheck import GradcheckError, gradcheck, gradgradcheck

if TYPE_CHECKING:
    from . import function, functional, graph
    from .anomaly_mode import AnomalyError, detect_anomaly, set_detect_anomaly
    from .function import Function

__all__ = [
    "GradcheckError",
    "Variable",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]

#: What is imported when it is first asked for.
_LAZY = {
    "autograd.function": ("function", "Function"),
    "autograd.functional": ("functional",),
    "autograd.graph": ("graph",),
    "autograd.anomaly_mode": ("AnomalyError", "detect_anomaly", "set_detect_anomaly"),
}

__getattr__, __dir__ = lazy.attributes(__name__, _LAZY)
