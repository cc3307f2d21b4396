"""Tools for teaching and for finding out: they show what the tape holds and what backward does with it.

    from autograd_ops import teach

    with teach.watch():                      # keep values, source lines and modules of what is recorded here
        loss = net(x).pow(2).mean()

    teach.tape(loss)                         # the tape as a picture
    teach.backward_steps(loss)               # backward, one step at a time

Whatever they return shows itself: as a picture in a notebook, as text in a terminal, and in a file with ``save``.
Nothing of the library imports this package; it costs nothing until it is asked for.
"""

from typing import TYPE_CHECKING

from .. import lazy

if TYPE_CHECKING:
    from .comparing import compare
    from .error_display import explain_errors
    from .explaining import explain
    from .flow import gradient_flow
    from .loss_curve import LossCurve
    from .memory import memory_timeline
    from .no_gradient import why_no_grad
    from .not_finite import explain_nan
    from .picture import tape
    from .steps import backward_steps
    from .units import dead_units
    from .watching import watch

#: What is imported when it is first asked for.
_LAZY = {
    "teach.comparing": ("compare",),
    "teach.error_display": ("explain_errors",),
    "teach.explaining": ("explain",),
    "teach.flow": ("gradient_flow",),
    "teach.loss_curve": ("LossCurve",),
    "teach.memory": ("memory_timeline",),
    "teach.units": ("dead_units",),
    "teach.no_gradient": ("why_no_grad",),
    "teach.not_finite": ("explain_nan",),
    "teach.picture": ("tape",),
    "teach.steps": ("backward_steps",),
    "teach.watching": ("watch",),
}

__all__ = [name for names in _LAZY.values() for name in names]

__getattr__, __dir__ = lazy.attributes(__name__, _LAZY)
