"""Small parameters that take their steps as one: what a call costs is paid once, and not for each of them.

The small parameters of a group that have a gradient are copied one behind the other, moved, and copied back. Their
state stays in one piece, on which ``optimizer.state`` has a window for each. Parameters keep their own memory, so
whoever else holds it sees them move as before.

All that may have been changed since the last step is looked at again: which parameters have a gradient, their arrays,
their state, how many steps they took. If something is not as it was, they are moved one by one, and packed anew when
two steps in a row find the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter, is_, itemgetter
from typing import TYPE_CHECKING, Any

from autograd_backends import kernels, namespace

from ..tensor import Tensor

if TYPE_CHECKING:
    from .optimizer import Optimizer, Update

__all__ = ["Pack", "Packs"]

#: Up to this many elements a parameter is small: to copy it costs less than the calls that are saved.
SMALL = 4096

#: So often a group is packed; parameters that change each time are better moved one by one.
TRIES = 8

_array = attrgetter("array")
_step = itemgetter("step")


class Packs:
    """The `Pack` of each parameter group of an optimizer, where there is one."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}

    def move(self, optimizer: Optimizer, number: int, parameters: list[Tensor], update: Update) -> list[Tensor]:
        """Move those of `parameters` that take their steps as one; returns the others.

        Parameters
        ----------
        optimizer
            Whose state it is.
        number
            That of the group.
        parameters
            Those in it that have a gradient.
        update
            What moves one parameter.
        """
        kept = self._kept.get(number)
        if kept is None:
            kept = self._kept[number] = _Kept()
        pack = kept.pack_of(optimizer, parameters)
        if pack is None:
            return parameters
        pack.move(optimizer, update)
        return kept.others

    def dissolve(self) -> None:
        """Give each parameter state of its own again, for copies."""
        for kept in self._kept.values():
            if kept.pack is not None:
                kept.pack.dissolve()
        self._kept.clear()


class _Kept:
    """What is known of a group.

    Attributes
    ----------
    pack
        The one that there is now.
    others
        Parameters that have a gradient, but are not in it.
    """

    def __init__(self) -> None:
        self.pack: Pack | None = None
        self.others: list[Tensor] = []
        self._moved: list[Tensor] = []  # in the last step
        self._looked = False  # whether these were found to make a pack, or none
        self._tries = TRIES

    def pack_of(self, optimizer: Optimizer, parameters: list[Tensor]) -> Pack | None:
        """The pack of some of `parameters`, if nothing has changed since the last step."""
        if len(parameters) != len(self._moved) or not all(map(is_, parameters, self._moved)):
            self.pack, self._moved, self._looked = None, parameters, False
        elif self.pack is not None:
            if not self.pack.holds(optimizer.state):
                self.pack, self._looked = None, False
        elif not self._looked and self._tries:
            self._looked = True
            members, names = _fitting(optimizer, parameters)
            if members:
                self._tries -= 1
                self.pack = Pack(optimizer, members, names)
                inside = set(map(id, members))
                self.others = [p for p in parameters if id(p) not in inside]
        return self.pack


class Pack:
    """Parameters that take their steps as one.

    Parameters
    ----------
    optimizer
        Whose they are.
    parameters
        Of one dtype and on one device, in memory that they do not share.
    names
        What of their state is an array of their shape.
    """

    def __init__(self, optimizer: Optimizer, parameters: list[Tensor], names: Sequence[str]) -> None:
        self._parameters = parameters
        self._arrays = [parameter.array for parameter in parameters]
        self._states = [optimizer.state[parameter] for parameter in parameters]
        self._steps = self._states[0].get("step")
        values, self._values = _in_a_row(self._arrays)
        self._gradient, self._gradients = _in_a_row(self._arrays)
        self._flat = Tensor(values)
        self._state: dict[str, Any] = {} if self._steps is None else {"step": self._steps}
        #: For each name: what finds it in a state, the Tensors that should be found, and the arrays in these.
        self._kept: list[tuple[Callable[[Any], Any], list[Tensor], list[Any]]] = []
        for name in names:
            tensors = [state[name] for state in self._states]
            whole, windows = _in_a_row([tensor.array for tensor in tensors])
            self._state[name] = Tensor(whole)
            for tensor, window in zip(tensors, windows, strict=True):
                tensor.array = window
            self._kept.append((itemgetter(name), tensors, windows))

    def holds(self, state: dict[Tensor, dict[str, Any]]) -> bool:
        """Whether the arrays of the parameters and their `state` are as the last step left them."""
        return (
            all(map(is_, map(_array, self._parameters), self._arrays))
            and all(map(is_, map(state.get, self._parameters), self._states))
            and (self._steps is None or set(map(_step, self._states)) == {self._steps})
            and all(
                all(map(is_, map(named, self._states), tensors)) and all(map(is_, map(_array, tensors), windows))
                for named, tensors, windows in self._kept
            )
        )

    def move(self, optimizer: Optimizer, update: Update) -> None:
        """Let all take one step."""
        kernels(self._gradient).make_current(self._gradient)
        for window, array in zip(self._values, self._arrays, strict=True):
            window[...] = array
        for window, parameter in zip(self._gradients, self._parameters, strict=True):
            window[...] = parameter.grad.array  # type: ignore[union-attr]
        flat = self._flat
        optimizer.state[flat] = self._state
        try:
            update(flat, flat.array, self._gradient)
        finally:
            del optimizer.state[flat]
        for array, window in zip(self._arrays, self._values, strict=True):
            array[...] = window
        for parameter in self._parameters:
            parameter.version[0] += 1
        if self._steps is not None:
            self._steps = self._state["step"]
            for state in self._states:
                state["step"] = self._steps

    def dissolve(self) -> None:
        """Give each parameter state of its own again."""
        for _, tensors, windows in self._kept:
            for tensor, window in zip(tensors, windows, strict=True):
                if tensor.array is window:
                    tensor.array = namespace(window).asarray(window, copy=True)


def _in_a_row(arrays: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The elements of `arrays` one behind the other, and a window on them for each array, of its shape."""
    xp = namespace(arrays[0])
    flat = xp.concat([xp.reshape(array, (-1,)) for array in arrays])
    windows, start = [], 0
    for array in arrays:
        stop = start + array.size
        windows.append(xp.reshape(flat[start:stop], array.shape))
        start = stop
    return flat, windows


def _fitting(optimizer: Optimizer, parameters: Sequence[Tensor]) -> tuple[list[Tensor], tuple[str, ...]]:
    """Those of `parameters` that can take their steps as one, and the names of what their state has of arrays."""
    members: list[Tensor] = []
    wanted: Any = None
    for parameter in parameters:
        array = parameter.array
        state = optimizer.state.get(parameter, {})
        names = tuple([name for name in optimizer.like_parameter if isinstance(state.get(name), Tensor)])
        if array.size > SMALL or not names or set(state) - {*optimizer.like_parameter, "step"}:
            continue
        backend = kernels(array)
        kind = (backend, array.dtype, backend.device_of(array), names, state.get("step"))
        if any(state[name].array.dtype != array.dtype for name in names):
            continue  # of half precision, which is updated in a wider dtype
        if wanted is None and array.dtype not in backend.complex_dtypes:
            wanted = kind
        if kind == wanted and not any(backend.shares_memory(array, member.array) for member in members):
            members.append(parameter)
    return (members, wanted[3]) if len(members) > 1 else ([], ())
