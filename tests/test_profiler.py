"""The profiler, with a clock that the tests move."""

from __future__ import annotations

import json
import threading

import pytest

import autograd_ops as ag
from autograd_ops import call_path, nn, ops, optim
from autograd_ops.autograd import core
from autograd_ops.profiler import ProfilerActivity, ProfilerError, profile, record_function
from autograd_ops.profiler.averages import add_up, render
from autograd_ops.profiler.events import Event, Recorder, new_bytes
from autograd_ops.tape import mode


class Clock:
    """Stands still until it is moved."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now

    def pass_by(self, nanoseconds):
        self.now += nanoseconds


def counts(p):
    return {average.label: average.count for average in p.key_averages()}


def test_an_op_is_counted_forward_and_backward_with_the_bytes_of_its_results():
    x = ag.ones(10, 10, requires_grad=True)
    with profile(clock=Clock()) as p:
        y = x.exp().exp()
        y.backward(ag.ones(10, 10))
    found = {average.label: (average.count, average.made) for average in p.key_averages()}
    assert found["exp"] == (2, 800)
    assert found["exp backward"] == (2, 800)
    assert found["backward"] == (1, 0)


def test_a_result_that_is_a_view_takes_no_bytes():
    x = ag.ones(10, 10)
    with profile(clock=Clock()) as p:
        x.reshape(100)
        x.transpose(0, 1)
        ops.reshape(x.array, (100,))
    assert [event.made for event in p.events] == [0, 0, 0]
    assert new_bytes((x.array, x.array.copy(), [x.array[0]], None, 3), (x.array,)) == 400


def test_self_time_is_without_what_is_inside_and_what_the_profiler_does():
    clock = Clock()
    recorder = Recorder(clock)
    outer = recorder.begin("outer", "region")
    clock.pass_by(5)
    recorder.run("op", "forward", clock.pass_by, 7)
    with recorder.off_the_clock():
        clock.pass_by(100)
    clock.pass_by(1)
    recorder.end(outer)
    inner, outer = recorder.events
    assert (inner.total, inner.self_time) == (7, 7)
    assert (outer.total, outer.self_time) == (13, 6)
    assert recorder.now() == 13


def test_an_event_ends_when_its_function_raises():
    clock = Clock()
    recorder = Recorder(clock)

    def fails():
        clock.pass_by(3)
        raise KeyError

    with pytest.raises(KeyError):
        recorder.run("op", "forward", fails)
    assert [(event.name, event.total) for event in recorder.events] == [("op", 3)]


def test_regions_hold_what_is_in_them():
    clock = Clock()
    x = ag.ones(3)
    with profile(clock=clock) as p:
        with record_function("mine"):
            x.exp()
            clock.pass_by(11)
        clock.pass_by(4)
    region = p.events[-1]
    assert (region.name, region.kind, region.total) == ("mine", "region", 11)
    assert "outside of all these" in p.table()
    assert [line.split()[-2:] for line in p.table().splitlines() if line.startswith("outside")] == [["15", "ns"]]


def test_record_function_decorates_and_does_nothing_while_no_profile_is_on():
    @record_function("named")
    def double(x):
        """Twice."""
        return x * 2

    assert double(4) == 8
    assert double.__doc__ == "Twice."
    with profile(clock=Clock()) as p:
        double(4)
        double(5)
    assert counts(p) == {"named": 2}


def test_a_region_opened_before_the_profile_is_no_part_of_it():
    with record_function("before"):
        p = profile(clock=Clock())
        p.start()
    p.stop()
    assert not p.events


def test_optimizer_steps_are_regions():
    net = nn.Linear(2, 2)
    optimizers = [optim.SGD(net.parameters(), lr=0.1), optim.AdamW(net.parameters())]
    with profile(clock=Clock()) as p:
        net(ag.ones(1, 2)).sum().backward()
        for optimizer in optimizers:
            optimizer.step()
    found = counts(p)
    assert found["SGD.step"] == 1
    assert found["AdamW.step"] == 1


def state():
    steps = [kind.step for kind in (optim.Optimizer, optim.SGD, optim.Adam)]
    forwards = [ops.exp.__globals__.get("forward"), call_path._through, core.walk, mode.observer, *steps]
    return [*forwards, ops.exp.op.pull.__code__]


def test_all_is_as_before_when_it_ends():
    x = ag.ones(3, requires_grad=True)
    x.exp().sum().backward()
    before = state()
    with profile(clock=Clock()):
        inside = state()
    assert state() == before
    assert all(now is not then for now, then in zip(inside[:-1], before[:-1], strict=True))


def test_all_is_as_before_when_it_ends_in_an_error():
    x = ag.ones(3, requires_grad=True)
    x.exp().sum().backward()
    before = state()
    with pytest.raises(KeyError), profile(clock=Clock()):
        raise KeyError("inside")
    assert state() == before
    with profile(clock=Clock()) as p:
        x.exp()
    assert counts(p) == {"exp": 1}


def test_an_op_that_is_first_called_in_a_profile_is_measured_and_then_let_go():
    from autograd_ops.registry import TABLE, op

    @op(formula="dx = g")
    def first_called_in_a_profile(x):
        return x + 0

    first_called_in_a_profile.backward(x=lambda g: g)
    try:
        x = ag.ones(3, requires_grad=True)
        with profile(clock=Clock()) as p:
            y = first_called_in_a_profile(x)
        y.sum().backward()
        first_called_in_a_profile(x)
        assert counts(p) == {"first_called_in_a_profile": 1}
    finally:
        del TABLE["first_called_in_a_profile"]


def test_nodes_recorded_before_are_measured_and_those_recorded_inside_run_afterwards():
    x = ag.ones(3, requires_grad=True)
    before = x.exp()
    with profile(clock=Clock()) as p:
        before.backward(ag.ones(3))
        inside = x.exp()
    assert counts(p)["exp backward"] == 1
    inside.backward(ag.ones(3))
    assert counts(p)["exp backward"] == 1
    assert x.grad.tolist() == pytest.approx([2 * 2.7182818] * 3)


def test_a_profile_in_a_profile_is_refused_and_harms_nothing():
    with profile(clock=Clock()) as p:
        with pytest.raises(ProfilerError, match="one at a time"), profile(clock=Clock()):
            pass
        ag.ones(2).exp()
    assert counts(p) == {"exp": 1}
    with profile(clock=Clock()):
        pass


def test_the_same_profile_goes_on_when_it_is_entered_again():
    p = profile(clock=Clock())
    for _ in range(2):
        with p:
            ag.ones(2).exp()
    assert counts(p) == {"exp": 2}


def test_create_graph_is_measured_too():
    x = ag.tensor(2.0, requires_grad=True)
    with profile(clock=Clock()) as p:
        (g,) = ag.autograd.grad(x.exp(), x, create_graph=True)
        g.backward()
    assert counts(p)["backward"] == 2
    assert x.grad.item() == pytest.approx(7.389056, rel=1e-6)


def test_each_thread_has_its_own_stack():
    both_inside = threading.Barrier(2)
    x = ag.ones(3)

    def work():
        with record_function("work"):
            both_inside.wait()
            x.exp()
            both_inside.wait()

    clock = Clock()
    with profile(clock=clock) as p:
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counts(p) == {"exp": 2, "work": 2}
    assert len({event.thread for event in p.events}) == 2


def test_the_tape_keeps_what_its_nodes_saved_until_they_have_run():
    x = ag.ones(100, requires_grad=True)
    clock = Clock()
    with profile(clock=clock) as p:
        clock.pass_by(10)
        y = x.exp()
        z = y.exp()
        clock.pass_by(10)
        z.backward(ag.ones(100))
    # The outputs, 400 bytes each: z's is freed when its node has run, and then y's.
    assert [size for _, size in p.kept] == [400, 800, 400, 0]
    assert [round(when * 1e9) for when, _ in p.kept] == [10, 10, 20, 20]
    assert p.peak_kept == 800


def test_an_array_that_two_nodes_keep_counts_once_and_that_of_a_leaf_not_at_all():
    x = ag.ones(100, requires_grad=True)
    with profile(clock=Clock()) as p:
        y = x * 2
        y * y
        x * x
    assert p.peak_kept == 400


def test_a_tape_that_is_dropped_keeps_nothing():
    x = ag.ones(100, requires_grad=True)
    with profile(clock=Clock()) as p:
        y = x.exp()
        del y
    assert [size for _, size in p.kept] == [400, 0]


def test_a_walk_that_retains_the_graph_frees_nothing():
    x = ag.ones(100, requires_grad=True)
    with profile(clock=Clock()) as p:
        y = x.exp()
        y.backward(ag.ones(100), retain_graph=True)
        assert p.kept[-1][1] == 400
        y.backward(ag.ones(100))
    assert p.kept[-1][1] == 0


def test_anomalies_are_still_found_inside():
    x = ag.ones(2, requires_grad=True)
    with profile(clock=Clock()) as p, ag.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="gave NaN"):
        x * float("nan")
    assert counts(p)["mul"] == 1


EVENTS = [
    Event("mul", "forward", 1, 0, 2_000, 0, 4_000_000),
    Event("mul", "forward", 1, 0, 1_000, 0, 0),
    Event("mul", "backward", 1, 0, 5_000_000, 1_000_000, 12),
    Event("a_name_of_an_op_that_is_much_longer_than_any_name_ought_to_be", "forward", 1, 0, 900, 0, 1),
]


def test_events_add_up_by_name_and_kind():
    first, second, third = add_up(EVENTS)
    assert (first.label, first.count, first.self_time, first.total) == ("mul backward", 1, 4_000_000, 5_000_000)
    assert (second.label, second.count, second.total, second.mean, second.made) == ("mul", 2, 3_000, 1_500, 4_000_000)
    assert third.count == 1


@pytest.mark.parametrize(
    ("sort_by", "first"),
    [
        ("self", "mul backward"),
        ("total", "mul backward"),
        ("mean", "mul backward"),
        ("count", "mul"),
        ("bytes", "mul"),
        ("name", "a_name"),
        ("self_cpu_time_total", "mul backward"),
        ("cpu_memory_usage", "mul"),
    ],
)
def test_the_table_sorts_and_fits(sort_by, first):
    lines = render(add_up(EVENTS), 10_000_000, 5_000_000, sort_by, None).splitlines()
    assert lines[3].startswith(first)
    assert max(map(len, lines)) <= 100


def test_the_table_says_what_it_leaves_out_and_its_shares_add_up():
    table = render(add_up(EVENTS), 10_000_000, 5_996_100, "self", 1)
    assert "2 more" in table
    shares = [
        float(line.split("%")[0].split()[-1]) for line in table.splitlines() if "%" in line and "self %" not in line
    ]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    assert "4.00 ms    40.0 %   5.00 ms" in table


def test_the_table_refuses_an_order_that_it_does_not_know():
    with pytest.raises(ValueError, match="sorts by 'self', 'total'"):
        profile(clock=Clock()).table(sort_by="colour")


def test_the_lines_of_pytorchs_recipe_run():
    net = nn.Linear(2, 2)
    options = {"activities": [ProfilerActivity.CPU], "record_shapes": True, "profile_memory": True}
    with profile(**options) as prof, record_function("model_inference"):
        net(ag.ones(1, 2))
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=10)
    assert table == prof.table("total", 10)
    assert "\nmodel_inference" in table
    assert "\nlinear" in table
    assert table.splitlines()[-1] == "at most 0.0 MB kept by the tape at one time"


def test_a_profile_may_be_stopped_twice_and_before_it_starts():
    p = profile(clock=Clock())
    p.stop()
    with profile(clock=Clock()) as other:
        p.stop()
        ag.ones(2).exp()
    other.stop()
    assert counts(other) == {"exp": 1}


def test_the_name_of_a_region_is_a_str():
    with pytest.raises(TypeError, match="record_function: expected a str as name, got int"):
        record_function(3)


def test_the_trace_is_what_the_viewers_read(tmp_path):
    clock = Clock()
    x = ag.ones(5, requires_grad=True)
    with profile(clock=clock) as p:
        clock.pass_by(2_000)
        with record_function("region"):
            x.exp().sum().backward()
            clock.pass_by(3_000)
    p.export_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    (region,) = [event for event in events if event["name"] == "region"]
    assert (region["ph"], region["ts"], region["dur"], region["tid"]) == ("X", 2.0, 3.0, 0)
    assert {event["name"] for event in events if event["ph"] == "X"} >= {"exp", "sum", "exp backward", "backward"}
    assert [event["args"]["bytes"] for event in events if event["ph"] == "C"] == [20, 0]
    assert all(event["pid"] == region["pid"] for event in events)


def test_losses_are_the_same_under_a_profile():
    def train():
        ag.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        optimizer = optim.Adam(net.parameters(), lr=0.1)
        x, losses = ag.randn(8, 3), []
        for _ in range(3):
            optimizer.zero_grad()
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    plain = train()
    with profile(clock=Clock()):
        assert train() == plain
