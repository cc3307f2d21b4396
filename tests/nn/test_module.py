"""Module: registering, finding, calling, moving, saving and loading."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from typing import Any

import pytest

import autograd_ops as ag
from autograd_backends import ShapeError
from autograd_ops import Tensor, nn

from .conftest import DEVICES, made, near


class Net(nn.Module):
    """Two layers, a lone parameter, two buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(ag.ones(3))
        self.first = nn.Linear(2, 3)
        self.norm = nn.BatchNorm1d(3)
        self.last = nn.Sequential(nn.ReLU(), nn.Linear(3, 1))
        self.register_buffer("shift", ag.zeros(3))
        self.register_buffer("cache", ag.zeros(1), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.norm(self.first(x)) * self.scale + self.shift)


KEYS = [
    "scale",
    "shift",
    "first.weight",
    "first.bias",
    "norm.weight",
    "norm.bias",
    "norm.running_mean",
    "norm.running_var",
    "norm.num_batches_tracked",
    "last.1.weight",
    "last.1.bias",
]


# ---------------------------------------------------------------- registering and finding


def test_names_in_pytorchs_order() -> None:
    net = Net()
    assert list(net.state_dict()) == KEYS
    assert [name for name, _ in net.named_parameters()] == [
        *("scale", "first.weight", "first.bias", "norm.weight", "norm.bias", "last.1.weight", "last.1.bias")
    ]
    assert [name for name, _ in net.named_buffers()][:2] == ["shift", "cache"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "norm", "last", "last.0", "last.1"]
    assert [name for name, _ in net.named_children()] == ["first", "norm", "last"]
    assert [name for name, _ in net.named_parameters(recurse=False)] == ["scale"]
    assert next(net.named_parameters(prefix="net"))[0] == "net.scale"
    assert len(list(net.parameters())) == 7
    assert len(list(net.buffers())) == 5
    assert len(list(net.modules())) == 6
    assert net.get_submodule("last.1") is net.last[1]
    assert net.get_submodule("") is net
    with pytest.raises(AttributeError, match=r"no module 'last.7'"):
        net.get_submodule("last.7")


def test_tied_parameters_come_once_and_are_saved_twice() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert len(list(net.parameters())) == 3
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    shared = nn.Sequential(net[0], net[0])
    assert len(list(shared.modules())) == 2
    assert len(list(shared.children())) == 1


def test_super_init_first() -> None:
    class Forgetful(nn.Module):
        def __init__(self) -> None:
            self.layer = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"Forgetful: call super\(\).__init__\(\) first"):
        Forgetful()

    class Empty(nn.Module):
        def __init__(self) -> None:
            self.number = 1

    with pytest.raises(AttributeError, match=r"has not called super"):
        Empty()(1)


def test_assignment_keeps_registers_in_step() -> None:
    net = Net()
    with pytest.raises(TypeError, match=r"'scale' is a Parameter .* not Tensor"):
        net.scale = ag.ones(3)
    with pytest.raises(TypeError, match="'first' is a Module"):
        net.first = 3
    with pytest.raises(TypeError, match="'shift' is a Tensor"):
        net.shift = 3
    net.shift = ag.ones(3)
    assert net.state_dict()["shift"].tolist() == [1.0] * 3
    net.shift += 1
    assert net.state_dict()["shift"].tolist() == [2.0] * 3
    net.scale = None
    assert net.scale is None
    assert "scale" not in net.state_dict()
    net.scale = nn.Parameter(ag.zeros(3))
    assert "scale" in net.state_dict()
    del net.scale
    assert not hasattr(net, "scale")
    net.scale = ag.ones(3)
    assert "scale" not in net.state_dict()
    net.first = nn.Parameter(ag.ones(1))
    assert "first" in dict(net.named_parameters())
    assert "first" not in dict(net.named_children())


def test_registering_by_hand() -> None:
    net = nn.Module()
    net.register_parameter("bias", None)
    assert net.bias is None
    net.add_module("child", nn.ReLU())
    net.register_module("none", None)
    assert [name for name, _ in net.named_modules()] == ["", "child"]
    for register, value in (
        (net.register_parameter, nn.Parameter(ag.ones(1))),
        (net.register_buffer, ag.ones(1)),
        (net.add_module, nn.ReLU()),
    ):
        with pytest.raises(KeyError, match="forward"):
            register("forward", value)
        with pytest.raises(KeyError, match="dot"):
            register("a.b", value)
        with pytest.raises(KeyError, match="empty"):
            register("", value)
        with pytest.raises(TypeError, match="name"):
            register(1, value)
        with pytest.raises(TypeError, match="not int"):
            register("x", 1)


def test_writing_to_a_register_directly() -> None:
    net = nn.Module()
    net._modules["0"] = layer = nn.Linear(1, 1)
    assert getattr(net, "0") is layer
    assert list(net.children()) == [layer]
    with pytest.raises(AttributeError, match="'Module' object has no attribute 'weights'"):
        _ = net.weights


def test_parameter() -> None:
    data = ag.zeros(2)
    parameter = nn.Parameter(data)
    assert parameter.requires_grad
    assert parameter.is_leaf
    assert isinstance(parameter, Tensor)
    assert repr(parameter) == "Parameter containing:\ntensor([0., 0.], requires_grad=True)"
    data.add_(1)
    assert parameter.tolist() == [1.0, 1.0]
    assert not nn.Parameter(data, requires_grad=False).requires_grad
    with pytest.raises(TypeError, match="float"):
        nn.Parameter(ag.tensor([1]))


# ---------------------------------------------------------------- calling


def test_forward_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="Module has no forward"):
        nn.Module()(1)


def test_hooks() -> None:
    net = nn.Identity()
    seen = []
    before = net.register_forward_pre_hook(lambda module, args: args[0] + 1)
    after = net.register_forward_hook(lambda module, args, output: seen.append((module, args, output)))
    double = net.register_forward_hook(lambda module, args, output: output * 2)
    assert net(1) == 4
    assert seen == [(net, (2,), 2)]
    before.remove()
    before.remove()
    assert net(1) == 2
    double.remove()
    with net.register_forward_pre_hook(lambda module, args: (args[0] + 5,)):
        assert net(1) == 6
    after.remove()
    assert net(1) == 1
    assert len(seen) == 3


def test_an_error_begins_with_the_path_of_the_module_and_what_it_got() -> None:
    net = nn.Sequential(OrderedDict(encoder=nn.Sequential(nn.ReLU(), nn.Linear(4, 2)), head=nn.Linear(3, 1)))
    with pytest.raises(ShapeError) as caught:
        net(ag.ones(1, 4))
    assert str(caught.value).startswith("Sequential.head: Linear(3 -> 1) got (1, 2): linear: the last dimension")
    with pytest.raises(ShapeError) as caught:
        net(ag.ones(1, 5))
    assert str(caught.value).startswith("Sequential.encoder.1: Linear(4 -> 2) got (1, 5): linear: the last dimension")
    with pytest.raises(ShapeError) as caught:
        nn.Linear(2, 1)(ag.ones(1, 3))
    assert str(caught.value).startswith("Linear(2 -> 1) got (1, 3): linear: the last dimension")


@pytest.mark.parametrize(
    ("module", "given", "start"),
    [
        (nn.Conv2d(3, 8, 3), ag.ones(1, 4, 5, 5), "Conv2d(3 -> 8) got (1, 4, 5, 5): conv2d: "),
        (nn.Embedding(5, 3), ag.tensor([7]), "Embedding(5 -> 3) got (1,): embedding: index 7"),
        (nn.LSTM(4, 5), ag.ones(3, 2, 7), "LSTM(4 -> 5) got (3, 2, 7): LSTM: "),
        (nn.BatchNorm2d(4), ag.ones(3, 4), "BatchNorm2d(4) got (3, 4): BatchNorm2d: "),
        (nn.MaxPool2d(9), ag.ones(1, 1, 5, 5), "MaxPool2d(kernel_size=9) got (1, 1, 5, 5): max_pool2d"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_modules_are_named_in_few_words(module: nn.Module, given: ag.Tensor, start: str) -> None:
    with pytest.raises((ValueError, IndexError)) as caught:
        module(given)
    assert str(caught.value).startswith(start)


def test_the_users_own_errors_keep_their_words() -> None:
    class Refusing(nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("no")

    with pytest.raises(ValueError, match=r"^no\n") as caught:
        nn.Sequential(nn.Sequential(Refusing()))(ag.ones(2, 3))
    assert caught.value.args == ("no",)
    assert caught.value.__notes__ == ["in module Sequential.0.0: Refusing() got (2, 3)"]


# ---------------------------------------------------------------- changing all of it


def test_train_and_eval() -> None:
    net = Net()
    assert net.training
    assert net.eval() is net
    assert not any(module.training for module in net.modules())
    net.train()
    assert all(module.training for module in net.modules())
    with pytest.raises(ValueError, match="mode"):
        net.train("yes")


def test_apply_goes_from_the_leaves_up() -> None:
    seen: list[nn.Module] = []
    net = Net()
    assert net.apply(seen.append) is net
    assert seen == [net.first, net.norm, *net.last, net.last, net]


def test_zero_grad_and_requires_grad() -> None:
    net = nn.Linear(2, 1)
    net(ag.ones(1, 2)).backward()
    net.zero_grad(set_to_none=False)
    assert net.weight.grad.tolist() == [[0.0, 0.0]]
    net.zero_grad()
    assert net.weight.grad is None
    assert net.requires_grad_(False) is net
    assert not net(ag.ones(1, 2)).requires_grad


@pytest.mark.parametrize("device", DEVICES)
def test_to_another_device_and_dtype(device: str) -> None:
    net = Net()
    weight = net.first.weight
    x = made((4, 2), dtype=ag.float32)
    net(x).sum().backward()
    assert net.to(device, ag.float64) is net
    assert net.first.weight is weight
    for tensor in (*net.parameters(), *net.buffers()):
        assert tensor.device == device
        assert tensor.dtype is (ag.int64 if tensor is net.norm.num_batches_tracked else ag.float64)
    assert weight.grad.dtype is ag.float64
    assert weight.grad.device == device
    net.zero_grad()
    net(made((4, 2), device=device)).sum().backward()
    assert weight.grad.dtype is ag.float64
    assert weight.grad.device == device
    net.to("cpu", dtype=ag.float32)(x)


def test_ways_to_convert() -> None:
    net = nn.Linear(2, 1)
    assert net.double().weight.dtype is ag.float64
    assert net.float().weight.dtype is ag.float32
    assert net.half().weight.dtype is ag.float16
    assert net.to(ag.zeros(1, dtype=ag.float64)).weight.dtype is ag.float64
    assert net.to(device="cpu", dtype=float).cpu().weight.dtype is ag.float32
    with pytest.raises(TypeError, match="float dtype, not of int64"):
        net.to(ag.int64)
    with pytest.raises(ag.DeviceError):
        net.to("nowhere")


def test_tied_parameters_stay_tied() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    net.double()
    assert net[1].weight is net[0].weight
    assert net[1].weight.dtype is ag.float64


# ---------------------------------------------------------------- saving and loading


def trained() -> Net:
    net = Net()
    net(made((4, 2), dtype=ag.float32))
    with ag.no_grad():
        for parameter in net.parameters():
            parameter.copy_(made(tuple(parameter.shape)))
    return net


def values(net: nn.Module) -> dict[str, Any]:
    return {name: tensor.tolist() for name, tensor in net.state_dict().items()}


def test_state_dict_shares_memory() -> None:
    net = Net()
    state = net.state_dict()
    assert not any(tensor.requires_grad for tensor in state.values())
    state["first.bias"].fill_(7.0)
    assert net.first.bias.tolist() == [7.0] * 3
    assert net.state_dict(keep_vars=True)["first.bias"] is net.first.bias
    assert list(net.first.state_dict(prefix="a.")) == ["a.weight", "a.bias"]


def test_round_trip() -> None:
    net, other = trained(), Net()
    result = other.load_state_dict(net.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert values(other) == values(net)
    other.scale.data.fill_(9.0)
    assert net.scale.tolist() != other.scale.tolist()


@pytest.mark.parametrize("device", DEVICES)
def test_load_from_another_dtype_and_device(device: str) -> None:
    net, other = trained(), Net()
    weight = other.first.weight
    other.load_state_dict(net.to(device, ag.float64).state_dict())
    assert other.first.weight is weight
    assert weight.dtype is ag.float32
    assert weight.device == "cpu"
    near(weight, net.first.weight.tolist(), 1e-6)


def test_load_into_the_middle_of_a_graph_is_noticed() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    loss = net(ag.ones(1, 2)).sum()
    net.load_state_dict(net.state_dict())
    with pytest.raises(ag.TapeError, match="copy_"):
        loss.backward()


def test_load_errors_name_everything_and_change_nothing() -> None:
    net = trained()
    before = values(net)
    state = Net().state_dict()
    del state["scale"], state["last.1.bias"]
    state["first.weight"] = ag.zeros(1, 2)
    state["norm.bias"] = ag.zeros(4)
    state["shift"] = [0.0, 0.0, 0.0]
    state["extra"] = ag.zeros(1)
    with pytest.raises(RuntimeError, match=r"Error\(s\) in loading state_dict for Net:") as caught:
        net.load_state_dict(state)
    message = str(caught.value)
    # PyTorch's words, its torch.Size apart.
    assert '\n\tMissing key(s) in state_dict: "scale", "last.1.bias". \n' in message
    assert '\n\tUnexpected key(s) in state_dict: "extra". \n' in message
    mismatch = "copying a param with shape Size([{}]) from checkpoint, the shape in current model is Size([{}])."
    assert f"size mismatch for first.weight: {mismatch.format('1, 2', '3, 2')}" in message
    assert f"size mismatch for norm.bias: {mismatch.format('4', '3')}" in message
    assert 'While copying the parameter named "shift", expected a Tensor from checkpoint but received list' in message
    assert values(net) == before


def test_load_by_assigning() -> None:
    net = trained()
    state = {key: tensor.clone() for key, tensor in Net().double().state_dict().items()}
    state["scale"] = given = nn.Parameter(ag.ones(3))
    net.first.weight.requires_grad_(False)
    assert repr(net.load_state_dict(state, assign=True)) == "<All keys matched successfully>"
    assert net.first.bias.dtype is ag.float64
    assert net.first.bias.array is state["first.bias"].array
    assert isinstance(net.first.bias, nn.Parameter)
    assert net.first.bias.requires_grad
    assert not net.first.weight.requires_grad
    assert net.scale is given
    assert net.shift is state["shift"]
    assert dict(net.named_parameters())["first.bias"] is net.first.bias
    before = values(net)
    with pytest.raises(RuntimeError, match="size mismatch for scale"):
        net.load_state_dict({**state, "shift": ag.zeros(3), "scale": ag.zeros(1)}, assign=True)
    assert values(net) == before


def test_load_not_strictly() -> None:
    net = trained()
    result = net.load_state_dict({"scale": ag.zeros(3), "extra": ag.zeros(1)}, strict=False)
    assert result.unexpected_keys == ["extra"]
    assert result.missing_keys == KEYS[1:]
    assert "extra" in repr(result)
    assert net.scale.tolist() == [0.0] * 3
    before = values(net)
    with pytest.raises(RuntimeError, match="size mismatch for scale"):
        net.load_state_dict({"shift": ag.ones(3), "scale": ag.zeros(1)}, strict=False)
    assert values(net) == before
    with pytest.raises(TypeError, match="list"):
        net.load_state_dict([])


def test_a_conversion_that_fails_changes_nothing() -> None:
    class Stuck(ag.Tensor):
        def detach(self) -> Any:
            return self

        def to(self, *arguments: Any) -> Any:
            raise TypeError("it cannot be moved")

    net = nn.Linear(2, 1, device="strict")
    before = values(net)
    with pytest.raises(TypeError, match="it cannot be moved"):
        net.load_state_dict({"weight": ag.ones(1, 2), "bias": Stuck(ag.ones(1))})
    assert values(net) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_copies_are_apart(copied: Any) -> None:
    net = trained()
    net.last[1].weight = net.last[1].weight
    other = copied(net)
    assert values(other) == values(net)
    assert other.scale is other._parameters["scale"]
    assert isinstance(other.scale, nn.Parameter)
    assert other.first is other._modules["first"]
    x = made((4, 2), dtype=ag.float32)
    near(other.eval()(x), net.eval()(x).tolist())
    other(x).sum().backward()
    assert other.scale.grad is not None
    assert net.scale.grad is None
    other.scale.data.fill_(5.0)
    assert net.scale.tolist() != other.scale.tolist()


def test_copies_keep_ties() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other[1].weight is other[0].weight


# ---------------------------------------------------------------- printing


def test_repr() -> None:
    class Small(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(1, 2), nn.ReLU())

        def extra_repr(self) -> str:
            return "size=2"

    # As PyTorch 2.13 prints it.
    assert (
        repr(Small())
        == """Small(
  size=2
  (body): Sequential(
    (0): Linear(in_features=1, out_features=2, bias=True)
    (1): ReLU()
  )
)"""
    )
    assert repr(nn.Module()) == "Module()"
    assert repr(nn.Sequential()) == "Sequential()"
