"""A transformer on characters: 2 layers, 4 heads, 128 channels, 64 positions."""

from typing import Any

import numpy as np

from ..workload import Batch, Workload

CHARACTERS, CHANNELS, HEADS, LAYERS, POSITIONS = 65, 128, 4, 2, 64


def data(rng: np.random.Generator, batch: int = 16, length: int = POSITIONS) -> dict[str, np.ndarray]:
    text = rng.integers(0, CHARACTERS, (batch, length + 1))
    return {"x": text[:, :-1].copy(), "y": text[:, 1:].copy()}


def model(lib: Any, positions: int = POSITIONS) -> Any:
    nn, F = lib.nn, lib.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1 = nn.LayerNorm(CHANNELS)
            self.qkv = nn.Linear(CHANNELS, 3 * CHANNELS)
            self.project = nn.Linear(CHANNELS, CHANNELS)
            self.norm2 = nn.LayerNorm(CHANNELS)
            self.mlp = nn.Sequential(nn.Linear(CHANNELS, 4 * CHANNELS), nn.GELU(), nn.Linear(4 * CHANNELS, CHANNELS))

        def attention(self, x):
            n, length, _ = x.shape
            q, k, v = (
                part.view(n, length, HEADS, CHANNELS // HEADS).transpose(1, 2)
                for part in self.qkv(x).split(CHANNELS, dim=2)
            )
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.project(y.transpose(1, 2).contiguous().view(n, length, CHANNELS))

        def forward(self, x):
            x = x + self.attention(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.characters = nn.Embedding(CHARACTERS, CHANNELS)
            self.positions = nn.Embedding(positions, CHANNELS)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.norm = nn.LayerNorm(CHANNELS)
            self.head = nn.Linear(CHANNELS, CHARACTERS, bias=False)

        def forward(self, x):
            h = self.characters(x) + self.positions(lib.arange(x.shape[1]))
            return self.head(self.norm(self.blocks(h)))

    return GPT()


def loss(lib: Any, model: Any, batch: Batch) -> Any:
    scores = model(batch["x"])
    return lib.nn.functional.cross_entropy(scores.view(-1, CHARACTERS), batch["y"].view(-1))


workload = Workload(
    "char-gpt", "character GPT, 2 layers", model, data, loss, lambda lib, p: lib.optim.AdamW(p, lr=1e-3)
)
