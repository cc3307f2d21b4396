"""Where oneDNN is missing there is nothing to test: NumPy does all, and the other tests are of that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograd_backends.numpy_backend.onednn.gate import forced
from autograd_backends.numpy_backend.onednn.library import why_not


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder where the library is not there."""
    reason = why_not()
    if reason is not None:
        for item in items:
            if "tests/onednn/" in item.path.as_posix() and "without" not in item.name:
                item.add_marker(pytest.mark.skip(reason=f"oneDNN: {reason}"))


@pytest.fixture
def onednn_does_all() -> Iterator[None]:
    """Let oneDNN do whatever it can, of any size."""
    with forced():
        yield
