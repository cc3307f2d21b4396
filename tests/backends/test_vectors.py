"""Module ops against recorded cases: inputs, options, outputs, and the gradients of sum(output * seed)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_backends.options import AttentionModuleOptions, ConvOptions, PaddedConvOptions

from .conftest import Lane, close

DATA = Path(__file__).parents[1] / "vectors"


def cases(family: str) -> list[Any]:
    found = json.loads((DATA / f"{family}.json").read_text())
    # batch_norm, by given statistics, is written in ops; it is no kernel.
    kernels = [case for case in found if "raises" not in case and case["op"] != "batch_norm"]
    return [pytest.param(case, id=case["id"]) for case in kernels]


class Case:
    """A recorded case on a lane."""

    def __init__(self, case: dict[str, Any], lane: Lane, dtype: str) -> None:
        self.case, self.lane, self.dtype = case, lane, dtype
        self.op: str = case["op"]
        self.options = {k: tuple(v) if isinstance(v, list) else v for k, v in case["options"].items()}
        self.inputs = {name: self.array(value) for name, value in case["inputs"].items()}
        self.seed = self.array(case["seed"])

    def array(self, value: dict[str, Any] | None) -> Any:
        if value is None:
            return None
        data = np.array([float(v) for v in value["data"]]).reshape(value["shape"])
        return self.lane.array(data, {"float": self.dtype, "int": "int64", "bool": "bool"}[value["kind"]])

    def sizes(self, *names: str) -> list[tuple[int, ...]]:
        """Options with one int for each spatial dimension."""
        return [v if isinstance(v := self.options[name], tuple) else (v,) for name in names]

    def op_of(self, suffix: str = "") -> Any:
        return getattr(self.lane.ops, self.op + suffix)

    def check(self, got: Any, group: str, name: str) -> None:
        want = self.case[group].get(name)
        if want is None:
            return
        data = np.array([float(v) for v in want["data"]]).reshape(want["shape"])
        dtype = self.dtype if want["kind"] == "float" else "int64"
        got = self.lane.host(got)
        if dtype == "int64":
            assert got.dtype == np.int64
            np.testing.assert_array_equal(got, data)
        else:
            close(got, data, dtype, scale=max(1.0, float(np.abs(data).max())))


@pytest.mark.parametrize("case", cases("conv"))
def test_conv(case: dict[str, Any], lane: Lane, dtype: str) -> None:
    c = Case(case, lane, dtype)
    o, x, weight = c.options, c.inputs["x"], c.inputs["weight"]
    if "padding_end" in o:
        options: ConvOptions = PaddedConvOptions.asymmetric(
            o["stride"], o["padding"], o["padding_end"], o["dilation"], o["groups"]
        )
    else:
        options = ConvOptions(o["stride"], o["padding"], o["dilation"], o["groups"])
    c.check(c.op_of()(x, weight, c.inputs["bias"], options), "outputs", "output")
    c.check(c.op_of("_x_backward")(x.shape, weight, c.seed, options), "grads", "x")
    c.check(c.op_of("_weight_backward")(x, weight.shape, c.seed, options), "grads", "weight")
    c.check(c.op_of("_bias_backward")(c.seed), "grads", "bias")


@pytest.mark.parametrize("case", cases("pool"))
def test_pool(case: dict[str, Any], lane: Lane, dtype: str) -> None:
    c = Case(case, lane, dtype)
    x = c.inputs["x"]
    if c.op.startswith("max"):
        sizes = c.sizes("kernel_size", "stride", "padding", "dilation")
        pooled = c.op_of("_with_indices")(x, *sizes, c.options["ceil_mode"])
        c.check(pooled.output, "outputs", "output")
        c.check(pooled.indices, "outputs", "indices")
        grad = lane.ops.scatter_planes(x.shape, c.seed, pooled.indices)
    elif c.op.startswith("adaptive"):
        c.check(c.op_of()(x, *c.sizes("output_size")), "outputs", "output")
        grad = c.op_of("_backward")(x.shape, c.seed)
    else:
        sizes = c.sizes("kernel_size", "stride", "padding")
        flags = c.options["count_include_pad"], c.options["ceil_mode"]
        c.check(c.op_of()(x, *sizes, *flags), "outputs", "output")
        grad = c.op_of("_backward")(x.shape, c.seed, *sizes, *flags)
    c.check(grad, "grads", "x")


@pytest.mark.parametrize("case", cases("linear"))
def test_linear_and_embedding(case: dict[str, Any], lane: Lane, dtype: str) -> None:
    c = Case(case, lane, dtype)
    if c.op == "embedding":
        weights, indices = c.inputs["weights"], c.inputs["indices"]
        c.check(c.op_of()(weights, indices), "outputs", "output")
        c.check(c.op_of("_backward")(weights.shape, c.seed, indices), "grads", "weights")
        return
    x, weight, bias = c.inputs["x"], c.inputs["weight"], c.inputs["bias"]
    c.check(c.op_of()(x, weight, bias), "outputs", "output")
    c.check(c.op_of("_x_backward")(weight, c.seed), "grads", "x")
    c.check(c.op_of("_weight_backward")(x, c.seed), "grads", "weight")
    c.check(c.op_of("_bias_backward")(c.seed), "grads", "bias")


@pytest.mark.parametrize("case", cases("norm"))
def test_norm(case: dict[str, Any], lane: Lane, dtype: str) -> None:
    c = Case(case, lane, dtype)
    x, gamma, beta, epsilon = c.inputs["x"], c.inputs["gamma"], c.inputs["beta"], c.options["epsilon"]
    out = c.op_of()(x, gamma, beta, epsilon)
    if c.op == "batch_norm_train":
        for name in out._fields:
            c.check(getattr(out, name), "outputs", name)
        grads = c.op_of("_backward")(x, gamma, out.mean, out.variance, epsilon, c.seed)
    else:
        c.check(out.output, "outputs", "output")
        grads = c.op_of("_backward")(x, gamma, out.mean, out.rstd, c.seed)
    for name in ("x", "gamma", "beta"):
        c.check(getattr(grads, f"{name}_grad"), "grads", name)


@pytest.mark.parametrize("case", cases("attention"))
def test_attention(case: dict[str, Any], lane: Lane, dtype: str) -> None:
    c = Case(case, lane, dtype)
    given = [c.inputs[name] for name in ("query", "key", "value", "mask", "attn_bias")]
    options = AttentionModuleOptions(**c.options)
    out = c.op_of()(*given, options)
    c.check(out.output, "outputs", "output")
    grads = c.op_of("_backward")(*given, out.output, out.log_sum, c.seed, options)
    for name in ("query", "key", "value", "attn_bias"):
        c.check(getattr(grads, f"{name}_grad"), "grads", name)
