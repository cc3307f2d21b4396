"""Module: what has parameters, buffers and modules, finds them by name, and is called like a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

from ..creation import empty_like
from ..dtypes import DType, as_dtype, bfloat16, float16, float32, float64
from ..refusals import named_init
from ..tensor import RemovableHandle, Tensor
from .hooks import add_hook, call_with_hooks
from .parameter import Buffer, Parameter
from .state import IncompatibleKeys, join, load_state, state_of
from .trail import locate

__all__ = ["Module"]

#: What is registered when it becomes an attribute, and in which register.
_REGISTERS = ("_parameters", "_buffers", "_modules")


class Module:
    """A part of a model: override ``forward``, call the object.

    Parameters, buffers and modules that become attributes are registered under the attribute's name, in the order in
    which they come. Each is kept twice: in its register, which is what the traversals below read, and as a plain
    attribute, so that reading ``self.weight`` costs what any attribute costs.

    Attributes
    ----------
    training
        Whether it is in training mode: `Dropout` and batch norm behave by it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> class Affine(ag.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = ag.nn.Parameter(ag.ones(2))
    ...         self.register_buffer("shift", ag.zeros(2))
    ...     def forward(self, x):
    ...         return x * self.scale + self.shift
    >>> model = Affine()
    >>> list(model.state_dict())
    ['scale', 'shift']
    >>> model(ag.ones(2)).sum().backward()
    >>> model.scale.grad
    tensor([1., 1.])
    """

    training: bool
    #: Whether a hook was ever registered, here or for all modules: what a call without hooks looks at.
    _hooked: bool = False
    #: How often an attribute of any module was set: replays look at it to see whether one may have changed.
    changes: ClassVar[int] = 0
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        named_init(cls)

    def __init__(self) -> None:
        self.training = True
        self._parameters = {}
        self._buffers = {}
        self._modules = {}
        self._non_persistent: set[str] = set()
        self._forward_pre_hooks: dict[int, Callable[..., Any]] = {}
        self._forward_hooks: dict[int, Callable[..., Any]] = {}
        # Those on the way to and from a state_dict are few, and made when the first is registered.
        self._state_hooks: dict[str, dict[int, Callable[..., Any]]] = {}
        self._backward_pre_hooks: dict[int, Callable[..., Any]] = {}
        self._backward_hooks: dict[int, Callable[..., Any]] = {}

    # ---------------------------------------------------------------- calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass has its own.

        Raises
        ------
        NotImplementedError
            If this one has not.
        """
        raise NotImplementedError(f"{type(self).__name__} has no forward method")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if self._hooked:
                return call_with_hooks(self, args, kwargs)
            return self.forward(*args, **kwargs) if kwargs else self.forward(*args)
        except (ValueError, IndexError, TypeError, RuntimeError) as error:
            locate(error, self, args)
            raise

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before each forward; what it returns, if anything, are the new arguments.

        Parameters
        ----------
        hook
            With `with_kwargs` it is called as ``hook(module, args, kwargs)``, and returns a tuple of new ones, or None.
        prepend
            Call it before the hooks that there are.
        """
        return self._add_hook(self._forward_pre_hooks, hook, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after each forward; what it returns, if anything, is the new output.

        Parameters
        ----------
        hook
            With `with_kwargs` it is called as ``hook(module, args, kwargs, output)``.
        prepend
            Call it before the hooks that there are.
        always_call
            Call it also when forward raised; the output is ``None`` then.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> layer = ag.nn.ReLU()
        >>> with layer.register_forward_hook(lambda module, args, output: print(output)):
        ...     y = layer(ag.tensor([-1.0, 1.0]))
        tensor([0., 1.])
        """
        options = {"with_kwargs": with_kwargs, "always_call": always_call}
        return self._add_hook(self._forward_hooks, hook, prepend, **options)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` when backward comes to the module's outputs.

        ``grad_output`` has a gradient for each; what the hook returns, if anything, are the new ones.
        """
        return self._add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when backward has come through the module.

        Both are tuples: of the gradients of the Tensors that forward was given by position, ``None`` where there is
        none, and of those that it gave. What the hook returns, if anything, takes the place of ``grad_input``.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> layer = ag.nn.ReLU()
        >>> handle = layer.register_full_backward_hook(lambda module, inputs, outputs: print(inputs, outputs))
        >>> layer(ag.tensor([-1.0, 1.0], requires_grad=True)).sum().backward()
        (tensor([0., 1.]),) (tensor([1., 1.]),)
        """
        return self._add_hook(self._backward_hooks, hook, prepend)

    def _add_hook(
        self, hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any], prepend: bool, **options: bool
    ) -> RemovableHandle:
        self._hooked = True
        return add_hook(hooks, hook, prepend, **options)

    # ---------------------------------------------------------------- registering

    def __setattr__(self, name: str, value: Any) -> None:
        Module.changes += 1
        if isinstance(value, Parameter):
            self._register("_parameters", name, value)
        elif isinstance(value, Buffer):
            self._register("_buffers", name, value)
            if not value.persistent:
                self._non_persistent.add(name)
        elif isinstance(value, Module):
            self._register("_modules", name, value)
        else:
            self._replace_registered(name, value)
        object.__setattr__(self, name, value)

    def _register(self, register: str, name: str, value: Any) -> None:
        fields = self.__dict__
        if register not in fields:
            raise AttributeError(
                f"{type(self).__name__}: call super().__init__() first, so that {name!r} can be registered"
            )
        for other in _REGISTERS:
            if other != register:
                fields[other].pop(name, None)
        self._non_persistent.discard(name)
        fields[register][name] = value

    def _replace_registered(self, name: str, value: Any) -> None:
        """Keep what is registered as `name` in step; ``None`` and, for a buffer, any Tensor may take its place."""
        for register in _REGISTERS:
            held = self.__dict__.get(register)
            if held is None or name not in held:
                continue
            if value is not None and not (register == "_buffers" and isinstance(value, Tensor)):
                expected = {"_parameters": "a Parameter", "_buffers": "a Tensor", "_modules": "a Module"}[register]
                raise TypeError(
                    f"{type(self).__name__}: {name!r} is {expected} and can become another or None, "
                    f"not {type(value).__name__}"
                )
            held[name] = value
            return

    def __delattr__(self, name: str) -> None:
        Module.changes += 1
        for register in _REGISTERS:
            self.__dict__[register].pop(name, None)
        self._non_persistent.discard(name)
        object.__delattr__(self, name)

    def __getattr__(self, name: str) -> Any:
        # Reached only by names that are no attribute: perhaps somebody wrote to a register directly.
        for register in _REGISTERS:
            held = self.__dict__.get(register)
            if held is not None and name in held:
                return held[name]
        hint = "" if "_parameters" in self.__dict__ else "; its __init__ has not called super().__init__()"
        # With these two Python itself suggests a name that is near.
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        held = [name for register in _REGISTERS for name in self.__dict__.get(register, ()) if name.isidentifier()]
        return sorted({*super().__dir__(), *held})

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Give the module a parameter, or the place for one where `param` is None.

        Raises
        ------
        KeyError
            If `name` cannot be an attribute's: it is empty, has a dot or is another attribute.
        TypeError
            If `param` is neither a Parameter nor None.
        """
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"register_parameter: {name!r} must be a Parameter or None, not {type(param).__name__}")
        self._check_name(name, "_parameters")
        self._register("_parameters", name, param)
        object.__setattr__(self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Give the module a Tensor that moves and is saved with it, but is not learned.

        Parameters
        ----------
        name
            The attribute that it becomes.
        tensor
            The buffer, or None for the place of one.
        persistent
            Whether it is part of `state_dict`.

        Raises
        ------
        KeyError
            If `name` cannot be an attribute's: it is empty, has a dot or is another attribute.
        TypeError
            If `tensor` is neither a Tensor nor None.
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"register_buffer: {name!r} must be a Tensor or None, not {type(tensor).__name__}")
        self._check_name(name, "_buffers")
        self._register("_buffers", name, tensor)
        if not persistent:
            self._non_persistent.add(name)
        object.__setattr__(self, name, tensor)

    def add_module(self, name: str, module: Module | None) -> None:
        """Give the module a child; the same as assigning it, for names that are no Python names.

        Raises
        ------
        KeyError
            If `name` cannot be an attribute's: it is empty, has a dot or is another attribute.
        TypeError
            If `module` is neither a Module nor None.
        """
        given: Any = module
        if given is not None and not isinstance(given, Module):
            hint = "; functions have modules of their own, as nn.ReLU() for F.relu" if callable(given) else ""
            raise TypeError(f"add_module: {name!r} must be a Module or None, not {type(module).__name__}{hint}")
        self._check_name(name, "_modules")
        self._register("_modules", name, module)
        object.__setattr__(self, name, module)

    register_module = add_module

    def _check_name(self, name: str, register: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{type(self).__name__}: a name is a str, not {type(name).__name__}")
        if not name or "." in name:
            raise KeyError(f"{type(self).__name__}: a name may not be empty or have a dot, got {name!r}")
        if hasattr(self, name) and name not in self.__dict__.get(register, ()):
            raise KeyError(f"{type(self).__name__}: {name!r} is an attribute already")

    # ---------------------------------------------------------------- finding

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Itself and every module below it, each after its parent, with the path from here.

        Parameters
        ----------
        memo
            Ids of modules to leave out; those found are added.
        prefix
            What paths start with.
        remove_duplicate
            Give a module that is in several places once.

        Examples
        --------
        >>> from autograd_ops import nn
        >>> [path for path, _ in nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU())).named_modules()]
        ['', '0', '1', '1.0']
        """
        memo = set() if memo is None else memo
        if id(self) in memo:
            return
        if remove_duplicate:
            memo.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, join(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """Itself and every module below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that are its attributes, each once, with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules that are its attributes, each once."""
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Its parameters with their paths, and if `recurse` those of all modules below it.

        A parameter that is in several places, a tied weight, comes once, unless `remove_duplicate` is False.
        """
        yield from self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Its parameters, each once, and if `recurse` those of all modules below it.

        Examples
        --------
        >>> from autograd_ops import nn
        >>> sum(p.numel() for p in nn.Linear(3, 2).parameters())
        8
        """
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Its buffers with their paths, and if `recurse` those of all modules below it."""
        yield from self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Its buffers, each once, and if `recurse` those of all modules below it."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _named(self, register: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        seen = set()
        places = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in places:
            for name, value in module.__dict__[register].items():
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield join(path, name), value

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as ``"encoder.0.fc"``; itself for an empty one.

        Raises
        ------
        AttributeError
            If there is none.
        """
        module = self
        for name in target.split(".") if target else ():
            below = module._modules.get(name)
            if below is None:
                raise AttributeError(
                    f"{type(self).__name__} has no module {target!r}: nothing is called {name!r} there"
                )
            module = below
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put `module` at a path such as ``"encoder.0.fc"``.

        Parameters
        ----------
        target
            The path.
        module
            What is put there.
        strict
            Whether there must be a module already.

        Raises
        ------
        AttributeError
            If there is nothing on the way to it, or with `strict` at it.
        ValueError
            If the path is empty.
        TypeError
            If `module` is no Module.
        """
        if not target:
            raise ValueError("set_submodule: the path is empty, and a module cannot replace itself")
        if not isinstance(module, Module):
            raise TypeError(f"set_submodule: expected a Module, not {type(module).__name__}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict:
            parent.get_submodule(name)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path such as ``"encoder.0.fc.weight"``.

        Raises
        ------
        AttributeError
            If there is none.
        """
        return self._get("_parameters", "parameter", target)

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path such as ``"encoder.0.norm.running_mean"``.

        Raises
        ------
        AttributeError
            If there is none.
        """
        return self._get("_buffers", "buffer", target)

    def _get(self, register: str, what: str, target: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module.__dict__[register]:
            raise AttributeError(f"{type(module).__name__} has no {what} {name!r}")
        return module.__dict__[register][name]

    # ---------------------------------------------------------------- changing all of it

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call `fn` on every module below it, then on itself; returns itself.

        Examples
        --------
        >>> from autograd_ops import nn
        >>> def start(module):
        ...     if isinstance(module, nn.Linear):
        ...         nn.init.zeros_(module.bias)
        >>> nn.Sequential(nn.Linear(2, 2)).apply(start)[0].bias
        Parameter containing:
        tensor([0., 0.], requires_grad=True)
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Put it and every module below it into training mode, or with False into evaluation mode; returns itself.

        Raises
        ------
        ValueError
            If `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"train: mode is True or False, not {mode!r}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """The same as ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Let its parameters have gradients, or freeze them; returns itself."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of its parameters, or with `set_to_none` False fill them with zeros."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad = parameter.grad.detach().zero_()

    def to(self, *args: Any, device: str | None = None, dtype: Any = None, non_blocking: bool = False) -> Self:
        """Move its parameters and buffers to another device, and those of floats to another dtype.

        ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` and ``to(tensor)`` are understood. Parameters stay the
        same objects, so that an optimizer made before goes on; gradients move along.

        Parameters
        ----------
        device
            A device string.
        dtype
            A float dtype.
        non_blocking
            Accepted for PyTorch's sake; does nothing.

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        TypeError
            If the dtype is not a float dtype.
        DeviceError
            If there is no such device.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> ag.nn.Linear(2, 1).to(ag.float64).weight.dtype
        autograd_ops.float64
        """
        for arg in args:
            if isinstance(arg, Tensor):
                device, dtype = arg.device, arg.dtype
            elif isinstance(arg, str):
                device = arg
            elif arg is not None:
                dtype = arg
        wanted = None if dtype is None else as_dtype(dtype)
        if wanted is not None and wanted.kind not in ("float", "complex"):
            raise TypeError(f"{type(self).__name__}.to: a module can be of a float dtype, not of {wanted.name}")
        return self._convert(lambda tensor: _moved(tensor, device, wanted))

    def float(self) -> Self:
        """The same as ``to(float32)``."""
        return self.to(float32)

    def double(self) -> Self:
        """The same as ``to(float64)``."""
        return self.to(float64)

    def half(self) -> Self:
        """The same as ``to(float16)``."""
        return self.to(float16)

    def bfloat16(self) -> Self:
        """The same as ``to(bfloat16)``."""
        return self.to(bfloat16)

    def type(self, dst_type: Any) -> Self:
        """The same as ``to(dst_type)``."""
        return self.to(dst_type)

    def to_empty(self, *, device: str | None, recurse: bool = True) -> Self:
        """Move it to a device without its values, which may become anything; returns itself.

        Parameters
        ----------
        device
            A device string.
        recurse
            Whether the modules below it move as well.
        """
        for module in self.modules() if recurse else (self,):
            module._convert_own(lambda tensor: empty_like(tensor, device=device))
        return self

    def share_memory(self) -> Self:
        """Does nothing: threads share all memory; returns itself."""
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing: the module computes as it is. What PyTorch takes is accepted."""

    def cpu(self) -> Self:
        """The same as ``to("cpu")``."""
        return self.to("cpu")

    def cuda(self, device: int | str | None = None) -> Self:
        """The same as ``to("cuda")``, or ``to("cuda:1")`` for device 1."""
        if isinstance(device, int):
            device = f"cuda:{device}"
        return self.to("cuda" if device is None else device)

    def _convert(self, convert: Callable[[Tensor], Tensor]) -> Self:
        for module in self.modules():
            module._convert_own(convert)
        return self

    def _convert_own(self, convert: Callable[[Tensor], Tensor]) -> None:
        for parameter in self._parameters.values():
            if parameter is not None:
                parameter.data = convert(parameter.data)
                if parameter.grad is not None:
                    parameter.grad = convert(parameter.grad.detach())
        for name, buffer in self._buffers.items():
            if buffer is not None:
                setattr(self, name, convert(buffer))

    # ---------------------------------------------------------------- saving and loading

    def state_dict(
        self, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Its parameters and persistent buffers by path, as Tensors that share their memory.

        A module that overrides `get_extra_state` has what that gives there too, as ``"_extra_state"``.

        Parameters
        ----------
        destination
            A dict to write to, and to return, instead of a new one.
        prefix
            What keys start with, its dot included.
        keep_vars
            Give the parameters themselves, rather than Tensors off the tape.

        Examples
        --------
        >>> from autograd_ops import nn
        >>> list(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).state_dict())
        ['0.weight', '0.bias', '1.weight', '1.bias', '1.running_mean', '1.running_var', '1.num_batches_tracked']
        """
        return state_of(self, {} if destination is None else destination, prefix, keep_vars)

    def get_extra_state(self) -> Any:
        """What else is to be saved, besides parameters and buffers; a subclass overrides it and `set_extra_state`.

        Raises
        ------
        NotImplementedError
            If this one has not.
        """
        raise NotImplementedError(f"{type(self).__name__} overrides no get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` gave.

        Raises
        ------
        NotImplementedError
            If this class does not override it.
        """
        raise NotImplementedError(f"{type(self).__name__} overrides no set_extra_state")

    def _has_extra_state(self) -> bool:
        return type(self).get_extra_state is not Module.get_extra_state

    def register_state_dict_pre_hook(self, hook: Callable[[Module, str, bool], Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before its part of a `state_dict` is made."""
        return self._add_state_hook("save_pre", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` when all below it is there; it may change it."""
        return self._add_state_hook("save_post", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call a hook before a state is loaded into it.

        ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)`` may
        change the dict, which is a copy, and add to the last list what is an error.
        """
        return self._add_state_hook("load_pre", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[[Module, IncompatibleKeys], Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after a load; keys that it takes from the lists are forgiven."""
        return self._add_state_hook("load_post", hook)

    def _add_state_hook(self, kind: str, hook: Callable[..., Any]) -> RemovableHandle:
        return add_hook(self._state_hooks.setdefault(kind, {}), hook)

    def _hooks(self, kind: str) -> list[Callable[..., Any]]:
        return list(self._state_hooks.get(kind, {}).values())

    def load_state_dict(
        self, state_dict: Mapping[str, Tensor], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the Tensors of a `state_dict` into the parameters and buffers of the same paths.

        They may be of other dtypes and on other devices. If anything is wrong, nothing is loaded.

        Parameters
        ----------
        state_dict
            Tensors by path.
        strict
            Whether a key that is missing or not expected is an error; a shape that differs always is.
        assign
            Put the Tensors themselves in the place of the parameters and buffers, rather than copying them into these:
            their dtypes and devices become the module's. An optimizer made before does not know them.

        Returns
        -------
        IncompatibleKeys
            ``missing_keys`` and ``unexpected_keys``, empty if `strict`.

        Raises
        ------
        RuntimeError
            Naming every missing and unexpected key, and every parameter whose shape differs, with both shapes.
        TypeError
            If `state_dict` is no mapping.

        Examples
        --------
        >>> from autograd_ops import nn
        >>> nn.Linear(2, 3).load_state_dict(nn.Linear(2, 3).state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"load_state_dict: expected state_dict to be a dict of Tensors, not {type(state_dict).__name__}"
            )
        return load_state(self, state_dict, strict, assign)

    # ---------------------------------------------------------------- printing

    def extra_repr(self) -> str:
        """What stands in the brackets when it is printed, besides its children."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = [f"({name}): {text}" for name, text in self._children_reprs()]
        if not lines and "\n" not in extra:
            return f"{type(self).__name__}({extra})"
        body = "\n".join([*extra.splitlines(), *lines]).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {body}\n)"

    def _children_reprs(self) -> list[tuple[str, str]]:
        return [(name, repr(module)) for name, module in self._modules.items()]


def _moved(tensor: Tensor, device: str | None, dtype: DType | None) -> Tensor:
    casts = dtype is not None and tensor.dtype.kind in ("float", "complex")
    return tensor.to(tensor.device if device is None else device, dtype if casts else tensor.dtype)
