"""Saving and loading."""

import io
import json
import math
import os
import pickle
import struct
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import safetensors
import safetensors.numpy

import autograd_ops as ag
from autograd_ops import serialization


def round_trip(obj, **options):
    file = io.BytesIO()
    ag.save(obj, file)
    file.seek(0)
    return ag.load(file, **options)


def same(a, b):
    """Whether a and b are of the same structure, types and values."""
    if isinstance(a, ag.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a.numpy(), b.numpy(), equal_nan=True)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return (
            list(a) == list(b)
            and all(type(p) is type(q) for p, q in zip(a, b, strict=True))
            and all(same(a[key], b[key]) for key in a)
        )
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b)
    return a == b


def written(entries, about):
    """A file with the metadata that `save` writes, made by hand."""
    return safetensors.numpy.save(entries, {"autograd_ops": json.dumps(about)})


# ---------------------------------------------------------------- what comes back


@pytest.mark.parametrize(
    "obj",
    [
        None,
        True,
        3,
        2**80,
        -0.0,
        float("inf"),
        float("-inf"),
        1e-310,
        1 + 2j,
        complex(-0.0, float("inf")),
        "",
        'quote " and \n and é and \ud800',
        [],
        (),
        {},
        [1, [2.5, (3, None)], {"a": [{}]}],
        {1: "int", "1": "str", -5: {"b": ()}},
        {"tensor": 1, "dict": [], "tuple": (), "float": "nan"},
        ({"version": 1}, ["tree"]),
    ],
    ids=repr,
)
def test_what_is_around_tensors(obj):
    assert same(round_trip(obj), obj)


def test_nan():
    assert math.isnan(round_trip(float("nan")))


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)])
@pytest.mark.parametrize(
    "dtype",
    [
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    ],
)
def test_dtypes_and_shapes(dtype, shape):
    count = math.prod(shape)
    values = (np.arange(count) * (1 - 2j if dtype.startswith("complex") else 1)).astype(dtype).reshape(shape)
    x = ag.tensor(values)
    assert same(round_trip({"x": x})["x"], x)


def test_special_values():
    x = ag.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e-45])
    back = round_trip(x)
    assert back.numpy().tobytes() == x.numpy().tobytes()
    z = ag.tensor(np.array([complex(float("inf"), -0.0), complex(float("nan"), 1)]))
    assert round_trip(z).numpy().tobytes() == z.numpy().tobytes()


def test_tensors_that_are_not_contiguous_or_share_memory():
    x = ag.arange(12, dtype=ag.float32).reshape(3, 4)
    obj = {"t": x.T, "column": x[:, 1], "step": x[::2], "one": x[1, 2], "again": x, "x": x}
    obj["stretched"] = ag.ones(1).expand(5)
    back = round_trip(obj)
    assert same(back, obj)
    assert back["again"] is back["x"]
    back["t"].zero_()  # a part of x, or x in another order, is written in full
    assert same(back["x"], x)


def test_tied_weights_stay_tied():
    one, two = ag.nn.Linear(3, 3, bias=False), ag.nn.Linear(3, 3, bias=False)
    two.weight = one.weight
    net = ag.nn.Sequential(one, two)
    file = io.BytesIO()
    ag.save(net.state_dict(), file)
    assert len(safetensors.numpy.load(file.getvalue())) == 1
    back = ag.load(io.BytesIO(file.getvalue()))
    assert list(back) == ["0.weight", "1.weight"]
    back["0.weight"].zero_()
    assert not back["1.weight"].any()
    parameter, plain = round_trip([one.weight, one.weight.detach()])
    plain.zero_()
    assert not parameter.any()


def test_foreign_byte_order():
    x = ag.Tensor(np.array([1.0, 2.0], dtype=">f4"))
    assert round_trip(x).tolist() == [1.0, 2.0]


def test_parameters_and_leaves_come_back_as_such():
    leaf, frozen = ag.ones(2, requires_grad=True), ag.nn.Parameter(ag.ones(2), requires_grad=False)
    back = round_trip([ag.nn.Parameter(ag.ones(2)), frozen, leaf, leaf * 2, ag.ones(2)])
    assert [type(x) for x in back] == [ag.nn.Parameter] * 2 + [ag.Tensor] * 3
    assert [x.requires_grad for x in back] == [True, False, True, False, False]
    assert all(x.is_leaf for x in back)


def test_subclasses_come_back_as_the_plain_type():
    point = namedtuple("point", "x y")
    obj = [OrderedDict(b=1, a=2), ag.zeros(2, 3).shape, point(1, 2), np.float64(0.5), ag.device("cpu")]
    assert same(round_trip(obj), [{"b": 1, "a": 2}, (2, 3), (1, 2), 0.5, "cpu"])


def test_what_is_loaded_can_be_changed():
    x = round_trip(ag.zeros(2))
    x += 1
    assert x.tolist() == [1.0, 1.0]


def test_names_that_clash():
    one, two, three = ag.tensor(1.0), ag.tensor(2.0), ag.tensor(3.0)
    obj = {"a": {"b": one}, "a.b": two, "a.b#2": three, "__metadata__": one, "": two, 1: one, "1": two}
    assert same(round_trip(obj), obj)


def test_training_goes_on_from_a_file(tmp_path):
    def step(model, optimizer):
        optimizer.zero_grad()
        (model(ag.ones(3, 4)) ** 2).sum().backward()
        optimizer.step()

    model = ag.nn.Linear(4, 2)
    optimizer = ag.optim.Adam(model.parameters(), lr=0.1)
    scheduler = ag.optim.lr_scheduler.MultiStepLR(optimizer, [1, 2])
    step(model, optimizer)
    scheduler.step()
    file = tmp_path / "run"
    ag.save([model.state_dict(), optimizer.state_dict(), scheduler.state_dict()], file)
    other = ag.nn.Linear(4, 2)
    going_on = ag.optim.Adam(other.parameters(), lr=0.5)
    schedule = ag.optim.lr_scheduler.MultiStepLR(going_on, [1, 2])
    for part, state in zip((other, going_on, schedule), ag.load(file), strict=True):
        part.load_state_dict(state)
    for pair in ((model, optimizer, scheduler), (other, going_on, schedule)):
        pair[2].step()
        step(*pair[:2])
    assert other.weight.tolist() == model.weight.tolist()


# ---------------------------------------------------------------- devices


def test_map_location():
    file = io.BytesIO()
    ag.save({"x": ag.ones(2, device="strict:device1"), "z": ag.tensor([1j], device="strict")}, file)
    for where in (None, "cpu", "strict:device2"):
        file.seek(0)
        back = ag.load(file, map_location=where)
        assert back["x"].device == back["z"].device == (where or "cpu")
        assert back["x"].tolist() == [1.0, 1.0]
        assert back["z"].tolist() == [1j]


def test_bad_map_location(tmp_path):
    with pytest.raises(ag.DeviceError, match="unknown device 'gpu'"):
        ag.load(tmp_path / "missing", map_location="gpu")
    with pytest.raises(TypeError, match="map_location is a device string, a dict of them, a function or None"):
        ag.load(tmp_path / "missing", map_location=7)


# ---------------------------------------------------------------- other readers and writers


def test_file_is_a_safetensors_file(tmp_path):
    file = tmp_path / "model.safetensors"
    ag.save({"model": {"0.weight": ag.ones(2, 2), "bias": ag.zeros(())}, "epoch": 3, "l": [ag.ones(1)]}, file)
    entries = safetensors.numpy.load_file(file)
    assert {name: array.shape for name, array in entries.items()} == {
        "model.0.weight": (2, 2),
        "model.bias": (),
        "l.0": (1,),
    }


def test_the_same_object_gives_the_same_bytes(tmp_path):
    obj = {f"layer{i}": ag.ones(i) for i in range(20)}
    for name in ("a", "b"):
        ag.save(obj, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}])
def test_plain_safetensors_file(tmp_path, metadata):
    safetensors.numpy.save_file({"w": np.eye(2), "b": np.array(1, np.int8)}, tmp_path / "plain", metadata)
    back = ag.load(str(tmp_path / "plain"))
    assert set(back) == {"w", "b"}
    assert same(back["w"], ag.tensor(np.eye(2)))
    assert back["b"].dtype == ag.int8


def test_bfloat16_becomes_float32_where_there_is_none():
    header = json.dumps({"x": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    data = struct.pack("<Q", len(header)) + header + bytes([0x80, 0x3F, 0x20, 0xC0])
    for device, dtype in {"cpu": ag.bfloat16, "strict": ag.float32}.items():
        back = ag.load(io.BytesIO(data), map_location=device)["x"]
        assert back.dtype is dtype
        assert back.tolist() == [1.0, -2.5]


def test_bfloat16_is_written_as_such():
    back = round_trip({"x": ag.tensor([1.0, -2.5], dtype=ag.bfloat16)})["x"]
    assert back.dtype is ag.bfloat16
    assert back.tolist() == [1.0, -2.5]


def test_a_dtype_that_is_not_supported():
    header = json.dumps({"x": {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]}}).encode()
    with pytest.raises(ag.SerializationError, match="the file: tensor 'x' is of dtype F8_E4M3"):
        ag.load(io.BytesIO(struct.pack("<Q", len(header)) + header + b"\x38"))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "bool", "complex128"])
def test_arrays_and_numbers_of_numpy(dtype):
    array = np.array([[0, 1, 1], [1, 0, 1]], dtype)
    file = io.BytesIO()
    ag.save({"array": array, "view": array.T, "number": array[0, 1], "tensor": ag.from_numpy(array)}, file)
    file.seek(0)
    back = ag.load(file)
    assert type(back["array"]) is type(back["view"]) is np.ndarray
    assert back["array"].dtype == array.dtype
    np.testing.assert_array_equal(back["array"], array)
    np.testing.assert_array_equal(back["view"], array.T)
    assert type(back["number"]) is type(array[0, 1].item())
    assert back["number"] == 1
    assert same(back["tensor"], ag.from_numpy(array))


# ---------------------------------------------------------------- what cannot be saved


class Model:
    def state_dict(self):
        return {}


@pytest.mark.parametrize(
    ("obj", "says"),
    [
        ({"model": [1, 2, 3, {4}]}, r"obj\['model'\]\[3\] is a set: only tensors"),
        ({"model": Model()}, r"obj\['model'\] is a Model: save its state_dict\(\)"),
        (ag.nn.Linear(1, 1), r"obj is a Linear: save its state_dict\(\)"),
        (({"x": np.array(["a"])},), r"obj\[0\]\['x'\] is a ndarray: its dtype is <U1, and only those of numbers can"),
        ([np.datetime64("2020-01-01")], r"obj\[0\] is a datetime64: its dtype is datetime64\[D\], and only those of"),
        ({7: b"bytes"}, r"obj\[7\] is a bytes"),
        (len, "obj is a builtin_function_or_method"),
        ({"a": {(1, 2): 3}}, r"obj\['a'\] has a key \(1, 2\): keys must be strings or integers"),
        ({True: 1}, "obj has a key True"),
    ],
)
def test_what_cannot_be_saved(obj, says, tmp_path):
    file = tmp_path / "file"
    file.write_text("before")
    with pytest.raises(TypeError, match=f"save: {says}"):
        ag.save(obj, file)
    assert file.read_text() == "before"
    assert os.listdir(tmp_path) == ["file"]


def test_an_object_that_contains_itself():
    obj = {"list": []}
    obj["list"].append(obj)
    with pytest.raises(ValueError, match=r"obj\['list'\]\[0\] is an object that it is itself contained in"):
        ag.save(obj, io.BytesIO())
    twice = [1]
    assert round_trip([twice, twice]) == [[1], [1]]


# ---------------------------------------------------------------- writing whole files or none


def test_the_old_file_survives_a_failure(tmp_path, monkeypatch):
    file = tmp_path / "file"
    ag.save({"epoch": 1}, file)

    def fail(*_):
        raise OSError("no space left on device")

    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(serialization.files.os, name, fail)
            with pytest.raises(OSError, match="no space left"):
                ag.save({"epoch": 2}, file)
        assert os.listdir(tmp_path) == ["file"]
        assert ag.load(file) == {"epoch": 1}


def test_permissions_and_links_stay(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    ag.save(1, real)
    real.chmod(0o600)
    link.symlink_to(real)
    ag.save(2, link)
    assert link.is_symlink()
    assert ag.load(real) == 2
    assert real.stat().st_mode & 0o777 == 0o600


def test_bad_paths(tmp_path):
    with pytest.raises(OSError, match="no regular file"):
        ag.save(1, tmp_path)
    with pytest.raises(FileNotFoundError):
        ag.save(1, tmp_path / "missing" / "file")
    with pytest.raises(FileNotFoundError, match="missing"):
        ag.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        ag.load(tmp_path)


# ---------------------------------------------------------------- what cannot be loaded


def test_cut_off_anywhere(tmp_path):
    file = tmp_path / "model"
    ag.save({"x": ag.ones(3, 2), "e": ag.zeros(0), "n": 3}, file)
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(ag.SerializationError, match=f"{file}: .*cut off"):
            ag.load(file)


@pytest.mark.parametrize("content", [b"", b"hello, world, this is a text", b"\0" * 100, b"\x89PNG\r\n\x1a\n" * 9])
def test_foreign_files(tmp_path, content):
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(ag.SerializationError, match=f"{file}: not a whole safetensors file"):
        ag.load(file)


class Evil:
    def __reduce__(self):
        return exec, ("raise SystemExit('a pickle was loaded')",)


def test_bare_pickles_are_refused(tmp_path):
    file = tmp_path / "model.pt"
    file.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ag.SerializationError, match=r"model\.pt: this is a bare pickle, which can run any code"):
        ag.load(file, weights_only=False)


@pytest.mark.parametrize(
    "about",
    [
        3,
        {},
        {"version": 1, "complex": []},
        {"version": 1, "complex": ["missing"], "tree": None},
        {"version": 1, "complex": ["x"], "tree": None},
        {"version": 1, "complex": [], "tree": {"tensor": "missing"}},
        {"version": 1, "complex": [], "tree": {"object": 1}},
        {"version": 1, "complex": [], "tree": {"tensor": "x", "dict": []}},
        {"version": 1, "complex": [], "tree": {"dict": [[1, 2, 3]]}},
        {"version": 1, "complex": [], "tree": {"dict": [[[], 2]]}},
        {"version": 1, "complex": [], "tree": {"float": "many"}},
        {"version": 1, "complex": [], "tree": {"tuple": 3}},
    ],
    ids=repr,
)
def test_damaged_descriptions(about):
    data = written({"x": np.ones(1, np.int8)}, about)
    with pytest.raises(ag.SerializationError, match="the file: its description of what was saved is damaged"):
        ag.load(io.BytesIO(data))


def test_descriptions_too_deep():
    deep = "[" * 100_000 + "]" * 100_000
    data = safetensors.numpy.save({}, {"autograd_ops": f'{{"version": 1, "complex": [], "tree": {deep}}}'})
    with pytest.raises(ag.SerializationError, match="is damaged"):
        ag.load(io.BytesIO(data))


def test_a_later_version():
    data = written({}, {"version": 2, "complex": [], "tree": None})
    with pytest.raises(ag.SerializationError, match="written in version 2 of the format"):
        ag.load(io.BytesIO(data))
