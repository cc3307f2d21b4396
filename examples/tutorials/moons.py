"""Two moons told apart by a network of two hidden layers, with a margin loss and updates by hand, as in micrograd.

python examples/tutorials/moons.py
"""

import argparse

from sklearn.datasets import make_moons

import autograd_ops as torch
import autograd_ops.nn as nn


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()

    torch.manual_seed(1337)
    points, labels = make_moons(n_samples=100, noise=0.1, random_state=1337)
    x = torch.tensor(points, dtype=torch.float32)
    y = torch.tensor(labels * 2 - 1).float().view(-1, 1)  # -1 or 1

    model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
    for p in model.parameters():
        p.data = torch.randn(p.shape) * (2 / p.shape[-1]) ** 0.5 if p.dim() > 1 else torch.zeros_like(p)

    for step in range(args.steps):
        scores = model(x)
        margin_loss = (1 - y * scores).relu().mean()
        alpha = 1e-4
        loss = margin_loss + alpha * sum((p * p).sum() for p in model.parameters())
        accuracy = ((scores > 0) == (y > 0)).float().mean()

        model.zero_grad()
        loss.backward()
        learning_rate = 1.0 - 0.9 * step / args.steps
        for p in model.parameters():
            p.data -= 0.5 * learning_rate * p.grad
        if step < 10 or step % 10 == 9:
            print(f"step {step + 1:3}   loss {loss.item():.6f}   accuracy {accuracy.item():.0%}")

    with torch.no_grad():
        print(f"final accuracy {((model(x) > 0) == (y > 0)).float().mean().item():.2%}")


if __name__ == "__main__":
    main()
