"""An optimizer's step in a replay: its gradients are written one behind the other, and its parameters move as one.

Eagerly every backward makes new gradients, which whoever looks at ``p.grad`` may keep. A replay writes them into the
same memory each time, as long as nobody else has it: as long as the Tensors, their arrays and the array that owns the
memory have no more references than they began with. Otherwise there are new ones first.

The optimizer's own rule moves the parameters, called once for all that are side by side, with state that `Pack` has
laid out so. What has to be as it was for that is asked each time; if it is not, the optimizer takes the step itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from operator import is_
from sys import getrefcount
from typing import Any

from autograd_backends import kernels, namespace

from ..optim.optimizer import Optimizer, _way
from ..optim.pack import SMALL, Pack, _in_a_row
from ..tensor import Tensor
from .lines import Accumulate, Again

__all__ = ["Update", "updates_in"]

#: Makes a function, which is shown to readers: its name, and its lines.
Compile = Callable[[str, list[str]], Callable[..., Any]]


class Update:
    """The step of one optimizer.

    Parameters
    ----------
    number
        Its own, for the names of what it has.
    line
        That which calls the step.
    brought
        The lines that give the parameters their gradients, in the order of the parameters.
    scope
        What the lines of the replay name.
    names
        How these name each parameter.
    compiled
        What compiles a function within `scope`.
    """

    def __init__(
        self,
        number: int,
        line: Again,
        brought: list[Accumulate],
        scope: dict[str, Any],
        names: list[str],
        compiled: Compile,
    ) -> None:
        self.line = line
        self.brought = brought
        self._me = f"update{number}"
        self._optimizer: Optimizer = line.given[0]
        self._scope = scope
        self._names = names
        self._compiled = compiled
        self._sizes = [len(group["params"]) for group in self._optimizer.param_groups]
        self._known: list[Any] = []  # of the optimizer, when the function that takes the step was written
        self._seen: Any = None, None  # the gradient that the optimizer's watch looks after, and by which function
        #: How each window on the memory of the gradients is named.
        self.windows = [f"{one.gradient}_window" for one in brought]
        scope.update(getrefcount=getrefcount)
        scope.update({f"{self._me}_renew": self.renew, f"{self._me}_otherwise": self._otherwise})
        scope.update({f"{self._me}_noted": self._noted, f"{self._me}_optimizer": self._optimizer})
        self._values = [_in_a_row(arrays) for arrays in self._groups([one.tensor.array for one in brought])]
        for i, window in enumerate([window for _, windows in self._values for window in windows]):
            scope[f"{self._me}_value{i}"] = window
        self.renew()
        self._learn()

    def _groups(self, things: Sequence[Any]) -> list[list[Any]]:
        """`things`, one for each parameter, by group."""
        left = iter(things)
        return [list(islice(left, size)) for size in self._sizes]

    # ---------------------------------------------------------------- gradients

    def before(self) -> list[str]:
        """Lines to come before the first that writes a gradient."""
        me = self._me
        return [f"if tuple(map(getrefcount, {me}_held)) != {me}_counts:", f"    {me}_renew()"]

    def give(self, written: set[str]) -> list[str]:
        """Lines in place of `brought`, where `written` are the windows that have their gradients already."""
        names, windows = self._names, self.windows
        gradients = [f"{self._me}_grad{i}" for i in range(len(names))]
        copies = [
            f"{window}[...] = {one.gradient}"
            for window, one in zip(windows, self.brought, strict=True)
            if window not in written
        ]
        given = [f"{name}._grad = {gradient}" for name, gradient in zip(names, gradients, strict=True)]
        added = [f"{name}.accumulate({window}, True)" for name, window in zip(names, windows, strict=True)]
        return [
            *copies,
            f"if {' is '.join([f'{name}._grad' for name in names])} is None:",
            *[f"    {line}" for line in given],
            f"    {' = '.join([f'{gradient}.node' for gradient in gradients])} = None",
            "else:",
            *[f"    {line}" for line in added],
        ]

    def renew(self) -> None:
        """Have new memory for the gradients."""
        self._make()
        held = self._scope[f"{self._me}_held"]
        self._scope[f"{self._me}_counts"] = tuple(map(getrefcount, held))

    def _make(self) -> None:
        rows = [_in_a_row(arrays) for arrays in self._groups([one.tensor.array for one in self.brought])]
        windows = [window for _, many in rows for window in many]
        gradients = [Tensor(window) for window in windows]
        scope, me = self._scope, self._me
        scope.update(zip(self.windows, windows, strict=True))
        scope.update({f"{me}_grad{i}": gradient for i, gradient in enumerate(gradients)})
        scope.update({f"{me}_flat{i}": flat for i, (flat, _) in enumerate(rows)})
        scope[f"{me}_held"] = (*[flat for flat, _ in rows], *windows, *gradients)

    # ---------------------------------------------------------------- the step

    def step(self) -> list[str]:
        """The lines that take the step."""
        me = self._me
        return [f"if {me}_holds():", f"    {me}_take()", "else:", f"    {me}_otherwise()"]

    def _otherwise(self) -> None:
        """Let the optimizer take the step, and look how it will be taken next time."""
        self.line.function(self._optimizer)
        self._learn()

    def _learn(self) -> None:
        """Write the functions that take the step, unless these are there for how the optimizer is now."""
        optimizer = self._optimizer
        packs = self._packs_now() if optimizer.state else []
        if not self._alike():
            packs = None
        now = [optimizer.param_groups, optimizer.state, *optimizer.param_groups, *(packs or ())]
        now.append(packs is None)
        if len(now) == len(self._known) and all(map(is_, now, self._known)):
            return
        self._known = now
        self._scope[f"{self._me}_holds"] = bool  # which says no
        if packs is not None:
            self._write(packs)

    def _alike(self) -> bool:
        """Whether the optimizer has the groups and parameters that it had."""
        now = [group["params"] for group in self._optimizer.param_groups]
        found = [parameter for parameters in now for parameter in parameters]
        same = len(found) == len(self.brought) and all(
            parameter is one.tensor for parameter, one in zip(found, self.brought, strict=True)
        )
        return same and list(map(len, now)) == self._sizes

    def _packs_now(self) -> list[Pack] | None:
        """The pack of each group, if all are packed."""
        packs = self._optimizer._packs._kept
        found: list[Pack] = []
        for at in range(len(self._sizes)):
            kept = packs.get(at)
            if kept is None or kept.pack is None or len(kept.pack._states) != self._sizes[at]:
                return None
            found.append(kept.pack)
        return found

    def _write(self, packs: list[Pack]) -> None:
        optimizer, me, scope = self._optimizer, self._me, self._scope
        groups = optimizer.param_groups
        scope.update({f"{me}_groups": groups, f"{me}_hooks": optimizer._hooks, f"{me}_all": optimizer.state})
        asked = [
            f"{me}_optimizer.param_groups is {me}_groups and len({me}_groups) == {len(groups)}",
            f"{me}_optimizer.state is {me}_all and not ({me}_hooks and any({me}_hooks.values()))",
        ]
        if not packs:
            asked.append(f"not {me}_all")
        before, moves, after = [], [], []
        number = 0
        for at, group in enumerate(groups):
            flat = Tensor(self._values[at][0])
            scope.update({f"{me}_group{at}": group, f"{me}_params{at}": group["params"], f"{me}_tensor{at}": flat})
            asked.append(f"{me}_groups[{at}] is {me}_group{at} and {me}_group{at}['params'] is {me}_params{at}")
            asked.append(f"len({me}_params{at}) == {len(group['params'])}")
            for i in range(len(group["params"])):
                t, w = self._names[number], f"{me}_value{number}"
                asked.append(f"{me}_params{at}[{i}] is {t}")
                g = f"{me}_grad{number}"
                asked.append(f"{t}._grad is {g} and {g}.array is {self.windows[number]}")
                before.append(f"{w}[...] = {t}.array")
                after += [f"{t}.array[...] = {w}", f"{t}.version[0] += 1"]
                number += 1
            call = f"{me}_optimizer.update_rule({me}_group{at})({me}_tensor{at}, {me}_tensor{at}.array, {me}_flat{at})"
            if packs:
                asked += self._state_asked(packs[at], at)
                moves += [f"{me}_all[{me}_tensor{at}] = {me}_pack{at}._state", "try:", f"    {call}"]
                moves += ["finally:", f"    del {me}_all[{me}_tensor{at}]"]
                after += self._state_after(packs[at], at)
            else:
                moves.append(call)
        if not packs:
            scope[f"{me}_spread"] = self._spread
            after += [f"if {me}_all:", f"    {me}_spread()"]
        self._compiled(
            f"{me}_holds",
            ["try:", f"    return {' and '.join(asked)}", "except LookupError:", "    return False"],
        )
        noted = [f"{me}_optimizer.has_stepped = True", f"{me}_noted()"]
        self._compiled(f"{me}_take", [*before, *moves, *after, *noted])

    def _state_asked(self, pack: Pack, at: int) -> list[str]:
        """Questions whether the state is as the last step left it."""
        me, scope = self._me, self._scope
        scope.update({f"{me}_pack{at}": pack, f"{me}_kept{at}": self._optimizer._packs._kept[at]})
        scope[f"{me}_packs"] = self._optimizer._packs._kept
        asked = [f"{me}_packs[{at}] is {me}_kept{at} and {me}_kept{at}.pack is {me}_pack{at}"]
        for i, state in enumerate(pack._states):
            s, t = f"{me}_state{at}_{i}", self._names[sum(self._sizes[:at]) + i]
            scope[s] = state
            asked.append(f"{me}_all[{t}] is {s}")
            if pack._steps is not None:
                asked.append(f"{s}['step'] == {me}_pack{at}._steps")
            for name, (_, tensors, windows) in zip(_arrays_of(pack), pack._kept, strict=True):
                scope.update({f"{s}_{name}": tensors[i], f"{s}_{name}_array": windows[i]})
                asked.append(f"{s}[{name!r}] is {s}_{name} and {s}_{name}.array is {s}_{name}_array")
        return asked

    def _state_after(self, pack: Pack, at: int) -> list[str]:
        """Lines that write down how many steps there were."""
        if pack._steps is None:
            return []
        me = self._me
        steps = f"{me}_pack{at}._state['step']"
        states = [f"{me}_state{at}_{i}['step']" for i in range(len(pack._states))]
        return [" = ".join([f"{me}_pack{at}._steps", *states, steps])]

    def _spread(self) -> None:
        """Give each parameter its part of the state that a first step has made for all."""
        state = self._optimizer.state
        groups = self._groups([one.tensor for one in self.brought])
        for (flat, windows), parameters in zip(self._values, groups, strict=True):
            made = [tensor for tensor in state if tensor.array is flat]
            for whole in made:
                kept, start = state.pop(whole), 0
                for parameter, window in zip(parameters, windows, strict=True):
                    stop = start + window.size
                    state[parameter] = {name: _part(value, flat, start, stop, window) for name, value in kept.items()}
                    start = stop

    def _noted(self) -> None:
        """Let the optimizer's watch for forgotten gradients know of the step, if this is news to it."""
        watch, leaf = self._optimizer._watch, self.brought[0].tensor.node
        gradient, adding = self._seen
        if watch._done or (
            watch._gradient is gradient
            and leaf.before is adding  # type: ignore[union-attr]
            and watch._left is None
            and watch._version == self._scope[f"{self._me}_grad0"].version[0]
        ):
            return
        watch._gradient = watch._left = None  # eagerly, this gradient would be another object than that of before
        watch.stepped(self._optimizer.param_groups, type(self._optimizer).__name__)
        self._seen = watch._gradient, leaf.before  # type: ignore[union-attr]


def updates_in(lines: Sequence[str], scope: dict[str, Any], name_of: Any, compiled: Compile) -> list[Update]:
    """The steps in `lines` that can be taken so.

    Parameters
    ----------
    lines
        Those of a recording.
    scope, compiled
        As of `Update`.
    name_of
        What gives the name of a Tensor in the lines.
    """
    steps = [i for i, line in enumerate(lines) if isinstance(line, Again) and _is_plain_step(line)]
    if any(isinstance(line, Again) and any(value is False for value in line.given) for line in lines):
        return []  # zero_grad(set_to_none=False), which keeps the gradients
    brought = {id(line.tensor): (i, line) for i, line in enumerate(lines) if isinstance(line, Accumulate)}
    times = Counter(id(line.tensor) for line in lines if isinstance(line, Accumulate))
    found: list[Update] = []
    taken: set[int] = set()
    for i in steps:
        line: Any = lines[i]
        parameters = list(line.given[0]._parameters())
        arrived = [brought[id(p)] for p in parameters if id(p) in brought]
        if (
            len(arrived) == len(parameters)
            and max(at for at, _ in arrived) - min(at for at, _ in arrived) == len(arrived) - 1
            and all(at < i and times[id(one.tensor)] == 1 and one.first for at, one in arrived)
            and not taken.intersection(map(id, parameters))
            and len([j for j in steps if lines[j].given[0] is line.given[0]]) == 1  # type: ignore[attr-defined]
            and _fit_together([p.array for p in parameters], [one.array for _, one in arrived])
        ):
            taken.update(map(id, parameters))
            names = [name_of(p) for p in parameters]
            found.append(Update(len(found), line, [one for _, one in arrived], scope, names, compiled))
    return found


def _is_plain_step(line: Again) -> bool:
    optimizer = line.given[0] if len(line.given) == 1 else None
    return (
        isinstance(optimizer, Optimizer)
        and line.function is Optimizer.step
        and type(optimizer).step is Optimizer.step
        and optimizer.elementwise
    )


def _fit_together(arrays: Sequence[Any], gradients: Sequence[Any]) -> bool:
    """Whether these, of parameters, can lie side by side."""
    backend, dtype = kernels(arrays[0]), arrays[0].dtype
    return (
        backend.views_hold_owners
        and _way(backend, dtype) is None
        and all(kernels(a) is backend and a.dtype == dtype and 0 < a.size <= SMALL for a in (*arrays, *gradients))
        and all(map(backend.is_contiguous, (*arrays, *gradients)))
        and not any(backend.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    )


def _arrays_of(pack: Pack) -> list[str]:
    """The names of the state that a pack keeps in one piece, in its order."""
    return [name for name in pack._state if name != "step"]


def _part(value: Any, flat: Any, start: int, stop: int, like: Any) -> Any:
    """Of a value of the state of all parameters, what is that of one of them."""
    if not isinstance(value, Tensor) or value.array.shape != flat.shape:
        return value
    xp = namespace(flat)
    return Tensor(xp.asarray(xp.reshape(value.array[start:stop], like.shape), copy=True))
