"""What holds for every op in the table: each test runs over all ops and all their samples."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import autograd_ops as ag
from autograd_backends import device_of
from autograd_ops import Tensor
from autograd_ops.autograd import gradcheck, gradgradcheck
from autograd_ops.registry import TABLE, Op
from autograd_ops.tape import Node, Port

from .op_calls import (
    argument_names,
    arrays,
    close,
    dtype_under_test,
    flat,
    float_inputs,
    gradients,
    host,
    leaves,
    on_host,
    outputs,
    over,
    reference,
    rounded,
    seeds,
    tensors,
)
from .op_samples import SAMPLES, Sample

#: What the library itself registers; ops that other tests register are theirs.
OPS = [op for op in TABLE.values() if op.forward.__module__.startswith("autograd_ops.")]
LANES = [("cpu", "float64"), ("cpu", "float32"), ("strict:device1", "float64"), ("strict:device1", "float32")]
DEVICES = ["cpu", "strict:device1"]
HALVES = ["float16", "bfloat16"]

on_lanes = pytest.mark.parametrize(("device", "dtype"), LANES)
on_devices = pytest.mark.parametrize("device", DEVICES)


def has_gradient(op: Op, sample: Sample) -> bool:
    """Whether the result of `sample` carries gradients: float inputs with rules, and a float result."""
    return bool(float_inputs(op, sample)) and (sample.dtype or "float").startswith(("float", "complex"))


over_ops = pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)


# ---------------------------------------------------------------- the table


@over_ops
def test_has_samples(op: Op) -> None:
    assert SAMPLES.get(op.name), f"op {op.name} has no samples: add some to tests/op_samples"


def test_samples_are_of_ops() -> None:
    assert set(SAMPLES) <= set(TABLE)


@over_ops
def test_is_documented(op: Op) -> None:
    assert op.forward.__doc__
    assert op.function.__doc__ == op.forward.__doc__
    assert op.formula or not op.differentiable


@over_ops
def test_every_input_has_a_rule(op: Op) -> None:
    op.check()
    assert set(op.rules) == set(op.differentiable) or op.joint_rule is not None or op.recorded is not None


@over_ops
def test_is_a_function_of_the_ops_module(op: Op) -> None:
    assert getattr(ag.ops, op.name) is op.function
    assert op.function.op is op


# ---------------------------------------------------------------- forward


@on_lanes
@over(OPS)
def test_forward(op: Op, sample: Sample, device: str, dtype: str) -> None:
    check_forward(op, sample, device, dtype)


@pytest.mark.parametrize("dtype", HALVES)
@over(OPS, lambda op, sample: sample.has_floats() and sample.half)
def test_forward_in_half_precision(op: Op, sample: Sample, dtype: str) -> None:
    check_forward(op, sample, "cpu", dtype)


def output_names(op: Op, result: Any) -> tuple[str, ...]:
    """The names of the outputs of `op`; of any number of them, just numbers."""
    if op.outputs is None:
        return ("out",)
    return op.outputs if op.outputs is not ... else tuple(map(str, range(len(result))))


def check_forward(op: Op, sample: Sample, device: str, dtype: str) -> None:
    """Arrays in, arrays out: of the right library, device, dtype and value."""
    result = op.function(*arrays(sample, dtype, device))
    fields = zip(output_names(op, result), [result] if op.outputs is None else result, strict=True)
    given = [(name, out) for name, out in fields if out is not None]
    for (name, out), expected in zip(given, reference(sample, dtype), strict=True):
        assert device_of(out) == (sample.device or device)
        assert host(out).dtype.name == result_dtype(sample, expected, dtype, name)
        close(out, expected)


def result_dtype(sample: Sample, expected: np.ndarray, dtype: str, name: str) -> str:
    """The dtype under test for floats that come from floats, otherwise what the reference has."""
    if sample.dtype is not None:
        return sample.dtype
    if dtype in HALVES and name in ("mean", "variance"):
        return "float32"  # the statistics of a norm keep their precision
    return dtype_under_test(expected.dtype, dtype) if sample.has_floats() else expected.dtype.name


def test_the_strict_device_has_no_half_precision() -> None:
    with pytest.raises(TypeError, match="'strict' has no dtype float16"):
        ag.tensor([1.0], dtype=ag.float16, device="strict:device1")
    with pytest.raises(TypeError, match="'strict' has no dtype float16"):
        ag.ones(2, device="strict:device1").half()


@on_devices
@over(OPS)
def test_arrays_give_arrays_and_tensors_give_tensors(op: Op, sample: Sample, device: str) -> None:
    given = tensors(sample, device=device)
    library = type(ag.zeros(1, device=sample.device or device).array)
    for out in outputs(op.function(*arrays(sample, device=device))):
        assert type(out) is library
    recorded = op.function(*given)
    for out in outputs(recorded):
        assert type(out) is Tensor
        assert type(out.array) is library
    if op.outputs is not None and op.outputs is not ...:
        assert recorded._fields == op.outputs


@over(OPS, lambda op, sample: sum(isinstance(a, np.ndarray) for a in sample.arguments) > 1)
def test_one_tensor_among_arrays_is_enough(op: Op, sample: Sample) -> None:
    for i, argument in enumerate(sample.arguments):
        if isinstance(argument, np.ndarray):
            given = arrays(sample)
            given[i] = Tensor(given[i])
            assert all(type(out) is Tensor for out in outputs(op.function(*given)))


@over_ops
def test_arguments_go_by_name(op: Op) -> None:
    sample = SAMPLES[op.name][0]
    given = arrays(sample)
    by_name = op.function(**dict(zip(argument_names(op), given, strict=False)))
    for got, want in zip(outputs(by_name), outputs(op.function(*given)), strict=True):
        np.testing.assert_array_equal(got, want)


@over(OPS, lambda op, sample: op.recorded is not None)
def test_the_recorded_form_gives_what_the_kernel_gives(op: Op, sample: Sample) -> None:
    kernel = op.function(*arrays(sample))
    recorded = op.function(*tensors(sample, op=op, inputs=float_inputs(op, sample)))
    for got, want in zip(outputs(recorded), outputs(kernel), strict=True):
        close(got, host(want))


@over(OPS, lambda op, sample: any(i.kind == "shape" for i in op.inputs))
def test_a_shape_a_tensor_and_an_array_are_the_same_shape(op: Op, sample: Sample) -> None:
    given = arrays(sample)
    want = outputs(op.function(*given))
    for make in (np.zeros, ag.zeros, ag.Size):
        stand_ins = list(given)
        for i, name in enumerate(argument_names(op)[: len(given)]):
            if any(x.name == name and x.kind == "shape" for x in op.inputs):
                stand_ins[i] = make(given[i])
        for got, expected in zip(outputs(op.function(*stand_ins)), want, strict=True):
            np.testing.assert_array_equal(got, expected)
            assert type(got) is np.ndarray  # it is no input: a Tensor there makes no Tensor of the result


# ---------------------------------------------------------------- derivatives


def check_by_differences(check: Any, op: Op, sample: Sample) -> None:
    """Run gradcheck or gradgradcheck with respect to all float inputs at once."""
    names = float_inputs(op, sample)
    given = tensors(sample, op=op, inputs=names)
    moving = leaves(given)

    def call(*values: Tensor) -> Any:
        following = iter(values)

        def put(argument: Any) -> Any:
            return next(following) if any(argument is m for m in moving) else argument

        return op.function(*[[put(x) for x in a] if isinstance(a, list) else put(a) for a in given])

    assert check(call, moving)


def differentiable(op: Op, sample: Sample) -> bool:
    """Whether finite differences can be taken."""
    return sample.smooth and not sample.is_empty() and has_gradient(op, sample) and sample.dtype != "float32"


# Finite differences are taken once: on other devices and in other dtypes derivatives are compared with these.


@over(OPS, differentiable)
def test_first_derivatives(op: Op, sample: Sample) -> None:
    check_by_differences(gradcheck, op, sample)


@over(OPS, differentiable)
def test_second_derivatives(op: Op, sample: Sample) -> None:
    check_by_differences(gradgradcheck, op, sample)


@over(OPS, differentiable)
def test_second_derivatives_on_the_strict_device_are_those_of_the_cpu(op: Op, sample: Sample) -> None:
    _, second = second_gradients(op, sample, "float64", "strict:device1")
    _, exact = second_gradients(op, sample, "float64", "cpu")
    for gradient, want in zip(second, exact, strict=True):
        assert (gradient is None) == (want is None)
        if gradient is not None:
            close(gradient, host(want))


@on_lanes
@over(OPS, has_gradient)
def test_gradients_have_the_shape_and_dtype_of_the_inputs(op: Op, sample: Sample, device: str, dtype: str) -> None:
    given = tensors(sample, dtype, device, op, float_inputs(op, sample))
    found = gradients(op, given)
    exact = gradients(op, tensors(sample, "float64", "cpu", op, float_inputs(op, sample)))
    for gradient, leaf, want in zip(found, leaves(given), exact, strict=True):
        assert (gradient.shape, gradient.dtype, gradient.device) == (leaf.shape, leaf.dtype, leaf.device)
        close(gradient, host(want))


@pytest.mark.parametrize("dtype", HALVES)
@over(OPS, lambda op, sample: has_gradient(op, sample) and sample.half)
def test_gradients_in_half_precision(op: Op, sample: Sample, dtype: str) -> None:
    names = float_inputs(op, sample)
    given = tensors(sample, dtype, "cpu", op, names)
    exact = gradients(op, tensors(rounded(sample, dtype), "float64", "cpu", op, names))
    for gradient, leaf, want in zip(gradients(op, given), leaves(given), exact, strict=True):
        assert (gradient.shape, gradient.dtype) == (leaf.shape, dtype)
        close(gradient, host(want))


@on_devices
@over(OPS, lambda op, sample: op.fits_gradients and has_gradient(op, sample) and len(float_inputs(op, sample)) > 1)
def test_gradients_of_inputs_of_two_dtypes(op: Op, sample: Sample, device: str) -> None:
    names = float_inputs(op, sample)
    exact = on_host(gradients(op, tensors(sample, op=op, inputs=names)))
    for narrow in names:
        dtypes = ["float32" if name == narrow else "float64" for name in argument_names(op)[: len(sample.arguments)]]
        given = tensors(sample, dtypes, device, op, names)
        out = outputs(op.function(*given))[0]
        assert out.dtype in ((ag.float64, ag.complex128) if op.promote else (given[0].dtype,))
        for gradient, leaf, want in zip(gradients(op, given), leaves(given), exact, strict=True):
            assert gradient.dtype == leaf.dtype
            close(gradient, want, "float32")


@on_devices
@over(OPS, lambda op, sample: has_gradient(op, sample) and isinstance(sample.arguments[0], list))
def test_gradients_of_sequences_of_two_dtypes(op: Op, sample: Sample, device: str) -> None:
    given = tensors(sample, device=device, op=op, inputs=float_inputs(op, sample))
    parts = given[0]
    parts[0] = parts[0].detach().to(ag.float32).requires_grad_()
    assert op.function(*given).dtype == (ag.float64 if len(parts) > 1 else ag.float32)
    for gradient, leaf in zip(gradients(op, given), leaves(given), strict=True):
        assert (gradient.shape, gradient.dtype) == (leaf.shape, leaf.dtype)


@pytest.mark.parametrize("device", DEVICES)
@over(OPS, lambda op, sample: has_gradient(op, sample) and sample.smooth)
def test_second_derivatives_have_the_shape_and_dtype_of_the_inputs(op: Op, sample: Sample, device: str) -> None:
    moving, second = second_gradients(op, sample, "float32", device)
    for gradient, leaf in zip(second, moving, strict=True):
        if gradient is not None:
            assert (gradient.shape, gradient.dtype, gradient.device) == (leaf.shape, leaf.dtype, leaf.device)


def second_gradients(op: Op, sample: Sample, dtype: str, device: str) -> tuple[list[Tensor], list[Tensor | None]]:
    """The inputs and the arriving gradients, and the gradients of the sum of all first gradients by each."""
    given = tensors(sample, dtype, device, op, float_inputs(op, sample))
    carrying, arriving = seeds(op.function(*given))
    for gradient in arriving:
        gradient.requires_grad_()
    moving = [*leaves(given), *arriving]
    first = ag.autograd.grad(carrying, leaves(given), arriving, create_graph=True, allow_unused=True)
    following = [g for g in first if g is not None and g.requires_grad]
    if not following:
        return moving, [None] * len(moving)
    weights = [ag.ones_like(g) for g in following]
    return moving, list(ag.autograd.grad(following, moving, weights, allow_unused=True))


@pytest.mark.parametrize("name", ["batch_norm", "batch_norm_train", "layer_norm"])
def test_norms_of_half_precision_with_parameters_of_single_precision(name: str) -> None:
    op = TABLE[name]
    for sample in SAMPLES[name]:
        names = float_inputs(op, sample)
        dtypes = ["float16", *["float32"] * (len(sample.arguments) - 1)]
        given = tensors(sample, dtypes, op=op, inputs=names)
        assert outputs(op.function(*given))[0].dtype == ag.float16
        exact = gradients(op, tensors(sample, op=op, inputs=names))
        for gradient, leaf, want in zip(gradients(op, given), leaves(given), exact, strict=True):
            assert (gradient.shape, gradient.dtype) == (leaf.shape, leaf.dtype)
            close(gradient, host(want), "float16")


@over(OPS, lambda op, sample: has_gradient(op, sample) and len(float_inputs(op, sample)) > 1)
def test_an_input_alone_gets_the_gradient_that_it_gets_among_others(op: Op, sample: Sample) -> None:
    names = float_inputs(op, sample)
    together = gradients(op, tensors(sample, op=op, inputs=names))
    for name, want in zip(names, together, strict=True):
        (alone,) = gradients(op, tensors(sample, op=op, inputs=[name]))
        close(alone, host(want))


@over(OPS, has_gradient)
def test_recorded_gradients_are_the_same(op: Op, sample: Sample) -> None:
    given = tensors(sample, op=op, inputs=float_inputs(op, sample))
    carrying, arriving = seeds(op.function(*given))
    options = {"materialize_grads": True, "retain_graph": True}
    plain = ag.autograd.grad(carrying, leaves(given), arriving, **options)
    recorded = ag.autograd.grad(carrying, leaves(given), arriving, create_graph=True, **options)
    for got, want in zip(recorded, plain, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        close(got, host(want))


# ---------------------------------------------------------------- memory


@over(OPS)
def test_inputs_stay_as_they_are(op: Op, sample: Sample) -> None:
    given = tensors(sample, op=op, inputs=float_inputs(op, sample) if has_gradient(op, sample) else ())
    inputs = [t for t in flat(given) if isinstance(t, Tensor)]
    before = [host(t).tobytes() for t in inputs]
    result = op.function(*given)
    assert [host(t).tobytes() for t in inputs] == before
    if has_gradient(op, sample):
        carrying, arriving = seeds(result)
        arrived = [host(g).tobytes() for g in arriving]
        ag.autograd.backward(carrying, arriving)
        assert [host(t).tobytes() for t in inputs] == before
        assert [host(g).tobytes() for g in arriving] == arrived


@over(OPS, lambda op, sample: op.view is None)
def test_results_share_no_memory_with_inputs(op: Op, sample: Sample) -> None:
    given = arrays(sample)
    for out in outputs(op.function(*given)):
        for array in flat(given):
            if isinstance(out, np.ndarray) and isinstance(array, np.ndarray):
                assert not np.shares_memory(out, array)


def node_of(result: Any) -> Node:
    """The node of an op's result: behind a Port, if it has several outputs that carry gradients."""
    node = next(out for out in outputs(result) if out.requires_grad).node
    return node.parents[0] if type(node) is Port else node


def pulled(op: Op, sample: Sample) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """What arrives at a node, what the node keeps, and the gradients that its pull gives: all arrays."""
    result = op.function(*tensors(sample, op=op, inputs=float_inputs(op, sample)))
    _, arriving = seeds(result)
    arrived = [g.array for g in arriving]
    node = node_of(result)
    several = op.carries is ... or len(op.carries or ()) > 1
    found = op.pull(arrived if several else arrived[0], node.saved, node.parents)
    kept = [value for value in flat(node.saved) if isinstance(value, np.ndarray)]
    return arrived, kept, [g for g in found if g is not None]


def is_its_own_node(op: Op, sample: Sample) -> bool:
    """Whether a call is one node of `op`: not an op whose calls are recorded as other ops."""
    return op.recorded is None and has_gradient(op, sample)


@over(OPS, is_its_own_node)
def test_rules_give_nothing_that_the_tape_keeps(op: Op, sample: Sample) -> None:
    _, kept, given = pulled(op, sample)
    for gradient in given:
        assert not any(np.shares_memory(gradient, value) for value in kept)


@over(OPS, lambda op, sample: op.fresh and has_gradient(op, sample))
def test_rules_of_fresh_ops_give_new_arrays(op: Op, sample: Sample) -> None:
    arrived, kept, given = pulled(op, sample)
    for i, gradient in enumerate(given):
        assert not any(np.shares_memory(gradient, other) for other in [*arrived, *kept, *given[:i]])


def test_some_ops_are_fresh() -> None:
    assert any(op.fresh for op in OPS)


@pytest.fixture
def no_gc() -> Any:
    gc.disable()
    gc.freeze()  # what was there before is not looked at again
    yield
    gc.unfreeze()
    gc.enable()


@over(OPS, is_its_own_node)
def test_dropping_the_results_frees_everything(op: Op, sample: Sample, no_gc: Any) -> None:
    refs = [*used_up(op, sample, backward=False), *used_up(op, sample, backward=True)]
    assert refs
    assert not any(ref() for ref in refs)


@over(OPS, lambda op, sample: has_gradient(op, sample) and sample in SAMPLES[op.name][:2])
def test_a_recorded_backward_leaves_no_cycles(op: Op, sample: Sample, no_gc: Any) -> None:
    given = tensors(sample, op=op, inputs=float_inputs(op, sample))
    carrying, arriving = seeds(op.function(*given))
    found = ag.autograd.grad(carrying, leaves(given), arriving, create_graph=True, materialize_grads=True)
    refs = [weakref.ref(x) for x in (*given, *carrying, *found) if isinstance(x, Tensor)]
    refs += [weakref.ref(t.node) for t in (*carrying, *found) if t.node is not None]
    del given, carrying, arriving, found
    assert not any(ref() for ref in refs)
    assert gc.collect() == 0


def used_up(op: Op, sample: Sample, backward: bool) -> list[weakref.ref[Any]]:
    """Weak references to all Tensors and nodes of a call, whose strong ones are gone."""
    given = tensors(sample, op=op, inputs=float_inputs(op, sample))
    result = op.function(*given)
    if backward:
        ag.autograd.backward(*seeds(result))
    made = [t for t in [*flat(given), *outputs(result)] if isinstance(t, Tensor)]
    return [*map(weakref.ref, made), *[weakref.ref(t.node) for t in made if t.node is not None]]


def spread(a: np.ndarray) -> np.ndarray:
    """The same elements with gaps between them in every dimension."""
    fill = np.nan if a.dtype.kind == "f" else True
    wide = np.full([2 * n for n in a.shape], fill, a.dtype)
    wide[tuple(slice(None, None, 2) for _ in a.shape)] = a
    return wide[tuple(slice(None, None, 2) for _ in a.shape)]


def backwards(a: np.ndarray) -> np.ndarray:
    """The same elements from the last to the first in memory."""
    return np.flip(np.flip(a).copy())


LAYOUTS = {"column by column": np.asfortranarray, "with gaps": spread, "backwards": backwards}


def is_on_one_device(sample: Sample) -> bool:
    """Whether the result is where the inputs are."""
    return sample.device in (None, "cpu")


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=list(LAYOUTS))
@over(OPS, lambda op, sample: is_on_one_device(sample))
def test_layout_in_memory_does_not_matter(op: Op, sample: Sample, layout: Callable[..., Any]) -> None:
    names = float_inputs(op, sample) if has_gradient(op, sample) else []
    plain, given = (tensors(sample, op=op, inputs=names) for _ in range(2))
    for tensor in flat(given):
        if isinstance(tensor, Tensor) and tensor.ndim:
            tensor.array = layout(tensor.array)
    got, want = op.function(*given), op.function(*plain)
    for x, y in zip(outputs(got), outputs(want), strict=True):
        close(x, host(y))
    if names:
        carrying, arriving = seeds(got)
        for gradient in arriving:
            gradient.array = layout(gradient.array) if gradient.ndim else gradient.array
        found = ag.autograd.grad(carrying, leaves(given), arriving, materialize_grads=True)
        for x, y in zip(found, gradients(op, plain), strict=True):
            close(x, host(y))


# ---------------------------------------------------------------- changes in place


def kept_names(op: Op, names: Sequence[str], kind: str) -> set[str]:
    """The values of `kind` that the tape keeps when the inputs `names` need gradients."""
    return {k.name for k in op.kept if k.kind == kind and set(k.wanted_by) & set(names)}


def change(tensor: Tensor) -> None:
    """Write to its memory, and let the version tell."""
    with ag.no_grad():
        tensor.zero_()


@over(OPS, is_its_own_node)
def test_only_a_change_to_what_the_tape_keeps_is_refused(op: Op, sample: Sample) -> None:
    names = float_inputs(op, sample)
    kept = kept_names(op, names, "input")
    for i, name in enumerate(argument_names(op)[: len(sample.arguments)]):
        given = tensors(sample, op=op, inputs=names)
        used = [
            [ag.clone(x) for x in a] if isinstance(a, list) else ag.clone(a) if isinstance(a, Tensor) else a
            for a in given
        ]
        result = op.function(*used)
        changed = [x for x in flat([used[i]]) if isinstance(x, Tensor)]
        if not changed or any(out.alias is not None for out in outputs(result)):
            continue
        change(changed[-1])
        carrying, arriving = seeds(result)
        if name in kept:
            with pytest.raises(ag.TapeError, match=f"backward of {op.name} needs its '{name}'"):
                ag.autograd.grad(carrying, leaves(given), arriving, materialize_grads=True)
        else:
            ag.autograd.grad(carrying, leaves(given), arriving, materialize_grads=True)


@over(OPS, lambda op, sample: is_its_own_node(op, sample) and op.view is None)
def test_a_change_to_the_result_is_refused_if_the_tape_keeps_it(op: Op, sample: Sample) -> None:
    names = float_inputs(op, sample)
    given = tensors(sample, op=op, inputs=names)
    result = op.function(*given)
    carrying, arriving = seeds(result)
    kept = kept_names(op, names, "output")
    fields = dict(zip(output_names(op, result), outputs(result), strict=False))
    for name in [*kept] or list(fields):
        change(fields[name])
    if kept:
        with pytest.raises(ag.TapeError, match=f"backward of {op.name} needs its "):
            ag.autograd.grad(carrying, leaves(given), arriving)
    else:
        ag.autograd.grad(carrying, leaves(given), arriving, materialize_grads=True)
