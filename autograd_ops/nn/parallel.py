"""What spreads a model over devices in PyTorch. Here it computes where it is, so that scripts run as they are."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor
from .module import Module
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, _BatchNorm

__all__ = ["DataParallel", "DistributedDataParallel", "SyncBatchNorm"]


class DataParallel(Module):
    """Calls `module`, on the device that it is on: nothing is spread.

    Parameters
    ----------
    module
        The model; it becomes the attribute ``module``, and keys of the state begin with ``"module."``.
    *args, **kwargs
        Accepted for PyTorch's sake; they do nothing.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> model = ag.nn.DataParallel(ag.nn.Linear(2, 3))
    >>> model(ag.ones(4, 2)).shape, list(model.state_dict())
    (Size([4, 3]), ['module.weight', 'module.bias'])
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(DataParallel):
    """Calls `module`: there is one process. See `DataParallel`."""


class SyncBatchNorm(_BatchNorm):
    """A batch norm of [N, C, ...] in any number of dimensions; there is one process, so nothing is synchronized.

    Its arguments are those of `BatchNorm1d`.
    """

    ranks = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        self.process_group = process_group

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """`module` with a SyncBatchNorm, of the same parameters and buffers, for each batch norm in it."""
        if isinstance(module, (BatchNorm1d, BatchNorm2d, BatchNorm3d)):
            converted = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
            )
            held: list[tuple[str, Tensor | None]] = [*module._parameters.items(), *module._buffers.items()]
            for name, tensor in held:
                setattr(converted, name, tensor)
            return converted.train(module.training)
        for name, child in module.named_children():
            setattr(module, name, cls.convert_sync_batchnorm(child, process_group))
        return module
