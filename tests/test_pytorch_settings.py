"""What PyTorch lets a script set, and what has no meaning here: scripts that use it run."""

import importlib

import numpy as np
import pytest

import autograd_ops as ag
from autograd_backends import Backend, get_backend
from autograd_backends.numpy_backend.onednn.library import why_not
from autograd_ops import nn, settings
from autograd_ops.amp import GradScaler, autocast
from autograd_ops.testing import assert_close

NO_GPU = pytest.mark.skipif(ag.cuda.is_available(), reason="there is a CUDA device")


def test_flags_can_be_set():
    cudnn = importlib.import_module("autograd_ops.backends.cudnn")
    assert ag.backends.cudnn is cudnn
    for name in ("benchmark", "deterministic", "enabled", "allow_tf32"):
        before = getattr(cudnn, name)
        setattr(cudnn, name, not before)
        assert getattr(ag.backends.cudnn, name) is not before
        setattr(cudnn, name, before)
    with cudnn.flags(benchmark=True), ag.backends.cuda.sdp_kernel():
        pass
    assert not ag.backends.cuda.matmul.allow_tf32
    assert not ag.backends.mps.is_available()
    assert ag.backends.mkldnn.is_available() == (why_not() is None)
    assert not Backend().uses_onednn()
    assert cudnn.version() is None


def test_settings_say_what_they_were_set_to():
    assert ag.get_float32_matmul_precision() == "highest"
    ag.set_float32_matmul_precision("high")
    assert ag.get_float32_matmul_precision() == "high"
    ag.set_float32_matmul_precision("highest")
    with pytest.raises(ValueError, match="precision must be"):
        ag.set_float32_matmul_precision("low")
    ag.use_deterministic_algorithms(True, warn_only=True)
    assert ag.are_deterministic_algorithms_enabled()
    assert ag.is_deterministic_algorithms_warn_only_enabled()
    assert ag.get_deterministic_debug_mode() == 1
    ag.set_deterministic_debug_mode("default")
    assert ag.get_deterministic_debug_mode() == 0
    with pytest.raises(ValueError, match="there is no mode 7"):
        ag.set_deterministic_debug_mode(7)


def test_threads(monkeypatch):
    told = []
    monkeypatch.setitem(settings._set, "threads", None)
    monkeypatch.setattr(get_backend("cpu"), "set_threads", told.append)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    assert ag.get_num_threads() == 3
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert ag.get_num_threads() >= 1
    ag.set_num_threads(2)
    assert (ag.get_num_threads(), told) == (2, [2])
    ag.set_num_interop_threads(5)
    assert (ag.get_num_threads(), told) == (2, [2])
    with pytest.raises(ValueError, match="expected a positive int"):
        ag.set_num_threads(0)


def test_script_gives_things_back_and_compile_takes_pytorchs_options():
    layer = nn.Linear(2, 2)
    assert ag.compile(layer, mode="max-autotune").weight is layer.weight
    assert ag.jit.script(layer) is layer
    assert ag.jit.trace(layer, ag.ones(1, 2)) is layer

    @ag.compile
    def once(x):
        return x + 1

    @ag.compile(fullgraph=True, dynamic=False)
    def twice(x):
        return x + 2

    @ag.jit.ignore
    def ignored(x):
        return x

    assert once(1) + twice(1) + ignored(1) == 6
    assert not ag.jit.is_scripting()


def test_devices_that_are_not_there():
    assert not ag.mps.is_available()
    assert not ag.xpu.is_available()
    assert not ag.distributed.is_available()
    assert ag.distributed.get_world_size() == 1
    with pytest.raises(RuntimeError, match="one process only"):
        ag.distributed.init_process_group(backend="nccl")
    ag.distributed.destroy_process_group()
    assert ag.version.cuda is None
    assert ag.version.__version__ == ag.__version__
    with pytest.raises(ImportError, match="tensorboardX"):
        importlib.import_module("autograd_ops.utils.tensorboard").SummaryWriter()


@NO_GPU
def test_cuda_without_a_device():
    assert ag.cuda.device_count() == ag.cuda.memory_allocated() == ag.cuda.max_memory_allocated() == 0
    assert ag.cuda.memory_reserved() == 0
    for call in (ag.cuda.empty_cache, ag.cuda.ipc_collect, ag.cuda.reset_peak_memory_stats):
        assert call() is None
    assert not ag.cuda.is_bf16_supported()
    assert not ag.cuda.is_initialized()
    assert not ag.accelerator.is_available()
    assert ag.accelerator.current_accelerator() is None
    ag.cuda.set_device(-1)
    needing = [ag.cuda.current_device, ag.cuda.get_device_name, ag.cuda.get_device_properties, ag.cuda.mem_get_info]
    needing += [ag.cuda.synchronize, ag.cuda.get_device_capability, ag.cuda.Event, ag.cuda.Stream, ag.cuda.init]
    needing += [lambda: ag.cuda.set_device(0), ag.accelerator.current_device_index, ag.accelerator.synchronize]
    for call in needing:
        with pytest.raises(ag.DeviceError):
            call()


def test_cuda_seeds():
    ag.cuda.manual_seed_all(7)
    assert ag.cuda.initial_seed() == ag.initial_seed() == 7
    first = ag.rand(3).tolist()
    ag.manual_seed(7)
    assert ag.rand(3).tolist() == first


# ---------------------------------------------------------------- mixed precision


def test_autocast_casts_nothing():
    @autocast("cuda")
    def double(x):
        return 2 * x

    with ag.autocast("cpu", dtype=ag.bfloat16), ag.cuda.amp.autocast():
        assert double(ag.ones(2)).dtype == ag.float32
    assert not ag.is_autocast_enabled()
    with pytest.raises(ValueError, match="device_type is a string"):
        autocast(True)


def made(**options):
    w = ag.tensor([1.0, -2.0], requires_grad=True)
    return w, ag.optim.SGD([w], lr=0.5), GradScaler("cpu", init_scale=8.0, growth_interval=2, **options)


def test_scaled_steps():
    w, optimizer, scaler = made()
    scaler.scale((w * w).sum()).backward()
    assert w.grad.tolist() == [16.0, -32.0]
    scaler.unscale_(optimizer)
    assert w.grad.tolist() == [2.0, -4.0]
    with pytest.raises(RuntimeError, match=r"unscale_\(\) was called on this optimizer since"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    assert w.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match=r"step\(\) was called on this optimizer since"):
        scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 8.0
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 16.0
    with pytest.raises(RuntimeError, match=r"there was no step\(\)"):
        scaler.update()


def test_steps_that_are_left_out():
    w, optimizer, scaler = made()
    w.grad = ag.tensor([float("inf"), 1.0])
    assert scaler.step(optimizer) is None
    scaler.update()
    assert w.tolist() == [1.0, -2.0]
    assert scaler.get_scale() == 4.0
    state = scaler.state_dict()
    other = GradScaler("cpu")
    other.load_state_dict(state)
    assert other.get_scale() == 4.0
    assert other.state_dict() == state
    with pytest.raises(RuntimeError, match="closures are not supported"):
        scaler.step(optimizer, closure=print)
    assert scaler.scale([w, (w,)])[1][0].tolist() == [4.0, -8.0]


def test_a_disabled_scaler():
    w, optimizer, scaler = made(enabled=False)
    loss = (w * w).sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0.0, 0.0]
    assert scaler.state_dict() == {}
    assert scaler.get_scale() == 1.0


@NO_GPU
def test_a_scaler_for_cuda_without_a_device_is_disabled():
    with pytest.warns(UserWarning, match="there is no CUDA device, so it is disabled"):
        assert not ag.cuda.amp.GradScaler().is_enabled()
    assert not ag.cuda.amp.GradScaler(enabled=False).is_enabled()


# ---------------------------------------------------------------- comparisons


def test_what_is_close():
    assert_close(ag.ones(2), ag.ones(2) + 1e-6)
    assert_close(ag.ones(2, dtype=ag.float64), ag.ones(2, dtype=ag.float64) + 1e-8)
    assert_close([1.0, {"a": ag.zeros(1)}], [1.0, {"a": ag.zeros(1)}])
    assert_close(ag.tensor([float("nan"), float("inf")]), ag.tensor([float("nan"), float("inf")]), equal_nan=True)
    assert_close(ag.tensor([1, 2]), ag.tensor([1, 3]), rtol=0, atol=1)
    assert_close(ag.ones(1), ag.ones(1, dtype=ag.float64), check_dtype=False)
    assert_close(ag.ones(1), ag.ones(1, device="strict"), check_device=False)
    assert_close(np.ones(2), np.ones(2))
    assert_close(ag.ones(2, requires_grad=True), ag.ones(2))


@pytest.mark.parametrize(
    ("actual", "expected", "options", "says"),
    [
        (ag.tensor([1.0, 2.0]), ag.tensor([1.0, 2.5]), {}, "Greatest absolute difference: 0.5 at index (1,)"),
        (ag.tensor([1.0, 2.0]), ag.tensor([1.0, 2.5]), {}, "Mismatched elements: 1 / 2 (50.0%)"),
        (ag.tensor(1.0), ag.tensor(float("nan")), {}, "Greatest absolute difference: nan (up to 1e-05 allowed)"),
        (ag.tensor([1, 2]), ag.tensor([1, 5]), {}, "Tensor-likes are not equal!"),
        (ag.ones(2), ag.ones(3), {}, "The values for attribute 'shape' do not match: (2,) != (3,)."),
        (ag.ones(1), ag.ones(1, dtype=ag.float64), {}, "attribute 'dtype' do not match"),
        (ag.ones(1), ag.ones(1, device="strict"), {}, "attribute 'device' do not match"),
        (1.0, 2.0, {}, "Expected 2.0 but got 1.0."),
        ([1.0], [1.0, 2.0], {}, "The length of the sequences mismatch: 1 != 2"),
        ({"a": 1}, {"b": 1}, {}, "Missing keys in the actual mapping"),
        ([[1.0, 2.0]], [[1.0, 3.0]], {}, "The failure occurred for item [0][1]"),
        (True, False, {}, "True is not equal to False"),
        (1.0, 2.0, {"msg": "own"}, "own"),
        (1.0, 2.0, {"msg": lambda said: "before " + said}, "before Scalars are not close!"),
    ],
)
def test_what_is_not(actual, expected, options, says):
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected, **options)
    assert says in str(caught.value)


def test_what_cannot_be_compared():
    with pytest.raises(ValueError, match="rtol is given without atol"):
        assert_close(1.0, 1.0, rtol=0.1)
    with pytest.raises(TypeError, match="a Tensor cannot be compared with a list"):
        assert_close(ag.ones(1), [1.0])


def test_tensors_at_random():
    made = ag.testing.make_tensor(3, 4, dtype=ag.float32, device="cpu", low=1, high=2, requires_grad=True)
    assert made.shape == (3, 4)
    assert made.requires_grad
    assert bool(((made >= 1) & (made <= 2)).all())
    assert ag.testing.make_tensor((50,), dtype=ag.int64, exclude_zero=True).all()
    assert ag.testing.make_tensor((50,), dtype=ag.uint8).dtype == ag.uint8
    assert not ag.testing.make_tensor((2, 3), dtype=ag.complex64, noncontiguous=True).is_contiguous()
    assert ag.testing.make_tensor((2,), dtype=ag.bool).dtype == ag.bool


def test_creation_functions_accept_what_has_no_meaning_here() -> None:
    x = ag.ones(2, 3)
    nothing = {"layout": ag.strided, "pin_memory": True}
    for made in (ag.zeros(2, 3, **nothing), ag.empty(2, 3, **nothing), ag.full((2, 3), 1.0, **nothing)):
        assert made.shape == (2, 3)
    assert ag.equal(ag.ones(2, 3, **nothing), x)
    assert ag.arange(3, **nothing).tolist() == [0, 1, 2]
    assert ag.linspace(0, 1, 2, **nothing).tolist() == [0, 1]
    assert ag.equal(ag.eye(2, **nothing), ag.eye(2))
    for like in (ag.zeros_like, ag.ones_like, ag.empty_like, ag.rand_like):
        assert like(x, layout=ag.strided, memory_format=ag.preserve_format).shape == (2, 3)
    assert ag.full_like(x, 2, memory_format=ag.contiguous_format).sum() == 12
