"""Dropout, given the mask: what is drawn is the caller's."""

from __future__ import annotations

from autograd_backends import namespace

from ..registry import Array, op

__all__ = ["dropout"]


@op(formula="dx = g scale where keep, else 0", nondiff=("keep",))
def dropout(x: Array, keep: Array, scale: float) -> Array:
    """x times `scale` where `keep`, bools that broadcast to the shape of x; 0 elsewhere, whatever x is there"""
    return namespace(x).where(keep, x * scale, 0.0)


dropout.backward(x=lambda g, keep, scale: dropout(g, keep, scale))
