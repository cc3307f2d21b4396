"""What `Module.state_dict` and `load_state_dict` do: the state of a module and all below it, by path.

`Module` says what the arguments are; hooks and extra states are registered there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..tape import no_grad
from ..tensor import Tensor
from .parameter import Parameter

if TYPE_CHECKING:
    from .module import Module

__all__ = ["IncompatibleKeys", "join", "load_state", "state_of"]

#: Under which name a state has what `Module.get_extra_state` gave.
_EXTRA_STATE = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What `Module.load_state_dict` found amiss: keys that the state lacked, and keys that the module lacks."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def state_of(root: Module, state: dict[str, Any], prefix: str, keep_vars: bool) -> dict[str, Any]:
    """Write the state of `root` to `state`, and return that."""
    places = [
        (prefix + path + "." if path else prefix, module) for path, module in root.named_modules(remove_duplicate=False)
    ]
    for start, module in places:
        for hook in module._hooks("save_pre"):
            hook(module, start, keep_vars)
        own: dict[str, Tensor | None] = {**module._parameters, **module._buffers}
        for name, tensor in own.items():
            if tensor is not None and name not in module._non_persistent:
                state[start + name] = tensor if keep_vars else tensor.detach()
        if module._has_extra_state():
            state[start + _EXTRA_STATE] = module.get_extra_state()
    # Each after what is below it.
    for start, module in reversed(places):
        for hook in module._hooks("save_post"):
            hook(module, state, start, {})
    return state


def load_state(root: Module, state_dict: Mapping[str, Tensor], strict: bool, assign: bool) -> IncompatibleKeys:
    """Load `state_dict` into `root`. What does not fit is an error before anything is changed."""
    given = dict(state_dict)
    places = list(root.named_modules(remove_duplicate=False))
    problems: list[str] = []
    for path, module in places:
        for hook in module._hooks("load_pre"):
            hook(module, given, path + "." if path else "", {}, strict, [], [], problems)
    own: dict[str, Tensor] = {}
    extra: dict[str, Module] = {}
    for path, module in places:
        for name, tensor in (*module._parameters.items(), *module._buffers.items()):
            if tensor is not None and name not in module._non_persistent:
                own[join(path, name)] = tensor
        if module._has_extra_state():
            extra[join(path, _EXTRA_STATE)] = module
    missing = [key for key in (*own, *extra) if key not in given]
    unexpected = [key for key in given if key not in own and key not in extra]
    keys = IncompatibleKeys(missing, unexpected)
    fitting = {key: given[key] for key in own if key in given}
    problems += [text for key, value in fitting.items() if (text := _misfit(key, value, own[key]))]
    after = [(module, hook) for _, module in reversed(places) for hook in module._hooks("load_post")]
    _refuse(root, problems, keys if strict and not after else None)
    if assign:
        for key, value in fitting.items():
            path, _, name = key.rpartition(".")
            setattr(root.get_submodule(path), name, _in_place_of(own[key], value))
    else:
        with no_grad():
            # All conversions come first, so that one that fails leaves the model as it was.
            values = [value.detach().to(own[key].device, own[key].dtype) for key, value in fitting.items()]
            for key, value in zip(fitting, values, strict=True):
                own[key].copy_(value)
    for key, module in extra.items():
        if key in given:
            module.set_extra_state(given[key])
    for module, hook in after:
        hook(module, keys)
    _refuse(root, [], keys if strict else None)
    return keys


def _refuse(root: Module, problems: list[str], keys: IncompatibleKeys | None) -> None:
    """Raise if there are `problems`, or `keys` that are missing or not expected."""
    named = [] if keys is None else [("Missing", keys.missing_keys), ("Unexpected", keys.unexpected_keys)]
    listed = [f"{what} key(s) in state_dict: {_quoted(names)}. " for what, names in named if names]
    if listed or problems:
        raise RuntimeError(
            "\n\t".join([f"Error(s) in loading state_dict for {type(root).__name__}:", *listed, *problems])
        )


def join(path: str, name: str) -> str:
    """The path of what is called `name` at `path`."""
    return f"{path}.{name}" if path else name


def _quoted(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _in_place_of(held: Tensor, value: Tensor) -> Tensor:
    """`value`, as a Parameter if `held` is one, that requires grad as it did."""
    if not isinstance(held, Parameter):
        return value
    if not isinstance(value, Parameter):
        return Parameter(value.detach(), requires_grad=held.requires_grad)
    value.requires_grad_(held.requires_grad)
    return value


def _misfit(key: str, value: Any, target: Tensor) -> str:
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected a Tensor from checkpoint but received '
            f"{type(value).__name__}"
        )
    if value.shape != target.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
            f"the shape in current model is {target.shape}."
        )
    return ""
