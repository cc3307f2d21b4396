"""Write docs/op-table.md from the table of ops: ``python -m docs.generate_op_table`` in the root of the repository.

It stands here and not in the library, which has no use for Markdown at run time; and it needs CuPy's backend, for which
the tests have a stand-in.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from pathlib import Path

import autograd_ops.ops  # noqa: F401  # fills the table
from autograd_backends import Backend, get_backend
from autograd_ops.ops import load_all
from autograd_ops.registry import TABLE, Op
from tests.cuda_stand_in import stand_in

__all__ = ["PAGE", "op_table"]

PAGE = Path(__file__).parent / "op-table.md"

HEAD = """\
# Every op

Made from the table of ops by `python -m docs.generate_op_table`; a test makes it again and compares.

How to read it:

- **op**: its arguments in `autograd_ops.ops`. `bias?` may be None, `arrays...` is a sequence, `x:shape` may be a
  Tensor, an array or a shape, since only its shape counts. What follows `;` are options.
- **derivative**: its formula; g is the gradient that arrives. Arguments after *no gradient* get none.
- **the tape keeps**: the arrays that a call leaves on the tape, and in brackets the inputs for whose gradients one is
  kept, where that is not all of them; if none of these needs a gradient, it is not kept. A shape costs nothing and is
  not listed. *all at once*: one rule gives all gradients.
- **twice**: what differentiates the derivative: *rules*, which are made of ops and so record themselves; or a *recorded
  form*, the same formula in ops, run in place of a fused kernel when that is itself to be differentiated.
- **kernels of its own**: the backends that override the default, or *default* where none does. Ops without an entry
  are a few array API calls, the same on every backend.
"""


def op_table() -> str:
    """The page."""
    load_all()
    with stand_in():
        backends = {word: get_backend(word) for word in ("cpu", "cuda", "strict")}
        families: dict[str, list[Op]] = {}
        for op in TABLE.values():
            if op.forward.__module__.startswith("autograd_ops.ops."):
                families.setdefault(op.forward.__module__, []).append(op)
        count = sum(map(len, families.values()))
        parts = [HEAD, f"{count} ops in {len(families)} families.\n"]
        parts += [_family(module, families[module], backends) for module in sorted(families)]
    return "\n".join(parts)


def _family(module: str, ops: Iterable[Op], backends: dict[str, Backend]) -> str:
    title = module.rpartition(".")[2]
    about = (sys.modules[module].__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
    lines = [
        f"## {title}",
        "",
        about,
        "",
        "| op | derivative | the tape keeps | twice | kernels of its own |",
        "|---|---|---|---|---|",
        *(_row(op, backends) for op in sorted(ops, key=lambda op: op.name)),
        "",
    ]
    return "\n".join(lines)


def _row(op: Op, backends: dict[str, Backend]) -> str:
    cells = [f"`{_signature(op)}`", _derivative(op), _keeps(op), _twice(op), _kernels(op, backends)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _signature(op: Op) -> str:
    marks = {"array": "{}", "optional": "{}?", "arrays": "{}...", "shape": "{}:shape"}
    inputs = [marks[i.kind].format(i.name) for i in op.inputs]
    defaults = inspect.signature(op.forward).parameters
    options = [
        name if defaults[name].default is inspect.Parameter.empty else f"{name}={defaults[name].default!r}"
        for name in op.options
    ]
    given = ", ".join(inputs) + ("; " if options and inputs else "") + ", ".join(options)
    result = f" -> {', '.join(op.outputs)}" if isinstance(op.outputs, tuple) else ""
    return f"{op.name}({given}){result}"


def _derivative(op: Op) -> str:
    if not op.differentiable:
        return "none"
    without = [i.name for i in op.inputs if not i.differentiable and i.kind != "shape"]
    return op.formula + (f"; *no gradient*: {', '.join(without)}" if without else "")


def _keeps(op: Op) -> str:
    if not op.differentiable:
        return ""
    if not op.has_rules:
        return "as its recorded form"
    kept = []
    for k in op.kept:
        if k.kind in ("input", "output", "extra"):
            name = "its output" if k.name == "out" else k.name
            some = op.joint_rule is None and len(k.wanted_by) < len(op.differentiable)
            kept.append(f"{name} (for {', '.join(k.wanted_by)})" if some else name)
    return (", ".join(kept) or "nothing") + ("; *all at once*" if op.joint_rule is not None else "")


def _twice(op: Op) -> str:
    if not op.differentiable:
        return ""
    return "rules" if op.recorded is None else "recorded form"


def _kernels(op: Op, backends: dict[str, Backend]) -> str:
    if not hasattr(Backend, op.name):
        return ""
    return ", ".join(word for word, backend in backends.items() if backend.has_op(op.name)) or "default"


if __name__ == "__main__":
    PAGE.write_text(op_table())
