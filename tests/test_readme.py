"""The README and the pages of docs/: their Python runs, and what they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path) -> None:
    blocks = re.findall(r"^```(?:python|{code-cell})\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    scope: dict[str, object] = {"__name__": page.stem}
    for block in blocks:
        exec(compile(block, str(page), "exec"), scope)


def test_the_fifteen_lines_learn_the_sine(capsys: pytest.CaptureFixture[str]) -> None:
    (first, *_) = re.findall(r"^```python\n(.*?)^```", PAGES[0].read_text(), flags=re.MULTILINE | re.DOTALL)
    exec(compile(first, "README.md", "exec"), {"__name__": "readme"})
    assert float(capsys.readouterr().out) < 0.001


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_files_that_a_page_links_to_exist(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_files_of_the_house_exist() -> None:
    house = PAGES[0].read_text().split("## The house")[1].split("Where is")[0]
    below = {"autograd_ops": ROOT / "autograd_ops", "autograd_backends": ROOT / "backends" / "autograd_backends"}
    folder = ROOT
    for line in house.splitlines():
        names = re.findall(r"[\w/]+\.py|[\w/]+/", re.split(r"\s{2,}\S", line.strip() + "  ", maxsplit=1)[0])
        for name in names:
            if name.rstrip("/").split("/")[-1] in below:
                folder = below[name.rstrip("/").split("/")[-1]]
            elif line.startswith("        "):
                assert (folder / name).exists(), name
            else:
                assert (ROOT / name).exists(), name
