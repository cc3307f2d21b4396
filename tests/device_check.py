"""Run every op sample and every vector on a device, and print what disagrees with the right values.

    python -m tests.device_check --device cuda

For machines on which the whole test suite is not worth its time: one with a GPU that is lent for minutes, say. It
needs the library, NumPy and array-api-compat, and no pytest. What it finds goes to the file named by ``--out`` as it
is found, so that a run that is cut off has told what it knew. The exit status is 1 if anything disagrees or was not
reached.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autograd_backends import device_of, parse_device
from autograd_ops import Tensor
from autograd_ops.registry import TABLE, Op

from . import vector_calls
from .op_calls import (
    TOLERANCES,
    arrays,
    float_inputs,
    gradients,
    host,
    leaves,
    outputs,
    reference,
    tensors,
)
from .op_samples import SAMPLES, Sample

__all__ = ["Check", "checks", "main"]


class Check(NamedTuple):
    """One thing to look at: `run` gives the first difference, or nothing."""

    op: str
    sample: str
    lane: str
    run: Callable[[], str]


def checks(device: str, only: str = "", dtypes: tuple[str, ...] = ("float64", "float32")) -> Iterator[Check]:
    """Everything there is to check on `device`, of ops whose name begins with `only`.

    All ops in the first dtype come before any in the next: what a short run should see is early.
    """
    ops = [op for op in TABLE.values() if op.name in SAMPLES and op.name.startswith(only)]
    vectors = [v for v in vector_calls.read_vectors() if v.function_name.startswith(only) and v.function_name in TABLE]
    for dtype in dtypes:
        for op in ops:
            for sample in SAMPLES[op.name]:
                yield from _of_sample(op, sample, device, dtype)
        if dtype != "float16":
            for vector in vectors:
                for lane in vector_calls.lanes_of(vector):
                    if lane != "twice" or dtype == "float64":
                        run = _bound(vector_calls.run, vector, lane, device, dtype)
                        yield Check(vector.function_name, f"vector {vector.name}", f"{lane} {dtype}", run)


def _of_sample(op: Op, sample: Sample, device: str, dtype: str) -> Iterator[Check]:
    if dtype == "float16" and not (sample.half and sample.has_floats()):
        return
    yield Check(op.name, sample.label(), f"forward {dtype}", _bound(forward, op, sample, device, dtype))
    # In half precision the rounding of a gradient depends on the order of a rule's steps: only values are compared.
    if dtype != "float16" and float_inputs(op, sample) and (sample.dtype or "float").startswith("float"):
        yield Check(op.name, sample.label(), f"backward {dtype}", _bound(backward, op, sample, device, dtype))


def _bound(function: Callable[..., str], *arguments: Any) -> Callable[[], str]:
    def run() -> str:
        try:
            return function(*arguments)
        except Exception as raised:
            return f"{type(raised).__name__}: {str(raised).partition(chr(10))[0]}"

    return run


def forward(op: Op, sample: Sample, device: str, dtype: str) -> str:
    """The first difference between an op's outputs and the sample's reference."""
    got = outputs(op.function(*arrays(sample, dtype, device)))
    want = reference(sample, dtype)
    if len(got) != len(want):
        return f"{len(got)} outputs, want {len(want)}"
    home = sample.device or str(parse_device(device))
    return _first(_difference(f"output {i}", g, w, home) for i, (g, w) in enumerate(zip(got, want, strict=True)))


def backward(op: Op, sample: Sample, device: str, dtype: str) -> str:
    """The first difference between the gradients on the device and those of the CPU in float64."""
    names = float_inputs(op, sample)
    given = tensors(sample, dtype, device, op, names)
    want = gradients(op, tensors(sample, "float64", "cpu", op, names))
    found = gradients(op, given)
    home = str(parse_device(device))
    return _first(
        _difference(f"gradient {i}", g.array, host(w), home) if g.dtype == x.dtype else f"gradient {i}: {g.dtype}"
        for i, (g, w, x) in enumerate(zip(found, want, leaves(given), strict=True))
    )


def _first(differences: Iterator[str]) -> str:
    return next((difference for difference in differences if difference), "")


def _difference(name: str, got: Any, want: np.ndarray, device: str) -> str:
    array = got.array if isinstance(got, Tensor) else got
    if device_of(array) != device:
        return f"{name}: on {device_of(array)}"
    found = host(array)
    if found.shape != want.shape:
        return f"{name}: shape {found.shape}, want {want.shape}"
    tolerance = TOLERANCES.get(found.real.dtype.name, 0.0)
    wrong = ~np.isclose(found, want, rtol=tolerance, atol=tolerance, equal_nan=True)
    if not wrong.any():
        return ""
    at = tuple(int(n) for n in np.argwhere(wrong)[0])
    return f"{name}{list(at)}: {found[at]!s}, want {want[at]!s}"


HEADER = ("op", "sample", "lane", "first difference")
WIDTHS = (34, 52, 17)


def _row(cells: tuple[str, ...]) -> str:
    fixed = [
        cell if len(cell) <= width else cell[: width - 3] + "..." for cell, width in zip(cells, WIDTHS, strict=False)
    ]
    return "  ".join([*(cell.ljust(width) for cell, width in zip(fixed, WIDTHS, strict=True)), *cells[len(WIDTHS) :]])


class Report:
    """Lines for the screen and a file, which has each as soon as it is written."""

    def __init__(self, out: str | None) -> None:
        self._path = Path(out) if out else None
        if self._path is not None:
            self._path.write_text("")

    def line(self, text: str, screen: bool = True) -> None:
        """Write a line."""
        if screen:
            print(text, flush=True)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the checks that the command line asks for; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.device_check", description="Check every op on a device.")
    parser.add_argument("--device", default="cpu", help="a device string: cpu, cuda, cuda:1, strict:device1, ...")
    parser.add_argument("--only", default="", help="ops whose names begin like this")
    parser.add_argument("--dtype", action="append", choices=sorted(TOLERANCES), help="float64 and float32 by default")
    parser.add_argument("--seconds", type=float, default=240.0, help="stop after this long; 240 by default")
    parser.add_argument("--out", help="a file for what is found, written as it is found")
    given = parser.parse_args(arguments)
    report = Report(given.out)
    began = time.monotonic()
    report.line(f"device_check on {parse_device(given.device)!s}")
    count: Counter[str] = Counter()
    op = ""
    for check in checks(given.device, given.only, tuple(given.dtype or ("float64", "float32"))):
        if time.monotonic() - began > given.seconds:
            count["not reached"] += 1
            continue
        if check.op != op:
            op = check.op
            report.line(f"# {op}", screen=False)  # a crash of the process is the fault of the last one
        difference = check.run()
        count["disagree" if difference else "agree"] += 1
        if difference:
            if count["disagree"] == 1:
                report.line(_row(HEADER))
            report.line(_row((check.op, check.sample, check.lane, difference)))
    spent = time.monotonic() - began
    report.line(
        f"{count['agree']} agree, {count['disagree']} disagree, {count['not reached']} not reached, in {spent:.0f} s"
    )
    return 1 if count["disagree"] or count["not reached"] or not count["agree"] else 0


if __name__ == "__main__":
    sys.exit(main())
