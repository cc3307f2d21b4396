"""Saving and loading.

`save` writes safetensors, whatever the file is called: numbers, names, and nothing that could be run. `load` reads
that, any other safetensors file, and what PyTorch's ``torch.save`` writes; it knows them by their content.

``files`` is the front; ``tree`` is what safetensors files of ours hold; ``torch_file`` reads PyTorch's containers, and
``pickles`` the pickle in them, of which it knows tensors, containers and numbers and refuses the rest.
"""

from .errors import SerializationError
from .files import load, save

__all__ = ["SerializationError", "load", "save"]
