"""What the recurrent networks share: the walk over the steps in ops, and cells as sequences of one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd_backends import namespace
from autograd_backends.options import RecurrentOptions
from autograd_backends.shapes import check_recurrent_cell
from autograd_backends.steps import recurrent_steps

from ...registry import Array
from ...tape import walk
from ...tensor import Tensor
from ..dtype import clone
from ..linear import linear
from ..shape import concat, getitem, reshape

__all__ = [
    "FORWARDS",
    "Needs",
    "check_cell",
    "nothing_like",
    "of_one_step",
    "once",
    "over_steps",
    "parts",
    "pulled_back",
    "there",
]

#: All sequences equally long, from the first time to the last.
FORWARDS = RecurrentOptions()

#: Which inputs need a gradient, in their order.
Needs = tuple[bool, ...]


# ---------------------------------------------------------------- the steps in ops


def over_steps(
    x: Any,
    states: tuple[Any, ...],
    weight_ih: Any,
    bias_ih: Any,
    options: RecurrentOptions,
    step: Callable[..., tuple[Any, ...]],
) -> tuple[Any, ...]:
    """Go through the steps in ops: the first state after each, in the order of x, and all states after the last.

    Parameters
    ----------
    step
        What the states become: a function of the input's part in the gates and of the states before.
    """
    steps = recurrent_steps(tuple(x.shape[:-1]), options)
    part = linear(reshape(x, (sum([size for _, size in steps]), x.shape[-1])), weight_ih, bias_ih, True)
    outputs = []
    for rows, size in steps:
        new = step(getitem(part, (rows, ...)), *[getitem(state, (slice(0, size), ...)) for state in states])
        outputs.append(new[0])
        others = [getitem(state, (slice(size, None), ...)) for state in states]
        states = tuple([concat(pair, 0) for pair in zip(new, others, strict=True)])
    output = concat(outputs[::-1] if options.reverse else outputs, 0)
    return reshape(output, (*x.shape[:-1], output.shape[-1])), *states


def parts(gates: Any, count: int) -> list[Any]:
    """[N, count d_hidden] -> one [N, d_hidden] for each gate"""
    size = gates.shape[1] // count
    return [getitem(gates, (slice(None), slice(k * size, (k + 1) * size), ...)) for k in range(count)]


def pulled_back(
    function: Callable[..., tuple[Any, ...]], inputs: Sequence[Any], gradients: Sequence[Any], needs: Needs
) -> list[Any]:
    """The gradients of `inputs` for those of the outputs of ``function(inputs)``, by the tape, and on the tape."""
    # One Tensor may be given as several inputs, and what comes before them is none of this: so each is a branch of
    # its own, at which the walk ends.
    branches = [
        x if x is None else clone(x) if isinstance(x, Tensor) and x.requires_grad else Tensor(x, requires_grad=True)
        for x in inputs
    ]
    wanted = [
        branch.node if needed and branch is not None else None for branch, needed in zip(branches, needs, strict=True)
    ]
    nodes = [node for node in wanted if node is not None]
    outputs = function(branches)
    arriving = [g if isinstance(g, Tensor) else Tensor(g) for g in gradients]
    # The nodes of these steps are behind the gradients too, so what they keep is needed again.
    found = walk([out.node for out in outputs], arriving, True, True, nodes) if nodes else {}
    return [None if node is None else found[node.seq] for node in wanted]


def there(needs: Needs, bias_ih: Any, bias_hh: Any) -> Needs:
    """`needs`, but for biases that are not there."""
    return (*needs[:-2], needs[-2] and bias_ih is not None, needs[-1] and bias_hh is not None)


# ---------------------------------------------------------------- cells, as sequences of one step


def check_cell(
    op_name: str,
    gates: int,
    x: Array,
    states: dict[str, Array],
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None,
    bias_hh: Array | None,
) -> None:
    check_recurrent_cell(
        op_name,
        gates,
        x.shape,
        {name: state.shape for name, state in states.items()},
        weight_ih.shape,
        weight_hh.shape,
        None if bias_ih is None else bias_ih.shape,
        None if bias_hh is None else bias_hh.shape,
    )


def once(x: Array) -> Array:
    """x [N, ...] as a sequence of one element [1, N, ...]"""
    return namespace(x).expand_dims(x, axis=0)


def nothing_like(x: Array) -> Array:
    """The gradient of an output that none arrived at, of the shape of x"""
    xp = namespace(x)
    return xp.broadcast_to(xp.zeros((), dtype=x.dtype, device=x.device), x.shape)


def of_one_step(found: Any) -> Any:
    """The gradients of a sequence of one element as those of a cell."""
    return found if found.x_grad is None else found._replace(x_grad=found.x_grad[0, ...])
