"""Teach an LSTM to continue a sine wave: it sees the start of a wave and goes on from its own predictions.

python examples/sine_lstm.py                   # some seconds; the loss falls a hundredfold
python examples/sine_lstm.py --device cuda:0   # the same on a GPU
"""

import argparse
import math

import autograd_ops as ag
from autograd_ops import nn, optim

SEEN, CONTINUED = 40, 20


class Continuation(nn.Module):
    """An LSTM, and a linear layer that makes the next number of the wave from its state."""

    def __init__(self, hidden_size=32):
        super().__init__()
        self.lstm = nn.LSTM(input_size=1, hidden_size=hidden_size, batch_first=True)
        self.head = nn.Linear(hidden_size, 1)

    def forward(self, waves, state=None):
        """waves [N, T, 1] -> the number after each [N, T, 1], and the state to go on from"""
        states, state = self.lstm(waves, state)
        return self.head(states), state

    @ag.no_grad()
    def continued(self, waves, count):
        """The `count` numbers after `waves`, each predicted from those before it."""
        following, state = self(waves)
        found = [following[:, -1:]]
        while len(found) < count:
            following, state = self(found[-1], state)
            found.append(following)
        return ag.cat(found, dim=1)


def waves(count, length, device):
    """Sine waves [count, length, 1] that start anywhere, of periods between 15 and 25."""
    start = ag.rand(count, 1, device=device) * (2 * math.pi)
    step = 2 * math.pi / (15 + 10 * ag.rand(count, 1, device=device))
    return ag.sin(start + step * ag.arange(float(length), device=device)).unsqueeze(-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="such as cpu or cuda:0")
    parser.add_argument("--steps", type=int, default=800, help="how many batches to learn from")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    ag.manual_seed(args.seed)
    model = Continuation().to(args.device)
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    for step in range(1, args.steps + 1):
        batch = waves(32, SEEN + 1, args.device)
        predicted, _ = model(batch[:, :-1])
        loss = nn.functional.mse_loss(predicted, batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step == 1 or step % 100 == 0:
            print(f"step {step:4}   loss {loss.item():.5f}")

    batch = waves(100, SEEN + CONTINUED, args.device)
    error = (model.continued(batch[:, :SEEN], CONTINUED) - batch[:, SEEN:]).abs().mean().item()
    print(f"mean error over {CONTINUED} numbers of its own: {error:.3f}")


if __name__ == "__main__":
    main()
