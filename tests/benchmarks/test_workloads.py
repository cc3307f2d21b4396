"""Every workload takes two steps on this library."""

from __future__ import annotations

import numpy as np
import pytest

import autograd_ops as ag
from benchmarks.workload import Session, fingerprint, initial
from benchmarks.workloads import WORKLOADS

#: Smaller than what is compared, so that the tests are quick.
SMALL = {
    "mlp": {"batch": 4},
    "wide-mlp": {"batch": 4},
    "digits-cnn": {"batch": 4},
    "mnist-cnn": {"batch": 2},
    "resnet-8": {"batch": 2, "size": 16},
    "char-gpt": {"batch": 2, "length": 8},
    "lstm": {"batch": 2, "length": 5},
    "conv1d-ctc": {"batch": 2, "length": 32},
    "unet": {"batch": 2, "size": 16},
    "chain": {"length": 10},
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_two_steps_change_the_loss_and_a_fresh_start_repeats_them(name):
    session = Session(WORKLOADS[name], ag, **SMALL.get(name, {}))
    first = [session.step().item() for _ in range(2)]
    assert np.isfinite(first).all()
    assert first[0] != first[1]
    session.start()
    assert [session.step().item() for _ in range(2)] == first


@pytest.mark.parametrize("name", ["tiny-mlp-sgd", "tiny-mlp-adam", "mlp", "digits-cnn", "resnet-8", "char-gpt", "lstm"])
def test_compiled_steps_have_the_same_losses(name):
    plain, compiled = (Session(WORKLOADS[name], ag, compiled=c, **SMALL.get(name, {})) for c in (False, True))
    assert [plain.step().item() for _ in range(4)] == [compiled.step().item() for _ in range(4)]


def test_every_parameter_of_every_workload_has_a_gradient():
    for name, workload in WORKLOADS.items():
        session = Session(workload, ag, **SMALL.get(name, {}))
        session.step()
        assert all(parameter.grad is not None for parameter in session.model.parameters()), name


def test_weights_and_data_depend_on_nothing_but_names_and_sizes():
    one, two = (Session(WORKLOADS["digits-cnn"], ag, batch=2) for _ in range(2))
    assert one.fingerprint() == two.fingerprint()
    assert one.fingerprint() != Session(WORKLOADS["digits-cnn"], ag, batch=3).fingerprint()
    one.step()
    assert one.fingerprint() == two.fingerprint()


def test_a_fingerprint_sees_names_and_values():
    a = np.arange(4.0)
    assert fingerprint({"a": a}) != fingerprint({"b": a})
    assert fingerprint({"a": a}) != fingerprint({"a": a + 1})


def test_initial_weights():
    matrix = initial("layer.weight", np.zeros((200, 50), "float32"))
    assert matrix.dtype == np.float32
    assert matrix.std() == pytest.approx(1 / np.sqrt(50), rel=0.03)
    assert np.array_equal(matrix, initial("layer.weight", np.ones((200, 50), "float32")))
    assert not np.array_equal(matrix, initial("other.weight", np.ones((200, 50), "float32")))
    assert np.abs(initial("layer.bias", np.zeros(99, "float32"))).max() <= 0.1
    assert np.array_equal(initial("norm.weight", np.ones(3, "float32")), np.ones(3))
    assert initial("norm.num_batches_tracked", np.array(0)) == 0
