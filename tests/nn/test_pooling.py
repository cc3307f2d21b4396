"""Pools, folds and shuffles against PyTorch, on every device; what max pools keep; what is refused."""

from __future__ import annotations

import json
import math
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
import autograd_ops.nn.functional as F
from autograd_ops import nn, ops
from autograd_ops.autograd import gradcheck, gradgradcheck

from .conftest import DEVICES, made, near

CASES = json.loads((Path(__file__).parent / "torch_pools.json").read_text())["cases"]
RANKS = [1, 2, 3]
SPACES = {1: (5,), 2: (4, 5), 3: (3, 4, 5)}

nan, inf = math.nan, math.inf


# ---------------------------------------------------------------- against PyTorch


def first_of(result: Any) -> Any:
    """The output, of one or with its indices."""
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "shape", "options", "out_shape", "output", "grad", "indices"), CASES)
def test_value_gradient_and_indices(
    name: str, shape: list, options: dict, out_shape: list, output: list, grad: list, indices: list | None, device: str
) -> None:
    x = made(tuple(shape), device=device).requires_grad_()
    y = getattr(F, name)(x, **options)
    if indices is not None:
        assert type(y) is tuple
        y, found = y
        assert found.dtype is ag.int64
        assert list(found.shape) == out_shape
        assert found.flatten().tolist() == indices
    assert list(y.shape) == out_shape
    near(y.flatten(), output)
    (y * made(tuple(out_shape), 0.5, device)).sum().backward()
    near(x.grad.flatten(), grad)


@pytest.mark.parametrize(("name", "shape", "options"), [case[:3] for case in CASES])
def test_second_derivatives(name: str, shape: list, options: dict) -> None:
    def squared(x: Any) -> Any:
        return (first_of(getattr(F, name)(x, **options)) ** 2).sum()

    x = made(tuple(shape)).requires_grad_()
    assert gradcheck(squared, x)
    assert gradgradcheck(squared, x)


def dimensions(name: str) -> int:
    """How many a batch has that the function of this name takes."""
    return int(name[-2]) + 2 if name.endswith("d") and name[-2].isdigit() else 3 if name == "fold" else 4


@pytest.mark.parametrize(("name", "shape", "options"), [c[:3] for c in CASES if len(c[1]) == dimensions(c[0])])
@pytest.mark.parametrize("device", DEVICES)
def test_float32_and_empty_batches(name: str, shape: list, options: dict, device: str) -> None:
    y = first_of(getattr(F, name)(made(tuple(shape), device=device, dtype=ag.float32), **options))
    assert y.dtype is ag.float32
    empty = ag.zeros(0, *shape[1:], device=device, requires_grad=True)
    none = first_of(getattr(F, name)(empty, **options))
    assert tuple(none.shape) == (0, *y.shape[1:])
    none.sum().backward()
    assert empty.grad.shape == empty.shape


# ---------------------------------------------------------------- maxima


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rank", RANKS)
def test_nan_infinities_and_ties(rank: int, device: str) -> None:
    pool, adaptive = getattr(F, f"max_pool{rank}d"), getattr(F, f"adaptive_max_pool{rank}d")
    rows = [
        ([1.0, nan, 3.0], nan, 1),
        ([nan, nan, 3.0], nan, 0),
        ([inf, nan, inf], nan, 1),
        ([-inf, -inf, -inf], -inf, 0),
        ([-inf, 2.0, 2.0], 2.0, 1),
        ([0.0, 0.0, -1.0], 0.0, 0),
    ]
    for row, value, index in rows:
        x = ag.tensor(row, device=device).reshape(1, 1, *(1,) * (rank - 1), 3)
        for y, at in (pool(x, (*(1,) * (rank - 1), 3), return_indices=True), adaptive(x, 1, return_indices=True)):
            np.testing.assert_equal(y.flatten().tolist(), [value])
            assert at.flatten().tolist() == [index]


@pytest.mark.parametrize("device", DEVICES)
def test_padding_never_wins(device: str) -> None:
    x = ag.full((1, 1, 2, 2), -inf, device=device)
    x[0, 0, 0, 1] = -5.0
    y, at = F.max_pool2d(x, 2, 1, 1, return_indices=True)
    assert y.tolist() == [[[[-inf, -5, -5], [-inf, -5, -5], [-inf, -inf, -inf]]]]
    assert at.tolist() == [[[[0, 1, 1], [0, 1, 1], [2, 2, 3]]]]


@pytest.mark.parametrize("device", DEVICES)
def test_overlapping_windows_add_up(device: str) -> None:
    x = ag.tensor([[[1.0, 5.0, 2.0, 3.0]]], device=device, requires_grad=True)
    F.max_pool1d(x, 3, 1, 1).sum().backward()
    assert x.grad.tolist() == [[[0, 3, 0, 1]]]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rank", RANKS)
def test_permuted_input(rank: int, device: str) -> None:
    x = made((*SPACES[rank], 2, 3), device=device)
    for name, options in [
        ("max_pool", {"kernel_size": 2, "stride": 1, "return_indices": True}),
        ("adaptive_max_pool", {"output_size": 2, "return_indices": True}),
        ("avg_pool", {"kernel_size": 2}),
        ("adaptive_avg_pool", {"output_size": 2}),
    ]:
        pool = getattr(F, f"{name}{rank}d")
        one, other = (x.clone().requires_grad_() for _ in range(2))
        got = pool(one.permute(rank, rank + 1, *range(rank)), **options)
        want = pool(other.permute(rank, rank + 1, *range(rank)).clone(), **options)
        for y, z in zip(*[r if isinstance(r, tuple) else (r,) for r in (got, want)], strict=True):
            assert y.tolist() == z.tolist()
        for result in (got, want):
            y = first_of(result)
            (y * made(tuple(y.shape), 0.5, device)).sum().backward()
        assert one.grad.tolist() == other.grad.tolist()


def traced(function: Any) -> tuple[Any, int, int]:
    """What `function` gives, the bytes that are there after it and were not before, and the most meanwhile."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = function()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return result, after - before, peak - before


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("rank", RANKS)
def test_a_max_pool_keeps_its_indices_and_not_its_input(rank: int, adaptive: bool) -> None:
    side = {1: 2**16, 2: 2**8, 3: 40}[rank]
    leaf = made((1, 1, *(side,) * rank)).requires_grad_()
    bytes_in = leaf.array.nbytes
    name = f"{'adaptive_' if adaptive else ''}max_pool{rank}d"
    pool = getattr(F, name)
    pool(leaf, side // 2 if adaptive else 2).sum().backward()  # what is compiled or looked up once is there now
    leaf.grad = None
    y, kept, peak = traced(lambda: pool(leaf * 2.0, side // 2 if adaptive else 2))
    # The output and the indices, at most 8 bytes an element each, and the doubled leaf no more.
    assert kept <= 2 * bytes_in / 2**rank + 20_000
    assert peak <= (8 if adaptive else 4) * bytes_in
    assert y.node.saved is not None
    _, left, _ = traced(lambda: y.sum().backward())
    assert left <= bytes_in + 20_000
    assert float(leaf.grad.sum()) == pytest.approx(2.0 * y.numel())


@pytest.mark.parametrize("rank", RANKS)
def test_results_have_names(rank: int) -> None:
    x = made((1, 2, *SPACES[rank])).array
    sizes = (2, 2, 0, 1, False)
    pooled = getattr(ops, f"max_pool{rank}d_with_indices")(x, *sizes, indices_dtype="int32")
    assert isinstance(pooled, getattr(ops, f"MaxPool{rank}dWithIndices"))
    assert pooled.indices.dtype == np.int32
    back = getattr(ops, f"max_pool{rank}d_with_indices_backward")(x, *sizes, pooled.output, pooled.indices)
    assert isinstance(back, getattr(ops, f"MaxPool{rank}dBackward"))
    assert back.x_grad.shape == x.shape
    assert getattr(ops, f"max_pool{rank}d")(x, *sizes).tolist() == pooled.output.tolist()
    assert getattr(ops, f"adaptive_max_pool{rank}d_with_indices")(x, 1, "uint8").indices.dtype == np.uint8


@pytest.mark.parametrize("device", DEVICES)
def test_in_ceil_mode_a_partial_window_may_be_the_only_one(device: str) -> None:
    # PyTorch 2.13: 1 for a kernel of 3, stride 2, over a length of 2; with stride 1 it refuses.
    x = ag.tensor([[[1.0, 4.0]]], device=device, requires_grad=True)
    assert F.max_pool1d(x, 3, 2, ceil_mode=True).tolist() == [[[4]]]
    y = F.avg_pool1d(x, 3, 2, ceil_mode=True)
    assert y.tolist() == [[[2.5]]]
    y.sum().backward()
    assert x.grad.tolist() == [[[0.5, 0.5]]]
    for options in ({"stride": 1, "ceil_mode": True}, {"stride": 2}):
        with pytest.raises(ValueError, match="max_pool1d: the kernel spans 3"):
            F.max_pool1d(x, 3, **options)


@pytest.mark.parametrize("device", DEVICES)
def test_integers(device: str) -> None:
    x = ag.tensor([[[3, 1, 2, 2]]], device=device)
    assert F.max_pool1d(x, 2).dtype is F.adaptive_max_pool1d(x, 3).dtype is ag.int64
    assert F.max_pool1d(x, 2).tolist() == [[[3, 2]]]
    for y in (F.avg_pool1d(x, 4), F.adaptive_avg_pool1d(x, 1)):
        assert y.dtype is ag.float32
        assert y.tolist() == [[[2]]]


# ---------------------------------------------------------------- unpooling, unfolding


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rank", RANKS)
def test_max_unpool(rank: int, device: str) -> None:
    x = made((2, 3, *SPACES[rank]), device=device)
    pool, unpool = getattr(nn, f"MaxPool{rank}d")(2, return_indices=True), getattr(nn, f"MaxUnpool{rank}d")(2)
    y, at = pool(x)
    y = y.detach().requires_grad_()
    back = unpool(y, at, x.shape)
    assert back.shape == x.shape
    assert (back == x).sum().item() == y.numel()
    assert (back != 0).sum().item() == y.numel()
    (back * 3.0).sum().backward()
    assert set(y.grad.flatten().tolist()) == {3.0}
    single = unpool(y[0], at[0], x.shape[1:])
    assert single.tolist() == back[0].tolist()


def test_max_unpool_of_overlapping_windows() -> None:
    # PyTorch 2.13: the pool of sin(1.3), sin(2.6), ... with kernel 3, stride 2, put back.
    x = made((1, 1, 7))
    y, at = F.max_pool1d(x, 3, 2, return_indices=True)
    want = [0.963558185417193, 0, 0, 0, 0.21511998808781552, 0.998543345374605, 0]
    near(F.max_unpool1d(y, at, 3, 2).flatten(), want)
    near(F.max_unpool1d(y, at, 3, 2, output_size=[8]).flatten(), [*want, 0])
    twice = F.max_unpool1d(ag.tensor([[4.0, 4.0]]), ag.tensor([[1, 1]]), 2, 1)
    assert twice.tolist() == [[0, 4, 0]]


def test_max_unpool_refuses() -> None:
    y, at = ag.ones(1, 1, 2), ag.tensor([[[0, 4]]])
    with pytest.raises(IndexError, match="max_unpool1d: indices: index 4 is out of range for size 4"):
        F.max_unpool1d(y, at, 2)
    with pytest.raises(ValueError, match=r"max_unpool1d: output_size \(6,\) is not within one step"):
        F.max_unpool1d(y, at, 2, output_size=(6,))
    with pytest.raises(ValueError, match=r"max_unpool1d: input has shape \(1, 1, 2\) but indices have \(1, 2\)"):
        F.max_unpool1d(y, at[0], 2)
    with pytest.raises(ValueError, match="max_unpool2d: input has 2 dimensions"):
        F.max_unpool2d(y[0], at[0], 2)


@pytest.mark.parametrize("device", DEVICES)
def test_unfold_as_a_method(device: str) -> None:
    x = ag.arange(7.0, device=device, requires_grad=True)
    windows = x.unfold(0, 3, 2)
    assert windows.tolist() == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    windows.sum().backward()
    assert x.grad.tolist() == [1, 1, 2, 1, 2, 1, 1]
    assert x.unfold(-1, 2, 5).tolist() == [[0, 1], [5, 6]]
    assert tuple(ag.ones(2, 6, 3).unfold(1, 4, 1).shape) == (2, 3, 3, 4)
    assert ag.arange(4, device=device).unfold(0, 2, 1).tolist() == [[0, 1], [1, 2], [2, 3]]


def test_fold_counts_the_windows_over_each_cell() -> None:
    columns = F.unfold(ag.ones(2, 3, 4, 5), 3, padding=1)
    counted = F.fold(columns, (4, 5), 3, padding=1)
    want = np.outer([2, 3, 3, 2], [2, 3, 3, 3, 2])
    assert (counted.numpy() == want).all()


def test_shuffles_undo_each_other() -> None:
    x = made((2, 8, 3, 4))
    assert F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2).tolist() == x.tolist()
    assert F.channel_shuffle(F.channel_shuffle(x, 2), 4).tolist() == x.tolist()


def test_lp_pool_of_zeros_has_no_gradient() -> None:
    x = ag.zeros(1, 1, 2, 4, requires_grad=True)
    with ag.no_grad():
        x[0, 0, 0, 3] = 3.0
    y = F.lp_pool2d(x, 2, 2)
    assert y.tolist() == [[[[0, 3]]]]
    y.sum().backward()
    assert x.grad.tolist() == [[[[0, 0, 0, 1], [0, 0, 0, 0]]]]


# ---------------------------------------------------------------- modules

#: As PyTorch 2.13 prints them.
REPRS = [
    (nn.MaxPool1d(2), "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    (
        nn.MaxPool3d((2, 1, 2), return_indices=True),
        "MaxPool3d(kernel_size=(2, 1, 2), stride=(2, 1, 2), padding=0, dilation=1, ceil_mode=False)",
    ),
    (nn.AvgPool1d(2, 1), "AvgPool1d(kernel_size=(2,), stride=(1,), padding=(0,))"),
    (nn.AvgPool3d(2), "AvgPool3d(kernel_size=2, stride=2, padding=0)"),
    (nn.AdaptiveAvgPool1d(3), "AdaptiveAvgPool1d(output_size=3)"),
    (nn.AdaptiveMaxPool2d((None, 2)), "AdaptiveMaxPool2d(output_size=(None, 2))"),
    (nn.MaxUnpool1d(2), "MaxUnpool1d(kernel_size=(2,), stride=(2,), padding=(0,))"),
    (nn.MaxUnpool2d(2, padding=1), "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(1, 1))"),
    (nn.LPPool2d(2, (2, 1), stride=1), "LPPool2d(norm_type=2, kernel_size=(2, 1), stride=1, ceil_mode=False)"),
    (nn.LPPool3d(2, 3), "LPPool3d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)"),
    (nn.Fold((4, 5), 2), "Fold(output_size=(4, 5), kernel_size=2, dilation=1, padding=0, stride=1)"),
    (nn.Unfold(2, padding=(1, 0)), "Unfold(kernel_size=2, dilation=1, padding=(1, 0), stride=1)"),
    (nn.PixelShuffle(2), "PixelShuffle(upscale_factor=2)"),
    (nn.PixelUnshuffle(3), "PixelUnshuffle(downscale_factor=3)"),
    (nn.ChannelShuffle(2), "ChannelShuffle(groups=2)"),
    (nn.ConstantPad1d(2, 3.5), "ConstantPad1d(padding=(2, 2), value=3.5)"),
    (nn.ConstantPad2d((1, 2, 3, 4), 0), "ConstantPad2d(padding=(1, 2, 3, 4), value=0)"),
    (nn.ReflectionPad1d(1), "ReflectionPad1d((1, 1))"),
    (nn.ReplicationPad2d((1, 0, 1, 0)), "ReplicationPad2d((1, 0, 1, 0))"),
    (nn.ZeroPad3d(1), "ZeroPad3d((1, 1, 1, 1, 1, 1))"),
    (nn.CircularPad2d(1), "CircularPad2d((1, 1, 1, 1))"),
]


@pytest.mark.parametrize(("layer", "text"), REPRS)
def test_repr(layer: nn.Module, text: str) -> None:
    assert repr(layer) == text


@pytest.mark.parametrize("rank", RANKS)
def test_pool_modules_are_the_functions(rank: int) -> None:
    x = made((1, 2, *SPACES[rank]))

    def layer(name: str) -> Any:
        return getattr(nn, f"{name}{rank}d")

    def function(name: str) -> Any:
        return getattr(F, f"{name}{rank}d")

    assert (
        layer("MaxPool")(3, 2, 1, 1, ceil_mode=True)(x).tolist() == function("max_pool")(x, 3, 2, 1, 1, True).tolist()
    )
    output, indices = layer("MaxPool")(2, return_indices=True)(x)
    assert output.shape == indices.shape
    averaged = layer("AvgPool")(3, 2, 1, True, False)(x)
    assert averaged.tolist() == function("avg_pool")(x, 3, 2, 1, True, False).tolist()
    assert layer("AdaptiveAvgPool")(2)(x).tolist() == function("adaptive_avg_pool")(x, 2).tolist()
    assert layer("AdaptiveMaxPool")(2)(x).tolist() == function("adaptive_max_pool")(x, 2).tolist()
    output, indices = layer("AdaptiveMaxPool")(2, return_indices=True)(x)
    assert output.shape == indices.shape
    assert layer("LPPool")(2, 2, ceil_mode=True)(x).tolist() == function("lp_pool")(x, 2, 2, ceil_mode=True).tolist()


@pytest.mark.parametrize("rank", RANKS)
def test_pad_modules_are_the_function(rank: int) -> None:
    x = made((1, 2, *SPACES[rank]))
    pad = [1, 2, 0, 1, 2, 1][: 2 * rank]
    for name, mode in [
        ("ReflectionPad", "reflect"),
        ("ReplicationPad", "replicate"),
        ("CircularPad", "circular"),
        ("ZeroPad", "constant"),
    ]:
        assert getattr(nn, f"{name}{rank}d")(pad)(x).tolist() == F.pad(x, pad, mode).tolist()
    assert getattr(nn, f"ConstantPad{rank}d")(1, 2.5)(x).tolist() == F.pad(x, (1, 1) * rank, value=2.5).tolist()
    with pytest.raises(ValueError, match=f"ZeroPad{rank}d: padding has one int or {2 * rank}"):
        getattr(nn, f"ZeroPad{rank}d")((1, 2, 3))


def test_other_modules_are_the_functions() -> None:
    x = made((1, 8, 4, 6))
    assert nn.Unfold(2, 1, (1, 0), 2)(x).tolist() == F.unfold(x, 2, 1, (1, 0), 2).tolist()
    columns = F.unfold(x, 2, 2, 1, (1, 2))
    assert nn.Fold((4, 6), 2, 2, 1, (1, 2))(columns).tolist() == F.fold(columns, (4, 6), 2, 2, 1, (1, 2)).tolist()
    assert nn.PixelShuffle(2)(x).tolist() == F.pixel_shuffle(x, 2).tolist()
    assert nn.PixelUnshuffle(2)(x).tolist() == F.pixel_unshuffle(x, 2).tolist()
    assert nn.ChannelShuffle(4)(x).tolist() == F.channel_shuffle(x, 4).tolist()


# ---------------------------------------------------------------- what is refused

IMAGE, COLUMNS = (1, 4, 5, 5), (1, 8, 4)
REFUSED = [
    ("max_pool2d", (4, 5), (2,), "max_pool2d: x has 2 dimensions"),
    ("max_pool1d", (1, 2, 3), (4,), "max_pool1d: the kernel spans 4"),
    ("max_pool2d", IMAGE, (2, 0), "max_pool2d: stride=.0, 0. must be positive"),
    ("max_pool2d", IMAGE, (2, 2, 2), "max_pool2d: padding=.2, 2. is more than half"),
    ("max_pool2d", IMAGE, ((2, 2, 2),), "max_pool2d: kernel_size has one int or 2"),
    ("max_pool3d", (1, 1, 2, 2, 2), (2, 1, 0, 0), "max_pool3d: dilation"),
    ("max_pool1d", (1, 1, 0), (1,), "max_pool1d: "),
    ("avg_pool1d", (1, 2, 3), (4,), "avg_pool1d: the kernel spans 4"),
    ("avg_pool2d", IMAGE, (2, 1, -1), "avg_pool2d: padding"),
    ("avg_pool3d", (1, 1, 2, 2, 2), (2, None, 0, False, True, 0), "avg_pool3d: divisor_override cannot be 0"),
    ("adaptive_avg_pool2d", IMAGE, (0,), "adaptive_avg_pool2d: output_size=.0, 0. must be positive"),
    ("adaptive_avg_pool1d", (1, 2, 0), (1,), "adaptive_avg_pool1d: .* nothing to pool"),
    ("adaptive_max_pool2d", IMAGE, ((1, 2, 3),), "adaptive_max_pool2d: output_size has one int or 2"),
    ("adaptive_max_pool3d", IMAGE[1:], (2,), "adaptive_max_pool3d: x has 3 dimensions"),
    ("unfold", (5, 5), (2,), "unfold4d: x has 2 dimensions"),
    ("unfold", IMAGE, (6,), "unfold4d: the kernel spans 6"),
    ("unfold", IMAGE, (0,), "unfold4d: kernel_size=.0, 0. must be positive"),
    ("unfold", IMAGE, (2, 0), "UnfoldOptions: dilation=.0, 0. must be positive"),
    ("unfold", IMAGE, (2, 1, -1), "UnfoldOptions: padding=.-1, -1. must be zero or more"),
    ("unfold", IMAGE, (2, 1, 0, (1, 0)), "UnfoldOptions: stride=.1, 0. must be positive"),
    ("fold", COLUMNS, ((3, 3), (3, 1)), "fold4d: x has 8 channels .*, which the 3 cells .* do not divide"),
    ("fold", COLUMNS, ((4, 3), 2), "fold4d: x has 4 blocks .* has 6 positions in output_size=.4, 3."),
    ("fold", COLUMNS, ((1, 3), 2), "fold4d: the kernel spans 2"),
    ("fold", COLUMNS, ((0, 3), 1), "fold4d: output_size=.0, 3. must be positive"),
    ("fold", IMAGE, ((4, 4), 2), "fold4d: x has 4 dimensions"),
    ("pixel_shuffle", IMAGE, (3,), r"pixel_shuffle: 3\*\*2 does not divide the 4 channels"),
    ("pixel_shuffle", IMAGE, (0,), "pixel_shuffle: upscale_factor must be positive"),
    ("pixel_shuffle", (4, 4), (2,), "pixel_shuffle: expected"),
    ("pixel_unshuffle", IMAGE, (2,), "pixel_unshuffle: 2 does not divide height and width"),
    ("channel_shuffle", IMAGE, (3,), "channel_shuffle: 3 groups do not divide the 4 channels"),
    ("channel_shuffle", IMAGE, (-1,), "channel_shuffle: groups must be positive"),
    ("channel_shuffle", (4, 4), (2,), "channel_shuffle: expected"),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "shape", "arguments", "message"), REFUSED)
def test_refused(name: str, shape: tuple[int, ...], arguments: Any, message: str, device: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        getattr(F, name)(ag.zeros(*shape, device=device), *arguments)


def test_unfold_of_a_dimension_refuses() -> None:
    x = ag.zeros(2, 3)
    with pytest.raises(ValueError, match="unfold: size=4 must be from 0 to 3, the length of dimension 1"):
        x.unfold(1, 4, 1)
    with pytest.raises(ValueError, match="unfold: step=0 must be positive"):
        x.unfold(0, 1, 0)
    with pytest.raises(ValueError, match="unfold: dim=2 is none of the 2 dimensions"):
        ops.unfold(x, 2, 1, 1)
    with pytest.raises(IndexError, match="unfold"):
        x.unfold(2, 1, 1)


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_that_do_not_fit_are_refused(device: str) -> None:
    x, g = ag.zeros(1, 2, 4, device=device).array, ag.zeros(1, 2, 3, device=device).array
    for name, arguments in [
        ("avg_pool1d", (x, g, 2, 2, 0, True, False)),
        ("adaptive_avg_pool1d", ((1, 1, 4), g)),
        ("unfold", (x, g, 2, 2, 1)),
        ("pad", (x, g, [(1, 1)])),
    ]:
        with pytest.raises(ValueError, match=rf"{name}_backward: the gradient has shape \(1, 2, 3\) but the other"):
            getattr(ops, f"{name}_backward")(*arguments)
    at = ag.zeros(1, 2, 2, dtype=ag.int64, device=device).array
    sizes = (2, 2, 0, 1, False)
    with pytest.raises(ValueError, match=r"max_pool1d_with_indices_backward: output_grad has shape \(1, 2, 3\) and"):
        ops.max_pool1d_with_indices_backward(x, *sizes, g, at)
    for index in (4, -1):
        with pytest.raises(IndexError, match=f"indices: index {index} is out of range for size 4"):
            ops.max_pool1d_with_indices_backward(x, *sizes, g, ag.full((1, 2, 3), index, device=device).array)


def test_sizes_are_ints() -> None:
    x = ag.arange(16.0).reshape(1, 1, 4, 4)
    for size in (np.int64(2), np.array([2, 2]), [2, 2], (2,)):
        assert F.max_pool2d(x, size).shape == F.avg_pool2d(x, size).shape == (1, 1, 2, 2)
        assert F.adaptive_avg_pool2d(x, size if not isinstance(size, tuple) else 2).shape == (1, 1, 2, 2)
        assert F.unfold(x, size).shape == (1, 4, 9)
    for call in (F.max_pool2d, F.avg_pool2d, F.adaptive_avg_pool2d, F.unfold):
        for size in (2.0, "22", (2, 2.0)):
            with pytest.raises(TypeError, match=r"(pool2d|unfold).*: (kernel|output)_size=.* is not an int or a tuple"):
                call(x, size)


@pytest.mark.parametrize("device", DEVICES)
def test_lp_pool_of_infinite_power(device: str) -> None:
    x = ag.tensor([[1.0, -3.0, -2.0, 0.5]], device=device, requires_grad=True)
    y = F.lp_pool1d(x, math.inf, 2)
    assert y.tolist() == [[3.0, 2.0]]
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, -1.0, -1.0, 0.0]]
    assert F.lp_pool1d(x, -math.inf, 2).tolist() == [[1.0, 0.5]]
    with pytest.raises(ValueError, match="lp_pool1d: norm_type=0 has no root"):
        F.lp_pool1d(x, 0, 2)
