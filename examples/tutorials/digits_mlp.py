"""A multilayer perceptron reads handwritten digits: the loop of PyTorch's quickstart.

python examples/tutorials/digits_mlp.py
"""

import argparse

from sklearn.datasets import load_digits

import autograd_ops as torch
from autograd_ops import nn
from autograd_ops.utils.data import DataLoader, TensorDataset, random_split


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(8 * 8, 128),
            nn.ReLU(),
            nn.Linear(128, 128),
            nn.ReLU(),
            nn.Linear(128, 10),
        )

    def forward(self, x):
        return self.linear_relu_stack(self.flatten(x))


def train(dataloader, model, loss_fn, optimizer, log_interval):
    size = len(dataloader.dataset)
    model.train()
    for batch, (x, y) in enumerate(dataloader):
        pred = model(x)
        loss = loss_fn(pred, y)

        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

        if batch % log_interval == 0:
            print(f"loss: {loss.item():.6f}   [{(batch + 1) * len(x):4d}/{size:4d}]")


def test(dataloader, model, loss_fn):
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for x, y in dataloader:
            pred = model(x)
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()
    print(f"test accuracy {correct / len(dataloader.dataset):.2%}   mean loss {test_loss / len(dataloader):.6f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--log-interval", type=int, default=10)
    args = parser.parse_args()

    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    digits = load_digits()
    images = torch.from_numpy(digits.images).float().to(device) / 16
    data = TensorDataset(images, torch.from_numpy(digits.target).to(device))
    training_data, test_data = random_split(data, [1437, 360])
    train_dataloader = DataLoader(training_data, batch_size=64, shuffle=True)
    test_dataloader = DataLoader(test_data, batch_size=64)

    model = NeuralNetwork().to(device)
    print(model)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(args.epochs):
        train(train_dataloader, model, loss_fn, optimizer, args.log_interval)
        test(test_dataloader, model, loss_fn)


if __name__ == "__main__":
    main()
