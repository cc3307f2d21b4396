"""Files that PyTorch wrote: what is in them comes back, and nothing that is in them runs.

The real ones are in ``data/torch``, with the program that made them; hostile ones are made here, byte by byte.
"""

from __future__ import annotations

import io
import pickle
import random
import struct
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, optim

FILES = Path(__file__).parent / "data" / "torch"


class Net(nn.Module):
    """The module of ``data/torch/README.md``."""

    def __init__(self) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.lstm = nn.LSTM(4, 4, num_layers=2, batch_first=True, bidirectional=True)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.embedding = nn.Embedding(5, 8)
        self.head = nn.Linear(8, 5, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: Any) -> Any:
        steps = self.mlp(x.flatten(0, 1)).unflatten(0, tuple(x.shape[:2]))
        steps, _ = self.lstm(steps)
        attended, _ = self.attention(steps, steps, steps)
        return self.head(self.norm(attended + steps))


# ---------------------------------------------------------------- real files


@pytest.mark.parametrize("file", ["checkpoint.pt", "legacy.pt", "model.safetensors"])
def test_a_model_computes_what_it_did_in_pytorch(file: str) -> None:
    saved = ag.load(FILES / file)
    state = saved.get("model_state_dict")
    if state is None:  # safetensors knows no tied weights: one of the two names is left out
        state = {name: tensor for name, tensor in saved.items() if name not in ("x", "y")}
        state["head.weight"] = state["embedding.weight"]
    net = Net()
    assert repr(net.load_state_dict(state)) == "<All keys matched successfully>"
    net.eval().double()  # as it was when PyTorch computed y
    np.testing.assert_allclose(net(saved["x"].double()).detach().numpy(), saved["y"].numpy(), rtol=1e-12, atol=1e-12)


def test_tied_weights_stay_tied() -> None:
    state = ag.load(FILES / "checkpoint.pt")["model_state_dict"]
    assert type(state) is OrderedDict
    state["head.weight"].zero_()
    assert not state["embedding.weight"].any()
    assert state["mlp.1.num_batches_tracked"].item() == 3


def test_a_checkpoint_goes_on() -> None:
    checkpoint = ag.load(FILES / "checkpoint.pt", map_location="cpu", weights_only=True)
    assert checkpoint["epoch"] == 3
    net = Net()
    optimizer = optim.Adam(net.parameters(), lr=1.0)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 7)
    net.load_state_dict(checkpoint["model_state_dict"])
    optimizer.load_state_dict(checkpoint["optimizer_state_dict"])
    scheduler.load_state_dict(checkpoint["scheduler_state_dict"])
    assert optimizer.param_groups[0]["lr"] == 0.005  # halved after two of three epochs
    assert (scheduler.last_epoch, scheduler.step_size, scheduler.gamma) == (3, 2, 0.5)
    file = io.BytesIO()
    ag.save({**checkpoint, "optimizer_state_dict": optimizer.state_dict()}, file)
    again = ag.load(io.BytesIO(file.getvalue()))
    assert again["epoch"] == 3
    assert again["loss"].item() == checkpoint["loss"].item()
    assert again["model_state_dict"].keys() == checkpoint["model_state_dict"].keys()
    moment = again["optimizer_state_dict"]["state"][0]["exp_avg"]
    assert moment.tolist() == checkpoint["optimizer_state_dict"]["state"][0]["exp_avg"].tolist()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"momentum": 0.9, "nesterov": True}),
        ("Adam", {"amsgrad": True}),
        ("AdamW", {}),
        ("RMSprop", {"centered": True, "momentum": 0.5}),
        ("Adagrad", {}),
    ],
)
def test_optimizers_go_on_as_in_pytorch(name: str, options: dict[str, Any]) -> None:
    run = ag.load(FILES / "optimizers.pt")[name]
    p = run["p"].requires_grad_()
    optimizer = getattr(optim, name)([p], lr=5.0, **options)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, 5)
    optimizer.load_state_dict(run["state"])
    schedule.load_state_dict(run["schedule"])
    for _ in range(2):
        optimizer.zero_grad()
        (p**3).sum().backward()
        optimizer.step()
        schedule.step()
    np.testing.assert_allclose(p.detach().numpy(), run["after"].numpy(), rtol=1e-12)


@pytest.mark.parametrize("file", ["kinds.pt", "kinds_legacy.pt"])
def test_everything_that_comes_back(file: str) -> None:
    kinds = ag.load(FILES / file)
    for name, x in kinds["dtypes"].items():
        assert x.dtype.name == name
        assert x.to(ag.complex128).tolist() == ([0, 1, 1] if name == "bool" else [0, 1, 3])
    whole = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    for name, values in {"whole": whole, "transposed": whole.T, "part": whole[1:, ::2]}.items():
        assert kinds[name].tolist() == values.tolist()
    kinds["whole"].zero_()
    assert not kinds["transposed"].any()
    assert not kinds["part"].any()
    assert kinds["expanded"].tolist() == [1.0] * 5
    assert kinds["empty"].shape == (0, 3)
    assert kinds["scalar"].item() == 3.5
    assert type(kinds["parameter"]) is type(kinds["frozen"]) is nn.Parameter
    assert [kinds[name].requires_grad for name in ("parameter", "frozen", "leaf", "whole")] == [
        True,
        False,
        True,
        False,
    ]
    assert kinds["conj"].tolist() == [1 - 2j]
    assert kinds["neg"].tolist() == [-2.0]
    assert kinds["size"] == ag.Size([1, 2])
    assert type(kinds["size"]) is ag.Size
    assert kinds["device"] == "cuda:1"
    assert kinds["dtype"] is ag.float16
    others = [1 + 2j, b"ab\xff", {1, "a"}, frozenset([1]), 2**70, -5, 1.5, (1, (2,)), None, True, {(1, 2): 3}]
    assert kinds["others"] == others
    assert [type(x) for x in kinds["others"]] == [type(x) for x in others]
    assert kinds["ordered"] == OrderedDict(a=1)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("module.pt", r"torch\.nn\.modules\.linear\.Linear, .*saved as a whole module; save its state_dict\(\)"),
        ("sparse.pt", r"torch\._utils\._rebuild_sparse_tensor, .*to_dense\(\)"),
    ],
)
def test_real_files_that_are_refused(file: str, says: str) -> None:
    with pytest.raises(ag.SerializationError, match=f"{file}: it holds {says}"):
        ag.load(FILES / file, weights_only=False)


# ---------------------------------------------------------------- files made by hand


def value(x: Any, protocol: int = 2) -> bytes:
    """The instructions that push a plain value."""
    return pickle.dumps(x, protocol)[2:-1] if protocol == 2 else pickle.dumps(x, protocol)[11:-1]


def name(module: str, attribute: str) -> bytes:
    return f"c{module}\n{attribute}\n".encode()


def call(function: bytes, *arguments: bytes) -> bytes:
    return function + b"(" + b"".join(arguments) + b"tR"


ORDERED = call(name("collections", "OrderedDict"))


def memory(kind: str = "Float", key: Any = "0", count: Any = 4, location: str = "cpu", *more: bytes) -> bytes:
    parts = value("storage"), name("torch", f"{kind}Storage"), value(key), value(location), value(count), *more
    return b"(" + b"".join(parts) + b"tQ"


def tensor(
    *, of: bytes = memory(), offset: Any = 0, size: Any = (4,), stride: Any = (1,), hooks: bytes = ORDERED
) -> bytes:
    where = value(offset), value(size), value(stride)
    return call(name("torch._utils", "_rebuild_tensor_v2"), of, *where, value(False), hooks)


def archive(pickled: bytes, *, compression: int = zipfile.ZIP_STORED, **entries: bytes) -> bytes:
    """A zip archive such as torch.save writes, with `pickled` between the first instruction and the last."""
    file = io.BytesIO()
    content = {"data.pkl": b"\x80\x02" + pickled + b".", "byteorder": b"little", "version": b"3\n"}
    content |= {"data/0": np.arange(4, dtype="<f4").tobytes()}
    content |= {entry.replace("__", "/"): data for entry, data in entries.items()}
    with zipfile.ZipFile(file, "w", compression) as archived:
        for entry, data in content.items():
            archived.writestr(f"archive/{entry}", data)
    return file.getvalue()


def load(data: bytes, **options: Any) -> Any:
    return ag.load(io.BytesIO(data), **options)


def test_the_files_made_by_hand_are_good() -> None:
    assert load(archive(tensor())).tolist() == [0, 1, 2, 3]
    assert load(archive(tensor(offset=1, size=(2, 2), stride=(1, 1)))).tolist() == [[1, 2], [2, 3]]
    assert load(archive(call(name("collections", "Counter"), value({2: 1})))) == {2: 1}
    assert load(archive(value({"a": [1, (2.5, None)], 3: "ü"}))) == {"a": [1, (2.5, None)], 3: "ü"}
    framed = {"a": [b"x", {1}, bytearray(b"y")], "big": 2**3000, "long": "z" * 300}
    for protocol in (4, 5):
        data = archive(b"")
        whole = pickle.dumps(framed, protocol)
        data = archive(b"", **{"data.pkl": whole})
        assert load(data) == framed


class Evil:
    def __init__(self, function: Any = exec, *arguments: Any) -> None:
        self.reduced = function, arguments or ("raise SystemExit('a pickle was run')",)

    def __reduce__(self) -> Any:
        return self.reduced


@pytest.mark.parametrize("protocol", range(6))
def test_a_name_that_is_not_known_is_refused_by_name(protocol: int) -> None:
    names = {"exec": Evil(), "getattr": Evil(getattr, "a", "b"), "eval": [1, {"x": Evil(eval, "1/0")}]}
    for refused, evil in names.items():
        data = archive(b"", **{"data.pkl": pickle.dumps(evil, protocol)})
        with pytest.raises(
            ag.SerializationError, match=rf"it holds (__builtin__|builtins)\.{refused}, and only tensors"
        ):
            load(data)


@pytest.mark.parametrize(
    ("module", "attribute"),
    [
        ("os", "system"),
        ("posix", "system"),
        ("torch", "load"),
        ("torch._utils", "_rebuild_tensor_v2.__globals__"),
        ("torch.storage", "_load_from_bytes"),
        ("torch._tensor", "_rebuild_from_type_v2"),
        ("collections", "OrderedDict.__init__"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("autograd_ops.serialization.pickles", "Maker"),
        ("__main__", "Net"),
    ],
)
def test_other_names(module: str, attribute: str) -> None:
    for how in (name(module, attribute), value(module) + value(attribute) + b"\x93"):
        with pytest.raises(ag.SerializationError, match=f"it holds {module}.{attribute}, and only".replace(".", r"\.")):
            load(archive(how))


@pytest.mark.parametrize(
    ("instructions", "says"),
    [
        (b"(ios\nsystem\n", "the instruction INST"),
        (b"(" + name("collections", "OrderedDict") + b"o", "the instruction OBJ"),
        (name("collections", "OrderedDict") + b")\x81", "the instruction NEWOBJ"),
        (name("collections", "OrderedDict") + b")}\x92", "the instruction NEWOBJ_EX"),
        (b"\x82\x01", "the instruction EXT1"),
        (b"Pos.system\n", "the instruction PERSID"),
        (b"\x97", "the instruction NEXT_BUFFER"),
        (ORDERED + value({"__class__": 1}) + b"b", "a OrderedDict with attributes"),
        (b"]" + value({"x": 1}) + b"b", "a list with attributes"),
        (tensor() + value({"x": 1}) + b"b", "a Tensor with attributes"),
        (name("torch", "FloatStorage"), "memory that belongs to no tensor"),
        (memory(), "memory that belongs to no tensor"),
        (b"]" + name("collections", "OrderedDict") + b"a", "collections.OrderedDict"),
        (tensor(hooks=value({1: 2})), "a tensor with hooks"),
        (b"(" + value("module") + value("x") * 4 + b"tQ", "a reference to 'module'"),
        (memory("Float", "0", 4, "cpu", value(("view", 0, 2))), "a reference to 'storage'"),
        (call(name("_codecs", "encode"), value("a"), value("rot13")), "a text encoded as 'rot13'"),
        (b"}" + b"]" + value(1) + b"s", "a key that is a list"),
        (b"}" + value(((1, 2),)) + value(1) + b"s", "a key that is a tuple, or has a tuple"),
        (call(name("numpy", "dtype"), value("O8")), "NumPy's dtype 'O8'"),
    ],
)
def test_what_would_make_or_change_an_object(instructions: bytes, says: str) -> None:
    with pytest.raises(ag.SerializationError, match=f"it holds {says}"):
        load(archive(instructions))


@pytest.mark.parametrize(
    ("instructions", "says"),
    [
        (b"]" * 20_000 + b"a" * 19_999, "a stack of more than 10000"),
        (b"(" * 2_000, "nested more than 1000 deep"),
        (b"h\x07", "is damaged"),
        (b"", "is damaged"),
        (b"0", "is damaged"),
        (b"t", "is damaged"),
        (b"\xff", "no instruction 0xff"),
        (b"\x80\x09", "no protocol 9"),
        (b"X\x04\x00\x00\x00\xff\xff\xff\xff", "is damaged"),
        (b"X\xff\xff\xff\xff", "cut off"),
        (b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f", "cut off"),
        (b"\x8b\xff\xff\xff\xff", "cut off"),
        (b"\x95\xff\xff\xff\xff\xff\xff\xff\x7f", "cut off"),
        (b"I" + b"9" * 5_000 + b"\n", "is damaged"),
        (b"}" + value(1) * 3 + b"u", "is damaged"),
        (b"K\x01K\x02a", "cannot append to a int"),
        (b"K\x01(K\x02K\x03u", "cannot set items of a int"),
        (b"K\x01K\x02R", "it calls what is no function"),
        (ORDERED + value(()) + b"R", "it calls what is no function"),
        (call(name("torch", "Size"), value(3)), "is damaged"),
        (call(name("torch._utils", "_rebuild_tensor_v2"), value(1)), "is damaged"),
        (call(name("torch._utils", "_rebuild_parameter"), value(1), value(True), ORDERED), "a parameter of what is no"),
        (tensor(of=value(3)), "is damaged"),
    ],
)
def test_damaged_pickles(instructions: bytes, says: str) -> None:
    with pytest.raises(ag.SerializationError, match=says):
        load(archive(instructions))


def test_pickles_that_would_take_room_or_time() -> None:
    # A place in the memo costs what is put there, however large its number.
    assert load(archive(b"]r\xff\xff\xff\xff0j\xff\xff\xff\xff")) == []
    # Lists in lists, each twice in the next: as many lists as instructions.
    doubled = b"]q\x00" + b"".join(b"]q%ch%ch%c" % (i, i - 1, i - 1) + b"\x86" for i in range(1, 60))
    assert load(archive(doubled + b"0")) is not None
    # A list that contains itself.
    itself = load(archive(b"]q\x00h\x00a"))
    assert itself[0] is itself


@pytest.mark.parametrize(
    ("instructions", "says"),
    [
        (tensor(size=(5,)), r"reaches beyond its memory of 4 elements"),
        (tensor(offset=1), "reaches beyond"),
        (tensor(size=(2, 2), stride=(3, 2)), "reaches beyond"),
        (tensor(size=(2**62, 2**62), stride=(1, 0)), "reaches beyond"),
        (tensor(size=(2**62, 2**62), stride=(0, 0)), "damaged"),
        (tensor(size=(1,) * 70, stride=(0,) * 70), "damaged"),
        (tensor(size=(2,), stride=(-1,)), "a size, stride or offset in it is -1"),
        (tensor(size=(-2,)), "a size, stride or offset in it is -2"),
        (tensor(offset=-1), "a size, stride or offset in it is -1"),
        (tensor(size=(2.0,)), "a size, stride or offset in it is 2.0"),
        (tensor(size=(True,)), "a size, stride or offset in it is True"),
        (tensor(size=(2,), stride=()), r"of shape \(2,\) in it has strides \(\)"),
        (tensor(size=3), "damaged"),
        (tensor(of=memory(count=5)), "memory '0' in it should have 20 bytes, and has 16"),
        (tensor(of=memory(count=3)), "memory '0' in it should have 12 bytes"),
        (tensor(of=memory("Double")), "memory '0' in it should have 32 bytes"),
        (tensor(of=memory(count=2**62)), "memory '0' in it should have"),
        (tensor(of=memory(key="1")), "it has no entry 'data/1'"),
        (tensor(of=memory(key="../version")), "it has no entry"),
        (tensor(of=memory(key="/etc/passwd")), "it has no entry"),
        (tensor(of=memory(key=3)), "memory is named by strings"),
        (tensor(of=memory("Quantized")), r"it holds torch\.QuantizedStorage"),
    ],
)
def test_tensors_that_are_not_within_their_memory(instructions: bytes, says: str) -> None:
    with pytest.raises(ag.SerializationError, match=says):
        load(archive(instructions))


def patched(data: bytes, signature: bytes, offset: int, form: str, number: int) -> bytes:
    """`data` with a field of the last zip header of a kind changed."""
    at = data.rindex(signature) + offset
    return data[:at] + struct.pack(form, number) + data[at + struct.calcsize(form) :]


def test_zip_archives_that_are_not_torch_s() -> None:
    good = archive(tensor())
    directory = b"PK\x01\x02"
    twice = io.BytesIO(good)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(twice, "a") as more:
        more.writestr("archive/data/0", bytes(16))
    for data, says in [
        (archive(tensor(), compression=zipfile.ZIP_DEFLATED), "is compressed, which torch.save never does"),
        (archive(tensor(), byteorder=b"big"), "byte order b'big'"),
        (archive(tensor(), other__data_pkl=b"N.").replace(b"data_pkl", b"data.pkl"), "not exactly one data.pkl"),
        (archive(tensor(), **{"constants.pkl": b"N."}), "it holds a TorchScript program"),
        (twice.getvalue(), "'archive/data/0' is there twice"),
        (patched(good, directory, 8, "<H", 1), "is encrypted"),
        (patched(good, directory, 24, "<I", 2**31), "is compressed"),
        (patched(patched(good, directory, 24, "<I", 2**31), directory, 20, "<I", 2**31), "larger than the file"),
        (patched(good, directory, 42, "<I", 2**31), "cut off or damaged"),
        (good.replace(np.arange(4, dtype="<f4").tobytes(), bytes(16)), "cut off or damaged .*CRC"),
        (b"PK\x03\x04" + bytes(100), "cut off or damaged"),
        (good[4:], "not a whole safetensors file"),
    ]:
        with pytest.raises(ag.SerializationError, match=says):
            load(data)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as other:
        other.writestr("word/document.xml", "text")
    with pytest.raises(ag.SerializationError, match="not one of torch"):
        load(file.getvalue())


@pytest.mark.parametrize("file", ["kinds.pt", "kinds_legacy.pt"])
def test_cut_off_anywhere(file: str) -> None:
    whole = (FILES / file).read_bytes()
    for length in range(0, len(whole) - 1, 37):
        with pytest.raises(ag.SerializationError):
            load(whole[:length])


@pytest.mark.parametrize("file", ["kinds.pt", "kinds_legacy.pt"])
def test_damage_anywhere_is_noticed_or_harmless(file: str) -> None:
    with zipfile.ZipFile(FILES / "kinds.pt") as archived:
        entries = {name.split("/", 1)[1]: archived.read(name) for name in archived.namelist()}
    pickled = entries.pop("data.pkl") if file == "kinds.pt" else (FILES / file).read_bytes()
    draw = random.Random(0)
    outcomes = set()
    for _ in range(300):
        damaged = bytearray(pickled)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        data = archive(b"", **entries, **{"data.pkl": bytes(damaged)}) if file == "kinds.pt" else bytes(damaged)
        try:
            load(data)
            outcomes.add("loaded")
        except ag.SerializationError:
            outcomes.add("refused")
    assert outcomes == {"loaded", "refused"}


def row(*pickled: bytes, protocol: int = 1001, little: bool = True, tail: bytes = b"") -> bytes:
    """A file of the older format: what goes before, `pickled`, and the memory."""
    about = {"protocol_version": protocol, "little_endian": little, "type_sizes": {}}
    before = [value(0x1950A86A20F9469CFC6C), value(protocol), value(about)]
    return b"".join(b"\x80\x02" + part + b"." for part in (*before, *pickled)) + tail


def test_the_older_format() -> None:
    keys, numbers = value(["0"]), struct.pack("<q", 4) + np.arange(4, dtype="<f4").tobytes()
    assert load(row(tensor(), keys, tail=numbers)).tolist() == [0, 1, 2, 3]
    for data, says in [
        (row(tensor(), keys, tail=numbers, little=False), "not little-endian"),
        (row(tensor(), keys, tail=numbers, protocol=7), "protocol 7 of torch.save's older format"),
        (row(tensor(), keys, tail=numbers[:-1]), "cut off"),
        (row(tensor(), keys, tail=struct.pack("<q", 2**61) + numbers[8:]), "cut off"),
        (row(tensor(), keys, tail=struct.pack("<q", -4) + numbers[8:]), "cut off"),
        (row(tensor(), keys, tail=struct.pack("<q", 3) + numbers[8:]), "should have 16 bytes, and has 12"),
        (row(tensor(), value([]), tail=numbers), "it has no memory '0'"),
        (row(tensor(), value(7), tail=numbers), "damaged"),
        (row(name("os", "system"), keys), r"it holds os\.system"),
    ]:
        with pytest.raises(ag.SerializationError, match=says):
            load(data)


def test_numpy_scalars_are_numbers() -> None:
    def scalar(kind: str, raw: bytes, order: str = "<") -> bytes:
        state = value((3, order, None, None, None, -1, -1, 0))
        dtype = call(name("numpy", "dtype"), value(kind), value(False), value(True)) + state + b"b"
        data = call(name("_codecs", "encode"), value(raw.decode("latin1")), value("latin1"))
        return call(name("numpy._core.multiarray", "scalar"), dtype, data)

    best = load(archive(scalar("f8", struct.pack("<d", 0.1))))
    assert type(best) is float
    assert best == 0.1
    assert load(archive(scalar("i4", struct.pack(">i", -3), ">"))) == -3
    with pytest.raises(ag.SerializationError, match="a NumPy scalar of something else"):
        load(archive(scalar("f8", b"1234")))


# ---------------------------------------------------------------- where tensors go


def test_map_location_of_every_kind() -> None:
    data = archive(b"(" + tensor(of=memory(location="cuda:1")) + tensor(of=memory(location="cpu")) + b"l")
    seen = []

    def keep(storage: Any, location: str) -> Any:
        seen.append((type(storage), storage.ndim, location))
        return storage

    def devices(map_location: Any) -> list[str]:
        return [str(x.device) for x in load(data, map_location=map_location)]

    assert devices(None) == ["cpu", "cpu"]
    assert devices("strict:device1") == ["strict:device1"] * 2
    assert devices({"cuda:1": "strict"})[0] == "strict"
    assert devices(keep) == ["cpu", "cpu"]
    assert seen[0] == (ag.Tensor, 1, "cuda:1")
    assert devices(lambda storage, location: storage.to("strict")) == ["strict"] * 2
    assert devices(lambda storage, location: "strict") == ["strict"] * 2
    assert devices(lambda storage, location: None) == ["cpu", "cpu"]
    with pytest.raises(TypeError, match="map_location returns the tensor that it was given"):
        devices(lambda storage, location: 3)
    with pytest.raises(TypeError, match="map_location is a device string, a dict of them, a function or None, not int"):
        devices(3)
    with pytest.raises(ag.DeviceError, match="unknown device 'gpu'"):
        devices({"cuda:1": "gpu"})


def test_tied_on_every_device() -> None:
    for device in ("cpu", "strict:device1"):
        one, two = load(archive(b"(" + tensor() + tensor() + b"l"), map_location=device)
        one.zero_()
        assert two.tolist() == [0.0] * 4
