"""Modules that learn the number of their input's features or channels from the first input they see."""

from __future__ import annotations

from typing import Any, ClassVar

from ..tensor import Tensor
from .conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, _ConvNd
from .linear import Linear
from .module import Module
from .normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _ChannelNorm,
)
from .uninitialized import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]


class LazyModuleMixin(Module):
    """What lazy modules share: at the first call, or when a state is loaded, they become what they stand for.

    The parameters stay the same objects, so that an optimizer made before goes on.
    """

    cls_to_become: ClassVar[type[Module]]

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer has no shape yet."""
        return any(is_lazy(held) for held in (*self._parameters.values(), *self._buffers.values()))

    def initialize_parameters(self, input: Tensor) -> None:
        """Give the parameters the shapes that `input` asks for, and their first values."""
        raise NotImplementedError(f"{type(self).__name__} does not override initialize_parameters")

    def _awaits_input(self) -> bool:
        return self.has_uninitialized_params()

    def _find_sizes(self) -> None:
        """Read the sizes that are attributes from the shapes of the parameters."""
        raise NotImplementedError(f"{type(self).__name__} does not override _find_sizes")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._awaits_input():
            self.initialize_parameters(args[0] if args else kwargs["input"])
        self.__class__ = self.cls_to_become  # type: ignore[assignment]
        return self(*args, **kwargs)

    def _await_state(self) -> None:
        """Let a state that is loaded give the shapes."""

        def take_shapes(module: Module, state: dict[str, Any], prefix: str, *_: Any) -> None:
            handle.remove()
            for name, held in (*module._parameters.items(), *module._buffers.items()):
                given = state.get(prefix + name)
                if is_lazy(held) and given is not None and not is_lazy(given):
                    held.materialize(given.shape)  # type: ignore[union-attr]
            if isinstance(module, LazyModuleMixin) and not module.has_uninitialized_params():
                module._find_sizes()

        handle = self.register_load_state_dict_pre_hook(take_shapes)


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose in_features are those of the first input.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.LazyLinear(2)
    >>> layer(ag.ones(5, 3)).shape
    Size([5, 2])
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: str | None = None, dtype: Any = None) -> None:
        Module.__init__(self)
        self.in_features = 0
        self.out_features = out_features
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.register_parameter("bias", UninitializedParameter(device=device, dtype=dtype) if bias else None)
        self._await_state()

    def initialize_parameters(self, input: Tensor) -> None:
        """input [..., in_features]"""
        _materialize(self.weight, (self.out_features, input.shape[-1]))
        _materialize(self.bias, (self.out_features,))
        self._find_sizes()
        self.reset_parameters()

    def _find_sizes(self) -> None:
        self.in_features = self.weight.shape[1]


def _materialize(tensor: Tensor | None, shape: tuple[int, ...]) -> None:
    if isinstance(tensor, (UninitializedParameter, UninitializedBuffer)):
        tensor.materialize(shape)


# ---------------------------------------------------------------- convolutions


class _LazyConvolution(LazyModuleMixin, _ConvNd):
    transposed: ClassVar[bool] = False

    def __init__(self, out_channels: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(0, out_channels, *args, **kwargs)
        self._await_state()

    def _make_parameters(self, first: int, second: int, bias: bool, device: str | None, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.register_parameter("bias", UninitializedParameter(device=device, dtype=dtype) if bias else None)

    def initialize_parameters(self, input: Tensor) -> None:
        """input [N, in_channels, ...] or [in_channels, ...]"""
        name = type(self).__name__
        if input.ndim not in (self.rank + 1, self.rank + 2):
            raise ValueError(
                f"{name}: expected an input of {self.rank + 1} or {self.rank + 2} dimensions, "
                f"got shape {tuple(input.shape)}"
            )
        channels = input.shape[-self.rank - 1]
        if channels % self.groups:
            raise ValueError(f"{name}: the input's {channels} channels are not divisible by groups={self.groups}")
        first, second = (channels, self.out_channels) if self.transposed else (self.out_channels, channels)
        _materialize(self.weight, (first, second // self.groups, *self.kernel_size))
        _materialize(self.bias, (self.out_channels,))
        self._find_sizes()
        self.reset_parameters()

    def _find_sizes(self) -> None:
        self.in_channels = self.weight.shape[0] if self.transposed else self.weight.shape[1] * self.groups


class LazyConv1d(_LazyConvolution, Conv1d):
    """A `Conv1d` whose in_channels are those of the first input; the other arguments are the same."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvolution, Conv2d):
    """A `Conv2d` whose in_channels are those of the first input; the other arguments are the same.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.LazyConv2d(8, kernel_size=3)
    >>> layer(ag.ones(2, 3, 5, 5)).shape
    Size([2, 8, 3, 3])
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConvolution, Conv3d):
    """A `Conv3d` whose in_channels are those of the first input; the other arguments are the same."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvolution, ConvTranspose1d):
    """A `ConvTranspose1d` whose in_channels are those of the first input; the other arguments are the same."""

    cls_to_become = ConvTranspose1d
    transposed = True


class LazyConvTranspose2d(_LazyConvolution, ConvTranspose2d):
    """A `ConvTranspose2d` whose in_channels are those of the first input; the other arguments are the same."""

    cls_to_become = ConvTranspose2d
    transposed = True


class LazyConvTranspose3d(_LazyConvolution, ConvTranspose3d):
    """A `ConvTranspose3d` whose in_channels are those of the first input; the other arguments are the same."""

    cls_to_become = ConvTranspose3d
    transposed = True


# ---------------------------------------------------------------- norms


class _LazyNorm(LazyModuleMixin, _ChannelNorm):
    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: str | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        for name, parameter in list(self._parameters.items()):
            if parameter is not None:
                setattr(self, name, UninitializedParameter(device=device, dtype=dtype))
        for name in ("running_mean", "running_var"):
            if self._buffers[name] is not None:
                setattr(self, name, UninitializedBuffer(device=device, dtype=dtype))
        self._await_state()

    def initialize_parameters(self, input: Tensor) -> None:
        """input [N, num_features, ...]"""
        self._check_rank(input)
        channels = self._channels(input)
        for held in (*self._parameters.values(), *self._buffers.values()):
            _materialize(held, (channels,))
        self.num_features = channels
        self.reset_parameters()

    def _awaits_input(self) -> bool:
        return self.num_features == 0  # also where there is nothing to give a shape to

    def _channels(self, input: Tensor) -> int:
        return input.shape[1]

    def _find_sizes(self) -> None:
        for held in (*self._parameters.values(), *self._buffers.values()):
            if held is not None and held.ndim == 1:
                self.num_features = held.shape[0]


class LazyBatchNorm1d(_LazyNorm, BatchNorm1d):
    """A `BatchNorm1d` whose num_features are those of the first input; the other arguments are the same.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.LazyBatchNorm1d()
    >>> layer(ag.ones(5, 3)).shape, layer.num_features
    (Size([5, 3]), 3)
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, BatchNorm2d):
    """A `BatchNorm2d` whose num_features are those of the first input; the other arguments are the same."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, BatchNorm3d):
    """A `BatchNorm3d` whose num_features are those of the first input; the other arguments are the same."""

    cls_to_become = BatchNorm3d


class _LazyInstanceNorm(_LazyNorm):
    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: str | None = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _channels(self, input: Tensor) -> int:
        # [C, ...] is taken too, so they are counted from the end.
        return input.shape[1 - max(self.ranks)]


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """An `InstanceNorm1d` whose num_features are those of the first input; the other arguments are the same."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """An `InstanceNorm2d` whose num_features are those of the first input; the other arguments are the same."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """An `InstanceNorm3d` whose num_features are those of the first input; the other arguments are the same."""

    cls_to_become = InstanceNorm3d
