"""The command line, the workers and their answers, with this library in the place of all."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import count

import pytest

from benchmarks import __main__ as command
from benchmarks import compare, environment, peers
from benchmarks.compare import Plan, Process
from benchmarks.scaling import SWEEPS
from benchmarks.worker import Worker
from benchmarks.workloads import WORKLOADS


def worker(**sizes):
    ticks = count()
    return Worker("autograd_ops", "tiny-mlp-sgd", sizes, lambda: float(next(ticks)))


def test_a_worker_times_as_many_steps_as_it_is_told():
    assert worker().time(steps=4) == [1.0] * 4
    assert worker().time(seconds=7.0) == [1.0] * 7


def test_a_worker_gives_losses_and_stops_where_they_take_too_long():
    found = worker().losses(3)
    assert len(found) == 3
    assert found[0] > found[1] > found[2]
    assert worker().losses(3) == found
    assert len(worker().losses(100)) == 12


def test_a_process_weighs_its_memory():
    plan = Plan({"autograd_ops": sys.executable}, threads=1)
    assert compare.measure_memory(plan, "tiny-mlp-sgd", "autograd_ops", batch=100_000) > 100_000 * 16 * 4


def test_a_process_answers_and_ends():
    plan = Plan({"autograd_ops": sys.executable}, threads=1)
    with Process(plan, "autograd_ops", "tiny-mlp-adam", batch=2) as process:
        assert process("about").startswith("autograd_ops ")
        first, second = process("losses", steps=2)
        assert first != second
        with pytest.raises(RuntimeError, match="a worker died"):
            process("nothing that it knows")


def test_a_comparison_refuses_libraries_that_begin_differently(monkeypatch):
    class Fake:
        def __init__(self, plan, library, workload, **sizes):
            self.library = library

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            pass

        def __call__(self, do, **options):
            return {"fingerprint": hash(self.library), "losses": [1.0], "time": [1.0]}[do]

    monkeypatch.setattr(compare, "Process", Fake)
    plan = Plan({}, repeats=2, turns=3)
    with pytest.raises(RuntimeError, match="not all begin with the same"):
        compare.compare(plan, "mlp", ["a", "b"])
    monkeypatch.setattr(Fake, "library", property(lambda self: "same", lambda self, value: None), raising=False)
    measured = compare.compare(plan, "mlp", ["a", "b"])
    assert {name: len(m.turns) for name, m in measured.items()} == {"a": 6, "b": 6}


def test_the_command_lists_workloads(capsys):
    assert command.main(["--list"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines()] == [*WORKLOADS, *SWEEPS]


def test_the_command_compares_writes_and_says_who_is_left_out(monkeypatch, tmp_path, capsys):
    def measured(plan, name, libraries, **sizes):
        return {library: compare.Measured([1.0, 0.5], [[0.1], [0.2]]) for library in libraries}

    monkeypatch.setattr(command, "compare", measured)
    monkeypatch.setattr(command, "measure_memory", lambda *arguments, **sizes: 5_000_000)
    monkeypatch.setattr(command, "about", lambda plan: ["a machine"])
    page = tmp_path / "page.md"
    page.write_text("<!-- benchmarks -->\n<!-- end of benchmarks -->\n")
    where = ["--json", str(tmp_path / "all.json"), "--markdown", str(page), "--peer-python", "python"]
    assert command.main([*where, "--only", "mlp", "lstm", "--peers", "torch", "mygrad"]) == 0
    shown = capsys.readouterr().out
    assert "MyGrad does not run lstm: it has no" in shown
    assert "geometric mean 1.00 of PyTorch" in shown
    rows = json.loads((tmp_path / "all.json").read_text())
    assert [(r["workload"], r["peer"], r["memory"]) for r in rows] == [
        ("mlp", "torch", 5_000_000),
        ("mlp", "mygrad", 5_000_000),
        ("lstm", "torch", 5_000_000),
    ]
    assert "| MLP 784-128-10 |" in page.read_text()


def test_the_command_scales(monkeypatch, tmp_path, capsys):
    def measured(plan, name, libraries, length):
        return {library: compare.Measured([1.0], [[1e-6 * length]]) for library in libraries}

    monkeypatch.setattr("benchmarks.scaling.compare", measured)
    monkeypatch.setattr("benchmarks.scaling.measure_memory", lambda *arguments, length: length**2)
    assert command.main(["scaling", "--only", "length", "--peer-python", "p", "--json", str(tmp_path / "c.json")]) == 0
    assert "PyTorch: time grows as work^1.00, memory as work^2.00" in capsys.readouterr().out
    ours, _ = json.loads((tmp_path / "c.json").read_text())
    assert ours["work"] == [100, 1_000, 10_000, 100_000]


def test_the_command_profiles(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- parts -->\n<!-- end of parts -->\n")
    assert command.main(["profile", "--only", "tiny-mlp-adam", "--markdown", str(page)]) == 0
    assert "tiny-mlp-adam: " in capsys.readouterr().out
    assert "| tiny-mlp-adam | " in page.read_text()


def test_the_command_does_all(monkeypatch):
    done = []
    for what in command._WHATS:
        monkeypatch.setitem(command._WHATS, what, lambda options, what=what: done.append((what, options.json)) or 0)
    assert command.main(["all", "--json", "found/all.json"]) == 0
    assert done == [
        ("compare", "found/all.json"),
        ("without-onednn", "found/all-without-onednn.json"),
        ("scaling", "found/all-scaling.json"),
        ("profile", "found/all-profile.json"),
    ]


def test_every_peer_says_why_it_leaves_a_workload_out():
    for peer in peers.PEERS:
        reasons = {name: peers.why_not(peer, name) for name in WORKLOADS}
        assert None in reasons.values()
        assert all(reason is None or len(reason) > 20 for reason in reasons.values())
    assert not any(peers.why_not("torch", name) for name in WORKLOADS)


@pytest.mark.parametrize("reached", [True, False])
def test_the_environment_is_made_once(monkeypatch, tmp_path, reached):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made, installed = [], []

    def run(command, check=False):
        installed.append([part for part in command if "==" in part or part == "--index-url"])
        return subprocess.CompletedProcess(command, 0 if reached or "--index-url" not in command else 1)

    monkeypatch.setattr(
        environment.venv, "create", lambda folder, **_: made.append(folder) or folder.mkdir(parents=True)
    )
    monkeypatch.setattr(environment.subprocess, "run", run)
    first = environment.peer_python(None)
    assert environment.peer_python(None) == first
    assert first.startswith(str(tmp_path))
    assert len(made) == 1
    torch, *others = (package for package in peers.PACKAGES if "==" in package)
    assert installed == [["--index-url", torch], *([] if reached else [[torch]]), others]
    assert environment.peer_python("given") == "given"
