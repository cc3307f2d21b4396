"""Arrays, names and texts in few characters."""

from __future__ import annotations

import numpy as np

from autograd_ops.teach.words import (
    array_in_full,
    array_in_words,
    count_in_words,
    gradient_in_words,
    name_in_short,
    number,
    rows,
    wrapped,
)


def test_numbers():
    values = (1.0, -0.0, 1 / 3, 1e9, float("nan"), -float("inf"), True)
    assert [number(value) for value in values] == ["1", "0", "0.3333", "1e+09", "NaN", "-inf", "True"]
    assert number(complex(1, -0.0)) == "1+0j"


def test_arrays_that_would_be_cut_are_not_written_out():
    z = np.array([0.79031 - 0.98081j, -0.30161 + 0.56011j, 1])
    assert array_in_words(z, (3,)) == "(3,)"
    assert gradient_in_words(z) == f"norm {np.linalg.norm(z):.4g}"
    assert array_in_words(np.array([1j, 2]), (2,)) == "[0+1j, 2+0j]"
    assert array_in_words(np.array(0.123456), ()) == "0.1235"
    assert gradient_in_words(np.zeros((0, 3))) == ""


def test_columns_are_even():
    assert array_in_full(np.array([0.27, 0.3074])) == "[0.2700, 0.3074]"


def test_names_keep_their_ends():
    assert name_in_short("net.weight", 10) == "net.weight"
    assert name_in_short("model.encoder.weight", 10) == "…er.weight"


def test_rows_and_breaks():
    assert rows([("a", "one two"), ("bcd", "x\ny"), ("", "z")]) == [
        "  a    one two",
        "  bcd  x",
        "       y",
        "       z",
    ]
    long = rows([("name", "word " * 40)], least=8)
    assert max(map(len, long)) <= 100
    assert long[1].startswith(" " * 12 + "word")
    assert wrapped("a" * 250)[0] == "a" * 100
    assert wrapped("") == [""]


def test_counts():
    assert count_in_words(1, "leaf", "leaves") == "1 leaf"
    assert count_in_words(2000, "leaf", "leaves") == "2,000 leaves"
    assert count_in_words(0, "op") == "0 ops"
