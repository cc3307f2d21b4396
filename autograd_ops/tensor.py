"""Tensor: an array, its gradient, and its place on the tape."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from autograd_backends import Device, device_of, is_array, kernels, namespace, scalar_to_array
from autograd_backends.lookup import complex_dtypes

from .arrays import array_for
from .dtypes import DType, dtype_of
from .ends import across
from .inplace import node_of
from .printing import describe
from .tape import Leaf, Node, TapeError

if TYPE_CHECKING:
    from .method_types import Methods as _Attached
else:
    _Attached = object

__all__ = ["RemovableHandle", "Size", "Tensor"]


class Size(tuple[int, ...]):
    """The shape of a Tensor: a tuple, with PyTorch's ``numel``."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of that shape."""
        count = 1
        for n in self:
            count *= n
        return count

    def __repr__(self) -> str:
        return f"Size({list(self)})"


class Count(int):
    """A number of elements: the array API's ``x.size``, an int; called, it is PyTorch's ``x.size()``, the shape."""

    shape: Size

    def __call__(self, dim: int | None = None) -> Any:
        """The shape, or the length of one dimension."""
        return self.shape if dim is None else self.shape[dim]

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (int(self),)


class RemovableHandle:
    """What registering a hook gives: a way to take it off again, also by leaving a ``with`` block."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks = hooks
        self._key = key

    def remove(self) -> None:
        """Take the hook off; once is enough, more does no harm."""
        self._hooks.pop(self._key, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


_new = object.__new__

#: Under this key a node's hooks hold the one that keeps the gradient of a Tensor that is no leaf.
_RETAIN = -1


class Tensor(_Attached):
    """An array that remembers the ops applied to it.

    Made by ``autograd_ops.tensor`` and the other creation functions; ``Tensor(array)`` wraps an array of a backend
    without a copy, ``Tensor(2, 3)`` is of that shape, with elements that may be anything, and anything else becomes an
    array of the default dtype.

    Attributes
    ----------
    array
        The backend's array.
    node
        What made it: the op's Node, a Leaf if it keeps its own gradient, ``None`` if it needs none.
    version
        How often its memory was changed in place, and by what last; shared with its views.
    grad
        The gradient that backward left, a Tensor of the same shape and dtype, or ``None``.
    alias
        What it is a view of, an `inplace.Alias`, or ``None``.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> x = ag.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __slots__ = ("__weakref__", "_grad", "alias", "array", "node", "version")

    array: Any
    node: Node | None
    version: list[Any]
    _grad: Tensor | None
    alias: Any

    def __init__(self, data: Any = (), *size: int, requires_grad: bool = False) -> None:
        if type(data) in scalar_to_array:
            data = scalar_to_array[type(data)](data)
        elif isinstance(data, Tensor):
            data = data.array
        elif not is_array(data):
            data = array_for(data, size)
        self.array = data
        self.version = [0]
        self._grad = self.alias = self.node = None
        if requires_grad:
            self.requires_grad_()

    # ---------------------------------------------------------------- what it is

    @property
    def shape(self) -> Size:
        """Its shape, a tuple of ints."""
        return Size(self.array.shape)

    @property
    def ndim(self) -> int:
        """The number of its dimensions."""
        return len(self.array.shape)

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return dtype_of(kernels(self.array), self.array.dtype)

    @property
    def device(self) -> Device:
        """Where it lives: a string such as ``"cpu"``."""
        return device_of(self.array)

    @property
    def requires_grad(self) -> bool:
        """Whether backward gives it, or passes through it, a gradient."""
        return self.place() is not None

    @requires_grad.setter
    def requires_grad(self, requires_grad: bool) -> None:
        self.requires_grad_(requires_grad)

    @property
    def is_leaf(self) -> bool:
        """Whether the user made it, rather than a recorded op."""
        node = self.place()
        return node is None or type(node) is Leaf

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward left, a Tensor of the same shape and dtype, or ``None``.

        Raises
        ------
        TypeError
            When set to anything but a Tensor or ``None``.
        ValueError
            When set to a Tensor of another shape or dtype.
        """
        return self._grad

    @grad.setter
    def grad(self, gradient: Tensor | None) -> None:
        if gradient is not None:
            if not isinstance(gradient, Tensor):
                raise TypeError(f"grad is a Tensor or None, not {type(gradient).__name__}")
            if gradient.array.shape != self.array.shape or gradient.array.dtype != self.array.dtype:
                raise ValueError(
                    f"the gradient of a {self.dtype.name} tensor of shape {tuple(self.shape)} is like it, "
                    f"and this one is {gradient.dtype.name} of shape {tuple(gradient.shape)}"
                )
        self._grad = gradient

    @property
    def grad_fn(self) -> Node | None:
        """The node of the op that made it; ``None`` for a leaf."""
        return None if self.is_leaf else self.node

    @property
    def data(self) -> Tensor:
        """The same memory off the tape; a change to it is not seen by backward. Prefer `detach`."""
        return Tensor(self.array)

    @data.setter
    def data(self, value: Tensor) -> None:
        self.array, self.alias = value.array, None
        if type(self.node) is Leaf:
            # Gradients that arrive there have the new shape and dtype.
            self.node.shape, self.node.dtype = self.array.shape, self.array.dtype

    @property
    def size(self) -> Count:
        """The number of its elements; ``size()`` is its shape, and ``size(dim)`` the length of one dimension."""
        shape = self.shape
        count = Count(shape.numel())
        count.shape = shape
        return count

    def dim(self) -> int:
        """The number of its dimensions."""
        return len(self.array.shape)

    def numel(self) -> int:
        """The number of its elements."""
        return self.shape.numel()

    # ---------------------------------------------------------------- its place on the tape

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Make it a leaf that keeps its gradient, or stop that; returns itself.

        Raises
        ------
        TypeError
            If its dtype has no gradients: integers and bools. If `requires_grad` is no bool.
        TapeError
            If it was made by a recorded op, and so already has its place.
        """
        if not isinstance(requires_grad, int):
            raise TypeError(f"requires_grad_: expected a bool, got {type(requires_grad).__name__}")
        if not requires_grad:
            if not self.is_leaf:
                raise TapeError("a tensor made by a recorded op cannot stop requiring grad; use its detach()")
            self.node = None
        elif self.place() is None:
            if self.dtype.kind not in ("float", "complex"):
                raise TypeError(
                    f"requires_grad_: only float tensors can require grad, and this one is {self.dtype.name}: "
                    "make it one first, as with x.float()"
                )
            self.node = Leaf(self)
            self.alias = None  # a leaf has its place on the tape from nothing else, though it shares memory
        return self

    def detach(self) -> Tensor:
        """A Tensor of the same memory that needs no gradient."""
        tensor = Tensor(self.array)
        tensor.version = self.version
        return tensor

    def place(self) -> Node | None:
        """Its node; of a view whose base was changed in place since, made anew."""
        return self.node if self.alias is None else node_of(self)

    def retain_grad(self) -> None:
        """Let backward leave a ``grad`` here too, though a recorded op made it.

        Raises
        ------
        TapeError
            If it needs no gradient.
        """
        node = self.place()
        if node is None:
            raise TapeError("retain_grad: this tensor does not require grad")
        if type(node) is not Leaf:
            hooks = node.hooks = node.hooks or {}
            hooks[_RETAIN] = _Retain(self)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on it."""
        return self.node is not None and self.node.hooks is not None and _RETAIN in self.node.hooks

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(gradient)`` when backward has this Tensor's gradient; what it returns takes its place.

        The hook returns ``None``, or a Tensor of the gradient's shape and dtype: backward refuses anything else.

        Raises
        ------
        TapeError
            If it needs no gradient.
        """
        node = self.place()
        if node is None:
            raise TapeError("register_hook: this tensor does not require grad")
        hooks = node.hooks = node.hooks or {}
        key = max(hooks, default=-1) + 1
        hooks[key] = _UserHook(hook)
        if _RETAIN in hooks:  # the last, so that what it keeps is what goes on
            hooks[_RETAIN] = hooks.pop(_RETAIN)
        return RemovableHandle(hooks, key)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(tensor)`` when a backward has added to its ``grad``.

        Raises
        ------
        TapeError
            If it is no leaf that requires grad: nothing else has a ``grad`` to be added to.

        Examples
        --------
        >>> import autograd_ops as ag
        >>> x = ag.ones(2, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
        >>> (3 * x).sum().backward()
        tensor([3., 3.])
        """
        leaf = self.node
        if not isinstance(leaf, Leaf):
            raise TapeError("register_post_accumulate_grad_hook: this tensor is no leaf that requires grad")
        hooks = leaf.after = leaf.after or {}
        key = max(hooks, default=-1) + 1
        hooks[key] = hook
        return RemovableHandle(hooks, key)

    def set_node(self, node: Node | None) -> None:
        """Let `node` be what made it, after a change in place; a retained gradient moves along."""
        before = self.node
        self.node = node
        if before is not None and before.hooks is not None and _RETAIN in before.hooks:
            del before.hooks[_RETAIN]
            self.retain_grad()

    def accumulate(self, gradient: Any, owned: bool) -> None:
        """Add to ``grad`` what a walk brings: a Tensor if it records itself, else an array, copied unless `owned`."""
        grad, cls = self._grad, type(gradient)
        if cls not in complex_dtypes or gradient.dtype in complex_dtypes[cls]:
            brought, gradient = gradient, across(gradient)
            if isinstance(gradient, Tensor):
                self._grad = gradient if grad is None else grad + gradient
                return
            owned = owned or gradient is not brought
        if grad is None and owned:
            if cls in scalar_to_array:
                gradient = scalar_to_array[cls](gradient)
            self._grad = grad = _new(Tensor)  # what Tensor(gradient) is, in half the time
            grad.array, grad.version = gradient, [0]
            grad._grad = grad.alias = grad.node = None
            return
        kernels(gradient).make_current(gradient)
        if grad is None:
            self._grad = Tensor(namespace(gradient).asarray(gradient, copy=True))
        elif grad.node is None:
            if isinstance(self.node, Leaf) and self.node.before is not None:
                self.node.before(grad)
            grad.array += gradient
            grad.version[0] += 1
        else:
            self._grad = Tensor(grad.array + gradient)

    # ---------------------------------------------------------------- to Python and NumPy

    def item(self) -> Any:
        """Its one element as a Python number; waits for the device.

        Raises
        ------
        ValueError
            If it has not exactly one element.
        """
        host = self._host()
        if host.size != 1:
            raise ValueError(f"item: a tensor of shape {tuple(host.shape)} has {host.size} elements, not one")
        return host.item()

    def tolist(self) -> Any:
        """Its elements as nested lists of Python numbers, or one number."""
        return self._host().tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """The NumPy array whose memory it is; from another device, a copy.

        Parameters
        ----------
        force
            Take it off the tape first: the same as ``x.detach().cpu().numpy()``.

        Raises
        ------
        TapeError
            If it requires grad, and not `force`: a change to the array would go unseen.
        """
        if self.requires_grad and not force:
            raise TapeError("numpy: this tensor requires grad; use x.detach().numpy()")
        return self._host()

    def _host(self) -> Any:
        return kernels(self.array).to_host(self.array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The NumPy array that ``np.asarray`` makes of it; `copy` is None for only where it must, or True or False.

        Raises
        ------
        TapeError
            If it requires grad.
        ValueError
            If `copy` is False and there must be one: for another dtype, or from another device.
        """
        array = host = self.numpy()
        shared = kernels(self.array).on_host
        if dtype is not None and host.dtype != dtype:
            array, shared = host.astype(dtype), False
        elif copy and shared:
            array = host.copy()
        if copy is False and not shared:
            raise ValueError(
                f"numpy: a {self.dtype.name} tensor on {str(self.device)!r} cannot become an array of "
                f"{host.dtype if dtype is None else dtype} without a copy; leave copy=False out"
            )
        return array

    def __len__(self) -> int:
        if not self.array.shape:
            raise TypeError("a 0-d tensor has no length")
        return int(self.array.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if not self.array.shape:
            raise TypeError("a 0-d tensor cannot be iterated over")
        return iter([self[i] for i in range(len(self))])

    def __bool__(self) -> bool:
        host = self._host()
        if host.size != 1:
            raise ValueError(f"the truth of a tensor of shape {tuple(host.shape)} is unclear; use any() or all()")
        return bool(host)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self.dtype.kind not in ("int", "uint"):
            raise TypeError(f"only an integer tensor can be an index, and this one is {self.dtype.name}")
        return int(self.item())

    def __contains__(self, value: Any) -> bool:
        return bool((self._host() == (value._host() if isinstance(value, Tensor) else value)).any())

    # Equal elements do not make two Tensors one: each is itself, in dicts and sets.
    __hash__ = object.__hash__

    def __format__(self, spec: str) -> str:
        if self.array.shape:
            if not spec:
                return repr(self)
            raise TypeError(
                f"a tensor of shape {tuple(self.shape)} cannot be formatted with {spec!r}; format its elements, "
                "as of x.tolist()"
            )
        return format(self.item(), spec)

    def __repr__(self) -> str:
        return describe(self)

    # ---------------------------------------------------------------- copying and pickling

    def __copy__(self) -> Tensor:
        from .interop.pickling import shallow_copy

        return shallow_copy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        from .interop.pickling import deep_copy

        return deep_copy(self, memo)

    def __reduce__(self) -> tuple[Any, ...]:
        from .interop.pickling import reduced

        return reduced(self)

    if TYPE_CHECKING:
        # Attached by `methods`, from the functions of the same names.
        def __getattr__(self, name: str) -> Any: ...
        def backward(
            self,
            gradient: Any = None,
            retain_graph: bool | None = None,
            create_graph: bool = False,
            inputs: Tensor | Sequence[Tensor] | None = None,
        ) -> None: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...


class _UserHook:
    """A hook on a node, from a user's function of Tensors: what arrives is an array, or in a recorded walk a Tensor."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[Tensor], Tensor | None]) -> None:
        self._function = function

    def __call__(self, gradient: Any) -> Any:
        recorded = isinstance(gradient, Tensor)
        seen = across(gradient)
        result = self._function(seen if recorded else Tensor(seen))
        if result is None:
            return gradient
        if not isinstance(result, Tensor):
            raise TypeError(f"a hook returns a Tensor or None, and this one returned {type(result).__name__}")
        array = gradient.array if recorded else gradient
        if result.array.shape != array.shape or result.array.dtype != array.dtype:
            raise TapeError(
                f"a hook may not change the shape or dtype of a gradient: this one was given {array.dtype} "
                f"{tuple(array.shape)}, and returned {result.dtype} {tuple(result.shape)}"
            )
        return across(result if recorded else result.array)


class _Retain:
    """A hook that leaves the gradient on a Tensor, held weakly: a node must not keep the Tensor it made."""

    __slots__ = ("_ref",)

    def __init__(self, tensor: Tensor) -> None:
        self._ref = weakref.ref(tensor)

    def __call__(self, gradient: Any) -> Any:
        tensor = self._ref()
        if tensor is not None:
            tensor.accumulate(gradient, owned=False)
        return gradient
