"""From what size on oneDNN pays: each of its kernels against NumPy's and, with ``--torch``, PyTorch's.

See README.md beside this file. The last lines say from what work on, as ``numpy_backend/onednn/thresholds.py`` counts
it, oneDNN took at most 0.9 of NumPy's time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]

#: (kernel, sizes): products by (rows, d_input, d_output) or (batch, n, k, m), convolutions by
#: (N, C_in, C_out, side, kernel, stride, groups, rank), what goes by rows or by planes by the shape of x.
PRODUCTS = [(16, 16, 16), (32, 16, 32), (32, 32, 32), (64, 32, 32), (64, 64, 32), (64, 64, 64), (64, 128, 64)]
PRODUCTS += [(64, 784, 10), (64, 784, 128), (64, 128, 10), (1024, 128, 128), (1024, 128, 512), (256, 512, 1024)]
BATCHES = [(16, 16, 16, 16), (16, 32, 16, 32), (64, 32, 16, 32), (16, 64, 32, 64), (64, 64, 32, 64), (64, 64, 64, 32)]
CONVOLUTIONS = [
    *((1, 1, 4, 4, 3, 1, 1, 2), (4, 1, 8, 8, 3, 1, 1, 2), (64, 1, 16, 8, 3, 1, 1, 2), (64, 16, 32, 8, 3, 1, 1, 2)),
    *((64, 1, 32, 28, 3, 1, 1, 2), (64, 32, 64, 14, 3, 1, 1, 2), (32, 3, 16, 32, 3, 1, 1, 2)),
    *((32, 16, 16, 32, 3, 1, 1, 2), (32, 16, 32, 32, 3, 2, 1, 2), (32, 16, 32, 32, 1, 2, 1, 2)),
    *((32, 64, 64, 8, 3, 1, 1, 2), (8, 32, 32, 32, 3, 1, 32, 2), (8, 32, 32, 32, 3, 1, 4, 2)),
    *((16, 40, 64, 100, 5, 1, 1, 1), (32, 64, 64, 200, 3, 1, 1, 1), (2, 8, 16, 16, 3, 1, 1, 3)),
]
TRANSPOSED = [(1, 4, 4, 4, 2, 2, 1, 2), (8, 32, 16, 16, 2, 2, 1, 2), (8, 64, 32, 16, 4, 2, 1, 2)]
TRANSPOSED += [(16, 64, 32, 50, 4, 2, 1, 1), (2, 16, 8, 8, 2, 2, 1, 3)]
ROWS = [(8, 64), (8, 128), (16, 128), (32, 128), (64, 128), (1024, 65), (1024, 128), (256, 1024), (1024, 512)]
PLANES = [
    (4, 8, 8, 8),
    (8, 8, 8, 8),
    (16, 16, 8, 8),
    (32, 16, 8, 8),
    (32, 32, 16, 16),
    (32, 16, 32, 32),
    (64, 32, 28, 28),
]
BY_ROWS = ("gelu", "softmax", "log_softmax", "layer_norm")
BY_PLANES = ("batch_norm_train", "max_pool2d_with_indices", "group_norm", "avg_pool2d", "interpolate")
#: What goes by elements, by how many they are.
ELEMENTS = [2**n for n in range(11, 21)]
POINTWISE = ("relu", "sigmoid", "silu")
#: Kernels whose cases give the shape of x.
WHOLE = (*BY_ROWS, *BY_PLANES, *POINTWISE)
CASES: list[tuple[str, tuple[int, ...]]] = [
    *(("linear", sizes) for sizes in PRODUCTS),
    *(("linear_x_backward", sizes) for sizes in PRODUCTS),
    *(("linear_weight_backward", sizes) for sizes in PRODUCTS),
    *(("matmul", sizes) for sizes in BATCHES),
    *((f"conv{direction}", sizes) for direction in ("", "_x", "_weight") for sizes in CONVOLUTIONS),
    *((f"conv_transpose{direction}", sizes) for direction in ("", "_x", "_weight") for sizes in TRANSPOSED),
    *((f"{name}{direction}", sizes) for name in BY_ROWS for direction in ("", "_backward") for sizes in ROWS),
    *((name, sizes) for name in BY_PLANES for sizes in PLANES),
    *((f"{name}_backward", sizes) for name in BY_PLANES if "max" not in name for sizes in PLANES),
    *((f"{name}{direction}", (size,)) for name in POINTWISE for direction in ("", "_backward") for size in ELEMENTS),
]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def best(call: Callable[[], Any], seconds: float) -> float:
    """The least time of one call, in microseconds; under load the least is what says most."""
    call()
    start, least = time.perf_counter(), float("inf")
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - before)
    return least * 1e6


def arrays_of(kernel: str, sizes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """The arrays of a case: x, weight and the gradient of the output; x and that of what goes by rows or planes."""
    if kernel.startswith("avg_pool2d"):
        n, channels, height, width = sizes
        return numbers(*sizes), numbers(n, channels, height // 2, width // 2)
    if kernel.startswith("interpolate"):
        n, channels, height, width = sizes
        return numbers(*sizes), numbers(n, channels, 2 * height, 2 * width)
    if kernel.startswith(WHOLE):
        return numbers(*sizes), numbers(*sizes)[::-1].copy()
    if kernel == "matmul":
        batch, n, k, m = sizes
        return numbers(batch, n, k), numbers(batch, k, m)
    if kernel.startswith("linear"):
        rows, d_input, d_output = sizes
        return numbers(rows, d_input), numbers(d_input, d_output), numbers(d_output), numbers(rows, d_output)
    n, c_in, c_out, side, k, stride, groups, rank = sizes
    x = numbers(n, c_in, *(side,) * rank)
    if kernel.startswith("conv_transpose"):
        out = (side - 1) * stride + k
        return x, numbers(c_in, c_out // groups, *(k,) * rank), numbers(n, c_out, *(out,) * rank)
    out = (side + 2 * (k // 2) - k) // stride + 1
    return x, numbers(c_out, c_in // groups, *(k,) * rank), numbers(n, c_out, *(out,) * rank)


def ours(kernel: str, sizes: tuple[int, ...]) -> tuple[str, tuple[Any, ...]]:
    """The kernel of the backend, and its arguments."""
    from autograd_backends.options import ConvOptions, ConvTransposeOptions

    given = arrays_of(kernel, sizes)
    if kernel.startswith(WHOLE):
        return kernel, _arguments(kernel, *given)
    if kernel == "matmul":
        return kernel, given
    if kernel.startswith("linear"):
        x, weight, bias, grad = given
        arguments = {"linear": (x, weight, bias), "linear_x_backward": (weight, grad)}
        return kernel, arguments.get(kernel, (x, grad))
    x, weight, grad = given
    _, _, _, _, k, stride, groups, rank = sizes
    plain = not kernel.startswith("conv_transpose")
    name = f"conv{rank}d" if plain else f"conv_transpose{rank}d"
    options: Any = ConvOptions(stride, k // 2, 1, groups) if plain else ConvTransposeOptions(stride, groups=groups)
    if kernel.endswith("_x"):
        return f"{name}_x_backward", (*((x.shape,) if plain else ()), weight, grad, options)
    if kernel.endswith("_weight"):
        return f"{name}_weight_backward", (x, weight.shape, grad, options)
    return name, (x, weight, None, options)


def _arguments(kernel: str, x: np.ndarray, grad: np.ndarray) -> tuple[Any, ...]:
    """Those of a kernel that goes by rows, by planes or by elements."""
    from autograd_backends import get_backend
    from autograd_backends.options import InterpolateOptions

    backend: Any = get_backend("cpu")
    name = kernel.removesuffix("_backward")
    if name == "max_pool2d_with_indices":
        return x, (2, 2), (2, 2), (0, 0), (1, 1), False
    if name == "avg_pool2d":
        windows = (2, 2), (2, 2), (0, 0), True, False, None
        return (x, *windows) if kernel == name else (x.shape, grad, *windows)
    if name == "interpolate":
        # Back from the nearest alone: of a bilinear gradient oneDNN has none but NumPy's products.
        options = InterpolateOptions("bilinear" if kernel == name else "nearest", False)
        return (x, grad.shape[2:], options) if kernel == name else (x.shape, grad, grad.shape[2:], options)
    if name in POINTWISE:
        return (x,) if kernel == name else (x, grad)
    if name == "gelu":
        return (x, "none") if kernel == name else (x, grad, "none")
    if "softmax" in name:
        return (x, -1) if kernel == name else (getattr(backend, name)(x, -1), grad, -1)
    gamma = numbers(x.shape[-1] if name == "layer_norm" else x.shape[1])
    groups = (x.shape[1] // 4,) if name == "group_norm" else ()
    if kernel == name:
        return x, *groups, gamma, gamma, 1e-5
    _, *statistics = getattr(backend, name)(x, *groups, gamma, gamma, 1e-5)
    return (x, *groups, gamma, *statistics, *((1e-5,) if name == "batch_norm_train" else ()), grad, (True,) * 3)


def work(name: str, arguments: tuple[Any, ...]) -> int:
    """The work of a call, as the table counts it."""
    from autograd_backends.numpy_backend.onednn.table import KERNELS

    kernel = KERNELS[name]
    return int(eval(kernel.work, {"ZERO": (0,)}, dict(zip(kernel.parameters.split(", "), arguments, strict=True))))


def theirs(torch: Any, kernel: str, sizes: tuple[int, ...]) -> Callable[[], Any]:
    """PyTorch's call for a case."""
    given = [torch.from_numpy(a) for a in arrays_of(kernel, sizes)]
    if kernel.startswith(WHOLE):
        return _their_call(torch, kernel, *given)
    if kernel == "matmul":
        return lambda: torch.matmul(*given)
    if kernel.startswith("linear"):
        x, weight, bias, grad = given
        calls = {"linear": lambda: torch.addmm(bias, x, weight), "linear_x_backward": lambda: grad @ weight.t()}
        return calls.get(kernel, lambda: x.t() @ grad)
    x, weight, grad = given
    _, _, _, _, k, stride, groups, rank = sizes
    transposed = kernel.startswith("conv_transpose")
    padding = 0 if transposed else k // 2
    places = ([stride] * rank, [padding] * rank, [1] * rank, transposed, [0] * rank, groups)
    if kernel.endswith(("_x", "_weight")):
        needs = [kernel.endswith("_x"), kernel.endswith("_weight"), False]
        return lambda: torch.ops.aten.convolution_backward(grad, x, weight, None, *places, needs)
    return lambda: torch.convolution(x, weight, None, *places)


def _their_call(torch: Any, kernel: str, x: Any, grad: Any) -> Callable[[], Any]:
    """PyTorch's call for a kernel that goes by rows or by planes."""
    aten = torch.ops.aten
    name = kernel.removesuffix("_backward")
    if name == "max_pool2d_with_indices":
        return lambda: aten.max_pool2d_with_indices(x, [2, 2])
    if name == "avg_pool2d":
        windows = [2, 2], [2, 2], [0, 0], False, True, None
        return (
            (lambda: aten.avg_pool2d(x, *windows))
            if kernel == name
            else (lambda: aten.avg_pool2d_backward(grad, x, *windows))
        )
    if name == "interpolate":
        size = list(grad.shape[2:])
        return (
            (lambda: aten.upsample_bilinear2d(x, size, False))
            if kernel == name
            else (lambda: aten.upsample_nearest2d_backward(grad, size, list(x.shape)))
        )
    if name in POINTWISE:
        backward = {
            "relu": lambda: aten.threshold_backward(grad, x, 0),
            "sigmoid": lambda: aten.sigmoid_backward(grad, x),
            "silu": lambda: aten.silu_backward(grad, x),
        }
        return (lambda: getattr(aten, name)(x)) if kernel == name else backward[name]
    if name == "gelu":
        return (lambda: aten.gelu(x)) if kernel == name else lambda: aten.gelu_backward(grad, x)
    if "softmax" in name:
        forward, backward = getattr(aten, f"_{name}"), getattr(aten, f"_{name}_backward_data")
        out = forward(x, -1, False)
        return (lambda: forward(x, -1, False)) if kernel == name else lambda: backward(grad, out, -1, x.dtype)
    gamma = torch.from_numpy(numbers(x.shape[-1] if name == "layer_norm" else x.shape[1]))
    needs = [True] * 3
    if name == "layer_norm":
        given = x, list(x.shape[-1:])
        _, *statistics = aten.native_layer_norm(*given, gamma, gamma, 1e-5)
        if kernel == name:
            return lambda: aten.native_layer_norm(*given, gamma, gamma, 1e-5)
        return lambda: aten.native_layer_norm_backward(grad, *given, *statistics, gamma, gamma, needs)
    if name == "group_norm":
        n, channels, height, width = x.shape
        sizes = n, channels, height * width, channels // 4
        _, *statistics = aten.native_group_norm(x, gamma, gamma, *sizes, 1e-5)
        if kernel == name:
            return lambda: aten.native_group_norm(x, gamma, gamma, *sizes, 1e-5)
        return lambda: aten.native_group_norm_backward(grad, x, *statistics, gamma, *sizes, needs)
    of_train = True, 0.1, 1e-5
    _, *statistics = aten.native_batch_norm(x, gamma, gamma, None, None, *of_train)
    if kernel == name:
        return lambda: aten.native_batch_norm(x, gamma, gamma, None, None, *of_train)
    return lambda: aten.native_batch_norm_backward(grad, x, gamma, None, None, *statistics, True, 1e-5, needs)


def answer(seconds: float) -> None:
    """Be the process that measures PyTorch: a case a line in, its microseconds out."""
    import torch

    for line in sys.stdin:
        with torch.no_grad():
            print(best(theirs(torch, *CASES[int(line)]), seconds), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", help="an interpreter that has PyTorch")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each measurement")
    parser.add_argument("--only", default="", help="kernels whose name begins so")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        answer(options.seconds)
    else:
        compare(options)


def compare(options: argparse.Namespace) -> None:
    """Print a line a case."""
    sys.path[:0] = [str(ROOT), str(ROOT / "backends")]
    from autograd_backends import get_backend
    from autograd_backends.numpy_backend.onednn.gate import forced
    from autograd_backends.numpy_backend.onednn.library import why_not

    if why_not() is not None:
        raise SystemExit(f"oneDNN is not in use: {why_not()}")
    backend = get_backend("cpu")
    command = [options.torch, __file__, "--answer", "--seconds", str(options.seconds)]
    peer = options.torch and subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    found: dict[str, list[tuple[int, float]]] = {}
    for i, (kernel, sizes) in enumerate(CASES):
        if not kernel.startswith(options.only):
            continue
        name, arguments = ours(kernel, sizes)
        call = partial(getattr(backend.xp if name == "matmul" else backend, name), *arguments)
        with forced(0):
            fast = best(call, options.seconds)
        with forced(2**62):
            plain = best(call, options.seconds)
        amount = work(name, arguments)
        line = f"{kernel:24} {sizes!s:36} work {amount:10} oneDNN {fast:9.1f} us, of NumPy's {fast / plain:5.2f}"
        if peer:
            peer.stdin.write(f"{i}\n")
            peer.stdin.flush()
            line += f", of PyTorch's {fast / float(peer.stdout.readline()):5.2f}"
        print(line, flush=True)
        found.setdefault(name, []).append((amount, fast / plain))
    if peer:
        peer.stdin.close()
        peer.wait()
    for name, measured in found.items():
        slower = [amount for amount, ratio in measured if ratio > 0.9]
        faster = [amount for amount, ratio in measured if amount > max(slower, default=0)]
        print(f"{name:32} pays from {min(faster, default='nowhere')}")


if __name__ == "__main__":
    main()
