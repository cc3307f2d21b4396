"""Backward in a recording: the tape's walk, with a line for each rule that runs."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from autograd_backends import namespace

from .. import tape
from ..errors import changed
from ..registry import Op, parameters
from ..runtime import fit
from ..tape import FREED, Leaf, Node, Port, mode
from ..tensor import Tensor
from .lines import Accumulate, Call, Lines

__all__ = ["Backward"]


class Backward(Lines):
    """Lines of walks along the tape."""

    def _walk_patch(self, real: Any) -> Any:
        def walk(
            roots: Sequence[Node],
            gradients: Sequence[Any],
            retain_graph: bool,
            create_graph: bool,
            inputs: Any = None,
        ) -> dict[int, Any]:
            if self._listening:
                if create_graph or inputs is not None:
                    self.give_up("it differentiates with create_graph or for inputs of its own")
                else:
                    self._known_nodes(roots, frozenset())
                    self._forget_gradients()
            if not self._listening:
                found: dict[int, Any] = real(roots, gradients, retain_graph, create_graph, inputs)
                return found
            before, mode.enabled = mode.enabled, False
            try:
                for leaf, gradient, name, owned, _ in self._walk(roots, gradients, retain_graph, {}):
                    tensor = leaf.ref()  # type: ignore[attr-defined]
                    if tensor is not None:
                        first = tensor._grad is None
                        self._silently(tensor.accumulate, gradient, owned)
                        self._names.pop(id(tensor._grad.array), None)  # its name now is that of the grad
                        text = f"{self.tensor_name(tensor)}.accumulate({name}, {owned})"
                        self.lines.append(Accumulate(text, tensor, name, gradient, first))
                self._note_versions()
            finally:
                mode.enabled = before
            return {}

        return walk

    def _known_nodes(self, roots: Sequence[Node], ends: Any) -> None:
        """Give up if there is a node behind `roots` that no line made."""
        stack, seen = list(roots), set()
        while stack:
            node = stack.pop()
            if node.seq in seen:
                continue
            seen.add(node.seq)
            if node.hooks is not None or getattr(node, "after", None) is not None:
                self.give_up("a hook on a tensor waits for its gradient")
            if node.seq in ends or type(node) is Leaf:
                continue
            if type(node) is Port:
                stack.append(node.main)
                continue
            if node.seq not in self._nodes or node.saved is FREED or not isinstance(node.op, Op):
                self.give_up(f"backward comes to {node.op.name}, which was not recorded in this step")
            stack += [parent for parent in node.parents if parent is not None]

    def _walk(
        self, roots: Sequence[Node], gradients: Sequence[Any], retain: bool, ends: dict[int, Any]
    ) -> list[tuple[Node, Any, str, bool, int]]:
        """`tape.walk` that writes lines: of each leaf its gradient and that's name, if it is its own, how many met."""
        grads: dict[int, Any] = {}
        names: dict[int, str] = {}
        waiting: dict[int, Node] = {}
        arrived: list[Node] = []
        count: dict[int, int] = {}
        owned: set[int] = set()
        heap: list[int] = []
        parents: Sequence[Node | None] = roots
        pulled: Sequence[Any] = gradients
        said = [self._names.get(id(g)) or self._constant(g, "ones") for g in gradients]
        fresh = False
        while True:
            for parent, gradient, name in zip(parents, pulled, said, strict=True):
                if parent is None or gradient is None:
                    continue
                seq = parent.seq
                count[seq] = count.get(seq, 0) + 1
                if seq not in grads:
                    grads[seq], names[seq] = gradient, name
                    if fresh:
                        owned.add(seq)
                    if type(parent) is Leaf or seq in ends:
                        arrived.append(parent)
                    else:
                        waiting[seq] = parent
                        heappush(heap, -seq)
                    continue
                given, said_of = [grads[seq], gradient], [names[seq], name]
                grads[seq] = grads[seq] + gradient
                owned.add(seq)
                names[seq] = total = self._new(grads[seq], "g")
                self.lines.append(Call(f"{total} = {' + '.join(said_of)}", "add", total, given, said_of, grads[seq]))
            if not heap:
                break
            seq = -heappop(heap)
            node, gradient, name = waiting.pop(seq), grads.pop(seq), names.pop(seq)
            parents = node.parents
            if type(node) is Port:
                main = node.main
                if main.seq not in grads:
                    grads[main.seq], names[main.seq] = [None] * len(main.shape), ["None"] * len(main.shape)  # type: ignore[assignment]
                    waiting[main.seq] = main
                    heappush(heap, -main.seq)
                grads[main.seq][node.index] = gradient
                names[main.seq][node.index] = name  # type: ignore[index]
                pulled, said = (None,), ["None"]
                continue
            if type(gradient) is list:
                self._count += 1
                like = self._constant(_Like(node), "like")
                self.scope["with_zeros"] = tape._with_zeros
                self.lines.append(f"g{self._count} = with_zeros([{', '.join(name)}], {like})")
                name, gradient = f"g{self._count}", tape._with_zeros(gradient, node)
            self._inside += 1
            try:
                pulled, said = self._pull(node, gradient, name)
            finally:
                self._inside -= 1
            fresh = node.op.fresh
            if node.op.keeps_arrays and not retain:
                node.saved = FREED
        return [(n, grads[n.seq], names[n.seq], n.seq in owned, count[n.seq]) for n in arrived]

    def _pull(self, node: Node, gradient: Any, name: str) -> tuple[list[Any], list[str]]:
        """Run the rules of a node, a line for each."""
        op: Any = node.op
        kinds = {i.name: i.kind for i in op.inputs}
        values: dict[str, tuple[Any, str]] = {}
        column = 0
        for kept in op.kept:
            value = node.saved[column]
            if kept.kind in ("input", "output"):
                versions, numbers = node.saved[column + 1 : column + 3]
                many = kinds.get(kept.name) == "arrays"
                for version, number in zip(versions, numbers, strict=True) if many else ((versions, numbers),):
                    if version[0] != number and value is not None:
                        raise changed(op, kept.name, version)
                column += 2
            column += 1
            values[kept.name] = value, self._said(value) if kept.wanted_by else "None"
        values["needs"] = (tuple([p is not None for p in node.parents]),) * 2  # type: ignore[assignment]
        values["needs"] = values["needs"][0], repr(values["needs"][0])
        if op.joint_rule is not None:
            made, lines = self._rule(op, op.joint_rule, "joint", gradient, name, values)
            results, at = list(made), [f"{lines}[{i}]" for i in range(len(op.differentiable))]
        else:
            results, at = [], []
            for i, target in enumerate(op.differentiable):
                needed = kinds[target] == "arrays" or node.parents[i] is not None
                made, line = self._rule(op, op.rules[target], target, gradient, name, values) if needed else (None, "")
                results.append(made)
                at.append(line)
        pulled: list[Any] = []
        said: list[str] = []
        for target, made, line in zip(op.differentiable, results, at, strict=True):
            if kinds[target] == "arrays":
                count = len(node.parents) - len(op.differentiable) + 1
                for j in range(count):
                    pulled.append(None if made is None else made[j])
                    said.append(f"{line}[{j}]")
            else:
                pulled.append(made)
                said.append(line)
        for j, parent in enumerate(node.parents):
            g = pulled[j]
            if g is None or parent is None:
                continue
            if "[" in said[j]:
                self.lines.append(f"{self._new(g, 'g')} = {said[j]}")
                said[j] = self._names[id(g)]
            if op.fits_gradients and (g.shape != parent.shape or g.dtype != parent.dtype):
                pulled[j] = fit(g, parent)
                self.lines.append(
                    f"{self._new(pulled[j], 'g')} = fit({said[j]}, {self._constant(_Like(parent), 'like')})"
                )
                said[j] = self._names[id(pulled[j])]
        return pulled, said

    def _rule(
        self, op: Op, rule: Any, target: str, gradient: Any, name: str, values: dict[str, tuple[Any, str]]
    ) -> tuple[Any, str]:
        wanted = parameters(rule)[1:]
        made = rule(gradient, *[values[w][0] for w in wanted])
        line = "g0" if made is None else self._new(made, "g")
        said = ", ".join([name, *[values[w][1] for w in wanted]])
        text = f"{line} = {self._constant(rule, f'{op.name}_{target}_gradient')}({said})"
        given = [gradient, *[values[w][0] for w in wanted]]
        self.lines.append(Call(text, f"{op.name}.{target}", line, given, [name, *[values[w][1] for w in wanted]], made))
        return made, line

    def backward_of(self, result: Tensor) -> tuple[list[str], list[tuple[Any, str]]] | None:
        """The lines that lead from the gradient ``g`` of `result` back, and (what has it, its name) for each end.

        ``None`` if backward has been there already. The ends are Tensors.
        """
        ends = {t.node.seq: t for t in self.arguments if t.node is not None}
        node = result.place()
        assert node is not None
        self._known_nodes([node], ends)
        if self.reason is not None:
            return None
        forward, self.lines = self.lines, []
        before, mode.enabled = mode.enabled, False
        array = result.array
        one = namespace(array).ones(array.shape, dtype=array.dtype, device=array.device)
        self._names[id(one)] = "g"
        self._alive.append(one)
        try:
            found = []
            for end, _, name, _, count in self._walk([node], [one], True, ends):
                tensor = ends[end.seq] if end.seq in ends else end.ref()  # type: ignore[attr-defined]
                if count > 1:
                    self.give_up("a tensor is used several times before a backward outside of it")
                if tensor is not None:
                    self.tensor_name(tensor)
                    found.append((tensor, name))
            return self.lines, found
        finally:
            self.lines, mode.enabled = forward, before


class _Like:
    """What of a node its gradients are fitted to."""

    def __init__(self, node: Node) -> None:
        self.shape, self.dtype, self.op = node.shape, node.dtype, getattr(node, "op", None)
