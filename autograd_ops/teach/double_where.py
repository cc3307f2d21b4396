"""The double where, written into a line of the user's.

``where(x > 0, sqrt(x), 0)`` chooses after both branches were computed. Backward sends a gradient of 0 into the branch
that was not chosen, where the derivative of sqrt is infinite; and 0 times infinity is NaN. So the argument has to be
made safe before, by a where of its own.
"""

from __future__ import annotations

import ast

from .remedies import Remedy

__all__ = ["double_where"]

#: Ops that are written with an operator.
_OPERATORS: dict[str, type[ast.operator]] = {"div": ast.Div, "pow": ast.Pow}
_TAKEN = "safe"


def double_where(line: str, op: str, remedy: Remedy) -> str:
    """Lines to stand in the place of `line`, in which the argument of `op` is made safe first.

    Empty if the call of `op` is not to be found in it, or the remedy has no condition.
    """
    if remedy.safe is None:
        return ""
    try:
        tree = ast.parse(line)
    except SyntaxError:  # a part of a longer statement
        return ""
    finder = _Finder(op, remedy.argument)
    finder.visit(tree)
    if not finder.arguments or not (remedy.alone or _calls(tree, "where")):
        return ""
    first = finder.arguments[0]
    argument = ast.unparse(first)
    bracketed = argument if isinstance(first, (ast.Name, ast.Attribute, ast.Subscript)) else f"({argument})"
    ok = remedy.safe.written(bracketed)
    where = _where(tree)
    same = [other for other in finder.arguments if ast.unparse(other) == argument]
    changed = ast.unparse(_Replacer(same).visit(ast.parse(line)))
    lines = [f"ok = {ok}", f"{_TAKEN} = {where}(ok, {argument}, {remedy.instead})", changed]
    if not _calls(tree, "where"):
        target = _target(tree)
        if target:
            lines.append(f"{target} = {where}(ok, {target}, 0.0)")
    return "\n".join(lines)


class _Finder(ast.NodeVisitor):
    """Finds the arguments that an op is called with: ``ag.sqrt(x)``, ``x.sqrt()``, ``a / b`` or ``x ** p``."""

    def __init__(self, op: str, argument: str) -> None:
        self.arguments: list[ast.expr] = []
        self._op = op
        self._second = argument == "y"

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == self._op:
            operands = list(node.args)
            of_a_module = isinstance(node.func, ast.Name) or len(operands) > (1 if self._second else 0)
            if not of_a_module and isinstance(node.func, ast.Attribute):
                operands.insert(0, node.func.value)
            if len(operands) > self._second:
                self.arguments.append(operands[self._second])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, _OPERATORS.get(self._op, ast.MatMult)):
            self.arguments.append(node.right if self._second else node.left)
        self.generic_visit(node)


class _Replacer(ast.NodeTransformer):
    """Puts the safe value in the place of arguments, which are known by where they stand."""

    def __init__(self, arguments: list[ast.expr]) -> None:
        self._at = {(a.lineno, a.col_offset, a.end_col_offset) for a in arguments}

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and (node.lineno, node.col_offset, node.end_col_offset) in self._at:
            return ast.copy_location(ast.Name(_TAKEN, ast.Load()), node)
        return super().visit(node)


def _calls(tree: ast.Module, name: str) -> list[ast.expr]:
    """The functions that the line calls by that name: ``where``, ``ag.where`` or ``x.where``."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [f for f in calls if (f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")) == name]


def _where(tree: ast.Module) -> str:
    """How the line would call where: as it does already, or through the module's name in it, or ``ag``."""
    for function in _calls(tree, "where"):
        if not isinstance(function, ast.Attribute) or isinstance(function.value, ast.Name):
            return ast.unparse(function)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return "torch.where" if "torch" in names and "ag" not in names else "ag.where"


def _target(tree: ast.Module) -> str:
    """The one name that the line sets."""
    (statement,) = tree.body if len(tree.body) == 1 else (None,)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""
