"""Threads that do the parts of a kernel."""

from __future__ import annotations

import os
import threading

import pytest

from autograd_backends.numpy_backend.onednn.helpers import in_parallel


def test_results_come_in_order_and_calls_run_at_once() -> None:
    meeting = threading.Barrier(3, timeout=30)  # none passes it before all are there

    def call(number: int) -> tuple[int, int]:
        meeting.wait()
        return number, threading.get_ident()

    for _ in range(3):
        found = in_parallel([lambda n=n: call(n) for n in range(3)])
        assert [number for number, _ in found] == [0, 1, 2]
        assert found[0][1] == threading.get_ident()
        assert len({thread for _, thread in found}) == 3


@pytest.mark.parametrize("bad", [0, 1])
def test_what_one_raises_is_raised_when_all_are_over(bad: int) -> None:
    over = []

    def call(number: int) -> None:
        if number == bad:
            raise ValueError(f"in {number}")
        over.append(number)

    with pytest.raises(ValueError, match=f"in {bad}"):
        in_parallel([lambda n=n: call(n) for n in range(2)])
    assert over == [1 - bad]
    assert in_parallel([lambda: 1, lambda: 2]) == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_has_threads_of_its_own() -> None:
    assert in_parallel([lambda: 1, lambda: 2]) == [1, 2]
    child = os.fork()
    if child == 0:
        os._exit(0 if in_parallel([lambda: 1, lambda: 2]) == [1, 2] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
