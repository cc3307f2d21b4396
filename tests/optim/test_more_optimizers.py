"""The optimizers that few scripts use, against numbers of PyTorch 2.13, CPU, float64; hooks, names and averages."""

import json
from pathlib import Path

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import nn, optim
from autograd_ops.optim import swa_utils

PYTORCH = json.loads((Path(__file__).parent / "data" / "steps.json").read_text())


def leaves(device="cpu"):
    start = PYTORCH["start"]
    return [ag.tensor(start[name], dtype=ag.float64, device=device, requires_grad=True) for name in "ab"]


def loss_of(a, b, optimizer):
    optimizer.zero_grad()
    loss = ((a - 0.5) ** 4).sum() + a.sin().sum() + ((b - 1) ** 2).sum() + 0.2 * (b**4).sum()
    loss.backward()
    return loss


def followed(name, options, steps, device="cpu"):
    a, b = leaves(device)
    optimizer = getattr(optim, name)([a, b], **options)
    seen = []
    for step in range(1, steps[-1] + 1):
        if name == "LBFGS":
            optimizer.step(lambda: loss_of(a, b, optimizer))
        else:
            loss_of(a, b, optimizer)
            optimizer.step()
        if step in steps:
            seen.append([*b.tolist(), *a.flatten().tolist()])
    return seen


@pytest.mark.parametrize("case", PYTORCH["cases"], ids=lambda case: f"{case['name']}-{len(case['options'])}")
def test_steps(case):
    # PyTorch keeps a few numbers of NAdam and ASGD in float32, which shows in the eighth digit.
    rtol = case.get("rtol", 1e-8)
    seen = followed(case["name"], case["options"], case.get("steps", [1, 5, 20]))
    np.testing.assert_allclose(seen, case["values"], rtol=rtol, atol=rtol / 10)


NAMES = sorted({case["name"] for case in PYTORCH["cases"]})


@pytest.mark.parametrize("name", NAMES)
def test_on_the_strict_device(name):
    options = {} if name in ("LBFGS", "ASGD") else {"weight_decay": 0.1} if name != "Rprop" else {}
    np.testing.assert_allclose(
        followed(name, options, [2], "strict:device1"), followed(name, options, [2]), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_going_on_from_a_state_dict(name):
    a, b = leaves()
    c, d = leaves()
    first, second = getattr(optim, name)([a, b]), getattr(optim, name)([c, d])

    def step(optimizer, x, y):
        if name == "LBFGS":
            optimizer.step(lambda: loss_of(x, y, optimizer))
        else:
            loss_of(x, y, optimizer)
            optimizer.step()

    step(first, a, b)
    for x, y in ((a, c), (b, d)):
        y.data.copy_(x)
    second.load_state_dict(first.state_dict())
    step(first, a, b)
    step(second, c, d)
    assert a.tolist() == c.tolist()
    assert b.tolist() == d.tolist()


@pytest.mark.parametrize("name", ["Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop", "Adafactor"])
def test_half_precision_keeps_its_state_wide(name):
    w = ag.tensor([[1.0, -2.0]], dtype=ag.float16, requires_grad=True)
    w.grad = ag.tensor([[0.5, 0.25]], dtype=ag.float16)
    optimizer = getattr(optim, name)([w], lr=0.1)
    optimizer.step()
    assert w.dtype == ag.float16
    assert all(value.dtype == ag.float32 for value in optimizer.state[w].values() if isinstance(value, ag.Tensor))


def test_muon_makes_its_step_nearly_orthogonal():
    gradient = np.arange(12.0).reshape(4, 3) ** 1.5
    w = ag.zeros(4, 3, dtype=ag.float64, requires_grad=True)
    w.grad = ag.tensor(gradient)
    optim.Muon([w], lr=1.0).step()
    step = -w.detach().numpy() / (4 / 3) ** 0.5
    u, values, vt = np.linalg.svd(gradient, full_matrices=False)
    # The singular vectors are the gradient's, and the values that are not tiny have come near to 1.
    inner = u.T @ step @ vt.T
    np.testing.assert_allclose(inner, np.diag(np.diag(inner)), atol=1e-9)
    large = values > 0.01 * values.max()
    assert (np.abs(np.diag(inner)[large] - 1) < 0.35).all()


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda w: optim.Muon([w[0]]), ValueError, "parameter 0 was made by a recorded op"),
        (lambda w: optim.Muon([ag.zeros(3, requires_grad=True)]), ValueError, "Muon: takes matrices alone"),
        (lambda w: optim.Muon([w], adjust_lr_fn="x"), ValueError, "adjust_lr_fn must be"),
        (lambda w: optim.SparseAdam([w]), NotImplementedError, "SparseAdam: all gradients are dense"),
        (lambda w: optim.Rprop([w], etas=(1.5, 1.2)), ValueError, "etas must be one in"),
        (lambda w: optim.Adafactor([w], d=0.5), ValueError, "d must be at least 1"),
        (lambda w: optim.Adafactor([w], beta2_decay=0.5), ValueError, "beta2_decay must be at most 0"),
        (lambda w: optim.LBFGS([w], line_search_fn="x"), ValueError, "line_search_fn must be"),
        (lambda w: optim.LBFGS([{"params": [w]}, {"params": [ag.zeros(1)]}]), ValueError, "takes one group"),
        (lambda w: optim.LBFGS([w]).step(), TypeError, "step needs a closure"),
        (lambda w: optim.NAdam([w], betas=(1.0, 0.9)), ValueError, "betas must be in"),
        (lambda w: optim.Adadelta([w], rho=1.5), ValueError, "rho must be in"),
    ],
)
def test_what_is_refused(make, error, says):
    with pytest.raises(error, match=says):
        make(ag.ones(2, 2, requires_grad=True))


# ---------------------------------------------------------------- hooks and names


def test_hooks_around_a_step():
    w, seen = ag.zeros(1, requires_grad=True), []
    optimizer = optim.SGD([w], lr=0.1)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("pre"))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("post"))
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert seen == ["pre", "post", "pre"]
    assert optimizer.has_stepped

    class Own(optim.Optimizer):
        def step(self, closure=None):
            seen.append(closure)

    own = Own([w], {})
    own.register_step_pre_hook(lambda o, args, kwargs: ((), {"closure": 7}))
    own.step()
    assert seen[-1] == 7


def test_hooks_around_a_state():
    w = ag.zeros(1, requires_grad=True)
    optimizer, seen = optim.SGD([w], lr=0.1), []
    optimizer.register_state_dict_pre_hook(lambda o: seen.append(1))
    optimizer.register_state_dict_pre_hook(lambda o: seen.append(0), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    state = optimizer.state_dict()
    assert seen == [0, 1]
    assert state["more"] == 1
    optimizer.register_load_state_dict_pre_hook(
        lambda o, state: {**state, "param_groups": [{"params": [0], "lr": 5.0}]}
    )
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append(o.param_groups[0]["lr"]))
    optimizer.load_state_dict(state)
    assert seen[-1] == 5.0


def test_parameters_with_names():
    layer = nn.Linear(2, 1)
    optimizer = optim.Adam(layer.named_parameters(), lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.param_groups[0]["params"] == [layer.weight, layer.bias]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    with pytest.raises(ValueError, match="given with names, or those of none"):
        optimizer.add_param_group({"params": [ag.zeros(1, requires_grad=True)]})
    optimizer.add_param_group({"params": [("other", ag.zeros(1, requires_grad=True))]})
    assert optimizer.param_groups[1]["param_names"] == ["other"]


# ---------------------------------------------------------------- averages of weights


def test_averaged_models():
    # Weights 0, 1, 2, 3: their mean is 1.5; the moving average with decay 1/2 is ((0 + 1)/2 + 2)/2 ...
    model = nn.Linear(1, 1, bias=False)
    mean = swa_utils.AveragedModel(model)
    moving = swa_utils.AveragedModel(model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.5))
    one_by_one = swa_utils.AveragedModel(model, avg_fn=swa_utils.get_ema_avg_fn(0.5))
    for weight in (0.0, 1.0, 2.0, 3.0):
        model.weight.data.fill_(weight)
        for averaged in (mean, moving, one_by_one):
            averaged.update_parameters(model)
    assert mean.module.weight.item() == 1.5
    assert moving.module.weight.item() == one_by_one.module.weight.item() == 2.125
    assert mean.n_averaged.item() == 4
    assert list(mean.state_dict()) == ["n_averaged", "module.weight"]
    assert mean(ag.ones(1, 1)).tolist() == [[1.5]]
    with pytest.raises(ValueError, match="not both"):
        swa_utils.AveragedModel(model, avg_fn=swa_utils.get_swa_avg_fn(), multi_avg_fn=swa_utils.get_swa_multi_avg_fn())
    with pytest.raises(ValueError, match="decay must be in"):
        swa_utils.get_ema_avg_fn(2.0)


def test_buffers_are_copied_or_averaged():
    model = nn.BatchNorm1d(1)
    copied, averaged = swa_utils.AveragedModel(model), swa_utils.AveragedModel(model, use_buffers=True)
    for mean in (0.0, 4.0):
        model.running_mean.fill_(mean)
        copied.update_parameters(model)
        averaged.update_parameters(model)
    assert copied.module.running_mean.item() == 4.0
    assert averaged.module.running_mean.item() == 2.0


def test_update_bn():
    model = nn.Sequential(nn.BatchNorm1d(2)).eval()
    batches = [ag.tensor([[0.0, 1.0], [2.0, 5.0]]), ag.tensor([[4.0, 1.0], [6.0, 1.0]])]
    swa_utils.update_bn([(batch, 0) for batch in batches], model)
    assert model[0].running_mean.tolist() == [3.0, 2.0]
    assert model[0].momentum == 0.1
    assert not model.training
