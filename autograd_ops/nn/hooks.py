"""How a module with hooks is called: forward hooks around ``forward``, and backward hooks on the tape around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from ..ends import across
from ..pytree import flatten, unflatten
from ..runtime import connect_outputs, take_all
from ..tape import Node, Step, mode, next_seq
from ..tensor import RemovableHandle, Tensor

if TYPE_CHECKING:
    from .module import Module

__all__ = [
    "add_hook",
    "call_with_hooks",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
]

_keys = count()

#: The hooks of all modules, by kind.
FOR_ALL: dict[str, dict[int, Callable[..., Any]]] = {
    "forward_pre": {},
    "forward": {},
    "backward_pre": {},
    "backward": {},
}


class _WithOptions:
    """A hook that is called with more, or more often, than others."""

    def __init__(self, function: Callable[..., Any], with_kwargs: bool, always_call: bool) -> None:
        self.function = function
        self.with_kwargs = with_kwargs
        self.always_call = always_call


def add_hook(
    hooks: dict[int, Any],
    hook: Callable[..., Any],
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> RemovableHandle:
    """Put `hook` among `hooks`, as the last or with `prepend` the first; returns a way to take it off."""
    key = next(_keys)
    new = {key: _WithOptions(hook, with_kwargs, always_call) if with_kwargs or always_call else hook}
    if prepend:
        others = dict(hooks)
        hooks.clear()
        new.update(others)
    hooks.update(new)
    return RemovableHandle(hooks, key)


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``module(*args, **kwargs)`` does where there are hooks."""
    after = [*FOR_ALL["forward"].values(), *module._forward_hooks.values()]
    called: set[int] = set()
    try:
        for hook in [*FOR_ALL["forward_pre"].values(), *module._forward_pre_hooks.values()]:
            args, kwargs = _before(module, hook, args, kwargs)
        around = _Around.of(module)
        if around is not None:
            args = around.entered(args)
        output = module.forward(*args, **kwargs)
        for hook in after:
            called.add(id(hook))
            changed = _after(module, hook, args, kwargs, output)
            if changed is not None:
                output = changed
        return output if around is None else around.left(output)
    except Exception:
        for hook in after:
            if getattr(hook, "always_call", False) and id(hook) not in called:
                _after(module, hook, args, kwargs, None)
        raise


def _before(
    module: Module, hook: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments after one hook."""
    if isinstance(hook, _WithOptions):
        changed = hook.function(module, args, kwargs)
        if changed is None:
            return args, kwargs
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise RuntimeError(
                "a forward pre-hook with kwargs returns None, or a tuple of the new args and kwargs, "
                f"and this one returned {type(changed).__name__}"
            )
        return changed
    changed = hook(module, args)
    if changed is None:
        return args, kwargs
    return (changed if isinstance(changed, tuple) else (changed,)), kwargs


def _after(module: Module, hook: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Any:
    if not isinstance(hook, _WithOptions):
        return hook(module, args, output)
    if hook.with_kwargs:
        return hook.function(module, args, kwargs, output)
    return hook.function(module, args, output)


# ---------------------------------------------------------------- on the tape


class _Around:
    """The backward hooks of one call: a step of the identity before the module, and one behind it."""

    def __init__(self, module: Module, before: list[Callable[..., Any]], after: list[Callable[..., Any]]) -> None:
        self._module = module
        self._before = before
        self._after = after
        self._grad_output: tuple[Tensor | None, ...] = ()
        self._inputs = 0
        self._entered = False

    @classmethod
    def of(cls, module: Module) -> _Around | None:
        """Those of `module`, or ``None`` if it has none."""
        before = [*FOR_ALL["backward_pre"].values(), *module._backward_pre_hooks.values()]
        after = [*FOR_ALL["backward"].values(), *module._backward_hooks.values()]
        return cls(module, before, after) if (before or after) and mode.enabled else None

    def entered(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, each Tensor behind a step that sees its gradient."""
        places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        self._inputs = len(places)
        if not self._after or not any(args[i].requires_grad for i in places):
            return args
        self._entered = True
        passed = list(args)
        new = _through([args[i] for i in places], "module inputs", self._inputs_seen)
        for i, tensor in zip(places, new, strict=True):
            passed[i] = tensor
        return tuple(passed)

    def left(self, output: Any) -> Any:
        """The outputs, each Tensor behind a step that sees the gradient that arrives at it."""
        leaves, shape = flatten(output)
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        if not any(leaves[i].requires_grad for i in places):
            return output
        new = _through([leaves[i] for i in places], "module outputs", self._outputs_seen)
        for i, tensor in zip(places, new, strict=True):
            leaves[i] = tensor
        return unflatten(leaves, shape)

    def _outputs_seen(self, arrived: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        for hook in self._before:
            changed = hook(self._module, arrived)
            if changed is not None:
                arrived = changed if isinstance(changed, tuple) else (changed,)
        self._grad_output = arrived
        if not self._entered:
            self._inputs_seen((None,) * self._inputs)
        return arrived

    def _inputs_seen(self, arrived: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        for hook in self._after:
            changed = hook(self._module, arrived, self._grad_output)
            if changed is not None:
                arrived = changed if isinstance(changed, tuple) else (changed,)
        return arrived


class _Seen(Step):
    """The identity of several Tensors; a function sees their gradients, and may give others.

    Parameters
    ----------
    carrying
        For each of the Tensors, whether it is of floats and so has a gradient.
    """

    def __init__(self, name: str, function: Callable[[tuple[Any, ...]], tuple[Any, ...]], carrying: list[bool]) -> None:
        self.name = name
        self.formula = "dx = g"
        self._function = function
        self._carrying = carrying

    def pull(self, gradient: Any, saved: tuple[Any, ...], parents: tuple[Node | None, ...]) -> tuple[Any, ...]:
        shown = iter([across(g if isinstance(g, Tensor) else Tensor(g)) for g in gradient])
        given = self._function(tuple([next(shown) if carries else None for carries in self._carrying]))
        if len(given) != len(self._carrying):
            raise RuntimeError(
                f"a backward hook of a module was shown {len(self._carrying)} gradients, and returned {len(given)}"
            )
        found = [g for g, carries in zip(given, self._carrying, strict=True) if carries]
        return tuple([_like(new, old, p) for new, old, p in zip(found, gradient, parents, strict=True)])


def _like(new: Any, old: Any, parent: Node | None) -> Any:
    """What a hook gave, as a gradient of the walk."""
    if parent is None or new is None:
        return None
    if not isinstance(new, Tensor):
        raise TypeError(f"a backward hook of a module returns Tensors, and this one returned a {type(new).__name__}")
    if new.array.shape != parent.shape:
        raise RuntimeError(
            f"a backward hook of a module may not change the shape of a gradient: {tuple(parent.shape)} became "
            f"{tuple(new.shape)}"
        )
    return across(new) if isinstance(old, Tensor) else across(new).array


def _through(tensors: Sequence[Tensor], name: str, function: Callable[..., Any]) -> list[Tensor]:
    """The same Tensors, behind one node at which `function` sees their gradients."""
    _, nodes, _, _ = take_all(tensors)
    passed = [tensor.detach() for tensor in tensors]
    carrying = [tensor.dtype.kind in ("float", "complex") for tensor in passed]
    node = Node()
    node.op = _Seen(name, function, carrying)
    node.seq = next_seq()
    node.parents = tuple([n for n, carries in zip(nodes, carrying, strict=True) if carries])
    node.saved = ()
    node.hooks = None
    connect_outputs(node, [tensor for tensor, carries in zip(passed, carrying, strict=True) if carries])
    return passed


# ---------------------------------------------------------------- hooks of all modules


def _for_all(kind: str, hook: Callable[..., Any], **options: bool) -> RemovableHandle:
    from .module import Module  # which is written with this file

    Module._hooked = True
    return add_hook(FOR_ALL[kind], hook, **options)


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """`Module.register_forward_pre_hook` for every module there is; called before those of the module itself."""
    return _for_all("forward_pre", hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """`Module.register_forward_hook` for every module there is; called before those of the module itself.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.nn.hooks import register_module_forward_hook
    >>> with register_module_forward_hook(lambda module, args, output: print(module)):
    ...     y = ag.nn.Sequential(ag.nn.ReLU())(ag.ones(2))
    ReLU()
    Sequential(
      (0): ReLU()
    )
    """
    return _for_all("forward", hook, with_kwargs=with_kwargs, always_call=always_call)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """`Module.register_full_backward_pre_hook` for every module there is."""
    return _for_all("backward_pre", hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """`Module.register_full_backward_hook` for every module there is."""
    return _for_all("backward", hook)
