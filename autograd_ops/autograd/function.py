"""Function: an op of the user's own, with the backward that the user writes.

Its ``forward`` runs off the tape; one node stands for all of it, and runs ``backward`` in the walk. What the walk
carries are arrays, or Tensors where it records itself; ``backward`` sees Tensors in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NoReturn

from ..ends import across
from ..errors import changed
from ..inplace import move_node, node_of, refuse_leaf
from ..runtime import connect_outputs, fit, take_all
from ..tape import Node, Step, TapeError, mode, new_node, next_seq, no_grad, port_of, zeros_beside
from ..tensor import Tensor

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What the ``forward`` and ``backward`` of one call of a `Function` share; it takes any attribute.

    Attributes
    ----------
    needs_input_grad
        For each argument of ``forward``, whether a gradient is wanted.
    """

    needs_input_grad: tuple[bool, ...] = ()

    def __init__(self) -> None:
        self._to_save: tuple[Tensor | None, ...] = ()
        self._kept: tuple[_Kept | None, ...] | None = None
        self._made_by: Node | None = None
        self._dirty: tuple[Tensor, ...] = ()
        self._constant: tuple[Tensor, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep Tensors for ``backward``, which finds them in `saved_tensors`.

        Other than attributes of `ctx`, they are freed after backward, a change to them in place is noticed, and what
        is among the outputs makes no cycle of references.

        Raises
        ------
        TypeError
            If one is neither a Tensor nor ``None``.
        """
        for i, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward: argument {i} is a {type(tensor).__name__}; only Tensors can be saved: "
                    "anything else can be an attribute, as in ctx.value = value"
                )
        self._to_save = tensors

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` was given.

        Raises
        ------
        TapeError
            In backward, if one has since been changed in place.
        """
        if self._kept is None:
            return self._to_save
        return tuple([None if kept is None else kept.tensor(self._made_by) for kept in self._kept])

    def mark_dirty(self, *args: Tensor) -> None:
        """Say that ``forward`` changes these arguments in place, and returns them."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say that these outputs carry no gradient."""
        self._constant = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` is given zeros, rather than ``None``, for an output that no gradient arrived at."""
        self._materialize = bool(value)


class Function:
    """An op of your own: write ``forward`` and ``backward`` as static methods, call ``apply``.

    ``forward(ctx, *args)`` gives a Tensor or a tuple, computed as one likes; nothing in it is recorded.
    ``backward(ctx, *gradients)`` gets a gradient for each output and gives one for each argument, ``None`` where there
    is none. Or write ``forward(*args)``, and ``setup_context(ctx, inputs, output)`` for what is to be kept. If
    ``backward`` is written with ops, it can be differentiated again; see `once_differentiable` if it is not.

    A gradient is PyTorch's also for complex numbers: the direction of steepest ascent.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> class Exp(ag.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         (y,) = ctx.saved_tensors
    ...         return grad_output * y
    >>> x = ag.tensor(0.0, requires_grad=True)
    >>> Exp.apply(x).backward()
    >>> x.grad
    tensor(1.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(
            f"{type(self).__name__}: a Function is not made into an object; "
            f"call {type(self).__name__}.apply(...), with forward and backward static methods"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """What the function computes: ``forward(ctx, *args)``, or ``forward(*args)`` beside `setup_context`."""
        raise NotImplementedError("a Function needs a static method forward")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """What `backward` needs is put on `ctx` here, if ``forward`` takes no `ctx`."""
        raise NotImplementedError("setup_context is not written")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradient of each argument of ``forward``, from those of its outputs."""
        raise NotImplementedError("a Function needs a static method backward, to be gone back through")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run ``forward``, and put it on the tape if an argument is.

        Raises
        ------
        TapeError
            If ``forward`` changed a leaf that requires grad in place; in backward, if ``backward`` gives another number
            of gradients than there are arguments, or one of another shape or kind.
        TypeError
            In backward, if what it gives for an argument is no Tensor.
        """
        _, nodes, _, _ = take_all(args)
        recording = mode.enabled and any(node is not None for node in nodes)
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple([node is not None for node in nodes])
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args)
            else:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
        several = isinstance(output, (tuple, list))
        outputs = [_apart(value, args, ctx) for value in output] if several else [_apart(output, args, ctx)]
        if recording:
            _record(cls, ctx, args, nodes, list(output) if several else [output], outputs)
        return type(output)(outputs) if several else outputs[0]


def _apart(value: Any, args: tuple[Any, ...], ctx: FunctionCtx) -> Any:
    """An output as a Tensor that can have a place on the tape of its own; one changed in place as it is."""
    if not isinstance(value, Tensor) or any(value is dirty for dirty in ctx._dirty):
        return value
    shared = value.alias is not None or any(value is arg for arg in args)
    return value.detach() if shared or value.node is not None else value


def _record(
    cls: type[Function],
    ctx: FunctionCtx,
    args: tuple[Any, ...],
    nodes: list[Node | None],
    given: list[Any],
    outputs: list[Any],
) -> None:
    """Put a call on the tape: `given` is what ``forward`` returned, `outputs` what the caller gets."""
    carrying = [
        i
        for i, (raw, out) in enumerate(zip(given, outputs, strict=True))
        if isinstance(out, Tensor)
        and out.dtype.kind in ("float", "complex")
        and not any(raw is constant for constant in ctx._constant)
    ]
    if not carrying:
        return
    results = [Tensor(outputs[i].array) if _is_dirty(ctx, outputs[i]) else outputs[i] for i in carrying]
    node = Node()
    node.seq = next_seq()
    node.parents = tuple(nodes)
    node.hooks = None
    step = _Call(cls, ctx, [isinstance(arg, Tensor) for arg in args], given, carrying)
    node.op = step
    if len(results) == 1:
        (result,) = results
        node.shape, node.dtype = result.array.shape, result.array.dtype
        result.node = node
    else:
        connect_outputs(node, results)
    for i, result in zip(carrying, results, strict=True):
        if result is not outputs[i]:
            refuse_leaf(outputs[i], f"{cls.__name__}.apply")
            move_node(outputs[i], result)
    # An argument that is returned as it is was made elsewhere; one that was changed in place is an output from here on.
    passed = {id(arg) for arg in args} - {id(dirty) for dirty in ctx._dirty}
    places = {id(given[i]): at for at, i in enumerate(carrying) if id(given[i]) not in passed}
    node.saved = tuple(
        [None if x is None else _Kept(step, i, x, places.get(id(x))) for i, x in enumerate(ctx._to_save)]
    )
    step.keeps_arrays = any(kept is not None for kept in node.saved)
    ctx._to_save = ctx._dirty = ctx._constant = ()
    if mode.observer is not None:
        mode.observer(node, args, outputs if len(outputs) > 1 else outputs[0])


def _is_dirty(ctx: FunctionCtx, output: Tensor) -> bool:
    return any(output is dirty for dirty in ctx._dirty)


class _Kept:
    """A saved Tensor: its array and its place on the tape, and how often it had been changed."""

    __slots__ = ("_array", "_name", "_node", "_number", "_place", "_step", "_version")

    def __init__(self, step: _Call, i: int, tensor: Tensor, place: int | None) -> None:
        self._step = step
        self._name = f"saved tensor {i}"
        self._array = tensor.array
        self._version = tensor.version
        self._number = tensor.version[0]
        self._place = place  # if it is an output, which: the node that made it is the one that keeps it
        self._node = (tensor.node if tensor.alias is None else node_of(tensor)) if place is None else None

    def tensor(self, made_by: Node | None) -> Tensor:
        if self._version[0] != self._number:
            raise changed(self._step, self._name, self._version)
        tensor = Tensor(self._array)
        tensor.version = self._version
        tensor.node = self._node
        if self._place is not None and made_by is not None:
            tensor.node = made_by if self._step.has_one_output else port_of(made_by, self._place)
        return tensor


class _Call(Step):
    """The step of one call of a Function."""

    def __init__(
        self, cls: type[Function], ctx: FunctionCtx, are_tensors: list[bool], outputs: list[Any], carrying: list[int]
    ) -> None:
        self.name = cls.__name__
        self.formula = f"{cls.__name__}.backward"
        self.fills_gaps = ctx._materialize
        self._backward = cls.backward
        self._ctx = ctx
        self._are_tensors = are_tensors
        self._outputs = [(o.array.shape, o.array.dtype) if isinstance(o, Tensor) else None for o in outputs]
        self._carrying = carrying
        self.has_one_output = len(carrying) == 1

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        found = self._call(gradient, saved, parents, None)
        return tuple([None if g is None else g.array for g in found])

    def pull_recorded(self, node: Node, gradient: Any, parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        return tuple(self._call(gradient, node.saved, parents, node))

    def _call(
        self, gradient: Any, saved: tuple[Any, ...], parents: Sequence[Node | None], made_by: Node | None
    ) -> list[Tensor | None]:
        ctx = self._ctx
        ctx.needs_input_grad = tuple([parent is not None for parent in parents])
        ctx._kept, ctx._made_by = saved, made_by
        try:
            found = self._backward(ctx, *self._arriving(gradient))
        finally:
            ctx._kept, ctx._made_by = (), None
        return self._checked(found, parents)

    def _arriving(self, gradient: Any) -> list[Tensor | None]:
        """A gradient for each output, as Tensors."""
        arrived = gradient if isinstance(gradient, list) else [gradient]
        present = next(g for g in arrived if g is not None)
        given: list[Any] = [None] * len(self._outputs)
        if self.fills_gaps:
            given = [None if like is None else zeros_beside(present, *like) for like in self._outputs]
        for i, g in zip(self._carrying, arrived, strict=True):
            given[i] = g
        return [None if g is None else Tensor(across(g)) if not isinstance(g, Tensor) else across(g) for g in given]

    def _checked(self, found: Any, parents: Sequence[Node | None]) -> list[Tensor | None]:
        """What ``backward`` gave, of the shape and dtype of each argument that wants it."""
        gradients = list(found) if isinstance(found, (tuple, list)) else [found]
        while len(gradients) > len(parents) and gradients[-1] is None:
            gradients.pop()
        if len(gradients) != len(parents):
            raise TapeError(
                f"{self.name}.backward gave {len(gradients)} gradients, but {self.name}.forward takes {len(parents)} "
                "arguments: return one for each, None for what has none"
            )
        return [self._fitted(i, g, parent) for i, (g, parent) in enumerate(zip(gradients, parents, strict=True))]

    def _fitted(self, i: int, gradient: Any, parent: Node | None) -> Tensor | None:
        if gradient is None:
            return None
        if not isinstance(gradient, Tensor):
            raise TypeError(
                f"{self.name}.backward gave a {type(gradient).__name__} for argument {i}, not a Tensor or None"
            )
        if not self._are_tensors[i]:
            raise TapeError(
                f"{self.name}.backward gave a gradient for argument {i}, which is no Tensor: return None there"
            )
        if parent is None:
            return None
        if gradient.dtype.kind not in ("float", "complex"):
            raise TapeError(
                f"{self.name}.backward gave a gradient of {gradient.dtype.name} for argument {i}; gradients are floats"
            )
        if gradient.array.shape != parent.shape and not _expands(parent.shape, gradient.array.shape):
            raise TapeError(
                f"{self.name}.backward gave a gradient of shape {tuple(gradient.shape)} for argument {i}, "
                f"whose shape is {tuple(parent.shape)}"
            )
        return fit(across(gradient), parent)


def _expands(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether `shape` broadcasts to `to`."""
    return len(shape) <= len(to) and all(a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """For a ``backward`` that is not written with ops: an attempt to differentiate what it gives is an error.

    Raises
    ------
    TapeError
        In the walk that comes to it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> class Double(ag.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...     @staticmethod
    ...     @ag.autograd.function.once_differentiable
    ...     def backward(ctx, g):
    ...         return ag.tensor(2 * g.numpy())
    """

    @wraps(backward)
    def once(ctx: FunctionCtx, *gradients: Tensor | None) -> Any:
        with no_grad():
            found = backward(ctx, *[g if g is None else g.detach() for g in gradients])
        given: list[Any] = [*gradients, *(ctx.saved_tensors if mode.enabled else ())]
        behind = [x.node for x in given if x is not None and x.node is not None]
        if not mode.enabled or not behind:
            return found
        results = found if isinstance(found, tuple) else (found,)
        return tuple([_only_once(x, behind) if isinstance(x, Tensor) else x for x in results])

    return once


def _only_once(gradient: Tensor, behind: list[Node]) -> Tensor:
    result = gradient.detach()
    result.node = new_node(_ONCE, tuple(behind), gradient.array)
    return result


class _Once(Step):
    name = "once_differentiable"

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> NoReturn:
        raise TapeError(
            "this gradient came from a backward that is once_differentiable: it cannot be differentiated again; "
            "write that backward with ops, without the decorator"
        )


_ONCE = _Once()
