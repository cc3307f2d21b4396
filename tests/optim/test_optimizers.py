"""The optimizers against PyTorch's values, and against each option by hand."""

import numpy as np
import pytest

import autograd_ops as ag
from autograd_ops import optim

START = [1.0, -3.0, 0.5]
GRADIENTS = [[1.0, -2.0, 0.5], [-0.5, 0.25, 3.0], [2.0, 1.0, -1.0], [0.125, 0.5, 0.75], [-3.0, 0.0, 0.1]]

# After one step with each of GRADIENTS: PyTorch 2.13, CPU, float64.
AFTER_FIVE_STEPS = {
    "sgd": ("SGD", {}, [1.0375, -2.975, 0.165]),
    "sgd momentum": ("SGD", {"momentum": 0.9}, [0.4966899999999999, -2.6329550000000004, -0.6179550000000003]),
    "sgd dampening": (
        "SGD",
        {"momentum": 0.9, "dampening": 0.3},
        [0.5248299999999999, -2.4973624999999995, -0.343995],
    ),
    "sgd nesterov": (
        "SGD",
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.2},
        [0.36143864246259183, -1.8111233890156158, -0.859481784308704],
    ),
    "sgd maximize": (
        "SGD",
        {"momentum": 0.5, "weight_decay": 0.2, "maximize": True},
        [0.9908267327999999, -2.6036989824, 0.9916657664],
    ),
    "adam": ("Adam", {}, [0.7646596227697158, -2.8382538412714706, 0.18560676653394362]),
    "adam betas": (
        "Adam",
        {"betas": (0.5, 0.8), "eps": 1e-3},
        [0.8330218139062965, -2.958500370970474, 0.22422309421487788],
    ),
    "adam decay": (
        "Adam",
        {"weight_decay": 0.5},
        [0.6701494667836275, -2.5900100876481558, 0.15955434172752037],
    ),
    "adam amsgrad": (
        "Adam",
        {"betas": (0.9, 0.5), "amsgrad": True},
        [0.7867630593485021, -2.8454894225291816, 0.22960039935055843],
    ),
    "adam maximize": (
        "Adam",
        {"weight_decay": 0.5, "maximize": True},
        [1.0628871234608426, -2.8006779976364102, 0.7575517553367652],
    ),
    "adamw": ("AdamW", {}, [0.7603373871194511, -2.823873588690129, 0.18389492502366347]),
    "adamw decay": (
        "AdamW",
        {"weight_decay": 0.5},
        [0.5700549653444863, -2.1872237218990325, 0.10952192868449626],
    ),
    "adamw amsgrad": (
        "AdamW",
        {"weight_decay": 0.5, "betas": (0.9, 0.5), "amsgrad": True, "maximize": True},
        [0.9572803916298074, -2.4493827937097374, 0.6231812206810098],
    ),
    "rmsprop": ("RMSprop", {}, [0.31724149606109875, -2.792293728426829, -1.4337411490098846]),
    "rmsprop all": (
        "RMSprop",
        {"alpha": 0.8, "eps": 1e-3, "weight_decay": 0.5, "momentum": 0.9, "centered": True},
        [-0.4368432730626575, -1.4180772373715096, -1.213049073109179],
    ),
    "rmsprop maximize": (
        "RMSprop",
        {"momentum": 0.9, "maximize": True},
        [5.227897231639942, -5.035018814544773, 7.605542863226606],
    ),
    "adagrad": ("Adagrad", {}, [0.9314152634350937, -2.9785409636866986, 0.3067470440288857]),
    "adagrad all": (
        "Adagrad",
        {"lr_decay": 0.2, "weight_decay": 0.5, "initial_accumulator_value": 0.5, "eps": 1e-3, "maximize": True},
        [0.9871031992731933, -2.8739973515363606, 0.5893491314276079],
    ),
}
ALL = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"]


def parameter(values=START, dtype=ag.float64, device="cpu"):
    return ag.tensor(values, dtype=dtype, device=device, requires_grad=True)


def run(optimizer, *parameters, gradients=GRADIENTS):
    for gradient in gradients:
        for p in parameters:
            p.grad = ag.tensor(gradient, dtype=p.dtype, device=p.device)
        optimizer.step()


def with_everything(name, parameters):
    """An optimizer of that name that keeps all the state it can."""
    options = {
        "SGD": {"momentum": 0.9},
        "Adam": {"amsgrad": True},
        "AdamW": {"amsgrad": True},
        "RMSprop": {"momentum": 0.9, "centered": True},
        "Adagrad": {},
    }
    return getattr(optim, name)(parameters, lr=0.1, **options[name])


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(ag.float64, 1e-12), (ag.float32, 1e-6)])
@pytest.mark.parametrize("case", AFTER_FIVE_STEPS)
def test_values(case, dtype, tolerance, device):
    name, options, expected = AFTER_FIVE_STEPS[case]
    p = parameter(dtype=dtype, device=device)
    run(getattr(optim, name)([p], lr=0.1, **options), p)
    assert p.dtype == dtype
    np.testing.assert_allclose(p.tolist(), expected, rtol=tolerance, atol=tolerance)


def test_decay_coupled_and_decoupled_by_hand():
    # The gradient is 0. Adam takes the decay for one, and its first step is lr, whatever the size; AdamW's factor is
    # 1 - lr decay.
    coupled, decoupled = parameter([2.0]), parameter([2.0])
    run(optim.Adam([coupled], lr=0.1, weight_decay=0.5), coupled, gradients=[[0.0]])
    run(optim.AdamW([decoupled], lr=0.1, weight_decay=0.5), decoupled, gradients=[[0.0]])
    np.testing.assert_allclose(coupled.tolist(), [1.9], rtol=1e-7)
    np.testing.assert_allclose(decoupled.tolist(), [1.9], rtol=1e-15)
    run(optim.AdamW([decoupled], lr=0.1, weight_decay=0.5), decoupled, gradients=[[0.0]])
    np.testing.assert_allclose(decoupled.tolist(), [1.9 * 0.95], rtol=1e-15)


@pytest.mark.parametrize("name", ALL)
def test_half_precision_is_updated_in_float32(name):
    # Squared, these gradients are below the smallest float16; and so are the moments that a step adds to.
    half, single = parameter([1.0, 2.0], ag.float16), parameter([1.0, 2.0], ag.float32)
    small = [[2.0**-14, -(2.0**-14)]] * 3
    run(with_everything(name, [half]), half, gradients=small)
    run(with_everything(name, [single]), single, gradients=small)
    assert half.dtype == ag.float16
    np.testing.assert_allclose(half.tolist(), single.tolist(), rtol=3e-3)


def test_half_precision_state_is_float32():
    p = parameter([1.0], ag.float16)
    optimizer = optim.Adam([p])
    run(optimizer, p, gradients=[[1.0]])
    assert optimizer.state[p]["exp_avg"].dtype == ag.float32
    other = optim.Adam([p])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[p]["exp_avg"].dtype == ag.float32


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3)])
@pytest.mark.parametrize("name", ALL)
def test_shapes(name, shape):
    p = ag.ones(shape, requires_grad=True)
    optimizer = with_everything(name, [p])
    for _ in range(3):
        p.grad = ag.ones(shape)
        optimizer.step()
    assert tuple(p.shape) == shape
    assert (p.detach().numpy() < 1).all()


def test_complex_parameters():
    p = ag.tensor([1 + 2j], dtype=ag.complex128, requires_grad=True)
    optimizer = optim.SGD([p], lr=0.5, momentum=0.5)
    p.grad = ag.tensor([2 - 2j], dtype=ag.complex128)
    optimizer.step()
    assert p.tolist() == [3j]


@pytest.mark.parametrize("device", ["cpu", "strict:device1"])
@pytest.mark.parametrize(
    ("name", "options", "after"),
    [
        (
            "SGD",
            {"momentum": 0.9, "nesterov": True},
            [0.93832626 - 0.36626270j, -1.17234143 - 0.64224153j],
        ),
        (
            "Adam",
            {"weight_decay": 0.1, "amsgrad": True},
            [0.71268953 + 1.70066445j, -0.75899723 - 0.00036790j],
        ),
        ("AdamW", {}, [0.71209885 + 1.69498616j, -0.77057210 - 0.00101668j]),
        (
            "RMSprop",
            {"centered": True, "momentum": 0.5},
            [0.74662208 - 0.29078558j, -1.26384617 - 0.76421510j],
        ),
        ("Adagrad", {"initial_accumulator_value": 0.3}, [0.82271569 + 1.77645131j, -0.61896407 + 0.08342893j]),
    ],
)
def test_complex_parameters_descend_real_losses(name, options, after, device):
    # PyTorch 2.13, float64.
    p = ag.tensor([1 + 2j, -0.5 + 0.3j], dtype=ag.complex128, device=device, requires_grad=True)
    optimizer = getattr(optim, name)([p], lr=0.1, **options)
    for step in range(3):
        optimizer.zero_grad()
        (p * p * (1 + 1j) - 2j).abs().sum().backward()
        optimizer.step()
        if step == 1:
            saved = optimizer.state_dict()
            assert all(
                v.dtype is ag.complex128 for v in saved["state"][0].values() if isinstance(v, ag.Tensor) and v.ndim
            )
            optimizer = getattr(optim, name)([p], lr=0.1, **options)
            optimizer.load_state_dict(saved)
    for got, want in zip(p.tolist(), after, strict=True):
        assert got == pytest.approx(want, abs=1e-8)


# ---------------------------------------------------------------- the step


def test_step_learns():
    w = ag.tensor([[1.0], [-1.0]], requires_grad=True)
    x = ag.tensor([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]])
    y = x @ ag.tensor([[2.0], [0.5]])
    optimizer = optim.Adam([w], lr=0.1)
    for _ in range(300):
        optimizer.zero_grad()
        ((x @ w - y) ** 2).mean().backward()
        optimizer.step()
    np.testing.assert_allclose(w.tolist(), [[2.0], [0.5]], atol=1e-3)


@pytest.mark.parametrize("dtype", [ag.float16, ag.float32])
@pytest.mark.parametrize("name", ALL)
def test_writes_into_the_parameters_own_memory(name, dtype):
    p = parameter(dtype=dtype)
    array, view = p.array, p.detach()[:1]
    run(with_everything(name, [p]), p)
    assert p.array is array
    assert view.tolist() == p.tolist()[:1]


def test_backward_notices_a_step_between():
    p = parameter()
    loss = (p * p).sum()
    p.grad = ag.ones_like(p)
    optim.SGD([p], lr=0.1).step()
    with pytest.raises(ag.TapeError, match="changed it in place"):
        loss.backward()


def test_gradients_are_left_alone():
    p = parameter()
    optimizer = optim.SGD([p], lr=0.1, momentum=0.9, weight_decay=0.1)
    p.grad = ag.tensor(GRADIENTS[0], dtype=ag.float64)
    for _ in range(3):
        optimizer.step()
    assert p.grad.tolist() == GRADIENTS[0]


def test_parameters_without_gradient_stay():
    p, q = parameter(), parameter()
    optimizer = optim.Adam([p, q])
    p.grad = ag.ones_like(p)
    optimizer.step()
    assert q.tolist() == START
    assert q not in optimizer.state


def test_recorded_gradients_are_not_a_problem():
    p = parameter([1.0, 2.0])
    (p * p * p).sum().backward(create_graph=True)
    optim.SGD([p], lr=0.1).step()
    np.testing.assert_allclose(p.tolist(), [0.7, 0.8])
    assert p.is_leaf


def test_closure():
    p = parameter([3.0])
    optimizer = optim.SGD([p], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with ag.no_grad():
        loss = optimizer.step(closure)
    assert loss.item() == 9.0
    assert p.tolist() == [1.5]
    assert optimizer.step() is None


def test_zero_grad():
    p, q = parameter(), parameter()
    optimizer = optim.SGD([p, q], lr=0.1)
    p.grad = ag.ones_like(p)
    grad = p.grad
    optimizer.zero_grad(set_to_none=False)
    assert p.grad is grad
    assert grad.tolist() == [0.0, 0.0, 0.0]
    assert q.grad is None
    optimizer.zero_grad()
    assert p.grad is None


def test_zero_grad_leaves_a_recorded_gradient_its_value():
    p = parameter([2.0])
    (p * p).sum().backward(create_graph=True)
    recorded = p.grad
    optim.SGD([p], lr=0.1).zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0.0]
    assert recorded.tolist() == [4.0]


# ---------------------------------------------------------------- groups


def test_groups_have_their_own_options():
    p, q = parameter([1.0]), parameter([1.0])
    optimizer = optim.SGD([{"params": [p]}, {"params": q, "lr": 0.5}], lr=0.1)
    run(optimizer, p, q, gradients=[[1.0]])
    assert (p.item(), q.item()) == (0.9, 0.5)
    optimizer.param_groups[0]["lr"] = np.float64(1.0)
    run(optimizer, p, q, gradients=[[1.0]])
    np.testing.assert_allclose([p.item(), q.item()], [-0.1, 0.0])


def test_add_param_group():
    p, q = parameter([1.0]), parameter([1.0])
    optimizer = optim.SGD(iter([p]), lr=0.1)
    optimizer.add_param_group({"params": (x for x in [q]), "lr": 0.2})
    run(optimizer, p, q, gradients=[[1.0]])
    assert (p.item(), q.item()) == (0.9, 0.8)


class NotATensor:
    pass


@pytest.mark.parametrize(
    ("params", "error", "says"),
    [
        (list, ValueError, "SGD: the list of parameters is empty"),
        (lambda: [{"params": []}], ValueError, "SGD: a parameter group has no parameters"),
        (lambda: [{"lr": 1.0}], TypeError, "a dict with a key 'params'"),
        (lambda: parameter(), TypeError, "a list of Tensors or dicts, not one Tensor"),
        (lambda: [NotATensor()], TypeError, "parameter 0 is a NotATensor"),
        (lambda: [parameter(), ("name", parameter())], TypeError, "parameter 1 is a tuple"),
        (lambda: [parameter() * 2], ValueError, "parameter 0 was made by a recorded op"),
        (lambda: [parameter()] * 2, ValueError, "parameter 1 of the group is optimized already"),
        (lambda: [{"params": {parameter()}}], TypeError, "a set has none"),
    ],
)
def test_bad_parameters(params, error, says):
    with pytest.raises(error, match=says):
        optim.SGD(params(), lr=0.1)


def test_a_parameter_in_two_groups():
    p = parameter()
    with pytest.raises(ValueError, match="parameter 0 of the group is optimized already"):
        optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("SGD", {"lr": -1.0}, "SGD: lr must be at least 0, not -1.0"),
        ("SGD", {"lr": float("nan")}, "SGD: lr must be at least 0, not nan"),
        ("SGD", {"momentum": -0.1}, "momentum must be at least 0"),
        ("SGD", {"weight_decay": -0.1}, "weight_decay must be at least 0"),
        ("SGD", {"nesterov": True}, "nesterov takes a momentum above 0 and a dampening of 0"),
        ("SGD", {"nesterov": True, "momentum": 0.9, "dampening": 0.1}, "nesterov takes"),
        ("Adam", {"betas": (0.9, 1.0)}, r"Adam: betas must be in \[0, 1\), not \(0.9, 1.0\)"),
        ("AdamW", {"eps": -1e-8}, "AdamW: eps must be at least 0"),
        ("RMSprop", {"alpha": 1.5}, "RMSprop: alpha must be in"),
        ("Adagrad", {"lr_decay": -1}, "Adagrad: lr_decay must be at least 0"),
    ],
)
def test_bad_hyper_parameters(name, options, says):
    with pytest.raises(ValueError, match=says):
        getattr(optim, name)([parameter()], **options)
    with pytest.raises(ValueError, match=says):
        getattr(optim, name)([{"params": [parameter()], **options}])


def test_optimizer_of_ones_own_with_pytorchs_step():
    class Halving(optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"factor": 0.5})

        @ag.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.mul_(group["factor"])

    p = parameter([2.0])
    Halving([p]).step()
    assert p.tolist() == [1.0]


def test_an_optimizer_that_overrides_nothing():
    with pytest.raises(NotImplementedError, match="Optimizer overrides neither update_rule nor step"):
        optim.Optimizer([parameter()], {}).step()


def test_repr():
    assert repr(optim.Adagrad([parameter()], lr=0.5)) == (
        "Adagrad (\nParameter Group 0\n    eps: 1e-10\n    initial_accumulator_value: 0\n    lr: 0.5\n"
        "    lr_decay: 0\n    maximize: False\n    weight_decay: 0\n)"
    )


# ---------------------------------------------------------------- state


@pytest.mark.parametrize("name", ALL)
def test_going_on_from_a_state_dict(name):
    through, stopped = parameter(), parameter()
    run(with_everything(name, [through]), through)

    first = with_everything(name, [stopped])
    run(first, stopped, gradients=GRADIENTS[:2])
    state, going_on = first.state_dict(), parameter(stopped.tolist())
    run(first, stopped)  # what the first does later is no matter
    second = with_everything(name, [going_on])
    second.load_state_dict(state)
    run(second, going_on, gradients=GRADIENTS[2:])
    assert going_on.tolist() == through.tolist()


@pytest.mark.parametrize("name", ALL)
def test_state_dict_shares_no_memory(name):
    p, q = parameter(), parameter()
    first, second = with_everything(name, [p]), with_everything(name, [q])
    run(first, p)
    state = first.state_dict()
    second.load_state_dict(state)
    kept = [first.state[p], state["state"][0], second.state[q]]
    for key, value in kept[0].items():
        if isinstance(value, ag.Tensor):
            for a, b in [(0, 1), (0, 2), (1, 2)]:
                assert not np.shares_memory(kept[a][key].numpy(), kept[b][key].numpy())
    state["param_groups"][0]["lr"] = 7.0
    assert first.param_groups[0]["lr"] == second.param_groups[0]["lr"] == 0.1


def test_state_dict_layout():
    p, q, r = parameter([1.0]), parameter([1.0]), parameter([1.0])
    optimizer = optim.Adam([{"params": [p, q]}, {"params": [r], "lr": 0.5}], lr=0.1)
    run(optimizer, p, r, gradients=[[2.0]])
    state = optimizer.state_dict()
    assert list(state) == ["state", "param_groups"]
    assert list(state["state"]) == [0, 2]
    assert list(state["state"][0]) == ["step", "exp_avg", "exp_avg_sq"]
    assert state["state"][0]["step"] == 1
    assert [group["params"] for group in state["param_groups"]] == [[0, 1], [2]]
    assert [group["lr"] for group in state["param_groups"]] == [0.1, 0.5]


def test_loading_pytorchs_layout():
    # As torch.optim.Adam gives it: the step is a tensor, and there are options that are unknown here.
    p = parameter([1.0, 2.0])
    optimizer = optim.Adam([p], lr=0.5)
    moments = {"step": ag.tensor(3.0), "exp_avg": ag.tensor([0.5, 0.5]), "exp_avg_sq": ag.tensor([0.25, 0.25])}
    group = {"lr": 0.1, "betas": (0.9, 0.99), "fused": None, "params": [0]}
    optimizer.load_state_dict({"state": {0: moments}, "param_groups": [group]})
    assert optimizer.state[p]["step"] == 3
    assert optimizer.state[p]["exp_avg"].dtype == ag.float64
    assert optimizer.param_groups[0]["lr"] == 0.1
    run(optimizer, p, gradients=[[1.0, 1.0]])
    assert optimizer.state[p]["step"] == 4


def test_loading_moves_to_the_parameters_device():
    p, q = parameter(), parameter(device="strict:device1")
    first, second = optim.SGD([p], lr=0.1, momentum=0.9), optim.SGD([q], lr=0.1, momentum=0.9)
    run(first, p, gradients=GRADIENTS[:2])
    second.load_state_dict(first.state_dict())
    assert second.state[q]["momentum_buffer"].device == "strict:device1"
    run(second, q, gradients=GRADIENTS[2:])


def test_loading_a_state_that_does_not_fit():
    p = parameter([1.0, 2.0, 3.0])
    optimizer = optim.SGD([p], lr=0.1, momentum=0.9)
    run(optimizer, p, gradients=[[1.0, 1.0, 1.0]])
    state = optimizer.state_dict()
    with pytest.raises(ValueError, match=r"groups of \[1\] parameters, and the groups here have \[2\]"):
        optim.SGD([parameter(), parameter()], lr=0.1).load_state_dict(state)
    other = optim.SGD([parameter([1.0])], lr=0.2, momentum=0.9)
    with pytest.raises(ValueError, match=r"momentum_buffer of parameter 0 has shape \(3,\).* has \(1,\)"):
        other.load_state_dict(state)
    assert other.param_groups[0]["lr"] == 0.2
    assert not other.state
