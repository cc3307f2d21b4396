"""What is made of the numbers: statistics, tables, pictures, marks in a file."""

from __future__ import annotations

import math

import pytest

from benchmarks.compare import Measured, turns
from benchmarks.markdown import comparison, paste, scaling, where
from benchmarks.plot import draw_comparison, draw_scaling
from benchmarks.report import WIDTHS, cells, columns, curve_line, duration, mean_line
from benchmarks.scaling import Curve, exponent
from benchmarks.summary import geometric_mean, losses_differ, quartiles, summarize
from benchmarks.where import parts

OURS = Measured([2.0, 1.0], [[0.001, 0.002, 0.009], [0.004, 0.004]], 10_000_000)
THEIRS = Measured([2.0, 1.001], [[0.004, 0.004, 0.004], [0.005, 0.005]], 20_000_000)


def row(tolerance=1e-3, workload="mlp", peer="torch"):
    return summarize(workload, peer, OURS, THEIRS, tolerance)


def test_a_row_has_the_medians_and_their_spread():
    found = row()
    assert found.seconds == (0.002, 0.004, 0.004)
    assert found.peer_seconds == (0.004, 0.004, 0.005)
    # Turn by turn: 2 / 4 and 4 / 5.
    assert found.ratio == pytest.approx(0.65)
    assert found.ratio_quartiles == pytest.approx((0.575, 0.725))
    assert found.best == pytest.approx(0.25)
    assert found.apart == pytest.approx(0.0005)
    assert found.agree


def test_a_row_whose_losses_differ_is_wrong_however_fast():
    found = row(tolerance=1e-4)
    assert not found.agree
    assert cells(found)[-1] == "WRONG: 5e-04 apart"
    assert mean_line([found]) == "no losses agree"
    assert mean_line([found, row()]) == "geometric mean 0.65 of PyTorch, without 1 that went wrong"


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_losses_that_are_no_numbers_never_agree(bad):
    assert losses_differ([1.0, bad], [1.0, bad]) == math.inf


def test_losses_are_compared_as_far_as_both_go():
    assert losses_differ([2.0, 1.0, 9.0], [2.0, 1.5]) == 0.25


def test_quartiles_and_means():
    assert quartiles([3.0]) == (3.0, 3.0, 3.0)
    assert quartiles([1.0, 2.0, 3.0, 4.0, 5.0]) == (2.0, 3.0, 4.0)
    assert geometric_mean([0.5, 2.0]) == pytest.approx(1)


def test_who_begins_alternates():
    assert list(turns("ab", 3)) == ["a", "b", "b", "a", "a", "b"]


def test_a_line_of_the_table():
    line = columns(cells(row()), WIDTHS)
    assert line.split("  ")[0] == "MLP 784-128-10"
    for part in ("PyTorch", "4 ms", "0.65", "0.57 to 0.73", "0.25", "10 MB / 20 MB", "5e-04 apart"):
        assert part in line


@pytest.mark.parametrize(
    ("seconds", "shown"), [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (4.5e-5, "45 µs"), (2e-7, "0.2 µs")]
)
def test_durations(seconds, shown):
    assert duration(seconds) == shown


def curve(power, library="autograd_ops"):
    work = [10, 100, 1_000, 10_000]
    # Below 100 a fixed cost hides what the rest costs.
    seconds = [1e-3 * max(w, 100) ** power for w in work]
    return Curve("length", library, work, seconds, [w * 100 for w in work])


def test_exponents_are_those_of_the_upper_half():
    assert exponent([1, 10, 100], [5, 500, 50_000]) == pytest.approx(2)
    assert curve(1.5).exponents() == pytest.approx((1.5, 1), abs=0.01)
    assert curve_line(curve(1), 10_000).split() == ["length", "length", "10000", "autograd_ops", "10", "s", "1", "MB"]


def test_markdown_has_a_table_for_each_peer():
    text = comparison([row(), row(peer="mygrad")], ["a machine"])
    assert text.startswith("- a machine\n\n### PyTorch\n\n| workload |")
    assert "### MyGrad" in text
    assert "geometric mean 0.65 of MyGrad.\n\nNot run: wide-mlp, " in text
    assert "| ops in a chain | 10 | 10,000 | PyTorch | 2.00 | 1.00 |" in scaling([curve(2, "torch")], [])


def test_parts_are_shares_of_the_whole():
    found = parts("mlp", {"exp": 10, "mul backward": 60, "small": 1}, 100, 2_500_000)
    assert found.shares == [("mul backward", 0.6), ("exp", 0.1), ("small", 0.01)]
    assert found.outside == pytest.approx(0.29)
    assert where([found]).splitlines()[-1] == "| mlp | mul backward 60%, exp 10% | 29% | 2.5 MB |"


def test_pasting_replaces_what_is_between_the_marks_and_nothing_else(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("before\n<!-- benchmarks -->\nold\n<!-- end of benchmarks -->\nafter\n")
    for text in ("new", "newer"):
        paste(path, "benchmarks", text)
    assert path.read_text() == "before\n<!-- benchmarks -->\n\nnewer\n\n<!-- end of benchmarks -->\nafter\n"
    with pytest.raises(ValueError, match="has no lines '<!-- scaling -->'"):
        paste(path, "scaling", "text")


@pytest.mark.parametrize("name", ["rows.png", "curves.png"])
def test_pictures_are_written(tmp_path, name):
    if name == "rows.png":
        draw_comparison([row(), row(tolerance=0), row(workload="chain", peer="mygrad")], tmp_path / name)
    else:
        draw_scaling([curve(1), curve(1.2, "torch")], tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
