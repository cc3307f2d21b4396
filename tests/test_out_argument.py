"""``out=``: the result of a function, written to a Tensor that the user gives."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import functions, out_argument
from autograd_ops.tape import TapeError

show: Any = ag  # the wrappers have an argument that their types do not tell of

A, B = [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]


@pytest.fixture(params=["cpu", "strict:device1"])
def device(request: Any) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    ("call", "want"),
    [
        (lambda a, b, out: show.add(a, b, out=out), [[6.0, 8.0], [10.0, 12.0]]),
        (lambda a, b, out: show.add(a, b, alpha=2, out=out), [[11.0, 14.0], [17.0, 20.0]]),
        (lambda a, b, out: show.mul(a, b, out=out), [[5.0, 12.0], [21.0, 32.0]]),
        (lambda a, b, out: show.sub(a, 1, out=out), [[0.0, 1.0], [2.0, 3.0]]),
        (lambda a, b, out: show.matmul(a, b, out=out), [[19.0, 22.0], [43.0, 50.0]]),
        (lambda a, b, out: show.square(a, out=out), [[1.0, 4.0], [9.0, 16.0]]),
        (lambda a, b, out: show.cat([a[:1], b[:1]], out=out), [[1.0, 2.0], [5.0, 6.0]]),
        (lambda a, b, out: show.sum(a, 1, keepdim=True, out=out[:, :1]), None),
        (lambda a, b, out: show.ones(2, 2, out=out), [[1.0, 1.0], [1.0, 1.0]]),
        (lambda a, b, out: show.tril(a, out=out), [[1.0, 0.0], [3.0, 4.0]]),
        (lambda a, b, out: show.gt(a, 2, out=out), [[0.0, 0.0], [1.0, 1.0]]),
    ],
)
def test_the_result_is_written_to_out_and_out_returned(call: Any, want: Any, device: str) -> None:
    a, b = ag.tensor(A, device=device), ag.tensor(B, device=device)
    out = ag.zeros(2, 2, device=device)
    array, version = out.array, out.version[0]
    got = call(a, b, out)
    if want is None:  # a view of out, where there are views
        assert got.tolist() == [[3.0], [7.0]]
        return
    assert got is out
    assert out.array is array
    assert out.version[0] == version + 1
    assert out.tolist() == want


def test_an_out_without_elements_takes_the_shape_of_the_result() -> None:
    out = ag.empty(0, dtype=ag.float64)
    assert show.exp(ag.tensor([0.0, 0.0]), out=out) is out
    assert out.tolist() == [1.0, 1.0]
    assert out.dtype is ag.float64
    assert show.arange(3, out=ag.empty(0)).dtype is ag.float32
    x = ag.tensor([1.0, -2.0])
    kept = show.cat([x], out=ag.empty(0))
    kept[0] = 9.0
    assert x.tolist() == [1.0, -2.0]


def test_out_may_be_an_argument() -> None:
    a = ag.tensor(A)
    show.matmul(a, a, out=a)
    assert a.tolist() == [[7.0, 10.0], [15.0, 22.0]]


def test_several_results_go_to_several_outs() -> None:
    values, places = ag.empty(0), ag.empty(0, dtype=ag.int64)
    got = show.max(ag.tensor([[1.0, 5.0], [7.0, 2.0]]), 1, out=(values, places))
    assert got.values is values
    assert got.indices is places
    assert (values.tolist(), places.tolist()) == ([5.0, 7.0], [1, 0])


@pytest.mark.parametrize(
    ("kind", "message", "call"),
    [
        (ValueError, r"add: the result has shape \(2,\), and out \(3,\)", lambda x: show.add(x, x, out=ag.empty(3))),
        (TypeError, "add: a result of float32 .* int64", lambda x: show.add(x, x, out=ag.zeros(2, dtype=ag.int64))),
        (TypeError, "exp: out must be a Tensor, not ndarray", lambda x: show.exp(x, out=np.zeros(2))),
        (
            TapeError,
            "exp: what is written to out= is not recorded",
            lambda x: show.exp(x.requires_grad_(), out=ag.empty(2)),
        ),
        (TapeError, "cat: what is written", lambda x: show.cat([x.requires_grad_()], out=ag.empty(2))),
        (TapeError, "exp: what is written", lambda x: show.exp(x, out=ag.empty(2, requires_grad=True))),
        (ValueError, "exp: the target is expanded", lambda x: show.exp(x, out=ag.zeros(1).expand(2))),
        (ValueError, "max: 2 results for 1 tensors", lambda x: show.max(x, 0, out=ag.empty(0))),
        (
            ag.DeviceError,
            "exp: the result is on 'cpu', and out on 'strict",
            lambda x: show.exp(x, out=ag.empty(2, device="strict")),
        ),
    ],
)
def test_refusals_leave_out_as_it_was(kind: Any, message: str, call: Any) -> None:
    with pytest.raises(kind, match=message):
        call(ag.tensor([1.0, 2.0]))


def test_under_no_grad_nothing_is_recorded_and_so_all_may_require_grad() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    with ag.no_grad():
        assert show.mul(x, 2, out=x) is x
    assert x.tolist() == [2.0, 4.0]
    assert x.is_leaf


def test_a_change_by_out_is_noticed_by_backward() -> None:
    x, c = ag.tensor([1.0, 2.0], requires_grad=True), ag.tensor([3.0, 4.0])
    y = x * c
    show.neg(c, out=c)
    with pytest.raises(TapeError, match=re.escape("neg with out= at ")):
        y.sum().backward()


def test_signatures_and_documentation_are_the_functions_own() -> None:
    plain = str(inspect.signature(functions.add))
    assert str(inspect.signature(ag.add)) == plain.replace(") ->", ", out=None) ->")
    assert str(inspect.signature(ag.exp)) == "(input, *, out=None)"
    assert ag.add.__doc__ == functions.add.__doc__
    assert out_argument.takes_out(functions.add)(1.0, ag.tensor(2.0)).item() == 3.0
    with pytest.raises(TypeError, match="unexpected keyword argument 'inn'"):
        show.add(1.0, ag.tensor(2.0), inn=None)


def test_every_function_that_is_listed_takes_out() -> None:
    for name in out_argument.TAKING_OUT:
        shown = getattr(ag, name)
        with pytest.raises(TypeError, match=r"out must be a Tensor|missing|expected"):
            shown(out=3)
