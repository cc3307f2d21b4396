"""What PyTorch lets a program set as a whole. What has no meaning here is accepted, and says what it was set to."""

from __future__ import annotations

import os
from typing import Any

from autograd_backends import get_backend, loaded_backends

from .dtypes import float32

__all__ = [
    "are_deterministic_algorithms_enabled",
    "clear_autocast_cache",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "is_deterministic_algorithms_warn_only_enabled",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_num_threads",
    "show_config",
    "use_deterministic_algorithms",
]

_set: dict[str, Any] = {"matmul": "highest", "deterministic": False, "warn_only": False, "threads": None}


def set_float32_matmul_precision(precision: str) -> None:
    """Products of float32 matrices are computed in float32, whatever is set.

    Raises
    ------
    ValueError
        If `precision` is neither ``"highest"``, ``"high"`` nor ``"medium"``.
    """
    if precision not in ("highest", "high", "medium"):
        raise ValueError(
            f"set_float32_matmul_precision: precision must be 'highest', 'high' or 'medium', not {precision!r}"
        )
    _set["matmul"] = precision


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was given last; ``"highest"`` at first."""
    return str(_set["matmul"])


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """What is computed on the CPU is deterministic, whatever is set; on CUDA, sums by index are in no fixed order."""
    _set["deterministic"], _set["warn_only"] = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` was given last."""
    return bool(_set["deterministic"])


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was last given ``warn_only``."""
    return bool(_set["warn_only"])


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms`, by number or name: 0 ``"default"``, 1 ``"warn"``, 2 ``"error"``.

    Raises
    ------
    ValueError
        If there is no such mode.
    """
    modes = {0: 0, 1: 1, 2: 2, "default": 0, "warn": 1, "error": 2}
    if debug_mode not in modes:
        raise ValueError(f"set_deterministic_debug_mode: there is no mode {debug_mode!r}; use 0, 1 or 2")
    use_deterministic_algorithms(modes[debug_mode] > 0, warn_only=modes[debug_mode] == 1)


def get_deterministic_debug_mode() -> int:
    """The mode: 0, 1 or 2."""
    return 0 if not _set["deterministic"] else 1 if _set["warn_only"] else 2


def get_num_threads() -> int:
    """How many threads a matrix product may use: what was set, else what the environment says, else all processors.

    The array libraries read it when they are loaded: of ``OPENBLAS_NUM_THREADS``, ``MKL_NUM_THREADS`` and
    ``OMP_NUM_THREADS`` the first that is set counts.
    """
    if _set["threads"] is not None:
        return int(_set["threads"])
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdecimal() and int(value) > 0:
            return int(value)
    return os.cpu_count() or 1


def set_num_threads(num: int) -> None:
    """Let products and convolutions on the CPU use `num` threads from now on: oneDNN's, and those of NumPy's BLAS.

    A process that was forked after oneDNN was used keeps to one thread.

    Raises
    ------
    ValueError
        If `num` is not a positive int.
    """
    _check_threads("set_num_threads", num)
    get_backend("cpu").set_threads(num)
    _set["threads"] = num


def _check_threads(name: str, num: int) -> None:
    if not isinstance(num, int) or num < 1:
        raise ValueError(f"{name}: expected a positive int, got {num!r}")


def show_config() -> None:
    """Print what computes: the array library of each device that has been used, its version, and what helps it.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.show_config()  # doctest: +ELLIPSIS
    autograd_ops ...
    cpu: numpy ...
    """
    from . import __version__

    get_backend("cpu")
    print(f"autograd_ops {__version__}")
    for backend in loaded_backends():
        print(f"{backend.name}: {backend.config()}")


def get_num_interop_threads() -> int:
    """How many ops run at once: 1."""
    return 1


def set_num_interop_threads(num: int) -> None:
    """Does nothing: ops run one after another.

    Raises
    ------
    ValueError
        If `num` is not a positive int.
    """
    _check_threads("set_num_interop_threads", num)


def set_flush_denormal(mode: bool) -> bool:
    """Whether very small numbers could be made 0: False, nothing is set."""
    return False


# ---------------------------------------------------------------- autocast, which casts nothing


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether something is cast: False."""
    return False


is_autocast_cpu_enabled = is_autocast_cache_enabled = is_autocast_enabled


def get_autocast_dtype(device_type: str) -> Any:
    """What things would be cast to, if they were: float32."""
    return float32


def get_autocast_cpu_dtype() -> Any:
    """What things would be cast to, if they were: float32."""
    return get_autocast_dtype("cpu")


get_autocast_gpu_dtype = get_autocast_cpu_dtype


def clear_autocast_cache() -> None:
    """Does nothing."""
