"""A small U-Net on images of 3 x 64 x 64: one step up by a transposed convolution, one by bilinear interpolation."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, batch: int = 8, size: int = 64) -> dict[str, np.ndarray]:
    x = rng.standard_normal((batch, 3, size, size)).astype("float32")
    return {"x": x, "y": (x.mean(axis=1, keepdims=True) > 0).astype("float32")}


def model(lib: Any) -> Any:
    nn = lib.nn

    def two(in_channels, out_channels):
        return nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(out_channels, out_channels, 3, padding=1),
            nn.ReLU(),
        )

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down1, self.down2, self.bottom = two(3, 16), two(16, 32), two(32, 64)
            self.pool = nn.MaxPool2d(2)
            self.up2 = nn.ConvTranspose2d(64, 32, 2, stride=2)
            self.join2 = two(64, 32)
            self.up1 = nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(32, 16, 1))
            self.join1 = two(32, 16)
            self.head = nn.Conv2d(16, 1, 1)

        def forward(self, x):
            fine = self.down1(x)
            coarse = self.down2(self.pool(fine))
            y = self.bottom(self.pool(coarse))
            y = self.join2(lib.cat([self.up2(y), coarse], dim=1))
            y = self.join1(lib.cat([self.up1(y), fine], dim=1))
            return self.head(y)

    return UNet()


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return lib.nn.functional.binary_cross_entropy_with_logits(model(batch["x"]), batch["y"])


workload = Workload("unet", "small U-Net 3x64x64", model, data, loss, lambda lib, p: lib.optim.Adam(p, lr=3e-4))
