"""The table of ops: ``@op`` puts a function into it, ``.backward(...)`` gives the function its rules.

    @op(formula="dx = g * y, dy = g * x", broadcast=True)
    def mul(x: Array, y: Array) -> Array:
        return x * y

    mul.backward(
        x=lambda g, y: g * y,
        y=lambda g, x: g * x,
    )

A rule is a function of the arriving gradient, its first parameter, and of what else it names: inputs, options,
``out``, outputs by name, declared extras, ``needs``, ``<input>_shape`` and ``<input>_device``, which do not keep the
array. The names are read once, and a value is kept on the tape only if an input whose rule names it needs a gradient.

Inputs and options are told apart by annotation: none, ``Array``, ``Array | None``, ``Arrays`` or ``ShapeOf`` is an
input; all else is an option, passed as it is. Every input has a rule or is declared ``nondiff``.

How a call runs is in `call_path`, generated from what is declared here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NoReturn, ParamSpec, Protocol, TypeAlias, TypeVar

from autograd_backends import Array

from . import call_path
from .table import TABLE
from .tape import Step

__all__ = ["TABLE", "Array", "Arrays", "Op", "OpFunction", "RegistryError", "ShapeOf", "op"]

#: A list or tuple of arrays.
Arrays: TypeAlias = Sequence[Any]

#: A Tensor, an array, or a shape: only the shape is used, so it is never an edge of the graph.
ShapeOf: TypeAlias = Any

Rule = Callable[..., Any]
P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class RegistryError(TypeError):
    """An op is declared wrongly: an input without a rule, a rule that names something unknown, a reserved name."""


class OpFunction(Protocol[P, R]):
    """What ``@op`` gives: the function itself, and its entry in the table."""

    op: Op
    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def backward(self, **rules: Rule) -> None:
        """Give each input the rule for its gradient."""

    def joint(self, rule: Rule) -> None:
        """Give all inputs one rule, which returns their gradients in order."""

    def at_once(self, rule: Rule) -> None:
        """Give a way to all gradients in one call, for walks of arrays."""


@dataclass(frozen=True, slots=True)
class Input:
    """An array argument of an op.

    Attributes
    ----------
    kind
        ``"array"``, ``"optional"`` (may be None), ``"arrays"`` (a sequence) or ``"shape"``.
    differentiable
        Whether it has a rule.
    """

    name: str
    kind: str
    differentiable: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that rules need and the tape keeps.

    Attributes
    ----------
    kind
        ``"input"``, ``"output"``, ``"shape"`` or ``"device"`` (of the input called `of`), ``"extra"`` or ``"option"``.
    wanted_by
        The inputs whose rules name it.
    """

    name: str
    kind: str
    of: str
    wanted_by: tuple[str, ...]


class Op(Step):
    """One row of the table.

    Attributes
    ----------
    name
        Its name, in the table and in ``autograd_ops.ops``.
    formula
        Its derivative in one line, for people.
    forward
        The function of arrays that computes it.
    function
        The public function: `forward` on arrays, recorded on Tensors.
    faces
        The same with other names of its arguments, and these names: see `call_path.renamed`.
    inputs, options
        Its arguments, told apart.
    outputs
        Names of its outputs where it has several, ``...`` where their number varies, ``None`` where it has one.
    carries
        The outputs that carry gradients; the rules' first argument is the one gradient, or a list where several do.
    """

    def __init__(
        self,
        forward: Callable[..., Any],
        *,
        name: str | None,
        formula: str,
        nondiff: Sequence[str] | bool,
        broadcast: bool,
        promote: bool | str,
        floating: bool,
        fresh: bool,
        real: bool,
        casts: bool,
        outputs: Sequence[str] | Any | None,
        carries: Sequence[str] | None,
        saves: Sequence[str],
        view: ViewWrite | None,
        recorded: Callable[..., Any] | None,
    ) -> None:
        self.name = name or forward.__name__
        self.formula = formula
        self.forward = forward
        self.broadcast = broadcast
        self.promote = promote is True or broadcast
        self.fits_gradients = bool(promote) or broadcast
        self.floating = floating
        self.fresh = fresh
        self.real = real
        self.casts = casts
        self.outputs: Any = outputs if outputs is None or outputs is ... else tuple(outputs)
        self.carries: Any = self.outputs if carries is None else tuple(carries)
        self.saves = tuple(saves)
        self.view = view
        self.recorded = recorded
        self.rules: dict[str, Rule] = {}
        self.joint_rule: Rule | None = None
        self.rule_at_once: Rule | None = None
        self.kept: tuple[Kept, ...] = ()
        self.keeps_arrays = False
        #: For each differentiable input, whether its rule names outputs, and which differentiable inputs it names.
        self.named_values: dict[str, tuple[bool, tuple[str, ...]]] = {}
        self.names_values = False
        self.inputs, self.options = _arguments(self.name, forward, nondiff)
        self.differentiable = tuple(i.name for i in self.inputs if i.differentiable)
        self.takes_none = any(i.kind == "optional" for i in self.inputs)
        self.pull: Callable[..., tuple[Any, ...]] = self._no_rules
        self.function = call_path.new_function(self)
        self.faces: list[tuple[FunctionType, tuple[str, ...]]] = []

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    @property
    def has_rules(self) -> bool:
        """Whether calls are recorded."""
        return bool(self.rules) or self.joint_rule is not None

    def backward(self, **rules: Rule) -> None:
        """Give each input the rule for its gradient.

        Raises
        ------
        RegistryError
            If an input that is not declared ``nondiff`` gets none, or a rule names something unknown.
        """
        if set(rules) != set(self.differentiable):
            missing = [name for name in self.differentiable if name not in rules]
            extra = [name for name in rules if name not in self.differentiable]
            raise RegistryError(
                f"op {self.name}: "
                + (f"no rule for input {missing[0]!r}; give one, or declare it nondiff" if missing else "")
                + (f"a rule for {extra[0]!r}, which is no differentiable input" if not missing else "")
            )
        self.rules = {name: rules[name] for name in self.differentiable}
        self._keep(self.rules)

    def joint(self, rule: Rule) -> None:
        """Give all inputs one rule, which returns their gradients in order; it may name ``needs``."""
        self.joint_rule = rule
        self._keep(dict.fromkeys(self.differentiable, rule))

    def at_once(self, rule: Rule) -> None:
        """Give a way to all gradients in one call of a kernel, beside the rules for each.

        It says what the rules say, of arrays alone, and it may name ``needs`` and what one of them names. Several rules
        cost a call of an op each, which is more than the arithmetic of small arrays; but they record themselves.

        Raises
        ------
        RegistryError
            If it names something else, or an input is a sequence.
        """
        unknown = set(parameters(rule)[1:]) - {"needs", *(kept.name for kept in self.kept)}
        if unknown or any(i.kind == "arrays" for i in self.inputs):
            why = f"names {min(unknown)!r}, which no rule names" if unknown else "takes no sequence of inputs"
            raise RegistryError(f"op {self.name}: its rule for all gradients at once {why}")
        self.rule_at_once = rule

    def _keep(self, rules: dict[str, Rule]) -> None:
        wanted: dict[str, list[str]] = {}
        for target, rule in rules.items():
            for name in parameters(rule)[1:]:
                wanted.setdefault(name, []).append(target)
        wanted.pop("needs", None)
        self.kept = tuple(self._kept(name, tuple(by)) for name, by in wanted.items())
        self.keeps_arrays = any(kept.kind in ("input", "output", "extra") for kept in self.kept)
        self.named_values = {name: self._named(name) for name in self.differentiable}
        self.names_values = any(outputs or inputs for outputs, inputs in self.named_values.values())

    def _named(self, target: str) -> tuple[bool, tuple[str, ...]]:
        """Whether the rule for `target` names what all inputs made, and which inputs it names.

        An extra stands for the inputs where the rule names none, as that of a max pool does.
        """
        named = [kept for kept in self.kept if target in kept.wanted_by]
        inputs = tuple([kept.name for kept in named if self._is_edge(kept)])
        made = ("output",) if inputs else ("output", "extra")
        return any(kept.kind in made for kept in named), inputs

    def _is_edge(self, kept: Kept) -> bool:
        return kept.kind == "input" and kept.name in self.differentiable

    def _kept(self, name: str, wanted_by: tuple[str, ...]) -> Kept:
        of_input, _, about = name.rpartition("_")
        inputs = {i.name: i for i in self.inputs}
        if name in inputs:
            kind = "option" if inputs[name].kind == "shape" else "input"
        elif name in self.options:
            kind = "option"
        elif name in self.saves:
            kind = "extra"
        elif (self.outputs is None and name == "out") or (self.outputs is not ... and name in (self.outputs or ())):
            kind = "output"
        elif about in ("shape", "device") and of_input in inputs:
            return Kept(name, about, of_input, wanted_by)
        else:
            raise RegistryError(
                f"op {self.name}: the rule for {wanted_by[0]!r} names {name!r}, which is none of its inputs, options, "
                "outputs or extras"
            )
        return Kept(name, kind, name, wanted_by)

    def columns(self) -> Iterator[tuple[Kept, int]]:
        """Every value that is kept, and where it stands in what a node saved."""
        column = 0
        for kept in self.kept:
            yield kept, column
            column += 3 if kept.kind in ("input", "output") else 1  # with its version, and the number of that

    def check(self) -> None:
        """Refuse an op that has no rules and is not declared ``nondiff``.

        Raises
        ------
        RegistryError
            Naming the input.
        """
        if self.differentiable and not self.has_rules and self.recorded is None:
            raise RegistryError(
                f"op {self.name}: input {self.differentiable[0]!r} has no rule; call {self.name}.backward(...), "
                "or declare it nondiff"
            )

    def _no_rules(self, *_: Any) -> NoReturn:
        self.check()
        raise AssertionError("an op is compiled before its node is made")

    def pull_recorded(self, node: Any, gradient: Any, parents: tuple[Any, ...]) -> tuple[Any, ...]:
        """The same as `pull`, with Tensors on the tape in place of what `node` saved: so the rules are recorded."""
        return call_path.pull_recorded(self, node, gradient, parents)


#: How a change to a view is written to what it is a view of: ``write(base, value, *options)``, out of place. Of an op
#: with several outputs, the keys that they are views by.
ViewWrite = Callable[..., Any]


def op(
    function: Callable[P, R] | None = None,
    *,
    name: str | None = None,
    formula: str = "",
    nondiff: Sequence[str] | bool = (),
    broadcast: bool = False,
    promote: bool | str = False,
    floating: bool = False,
    fresh: bool = False,
    real: bool = False,
    casts: bool = False,
    outputs: Sequence[str] | Any | None = None,
    carries: Sequence[str] | None = None,
    saves: Sequence[str] = (),
    view: ViewWrite | None = None,
    recorded: Callable[..., Any] | None = None,
) -> Any:
    """Put a function of arrays into the table of ops.

    Parameters
    ----------
    name
        Its name, if it is not that of the function: for families that one function makes, such as the convolutions in
        one, two and three dimensions.
    formula
        The derivative in one line; required unless the op has none.
    nondiff
        Inputs that carry no gradient; ``True`` for all.
    broadcast
        The differentiable inputs broadcast and promote, and gradients are summed back to each one's shape.
    promote
        They promote, but do not broadcast; ``"gradients"``: they may differ in dtype, and only their gradients are
        cast to each one's.
    floating
        Integer inputs become the default float dtype first; where the inputs do not promote, the first of them does.
    fresh
        Every rule returns a new array, which nothing else holds: never the arriving gradient, or a view. The walk may
        then add to it in place, and a leaf keep it without a copy.
    real
        It takes no complex numbers: it asks which of two is larger, say, or has no derivative for them.
    casts
        The result's dtype may be any: one of integers or bools carries no gradient.
    outputs
        Names of the outputs, if there are several (the function returns a named tuple with these fields), or ``...``
        if it returns a tuple of any length.
    carries
        Those of `outputs` that carry gradients; all, if not given.
    saves
        Names of what the function returns after its result, for rules only.
    view
        For an op whose result may be a window on its first input's memory: ``write(base, value, *options)``, the
        out-of-place change of `base` that corresponds to setting the result to `value`. Where the outputs are several:
        ``view(count, *options)``, the key of each by which `getitem` would give it.
    recorded
        For a fused backward: the same function in ops, run instead when an input is on the tape.

    Examples
    --------
    >>> from autograd_ops.registry import op
    >>> @op(formula="dx = 3 g x^2")
    ... def cube(x):
    ...     return x * x * x
    >>> cube.backward(x=lambda g, x: 3 * g * x * x)
    >>> import autograd_ops as ag
    >>> t = ag.tensor(2.0, requires_grad=True)
    >>> cube(t).backward()
    >>> t.grad
    tensor(12.)
    """

    def register(function: Callable[..., Any]) -> Any:
        if not formula and nondiff is not True:
            raise RegistryError(f"op {function.__name__}: its derivative has no formula")
        entry = Op(
            function,
            name=name,
            formula=formula,
            nondiff=nondiff,
            broadcast=broadcast,
            promote=promote,
            floating=floating,
            fresh=fresh,
            real=real,
            casts=casts,
            outputs=outputs,
            carries=carries,
            saves=saves,
            view=view,
            recorded=recorded,
        )
        TABLE[entry.name] = entry
        return entry.function

    return register if function is None else register(function)


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters; ``inspect.signature`` takes twenty times as long."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


_KINDS = {
    "Array": "array",
    "Array | None": "optional",
    "Arrays": "arrays",
    "ShapeOf": "shape",
}


def _arguments(
    name: str, function: Callable[..., Any], nondiff: Sequence[str] | bool
) -> tuple[tuple[Input, ...], tuple[str, ...]]:
    annotations = function.__annotations__
    inputs: list[Input] = []
    options: list[str] = []
    for argument in parameters(function):
        if argument in call_path.RESERVED:
            raise RegistryError(f"op {name}: no argument can be called {argument!r}, which its call path uses")
        annotation = annotations.get(argument, "Array")
        if not isinstance(annotation, str):
            annotation = {Array: "Array", Arrays: "Arrays"}.get(annotation, repr(annotation))
        kind = _KINDS.get(annotation)
        if kind is None:
            options.append(argument)
            continue
        fixed = nondiff is True or kind == "shape" or (nondiff is not False and argument in nondiff)
        inputs.append(Input(argument, kind, not fixed))
    unknown = [n for n in ([] if isinstance(nondiff, bool) else nondiff) if n not in {i.name for i in inputs}]
    if unknown:
        raise RegistryError(f"op {name}: {unknown[0]!r} is declared nondiff but is no input")
    return tuple(inputs), tuple(options)


def is_op(function: Any) -> bool:
    """Whether `function` is in the table."""
    return isinstance(function, FunctionType) and isinstance(getattr(function, "op", None), Op)
