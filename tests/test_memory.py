"""What a Tensor's memory is like, windows on it, and Tensors that show their memory in another shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import inplace_methods
from autograd_ops.tape import TapeError


def leaf(values: Any) -> ag.Tensor:
    return ag.tensor(values, dtype=ag.float64, requires_grad=True)


# ---------------------------------------------------------------- how it lies


def test_strides_offsets_and_contiguity() -> None:
    x = ag.arange(24.0).reshape(2, 3, 4)
    assert x.stride() == (12, 4, 1)
    assert x.stride(-2) == 4
    assert x.T.stride() == (1, 4, 12)
    assert x[:, ::2].stride() == (12, 8, 1)
    assert x[1, 1:].storage_offset() == 16
    assert x[1, 1:].reshape(2, 2, 2)[1].storage_offset() == 20
    assert x.storage_offset() == 0
    assert (x.is_contiguous(), x.T.is_contiguous(), x[1].is_contiguous()) == (True, False, True)
    assert x.T.contiguous().stride() == (6, 2, 1)
    assert x.contiguous() is x
    assert x[0].data_ptr() == x.data_ptr()
    assert x[1].data_ptr() - x.data_ptr() == 12 * x.itemsize


def test_channels_last_is_looked_for_and_taken_as_a_wish() -> None:
    x = ag.zeros(2, 3, 4, 5)
    assert not x.is_contiguous(memory_format=ag.channels_last)
    assert x.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2).is_contiguous(memory_format=ag.channels_last)
    assert x.to(memory_format=ag.channels_last, non_blocking=True) is x
    assert x.contiguous(memory_format=ag.channels_last) is x
    assert repr(ag.channels_last) == "autograd_ops.channels_last"


def test_contiguous_is_differentiated() -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    (x.T.contiguous().view(4) * ag.arange(4, dtype=ag.float64)).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 2.0], [1.0, 3.0]]


def test_facts() -> None:
    x = ag.zeros(2, 3)
    assert (x.nbytes, x.itemsize, x.element_size(), x.ndimension(), x.get_device()) == (24, 4, 4, 2, -1)
    assert (x.is_cuda, x.is_cpu, x.is_sparse, x.is_quantized, x.is_meta) == (False, True, False, False, False)
    assert (x.name, x.names, x.layout, x.output_nr) == (None, (None, None), ag.strided, 0)
    assert (x.is_complex(), x.is_signed(), x.bool().is_signed(), x.is_pinned()) == (False, True, False, False)
    assert x.pin_memory() is x.share_memory_() is x
    assert ag.is_nonzero(ag.tensor([2.0]))
    assert x.is_set_to(x.detach())
    assert not x.is_set_to(x.T)
    assert x[0]._base is x
    assert (x._base, x._is_view(), x[0]._is_view()) == (None, False, True)
    x.add_(1)
    assert (x._version, x[0]._version, x.data._version) == (1, 1, 0)


def test_new_ones_of_the_same_kind() -> None:
    x = ag.zeros(2, dtype=ag.float64)
    for made, want in (
        (x.new_zeros(2, 1), [[0.0], [0.0]]),
        (x.new_ones((1, 2)), [[1.0, 1.0]]),
        (x.new_full((2,), 3), [3.0, 3.0]),
        (x.new_tensor([1, 2]), [1.0, 2.0]),
        (x.new([4, 5]), [4.0, 5.0]),
    ):
        assert made.tolist() == want
        assert made.dtype is ag.float64
    assert x.new_zeros(2, dtype=ag.int64).dtype is ag.int64
    assert x.new_ones(2, requires_grad=True).is_leaf
    assert (x.new_empty(3, 2).shape, x.new(3, 2).shape, x.new().shape) == ((3, 2), (3, 2), (0,))
    with pytest.raises(TypeError, match="new_zeros: unexpected keyword argument 'dtyp'"):
        x.new_zeros(2, dtyp=ag.int64)


# ---------------------------------------------------------------- windows


def test_as_strided_is_a_window_on_the_whole_memory() -> None:
    base = ag.arange(12.0).reshape(3, 4)
    seen = base.as_strided((2, 2), (5, 1), 1)
    assert seen.tolist() == [[1.0, 2.0], [6.0, 7.0]]
    assert base[1].as_strided((2,), (4,)).tolist() == [4.0, 8.0]
    assert base.T.as_strided((3,), (1,)).tolist() == [0.0, 1.0, 2.0]
    seen.zero_()
    assert base.tolist() == [[0.0, 0.0, 0.0, 3.0], [4.0, 5.0, 0.0, 0.0], [8.0, 9.0, 10.0, 11.0]]


def test_as_strided_adds_up_the_gradients_of_what_it_shows_twice() -> None:
    x = leaf(np.arange(5.0))
    y = x * 1.0
    windows = ag.as_strided(y, (3, 3), (1, 1))
    (windows * windows).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 4.0, 12.0, 12.0, 8.0]  # 2 x, once for each window
    assert ag.autograd.gradgradcheck(lambda x: ag.as_strided(x * x, (2, 2), (2, 1)).prod(), leaf([0.5, 1.5, -1.0, 2.0]))


def test_a_change_through_as_strided_is_recorded() -> None:
    x, w = leaf(np.arange(4.0)), leaf([3.0, 5.0])
    y = x * 1.0
    y.as_strided((2,), (2,), 1).copy_(w)
    (y * ag.tensor([1.0, 2.0, 3.0, 4.0], dtype=ag.float64)).sum().backward()
    assert x.grad is not None
    assert w.grad is not None
    assert y.tolist() == [0.0, 3.0, 2.0, 5.0]
    assert (x.grad.tolist(), w.grad.tolist()) == ([1.0, 0.0, 3.0, 0.0], [2.0, 4.0])


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("the window goes from element 0 to 6 of memory that has 6", ((2,), (6,))),
        ("1 lengths but 2 strides", ((2,), (1, 1))),
        ("may not be negative", ((2,), (-1,), 3)),
    ],
)
def test_as_strided_refuses(message: str, arguments: Any) -> None:
    with pytest.raises(ValueError, match=f"as_strided: .*{message}"):
        ag.arange(6.0).as_strided(*arguments)
    with pytest.raises(ValueError, match="as_strided: the memory of this tensor has gaps"):
        ag.from_numpy(np.arange(6.0)[::2]).as_strided((1,), (1,))


def test_windows_of_unfold_are_views() -> None:
    x = leaf(np.arange(6.0))
    y = x * 1.0
    apart = y.unfold(0, 2, 3)
    apart.mul_(10.0)
    assert y.tolist() == [0.0, 10.0, 2.0, 30.0, 40.0, 5.0]
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [10.0, 10.0, 1.0, 10.0, 10.0, 1.0]
    with pytest.raises(ValueError, match="one element stands for many"):
        y.unfold(0, 2, 1).mul_(2.0)


def test_a_diagonal_of_what_is_not_contiguous_is_a_view() -> None:
    base = ag.arange(6.0).reshape(2, 3)
    base.T.diagonal(-1).fill_(9.0)
    assert base.tolist() == [[0.0, 9.0, 2.0], [3.0, 4.0, 9.0]]


def test_memory_read_as_another_dtype() -> None:
    x = ag.tensor([1.0, -2.0])
    bits = x.view(ag.int32)
    assert bits.tolist() == [0x3F800000, -0x40000000]
    bits.zero_()
    assert x.tolist() == [0.0, 0.0]
    assert ag.zeros(2, 4, dtype=ag.float32).view(ag.float64).shape == (2, 2)
    with pytest.raises(ValueError, match=r"the last dimension of a float32 tensor .* cannot be read as float64"):
        ag.zeros(2, 3).view(ag.float64)


# ---------------------------------------------------------------- itself, shaped differently


@pytest.mark.parametrize(
    ("change", "like"),
    [
        (lambda x: x.t_(), lambda x: x.t()),
        (lambda x: x.transpose_(0, 1), lambda x: x.transpose(0, 1)),
        (lambda x: x.swapaxes_(0, -1), lambda x: x.swapaxes(0, -1)),
        (lambda x: x.unsqueeze_(1), lambda x: x.unsqueeze(1)),
        (lambda x: x.unsqueeze_(0).squeeze_(0), lambda x: x),
        (lambda x: x.as_strided_((2, 2), (3, 1)), lambda x: x[:, :2]),
    ],
)
def test_a_tensor_that_changes_its_shape_keeps_memory_views_and_tape(change: Any, like: Any) -> None:
    x, w = leaf(np.arange(6.0).reshape(2, 3)), leaf(7.0)
    y, other = x * 1.0, x * 1.0
    row = y[0]
    assert change(y) is y
    assert y.tolist() == like(other).tolist()
    assert not y._is_view()
    assert not y.is_leaf
    row.fill_(w)
    other[0] = 7.0
    assert y.tolist() == like(other).tolist()
    y.sum().backward()
    like(other).sum().backward()
    assert x.grad is not None
    assert w.grad is not None
    expected = ag.autograd.grad(like(leaf(np.zeros((2, 3))) * 1.0).sum(), leaf(0.0), allow_unused=True)
    assert expected == (None,)
    assert w.grad.item() == like(ag.tensor([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])).sum().item()


def test_a_leaf_changes_its_shape_under_no_grad_only() -> None:
    w = leaf([[1.0, 2.0, 3.0]])
    with pytest.raises(TapeError, match=r"t_: this is a leaf that requires grad"):
        w.t_()
    with ag.no_grad():
        w.t_()
    (w * w).sum().backward()
    assert w.grad is not None
    assert w.is_leaf
    assert w.grad.tolist() == [[2.0], [4.0], [6.0]]


def test_resize_and_set() -> None:
    x = ag.arange(6.0)
    assert x.resize_(2, 2) is x
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert x.resize_(3, 3).shape == (3, 3)
    assert x.reshape(9)[:4].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert x.resize_as_(ag.zeros(2)).tolist() == [0.0, 1.0]
    y = ag.zeros(2)
    x.set_(y)
    x.add_(1.0)
    assert y.tolist() == [1.0, 1.0]
    assert x.set_().shape == (0,)
    for refused in (lambda: leaf([1.0]).resize_(2), lambda: leaf([1.0]).set_(y)):
        with pytest.raises(TapeError, match="a tensor that requires grad"):
            refused()


def test_detach_in_place() -> None:
    y = leaf([1.0, 2.0]) * 2.0
    assert y.detach_() is y
    assert y.is_leaf
    assert not y.requires_grad
    with pytest.raises(TapeError, match=r"detach_: a view cannot be taken off the tape alone; use detach\(\)"):
        (leaf([1.0, 2.0]) * 2.0)[0].detach_()


# ---------------------------------------------------------------- changes without a form out of place


def test_fill_diagonal() -> None:
    assert ag.zeros(3, 2).fill_diagonal_(5).tolist() == [[5.0, 0.0], [0.0, 5.0], [0.0, 0.0]]
    wrapped = ag.zeros(5, 2).fill_diagonal_(1, wrap=True)
    assert wrapped.tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    cube = ag.zeros(2, 2, 2).fill_diagonal_(1)
    assert cube.tolist() == [[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    (x * 3.0).fill_diagonal_(0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [[0.0, 3.0], [3.0, 0.0]]
    for shape in ((3,), (2, 2, 3)):
        with pytest.raises(ValueError, match="fill_diagonal_: expected a matrix"):
            ag.zeros(*shape).fill_diagonal_(1)


def test_by_functions_of_numbers() -> None:
    x = ag.tensor([[1, 2], [3, 4]])
    assert x.apply_(lambda v: v * v).tolist() == [[1, 4], [9, 16]]
    assert x.map_(ag.ones(2, 2, dtype=ag.int64), lambda a, b: a - b).tolist() == [[0, 3], [8, 15]]
    assert x.map2_(x, x, lambda a, b, c: a + b + c).tolist() == [[0, 9], [24, 45]]
    with pytest.raises(TapeError, match="apply_: a tensor that requires grad"):
        leaf([1.0]).apply_(abs)
    with pytest.raises(ValueError, match=r"map_: shapes \(2, 2\) and \(2,\) differ"):
        x.map_(ag.zeros(2), max)


# ---------------------------------------------------------------- the table of in-place methods


def test_in_place_methods_are_those_whose_function_is_there() -> None:
    for name in inplace_methods.IN_PLACE:
        assert getattr(ag.Tensor, f"{name}_").__wrapped__ is getattr(ag.Tensor, name)
    assert ag.Tensor.exp_.__name__ == "exp_"


@pytest.mark.parametrize("name", ["cos", "acos", "expm1", "log2", "erf", "logical_not", "square", "asinh"])
def test_in_place_methods_write_what_their_function_gives(name: str) -> None:
    x = ag.tensor([0.25, 0.5], dtype=ag.float64)
    array, want = x.array, getattr(x, name)().to(ag.float64).tolist()
    assert getattr(x, f"{name}_")() is x
    assert x.array is array
    assert x.tolist() == want


def test_in_place_comparisons_sums_and_functions_of_the_package() -> None:
    assert ag.tensor([1.0, 3.0]).eq_(3).tolist() == [0.0, 1.0]
    assert ag.tensor([1.0, 3.0]).cumsum_(0).tolist() == [1.0, 4.0]
    assert ag.tensor([5, 7]).bitwise_and_(3).tolist() == [1, 3]
    assert ag.tensor([5, 7], dtype=ag.uint8).add_(ag.tensor([1, 2])).tolist() == [6, 9]
    x = ag.tensor([-1.0, 4.0])
    assert ag.relu_(x) is x
    assert ag.zero_(ag.sqrt_(x)) is x
    assert x.tolist() == [0.0, 0.0]
