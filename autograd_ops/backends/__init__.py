"""Settings of PyTorch's backends: they can be read and set, and change nothing here.

The backends of arrays are another thing; they are in the package ``autograd_backends``.
"""

from . import cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
