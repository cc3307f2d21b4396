"""How a call of an op runs: Python source generated from its entry in the table, compiled at the first call.

A generic wrapper would loop over its arguments on each call, and so cost more than the arithmetic of a small array.
The source below says the same for one signature, straight on. For ``mul(x, y)`` it reads, in short::

    def mul(x, y):
        if isinstance(x, Tensor):
            tensors = True; x_array = x.array; x_node = x.node if x.alias is None else node_of(x)
        else:
            x_array = x; x_node = None
        ...                                                     # the same for y
        if type(x_array) is not type(y_array) or ...:           # scalars, dtypes, devices
            x_array, y_array = align(op, x_array, y_array)
        out = forward(x_array, y_array)
        if not tensors:
            return out                                          # arrays in, arrays out
        result = Tensor of out
        if (x_node is not None or y_node is not None) and tape_mode.enabled:
            result_node.parents = (x_node, y_node)
            result_node.saved = (y_array if x_node is not None else None, ...)
        return result

and its pull, which the walk back calls, is::

    def pull(g, saved, parents):
        y, y_version, y_number, x, x_version, x_number = saved
        x_node, y_node = parents
        ...                                                     # were x or y changed in place since?
        x_grad = None if x_node is None else x_rule(g, y)
        ...                                                     # summed back to the shape of x
        return (x_grad, y_grad)

``python -m autograd_ops.ops mul`` prints the whole. Debuggers and tracebacks show it too, through ``linecache``.
Ops of one signature share one compiled code: what differs between them are the globals it runs with.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import cache, update_wrapper
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from autograd_backends.lookup import on_load

from . import runtime
from .table import TABLE

if TYPE_CHECKING:
    from autograd_backends import Backend

    from .registry import Kept, Op

__all__ = [
    "RESERVED",
    "call_source",
    "new_function",
    "pull_recorded",
    "pull_source",
    "renamed",
    "run_through",
    "runs_through",
]

#: Names that the source of a call uses itself, so that no argument may have them.
RESERVED = frozenset(runtime.CALL_GLOBALS) | {
    *("op", "forward", "recorded", "tensors", "any_tensor", "error"),
    *("lead", "refused", "out", "outs", "result", "results", "result_version", "result_node"),
}


def new_function(op: Op) -> FunctionType:
    """The public function of `op`, which compiles itself when it is first called."""

    def first_call(args: Any, kwargs: Any) -> Any:
        compile_op(op)
        return function(*args, **kwargs)

    function = FunctionType(_stub.__code__, {"first_call": first_call}, op.name)
    update_wrapper(function, op.forward)
    function.__name__ = function.__qualname__ = op.name
    function.op = op  # type: ignore[attr-defined]
    function.backward = op.backward  # type: ignore[attr-defined]
    function.joint = op.joint  # type: ignore[attr-defined]
    function.at_once = op.at_once  # type: ignore[attr-defined]
    return function


def renamed(function: Any, *names: str) -> Any:
    """The function of an op, whose first arguments are called `names`: the same code, which costs a call no more.

    Ops have names of their own; PyTorch's users write ``exponent=2``.
    """
    op = function.op

    def first_call(args: Any, kwargs: Any) -> Any:
        compile_op(op)
        return face(*args, **kwargs)

    face = FunctionType(_stub.__code__, {"first_call": first_call}, op.name)
    update_wrapper(face, function)
    shown = op.forward
    face.__wrapped__ = FunctionType(  # type: ignore[attr-defined]  # which inspect.signature looks at
        _with_names(shown.__code__, names), shown.__globals__, op.name, shown.__defaults__, shown.__closure__
    )
    op.faces.append((face, names))
    return face


def _with_names(code: CodeType, names: tuple[str, ...]) -> CodeType:
    """`code`, whose first arguments are called `names`."""
    return code.replace(co_varnames=(*names, *code.co_varnames[len(names) :]))


def _stub(*args: Any, **kwargs: Any) -> Any:
    return first_call(args, kwargs)  # type: ignore[name-defined]  # noqa: F821


def compile_op(op: Op) -> None:
    """Give the function of `op` its real code, and `op` its pull.

    Raises
    ------
    RegistryError
        If an input of `op` has neither a rule nor is declared nondiff.
    """
    op.check()
    code = _code(call_source(op), op.name)
    forward = op.forward if _through is None else _through(op, "forward", op.forward)
    for function, names in ((op.function, ()), *op.faces):
        function.__globals__.update(runtime.CALL_GLOBALS, op=op, forward=forward, recorded=op.recorded)
        function.__code__ = _with_names(code, names)
        function.__defaults__ = op.forward.__defaults__
    if op.has_rules:
        rules = {f"{name}_rule": rule for name, rule in op.rules.items()}
        scope = {**runtime.PULL_GLOBALS, "op": op, "joint_rule": op.joint_rule, "at_once": op.rule_at_once, **rules}
        pull = FunctionType(_code(pull_source(op), f"{op.name}_pull"), scope)
        op.pull = pull if _through is None else _through(op, "backward", pull)


def run_through(wrap: Callable[[Op, str, Callable[..., Any]], Callable[..., Any]] | None) -> None:
    """From now on run ``wrap(op, "forward", forward)`` and ``wrap(op, "backward", pull)`` in place of every op's own.

    ``None``: run these again as they are.
    """
    global _through
    _through = wrap
    _compile_again()


def runs_through() -> bool:
    """Whether something stands between ops and what they compute, by `run_through`."""
    return _through is not None


#: What `run_through` was given.
_through: Callable[[Op, str, Callable[..., Any]], Callable[..., Any]] | None = None


def look_at_devices(backend: Backend) -> None:
    """From now on let every op look at its operands' devices, if the library of `backend` would not."""
    global _comparing_devices
    if backend.mixes_devices and not _comparing_devices:
        _comparing_devices = True
        _compile_again()


def _compile_again() -> None:
    """Compile those ops that have been called."""
    for op in list(TABLE.values()):
        if op.function.__code__ is not _stub.__code__:
            compile_op(op)


#: Off while every library in use refuses to mix devices by itself: then an op finds out when the call fails.
_comparing_devices = False
on_load.append(look_at_devices)


def _code(source: str, name: str) -> CodeType:
    return _compiled(source).replace(co_name=name, co_qualname=name)


@cache
def _compiled(source: str) -> CodeType:
    filename = f"<autograd_ops call path {len(linecache.cache)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    (code,) = (c for c in compile(source, filename, "exec").co_consts if isinstance(c, CodeType))
    return code


# ---------------------------------------------------------------- the call


def call_source(op: Op) -> str:
    """The source of a call of `op`."""
    arguments = list(_argument_names(op))
    lines = [f"def call({', '.join(arguments)}):", "    tensors = False"]
    guarded: list[str] = []
    for i in op.inputs:
        guarded += _take(op, i.name, i.kind, i.differentiable)
    if _comparing_devices:
        guarded.append(f"    work_beside(op, ({_all_arrays(op)}))")
    guarded += [*_align(op), *_refuse_complex(op)]
    if op.recorded is not None:
        guarded += [
            f"    if ({_any_node(op)}) and tape_mode.enabled:",
            f"        return recorded({', '.join(arguments)})",
        ]
    passed = ", ".join(_array(op, name) for name in arguments)
    result = "out" if op.outputs is None else "outs"
    guarded.append(f"    {', '.join([result, *op.saves])} = forward({passed})")
    lines += [
        "    try:",
        *[f"    {line}" for line in guarded],
        "    except Exception as error:",
        f"        raise explain(op, error, ({_tuple(arguments)})) from None",
    ]
    lines += _one_output(op) if op.outputs is None else _several_outputs(op)
    return "\n".join(lines) + "\n"


def _take(op: Op, name: str, kind: str, differentiable: bool) -> list[str]:
    """Find the array, the node and the version of one argument."""
    if kind == "shape":
        return [
            f"    if type({name}) is not tuple:",
            f"        {name} = tuple({name} if isinstance({name}, (tuple, list)) else {name}.shape)",
        ]
    versioned = any(kept.kind == "input" and kept.of == name for kept in op.kept)
    if kind == "arrays":
        return [
            f"    {name}_array, {name}_node, {name}_version, any_tensor = take_all({name})",
            "    tensors = tensors or any_tensor",
        ]
    lines = [
        f"    if isinstance({name}, Tensor):",
        "        tensors = True",
        f"        {name}_array = {name}.array",
    ]
    if differentiable:
        lines.append(f"        {name}_node = {name}.node if {name}.alias is None else node_of({name})")
    if versioned:
        lines.append(f"        {name}_version = {name}.version")
    lines += ["    else:", f"        {name}_array = {name}"]
    if differentiable:
        lines.append(f"        {name}_node = None")
    if versioned:
        lines.append(f"        {name}_version = NEVER_CHANGES")
    return lines


def _align(op: Op) -> list[str]:
    """Bring the inputs to one array type, dtype and device, or say why that cannot be."""
    names = list(op.differentiable) or [i.name for i in op.inputs if i.kind != "shape"]
    if any(i.kind == "arrays" for i in op.inputs):
        (name,) = (i.name for i in op.inputs if i.kind == "arrays")
        return [f"    {name}_array = align(op, *{name}_array)"] if op.promote else []
    arrays = [f"{name}_array" for name in names]
    if not op.promote or len(arrays) < 2:
        if op.floating:
            name = names[0]
            off_tape = f"{name}_node is None and " if op.differentiable else ""
            return [
                f"    if {off_tape}{name}_array.dtype not in floating_dtypes[type({name}_array)]:",
                f"        {name}_array = to_floating(op, {name}_array)",
            ]
        return []
    first, *others = arrays
    optional = {f"{i.name}_array" for i in op.inputs if i.kind == "optional"}
    differ = " or ".join(_differ(first, other, other in optional, op.broadcast) for other in others)
    fix = f"{', '.join(arrays)} = align(op, {', '.join(arrays)})"
    if op.broadcast and len(arrays) == 2 and op.differentiable:
        # A Python number beside an array of a float dtype needs nothing: the common case.
        lines = [
            f"    if {differ}:",
            f"        if not ({_weak(*names)} or {_weak(*reversed(names))}):",
            f"            {fix}",
        ]
    else:
        lines = [f"    if {differ}:", f"        {fix}"]
    if op.floating:
        off_tape = "".join(f"{name}_node is None and " for name in op.differentiable)
        lines += [
            f"    elif {off_tape}{first}.dtype not in floating_dtypes[type({first})]:",
            f"        {fix}",
        ]
    return lines


def _refuse_complex(op: Op) -> list[str]:
    """Stop at complex numbers, if the op takes none. The inputs have one dtype by now, or the first one's counts."""
    if not op.real:
        return []
    first, *others = [f"{i.name}_array" for i in op.inputs if i.kind == "array"]
    lead = f"{others[0]} if type({first}) in PYTHON_NUMBERS else {first}" if op.broadcast and others else first
    return [
        f"    lead = {lead}",
        "    refused = complex_dtypes[type(lead)]",
        "    if lead.dtype in refused:",
        "        raise complex_refused(op, lead)",
    ]


def _differ(first: str, other: str, optional: bool, numbers: bool) -> str:
    """The test for two arguments that are not arrays of one type and dtype."""
    test = f"type({first}) is not type({other}) or {first}.dtype is not {other}.dtype"
    if numbers:
        test = test.replace(" or ", f" or type({first}) in NUMBERS or ")
    return f"{other} is not None and ({test})" if optional else test


def _weak(array: str, number: str) -> str:
    """The test for a Python number beside an array of a float dtype; what is on the tape is of one."""
    return (
        f"type({number}_array) in NUMBERS and ({array}_node is not None"
        f" or type({array}_array) not in NUMBERS and {array}_array.dtype in floating_dtypes[type({array}_array)])"
    )


def _one_output(op: Op) -> list[str]:
    lines = [
        "    if type(out) in scalar_to_array:",
        "        out = scalar_to_array[type(out)](out)",
        "    if not tensors:",
        "        return out",
        "    result = new(Tensor)",
        "    result.array = out",
        "    result.version = result_version = [0]",
        "    result._grad = result.alias = result.node = None",
    ]
    if op.view is not None:
        viewed = op.inputs[0].name
        options = _tuple(op.options)
        lines += [
            f"    if shares_memory(out, {viewed}_array):",
            f"        result_version = become_view(result, {viewed}, op, ({options}))",
        ]
    if op.has_rules:
        float_result = " and out.dtype in floating_dtypes[type(out)]" if op.casts else ""
        lines += [
            f"    if ({_any_node(op)}) and tape_mode.enabled{float_result}:",
            "        result.node = result_node = new(Node)",
            "        result_node.op = op",
            "        result_node.seq = next_seq()",
            f"        result_node.parents = {_parents(op)}",
            f"        result_node.saved = ({_saved(op, {'out': ('out', 'result_version')})})",
            "        result_node.shape = out.shape",
            "        result_node.dtype = out.dtype",
            "        result_node.hooks = None",
            *_observe(op, "result", "        "),
        ]
    return [*lines, "    return result"]


def _several_outputs(op: Op) -> list[str]:
    lines = ["    if not tensors:", "        return outs", "    results = wrap_outputs(outs)"]
    if op.view is not None:
        lines.append(f"    become_views(results, {op.inputs[0].name}, op.view(len(outs), {_tuple(op.options)}))")
    if op.has_rules:
        where: dict[str, int] = {} if op.outputs is ... else {name: i for i, name in enumerate(op.outputs)}
        values = {name: (f"outs[{i}]", f"results[{i}].version") for name, i in where.items()}
        carrying = "results" if op.outputs is ... else f"({_tuple([f'results[{where[n]}]' for n in op.carries])})"
        lines += [
            f"    if ({_any_node(op)}) and tape_mode.enabled:",
            "        result_node = new(Node)",
            "        result_node.op = op",
            "        result_node.seq = next_seq()",
            f"        result_node.parents = {_parents(op)}",
            f"        result_node.saved = ({_saved(op, values)})",
            "        result_node.hooks = None",
            f"        connect_outputs(result_node, {carrying})",
            *_observe(op, "results", "        "),
        ]
    return [*lines, "    return results"]


def _observe(op: Op, result: str, indent: str) -> list[str]:
    given = _tuple(_argument_names(op))
    return [
        f"{indent}if tape_mode.observer is not None:",
        f"{indent}    tape_mode.observer(result_node, ({given}), {result})",
    ]


def _argument_names(op: Op) -> tuple[str, ...]:
    code = op.forward.__code__
    return code.co_varnames[: code.co_argcount]


def _all_arrays(op: Op) -> str:
    """Every array that the op was called with, one after the other."""
    return _tuple([("*" if i.kind == "arrays" else "") + _array(op, i.name) for i in op.inputs if i.kind != "shape"])


def _array(op: Op, name: str) -> str:
    return f"{name}_array" if any(i.name == name and i.kind != "shape" for i in op.inputs) else name


def _any_node(op: Op) -> str:
    tests = [
        f"any_node({i.name}_node)" if i.kind == "arrays" else f"{i.name}_node is not None"
        for i in op.inputs
        if i.differentiable
    ]
    return " or ".join(tests)


def _parents(op: Op) -> str:
    nodes = [f"*{i.name}_node" if i.kind == "arrays" else f"{i.name}_node" for i in op.inputs if i.differentiable]
    return f"({_tuple(nodes)})"


def _saved(op: Op, outputs: dict[str, tuple[str, str]]) -> str:
    """What is put on the node: each value, and for one that could be changed in place its version and number."""
    parts: list[str] = []
    kinds = {i.name: i.kind for i in op.inputs}
    for kept in op.kept:
        if kept.kind == "input" and kinds[kept.name] == "arrays":
            parts += [f"{kept.name}_array", f"{kept.name}_version", f"[v[0] for v in {kept.name}_version]"]
        elif kept.kind == "input":
            parts += _if_wanted(op, kept, f"{kept.name}_array", f"{kept.name}_version")
        elif kept.kind == "output":
            parts += _if_wanted(op, kept, *outputs[kept.name])
        elif kept.kind == "shape":
            parts.append(_shape_of(op, kept.of, kinds[kept.of]))
        elif kept.kind == "device":
            parts.append(f"device_of({kept.of}_array)")
        else:
            parts.append(kept.name)
    return _tuple(parts)


def _shape_of(op: Op, name: str, kind: str) -> str:
    if kind == "arrays":
        return f"[a.shape for a in {name}_array]"
    if kind == "optional" or op.broadcast:  # None or a Python number may stand here
        return f"shape_of({name}_array)"
    return f"{name}_array.shape"


def _if_wanted(op: Op, kept: Kept, value: str, version: str) -> list[str]:
    """A value, its version and number; nothing where no input whose rule names it needs a gradient."""
    kinds = {i.name: i.kind for i in op.inputs}
    if len(kept.wanted_by) == len(op.differentiable) or any(kinds[name] == "arrays" for name in kept.wanted_by):
        return [value, version, f"{version}[0]"]
    wanted = " or ".join(f"{name}_node is not None" for name in kept.wanted_by)
    return [f"{value} if {wanted} else None", f"{version} if {wanted} else NEVER_CHANGES", f"{version}[0]"]


# ---------------------------------------------------------------- the pull


def pull_source(op: Op) -> str:
    """The source of the pull of `op`: from the arriving gradient to the gradients of its inputs."""
    lines = ["def pull(g, saved, parents):"]
    if _comparing_devices:
        lines.append("    make_current(g)")
    columns: list[str] = []
    for kept in op.kept:
        columns.append(kept.name)
        if kept.kind in ("input", "output"):
            columns += [f"{kept.name}_version", f"{kept.name}_number"]
    if columns:
        lines.append(f"    {_tuple(columns)} = saved")
    kinds = {i.name: i.kind for i in op.inputs}
    for kept in op.kept:
        if kept.kind not in ("input", "output"):
            continue
        if kinds.get(kept.name) == "arrays":
            lines.append(f"    check_versions(op, {kept.name!r}, {kept.name}_version, {kept.name}_number)")
            continue
        lines += [
            f"    if {kept.name}_version[0] != {kept.name}_number and {kept.name} is not None:",
            f"        raise changed(op, {kept.name!r}, {kept.name}_version)",
        ]
    nodes = [f"*{n}_nodes" if kinds[n] == "arrays" else f"{n}_node" for n in op.differentiable]
    lines.append(f"    {_tuple(nodes)} = parents")
    if op.joint_rule is not None:
        lines += _needs(op, "    ")
        targets = _tuple([f"*{n}_grads" if kinds[n] == "arrays" else f"{n}_grad" for n in op.differentiable])
        lines.append(f"    {targets} = joint_rule({_rule_arguments(op.joint_rule)})")
    if op.rule_at_once is not None:
        gradients = _tuple([f"{name}_grad" for name in op.differentiable])
        lines += [
            "    if not tape_mode.enabled:",
            *[f"    {line}" for line in _needs(op, "    ")],
            f"        {gradients} = at_once({_rule_arguments(op.rule_at_once)})",
        ]
        for name in op.differentiable if op.fits_gradients else ():
            lines += [f"        if {name}_grad is not None:", *_fit(op, name, "            ")]
        lines.append(f"        return ({gradients})")
    for name in op.differentiable:
        many = kinds[name] == "arrays"
        if op.joint_rule is None:
            call = f"{name}_rule({_rule_arguments(op.rules[name])})"
            if many:
                lines += [*_needs(op, "    "), f"    {name}_grads = {call}"]
            else:
                lines += [
                    f"    if {name}_node is None:",
                    f"        {name}_grad = None",
                    "    else:",
                    f"        {name}_grad = {call}",
                ]
        if op.fits_gradients and many:
            lines.append(f"    {name}_grads = fit_all({name}_grads, {name}_nodes)")
        elif op.fits_gradients:
            if op.joint_rule is not None:
                lines.append(f"    if {name}_grad is not None:")
            lines += _fit(op, name, "        ")
    grads = [f"*{n}_grads" if kinds[n] == "arrays" else f"{n}_grad" for n in op.differentiable]
    return "\n".join([*lines, f"    return ({_tuple(grads)})"]) + "\n"


def _fit(op: Op, name: str, indent: str) -> list[str]:
    """Give the gradient of an input its dtype, and where it was broadcast its shape."""
    shape = f"{name}_grad.shape != {name}_node.shape or " if op.broadcast else ""
    return [
        f"{indent}if {shape}{name}_grad.dtype is not {name}_node.dtype:",
        f"{indent}    {name}_grad = fit({name}_grad, {name}_node)",
    ]


def _needs(op: Op, indent: str) -> list[str]:
    rules = [rule for rule in (op.joint_rule, op.rule_at_once, *op.rules.values()) if rule is not None]
    named = any("needs" in rule.__code__.co_varnames[: rule.__code__.co_argcount] for rule in rules)
    if not named:
        return []
    if any(i.kind == "arrays" for i in op.inputs):
        return [f"{indent}needs = tuple([p is not None for p in parents])"]
    return [f"{indent}needs = ({_tuple([f'{name}_node is not None' for name in op.differentiable])})"]


def _rule_arguments(rule: Any) -> str:
    names = rule.__code__.co_varnames[1 : rule.__code__.co_argcount]
    return ", ".join(["g", *names])


def _tuple(parts: Any) -> str:
    return ", ".join(parts) + ("," if len(parts) else "")


# ---------------------------------------------------------------- the pull, recorded


def pull_recorded(op: Op, node: Any, gradient: Any, parents: tuple[Any, ...]) -> tuple[Any, ...]:
    """The gradients of `parents`, recorded.

    A rule may use a value only to choose: that of ``relu`` asks where its output is positive, and the gradient that it
    gives has derivative zero by the output, which no op of the rule records. Such a value is connected here.
    """
    first = runtime.next_seq()
    pulled = op.pull(gradient, _rewrap(op, node), parents)
    if not op.names_values:
        return pulled
    used = runtime.used_by_rules(op, node)
    return tuple([runtime.connected(g, nodes, node, first) for g, nodes in zip(pulled, used, strict=True)])


def _rewrap(op: Op, node: Any) -> tuple[Any, ...]:
    """What `node` saved, with Tensors on the tape in place of inputs and outputs that carry gradients."""
    saved = node.saved
    rewrapped = list(saved)
    kinds = {i.name: i.kind for i in op.inputs}
    parent_of: dict[str, Any] = runtime.parents_by_input(op, node.parents)
    for kept, column in op.columns():
        if kept.kind == "input":
            parent: Any = parent_of.get(kept.name)
            value = saved[column]
            if kinds[kept.name] == "arrays":
                rewrapped[column] = [runtime.on_tape(a, p) for a, p in zip(value, parent, strict=True)]
            else:
                rewrapped[column] = runtime.on_tape(value, parent)
        elif kept.kind == "output":
            rewrapped[column] = runtime.on_tape(saved[column], runtime.output_node(op, node, kept.name))
    return tuple(rewrapped)
