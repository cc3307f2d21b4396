"""A headless Chromium for tests of what people see; without one they are skipped, except where one is required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

#: Set where a browser must be there, as in .ci/run: then its absence is a failure.
REQUIRED = "AUTOGRAD_OPS_BROWSER_TESTS"


def _missing(reason: str) -> None:
    if os.environ.get(REQUIRED) == "required":
        pytest.fail(f"{reason}, and {REQUIRED} is 'required'")
    pytest.skip(f"{reason}: browser tests need Debian's chromium, or any, on the PATH")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for the session, driven by Playwright."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        _missing("there is no Chromium here")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens what shows itself as a saved page, in a window of a width; errors of its scripts fail the test."""
    pages: list[Any] = []
    errors: list[str] = []

    def open_page(shown: Any, width: int = 1000) -> Any:
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(shown.save(tmp_path / f"page{len(pages)}.html").as_uri())
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert not errors
