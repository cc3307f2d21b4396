"""Names that are imported when they are first asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from inspect import unwrap
from types import ModuleType
from typing import Any

import pytest

import autograd_ops as ag
from autograd_ops import Tensor, functions, lazy

MODULES = list(functions.LAZY)


@pytest.mark.parametrize("place", MODULES)
def test_the_list_of_names_is_that_of_the_module(place: str) -> None:
    module = import_module(f"autograd_ops.{place}")
    assert set(functions.LAZY[place]) == set(module.__all__)
    for name in module.__all__:
        assert getattr(functions, name) is getattr(module, name)
        assert unwrap(getattr(module, name)) is unwrap(getattr(ag, name))  # which may take out=
        assert name in dir(ag)
        assert name in dir(functions)


def test_a_module_is_imported_when_a_method_is_first_called() -> None:
    place = "functions.arranging"
    program = f"""
import sys, autograd_ops as ag
assert not any("autograd_ops." + place in sys.modules for place in {MODULES})
x = ag.tensor([1, 2])
assert "autograd_ops.{place}" not in sys.modules
assert x.flipud().tolist() == [2, 1]
assert ag.Tensor.flipud is ag.flipud is sys.modules["autograd_ops.{place}"].flipud
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_nowhere_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'autograd_ops' has no attribute 'no_such_name'"):
        _ = ag.no_such_name
    with pytest.raises(AttributeError, match=r"module 'autograd_ops.functions' has no attribute 'no_such_name'"):
        _ = functions.no_such_name


def test_stand_ins_give_way_to_methods_and_properties(monkeypatch: pytest.MonkeyPatch) -> None:
    class Base:
        pass

    class Derived(Base):
        pass

    module: Any = import_module("autograd_ops.functions.arranging")
    monkeypatch.setattr(module, "is_here", property(lambda self: self is here), raising=False)
    monkeypatch.setattr(module, "itself", lambda self: self, raising=False)
    lazy.attach(Base, "functions.arranging", "is_here", "itself")
    here: Any = Derived()
    assert here.itself() is here
    assert here.is_here
    assert "itself" in vars(Base)
    assert "itself" not in vars(Derived)
    assert vars(Base)["itself"] is module.itself


def test_every_listed_function_is_a_method_or_known_not_to_be() -> None:
    from autograd_ops.methods import _NOT_METHODS

    for names in functions.LAZY.values():
        for name in names:
            assert name in _NOT_METHODS or hasattr(Tensor, name), name


@pytest.mark.parametrize("package", [ag, ag.nn, ag.nn.utils, ag.optim, ag.autograd, ag.array_api])
def test_dir_shows_no_module_that_is_a_room_behind_another_name(package: Any) -> None:
    modules = {name for name in dir(package) if isinstance(getattr(package, name), ModuleType)}
    assert not modules & {"arrays", "call_path", "creation", "lazy", "methods", "conv", "loss", "sgd", "core", "axes"}
    for name in dir(package):
        getattr(package, name)
    assert "TYPE_CHECKING" not in dir(package)
