"""PyTorch's places of its modules, such as ``torch.nn.modules.conv``: each is this package, which has them all.

Besides what `autograd_ops.nn` offers, it has the base classes and helpers that programs take from those places.

Examples
--------
>>> from autograd_ops import nn
>>> from autograd_ops.nn.modules.conv import _ConvNd
>>> isinstance(nn.ConvTranspose2d(1, 2, kernel_size=3), _ConvNd)
True
>>> nn.modules.utils._pair(3)
(3, 3)
"""

import sys
from collections.abc import Callable, Iterable
from typing import Any

from .. import *
from ..conv import _ConvNd as _ConvNd
from ..dropout import _DropoutNd as _DropoutNd
from ..loss import _Loss as _Loss
from ..loss import _WeightedLoss as _WeightedLoss
from ..normalization import _BatchNorm as _BatchNorm
from ..normalization import _InstanceNorm as _InstanceNorm

_PLACES = (
    *("activation", "adaptive", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout", "flatten"),
    *(
        "fold",
        "instancenorm",
        "lazy",
        "linear",
        "loss",
        "module",
        "normalization",
        "padding",
        "pixelshuffle",
        "pooling",
    ),
    *("rnn", "sparse", "transformer", "upsampling", "utils"),
)


def _ntuple(n: int) -> Callable[[Any], tuple[Any, ...]]:
    """The function that makes a number a tuple of `n` of it, and any sequence a tuple."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    return parse


_single, _pair, _triple, _quadruple = (_ntuple(n) for n in (1, 2, 3, 4))

for _place in _PLACES:
    globals()[_place] = sys.modules[f"{__name__}.{_place}"] = sys.modules[__name__]
