"""Functions around functions: of the same signature, generated from it, and compiled when they are first called.

Two things stand around public functions, and a function that has both has one function around it:

* `refuse`: what an error that comes out of it is made to say (`refusals`);
* `into`: an argument ``out`` more, and what becomes of it (`out_argument`).

A ``try`` that nothing is raised in costs nothing, the call around it fifty nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, update_wrapper
from inspect import CO_VARARGS, CO_VARKEYWORDS, Parameter, Signature, signature
from types import CellType, CodeType, FunctionType
from typing import Any

__all__ = ["Around", "Into", "Refuse"]

#: From an error, the arguments of the call and their defaults: what to raise, which may be the error itself.
Refuse = Callable[[Exception, dict[str, Any], Mapping[str, Any]], Exception]

#: From the function, `out`, and the arguments by place and by name: what the call returns.
Into = Callable[[Callable[..., Any], Any, tuple[Any, ...], dict[str, Any]], Any]


class Around:
    """A function and, as `outer`, the one that stands in its place, which has this as its ``around``.

    Around one that is an `outer` already, it stands in the place of that, and keeps its `refuse` if given none.
    """

    __slots__ = ("function", "into", "outer", "refuse")

    function: Any
    refuse: Refuse | None

    def __init__(self, function: FunctionType, refuse: Refuse | None = None, into: Into | None = None) -> None:
        inner: Around | None = getattr(function, "around", None)
        self.function = function if inner is None else inner.function
        self.refuse = inner.refuse if refuse is None and inner is not None else refuse
        self.into = into
        cells = (CellType(self), CellType(self.function))
        self.outer = FunctionType(_first_call.__code__, function.__globals__, function.__name__, None, cells)
        update_wrapper(self.outer, function)
        self.outer.__dict__["around"] = self
        if into is not None:
            self.outer.__dict__["__signature__"] = _WithOut(function)

    def compile(self, function: FunctionType) -> None:
        """Give `outer`, which stands around `function`, its real code."""
        plain = _plain(function)
        code = _compiled(_source(plain, self.refuse is not None, self.into is not None))
        self.outer.__code__ = code.replace(co_name=self.outer.__name__, co_qualname=self.outer.__qualname__)
        self.outer.__defaults__, self.outer.__kwdefaults__ = plain.__defaults__, plain.__kwdefaults__
        if self.into is not None:
            self.outer.__kwdefaults__ = {**(plain.__kwdefaults__ or {}), "out": None}

    def refusal(self, error: Exception, values: tuple[Any, ...]) -> Exception:
        """What to raise when `error` came of a call with `values`."""
        assert self.refuse is not None
        plain = _plain(self.function)
        last, by_place = plain.__code__.co_argcount, plain.__defaults__ or ()
        names = _parameters(plain)
        defaults = dict(zip(names[last - len(by_place) : last], by_place, strict=True)) | (plain.__kwdefaults__ or {})
        return self.refuse(error, dict(zip(names, values, strict=True)), defaults)


def _stub(_around: Any, _function: Any) -> FunctionType:
    """What stands there at first: a function of the same two free variables as the one that takes its place."""

    def first_call(*args: Any, **kwargs: Any) -> Any:
        _around.compile(_function)
        return _around.outer(*args, **kwargs)

    return first_call  # type: ignore[return-value]


_first_call = _stub(None, None)


class _WithOut(Signature):
    """The signature of a function with `out` beside its arguments, made when somebody asks: few programs do."""

    __slots__ = ("_function",)

    def __init__(self, function: FunctionType) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name not in Signature.__slots__:
            raise AttributeError(name=name, obj=self)
        plain = signature(self._function)
        parameters = list(plain.parameters.values())
        at = len(parameters) - (parameters[-1:] != [] and parameters[-1].kind is Parameter.VAR_KEYWORD)
        parameters.insert(at, Parameter("out", Parameter.KEYWORD_ONLY, default=None))
        super().__init__(parameters, return_annotation=plain.return_annotation)
        return getattr(self, name)


# ---------------------------------------------------------------- the source


def _plain(function: FunctionType) -> FunctionType:
    """The function whose code has the signature: of an op, its forward."""
    return function.__wrapped__ if hasattr(function, "op") else function  # type: ignore[attr-defined]


def _parameters(function: FunctionType) -> tuple[str, ...]:
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_varnames[:count]


def _source(function: FunctionType, refuses: bool, takes_out: bool) -> str:
    """The source of the function around `function`."""
    code = function.__code__
    names = _parameters(function)
    by_place = list(names[: code.co_argcount])
    by_name = list(names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    rest = list(names[code.co_argcount + code.co_kwonlyargcount :])
    several = [f"*{rest.pop(0)}"] if code.co_flags & CO_VARARGS else []
    options = [f"**{rest.pop(0)}"] if code.co_flags & CO_VARKEYWORDS else []
    out = ["out"] if takes_out else []

    only_by_place = [*by_place[: code.co_posonlyargcount], "/"] if code.co_posonlyargcount else []
    star = several or (["*"] if by_name or takes_out else [])
    head = [*only_by_place, *by_place[code.co_posonlyargcount :], *star, *by_name, *out, *options]
    passed = [*by_place, *several, *(f"{name}={name}" for name in by_name), *options]
    body = f"return _function({', '.join(passed)})"
    if takes_out:
        given = "".join(f"{name}, " for name in (*by_place, *several))
        named = ", ".join([*(f"{name!r}: {name}" for name in by_name), *options])
        body = f"if out is None: {body}\nreturn _around.into(_function, out, ({given}), {{{named}}})"
    if refuses:
        values = "".join(f"{name}, " for name in names)
        body = (
            f"try:\n{_indented(body)}\n"
            "except Exception as _error:\n"
            f"    _refusal = _around.refusal(_error, ({values}))\n"
            "    if _refusal is _error:\n"
            "        raise\n"
            "    raise _refusal from None"
        )
    call = f"def call({', '.join(head)}):\n{_indented(body)}"
    return f"def template(_around, _function):\n{_indented(call)}\n"


def _indented(lines: str) -> str:
    return "    " + lines.replace("\n", "\n    ")


@cache
def _compiled(source: str) -> CodeType:
    (template,) = (c for c in compile(source, "<autograd_ops wrapper>", "exec").co_consts if isinstance(c, CodeType))
    (call,) = (c for c in template.co_consts if isinstance(c, CodeType))
    return call
