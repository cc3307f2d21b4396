"""Draw docs/tape.svg, the picture in the README: ``python -m docs.generate_picture`` in the root of the repository."""

from __future__ import annotations

import re
from pathlib import Path

import autograd_ops as ag
from autograd_ops import teach

__all__ = ["PICTURE", "picture"]

PICTURE = Path(__file__).parent / "tape.svg"


def picture() -> str:
    """The tape of a neuron, in numbers that can be followed by hand."""
    x = ag.tensor([1.0, 2.0])
    w = ag.tensor([0.5, -0.25], requires_grad=True)
    b = ag.tensor(1.0, requires_grad=True)
    with teach.watch():
        y = (x * w).sum() + b
        loss = (y - 3) ** 2
    drawn = teach.tape(loss, names={"x": x, "w": w, "b": b, "y": y, "loss": loss}).svg()
    # Numbers that scripts go by are counted through the whole process.
    return re.sub(r"ago-arrow-\d+", "arrow", re.sub(r' data-(box|edge)="-?\d+"| tabindex="0"', "", drawn))


if __name__ == "__main__":
    PICTURE.write_text(picture() + "\n", encoding="utf-8")
