"""Convolutions as modules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from ..creation import empty
from ..tensor import Tensor
from . import functional as F
from . import init
from .functional.convolution import same_padding
from .functional.shapes import per_dimension
from .module import Module
from .parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

Sizes = int | Sequence[int]

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What convolutions share, plain and transposed, in any number of dimensions: sizes, parameters, text."""

    rank: ClassVar[int]

    bias: Parameter | None
    padding: str | tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Sizes | str,
        dilation: Sizes,
        output_padding: Sizes,
        groups: int,
        padding_mode: str,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if groups < 1:
            raise ValueError(f"{name}: groups must be positive, got {groups}")
        for argument, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name}: {argument}={channels} is not divisible by groups={groups}")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = self._each("kernel_size", kernel_size)
        self.stride = self._each("stride", stride)
        self.padding = padding if isinstance(padding, str) else self._each("padding", padding)
        self.dilation = self._each("dilation", dilation)
        self.output_padding = self._each("output_padding", output_padding)
        self.groups = groups
        self.padding_mode = padding_mode

    def _each(self, what: str, sizes: Sizes) -> tuple[int, ...]:
        return per_dimension(type(self).__name__, what, sizes, self.rank)

    def _make_parameters(self, first: int, second: int, bias: bool, device: str | None, dtype: Any) -> None:
        self.weight = Parameter(empty(first, second // self.groups, *self.kernel_size, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(self.out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.fan_in_uniform_(self.bias, self.weight)

    def extra_repr(self) -> str:
        """Its channels, and the options that are not the default."""
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        for field, default in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, field)
            if value != (default,) * self.rank:
                parts.append(f"{field}={value}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, padding_mode)
        name = type(self).__name__
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"{name}: padding is ints, 'same' or 'valid', not {padding!r}")
        if padding == "same" and self.stride != (1,) * self.rank:
            raise ValueError(
                f"{name}: padding='same' keeps the size of the input, so stride must be 1, not {self.stride}"
            )
        if padding_mode not in PADDING_MODES:
            raise ValueError(f"{name}: padding_mode is one of {', '.join(PADDING_MODES)}, not {padding_mode!r}")
        self._make_parameters(out_channels, in_channels, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """input [N, in_channels, ...] -> [N, out_channels, ...]"""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._pad(), mode=self.padding_mode), (0,) * self.rank
        convolve = getattr(F, f"conv{self.rank}d")
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _pad(self) -> list[int]:
        """The padding as `functional.pad` takes it: before and after the last dimension, then the one before it."""
        if self.padding == "same":
            pairs = same_padding(self.kernel_size, self.dilation)
        else:
            sizes = (0,) * self.rank if isinstance(self.padding, str) else self.padding
            pairs = [(n, n) for n in sizes]
        return [n for pair in reversed(pairs) for n in pair]


class Conv1d(_Conv):
    """Cross-correlates series [N, in_channels, L] with learned kernels; see `Conv2d` and `functional.conv1d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Conv1d(3, 8, kernel_size=3, padding="same")(ag.ones(2, 3, 5)).shape
    Size([2, 8, 5])
    """

    rank = 1


class Conv2d(_Conv):
    """Cross-correlates images [N, in_channels, H, W] with learned kernels; see `functional.conv2d`.

    Parameters
    ----------
    in_channels, out_channels
        Of the input and the output.
    kernel_size
        One int, or one for each dimension.
    stride, padding, dilation, groups
        As in `functional.conv2d`.
    bias
        Whether a number is added to each output channel.
    padding_mode
        What the padding is made of: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
    device, dtype
        Of the parameters.

    Raises
    ------
    ValueError
        If `groups` does not divide both channel counts, `padding` is ``"same"`` with a stride, or `padding_mode` is
        another.

    Attributes
    ----------
    weight
        [out_channels, in_channels / groups, *kernel_size], at first drawn evenly from ±1/sqrt(fan_in), where fan_in is
        how many cells each output is a sum over.
    bias
        [out_channels], likewise; or None.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Conv2d(3, 8, kernel_size=3, padding=1)(ag.ones(2, 3, 5, 5)).shape
    Size([2, 8, 5, 5])
    """

    rank = 2


class Conv3d(_Conv):
    """Cross-correlates volumes [N, in_channels, D, H, W] with learned kernels; see `Conv2d` and `functional.conv3d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Conv3d(3, 8, kernel_size=(1, 3, 3))(ag.ones(2, 3, 5, 5, 5)).shape
    Size([2, 8, 5, 3, 3])
    """

    rank = 3


# ---------------------------------------------------------------- transposed


class _ConvTranspose(_ConvNd):
    padding: tuple[int, ...]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, padding_mode
        )
        if padding_mode != "zeros":
            raise ValueError(f"{type(self).__name__}: padding_mode is 'zeros', not {padding_mode!r}")
        self._make_parameters(in_channels, out_channels, bias, device, dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """input [N, in_channels, ...] -> [N, out_channels, ...], whose spatial sizes may be given"""
        more = self.output_padding if output_size is None else self._output_padding(input, tuple(output_size))
        convolve = getattr(F, f"conv_transpose{self.rank}d")
        return convolve(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _output_padding(self, input: Tensor, output_size: tuple[int, ...]) -> tuple[int, ...]:
        """The output_padding that makes the output of `output_size`, which may name all dimensions."""
        name = type(self).__name__
        if len(output_size) not in (self.rank, input.ndim):
            raise ValueError(
                f"{name}: output_size={output_size} has {self.rank} entries, or {input.ndim} as the input has"
            )
        wanted = output_size[-self.rank :]
        given = tuple(input.shape[-self.rank :])
        least = tuple(
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, k, s, p, d in zip(given, self.kernel_size, self.stride, self.padding, self.dilation, strict=True)
        )
        more = tuple(n - start for n, start in zip(wanted, least, strict=True))
        if any(not 0 <= n < s for n, s in zip(more, self.stride, strict=True)):
            most = tuple(start + s - 1 for start, s in zip(least, self.stride, strict=True))
            raise ValueError(f"{name}: output_size={wanted} is not between {least} and {most}, for an input of {given}")
        return more


class ConvTranspose1d(_ConvTranspose):
    """Lays learned kernels over the output, for series [N, in_channels, L]; see `ConvTranspose2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.ConvTranspose1d(3, 8, kernel_size=2, stride=2)(ag.ones(2, 3, 5)).shape
    Size([2, 8, 10])
    """

    rank = 1


class ConvTranspose2d(_ConvTranspose):
    """Lays learned kernels, times each pixel of images [N, in_channels, H, W], over the output, and adds up.

    See `functional.conv_transpose2d`.

    Parameters
    ----------
    in_channels, out_channels
        Of the input and the output.
    kernel_size
        One int, or one for each dimension.
    stride, padding, output_padding, groups, dilation
        As in `functional.conv_transpose2d`. An ``output_size=`` given to a call takes the place of `output_padding`.
    bias
        Whether a number is added to each output channel.
    padding_mode
        ``"zeros"``
    device, dtype
        Of the parameters.

    Raises
    ------
    ValueError
        If `groups` does not divide both channel counts, or `padding_mode` is another.

    Attributes
    ----------
    weight
        [in_channels, out_channels / groups, *kernel_size], at first drawn evenly from ±1/sqrt(fan_in), where fan_in is
        the number of its elements for each input channel.
    bias
        [out_channels], likewise; or None.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> layer = ag.nn.ConvTranspose2d(3, 8, kernel_size=3, stride=2, padding=1)
    >>> layer(ag.ones(2, 3, 5, 5)).shape
    Size([2, 8, 9, 9])
    >>> layer(ag.ones(2, 3, 5, 5), output_size=(10, 10)).shape
    Size([2, 8, 10, 10])
    """

    rank = 2


class ConvTranspose3d(_ConvTranspose):
    """Lays learned kernels over the output, for volumes [N, in_channels, D, H, W]; see `ConvTranspose2d`.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.ConvTranspose3d(3, 8, kernel_size=2, stride=(1, 2, 2))(ag.ones(2, 3, 5, 5, 5)).shape
    Size([2, 8, 6, 10, 10])
    """

    rank = 3
