"""Samples of windows laid out side by side, and added back."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_backends.options import UnfoldOptions

from .base import Sample, adjoint, distinct
from .pool import each


def unfold4d(x: np.ndarray, kernel_size: Any, options: UnfoldOptions) -> np.ndarray:
    """Window by window of the padded images."""
    kernel, stride, padding, dilation = (
        each(a, 2) for a in (kernel_size, options.stride, options.padding, options.dilation)
    )
    padded = np.zeros((*x.shape[:2], *(n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True))))
    padded[:, :, padding[0] : padding[0] + x.shape[2], padding[1] : padding[1] + x.shape[3]] = x
    span = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    columns = [
        padded[:, :, i : i + span[0] + 1 : dilation[0], j : j + span[1] + 1 : dilation[1]].reshape(
            x.shape[0], x.shape[1] * kernel[0] * kernel[1]
        )
        for i in range(0, padded.shape[2] - span[0], stride[0])
        for j in range(0, padded.shape[3] - span[1], stride[1])
    ]
    return np.stack(columns, axis=-1)


def fold4d(x: np.ndarray, output_size: Any, kernel_size: Any, options: UnfoldOptions) -> np.ndarray:
    """The adjoint of unfold4d."""
    channels = x.shape[1] // int(np.prod(each(kernel_size, 2)))
    image = (x.shape[0], channels, *each(output_size, 2))
    return adjoint(lambda image: unfold4d(image, kernel_size, options), image, x)


def unfold(x: np.ndarray, dim: int, size: int, step: int) -> np.ndarray:
    """Window by window."""
    starts = range(0, x.shape[dim] - size + 1, step)
    windows = [np.moveaxis(np.moveaxis(x, dim, 0)[start : start + size], 0, -1) for start in starts]
    return np.stack(windows, axis=dim % x.ndim)


def unfold_backward(x_shape: Any, g: np.ndarray, *options: Any) -> np.ndarray:
    """The adjoint of unfold."""
    return adjoint(lambda x: unfold(x, *options), x_shape, g)


#: Shape of the images, kernel_size, options.
IMAGES: list[tuple[Any, ...]] = [
    ((1, 2, 3, 3), 2, UnfoldOptions()),
    ((2, 1, 3, 4), (2, 3), UnfoldOptions(stride=(1, 2), padding=(1, 0))),
    ((1, 1, 4, 5), (2, 2), UnfoldOptions(padding=1, dilation=(2, 3))),
    ((1, 2, 5, 4), (1, 2), UnfoldOptions(stride=3)),
    ((1, 1, 2, 2), 2, UnfoldOptions(padding=(2, 3), stride=2)),
    ((0, 2, 3, 3), 2, UnfoldOptions()),
    ((2, 0, 3, 3), 2, UnfoldOptions()),
]

#: Shape of x, dim, size, step: with gaps, side by side, overlapping, single cells and none.
ROWS = [
    ((7,), 0, 2, 3),
    ((2, 6), 1, 3, 3),
    ((4, 2), 0, 3, 1),
    ((2, 5, 2), -2, 4, 1),
    ((2, 3), -1, 1, 2),
    ((3,), 0, 3, 1),
    ((2, 3), 1, 0, 1),
    ((0, 3), 1, 2, 1),
]

SAMPLES: dict[str, list[Sample]] = {
    "unfold4d": [Sample(unfold4d, distinct(shape), *rest) for shape, *rest in IMAGES],
    "fold4d": [
        Sample(fold4d, distinct(unfold4d(np.zeros(shape), *rest).shape), shape[2:], *rest) for shape, *rest in IMAGES
    ],
    "unfold": [Sample(unfold, distinct(shape), *rest) for shape, *rest in ROWS],
    "unfold_backward": [
        Sample(unfold_backward, shape, distinct(unfold(np.zeros(shape), *rest).shape), *rest) for shape, *rest in ROWS
    ],
}
