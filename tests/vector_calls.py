"""Calls of the module ops from the recorded vectors, and the lanes in which each is checked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import autograd_ops as ag
from autograd_ops import Tensor, ops

from .op_calls import host

__all__ = ["LANES", "Vector", "lanes_of", "read_vectors", "run"]

FOLDER = Path(__file__).parent / "vectors"

#: What may differ, relative and absolute: the rounding of a few hundred terms.
TOLERANCES = {"float64": (1e-9, 1e-10), "float32": (2e-4, 2e-4)}

Values = dict[str, Any]


class Vector:
    """One recorded call.

    Attributes
    ----------
    name
        Its name, for people.
    op
        The op by the name it is recorded under; the pools of maxima give their indices too.
    options
        By name; lists have become tuples.
    refused
        Why the call must raise an error; empty if it must not.
    """

    def __init__(self, recorded: dict[str, Any]) -> None:
        self.name: str = recorded["id"]
        self.op: str = recorded["op"]
        self.options = {name: _tuples(value) for name, value in recorded["options"].items()}
        self.refused: str = recorded.get("raises", "")
        self._inputs = recorded["inputs"]
        self._seed = recorded.get("seed")
        self.outputs = {name: _numbers(v) for name, v in recorded.get("outputs", {}).items()}
        self.gradients = {name: _numbers(v) for name, v in recorded.get("grads", {}).items()}

    def __repr__(self) -> str:
        return self.name

    @property
    def function_name(self) -> str:
        """The op's name in ``autograd_ops.ops``."""
        return f"{self.op}_with_indices" if self.op.startswith("max_pool") else self.op

    def inputs(
        self, device: str, dtype: str, leaves: bool = False, shift: dict[str, np.ndarray] | None = None
    ) -> Values:
        """The inputs as Tensors; `leaves`: those with gradients need them; `shift` is added to those it names."""
        found: Values = {}
        for name, value in self._inputs.items():
            if value is None:
                found[name] = None
                continue
            array = _numbers(value) + (shift or {}).get(name, 0)
            found[name] = ag.tensor(array, dtype=_dtype(value, dtype), device=device)
            if leaves and name in self.gradients:
                found[name].requires_grad_()
        return found

    def seed(self, device: str, dtype: str) -> Tensor:
        """What arrives at the output."""
        return ag.tensor(_numbers(self._seed), dtype=dtype, device=device)

    def value(self, name: str) -> np.ndarray:
        """An input on the host."""
        return _numbers(self._inputs[name])


def read_vectors(families: Iterable[str] | None = None) -> list[Vector]:
    """The vectors of `families`, of all by default."""
    paths = sorted(FOLDER.glob("*.json")) if families is None else [FOLDER / f"{name}.json" for name in families]
    return [Vector(recorded) for path in paths for recorded in json.loads(path.read_text())]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _numbers(value: dict[str, Any]) -> np.ndarray:
    kind = {"float": np.float64, "int": np.int64, "bool": np.bool_}[value["kind"]]
    data = [float(v) for v in value["data"]] if value["kind"] == "float" else value["data"]
    return np.array(data, kind).reshape(value["shape"])


def _dtype(value: dict[str, Any], dtype: str) -> str:
    return {"float": dtype, "int": "int64", "bool": "bool"}[value["kind"]]


# ---------------------------------------------------------------- the calls

_SNAKE = {"NearestExact": "nearest_exact"}


def _lower(o: Values) -> Values:
    """Options whose modes, recorded in capitals, are as ``ops`` has them."""
    return {k: _SNAKE.get(v, v.lower()) if isinstance(v, str) else v for k, v in o.items()}


def _conv_options(o: Values) -> Any:
    if "padding_end" in o:
        return ops.PaddedConvOptions.asymmetric(o["stride"], o["padding"], o["padding_end"], o["dilation"], o["groups"])
    return ops.ConvOptions(**o)


def _unfold_options(o: Values) -> Any:
    return ops.UnfoldOptions(stride=o["stride"], padding=o["padding"], dilation=o["dilation"])


def _avg(o: Values) -> tuple[Any, ...]:
    return tuple(o[name] for name in ("kernel_size", "stride", "padding", "count_include_pad", "ceil_mode"))


def _max(o: Values) -> tuple[Any, ...]:
    return tuple(o[name] for name in ("kernel_size", "stride", "padding", "dilation", "ceil_mode"))


def _log_probs(i: Values) -> Any:
    return ops.log_softmax(i["logits"], -1) if "logits" in i else i["log_probs"]


#: Op, without its number of dimensions -> the arguments of a call, from the inputs and the options.
ARGUMENTS: dict[str, Callable[[Values, Values], tuple[Any, ...]]] = {
    "linear": lambda i, o: (i["x"], i["weight"], i["bias"]),
    "embedding": lambda i, o: (i["weights"], i["indices"]),
    "conv": lambda i, o: (i["x"], i["weight"], i["bias"], _conv_options(o)),
    "conv_transpose": lambda i, o: (i["x"], i["weight"], i["bias"], ops.ConvTransposeOptions(**o)),
    "deform_conv": lambda i, o: (
        *(i[name] for name in ("x", "offset", "weight", "mask", "bias")),
        ops.DeformConvOptions(**o),
    ),
    "avg_pool": lambda i, o: (i["x"], *_avg(o)),
    "adaptive_avg_pool": lambda i, o: (i["x"], o["output_size"]),
    "max_pool": lambda i, o: (i["x"], *_max(o)),
    "batch_norm": lambda i, o: (i["x"], i["gamma"], i["beta"], i["mean"], i["variance"], o["epsilon"]),
    "batch_norm_train": lambda i, o: (i["x"], i["gamma"], i["beta"], o["epsilon"]),
    "layer_norm": lambda i, o: (i["x"], i["gamma"], i["beta"], o["epsilon"]),
    "unfold4d": lambda i, o: (i["x"], o["kernel_size"], _unfold_options(o)),
    "fold4d": lambda i, o: (i["x"], o["output_size"], o["kernel_size"], _unfold_options(o)),
    "unfold": lambda i, o: (i["x"], o["dim"], o["size"], o["step"]),
    "interpolate": lambda i, o: (i["x"], o["output_size"], _interpolate_options(o)),
    "grid_sample": lambda i, o: (i["x"], i["grid"], ops.GridSampleOptions(**_lower(o))),
    "pad": lambda i, o: (i["x"], o["padding"], o["mode"].lower(), o.get("value", 0.0)),
    "attention": lambda i, o: (
        *(i[name] for name in ("query", "key", "value", "mask", "attn_bias")),
        ops.AttentionModuleOptions(**o),
    ),
    "ctc_loss": lambda i, o: (_log_probs(i), i["targets"], i["input_lengths"], i["target_lengths"], o["blank"]),
}


def _interpolate_options(o: Values) -> Any:
    return ops.InterpolateOptions(**_lower({name: v for name, v in o.items() if name != "output_size"}))


def _bare(op: str) -> str:
    return re.sub(r"_?[123]d$", "", op)


def call(vector: Vector, inputs: Values) -> Any:
    """What the op gives for `inputs`."""
    return getattr(ops, vector.function_name)(*ARGUMENTS[_bare(vector.op)](inputs, vector.options))


def _outputs(vector: Vector, result: Any) -> Values:
    if isinstance(result, Tensor):
        return {"output": result}
    return {name: getattr(result, name) for name in vector.outputs or ("output",)}


def _rules(vector: Vector, i: Values, g: Tensor) -> Values | None:
    """The gradients from the op's own backward ops; ``None`` where it has none of its own."""
    op, o, bare = vector.op, vector.options, _bare(vector.op)

    def part(suffix: str, *arguments: Any) -> Any:
        return getattr(ops, f"{vector.function_name}_{suffix}backward")(*arguments)

    def with_bias(gradients: Values, *arguments: Any) -> Values:
        return gradients if i["bias"] is None else {**gradients, "bias": part("bias_", *arguments)}

    if bare == "conv":
        p = _conv_options(o)
        x, weight = (part(f"{name}_", i["x"], i["weight"], g, p) for name in ("x", "weight"))
        return with_bias({"x": x, "weight": weight}, i["x"], i["bias"], g)
    if bare == "conv_transpose":
        p = ops.ConvTransposeOptions(**o)
        x, weight = part("x_", i["weight"], g, p), part("weight_", i["x"], i["weight"], g, p)
        return with_bias({"x": x, "weight": weight}, i["x"], i["bias"], g)
    if bare == "deform_conv":
        *arrays, p = ARGUMENTS[bare](i, o)
        return _fields(part("", *arrays, g, p))
    if op == "linear":
        return with_bias({"x": part("x_", i["weight"], g), "weight": part("weight_", i["x"], g)}, g)
    if op == "embedding":
        return {"weights": part("", i["weights"], g, i["indices"])}
    if op == "batch_norm_train":
        forward = call(vector, i)
        return _fields(part("", i["x"], i["gamma"], forward.mean, forward.variance, o["epsilon"], g))
    if bare == "avg_pool":
        return {"x": part("", i["x"], g, *_avg(o))}
    if bare == "adaptive_avg_pool":
        return {"x": part("", i["x"], g)}
    if bare == "max_pool":
        return _fields(part("", i["x"], *_max(o), g, call(vector, i).indices))
    if op == "interpolate":
        return {"x": part("", i["x"], g, o["output_size"], _interpolate_options(o))}
    if op == "grid_sample_2d":
        return dict(zip(("x", "grid"), part("", i["x"], i["grid"], g, ARGUMENTS[bare](i, o)[-1]), strict=True))
    return None


def _fields(result: Any) -> Values:
    """A named tuple of gradients by the names of the inputs."""
    return {name.removesuffix("_grad").replace("weights", "weight"): g for name, g in result._asdict().items()}


# ---------------------------------------------------------------- the lanes


def compare(got: Values, want: dict[str, np.ndarray], dtype: str) -> str:
    """The first difference between Tensors and what they should be; empty if there is none."""
    rtol, atol = TOLERANCES[dtype]
    for name, expected in want.items():
        if got.get(name) is None:
            return f"{name}: nothing, want shape {expected.shape}"
        found = host(got[name])
        if found.shape != expected.shape:
            return f"{name}: shape {found.shape}, want {expected.shape}"
        wrong = ~np.isclose(found.astype(np.float64), expected, rtol=rtol, atol=atol, equal_nan=True)
        if wrong.any():
            at = tuple(int(n) for n in np.argwhere(wrong)[0])
            return f"{name}{list(at)}: {found[at]!s}, want {expected[at]!s}"
    return ""


def forward(vector: Vector, device: str, dtype: str) -> str:
    """The outputs."""
    return compare(_outputs(vector, call(vector, vector.inputs(device, dtype))), vector.outputs, dtype)


def tape(vector: Vector, device: str, dtype: str) -> str:
    """The gradients that backward leaves."""
    inputs = vector.inputs(device, dtype, leaves=True)
    _outputs(vector, call(vector, inputs))["output"].backward(vector.seed(device, dtype))
    return compare({name: inputs[name].grad for name in vector.gradients}, vector.gradients, dtype)


def rules(vector: Vector, device: str, dtype: str) -> str:
    """The gradients from the op's own backward ops."""
    found = _rules(vector, vector.inputs(device, dtype), vector.seed(device, dtype))
    return "" if found is None else compare(found, vector.gradients, dtype)


def twice(vector: Vector, device: str, dtype: str) -> str:
    """The derivative of the gradients along a direction against differences of them; only float64 can tell.

    With L = sum(g^T w) for the gradients g of sum(output^2 * seed / 2) and fixed weights w, the tape's dL along a
    direction is compared with (L(+h) - L(-h)) / 2h. Where differences of two steps disagree there is a kink.
    """
    if dtype != "float64":
        return ""
    names = list(vector.gradients)
    along = {name: np.sin(1.3 * np.arange(vector.value(name).size) + 0.7) for name in names}
    along = {name: d.reshape(vector.value(name).shape) for name, d in along.items()}
    weights = {name: np.cos(0.9 * np.arange(d.size) + 0.4).reshape(d.shape) for name, d in along.items()}

    def weighted(h: float, record: bool) -> tuple[Values, Tensor]:
        inputs = vector.inputs(device, dtype, leaves=True, shift={name: h * d for name, d in along.items()})
        out = _outputs(vector, call(vector, inputs))["output"]
        arriving = vector.seed(device, dtype) * (out if record else out.detach())
        found = ag.autograd.grad(
            out, [inputs[name] for name in names], arriving, create_graph=record, materialize_grads=True
        )
        total = ag.zeros((), dtype=dtype, device=device)
        for name, g in zip(names, found, strict=True):
            total = total + (g * ag.tensor(weights[name], dtype=dtype, device=device)).sum()
        return inputs, total

    at = {h: weighted(h, record=False)[1].item() for h in (-1e-4, -1e-5, 0.0, 1e-5, 1e-4)}
    want = (at[1e-5] - at[-1e-5]) / 2e-5
    others = ((at[1e-5] - at[0.0]) / 1e-5, (at[0.0] - at[-1e-5]) / 1e-5, (at[1e-4] - at[-1e-4]) / 2e-4)
    if not all(abs(other - want) <= 1e-3 * max(1.0, abs(want)) for other in others):
        return ""
    inputs, total = weighted(0.0, record=True)
    got = 0.0
    if total.requires_grad:
        moving = [inputs[name] for name in names]
        found = ag.autograd.grad(total, moving, materialize_grads=True)
        got = sum(float(np.sum(host(g) * along[name])) for name, g in zip(names, found, strict=True))
    if not abs(got - want) <= 1e-4 * max(1.0, abs(want)):
        return f"second derivative {got!r}, differences {want!r}"
    return ""


#: Words of which a refusal must hold one, so that it says what is wrong.
SAYING = ("stride", "dilation", "groups", "padding", "channels", "blank", "length", "bias", "batch")


def error(vector: Vector, device: str, dtype: str) -> str:
    """What must be refused is refused on purpose."""
    inputs = vector.inputs(device, dtype)
    if "logits" in inputs:
        inputs["log_probs"] = inputs.pop("logits")
    try:
        call(vector, inputs)
    except (ValueError, IndexError, TypeError) as raised:
        said = str(raised)
        return "" if any(word in said for word in (vector.op, *SAYING)) else f"says only: {said}"
    return f"no error for: {vector.refused}"


LANES: dict[str, Callable[[Vector, str, str], str]] = {
    "forward": forward,
    "tape": tape,
    "rules": rules,
    "twice": twice,
    "error": error,
}


def lanes_of(vector: Vector) -> list[str]:
    """The lanes that there are for `vector`."""
    return ["error"] if vector.refused else ["forward", "tape", "rules", "twice"]


def run(vector: Vector, lane: str, device: str, dtype: str) -> str:
    """The first difference found in a lane, or the error it ended in; empty if all is well."""
    try:
        return LANES[lane](vector, device, dtype)
    except Exception as raised:
        return f"{type(raised).__name__}: {str(raised).partition(chr(10))[0]}"
