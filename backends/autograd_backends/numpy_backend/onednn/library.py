"""The shared library: where it is, whether it will do, and the signatures of what is called.

It comes from the package ``onednn-cpu-gomp`` (``pip install autograd-ops[onednn]``), from conda's ``onednn``, or from
wherever the system's loader finds ``libdnnl.so.3``. Nothing is an error here: a library that is missing or will not do
leaves the work to NumPy, and `why_not` says so.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint, c_void_p
from pathlib import Path

__all__ = ["SIGNATURES", "Library", "Unavailable", "brief_waits", "library", "why_not"]

#: Set to ``0`` in the environment, it leaves all work to NumPy.
SWITCH = "AUTOGRAD_OPS_ONEDNN"

PACKAGE = "onednn-cpu-gomp"
NAMES = ("libdnnl.so.3", "libdnnl.3.dylib")

#: What each ``dnnl_..._primitive_desc_create`` takes between the engine and the attributes:
#: p a pointer, i an int or an enum, f a float. From oneDNN's dnnl.h, which is the same for all of version 3.
SIGNATURES = {
    "binary": "ippp",
    "convolution_forward": "iipppppppp",
    "convolution_backward_data": "ipppppppp",
    "convolution_backward_weights": "ippppppppp",
    "deconvolution_forward": "iipppppppp",
    "deconvolution_backward_data": "ipppppppp",
    "deconvolution_backward_weights": "ippppppppp",
    "eltwise_forward": "iippff",
    "eltwise_backward": "ipppffp",
    "softmax_forward": "iippi",
    "softmax_backward": "ipppip",
    "pooling_forward": "iippppppp",
    "pooling_backward": "ipppppppp",
    "prelu_forward": "ippp",
    "prelu_backward": "pppppp",
    "batch_normalization_forward": "ippfu",
    "batch_normalization_backward": "ipppfup",
    "layer_normalization_forward": "ipppfu",
    "layer_normalization_backward": "ippppfup",
    "lstm_forward": "ii" + 11 * "p" + "u",
    "lstm_backward": "ii" + 22 * "p" + "up",
    "gru_forward": "ii" + 7 * "p" + "u",
    "gru_backward": "ii" + 14 * "p" + "up",
    "lbr_gru_forward": "ii" + 7 * "p" + "u",
    "lbr_gru_backward": "ii" + 14 * "p" + "up",
    "vanilla_rnn_forward": "iii" + 7 * "p" + "uff",
    "vanilla_rnn_backward": "iii" + 14 * "p" + "uffp",
    "matmul": "pppp",
    "resampling_forward": "iippp",
    "resampling_backward": "ipppp",
    "reduction": "ippff",
}

_TYPES = {"p": c_void_p, "i": c_int, "u": c_uint, "f": c_float, "l": c_int64}

#: The other functions: their arguments. They return a status.
_FUNCTIONS = {
    "engine_create": "pil",
    "stream_create": "ppu",
    "primitive_create": "pp",
    "primitive_destroy": "p",
    "primitive_desc_destroy": "p",
    "primitive_desc_query": "piip",
    "primitive_attr_create": "p",
    "primitive_attr_destroy": "p",
    "primitive_attr_set_scratchpad_mode": "pi",
    "primitive_attr_set_post_ops": "pp",
    "post_ops_create": "p",
    "post_ops_destroy": "p",
    "post_ops_append_sum": "pfii",
    "post_ops_append_eltwise": "piff",
    "post_ops_append_binary": "pip",
    "memory_desc_create_with_strides": "pipip",
    "memory_desc_create_with_tag": "pipii",
    "memory_desc_clone": "pp",
    "memory_desc_destroy": "p",
    "memory_create": "pppp",
    "memory_destroy": "p",
    "reorder_primitive_desc_create": "pppppp",
    **{f"{name}_primitive_desc_create": f"pp{letters}p" for name, letters in SIGNATURES.items()},
}

#: Threads that oneDNN was built to run on; others want a pool of ours, or do not know how to be counted.
_SEQUENTIAL, _OPENMP = 1, 2


class Unavailable(Exception):
    """Why oneDNN is not used."""


class _Version(ctypes.Structure):
    _fields_ = (
        *((name, c_int) for name in ("major", "minor", "patch")),
        ("hash", c_char_p),
        ("cpu_runtime", c_uint),
        ("gpu_runtime", c_uint),
    )


#: What tells GNU's OpenMP how long a thread that waits for the others keeps a processor.
_WAITS = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")

#: Turns of its waiting loop, of some 15 ns: between the large kernels of a training step it is seldom longer.
_TURNS = 20_000


@contextmanager
def brief_waits() -> Iterator[None]:
    """Within it GNU's OpenMP, if loaded, lets threads wait some 150 microseconds awake for each other, then asleep.

    To wake one that sleeps takes some 50: with waits of ten, a step of many products takes a fifth longer. By itself it
    keeps them awake for many milliseconds. Where other programs run, a thread that waits then has the processor that
    the one it waits for should have, and a step takes twenty times as long, here three. It reads this once, when it is
    loaded; the environment is afterwards as it was, and where it says something of this, that holds.
    """
    if any(name in os.environ for name in _WAITS):
        yield
        return
    os.environ[_WAITS[0]] = str(_TURNS)
    try:
        yield
    finally:
        del os.environ[_WAITS[0]]


class Library:
    """The functions of one loaded ``libdnnl``, without their prefix.

    Functions that take long let other threads run; `set_handle`, which sets where a memory object's data is, does not.

    Attributes
    ----------
    path
        Where it was found.
    version
        Such as ``"3.2.0"``.
    threaded
        Whether it runs on OpenMP's threads.
    engine
        oneDNN's name for the processor.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with brief_waits():
            self._dll = dll = ctypes.CDLL(path)
        dll.dnnl_version.restype = POINTER(_Version)
        version = dll.dnnl_version().contents
        self.version = f"{version.major}.{version.minor}.{version.patch}"
        if version.major != 3:
            raise Unavailable(f"{path} is oneDNN {self.version}, and version 3 is needed")
        if version.cpu_runtime not in (_SEQUENTIAL, _OPENMP):
            raise Unavailable(f"{path} was built for other threads than OpenMP's")
        self.threaded = version.cpu_runtime == _OPENMP
        for name, letters in _FUNCTIONS.items():
            function = getattr(dll, f"dnnl_{name}")
            function.argtypes = [_TYPES[letter] for letter in letters]
            setattr(self, name, function)
        self.primitive_execute = dll.dnnl_primitive_execute
        self.primitive_execute.argtypes = [c_void_p, c_void_p, c_int, c_void_p]
        self.query_md = dll.dnnl_primitive_desc_query_md
        self.query_md.argtypes, self.query_md.restype = [c_void_p, c_int, c_int], c_void_p
        self.size_of_md = dll.dnnl_memory_desc_get_size
        self.size_of_md.argtypes, self.size_of_md.restype = [c_void_p], c_size_t
        self.same_md = dll.dnnl_memory_desc_equal
        self.same_md.argtypes = [c_void_p, c_void_p]
        self.set_handle = ctypes.PyDLL(path).dnnl_memory_set_data_handle
        self.set_handle.argtypes = [c_void_p, c_void_p]
        engine = c_void_p()
        if dll.dnnl_engine_create(byref(engine), 1, 0):
            raise Unavailable(f"{path} has no engine for this processor")
        self.engine = engine

    def __getattr__(self, name: str) -> ctypes._NamedFuncPointer:
        raise AttributeError(f"dnnl_{name} is not among the functions in library.py")

    def set_threads(self, number: int) -> None:
        """How many threads this thread's calls may run on."""
        if self.threaded:
            self._dll.omp_set_num_threads(number)  # from the OpenMP that the library was linked with

    def threads(self) -> int:
        """How many threads this thread's calls may run on."""
        return int(self._dll.omp_get_max_threads()) if self.threaded else 1


_lock = threading.Lock()
_found: Library | str | None = None  # a str says why there is none


def library() -> Library:
    """The library, loaded at the first call.

    Raises
    ------
    Unavailable
        If there is none, or none that will do; at each later call too.
    """
    global _found
    if _found is None:
        with _lock:
            if _found is None:
                try:
                    _found = _load()
                except Unavailable as reason:
                    _found = str(reason)
    if isinstance(_found, str):
        raise Unavailable(_found)
    return _found


def why_not() -> str | None:
    """Why oneDNN is not used; None if it is."""
    try:
        library()
    except Unavailable as reason:
        return str(reason)
    return None


def _load() -> Library:
    if os.environ.get(SWITCH, "") == "0":
        raise Unavailable(f"{SWITCH}=0 is set")
    reason = "it is not installed: pip install autograd-ops[onednn]"
    for path in _candidates():
        try:
            return Library(path)
        except Unavailable as error:
            reason = str(error)
        except (OSError, AttributeError) as error:
            if os.path.sep in path:
                reason = f"{path} cannot be loaded: {error}"
    raise Unavailable(reason)


def _candidates() -> Iterator[str]:
    """Paths to try: where pip and conda put it, wherever else pip did, and what the system's loader knows."""
    here = Path(sys.prefix, "lib")
    yield from (str(here / name) for name in NAMES if (here / name).exists())
    from importlib import metadata  # here: it takes longer to import than the library takes to load

    with suppress(metadata.PackageNotFoundError):
        for file in metadata.files(PACKAGE) or ():
            if file.name in NAMES:
                yield str(Path(str(file.locate())).resolve())
    yield from NAMES
