"""How a Tensor prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .dtypes import bfloat16, bool_, default_complex, get_default_dtype, int64

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["describe", "set_printoptions"]

_options: dict[str, Any] = {
    "precision": 4,
    "threshold": 1000,
    "edgeitems": 3,
    "linewidth": 80,
    "suppress": None,
}


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How Tensors print.

    Parameters
    ----------
    precision
        Digits after the point; 4 at first.
    threshold
        More elements than this are summarised; 1000 at first.
    edgeitems
        How many are shown at each end of a summarised dimension; 3 at first.
    linewidth
        Characters a line; 80 at first.
    profile
        ``"default"``, ``"short"`` (2 digits, 2 edge items) or ``"full"`` (no summary).
    sci_mode
        Whether to write 1e-03; by default where the range of the values asks for it.
    """
    profiles: dict[str | None, dict[str, Any]] = {
        None: {},
        "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
        "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
        "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
    }
    if profile not in profiles:
        raise ValueError(f"set_printoptions: profile must be 'default', 'short' or 'full', not {profile!r}")
    _options.update(profiles[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})
    if sci_mode is not None:
        _options["suppress"] = not sci_mode


def describe(tensor: Tensor) -> str:
    """The values of `tensor`, and what is not plain about it: dtype, device, what made it."""
    name = "Parameter containing:\ntensor" if type(tensor).__name__ == "Parameter" else "tensor"
    indent = " " * len("tensor(")
    threshold = _options["threshold"]
    host = tensor._host()
    values = np.array2string(
        host.astype(np.float32) if tensor.dtype is bfloat16 else host,
        separator=", ",
        prefix=indent,
        precision=_options["precision"],
        threshold=int(min(threshold, 2**62)),
        edgeitems=_options["edgeitems"],
        max_line_width=_options["linewidth"],
        suppress_small=_options["suppress"],
    )
    notes = []
    if not all(tensor.shape):
        notes.append(f"size={tuple(tensor.shape)}")
    if tensor.device != "cpu":
        notes.append(f"device={str(tensor.device)!r}")
    if tensor.dtype not in (get_default_dtype(), default_complex(), int64, bool_):
        notes.append(f"dtype={tensor.dtype!r}")
    if tensor.grad_fn is not None:
        notes.append(f"grad_fn={tensor.grad_fn!r}")
    elif tensor.requires_grad:
        notes.append("requires_grad=True")
    return f"{name}({', '.join([values, *notes])})"
