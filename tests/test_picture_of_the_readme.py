"""docs/tape.svg is what the library draws."""

from __future__ import annotations

from docs.generate_picture import PICTURE, picture


def test_the_picture_is_up_to_date() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture() + "\n", "run python -m docs.generate_picture"


def test_it_has_the_gradients_that_one_finds_by_hand() -> None:
    # y = 1 * 0.5 + 2 * -0.25 + 1 = 1; the loss is 4, and its gradient by y is 2 (1 - 3) = -4.
    drawn = picture()
    assert ">∂ -4<" in drawn
    assert ">∂ [-4, -8]<" in drawn
