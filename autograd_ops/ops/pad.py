"""Padding. It is linear in its input, and its adjoint adds every cell up where it was read."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_backends import kernels

from ..registry import Array, ShapeOf, op

__all__ = ["pad", "pad_backward"]

Pairs = Sequence[tuple[int, int]]


@op(formula="dx = g, each cell added where it was read", fresh=True)
def pad(x: Array, padding: Pairs, mode: str = "constant", value: float = 0.0) -> Array:
    """x with cells before and after its last dimensions.

    Parameters
    ----------
    x
        Of any shape.
    padding
        (before, after) for each of the last dimensions of x, in their order; negative numbers cut cells off.
    mode
        ``"constant"``: the cells are `value`. ``"edge"``: the outermost of x. ``"reflect"``: mirrored at the
        outermost, which are not repeated. ``"circular"``: as if copies of x lay side by side.
    value
        For ``"constant"``.

    Raises
    ------
    ShapeError
        If `padding` has more pairs than x dimensions, cuts off more than there is, or `mode` cannot fill so much:
        ``"reflect"`` fills less than the length of the dimension, ``"circular"`` no more, and ``"edge"`` any number
        if that is not 0.
    ValueError
        If there is no such `mode`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops import ops
    >>> x = ag.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> y = ops.pad(x, [(2, 1)], mode="reflect")
    >>> y.detach()
    tensor([3., 2., 1., 2., 3., 2.])
    >>> y.sum().backward()
    >>> x.grad
    tensor([1., 3., 2.])
    """
    return kernels(x).pad(x, padding, mode, value)


pad.backward(x=lambda g, x_shape, padding, mode: pad_backward(x_shape, g, padding, mode))


@op(formula="dgrad = pad(g, padding, mode)", fresh=True)
def pad_backward(x: ShapeOf, grad: Array, padding: Pairs, mode: str = "constant") -> Array:
    """The gradient of x, of which only the shape is used"""
    return kernels(grad).pad_backward(x, grad, padding, mode)


pad_backward.backward(grad=lambda g, padding, mode: pad(g, padding, mode))
