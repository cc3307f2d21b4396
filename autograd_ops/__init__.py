"""Tensors that record the ops applied to them, and gradients by walking the record back.

The arrays come from the backend that a device string names: ``"cpu"`` is NumPy, ``"cuda:0"`` is CuPy.
"""

from math import e, inf, nan, pi
from typing import TYPE_CHECKING

__version__ = "0.1.0.dev0"

from autograd_backends import Device as device
from autograd_backends import DeviceError

from . import autograd, cuda, functions, inplace_methods, lazy, ops, out_argument, random
from .creation import *
from .dtypes import *

# PyTorch's other names of dtypes. They hide Python's own here, and nowhere else.
from .dtypes import DType as dtype
from .dtypes import bool_ as bool
from .dtypes import complex64 as cfloat
from .dtypes import complex128 as cdouble
from .dtypes import float16 as half
from .dtypes import float32 as float
from .dtypes import float64 as double
from .dtypes import int16 as short
from .dtypes import int32 as int
from .dtypes import int64 as long
from .functions import *
from .indexing import (
    check_indices,
    gather,
    index_add,
    index_fill,
    index_select,
    masked_fill,
    masked_select,
    narrow,
    nonzero,
    scatter,
    scatter_add,
    select,
    take,
)
from .printing import set_printoptions
from .random import *
from .tape import (
    TapeError,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .tensor import Size, Tensor

# After the rest: Tensor's operators and methods are attached.
from . import methods  # isort: skip

if TYPE_CHECKING:
    from . import (
        accelerator,
        amp,
        array_api,
        backends,
        distributed,
        fft,
        func,
        jit,
        linalg,
        mps,
        nn,
        optim,
        profiler,
        pytree,
        teach,
        testing,
        utils,
        version,
        xpu,
    )
    from .amp import GradScaler, autocast
    from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
    from .dtype_info import can_cast, finfo, iinfo, promote_types, result_type
    from .func import vmap
    from .interop.dlpack import from_dlpack, to_dlpack
    from .interop.sharing import asarray, frombuffer
    from .interop.typed import (
        BFloat16Tensor,
        BoolTensor,
        ByteTensor,
        CharTensor,
        DoubleTensor,
        FloatTensor,
        HalfTensor,
        IntTensor,
        LongTensor,
        ShortTensor,
    )
    from .replay import compile
    from .serialization import SerializationError, load, save
    from .settings import *

#: What is imported when it is first asked for: modules, and what is in one. And the modules that are there already.
_LAZY = {
    "autograd": ("autograd",),
    "cuda": ("cuda",),
    "functions": ("functions",),
    "ops": ("ops",),
    "random": ("random",),
    "accelerator": ("accelerator",),
    "amp": ("GradScaler", "amp", "autocast"),
    "backends": ("backends",),
    "distributed": ("distributed",),
    "jit": ("jit",),
    "mps": ("mps",),
    "profiler": ("profiler",),
    "testing": ("testing",),
    "version": ("version",),
    "xpu": ("xpu",),
    "replay": ("compile",),
    "settings": (
        *("are_deterministic_algorithms_enabled", "clear_autocast_cache", "get_autocast_cpu_dtype"),
        *("get_autocast_dtype", "get_autocast_gpu_dtype", "get_deterministic_debug_mode"),
        *("get_float32_matmul_precision", "get_num_interop_threads", "get_num_threads", "is_autocast_cache_enabled"),
        *("is_autocast_cpu_enabled", "is_autocast_enabled", "is_deterministic_algorithms_warn_only_enabled"),
        *("set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal"),
        *("set_num_interop_threads", "set_num_threads", "show_config", "use_deterministic_algorithms"),
    ),
    "fft": ("fft",),
    "func": ("func", "vmap"),
    "linalg": ("linalg",),
    "nn": ("nn",),
    "optim": ("optim",),
    "pytree": ("pytree",),
    "teach": ("teach",),
    "utils": ("utils",),
    "special": ("special",),
    "autograd.anomaly_mode": ("is_anomaly_check_nan_enabled", "is_anomaly_enabled"),
    "array_api": ("array_api",),
    "dtype_info": ("can_cast", "finfo", "iinfo", "promote_types", "result_type"),
    "serialization": ("SerializationError", "load", "save"),
    "formats": (
        *("channels_last", "channels_last_3d", "contiguous_format", "layout", "memory_format", "preserve_format"),
        "strided",
    ),
    "inplace_methods": inplace_methods.TORCH_LEVEL,
    "memory": ("as_strided", "get_device"),
    "interop.dlpack": ("from_dlpack", "to_dlpack"),
    "interop.sharing": ("asarray", "frombuffer"),
    "interop.typed": (
        *("BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor"),
        *("IntTensor", "LongTensor", "ShortTensor"),
    ),
    **functions.LAZY,
}

#: A new dimension, in ``x[:, newaxis]``.
newaxis = None

out_argument.attach(globals())
__getattr__, __dir__ = lazy.attributes(__name__, _LAZY, out_argument.shown)

lazy.follow("einops._backends", "einops_backend")
