"""Teach a small convolutional network to read handwritten digits: 1,797 images of 8 x 8 pixels.

    pip install "autograd-ops[examples]"
    python examples/digits_cnn.py                      # about 99 % of the test images read correctly, in some seconds
    python examples/digits_cnn.py --device cuda:0      # the same on a GPU
    python examples/digits_cnn.py --epochs 30 --resume digits_cnn/checkpoint.safetensors

Each epoch leaves a checkpoint in the folder ``--out``; the end leaves a picture of the learning curve. Ctrl-C stops,
and ``--resume`` goes on from the last whole epoch, as if it had not stopped.
"""

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from sklearn.datasets import load_digits
from tqdm import tqdm

import autograd_ops as ag
from autograd_ops import nn, optim
from autograd_ops.nn import functional as F
from autograd_ops.utils.data import DataLoader, TensorDataset

# What makes a run what it is. It is saved with the checkpoint, and a resumed run keeps it.
DEFAULTS = {"batch_size": 64, "lr": 0.01, "seed": 0, "limit": 1797}


def digits(limit, seed, device):
    """The images [n, 1, 8, 8], of values 0 to 1, and their labels [n]: four fifths to train on, the rest to test."""
    data = load_digits()
    order = ag.randperm(len(data.target), generator=ag.Generator().manual_seed(seed))[:limit].numpy()
    images = ag.tensor(data.images[order, None] / 16, dtype=ag.float32, device=device)
    labels = ag.tensor(data.target[order], device=device)
    held_out = len(order) // 5
    return TensorDataset(images[held_out:], labels[held_out:]), images[:held_out], labels[:held_out]


def block(in_channels, out_channels):
    """Find patterns of 3 x 3, even out their strength, keep the present ones, and look from twice as far away."""
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel_size=3, padding=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )


def network():
    """Two blocks make [n, 1, 8, 8] into [n, 64, 2, 2]; one linear layer makes that a score for each digit."""
    return nn.Sequential(block(1, 32), block(32, 64), nn.Flatten(), nn.Linear(64 * 2 * 2, 10))


def train_epoch(model, optimizer, loader, progress):
    """One pass over the training images; the mean loss."""
    model.train()
    total = 0.0
    for images, labels in loader:
        loss = F.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
        progress.update()
    return total / len(loader.dataset)


@ag.no_grad()
def accuracy(model, images, labels):
    """The part of `images` that the network reads correctly."""
    model.eval()
    return (model(images).argmax(1) == labels).float().mean().item()


def draw_learning_curve(history, path):
    """Loss and test accuracy over the epochs, side by side."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    epochs = range(1, len(history["loss"]) + 1)
    left.semilogy(epochs, history["loss"], color="tab:blue", marker="o", markersize=3)
    left.set(title="Training loss", xlabel="epoch", ylabel="cross-entropy")
    right.plot(epochs, history["accuracy"], color="tab:green", marker="o", markersize=3)
    right.set(title=f"Test accuracy: {history['accuracy'][-1]:.1%}", xlabel="epoch", ylabel="images read correctly")
    right.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.savefig(path, dpi=150)


def train(settings, epochs, device, checkpoint):
    """Train up to `epochs`, from `checkpoint` on if there is one; after each epoch, give what is needed to go on."""
    data, test_images, test_labels = digits(settings["limit"], settings["seed"], device)
    loader = DataLoader(data, batch_size=settings["batch_size"], shuffle=True)
    ag.manual_seed(settings["seed"])
    model = network().to(device)
    optimizer = optim.AdamW(model.parameters(), lr=settings["lr"])
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5)
    done, history = 0, {"loss": [], "accuracy": []}
    if checkpoint is not None:
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scheduler.load_state_dict(checkpoint["scheduler"])
        done, history = checkpoint["epoch"], checkpoint["history"]

    with tqdm(total=epochs * len(loader), initial=done * len(loader), unit="batch") as progress:
        for epoch in range(done + 1, epochs + 1):
            ag.manual_seed(settings["seed"] + epoch)  # the order in an epoch does not depend on the epochs before
            loss = train_epoch(model, optimizer, loader, progress)
            right = accuracy(model, test_images, test_labels)
            scheduler.step()
            history["loss"].append(loss)
            history["accuracy"].append(right)
            yield {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
                "epoch": epoch,
                "history": history,
                "settings": settings,
            }
            progress.write(f"epoch {epoch:3}   loss {loss:.4f}   test accuracy {right:.2%}")


# ---------------------------------------------------------------- the command line


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def at_least(least):
    """The type of an integer argument that has a lowest value."""

    def integer(text):
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {text}")
        return int(text)

    return integer


def rate(text):
    """The type of a learning rate."""
    if not 0 < float(text) < float("inf"):
        raise argparse.ArgumentTypeError(f"must be above 0 and finite, not {text}")
    return float(text)


def parse():
    """What the command line asks for, and the checkpoint to go on from; ends the program if that cannot be."""
    parser = Parser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="such as cpu or cuda:0")
    parser.add_argument("--epochs", type=at_least(1), default=16)
    parser.add_argument("--batch-size", type=at_least(1), help=f"by default {DEFAULTS['batch_size']}")
    parser.add_argument("--lr", type=rate, help=f"the learning rate, by default {DEFAULTS['lr']}")
    parser.add_argument("--seed", type=at_least(0), help=f"by default {DEFAULTS['seed']}")
    parser.add_argument("--limit", type=at_least(10), metavar="N", help="use N images only")
    parser.add_argument("--out", type=Path, default=Path("digits_cnn"), metavar="DIR", help="where to write")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="a checkpoint to go on from")
    args = parser.parse_args()
    given = {name: value for name, value in vars(args).items() if name in DEFAULTS and value is not None}
    args.settings, args.checkpoint = DEFAULTS | given, None
    try:
        ag.zeros(1, device=args.device)
        if args.resume is not None:
            args.checkpoint = ag.load(args.resume, map_location=args.device)
        args.out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=args.out).close()
    except (ag.DeviceError, ag.SerializationError, OSError) as error:
        parser.error(str(error))
    if args.checkpoint is not None:
        if not isinstance(args.checkpoint, dict) or "settings" not in args.checkpoint:
            parser.error(f"{args.resume} is no checkpoint of this program")
        args.settings = args.checkpoint["settings"]
        for name, value in given.items():
            if value != args.settings[name]:
                parser.error(f"--{name.replace('_', '-')} is {args.settings[name]} in {args.resume}, and stays that")
        if args.checkpoint["epoch"] >= args.epochs:
            parser.error(f"{args.resume} has {args.checkpoint['epoch']} epochs already: ask for more with --epochs")
    return args


def main():
    args = parse()
    saved, picture = args.resume, args.out / "learning_curve.png"
    try:
        for checkpoint in train(args.settings, args.epochs, args.device, args.checkpoint):
            ag.save(checkpoint, args.out / "checkpoint.safetensors")
            saved = args.out / "checkpoint.safetensors"
        draw_learning_curve(checkpoint["history"], picture)
    except KeyboardInterrupt:
        go_on = shlex.join(["python", *sys.argv, "--resume", str(saved)])
        print(f"stopped; go on with: {go_on}" if saved else "stopped in the first epoch", file=sys.stderr)
        return 130
    print(f"wrote {saved} and {picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
