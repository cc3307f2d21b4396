"""CUDA devices, by PyTorch's names.

Without a device, what only asks says so, what would do nothing does nothing, and what needs a device raises a
`DeviceError`, which is a RuntimeError as PyTorch's is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_backends import Device, DeviceError, get_backend, parse_device
from autograd_backends import cuda as _cuda
from autograd_backends.cuda import device_count, is_available

from .. import lazy
from ..random import default_generator

if TYPE_CHECKING:
    from . import amp
    from .streams import Event, Stream, current_stream, default_stream, stream

__all__ = [
    "amp",
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "initial_seed",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "reset_max_memory_allocated",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "synchronize",
]

#: The most bytes that arrays were seen to take on each device, since the peak was last reset.
_peaks: dict[tuple[int, bool], int] = {}


def _index(device: Any) -> int:
    """The number of a device, which may be given as one, as a string, or as None for the current one.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    if device is None:
        parse_device("cuda")
        return _cuda.current_device()
    named = parse_device(f"cuda:{device}" if isinstance(device, int) else device)
    if named.type != "cuda":
        raise DeviceError(f"cuda: expected a CUDA device, not {str(named)!r}")
    return named.index if isinstance(named.index, int) else _cuda.current_device()


def is_initialized() -> bool:
    """Whether there is a device: it needs no preparation."""
    return is_available()


def init() -> None:
    """Does nothing but to say whether there is a device.

    Raises
    ------
    DeviceError
        If there is none.
    """
    parse_device("cuda")


def current_device() -> int:
    """The number of the thread's current device.

    Raises
    ------
    DeviceError
        If there is none.
    """
    return _index(None)


def set_device(device: Any) -> None:
    """Make a device the thread's current one; a negative number does nothing.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    if isinstance(device, int) and device < 0:
        return
    _cuda.set_device(_index(device))


def synchronize(device: Any = None) -> None:
    """Wait until all work queued on a CUDA device is done.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    where = parse_device("cuda" if device is None else f"cuda:{device}" if isinstance(device, int) else device)
    get_backend("cuda").synchronize(where)


# ---------------------------------------------------------------- what a device is


class DeviceProperties:
    """What the CUDA runtime says of a device: `name`, `total_memory`, `major`, `minor`, `multi_processor_count`."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.name: str = found["name"]
        self.total_memory = int(found["totalGlobalMem"])
        self.major = int(found["major"])
        self.minor = int(found["minor"])
        self.multi_processor_count = int(found["multiProcessorCount"])

    def __repr__(self) -> str:
        return (
            f"DeviceProperties(name={self.name!r}, major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB, multi_processor_count={self.multi_processor_count})"
        )


def get_device_properties(device: Any = None) -> DeviceProperties:
    """What the CUDA runtime says of a device.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    return DeviceProperties(_cuda.properties(_index(device)))


def get_device_name(device: Any = None) -> str:
    """The name of a device.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a device.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    found = get_device_properties(device)
    return found.major, found.minor


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether arrays may be of bfloat16: CuPy has none."""
    return False


# ---------------------------------------------------------------- memory


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """The bytes that are free on a device, and those that it has.

    Raises
    ------
    DeviceError
        If there is no such device.
    """
    return _cuda.memory_info(_index(device))


def memory_allocated(device: Any = None) -> int:
    """The bytes that arrays take on a device; 0 without one."""
    return _seen(device, held=False)


def memory_reserved(device: Any = None) -> int:
    """The bytes that are kept for arrays on a device; 0 without one."""
    return _seen(device, held=True)


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that arrays were seen to take, whenever these functions were called; 0 without a device."""
    _seen(device, held=False)
    return _peaks.get((_index(device), False), 0) if is_available() else 0


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that were seen to be kept, whenever these functions were called; 0 without a device."""
    _seen(device, held=True)
    return _peaks.get((_index(device), True), 0) if is_available() else 0


def reset_peak_memory_stats(device: Any = None) -> None:
    """Let the peaks begin anew."""
    if is_available():
        for held in (False, True):
            _peaks.pop((_index(device), held), None)


reset_max_memory_allocated = reset_peak_memory_stats


def _seen(device: Any, held: bool) -> int:
    if not is_available():
        return 0
    index = _index(device)
    used = _cuda.memory_used(index, held)
    _peaks[index, held] = max(used, _peaks.get((index, held), 0))
    return used


def empty_cache() -> None:
    """Give memory that is kept and that no array takes back to the device."""
    if is_available():
        _cuda.free_unused()


def ipc_collect() -> None:
    """Does nothing: no memory is shared between processes."""


# ---------------------------------------------------------------- random numbers


def manual_seed(seed: int) -> None:
    """Start the default generator from `seed`, on this and every other device."""
    default_generator.manual_seed(seed)


manual_seed_all = manual_seed


def seed() -> None:
    """Start the default generator from a new seed, on this and every other device."""
    default_generator.seed()


seed_all = seed


def initial_seed() -> int:
    """The seed that the default generator was started from."""
    return default_generator.initial_seed()


#: PyTorch's class of a device, which is a string here.
device = Device

_lazily, __dir__ = lazy.attributes(
    __name__,
    {
        "cuda.amp": ("amp",),
        "cuda.streams": ("Event", "Stream", "current_stream", "default_stream", "stream"),
    },
)


def __getattr__(name: str) -> Any:
    """Names that are imported when first asked for, and ``FloatTensor`` and the other older constructors, of CUDA."""
    if name.endswith("Tensor"):
        from ..interop.typed import types_on

        if name in (found := types_on("cuda")):
            globals().update(found)
            return found[name]
    return _lazily(name)
