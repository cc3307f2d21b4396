"""Optimizer: groups of parameters, the state kept for each of them, and the loop over both.

A subclass says how one parameter moves. What it writes, it writes into the parameter's own array, because views of
the parameter share it, and it uses augmented assignment alone, which arrays of every backend offer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import cache, wraps
from itertools import count
from typing import Any, ClassVar

from autograd_backends import Backend, kernels, namespace

from ..creation import move
from ..refusals import named_init
from ..tape import enable_grad
from ..tensor import RemovableHandle, Tensor
from .forgotten import Watch
from .pack import Packs

__all__ = ["Optimizer", "Update", "at_least_zero", "fractions"]

#: What of a group is about its parameters, and is not loaded.
_OF_PARAMETERS = ("params", "param_names")

#: Moves one parameter: ``update(parameter, array, grad)`` changes `array`, the parameter's values, in place.
Update = Callable[[Tensor, Any, Any], None]


_hook_keys = count()


def _hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` with the hooks of its optimizer before and after it."""

    @wraps(step)
    def hooked(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        hooks = self._hooks
        if "step_pre" in hooks:
            for hook in list(hooks["step_pre"].values()):
                changed = hook(self, args, kwargs)
                if changed is not None:
                    args, kwargs = changed
        result = step(self, *args, **kwargs)
        self.has_stepped = True
        self._watch.stepped(self.param_groups, type(self).__name__)
        if "step_post" in hooks:
            for hook in list(hooks["step_post"].values()):
                hook(self, args, kwargs)
        return result

    return hooked


class Optimizer:
    """What every optimizer is: parameters in groups, each group with hyper-parameters of its own.

    A subclass gives its hyper-parameters in `defaults`, and overrides `update_rule`, or like a PyTorch
    optimizer `step`.

    Parameters
    ----------
    params
        The Tensors to optimize, or pairs of name and Tensor as ``model.named_parameters()`` gives; or dicts, one for
        each group: these under ``"params"``, beside them the hyper-parameters that differ from the defaults.
    defaults
        Hyper-parameters by name, for groups that do not give their own.

    Attributes
    ----------
    param_groups
        One dict for each group, with all its hyper-parameters. A change to one counts from the next step on.
    state
        What is kept for each parameter, by name: ``optimizer.state[parameter]["exp_avg"]``.
    has_stepped
        Whether `step` was called.

    Raises
    ------
    TypeError
        If something to optimize is no Tensor.
    ValueError
        If there is nothing to optimize, a Tensor was made by a recorded op or comes twice, or a hyper-parameter is
        out of its range.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> from autograd_ops.optim import Optimizer
    >>> class SignDescent(Optimizer):
    ...     def update_rule(self, group):
    ...         def update(parameter, array, grad):
    ...             array -= group["lr"] * ((grad > 0) * 1.0 - (grad < 0) * 1.0)
    ...         return update
    >>> w = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> w.grad = ag.tensor([0.3, -4.0])
    >>> SignDescent([w], {"lr": 0.5}).step()
    >>> w
    tensor([0.5, 2.5], requires_grad=True)
    """

    #: Names of the state that has its parameter's shape; it follows the parameter's device and precision when loaded.
    like_parameter: ClassVar[tuple[str, ...]] = ()

    #: Whether each element moves by itself, and all state but ``"step"`` is `like_parameter` and changed in place:
    #: then small parameters take their steps as one.
    elementwise: ClassVar[bool] = False

    #: Whether its formula is that of complex parameters too; else they are updated as pairs of real numbers.
    takes_complex: ClassVar[bool] = False

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(f"{type(self).__name__}: params must be a list of Tensors or dicts, not one Tensor")
        self.defaults = defaults
        self.has_stepped = False
        self._watch = Watch()
        self._hooks: defaultdict[str, dict[int, Callable[..., Any]]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._packs = Packs()
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        if not isinstance(params, Iterable) or hasattr(params, "parameters"):
            raise TypeError(
                f"{type(self).__name__}: expected parameters, got {type(params).__name__}; write model.parameters()"
            )
        groups = list(params)
        if not groups:
            raise ValueError(f"{type(self).__name__}: the list of parameters is empty")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        named_init(cls)
        if "step" in cls.__dict__:
            cls.step = _hooked(cls.step)  # type: ignore[method-assign]

    # ---------------------------------------------------------------- what subclasses say

    def update_rule(self, group: dict[str, Any]) -> Update:
        """The function that takes one step for one parameter of `group`; asked for once a step."""
        raise NotImplementedError(f"{type(self).__name__} overrides neither update_rule nor step")

    def check(self, group: dict[str, Any]) -> None:
        """Refuse hyper-parameters out of their range.

        Raises
        ------
        ValueError
            Naming the hyper-parameter, its value and its range.
        """

    # ---------------------------------------------------------------- the step

    @_hooked
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient.

        Warns
        -----
        ForgottenZeroGrad
            Once, if the gradient that the step before used was added to, and not cleared before.

        Parameters
        ----------
        closure
            Called first, if given: computes the loss anew, calls its ``backward()`` and returns it.

        Returns
        -------
        Tensor or None
            What `closure` returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for number, group in enumerate(self.param_groups):
            update = self.update_rule(group)
            parameters = [parameter for parameter in group["params"] if parameter._grad is not None]
            if len(parameters) > 1:
                parameters = self.move_together(number, group, parameters, update)
            cls = dtype = None  # those of the last one: most are alike
            for parameter in parameters:
                array = parameter.array
                if type(array) is not cls or array.dtype is not dtype:
                    cls, dtype = type(array), array.dtype
                    backend = kernels(array)
                    way, mixed = _way(backend, dtype), backend.mixes_devices
                    as_it_is = way is None or (way is _COMPLEX and self.takes_complex)
                if mixed:
                    backend.make_current(array)
                if as_it_is:
                    update(parameter, array, parameter._grad.array)
                elif way is _COMPLEX:
                    self._update_parts(update, parameter)
                else:
                    _update_wide(update, parameter, way)
                parameter.version[0] += 1  # backward refuses to go through an op that kept the values from before
        return loss

    def move_together(
        self, number: int, group: dict[str, Any], parameters: list[Tensor], update: Update
    ) -> list[Tensor]:
        """Let those of `parameters` take their steps that can do so as one; returns the others.

        Parameters
        ----------
        number, group
            That of the parameters, and its place among all.
        update
            What moves one.
        """
        return self._packs.move(self, number, parameters, update) if self.elementwise and self.state else parameters

    def goes_as_it_is(self, arrays: list[Any]) -> bool:
        """Whether `arrays` are of one dtype that is updated as it is, on devices that need not be made current."""
        cls, dtype = type(arrays[0]), arrays[0].dtype
        for array in arrays:
            if type(array) is not cls or array.dtype is not dtype:
                return False
        backend = kernels(arrays[0])
        return not backend.mixes_devices and _way(backend, dtype) is None

    def _update_parts(self, update: Update, parameter: Tensor) -> None:
        """Take a step for a complex parameter as for its real and imaginary parts, each a parameter of its own."""
        backend = kernels(parameter.array)
        state = self.state[parameter]

        def convert(view: Callable[[Any], Any]) -> None:
            for name in self.like_parameter:
                if state.get(name) is not None:
                    state[name] = Tensor(view(state[name].array))

        parts = backend.view_as_real(parameter.array)
        convert(backend.view_as_real)
        update(parameter, parts, backend.view_as_real(parameter.grad.array))  # type: ignore[union-attr]
        convert(backend.view_as_complex)
        backend.write(parameter.array, backend.view_as_complex(parts))

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradient of every parameter; with ``set_to_none=False``, set it to zeros."""
        for group in self.param_groups:
            for parameter in group["params"]:
                grad = parameter._grad
                if set_to_none or grad is None:
                    parameter._grad = None
                elif grad.node is not None:  # a recorded gradient is somebody's value: leave it as it is
                    parameter.grad = Tensor(namespace(grad.array).zeros_like(grad.array))
                else:
                    grad.array[...] = 0
                    grad.version[0] += 1

    # ---------------------------------------------------------------- groups

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Optimize more parameters: a dict of ``"params"`` and the hyper-parameters that differ from the defaults.

        Raises
        ------
        TypeError, ValueError
            As when the optimizer is made.
        """
        name = type(self).__name__
        if not isinstance(group, dict) or "params" not in group:
            raise TypeError(f"{name}: a parameter group must be a dict with a key 'params', got {group!r}")
        given = group["params"]
        if isinstance(given, (set, frozenset)):
            raise TypeError(f"{name}: parameters must come in a fixed order, and a set has none; give a list")
        parameters = [given] if isinstance(given, Tensor) else list(given)
        if not parameters:
            raise ValueError(f"{name}: a parameter group has no parameters")
        named = all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in parameters)
        names = [pair[0] for pair in parameters] if named else []
        if named:
            parameters = [pair[1] for pair in parameters]
        if self.param_groups and ("param_names" in self.param_groups[0]) != named:
            raise ValueError(f"{name}: either the parameters of all groups are given with names, or those of none")
        known = {id(parameter) for parameter in self._parameters()}
        for i, parameter in enumerate(parameters):
            self._check_parameter(parameter, i)
            if id(parameter) in known:
                raise ValueError(f"{name}: parameter {i} of the group is optimized already; give each one once")
            known.add(id(parameter))
        complete = {**self.defaults, **group, "params": parameters, **({"param_names": names} if named else {})}
        self.check(complete)
        self.param_groups.append(complete)

    def _check_parameter(self, parameter: Any, i: int) -> None:
        name = type(self).__name__
        if not isinstance(parameter, Tensor):
            raise TypeError(f"{name}: can optimize Tensors, but parameter {i} is a {type(parameter).__name__}")
        if not parameter.is_leaf:
            raise ValueError(
                f"{name}: parameter {i} was made by a recorded op, so it gets no gradient of its own: "
                "optimize the tensors it was made from, or its detach().requires_grad_()"
            )

    def _parameters(self) -> Iterator[Tensor]:
        for group in self.param_groups:
            yield from group["params"]

    # ---------------------------------------------------------------- saving and loading

    def __getstate__(self) -> dict[str, Any]:
        self._packs.dissolve()
        return self.__dict__

    def state_dict(self) -> dict[str, Any]:
        """A copy of all that is needed to go on: no array in it is one of the optimizer's.

        Returns
        -------
        dict
            ``"state"``: for each parameter that has any, by its number, its state by name. ``"param_groups"``: for
            each group its hyper-parameters, and under ``"params"`` the numbers of its parameters.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> w = ag.tensor([1.0], requires_grad=True)
        >>> w.grad = ag.tensor([2.0])
        >>> optimizer = ag.optim.SGD([w], lr=0.1, momentum=0.9)
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"]
        {0: {'momentum_buffer': tensor([2.])}}
        """
        for hook in list(self._hooks["save_pre"].values()):
            hook(self)
        self._packs.dissolve()
        groups, start = [], 0
        for group in self.param_groups:
            numbers = list(range(start, start + len(group["params"])))
            start += len(numbers)
            options = {name: deepcopy(value) for name, value in group.items() if name != "params"}
            groups.append({**options, "params": numbers})
        state = {i: deepcopy(self.state[p]) for i, p in enumerate(self._parameters()) if p in self.state}
        saved = {"state": state, "param_groups": groups}
        for hook in list(self._hooks["save_post"].values()):
            changed = hook(self, saved)
            saved = saved if changed is None else changed
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave, on the devices of the parameters; everything in it is copied.

        Raises
        ------
        ValueError
            If its groups or their sizes differ from those here, or the state of a parameter has another shape than
            the parameter. Then nothing has been changed.
        """
        name = type(self).__name__
        for hook in list(self._hooks["load_pre"].values()):
            changed = hook(self, dict(state_dict))
            state_dict = state_dict if changed is None else changed
        saved = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in self.param_groups]
        saved_sizes = [len(group["params"]) for group in saved]
        if sizes != saved_sizes:
            raise ValueError(
                f"{name}: the state was saved from parameter groups of {saved_sizes} parameters, "
                f"and the groups here have {sizes}"
            )
        numbers = [number for group in saved for number in group["params"]]
        loaded: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        for number, parameter in zip(numbers, self._parameters(), strict=True):
            if number in state_dict["state"]:
                kept = state_dict["state"][number]
                loaded[parameter] = {key: self._loaded(key, kept[key], parameter, number) for key in kept}
        self.state = loaded
        for group, options in zip(self.param_groups, saved, strict=True):
            group.update({key: deepcopy(value) for key, value in options.items() if key not in _OF_PARAMETERS})
        for hook in list(self._hooks["load_post"].values()):
            hook(self)

    # ---------------------------------------------------------------- hooks

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each `step`; it may return new ``(args, kwargs)``.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> optimizer = ag.optim.SGD([ag.zeros(2, requires_grad=True)], lr=0.1)
        >>> with optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("now")):
        ...     optimizer.step()
        now
        """
        return self._add_hook("step_pre", hook, False)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each `step`."""
        return self._add_hook("step_post", hook, False)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before `state_dict`."""
        return self._add_hook("save_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after `state_dict`; it may change the dict, or return another."""
        return self._add_hook("save_post", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before `load_state_dict`; it may return another dict."""
        return self._add_hook("load_pre", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after `load_state_dict`."""
        return self._add_hook("load_post", hook, prepend)

    def _add_hook(self, kind: str, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
        hooks = self._hooks[kind]
        key = next(_hook_keys)
        hooks[key] = hook
        if prepend:
            others = [(k, hooks.pop(k)) for k in list(hooks) if k != key]
            hooks.update(others)
        return RemovableHandle(hooks, key)

    # ---------------------------------------------------------------- what subclasses share

    def _loaded(self, key: str, value: Any, parameter: Tensor, number: Any) -> Any:
        """A copy of one saved value, as the optimizer keeps it for `parameter`."""
        if key == "step":
            return int(value)  # PyTorch saves it as a tensor
        if key not in self.like_parameter or value is None:
            return deepcopy(value)
        if value.shape != parameter.shape:
            raise ValueError(
                f"{type(self).__name__}: the saved {key} of parameter {number} has shape {tuple(value.shape)}, "
                f"and the parameter here has {tuple(parameter.shape)}"
            )
        backend = kernels(parameter.array)
        array = move(value.array, None, parameter.device)
        return Tensor(backend.xp.astype(array, backend.accumulator(parameter.array.dtype), copy=True))

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name not in _OF_PARAMETERS]
        return "\n".join([*lines, ")"])


#: The way of a complex parameter.
_COMPLEX = object()


@cache
def _way(backend: Backend, dtype: Any) -> Any:
    """How parameters of `dtype` are updated: as they are (``None``), as complex numbers, or in a wider dtype, this.

    In half precision ``lr * grad`` and the square of a gradient easily become 0.
    """
    if dtype in backend.complex_dtypes:
        return _COMPLEX
    wide = backend.accumulator(dtype)
    return None if wide == dtype else wide


def _update_wide(update: Update, parameter: Tensor, wide: Any) -> None:
    array = parameter.array
    astype = namespace(array).astype
    values = astype(array, wide)
    update(parameter, values, astype(parameter.grad.array, wide))  # type: ignore[union-attr]
    array[...] = astype(values, array.dtype)


# ---------------------------------------------------------------- checks that several optimizers make


def at_least_zero(optimizer: Optimizer, group: dict[str, Any], *names: str) -> None:
    """Refuse hyper-parameters that are negative or not a number.

    Raises
    ------
    ValueError
        Naming the first.
    """
    for name in names:
        value = group[name]
        if not hasattr(value, "__float__") or not float(value) >= 0.0:
            raise ValueError(f"{type(optimizer).__name__}: {name} must be at least 0, not {value!r}")


def fractions(optimizer: Optimizer, group: dict[str, Any], name: str) -> None:
    """Refuse a hyper-parameter that is not a fraction below 1, or a tuple in which one is not.

    Raises
    ------
    ValueError
        Naming it.
    """
    value = group[name]
    for fraction in value if isinstance(value, (tuple, list)) else (value,):
        if not 0.0 <= float(fraction) < 1.0:
            raise ValueError(f"{type(optimizer).__name__}: {name} must be in [0, 1), not {value}")
