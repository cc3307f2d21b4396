"""What the registry refuses."""

from __future__ import annotations

import pytest

from autograd_ops.registry import TABLE, RegistryError, op


@pytest.mark.parametrize("name", ["tape_mode", "new", "Tensor", "op"])
def test_names_that_the_call_path_uses_are_refused(name: str) -> None:
    scope: dict = {}
    exec(f"def taking(x, {name}: str):\n    return x", scope)
    with pytest.raises(RegistryError, match=f"taking: no argument can be called '{name}'"):
        op(scope["taking"], formula="dx = g")
    assert "taking" not in TABLE
