"""Whether oneDNN is used, by the name that it had before."""

from __future__ import annotations

from autograd_backends import get_backend

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether the CPU's large products and convolutions are oneDNN's."""
    return get_backend("cpu").uses_onednn()


#: Can be set, and changes nothing; ``AUTOGRAD_OPS_ONEDNN=0`` in the environment turns it off.
enabled: bool = True
