"""The documentation site: ``python -m sphinx -W docs build/site``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import autograd_ops

ROOT = Path(__file__).resolve().parents[1]

# The notebooks are the examples; the site shows them executed.
shutil.rmtree(ROOT / "docs" / "notebooks", ignore_errors=True)
shutil.copytree(ROOT / "examples" / "notebooks", ROOT / "docs" / "notebooks")

project = "autograd_ops"
author = "the autograd_ops developers"
copyright = author
version = release = autograd_ops.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["**.ipynb_checkpoints", "**/jupyter_execute", "generate_*.py"]

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
suppress_warnings = [
    "myst.xref_missing",  # pages link to files of the repository that are no pages; a test looks whether these exist
    "ref.python",  # names that are in several places, such as autograd.grad and func.grad
]
nb_execution_mode = "force"  # a cache would show what an older library drew
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "furo"
html_title = "autograd_ops"
html_theme_options = {"source_repository": "", "navigation_with_keys": True}
html_static_path: list[str] = []

sys.setrecursionlimit(10_000)
