"""Tensors among NumPy's functions, other array libraries, and Python's own protocols."""

from __future__ import annotations

import copy
import math
import multiprocessing
import pickle
from typing import Any

import array_api_strict
import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, optim
from autograd_ops.interop import numpy_calls, pickling
from autograd_ops.utils.data import DataLoader, TensorDataset

from .cuda_stand_in import stand_in

DEVICES = ["cpu", "strict:device1"]


def x(*, device: str = "cpu", requires_grad: bool = False) -> ag.Tensor:
    return ag.tensor([0.5, 1.0, 2.0], dtype=ag.float64, device=device, requires_grad=requires_grad)


A = np.array([0.5, 1.0, 2.0])

# ---------------------------------------------------------------- NumPy's functions


def near(ours: Any, theirs: Any) -> None:
    assert isinstance(ours, ag.Tensor)
    np.testing.assert_allclose(ours.detach().numpy(), theirs, rtol=1e-12)


#: Of those that take neither one float array nor two: what they take.
ODD = {
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"), (A.astype(int),) * 2),
    **dict.fromkeys(("left_shift", "right_shift"), (A.astype(int),) * 2),
    "invert": (A.astype(int),),
    "ldexp": (A, A.astype(int)),
    "arccosh": (A + 1,),
    "arcsin": (A / 2,),
    "arccos": (A / 2,),
    "arctanh": (A / 3,),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", numpy_calls.UFUNCS)
def test_every_ufunc_of_the_table(name: str, device: str) -> None:
    ufunc = getattr(np, name)
    arrays = ODD.get(name, (A, A + 1)[: ufunc.nin])
    tensors = [ag.tensor(a, device=device) for a in arrays]
    result = ufunc(*tensors)
    assert result.device == device
    near(result, ufunc(*arrays))
    if device == "cpu" and ufunc.nin == 2:
        near(ufunc(arrays[0], tensors[1]), ufunc(*arrays))
        near(ufunc(tensors[0], arrays[1].tolist()), ufunc(*arrays))


def test_ufuncs_are_recorded() -> None:
    leaf = x(requires_grad=True)
    np.multiply(A, np.sin(leaf)).sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), A * np.cos(A))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: np.sum(t),
        lambda t: np.mean(t, axis=0, keepdims=True),
        lambda t: np.var(t),
        lambda t: np.std(t, ddof=1),
        lambda t: np.prod(t),
        lambda t: np.max(t),
        lambda t: np.amin(t, 0),
        lambda t: np.argmax(t),
        lambda t: np.all(t),
        lambda t: np.cumsum(t),
        lambda t: np.cumprod(t, axis=0),
        lambda t: np.concatenate([t, A]),
        lambda t: np.stack([A, t], axis=1),
        lambda t: np.vstack((t, t)),
        lambda t: np.hstack((t, A)),
        lambda t: np.where(A > 0.7, t, 0.0),
        lambda t: np.clip(t, 0.7, 1.5),
        lambda t: np.round(t, 1),
        lambda t: np.reshape(t, (3, 1)),
        lambda t: np.transpose(np.reshape(t, (3, 1))),
        lambda t: np.swapaxes(np.expand_dims(t, 0), 0, 1),
        lambda t: np.moveaxis(np.expand_dims(t, 0), 0, 1),
        lambda t: np.squeeze(np.expand_dims(t, 0)),
        lambda t: np.broadcast_to(t, (2, 3)),
        lambda t: np.flip(t),
        lambda t: np.roll(t, 1),
        lambda t: np.ravel(t),
        lambda t: np.dot(t, t),
        lambda t: np.outer(t, t),
        lambda t: np.einsum("i,i->", t, A),
        lambda t: np.zeros_like(t),
        lambda t: np.full_like(t, 3),
    ],
)
def test_functions_of_the_table(call: Any) -> None:
    near(call(x()), call(A))
    near(call(x(requires_grad=True)), call(A))


def test_shapes_are_no_tensors() -> None:
    leaf = x(requires_grad=True)
    assert (np.shape(leaf), np.ndim(leaf), np.size(leaf)) == ((3,), 1, 3)


def test_means_of_integers_are_floats_as_numpy_s() -> None:
    assert np.mean(ag.tensor([1, 2])).item() == 1.5


def test_what_is_not_in_the_tables_runs_without_gradients() -> None:
    near(np.cbrt(x()), np.cbrt(A))
    near(np.add.reduce(x()), A.sum())
    near(np.exp(x(), dtype=np.float64), np.exp(A))
    assert [type(part) for part in np.modf(x())] == [ag.Tensor] * 2
    assert np.cbrt(x(device="strict")).device == "strict"
    assert np.array_equal(x(), A)
    assert np.allclose([1.0], ag.ones(1))
    assert np.percentile(x(), 50) == 1.0
    assert np.unique(x()).tolist() == A.tolist()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda t: np.cbrt(t), r"numpy\.cbrt: .* give NumPy x\.detach\(\)\.numpy\(\)"),
        (lambda t: np.sin(t, dtype=np.float32), r"numpy\.sin: .*call autograd_ops\.sin, or give NumPy"),
        (lambda t: np.add.reduce(t), r"numpy\.add\.reduce: .*would not be recorded"),
        (lambda t: np.percentile(t, 50), r"numpy\.percentile: .*would not be recorded"),
        (lambda t: np.linalg.norm(t), r"numpy\.norm: .*call autograd_ops\.norm, or"),
        (lambda t: np.array_equal(A, t), r"numpy\.array_equal: "),
        (lambda t: np.add(A, t, out=A.copy()), r"assign the result, as in a = numpy\.add\(a, x\), or give NumPy"),
    ],
)
def test_what_is_not_recorded_says_what_to_do(call: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        call(x(requires_grad=True))


def test_numpy_does_not_write_into_tensors() -> None:
    for write in (lambda: np.add(A, A, out=x()), lambda: np.add.at(x(), [0], 1.0)):
        with pytest.raises(TypeError, match="cannot write into a Tensor"):
            write()


def test_operators_with_an_array_on_the_left() -> None:
    leaf = x(requires_grad=True)
    for result, expected in [
        (A * leaf, A * A),
        (A - leaf, A - A),
        (A @ leaf, A @ A),
        (A**leaf, A**A),
        (np.float64(2) * leaf, 2 * A),
        (np.float32(2) * leaf, 2 * A),
    ]:
        near(result, expected)
        assert result.requires_grad
    half = ag.ones(2, dtype=ag.bfloat16)
    assert (half.array * half).dtype is ag.bfloat16
    assert (x() == A).all()
    assert (x() + 1 > A).all()
    a = A.copy()
    a += x()
    assert type(a) is np.ndarray
    assert a.tolist() == (2 * A).tolist()
    with pytest.raises(TypeError, match="assign the result"):
        a += leaf


# ---------------------------------------------------------------- to and from NumPy


def test_array_copies_when_asked() -> None:
    t = x()
    assert np.asarray(t) is t.array
    assert np.asarray(t, copy=False) is t.array
    assert not np.shares_memory(np.array(t), t.array)
    assert np.asarray(t, dtype=np.float32).dtype == np.float32
    for make in (lambda: np.asarray(t, np.float32, copy=False), lambda: np.asarray(x(device="strict"), copy=False)):
        with pytest.raises(ValueError, match=r"cannot become an array of .* without a copy"):
            make()
    assert np.array([t, t]).shape == (2, 3)
    np.testing.assert_allclose(t, A)
    leaf = x(requires_grad=True)
    for refused in (np.asarray, lambda t: np.array([t, t]), lambda t: np.testing.assert_allclose(t, A)):
        with pytest.raises(ag.TapeError, match=r"this tensor requires grad; use x\.detach\(\)\.numpy\(\)"):
            refused(leaf)
    assert leaf.numpy(force=True) is leaf.array


class Counted(np.ndarray):
    """A subclass, whose operators might be anything."""


def test_arrays_that_can_and_cannot_be_tensors() -> None:
    a = np.arange(3.0)
    assert ag.from_numpy(a).array is a
    assert ag.from_numpy(a[::-1]).tolist() == [2.0, 1.0, 0.0]
    assert type(ag.from_numpy(a.view(Counted)).array) is np.ndarray
    for odd in (np.array(["a"]), np.array([None]), np.array(["2020"], "M8[Y]"), np.ones(1, "i4,i4")):
        for function in (ag.from_numpy, ag.tensor, ag.as_tensor, ag.asarray):
            with pytest.raises(TypeError, match=f"{function.__name__}: an array of .* cannot be a Tensor"):
                function(odd)
    swapped = a.astype(a.dtype.newbyteorder())
    with pytest.raises(ValueError, match=r"bytes are in the other order .* use tensor\(array\)"):
        ag.from_numpy(swapped)
    assert ag.tensor(swapped).array.dtype.isnative
    a.flags.writeable = False
    fixed = ag.from_numpy(a)
    assert (fixed + 1).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match=r"this memory is read-only.*clone\(\)"):
        fixed.add_(1)


def test_asarray() -> None:
    a = np.arange(3.0)
    assert ag.asarray(a).array is a
    assert ag.asarray(a, copy=True).array is not a
    assert ag.asarray(a, dtype=ag.float32).dtype is ag.float32
    leaf = x(requires_grad=True)
    assert ag.asarray(leaf) is leaf
    assert ag.asarray(leaf, copy=True).grad_fn is not None
    assert ag.asarray(a, requires_grad=True).is_leaf
    assert ag.asarray([1, 2.0], requires_grad=True).requires_grad
    assert ag.asarray(b"ab", dtype=ag.uint8).tolist() == [97, 98]
    assert ag.asarray(array_api_strict.ones(2)).device == "strict"
    for call in (lambda: ag.asarray([1], copy=False), lambda: ag.asarray(a, dtype=ag.int64, copy=False)):
        with pytest.raises(ValueError, match=r"asarray: .*leave copy out"):
            call()


def test_frombuffer() -> None:
    buffer = bytearray(np.arange(4, dtype="i4").tobytes())
    t = ag.frombuffer(buffer, dtype=ag.int32, count=2, offset=4)
    assert t.tolist() == [1, 2]
    t.fill_(7)
    assert np.frombuffer(buffer, "i4").tolist() == [0, 7, 7, 3]
    assert ag.frombuffer(b"\0\1", dtype=ag.bool).tolist() == [False, True]
    assert ag.frombuffer(bytes(8), dtype=ag.float64, requires_grad=True).requires_grad
    for arguments, says in [
        ({"buffer": b""}, "the buffer is empty"),
        ({"buffer": bytes(5)}, "5 bytes after the offset are no whole number of 4"),
        ({"buffer": bytes(8), "count": 3}, "3 elements of 4 bytes are more than the 8"),
        ({"buffer": bytes(8), "count": 0}, "count is at least 1"),
        ({"buffer": bytes(8), "offset": 8}, "offset 8 is not within"),
    ]:
        with pytest.raises(ValueError, match=f"frombuffer: .*{says}"):
            ag.frombuffer(dtype=ag.int32, **arguments)
    with pytest.raises(TypeError, match="frombuffer: str is no buffer"):
        ag.frombuffer("abc", dtype=ag.uint8)


def test_older_constructors() -> None:
    assert ag.Tensor(2, 3).shape == ag.FloatTensor(2, 3).shape == ag.FloatTensor(ag.Size([2, 3])).shape == (2, 3)
    assert ag.Tensor(3).shape == (3,)
    assert ag.Tensor().shape == ag.LongTensor().shape == (0,)
    assert ag.Tensor([1, 2]).dtype is ag.float32
    for word, dtype in {
        "Double": ag.float64,
        "Long": ag.int64,
        "Int": ag.int32,
        "Byte": ag.uint8,
        "Bool": ag.bool,
    }.items():
        constructor = getattr(ag, f"{word}Tensor")
        made = constructor([0, 1])
        assert made.dtype is dtype
        assert isinstance(made, constructor)
        assert not isinstance(made, ag.ShortTensor)
        assert ag.ones(1).type(constructor).dtype is dtype
        assert constructor(A).tolist() == A.astype(dtype.name).tolist()
    assert repr(ag.LongTensor) == "autograd_ops.LongTensor"
    for call in (
        lambda: ag.FloatTensor(2.5),
        lambda: ag.Tensor(2, [3]),
        lambda: ag.Tensor(-1),
        lambda: ag.LongTensor(1, "a"),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_a_gpu_without_a_gpu() -> None:
    with stand_in():
        t = ag.cuda.FloatTensor([1.0, 2.0])
        assert t.device == "cuda:0"
        assert np.array(t).tolist() == [1.0, 2.0]
        with pytest.raises(ValueError, match="without a copy"):
            np.asarray(t, copy=False)
        assert np.sqrt(t).device == np.cbrt(t).device == "cuda:0"
        for copied in (copy.deepcopy, pickled, copy.copy):
            one, two = copied((t, t.detach()))
            assert one.device == two.device == "cuda:0"
            assert one.tolist() == [1.0, 2.0]


# ---------------------------------------------------------------- DLPack


def test_dlpack_shares_memory() -> None:
    a = np.zeros(2)
    t = ag.from_dlpack(a)
    t += 1
    assert a.tolist() == [1.0, 1.0]
    back = np.from_dlpack(t)
    back[0] = 5
    assert t.tolist() == [5.0, 1.0]
    assert t.__dlpack_device__() == (1, 0)
    again = ag.utils.dlpack.from_dlpack(ag.utils.dlpack.to_dlpack(t))
    again.zero_()
    assert a.tolist() == [0.0, 0.0]
    assert ag.from_dlpack(np.array([True, False])).dtype is ag.bool
    assert ag.from_dlpack(a, copy=True).array is not a
    assert ag.from_dlpack(np.arange(6)[::2]).tolist() == [0, 2, 4]


def test_dlpack_with_another_library() -> None:
    strict = array_api_strict.asarray([1.0, 2.0])
    assert ag.from_dlpack(strict).device == "strict"
    assert ag.from_dlpack(strict, device="cpu").device == "cpu"
    with pytest.raises(ValueError, match="cannot be reached without a copy"):
        ag.from_dlpack(strict, device="cpu", copy=False)
    assert np.from_dlpack(ag.ones(2, device="strict")).tolist() == [1.0, 1.0]
    assert array_api_strict.from_dlpack(ag.ones(2)).shape == (2,)


class Elsewhere:
    def __dlpack__(self, **options: Any) -> Any:
        raise AssertionError("it is not asked")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 8, 0


def test_dlpack_refusals() -> None:
    for refused in (ag.from_dlpack, np.from_dlpack, ag.to_dlpack):
        with pytest.raises(BufferError, match=r"requires grad.*use detach\(\)"):
            refused(x(requires_grad=True))
    fixed = ag.from_numpy(np.frombuffer(b"ab", np.uint8))
    assert np.from_dlpack(fixed).tolist() == [97, 98]
    with pytest.raises(BufferError, match=r"the array's library does not share it: .*readonly"):
        fixed.__dlpack__()
    with pytest.raises(TypeError, match="a list does not offer DLPack"):
        ag.from_dlpack([1.0])
    with pytest.raises(ag.DeviceError, match="no backend here reaches devices of DLPack's kind 8"):
        ag.from_dlpack(Elsewhere())


# ---------------------------------------------------------------- Python


def test_python_s_own_functions() -> None:
    t = ag.tensor([3.0, 1.0, 2.0])
    assert math.sqrt(ag.tensor(4.0)) == 2.0
    assert list(range(ag.tensor(3))) == [0, 1, 2]
    assert [10, 20][ag.tensor(1)] == 20
    assert (int(ag.tensor(3.7)), float(ag.tensor(2)), complex(ag.tensor(1j))) == (3, 2.0, 1j)
    assert round(ag.tensor([1.26, -1.5])).tolist() == [1.0, -2.0]
    assert round(ag.tensor(1.26, dtype=ag.float64), 1).item() == 1.3
    assert [part.tolist() for part in divmod(t, 2)] == [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    assert [part.tolist() for part in divmod(7, t)] == [[2.0, 7.0, 3.0], [1.0, 0.0, 1.0]]
    assert reversed(t).tolist() == [2.0, 1.0, 3.0]
    assert sum([t, t]).tolist() == [6.0, 2.0, 4.0]
    assert (max(t).item(), min(t).item(), len(t), 2.0 in t) == (3.0, 1.0, 3, True)
    assert {t: 1}[t] == 1
    assert f"{ag.tensor(2.5):.2f} {t}" == "2.50 tensor([3., 1., 2.])"
    with pytest.raises(TypeError, match=r"of shape \(3,\) cannot be formatted with '.2f'"):
        f"{t:.2f}"


# ---------------------------------------------------------------- copies and pickles


def pickled(obj: Any) -> Any:
    return pickle.loads(pickle.dumps(obj))


COPIES = pytest.mark.parametrize("copied", [copy.deepcopy, pickled], ids=["deepcopy", "pickle"])


@COPIES
def test_views_stay_views(copied: Any) -> None:
    w = ag.arange(12.0).reshape(3, 4)
    tensors = {"w": w, "t": w.T, "part": w[1:, ::2], "one": ag.ones(1).expand(5), "empty": ag.ones(0, 3)}
    made = copied(tensors)
    assert {name: t.tolist() for name, t in made.items()} == {name: t.tolist() for name, t in tensors.items()}
    made["part"].zero_()
    assert made["w"].sum().item() == w.sum().item() - w[1:, ::2].sum().item()
    assert made["t"].T.tolist() == made["w"].tolist()
    leaf = ag.ones(3, 4, requires_grad=True)
    product = leaf * made["w"]
    made["t"].add_(1)
    with pytest.raises(ag.TapeError, match="has since changed it in place"):
        product.sum().backward()
    assert not pickling._memories


@COPIES
@pytest.mark.parametrize("device", DEVICES)
def test_tied_tensors_stay_tied(copied: Any, device: str) -> None:
    t = ag.ones(2, device=device)
    one, two = copied([t, t.detach()])
    assert one is not two
    assert one.device == device
    one.zero_()
    assert two.tolist() == [0.0, 0.0]
    assert t.tolist() == [1.0, 1.0]


@COPIES
def test_bfloat16_views(copied: Any) -> None:
    t = ag.tensor([1.0, 2.0], dtype=ag.bfloat16)
    one, two = copied([t, t[1:]])
    one.zero_()
    assert (two.dtype, two.tolist()) == (ag.bfloat16, [0.0])
    assert np.shares_memory(np.asarray(t, copy=False), t.array)


def test_what_a_copy_keeps() -> None:
    p = nn.Parameter(ag.ones(2))
    (p * 3).sum().backward()
    deep, other, shallow = copy.deepcopy(p), pickled(p), copy.copy(p)
    assert [type(q) for q in (deep, other, shallow)] == [nn.Parameter] * 3
    assert all(q.requires_grad for q in (deep, other, shallow))
    assert deep.grad.tolist() == [3.0, 3.0]
    assert deep.grad is not p.grad
    assert other.grad is None
    assert shallow.grad is None
    assert shallow.array is p.array


class Named(ag.Tensor):
    label: str


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled, copy.copy])
def test_attributes_of_a_subclass(copied: Any) -> None:
    t = Named(ag.ones(2))
    t.label = "x"
    assert type(copied(t)) is Named
    assert copied(t).label == "x"


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled, copy.copy])
def test_what_an_op_made_is_not_copied(copied: Any) -> None:
    with pytest.raises(ag.TapeError, match=r"made by a recorded op.*its detach\(\)"):
        copied(x(requires_grad=True) * 2)


@COPIES
def test_training_parts_go_together(copied: Any) -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.LSTM(3, 3), nn.BatchNorm1d(3))
    optimizer = optim.Adam(net.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.StepLR(optimizer, 2)
    sum(p.sum() for p in net.parameters()).backward()
    optimizer.step()
    new_net, new_optimizer, new_schedule = copied((net, optimizer, schedule))
    assert new_optimizer.param_groups[0]["params"][0] is new_net[0].weight is new_net[0]._parameters["weight"]
    assert new_schedule.optimizer is new_optimizer
    state = new_optimizer.state[new_net[0].weight]
    assert state["exp_avg"].tolist() == optimizer.state[net[0].weight]["exp_avg"].tolist()
    assert list(new_net.state_dict()) == list(net.state_dict())


@COPIES
def test_generators_and_loaders(copied: Any) -> None:
    g = ag.Generator().manual_seed(3)
    ag.rand(2, generator=g)
    assert ag.rand(2, generator=copied(g)).tolist() == ag.rand(2, generator=g).tolist()
    loader = DataLoader(TensorDataset(ag.arange(6.0)), 2, shuffle=True, generator=ag.Generator().manual_seed(1))
    assert [b.tolist() for (b,) in copied(loader)] == [b.tolist() for (b,) in loader]


def double(t: ag.Tensor) -> ag.Tensor:
    return t * 2


def test_tensors_go_to_other_processes() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(double, (ag.ones(3),)).tolist() == [2.0, 2.0, 2.0]
