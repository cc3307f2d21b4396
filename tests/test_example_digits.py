"""The digits example, as a user runs it: each test is one short run or a few."""

import importlib.util
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import autograd_ops as ag

SCRIPT = Path(__file__).parent.parent / "examples" / "digits_cnn.py"


def command(*arguments):
    return [sys.executable, "-u", "-W", "error", str(SCRIPT), *map(str, arguments)]


def run(*arguments, status=0):
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == status, done.stderr
    return done


def accuracies(output):
    return [float(x) for x in re.findall(r"test accuracy ([\d.]+)%", output)]


def test_learns(tmp_path):
    output = run("--epochs", 4, "--out", tmp_path).stdout
    assert len(accuracies(output)) == 4
    assert accuracies(output)[-1] >= 97.0
    picture = (tmp_path / "learning_curve.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    checkpoint = ag.load(tmp_path / "checkpoint.safetensors")
    assert checkpoint["epoch"] == 4
    assert checkpoint["settings"] == {"batch_size": 64, "lr": 0.01, "seed": 0, "limit": 1797}
    assert all(isinstance(value, ag.Tensor) for value in checkpoint["model"].values())


def test_resuming_equals_going_through(tmp_path):
    through, stopped = tmp_path / "through", tmp_path / "stopped"
    short = ("--limit", 300, "--seed", 3)
    run(*short, "--epochs", 6, "--out", through)
    run(*short, "--epochs", 3, "--out", stopped)
    run("--epochs", 6, "--out", stopped, "--resume", stopped / "checkpoint.safetensors")
    checkpoints = [(folder / "checkpoint.safetensors").read_bytes() for folder in (through, stopped)]
    assert checkpoints[0] == checkpoints[1]


def test_seeds_differ_and_repeat(tmp_path):
    outputs = [
        run("--limit", 100, "--epochs", 1, "--seed", seed, "--out", tmp_path).stdout.splitlines()[0]
        for seed in (0, 0, 1)
    ]
    assert outputs[0] == outputs[1] != outputs[2]


def test_strict_device(tmp_path):
    on_strict = run("--device", "strict", "--limit", 64, "--epochs", 2, "--out", tmp_path).stdout
    on_cpu = run("--limit", 64, "--epochs", 2, "--out", tmp_path).stdout
    assert len(accuracies(on_strict)) == len(accuracies(on_cpu)) == 2


def test_ctrl_c(tmp_path):
    file = tmp_path / "checkpoint.safetensors"
    arguments = ("--limit", 100, "--out", tmp_path, "--epochs")
    process = subprocess.Popen(
        command(*arguments, 100_000),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background ignores Ctrl-C, and its children would too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while not process.stdout.readline().startswith("epoch   2"):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert "Traceback" not in errors
    (said,) = [line for line in errors.splitlines() if line.startswith("stopped; go on with: ")]
    assert said.endswith(shlex.join(["--resume", str(file)]))
    epoch = ag.load(file)["epoch"]
    assert epoch >= 2
    output = run(*arguments, epoch + 1, "--resume", file).stdout
    assert output.startswith(f"epoch {epoch + 1:3}")


@pytest.fixture(scope="module")
def example():
    """The script as a module: what it says to a bad command line is faster found out in this process."""
    spec = importlib.util.spec_from_file_location("digits_cnn", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--device gpu", "unknown device 'gpu'"),
        ("--batch-size 0", "--batch-size: must be at least 1, not 0"),
        ("--batch-size many", "--batch-size: invalid integer value: 'many'"),
        ("--lr nan", "--lr: must be above 0 and finite, not nan"),
        ("--limit 3", "--limit: must be at least 10, not 3"),
        ("--out foreign/out", "Not a directory"),
        ("--resume missing", "No such file"),
        ("--resume foreign", "not a whole safetensors file"),
        ("--resume other", "other is no checkpoint of this program"),
        ("--resume checkpoint --lr 0.5", "--lr is 0.01 in checkpoint, and stays that"),
        ("--resume checkpoint --epochs 1", "checkpoint has 1 epochs already"),
        ("--colour", "unrecognized arguments: --colour"),
    ],
)
def test_bad_arguments(example, arguments, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("foreign").write_text("not a checkpoint")
    ag.save({"weight": ag.zeros(1)}, "other")
    ag.save({"settings": example.DEFAULTS, "epoch": 1}, "checkpoint")
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments.split()])
    with pytest.raises(SystemExit) as end:
        example.main()
    said = capsys.readouterr()
    assert end.value.code == 2
    assert says in said.err
    assert said.err.count("\n") == 1
    assert not said.out


def test_bad_arguments_end_the_program_with_2():
    assert run("--epochs", 0, status=2).stderr == "digits_cnn.py: argument --epochs: must be at least 1, not 0\n"
