"""Array backends: one device string names each, and each runs the same module ops.

Nothing in this package knows what a Tensor is. ``get_backend(device)`` and ``kernels(array)`` find a
`Backend`; ``namespace(array)`` finds its array API functions.
"""

from .array_types import Array, Namespace, Shape
from .base import Backend
from .device import Device, DeviceError
from .errors import LinAlgError, ShapeError
from .lookup import (
    device_of,
    dtype_name,
    get_backend,
    is_array,
    kernels,
    loaded_backends,
    namespace,
    parse_device,
    scalar_to_array,
)

__all__ = [
    "Array",
    "Backend",
    "Device",
    "DeviceError",
    "LinAlgError",
    "Namespace",
    "Shape",
    "ShapeError",
    "device_of",
    "dtype_name",
    "get_backend",
    "is_array",
    "kernels",
    "loaded_backends",
    "namespace",
    "parse_device",
    "scalar_to_array",
]
