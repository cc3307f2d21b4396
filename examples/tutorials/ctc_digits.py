"""Read numbers of three to five digits without being told where each digit stands: connectionist classification.

python examples/tutorials/ctc_digits.py
"""

import argparse

from sklearn.datasets import load_digits

import autograd_ops as torch
import autograd_ops.nn as nn

BLANK = 10


class Reader(nn.Module):
    """Images [N, 1, 8, W] -> scores of the digits and the blank, column by column, [W / 2, N, 11]"""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 32, kernel_size=3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
        )
        self.lstm = nn.LSTM(32 * 4, 48, bidirectional=True)
        self.head = nn.Linear(96, 11)

    def forward(self, x):
        x = self.conv(x)
        x = x.permute(3, 0, 1, 2).flatten(2)
        x, _ = self.lstm(x)
        return self.head(x).log_softmax(2)


def stitched(images, labels, count):
    """`count` images of numbers [count, 1, 8, 56], with gaps; their digits, in one row; and how many each has."""
    canvas = torch.zeros(count, 1, 8, 56)
    targets, lengths = [], torch.randint(3, 6, (count,))
    for n in range(count):
        column = 0
        for i in torch.randint(len(labels), (lengths[n].item(),)):
            column += torch.randint(0, 4, (1,)).item()
            canvas[n, 0, :, column : column + 8] = images[i]
            column += 8
            targets.append(labels[i])
    return canvas, torch.stack(targets), lengths


def decode(log_probs):
    """The best path [T, N, 11] as lists of digits: repetitions merged, blanks removed."""
    for path in log_probs.argmax(2).t():
        yield [k for k in torch.unique_consecutive(path).tolist() if k != BLANK]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--log-interval", type=int, default=20)
    args = parser.parse_args()

    torch.manual_seed(0)
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32) / 16
    labels = torch.tensor(digits.target)
    held_out = torch.arange(len(labels)) % 5 == 0

    model = Reader()
    ctc_loss = nn.CTCLoss(blank=BLANK)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(args.steps):
        x, targets, target_lengths = stitched(images[~held_out], labels[~held_out], 32)
        log_probs = model(x)
        input_lengths = torch.full((x.size(0),), log_probs.size(0), dtype=torch.long)
        loss = ctc_loss(log_probs, targets, input_lengths, target_lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % args.log_interval == 0:
            print(f"step {step:3}   loss {loss.item():.6f}")

    model.eval()
    x, targets, target_lengths = stitched(images[held_out], labels[held_out], 200)
    with torch.no_grad():
        read = list(decode(model(x)))
    wanted = [part.tolist() for part in targets.split(target_lengths.tolist())]
    print("for example:", *("".join(map(str, number)) for number in read[:4]))
    print("instead of: ", *("".join(map(str, number)) for number in wanted[:4]))
    print(f"numbers read without a fault: {sum(a == b for a, b in zip(read, wanted, strict=True)) / len(wanted):.1%}")


if __name__ == "__main__":
    main()
