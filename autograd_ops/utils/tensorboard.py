"""TensorBoard, which this library does not write for."""

from typing import NoReturn

__all__: list[str] = []


def __getattr__(name: str) -> NoReturn:
    if name in ("SummaryWriter", "FileWriter", "RecordWriter"):
        raise ImportError(
            f"autograd_ops.utils.tensorboard has no {name}: the package tensorboardX has one of the same methods, "
            "which takes numbers and NumPy arrays, such as loss.item() and x.detach().numpy()"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
