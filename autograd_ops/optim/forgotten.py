"""A forgotten ``zero_grad``: the gradient that a step has used is still there, and the next backward adds to it."""

from __future__ import annotations

from typing import Any
from weakref import ref

from autograd_backends import namespace

from ..tape import Leaf
from ..tensor import Tensor
from ..warn import warn_user

__all__ = ["ForgottenZeroGrad", "Watch"]


class ForgottenZeroGrad(UserWarning):
    """A step used a gradient with that of the step before in it.

    Examples
    --------
    Where it is meant, it can be switched off:

    >>> import warnings
    >>> from autograd_ops import optim
    >>> warnings.filterwarnings("ignore", category=optim.ForgottenZeroGrad)
    """


class Watch:
    """Looks after the gradient of one parameter of an optimizer, from one step to the next.

    The leaf of the parameter tells when the gradient that the last step used is about to be added to. It counts as
    cleared if it is another one by then, was changed in place, or is all zeros, as ``p.grad.data.zero_()`` leaves it.
    That last is asked on the device, and the answer fetched only where the same gradient is there in the next step too.
    In a loop with ``zero_grad`` nothing of this happens, because there is no gradient to be added to.
    """

    def __init__(self) -> None:
        self._parameter: ref[Tensor] | None = None
        self._gradient: ref[Tensor] | None = None
        self._version = 0
        #: Whether anything of the last step was in the gradient when it was added to: a bool on its device.
        self._left: Any = None
        self._done = False

    def stepped(self, groups: list[dict[str, Any]], name: str) -> None:
        """Warn, once, if the gradient of the step before was in the one just used; then look after this one.

        Parameters
        ----------
        groups
            Those of the parameters.
        name
            Of the optimizer.
        """
        if self._done:
            return
        parameter = None if self._parameter is None else self._parameter()
        if parameter is None or parameter._grad is None:
            parameter = next((p for group in groups for p in group["params"] if p._grad is not None), None)
            if parameter is None:
                return
            self._parameter = ref(parameter)
        elif self._left is not None and self._is_watched(parameter._grad):
            self._done = True
            if isinstance(parameter.node, Leaf):
                parameter.node.before = None
            if bool(self._left):
                warn_user(
                    f"{name}.step used gradients that still had those of the step before in them, because backward adds"
                    " to what is there: call optimizer.zero_grad() before each backward. If it is meant, switch this"
                    " off with warnings.filterwarnings('ignore', category=optim.ForgottenZeroGrad)",
                    ForgottenZeroGrad,
                )
            return
        leaf, gradient = parameter.node, parameter._grad
        if isinstance(leaf, Leaf) and gradient is not None:
            self._gradient, self._version, self._left = ref(gradient), gradient.version[0], None
            leaf.before = self._adding

    def _adding(self, gradient: Tensor) -> None:
        if not self._is_watched(gradient):
            return
        if gradient.version[0] != self._version:  # somebody changed it: cleared it, most likely
            self._gradient = self._left = None
            return
        xp = namespace(gradient.array)
        left = xp.any(gradient.array != 0)
        self._left = left if self._left is None else xp.logical_and(self._left, left)
        self._version += 1  # which the addition makes it

    def _is_watched(self, gradient: Tensor) -> bool:
        return self._gradient is not None and self._gradient() is gradient

    def __reduce__(self) -> tuple[Any, ...]:
        return Watch, ()
