"""Array backends: one device string names each, and each runs the same module ops.

Nothing in this package knows what a Tensor is. ``get_backend(device)`` and ``kernels(array)`` find a
`Backend`; ``namespace(array)`` finds its array API functions.
"""

from .array_types import Array, Namespace, Shape
from .base import Backend
from .device import Device, DeviceError
from .errors import ShapeError
from .lookup import device_of, get_backend, is_array, kernels, namespace, parse_device, scalar_to_array
from .options import (
    AttentionModuleOptions,
    ConvOptions,
    ConvTransposeOptions,
    DeformConvOptions,
    GridSampleOptions,
    InterpolateOptions,
    PaddedConvOptions,
    RecurrentOptions,
    UnfoldOptions,
)

__all__ = [
    "Array",
    "AttentionModuleOptions",
    "Backend",
    "ConvOptions",
    "ConvTransposeOptions",
    "DeformConvOptions",
    "Device",
    "DeviceError",
    "GridSampleOptions",
    "InterpolateOptions",
    "Namespace",
    "PaddedConvOptions",
    "RecurrentOptions",
    "Shape",
    "ShapeError",
    "UnfoldOptions",
    "device_of",
    "get_backend",
    "is_array",
    "kernels",
    "namespace",
    "parse_device",
    "scalar_to_array",
]
