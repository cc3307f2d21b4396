"""docs/op-table.md is what the table of ops says."""

from __future__ import annotations

from autograd_ops.registry import TABLE
from docs.generate_op_table import PAGE, op_table


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == op_table(), "run python -m docs.generate_op_table"


def test_the_page_has_every_op_with_its_formula() -> None:
    page = op_table()
    for op in TABLE.values():
        if op.forward.__module__.startswith("autograd_ops."):
            (row,) = (line for line in page.splitlines() if line.startswith(f"| `{op.name}("))
            assert op.formula.replace("|", "\\|") in row
            assert row.replace("\\|", "").count("|") == 6
