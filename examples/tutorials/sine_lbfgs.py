"""Two LSTM cells continue sine waves, trained on all of them at once by LBFGS: PyTorch's time-series example.

python examples/tutorials/sine_lbfgs.py
"""

import argparse

import numpy as np

import autograd_ops as torch
import autograd_ops.nn as nn
import autograd_ops.optim as optim


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 24)
        self.lstm2 = nn.LSTMCell(24, 24)
        self.linear = nn.Linear(24, 1)

    def forward(self, input, future=0):
        outputs = []
        h_t = torch.zeros(input.size(0), 24, dtype=torch.double)
        c_t = torch.zeros(input.size(0), 24, dtype=torch.double)
        h_t2 = torch.zeros(input.size(0), 24, dtype=torch.double)
        c_t2 = torch.zeros(input.size(0), 24, dtype=torch.double)
        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        for _ in range(future):
            h_t, c_t = self.lstm1(output, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        return torch.cat(outputs, dim=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--max-iter", type=int, default=20, help="iterations of LBFGS in a step")
    args = parser.parse_args()

    torch.manual_seed(0)
    period, length, future = 10, 60, 30
    starts = np.random.default_rng(2).integers(-4 * period, 4 * period, size=(20, 1))
    waves = torch.from_numpy(np.sin((np.arange(length + future) + starts) / period))
    input, target = waves[3:, : length - 1], waves[3:, 1:length]
    test_input, test_target = waves[:3, : length - 1], waves[:3, 1:]

    seq = Sequence()
    seq.double()
    criterion = nn.MSELoss()
    optimizer = optim.LBFGS(seq.parameters(), lr=0.8, max_iter=args.max_iter)

    for i in range(args.steps):

        def closure():
            optimizer.zero_grad()
            loss = criterion(seq(input), target)
            loss.backward()
            return loss

        first = optimizer.step(closure)
        with torch.no_grad():
            pred = seq(test_input, future=future)
            error = (pred - test_target)[:, -future:].abs().mean()
        print(f"step {i}   loss {first.item():.8f}   mean error of {future} numbers of its own {error.item():.4f}")


if __name__ == "__main__":
    main()
