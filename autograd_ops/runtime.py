"""What the generated call path calls when the common case does not hold, and the globals that it runs with."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograd_backends import device_of, kernels, scalar_to_array
from autograd_backends.lookup import complex_dtypes, floating_dtypes

from .errors import changed, complex_refused, explain, work_beside
from .inplace import become_view, node_of
from .promotion import NUMBERS, PYTHON_NUMBERS, align, shape_of, to_floating
from .table import TABLE
from .tape import Node, Port, Step, mode, new_node, next_seq, port_of, zeros_beside
from .tensor import Tensor

if TYPE_CHECKING:
    from .registry import Op

__all__ = ["CALL_GLOBALS", "PULL_GLOBALS", "on_tape", "output_node", "parents_by_input"]

#: The version of an array that no Tensor holds: nothing changes it through the tape.
NEVER_CHANGES = [0]


def take_all(values: Sequence[Any]) -> tuple[list[Any], list[Node | None], list[list[Any]], bool]:
    """The arrays, nodes and versions of a sequence of Tensors and arrays, and whether any is a Tensor."""
    arrays, nodes, versions, any_tensor = [], [], [], False
    for value in values:
        if isinstance(value, Tensor):
            any_tensor = True
            arrays.append(value.array)
            nodes.append(value.node if value.alias is None else node_of(value))
            versions.append(value.version)
        else:
            arrays.append(value)
            nodes.append(None)
            versions.append(NEVER_CHANGES)
    return arrays, nodes, versions, any_tensor


def any_node(nodes: Sequence[Node | None]) -> bool:
    """Whether any of them is on the tape."""
    return any(node is not None for node in nodes)


def shares_memory(view: Any, array: Any) -> bool:
    """Whether `view` is a window on the memory of `array`."""
    return kernels(array).shares_memory(view, array)


def wrap_outputs(arrays: Any) -> Any:
    """Tensors of the outputs of an op, in the same named tuple."""
    tensors = [None if array is None else Tensor(array) for array in arrays]
    return type(arrays)(*tensors) if hasattr(arrays, "_fields") else tuple(tensors)


def become_views(tensors: Sequence[Tensor], viewed: Tensor, keys: Sequence[tuple[Any, ...]]) -> None:
    """Make those outputs of an op that are windows on the memory of `viewed` views of it: ``viewed[key]`` each."""
    getitem = TABLE["getitem"]
    for tensor, key in zip(tensors, keys, strict=True):
        if shares_memory(tensor.array, viewed.array):
            become_view(tensor, viewed, getitem, (key,))


def connect_outputs(node: Node, tensors: Sequence[Tensor]) -> None:
    """Put those outputs of a new node on the tape that carry gradients: through a Port each, if there are several."""
    if len(tensors) == 1 and node.op.carries is not ...:
        (tensor,) = tensors
        node.shape, node.dtype = tensor.array.shape, tensor.array.dtype
        tensor.node = node
        return
    node.shape = tuple([tensor.array.shape for tensor in tensors])
    node.dtype = tuple([tensor.array.dtype for tensor in tensors])
    node.ports = []
    for index, tensor in enumerate(tensors):
        tensor.node = port = Port(node, index)
        node.ports.append(weakref.ref(port))


def check_versions(op: Op, name: str, versions: Sequence[list[Any]], numbers: Sequence[int]) -> None:
    """Refuse to go back through `op` if an array of the sequence `name` has been changed in place."""
    for version, number in zip(versions, numbers, strict=True):
        if version[0] != number:
            raise changed(op, name, version)


def make_current(gradient: Any) -> None:
    """Let a rule work where the gradient that arrives is: an array, a Tensor, or a list with a gradient an output."""
    if isinstance(gradient, list):
        gradient = next(g for g in gradient if g is not None)
    array = gradient.array if isinstance(gradient, Tensor) else gradient
    kernels(array).make_current(array)


def fit(gradient: Any, node: Node) -> Any:
    """`gradient`, summed and cast to the shape and dtype of the input that `node` made."""
    if gradient is None:
        return None
    if gradient.shape != node.shape:
        gradient = TABLE["sum_to"].function(gradient, node.shape)
    native = gradient.array.dtype if isinstance(gradient, Tensor) else gradient.dtype
    return gradient if native == node.dtype else TABLE["astype"].function(gradient, node.dtype)


def fit_all(gradients: Sequence[Any], nodes: Sequence[Node | None]) -> list[Any]:
    """`fit` for each input of a sequence."""
    return [None if n is None else fit(g, n) for g, n in zip(gradients, nodes, strict=True)]


# ---------------------------------------------------------------- for the walk that records itself


def on_tape(value: Any, node: Node | None) -> Any:
    """A saved array as a Tensor that `node` made; the array itself where no gradient is wanted."""
    if node is None or value is None or not hasattr(value, "dtype"):
        return value
    promoted = value.dtype != node.dtype
    tensor = Tensor(TABLE["astype"].function(value, node.dtype) if promoted else value)
    tensor.node = node
    return TABLE["astype"].function(tensor, value.dtype) if promoted else tensor


def parents_by_input(op: Op, parents: Sequence[Node | None]) -> dict[str, Any]:
    """The node behind each input of `op`; a list of them for a sequence of inputs."""
    kinds = {i.name: i.kind for i in op.inputs}
    extra = len(parents) - len(op.differentiable) + 1
    found: dict[str, Any] = {}
    at = 0
    for name in op.differentiable:
        if kinds[name] == "arrays":
            found[name] = list(parents[at : at + extra])
            at += extra
        else:
            found[name] = parents[at]
            at += 1
    return found


def output_node(op: Op, node: Node, name: str) -> Node | None:
    """The node that an output of `node` is on the tape by; ``None`` if it carries no gradient."""
    if op.outputs is None:
        return node
    if name not in op.carries:
        return None
    return node if len(op.carries) == 1 else port_of(node, op.carries.index(name))


def used_by_rules(op: Op, node: Node) -> list[list[Node]]:
    """For each parent of `node`, the nodes of those values that the rule for its gradient names."""
    parents = parents_by_input(op, node.parents)
    used: list[list[Node]] = []
    for name, (outputs, inputs) in op.named_values.items():
        if outputs:
            nodes = [parent for parent in node.parents if parent is not None]
        else:
            nodes = []
            for other in inputs:
                found = parents[other]
                nodes += [n for n in (found if type(found) is list else (found,)) if n is not None]
        used += [nodes] * (len(parents[name]) if type(parents[name]) is list else 1)
    return used


def connected(gradient: Any, used: Sequence[Node], node: Node, first: int) -> Any:
    """`gradient`, which a rule of `node` made from number `first` on, on the tape behind all that the rule `used`."""
    if gradient is None or not used:
        return gradient
    missing = {other.seq: other for other in used}
    on_tape = isinstance(gradient, Tensor) and gradient.node is not None
    behind: list[Node] = [gradient.node] if on_tape else []
    seen: set[int] = set()
    while behind:
        at = behind.pop()
        if at is node:
            return gradient
        if at.seq in missing:
            del missing[at.seq]
            if not missing:
                return gradient
        if at.seq > first and at.seq not in seen:
            seen.add(at.seq)
            behind += [parent for parent in at.parents if parent is not None]
    result = Tensor(gradient.array if isinstance(gradient, Tensor) else gradient)
    result.node = new_node(CONSTANT, (gradient.node if on_tape else None, *missing.values()), result.array)
    return result


class _Constant(Step):
    """The step from values to a gradient that does not change with them, other than the first of its parents."""

    name = "constant"
    formula = "0"

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        first, *others = parents
        zeros = [None if p is None else zeros_beside(gradient, p.shape, p.dtype) for p in others]
        if isinstance(gradient, Tensor):
            zeros = [None if zero is None else Tensor(zero) for zero in zeros]
        return (None if first is None else gradient, *zeros)


CONSTANT = _Constant()


CALL_GLOBALS: dict[str, Any] = {
    "Tensor": Tensor,
    "Node": Node,
    "new": object.__new__,
    "tape_mode": mode,
    "next_seq": next_seq,
    "NEVER_CHANGES": NEVER_CHANGES,
    "NUMBERS": NUMBERS,
    "PYTHON_NUMBERS": PYTHON_NUMBERS,
    "complex_dtypes": complex_dtypes,
    "complex_refused": complex_refused,
    "floating_dtypes": floating_dtypes,
    "scalar_to_array": scalar_to_array,
    "node_of": node_of,
    "align": align,
    "to_floating": to_floating,
    "explain": explain,
    "work_beside": work_beside,
    "shape_of": shape_of,
    "device_of": device_of,
    "take_all": take_all,
    "any_node": any_node,
    "shares_memory": shares_memory,
    "become_view": become_view,
    "become_views": become_views,
    "wrap_outputs": wrap_outputs,
    "connect_outputs": connect_outputs,
}

PULL_GLOBALS: dict[str, Any] = {
    "tape_mode": mode,
    "changed": changed,
    "check_versions": check_versions,
    "fit": fit,
    "make_current": make_current,
    "fit_all": fit_all,
}
