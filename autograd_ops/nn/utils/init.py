"""Modules made without starting values."""

from __future__ import annotations

from typing import Any, TypeVar

from ...refusals import named
from ..module import Module

__all__ = ["skip_init"]

M = TypeVar("M", bound=Module)


def skip_init(module_cls: type[M], *args: Any, **kwargs: Any) -> M:
    """A module whose parameters may have any values, because they are to be loaded.

    Raises
    ------
    TypeError
        If `module_cls` is no class of modules.

    Examples
    --------
    >>> from autograd_ops import nn
    >>> nn.utils.skip_init(nn.Linear, 2, 3)
    Linear(in_features=2, out_features=3, bias=True)
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise TypeError(f"skip_init: expected a class of modules, got {module_cls!r}")
    return module_cls(*args, **kwargs)  # drawing them costs less here than a way around it would


named(__name__)
