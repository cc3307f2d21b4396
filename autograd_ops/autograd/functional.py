"""Jacobians, Hessians and their products, as functions of a function and of where it is evaluated.

PyTorch's older face for derivatives of functions; `autograd_ops.func` has the newer one. Arguments and results are a
Tensor or a tuple of them, and what these functions give is arranged alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..func.jacobians import columns, rows
from ..func.level import gradients, place, same, zeros_like
from ..func.products import pushed
from ..tape import enable_grad
from ..tensor import Tensor
from .core import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = Tensor | tuple[Tensor, ...]
Func = Callable[..., Any]


def vjp(
    func: Func, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensors, Tensors]:
    """What `func` gives, and `v` times its Jacobian.

    Parameters
    ----------
    func
        A function of Tensors that gives a Tensor or a tuple of them.
    inputs
        Its argument, or a tuple of them.
    v
        The vector, like what `func` gives; may be left out if that is a single element.
    create_graph
        Put the result on the tape.
    strict
        Refuse a result that does not depend on an input, where otherwise the derivative is zeros.

    Raises
    ------
    RuntimeError
        If `strict` refuses.
    ValueError
        If `v` is not like what `func` gives.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.autograd.functional.vjp(lambda x: x**2, ag.tensor([1.0, 2.0]), ag.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    at = _At("vjp", func, inputs, create_graph, strict)
    with enable_grad():
        found = gradients(at.outputs, at.inputs, at.vector(v, at.outputs), create_graph)
    return at.like_outputs(at.outputs), at.like_inputs(found)


def jvp(
    func: Func, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensors, Tensors]:
    """What `func` gives, and its Jacobian times `v`, which is like `inputs`; see `vjp`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.autograd.functional.jvp(lambda x: x**2, ag.tensor([1.0, 2.0]), ag.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    at = _At("jvp", func, inputs, create_graph, strict)
    with enable_grad():
        found = pushed(at.outputs, at.inputs, [at.vector(v, at.inputs)], create_graph)
    return at.like_outputs(at.outputs), at.like_outputs([column for (column,) in found])


def jacobian(
    func: Func,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of `func`.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As for `vjp`.
    vectorize
        Accepted for PyTorch's sake.
    strategy
        ``"reverse-mode"``, a row at a time, or ``"forward-mode"``, a column at a time.

    Returns
    -------
    Tensor or tuple
        Of shape output and then input; for several inputs a tuple, for several outputs a tuple of what each has.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.autograd.functional.jacobian(lambda x, y: x * y, (ag.tensor([1.0, 2.0]), ag.tensor(3.0)))
    (tensor([[3., 0.],
            [0., 3.]]), tensor([1., 2.]))
    """
    blocks = {"reverse-mode": rows, "forward-mode": columns}.get(strategy)
    if blocks is None:
        raise ValueError(f"jacobian: strategy is 'reverse-mode' or 'forward-mode', not {strategy!r}")
    at = _At("jacobian", func, inputs, create_graph, strict)
    with enable_grad():
        found = [at.like_inputs(blocks(output, at.inputs, create_graph)) for output in at.outputs]
    return tuple(found) if at.several_outputs else found[0]


def hessian(
    func: Func,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of `func`, which gives a single element; see `jacobian`.

    Returns
    -------
    Tensor or tuple
        Of shape input and then input; for several inputs a tuple of tuples.

    Raises
    ------
    RuntimeError
        If `func` gives anything but a single element.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.autograd.functional.hessian(lambda x: (x**3).sum(), ag.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """

    def first(*values: Tensor) -> Any:
        at = _At("hessian", func, values, True, strict)
        _one_element("hessian", at)
        return tuple(gradients(at.outputs, at.inputs, at.vector(None, at.outputs), True))

    values = _tuple("hessian", "inputs", inputs)
    found = jacobian(first, values, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found[0][0] if isinstance(inputs, Tensor) else found


def vhp(
    func: Func, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensors, Tensors]:
    """What `func` gives, a single element, and `v` times its Hessian; see `vjp`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.autograd.functional.vhp(lambda x: (x**3).sum(), ag.tensor([1.0, 2.0]), ag.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Func, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensors, Tensors]:
    """What `func` gives, a single element, and its Hessian times `v`: as `vhp`, since a Hessian is symmetric."""
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)


def _hessian_product(
    name: str, func: Func, inputs: Tensors, v: Tensors | None, create_graph: bool, strict: bool
) -> tuple[Tensors, Tensors]:
    at = _At(name, func, inputs, create_graph, strict)
    _one_element(name, at)
    with enable_grad():
        first = gradients(at.outputs, at.inputs, at.vector(None, at.outputs), create_graph=True)
        if strict:
            _check_dependent(name, "the gradient of the function", first, at.inputs)
        found = gradients(first, at.inputs, at.vector(v, at.inputs), create_graph)
    return at.like_outputs(at.outputs), at.like_inputs(found)


class _At:
    """A function evaluated: its arguments as Tensors apart from the user's, and what it gave."""

    def __init__(self, name: str, func: Func, inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name = name
        self._create_graph = create_graph
        self._several_inputs = not isinstance(inputs, Tensor)
        given = _tuple(name, "inputs", inputs)
        for i, x in enumerate(given):
            if x.dtype.kind not in ("float", "complex"):
                raise TypeError(f"{name}: only float tensors have derivatives, and input {i} is {x.dtype.name}")
        with enable_grad():
            self.inputs = [same(x) if create_graph and place(x) else x.detach().requires_grad_() for x in given]
            result = func(*self.inputs)
        self.several_outputs = not isinstance(result, Tensor)
        self.outputs = list(_tuple(name, "what the function gives", result))
        if strict:
            _check_dependent(name, "the function", self.outputs, self.inputs)

    def vector(self, v: Tensors | None, like: Sequence[Tensor]) -> list[Tensor]:
        """`v` as a list, which is to be like these Tensors."""
        if v is None:
            if len(like) != 1 or like[0].numel() != 1:
                raise ValueError(f"{self.name}: v can be left out only where it is a single element")
            return [zeros_like(like[0]) + 1.0]
        vector = list(_tuple(self.name, "v", v))
        if [x.array.shape for x in vector] != [x.array.shape for x in like]:
            raise ValueError(
                f"{self.name}: v has shapes {[tuple(x.shape) for x in vector]}, "
                f"but must be like {[tuple(x.shape) for x in like]}"
            )
        return vector if self._create_graph else [x.detach() for x in vector]

    def like_inputs(self, tensors: Sequence[Tensor]) -> Any:
        """A Tensor for each input, arranged as they were."""
        return self._arranged(tensors, self._several_inputs)

    def like_outputs(self, tensors: Sequence[Tensor]) -> Any:
        """A Tensor for each output, arranged as the function does."""
        return self._arranged(tensors, self.several_outputs)

    def _arranged(self, tensors: Sequence[Tensor], several: bool) -> Any:
        results = tuple(tensors) if self._create_graph else tuple([x.detach() for x in tensors])
        return results if several else results[0]


def _tuple(name: str, what: str, given: Any) -> tuple[Tensor, ...]:
    tensors = (given,) if isinstance(given, Tensor) else tuple(given) if isinstance(given, (tuple, list)) else (None,)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            got = type(given if given is not None and not isinstance(given, (tuple, list)) else tensor).__name__
            raise TypeError(f"{name}: {what} must be a Tensor or a tuple of Tensors; element {i} is a {got}")
    return tensors


def _one_element(name: str, at: _At) -> None:
    if at.several_outputs or at.outputs[0].numel() != 1:
        raise RuntimeError(f"{name}: the function must give one Tensor of a single element")


def _check_dependent(name: str, what: str, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """What ``strict`` means."""
    for o, output in enumerate(outputs):
        found: Sequence[Tensor | None] = [None] * len(inputs)
        if output.node is not None:
            ones = zeros_like(output) + 1.0
            found = grad(output, inputs, ones, retain_graph=True, allow_unused=True)
        for i, gradient in enumerate(found):
            if gradient is None:
                raise RuntimeError(
                    f"{name}: output {o} of {what} does not depend on input {i}, which strict does not allow"
                )
