"""Dropout, given what is kept: the drawing is the caller's."""

from __future__ import annotations

from autograd_backends import kernels, namespace

from ..registry import Array, op

__all__ = ["dropout", "pack_bits"]


@op(nondiff=True)
def pack_bits(x: Array) -> Array:
    """Bools of any shape, n in all, eight to the byte: uint8 [ceil(n / 8)]"""
    return kernels(x).pack_bits(x)


@op(formula="dx = g scale where kept, else 0", nondiff=("bits",))
def dropout(x: Array, bits: Array, shape: tuple[int, ...], scale: float, value: float = 0.0) -> Array:
    """x times `scale` where it is kept, and `value` elsewhere, whatever x is there.

    Parameters
    ----------
    bits
        `pack_bits` of bools, which are true where x is kept: the tape keeps a bit an element.
    shape
        The shape of these bools; it broadcasts to that of x.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> bits = ag.ops.pack_bits(ag.tensor([True, False, True]))
    >>> ag.ops.dropout(ag.tensor([1.0, 2.0, 3.0]), bits, (3,), 2.0)
    tensor([2., 0., 6.])
    """
    return namespace(x).where(kernels(bits).unpack_bits(bits, shape), x * scale, value)


dropout.backward(x=lambda g, bits, shape, scale: dropout(g, bits, shape, scale))
