"""A variational autoencoder learns the space of handwritten digits, and draws new ones.

python examples/tutorials/digits_vae.py
"""

import argparse

from sklearn.datasets import load_digits

import autograd_ops as torch
import autograd_ops.utils.data
from autograd_ops import nn, optim
from autograd_ops.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 128)
        self.fc21 = nn.Linear(128, 8)
        self.fc22 = nn.Linear(128, 8)
        self.fc3 = nn.Linear(8, 128)
        self.fc4 = nn.Linear(128, 64)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    """Reconstruction, and the divergence of N(mu, exp(logvar)) from N(0, 1) (Kingma and Welling, appendix B)."""
    bce = F.binary_cross_entropy(recon_x, x.view(-1, 64), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--log-interval", type=int, default=10)
    args = parser.parse_args()

    torch.manual_seed(1)
    images = torch.tensor(load_digits().images / 16, dtype=torch.float32)
    train_loader = torch.utils.data.DataLoader(images[:1437], batch_size=128, shuffle=True)
    test_loader = torch.utils.data.DataLoader(images[1437:], batch_size=128)

    model = VAE()
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(1, args.epochs + 1):
        model.train()
        train_loss = 0
        for batch_idx, data in enumerate(train_loader):
            optimizer.zero_grad()
            recon_batch, mu, logvar = model(data)
            loss = loss_function(recon_batch, data, mu, logvar)
            loss.backward()
            train_loss += loss.item()
            optimizer.step()
            if batch_idx % args.log_interval == 0:
                print(f"epoch {epoch}   batch {batch_idx}/{len(train_loader)}   loss {loss.item() / len(data):.6f}")
        print(f"epoch {epoch}   average loss {train_loss / len(train_loader.dataset):.4f}")

    model.eval()
    test_loss = 0
    with torch.no_grad():
        for data in test_loader:
            recon_batch, mu, logvar = model(data)
            test_loss += loss_function(recon_batch, data, mu, logvar).item()
        sample = model.decode(torch.randn(4, 8)).view(4, 8, 8)
    print(f"test loss {test_loss / len(test_loader.dataset):.4f}")
    for row in sample.transpose(0, 1):  # four digits side by side
        print("  ".join("".join(" .:*#"[int(v * 4.99)] for v in digit) for digit in row))


if __name__ == "__main__":
    main()
