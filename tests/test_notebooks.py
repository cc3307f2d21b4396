"""The notebooks of examples/notebooks: they run from top to bottom, and the repository holds none of their outputs."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import nbformat
import pytest
from ipykernel import kernelspec
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kernel of this interpreter, which finds this library and no settings of the user's."""
    import matplotlib.font_manager  # noqa: F401  # makes its cache of fonts, or the first notebook would print that it does

    kernelspec.install(kernel_name="this-interpreter", prefix=str(tmp_path))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    here = [str(ROOT), str(ROOT / "backends"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, here)))
    for scheme in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(scheme, "http://127.0.0.1:9")  # nobody is there: whoever downloads fails
    return "this-interpreter"


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@each_notebook
def test_a_notebook_runs_and_prints_no_warning(path: Path, kernel: str, tmp_path: Path) -> None:
    notebook = read(path)
    resources = {"metadata": {"path": str(tmp_path)}}  # what a notebook saves is left there
    NotebookClient(notebook, timeout=60, kernel_name=kernel, resources=resources).execute()  # raises at a cell's error
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []


@each_notebook
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.id for cell in code if cell.outputs or cell.execution_count is not None or cell.metadata] == []
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}


@each_notebook
def test_a_notebook_has_one_title_and_headings_that_nest(path: Path) -> None:
    lines = [line for cell in read(path).cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    levels = [len(line) - len(line.lstrip("#")) for line in lines if line.startswith("#")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
