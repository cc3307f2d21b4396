"""A generative adversarial network draws handwritten digits.

python examples/tutorials/gan_digits.py
"""

import argparse

from sklearn.datasets import load_digits

import autograd_ops as torch
import autograd_ops.nn as nn
from autograd_ops.autograd import Variable
from autograd_ops.utils.data import DataLoader

LATENT_DIM = 16


class Generator(nn.Module):
    def __init__(self):
        super().__init__()

        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(
            *block(LATENT_DIM, 64, normalize=False), *block(64, 128), nn.Linear(128, 64), nn.Tanh()
        )

    def forward(self, z):
        img = self.model(z)
        return img.view(img.size(0), 1, 8, 8)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(64, 128),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(128, 64),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(64, 1),
            nn.Sigmoid(),
        )

    def forward(self, img):
        return self.model(img.view(img.size(0), -1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--log-interval", type=int, default=100)
    args = parser.parse_args()

    torch.manual_seed(0)
    digits = load_digits()
    real = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 8 - 1  # -1 to 1, as Tanh gives
    dataloader = DataLoader(real, batch_size=64, shuffle=True, drop_last=True)

    adversarial_loss = nn.BCELoss()
    generator, discriminator = Generator(), Discriminator()
    optimizer_G = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))

    batches_done = 0
    for _ in range(args.epochs):
        for imgs in dataloader:
            valid = Variable(torch.Tensor(imgs.size(0), 1).fill_(1.0), requires_grad=False)
            fake = Variable(torch.Tensor(imgs.size(0), 1).fill_(0.0), requires_grad=False)

            optimizer_G.zero_grad()
            z = torch.randn(imgs.shape[0], LATENT_DIM)
            gen_imgs = generator(z)
            g_loss = adversarial_loss(discriminator(gen_imgs), valid)
            g_loss.backward()
            optimizer_G.step()

            optimizer_D.zero_grad()
            real_loss = adversarial_loss(discriminator(imgs), valid)
            fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
            d_loss = (real_loss + fake_loss) / 2
            d_loss.backward()
            optimizer_D.step()

            if batches_done % args.log_interval == 0:
                print(f"batch {batches_done}   D loss {d_loss.item():.6f}   G loss {g_loss.item():.6f}")
            batches_done += 1

    generator.eval()
    with torch.no_grad():
        drawn = generator(torch.randn(200, LATENT_DIM))
    distances = torch.cdist(drawn.flatten(1), real.flatten(1))
    nearest, index = distances.min(dim=1)
    kinds = torch.bincount(torch.tensor(digits.target)[index], minlength=10)
    for row in drawn[:6, 0].transpose(0, 1):
        print("  ".join("".join(" .:*#"[int((v + 1) * 2.49)] for v in digit) for digit in row))
    print(f"{(kinds > 0).sum().item()} of the ten digits drawn: {kinds.tolist()}")
    among_real = torch.cdist(real.flatten(1), real.flatten(1)).fill_diagonal_(float("inf")).min(dim=1).values
    print(f"mean distance from the nearest real digit {nearest.mean():.3f}, of real ones {among_real.mean():.3f}")


if __name__ == "__main__":
    main()
