"""The kernels of ctc_loss: recorded cases, and alignments counted one by one."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .conftest import Lane, close

RECORDED = json.loads((Path(__file__).parent / "data" / "ctc.json").read_text())


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def recorded(value: dict[str, Any]) -> np.ndarray:
    return np.array([float(v) for v in value["data"]]).reshape(value["shape"])


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["id"])
def test_recorded(case: dict[str, Any], lane: Lane, dtype: str) -> None:
    given = {name: recorded(value) for name, value in case["inputs"].items()}
    log_probs = log_softmax(given["logits"])
    x = lane.array(log_probs, dtype)
    rest = [lane.array(given[name], "int64") for name in ("targets", "input_lengths", "target_lengths")]
    blank = case["options"]["blank"]
    close(lane.host(lane.ops.ctc_loss(x, *rest, blank)), recorded(case["outputs"]["output"]), dtype, 10)
    seed = lane.array(recorded(case["seed"]), dtype)
    grad = lane.host(lane.ops.ctc_loss_backward(x, *rest, seed, blank))
    # Recorded is the gradient of what log_softmax is of.
    through = grad - np.exp(log_probs) * grad.sum(-1, keepdims=True)
    close(through.astype(dtype), recorded(case["grads"]["logits"]), dtype)


def test_even_probabilities_count_alignments(lane: Lane) -> None:
    steps, classes = 6, 3
    for target in [(), (1,), (1, 1), (1, 2, 1), (2, 2, 2), (2, 2, 2, 2)]:
        count = sum(
            tuple(c for i, c in enumerate(path) if c and (i == 0 or c != path[i - 1])) == target
            for path in product(range(classes), repeat=steps)
        )
        x = lane.array(np.full((steps, 1, classes), -np.log(classes)))
        ints = [lane.array(np.array(a, np.int64)) for a in (np.reshape(target, (1, -1)), [steps], [len(target)])]
        loss = lane.host(lane.ops.ctc_loss(x, *ints, 0))
        want = steps * np.log(classes) - np.log(count) if count else np.inf
        np.testing.assert_allclose(loss, [want], rtol=1e-12)


@pytest.mark.parametrize("steps", [0, 3])
@pytest.mark.parametrize("batch", [0, 2])
@pytest.mark.parametrize("width", [0, 2])
def test_sizes_of_zero(steps: int, batch: int, width: int, lane: Lane) -> None:
    x = lane.array(np.zeros((steps, batch, 2)))
    targets = lane.array(np.ones((batch, width), np.int64))
    lengths = lane.array(np.full(batch, steps)), lane.array(np.zeros(batch, np.int64))
    assert lane.host(lane.ops.ctc_loss(x, targets, *lengths, 0)).tolist() == [0.0] * batch
    grad = lane.ops.ctc_loss_backward(x, targets, *lengths, lane.array(np.ones(batch)), 0)
    want = np.zeros((steps, batch, 2))
    want[..., 0] = -1.0
    assert lane.host(grad).tolist() == want.tolist()


def test_half_precision(numpy_lane: Lane) -> None:
    x = log_softmax(np.sin(np.arange(24.0)).reshape(4, 2, 3)).astype(np.float16)
    rest = np.array([[1, 2], [2, 2]]), np.array([4, 3]), np.array([2, 2])
    loss = numpy_lane.ops.ctc_loss(x, *rest, 0)
    grad = numpy_lane.ops.ctc_loss_backward(x, *rest, np.ones(2, np.float16), 0)
    wide = x.astype(np.float64)
    close(loss, numpy_lane.ops.ctc_loss(wide, *rest, 0), "float16")
    close(grad, numpy_lane.ops.ctc_loss_backward(wide, *rest, np.ones(2), 0), "float16")
