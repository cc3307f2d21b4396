"""docs/errors.md: each error on it is the one that its lines give, word for word."""

from __future__ import annotations

import doctest
import warnings
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "errors.md"


def test_the_errors_of_the_page_are_those_that_come() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS)
    assert result.attempted > 30
    assert result.failed == 0
    assert [w.category.__name__ for w in caught] == ["ForgottenZeroGrad"]
