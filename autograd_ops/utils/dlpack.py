"""DLPack, where PyTorch has it."""

from ..interop.dlpack import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
