"""The interpreter that has the other libraries: one that is given, or an environment made once, outside the project."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

from .peers import PACKAGES

__all__ = ["environment_folder", "peer_python"]

#: Where PyTorch's build for CPUs is looked for first: elsewhere Linux may get the one for CUDA, many times larger.
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"


def environment_folder() -> Path:
    """The environment's folder: a new one for other packages or another Python."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    return cache / "autograd_ops" / f"peers-{version}-{PACKAGES[0].replace('==', '-')}"


def peer_python(given: str | None) -> str:
    """The path of `given`, or of an environment with `PACKAGES`, which is made if it is not there.

    Raises
    ------
    subprocess.CalledProcessError
        If they cannot be installed.
    """
    if given is not None:
        return given
    folder = environment_folder()
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed"
    if not done.exists():
        print(f"making an environment for the other libraries in {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet"]
        torch, *others = PACKAGES
        if subprocess.run([*install, "--index-url", CPU_BUILDS, "--retries", "0", torch]).returncode:
            subprocess.run([*install, torch], check=True)
        subprocess.run([*install, *others], check=True)
        done.touch()
    return str(python)
