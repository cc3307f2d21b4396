"""Sequential, ModuleList, ModuleDict and ParameterList."""

from __future__ import annotations

from collections import OrderedDict
from itertools import pairwise

import pytest

import autograd_ops as ag
from autograd_ops import nn


def linears(*sizes: int) -> list[nn.Linear]:
    return [nn.Linear(a, b) for a, b in pairwise(sizes)]


def test_sequential_runs_in_order() -> None:
    first, last = linears(2, 3, 1)
    net = nn.Sequential(first, nn.ReLU(), last)
    x = ag.ones(4, 2)
    assert net(x).tolist() == last(first(x).relu()).tolist()
    assert nn.Sequential()(x) is x


def test_sequential_is_a_list() -> None:
    a, b, c = linears(2, 3, 4, 5)
    net = nn.Sequential(a, b)
    assert len(net) == 2
    assert list(net) == [a, b]
    assert net[0] is a
    assert net[-1] is b
    assert net.append(c) is net
    assert list(net[1:]) == [b, c]
    assert isinstance(net[1:], nn.Sequential)
    assert list(net[1:].state_dict()) == ["1.weight", "1.bias", "2.weight", "2.bias"]
    net[1] = nn.ReLU()
    assert [name for name, _ in net.named_children()] == ["0", "1", "2"]
    del net[1]
    assert list(net) == [a, c]
    assert [name for name, _ in net.named_children()] == ["0", "1"]
    assert not hasattr(net, "2")
    net.insert(1, b)
    assert list(net) == [a, b, c]
    assert len(net.extend([nn.ReLU(), nn.ReLU()])) == 5
    for index in (5, -6):
        with pytest.raises(IndexError, match="5 items"):
            net[index]


def test_the_same_module_twice() -> None:
    relu = nn.ReLU()
    net = nn.Sequential(nn.Linear(1, 1), relu, nn.Linear(1, 1), relu)
    assert len(net) == 4
    assert len(net[1:]) == 3


def test_sequential_of_names() -> None:
    a, b = linears(2, 3, 4)
    net = nn.Sequential(OrderedDict([("first", a), ("last", b)]))
    assert net.first is a
    assert net[1] is b
    assert list(net[1:].state_dict()) == ["last.weight", "last.bias"]


def test_module_list() -> None:
    a, b, c = linears(2, 3, 4, 5)
    modules = nn.ModuleList([a])
    modules += [b]
    modules.append(c)
    assert list(modules) == [a, b, c]
    assert list(modules[:2]) == [a, b]
    assert isinstance(modules[:2], nn.ModuleList)
    assert list(modules + nn.ModuleList([a])) == [a, b, c, a]
    assert c in modules
    assert list(modules.state_dict())[-1] == "2.bias"
    assert len(list(modules.parameters())) == 6
    del modules[0:2]
    assert list(modules) == [c]
    assert list(modules.state_dict()) == ["0.weight", "0.bias"]
    with pytest.raises(TypeError, match="Module"):
        modules.append(3)
    with pytest.raises(NotImplementedError):
        modules(1)


def test_module_list_repr() -> None:
    # As PyTorch 2.13 prints it.
    assert (
        repr(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()]))
        == """ModuleList(
  (0-1): 2 x ReLU()
  (2): Tanh()
)"""
    )


def test_module_dict() -> None:
    a, b, c = linears(2, 3, 4, 5)
    modules = nn.ModuleDict({"a": a})
    modules.update([("b", b)])
    modules["c"] = c
    assert list(modules) == list(modules.keys()) == ["a", "b", "c"]
    assert list(modules.values()) == [a, b, c]
    assert dict(modules.items())["a"] is a
    assert "a" in modules
    assert len(modules) == 3
    assert modules.pop("a") is a
    assert "a" not in modules
    del modules["b"]
    assert list(modules.state_dict()) == ["c.weight", "c.bias"]
    assert nn.ModuleDict(modules)["c"] is c
    with pytest.raises(KeyError):
        modules["z"]
    with pytest.raises(KeyError, match="attribute"):
        modules["keys"] = a
    modules.clear()
    assert len(modules) == 0


def test_parameter_list() -> None:
    weight = nn.Parameter(ag.ones(2))
    parameters = nn.ParameterList([weight, ag.zeros(3)])
    assert parameters[0] is weight
    assert isinstance(parameters[1], nn.Parameter)
    assert list(parameters.state_dict()) == ["0", "1"]
    parameters.append(nn.Parameter(ag.zeros(1)))
    assert len(parameters) == 3
    assert isinstance(parameters[1:], nn.ParameterList)
    del parameters[0]
    assert [tuple(p.shape) for p in parameters] == [(3,), (1,)]
    assert len(list(parameters.parameters())) == 2
