"""What the tape costs, as ratios against PyTorch in the same run. See README.md beside this file."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LENGTHS = (100, 1_000, 10_000, 100_000)


def best_of(run: Callable[[], Any], repeats: int, rounds: int) -> float:
    """Seconds of one `run`: the median over `rounds` of the mean over `repeats`."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeats):
            run()
        times.append((time.perf_counter() - start) / repeats)
    return statistics.median(times)


# ---------------------------------------------------------------- the workloads, on either library


def tiny_mlp(torch: Any, optimizer: str) -> tuple[float, list[float]]:
    """Seconds of a training step of a 2-16-16-1 tanh network, batch 32; and its losses from equal weights."""
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
    with torch.no_grad():
        for i, parameter in enumerate(net.parameters()):
            n = parameter.numel()
            parameter.copy_((torch.arange(n) * (0.7 + i)).sin().reshape(tuple(parameter.shape)) * 0.4)
    x = torch.arange(64).reshape(32, 2).cos()
    y = x[:, :1] * x[:, 1:]
    optim = getattr(torch.optim, optimizer)(net.parameters(), lr=0.01)
    loss_of = nn.MSELoss()

    def step() -> Any:
        optim.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        optim.step()
        return loss

    losses = [step().item() for _ in range(100)]
    return best_of(step, 200, 11), losses[::20]


def chain(torch: Any, length: int) -> float:
    """Seconds an op, forward and backward, of `length` multiplications of 8 x 8 float32."""
    x, c = torch.ones(8, 8, requires_grad=True), torch.full((8, 8), 1.0001)

    def run() -> None:
        y = x
        for _ in range(length):
            y = y * c
        y.sum().backward()

    run()
    return best_of(run, max(1, 2_000 // length), 5) / length


def worker(library: str) -> None:
    """Run the workloads on one library and print the seconds as JSON."""
    module = __import__(library)
    results: dict[str, Any] = {}
    for optimizer in ("SGD", "Adam"):
        results[f"mlp {optimizer}"], results[f"losses {optimizer}"] = tiny_mlp(module, optimizer)
    for length in LENGTHS:
        results[f"chain {length}"] = chain(module, length)
    print(json.dumps(results))


# ---------------------------------------------------------------- in turn, in processes of their own


def measure(python: str, library: str) -> dict[str, Any]:
    command = [python, __file__, "--worker", library]
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'backends'}"} if library == "autograd_ops" else {}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


def import_seconds(module: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    return time.perf_counter() - start


def rows(runs: list[dict[str, Any]], peers: list[dict[str, Any]]) -> Iterator[str]:
    for name in runs[0]:
        if name.startswith("losses"):
            continue
        ours = statistics.median(run[name] for run in runs) * 1e6
        line = f"{name:<14}{ours:>10.2f} us"
        if peers:
            ratios = sorted(run[name] / peer[name] for run, peer in zip(runs, peers, strict=True))
            theirs = statistics.median(peer[name] for peer in peers) * 1e6
            line += f"{theirs:>12.2f} us{statistics.median(ratios):>9.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        yield line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    parser.add_argument("--rounds", type=int, default=3, help="how often each library runs (default: 3)")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        worker(arguments.worker)
        return
    runs, peers = [], []
    for _ in range(arguments.rounds):
        runs.append(measure(sys.executable, "autograd_ops"))
        if arguments.torch:
            peers.append(measure(arguments.torch, "torch"))
    print(f"{'':<14}{'autograd_ops':>13}" + (f"{'PyTorch':>15}{'ratio':>9}  (lowest to highest)" if peers else ""))
    for row in rows(runs, peers):
        print(row)
    if peers:
        for name in ("losses SGD", "losses Adam"):
            worst = max(abs(a - b) for a, b in zip(runs[0][name], peers[0][name], strict=True))
            print(f"{name}: the two differ by at most {worst:.1e}")
    for module in ("numpy", "autograd_ops"):
        import_seconds(module)
    ratios = sorted(import_seconds("autograd_ops") / import_seconds("numpy") for _ in range(9))
    print(f"import autograd_ops / import numpy: {statistics.median(ratios):.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
