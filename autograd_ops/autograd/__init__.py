"""Derivatives: ``backward``, ``grad``, and checks against finite differences."""

from .core import backward, grad
from .gradcheck import GradcheckError, gradcheck, gradgradcheck

__all__ = ["GradcheckError", "backward", "grad", "gradcheck", "gradgradcheck"]
