"""An LSTM reads a handwritten digit as a sequence of eight rows.

python examples/tutorials/digits_lstm.py
"""

import argparse

from sklearn.datasets import load_digits

import autograd_ops as torch
import autograd_ops.nn as nn
from autograd_ops.utils.data import DataLoader, Dataset, Subset


class Digits(Dataset):
    """The images, row by row [8, 8], and their labels."""

    def __init__(self):
        self.digits = load_digits()

    def __len__(self):
        return len(self.digits.target)

    def __getitem__(self, index):
        rows = torch.from_numpy(self.digits.images[index]).float() / 16
        return rows, int(self.digits.target[index])


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers, num_classes):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, num_classes)

    def forward(self, x):
        h0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size, device=x.device)
        c0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size, device=x.device)
        out, _ = self.lstm(x, (h0, c0))  # [N, 8, hidden_size]
        return self.fc(out[:, -1, :])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--log-interval", type=int, default=10)
    args = parser.parse_args()

    torch.manual_seed(0)
    digits = Digits()
    train_data = Subset(digits, [i for i in range(len(digits)) if i % 5])
    train_loader = DataLoader(train_data, batch_size=50, shuffle=True)
    test_loader = DataLoader(Subset(digits, range(0, len(digits), 5)), batch_size=50)

    model = RNN(input_size=8, hidden_size=64, num_layers=2, num_classes=10)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

    for epoch in range(args.epochs):
        for i, (images, labels) in enumerate(train_loader):
            outputs = model(images)
            loss = criterion(outputs, labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            if i % args.log_interval == 0:
                print(f"epoch {epoch + 1}   step {i + 1}/{len(train_loader)}   loss {loss.item():.6f}")

    model.eval()
    with torch.no_grad():
        correct = 0
        for images, labels in test_loader:
            _, predicted = torch.max(model(images).data, 1)
            correct += (predicted == labels).sum().item()
    print(f"test accuracy {correct / len(test_loader.dataset):.2%}")


if __name__ == "__main__":
    main()
