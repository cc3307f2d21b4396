"""ResNet-8: a convolution and three residual blocks of 16, 32 and 64 channels on images of 3 x 32 x 32."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload


def data(rng: np.random.Generator, batch: int = 32, size: int = 32) -> dict[str, np.ndarray]:
    return {
        "x": rng.standard_normal((batch, 3, size, size)).astype("float32"),
        "y": rng.integers(0, 10, batch),
    }


def model(lib: Any) -> Any:
    nn = lib.nn

    class Block(nn.Module):
        def __init__(self, in_channels, out_channels, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(out_channels)
            self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(out_channels)
            self.shortcut = nn.Sequential()
            if stride != 1 or in_channels != out_channels:
                self.shortcut = nn.Sequential(
                    nn.Conv2d(in_channels, out_channels, 1, stride=stride, bias=False), nn.BatchNorm2d(out_channels)
                )

        def forward(self, x):
            y = self.bn1(self.conv1(x)).relu()
            return (self.bn2(self.conv2(y)) + self.shortcut(x)).relu()

    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        Block(16, 16, 1),
        Block(16, 32, 2),
        Block(32, 64, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    return lib.nn.functional.cross_entropy(model(batch["x"]), batch["y"])


workload = Workload(
    "resnet-8",
    "ResNet-8 3x32x32",
    model,
    data,
    loss,
    lambda lib, p: lib.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=5e-4),
)
