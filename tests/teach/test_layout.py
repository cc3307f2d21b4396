"""The layout keeps its promises: nothing overlaps, and no arrow meets a box that is not its own."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from autograd_ops.teach.layout import Layout, Link, Rectangle, lay_out, rows_of


def some_graph(boxes: int, seed: int) -> tuple[dict[int, tuple[float, float]], list[Link]]:
    draw = random.Random(seed)
    sizes = {i: (draw.uniform(20, 160), draw.uniform(20, 70)) for i in range(boxes)}
    links = []
    for target in range(1, boxes):
        for _ in range(draw.randint(0, 3)):
            source = max(0, target - 1 - int(draw.expovariate(0.3)))
            label = (draw.uniform(20, 90), draw.uniform(10, 30)) if draw.random() < 0.7 else (0.0, 0.0)
            links.append(Link(source, target, *label, weight=draw.choice([0.05, 1.0])))
    return sizes, links


def disjoint(a: Rectangle, b: Rectangle) -> bool:
    apart_in_x = abs(a.x - b.x) >= (a.width + b.width) / 2 - 1e-6
    apart_in_y = abs(a.y - b.y) >= (a.height + b.height) / 2 - 1e-6
    return apart_in_x or apart_in_y


def points(arrow):
    """Points along an arrow as it is drawn: straight runs, and cubic curves between them."""
    for x, top, bottom in arrow.runs:
        yield from ((x, top + (bottom - top) * t / 4) for t in range(5))
    for (x0, _, y0), (x1, y1, _) in pairwise(arrow.runs):
        middle = (y0 + y1) / 2
        for i in range(1, 20):
            t = i / 20
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3
            yield (a + b) * x0 + (c + d) * x1, a * y0 + (b + c) * middle + d * y1


def inside(point: tuple[float, float], box: Rectangle) -> bool:
    return abs(point[0] - box.x) < box.width / 2 - 1e-6 and abs(point[1] - box.y) < box.height / 2 - 1e-6


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("boxes", [1, 2, 10, 60])
def test_nothing_overlaps(boxes: int, seed: int):
    sizes, links = some_graph(boxes, seed)
    layout = lay_out(sizes, links)
    labels = [arrow.label for arrow in layout.arrows if arrow.label]
    assert len(labels) == sum(link.width > 0 for link in links)
    places = [*layout.boxes.values(), *labels]
    for i, place in enumerate(places):
        assert all(disjoint(place, other) for other in places[:i])
        assert place.left >= -1e-6
        assert place.top >= -1e-6
        assert place.left + place.width <= layout.width + 1e-6
        assert place.bottom <= layout.height + 1e-6
    for link, arrow in zip(links, layout.arrows, strict=True):
        others = [box for key, box in layout.boxes.items() if key not in (link.source, link.target)]
        others += [label for label in labels if label is not arrow.label]
        assert not [p for p in points(arrow) for box in others if inside(p, box)]


def test_arrows_lead_from_the_bottom_of_a_box_to_the_top_of_another():
    sizes, links = some_graph(20, 1)
    layout: Layout = lay_out(sizes, links)
    for link, arrow in zip(links, layout.arrows, strict=True):
        source, target = layout.boxes[link.source], layout.boxes[link.target]
        (x, top, _), (end, _, bottom) = arrow.runs[0], arrow.runs[-1]
        assert top == pytest.approx(source.bottom)
        assert bottom == pytest.approx(target.top)
        assert abs(x - source.x) <= source.width / 2
        assert abs(end - target.x) <= target.width / 2


def test_a_chain_is_straight():
    layout = lay_out({i: (40 + 10 * i, 20) for i in range(6)}, [Link(i, i + 1, 30, 10) for i in range(5)])
    assert len({round(box.x, 6) for box in layout.boxes.values()}) == 1


def test_a_leaf_stands_just_above_its_user():
    sizes = {"a": (30, 20), "b": (30, 20), "w": (30, 20), "c": (30, 20)}
    layout = lay_out(sizes, [Link("a", "b"), Link("b", "c"), Link("w", "c")])
    assert layout.boxes["w"].y == layout.boxes["b"].y


def test_what_is_computed_of_leaves_alone_stands_by_its_user():
    light = [Link("u", "p", weight=0.05), Link("x", "p", weight=0.05), Link("w", "q", weight=0.05)]
    links = [Link("a", "b"), Link("b", "c"), Link("c", "d"), *light, Link("p", "q"), Link("q", "d")]
    rows = rows_of("abcuxpwqd", links)
    assert [rows[key] for key in "abcd"] == [0, 1, 2, 3]
    assert [rows[key] for key in "wuxpq"] == [1, 0, 0, 1, 2]


def test_a_long_chain_is_straight_whatever_joins_it():
    keys, links = ["h0"], []
    for i in range(100):
        keys += [f"w{i}", f"x{i}", f"p{i}", f"h{i + 1}"]
        links += [Link(f"h{i}", f"p{i}", 60, 10), Link(f"w{i}", f"p{i}", 60, 10, weight=0.05)]
        links += [Link(f"p{i}", f"h{i + 1}", 60, 10), Link(f"x{i}", f"h{i + 1}", 60, 10)]
    layout = lay_out(dict.fromkeys(keys, (80.0, 20.0)), links)
    assert layout.width < 500
    places = [layout.boxes[f"h{i}"].x for i in range(5, 101)]
    assert max(places) - min(places) < 1


def test_a_long_edge_runs_down_at_one_x():
    keys = list(range(10))
    links = [Link(i, i + 1, 30 + 10 * (i % 3), 10) for i in range(9)] + [Link(0, 9, 30, 10)]
    arrow = lay_out({key: (30.0 + 20 * (key % 2), 20.0) for key in keys}, links).arrows[-1]
    assert len({round(x, 3) for x, _, _ in arrow.runs[1:-2]}) == 1


def test_no_crossing_where_none_is_needed():
    # Two chains, given in an order that crosses them.
    sizes = dict.fromkeys(["a", "b", "b2", "a2"], (30, 20))
    layout = lay_out(sizes, [Link("a", "a2"), Link("b", "b2")])
    assert (layout.boxes["a"].x < layout.boxes["b"].x) == (layout.boxes["a2"].x < layout.boxes["b2"].x)


def test_a_link_that_leads_back_is_refused():
    with pytest.raises(ValueError, match="leads back"):
        lay_out({"a": (1, 1), "b": (1, 1)}, [Link("b", "a")])


def test_nothing_at_all():
    layout = lay_out({}, [])
    assert (layout.width, layout.height) == (0, 0)
