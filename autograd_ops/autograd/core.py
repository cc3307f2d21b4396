"""``backward`` and ``grad``: where a walk along the tape begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_backends import DeviceError, namespace
from autograd_backends.lookup import complex_dtypes

from ..ends import across
from ..inplace import node_of
from ..ops import astype, stack
from ..tape import Leaf, Node, TapeError, set_grad_enabled, told, walk
from ..tensor import Tensor

__all__ = ["backward", "grad"]

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Add the gradients of `tensors` to the ``grad`` of each leaf that they were computed from.

    Parameters
    ----------
    tensors
        One Tensor or several.
    grad_tensors
        The gradient that arrives at each, of its shape; may be ``None`` for a single element, where it is 1.
    retain_graph
        Keep what the tape saved, so that it can be walked again; by default as `create_graph`.
    create_graph
        Record the backward pass too, so that the gradients can be differentiated.
    inputs
        Only these Tensors get a gradient.

    Raises
    ------
    TapeError
        If a tensor does not require grad, a gradient is missing or has another shape, or the tape was freed.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> ag.autograd.backward([x.sum(), (x * x).sum()])
    >>> x.grad
    tensor([3., 5.])
    """
    retain = create_graph if retain_graph is None else retain_graph
    nodes, gradients = _roots("backward", _sequence(tensors), grad_tensors, create_graph)
    if inputs is None:
        walk(nodes, gradients, retain, create_graph)
        return
    targets = _sequence(inputs)
    found = walk(nodes, gradients, retain_graph=retain, create_graph=create_graph, inputs=_nodes("backward", targets))
    with set_grad_enabled(create_graph):
        for target in targets:
            if target.node is not None and target.node.seq in found:
                target.accumulate(found[target.node.seq], owned=False)
                if isinstance(target.node, Leaf):
                    told(target.node, target)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`; nobody's ``grad`` changes.

    Parameters
    ----------
    outputs, inputs
        One Tensor each, or several.
    grad_outputs
        The gradient that arrives at each output, of its shape; may be ``None`` for a single element, where it is 1.
    retain_graph, create_graph
        As in `backward`.
    allow_unused
        Give ``None`` for an input that no output was computed from, instead of raising; by default as
        `materialize_grads`.
    is_grads_batched
        Each of `grad_outputs` has a first dimension more, and so has each result: one walk for each slice.
    materialize_grads
        Give zeros for such an input.

    Returns
    -------
    tuple
        A gradient for each input, of its shape and dtype.

    Raises
    ------
    TapeError
        As `backward`, and for an unused input.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor(3.0, requires_grad=True)
    >>> (g,) = ag.autograd.grad(x**3, x, create_graph=True)
    >>> ag.autograd.grad(g, x)
    (tensor(18.),)
    """
    if is_grads_batched:
        options = (create_graph, allow_unused, False, materialize_grads)
        return _for_each_slice(outputs, inputs, grad_outputs, retain_graph, *options)
    results = _sequence(outputs)
    targets = _sequence(inputs)
    nodes, gradients = _roots("grad", results, grad_outputs, create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    found = walk(nodes, gradients, retain, create_graph, _nodes("grad", targets))
    with set_grad_enabled(create_graph):
        found = {seq: across(gradient) for seq, gradient in found.items()}
    given: list[Tensor | None] = []
    for i, target in enumerate(targets):
        gradient = found.get(_node(target).seq)
        if gradient is not None:
            given.append(gradient if create_graph else Tensor(gradient))
        elif materialize_grads:
            given.append(Tensor(namespace(target.array).zeros_like(target.array)))
        elif allow_unused:
            given.append(None)
        else:
            raise TapeError(
                f"grad: input {i} was not used to compute the outputs; pass allow_unused=True to get None for it"
            )
    return tuple(given)


def _for_each_slice(
    outputs: Tensors, inputs: Tensors, grad_outputs: Any, retain_graph: bool | None, *options: Any
) -> tuple[Tensor | None, ...]:
    """`grad` for each slice of `grad_outputs`, stacked."""
    batched = _as_list(grad_outputs)
    lengths = {len(g) for g in batched if g is not None}
    if len(lengths) != 1 or lengths == {0}:
        raise TapeError("grad: is_grads_batched needs grad_outputs with a first dimension, of one length that is not 0")
    (length,) = lengths
    found = []
    for k in range(length):
        retain = True if k < length - 1 else retain_graph
        found.append(grad(outputs, inputs, [None if g is None else g[k] for g in batched], retain, *options))
    return tuple([None if slices[0] is None else stack(slices, 0) for slices in zip(*found, strict=True)])


def _sequence(tensors: Tensors) -> tuple[Tensor, ...]:
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _node(tensor: Tensor) -> Node:
    node = tensor.node if tensor.alias is None else node_of(tensor)
    assert node is not None
    return node


def _nodes(name: str, tensors: Sequence[Tensor]) -> list[Node]:
    for i, tensor in enumerate(tensors):
        if tensor.node is None:
            raise TapeError(f"{name}: input {i} does not require grad; call requires_grad_() on it before it is used")
    return [_node(tensor) for tensor in tensors]


def _roots(name: str, outputs: Sequence[Tensor], given: Any, create_graph: bool) -> tuple[list[Node], list[Any]]:
    """The nodes where the walk begins, and the gradient that arrives at each."""
    grads = (None,) * len(outputs) if given is None else _as_list(given)
    if len(grads) != len(outputs):
        raise TapeError(f"{name}: {len(outputs)} outputs but {len(grads)} gradients")
    nodes: list[Any] = []
    gradients = []
    for output, gradient in zip(outputs, grads, strict=True):
        if output.node is None:
            why = (
                f"it is {output.dtype.name}, and only floats have gradients"
                if output.dtype.kind not in ("float", "complex")
                else "no tensor it was computed from has requires_grad=True, or it was computed under no_grad(), "
                "or from a detach(), or from integers such as those of argmax()"
            )
            raise TapeError(f"{name}: this tensor does not require grad, so there is nothing to go back along: {why}")
        nodes.append(output.node if output.alias is None else node_of(output))
        gradients.append(
            _ones(name, output, create_graph) if gradient is None else _given(name, output, gradient, create_graph)
        )
    return nodes, gradients


def _as_list(given: Any) -> Sequence[Any]:
    return given if isinstance(given, (list, tuple)) else (given,)


def _ones(name: str, output: Tensor, create_graph: bool) -> Any:
    """The gradient of a single element by itself."""
    array = output.array
    if array.dtype in complex_dtypes[type(array)]:
        raise TapeError(
            f"{name}: grad can be implicitly created only for real scalar outputs, and this one is "
            f"{output.dtype.name}; make it real first, as with .abs(), or pass a gradient"
        )
    if array.size != 1:
        raise TapeError(
            f"{name}: the gradient can be left out only for a single element, and this tensor has shape "
            f"{tuple(output.shape)}; reduce it first, as with .sum(), or pass a gradient of that shape"
        )
    ones = namespace(array).ones(array.shape, dtype=array.dtype, device=array.device)
    return Tensor(ones) if create_graph else ones


def _given(name: str, output: Tensor, gradient: Any, create_graph: bool) -> Any:
    """The gradient that the user gave, after a look at its shape, dtype and device."""
    if not isinstance(gradient, Tensor):
        gradient = Tensor(gradient)
    if gradient.shape != output.shape:
        raise TapeError(f"{name}: the gradient has shape {tuple(gradient.shape)}, but the tensor {tuple(output.shape)}")
    if gradient.device != output.device:
        raise DeviceError(
            f"{name}: the gradient is on {str(gradient.device)!r} and the tensor on {str(output.device)!r}; "
            f"move it first, as with gradient.to({str(output.device)!r})"
        )
    if gradient.dtype.is_complex is not output.dtype.is_complex:
        raise TapeError(
            f"{name}: a {output.dtype.name} tensor takes a {'complex' if output.dtype.is_complex else 'real'} "
            f"gradient, and this one is {gradient.dtype.name}"
        )
    if gradient.dtype != output.dtype:
        gradient = astype(gradient, output.dtype)
    return across(gradient if create_graph else gradient.array)
