"""einops, told of Tensors by `autograd_ops.einops_backend`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import einops
import einops.array_api
import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops.autograd import gradcheck

X = np.random.default_rng(0).permutation(np.linspace(-1.0, 2.0, 24)).reshape(2, 3, 4)

#: Calls that einops makes of NumPy arrays just as well.
CALLS: dict[str, Callable[[Any], Any]] = {
    "rearrange": lambda x: einops.rearrange(x, "b c (h w) -> w (b h) c", h=2),
    "rearrange a list": lambda x: einops.rearrange([x, x * 2], "k b c n -> b n (c k)"),
    "rearrange with ones": lambda x: einops.rearrange(x, "b c n -> b 1 c n ()"),
    **{
        f"reduce {how}": lambda x, how=how: einops.reduce(x, "b c (h w) -> c h", how, h=2)
        for how in ("min", "max", "sum", "mean", "prod")
    },
    "reduce by a function": lambda x: einops.reduce(x, "b c n -> b n", lambda x, axes: x.sum(axes)),
    "repeat": lambda x: einops.repeat(x, "b c n -> b (2 c) n k", k=3),
    "einsum": lambda x: einops.einsum(x, x, "b c n, b d n -> b c d"),
    "pack": lambda x: einops.pack([x, x[:, 0]], "b * n")[0],
    "unpack": lambda x: einops.unpack(x, [[2], []], "b * n")[1],
}
#: The same for any arrays of the standard, without a backend.
STANDARD: dict[str, Callable[[Any], Any]] = {
    "rearrange": lambda x: einops.array_api.rearrange(x, "b c n -> n (b c)"),
    "reduce": lambda x: einops.array_api.reduce(x, "b c n -> n", "mean"),
    "repeat": lambda x: einops.array_api.repeat(x, "b c n -> b c n k", k=2),
    "pack": lambda x: einops.array_api.pack([x, x[:, 0]], "b * n")[0],
    "unpack": lambda x: einops.array_api.unpack(x, [[2], []], "b * n")[1],
}


@pytest.mark.parametrize(
    "call", [*CALLS.values(), *STANDARD.values()], ids=[*CALLS, *(f"array_api {n}" for n in STANDARD)]
)
@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
def test_does_what_it_does_with_numpy(call: Callable[[Any], Any], device: str) -> None:
    got = call(ag.tensor(X, device=device))
    assert isinstance(got, ag.Tensor)
    assert got.device == device
    np.testing.assert_allclose(got.cpu().numpy(), call(X), rtol=1e-13)


@pytest.mark.parametrize(
    "call", [*CALLS.values(), *STANDARD.values()], ids=[*CALLS, *(f"array_api {n}" for n in STANDARD)]
)
def test_is_differentiated(call: Callable[[Any], Any]) -> None:
    assert gradcheck(call, ag.tensor(X, requires_grad=True))


def test_conditions_are_reduced() -> None:
    x = ag.tensor(X) > 0
    for how, wanted in (("any", (X > 0).any((0, 2))), ("all", (X > 0).all((0, 2)))):
        assert einops.reduce(x, "b c n -> c", how).tolist() == wanted.tolist()


def test_means_are_of_floats() -> None:
    with pytest.raises(NotImplementedError, match="mean"):
        einops.reduce(ag.ones(2, 3, dtype=ag.int64), "a b -> a", "mean")


def test_comes_and_goes_as_numpy_arrays() -> None:
    x = ag.tensor(X, requires_grad=True)
    assert einops.asnumpy(x).tolist() == X.tolist()
    assert einops.parse_shape(x, "b _ n") == {"b": 2, "n": 4}
    backend = einops._backends.get_backend(x)
    assert backend.from_numpy(X).tolist() == X.tolist()
    assert backend.arange(1, 3).tolist() == [1, 2]


@pytest.mark.parametrize("imports", ["einops, autograd_ops as ag", "autograd_ops as ag, einops"])
def test_the_order_of_imports_does_not_matter(imports: str) -> None:
    lines = f"import {imports}; print(einops.rearrange(ag.zeros(2, 3), 'a b -> b a').shape)"
    done = subprocess.run([sys.executable, "-c", lines], check=True, capture_output=True, text=True)
    assert done.stdout == "Size([3, 2])\n"


def test_without_einops_nothing_of_it_is_imported() -> None:
    lines = "import sys, autograd_ops; assert 'einops' not in sys.modules"
    subprocess.run([sys.executable, "-c", lines], check=True)
