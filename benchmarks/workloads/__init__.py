"""The workloads, one small file a network."""

from ..workload import Workload
from . import chain, ctc, digits_cnn, gpt, lstm, mlp, mnist_cnn, resnet, tiny_mlp, unet, wide_mlp

__all__ = ["WORKLOADS"]

#: By name, from small to large.
WORKLOADS: dict[str, Workload] = {
    workload.name: workload
    for workload in (
        tiny_mlp.sgd,
        tiny_mlp.adam,
        mlp.workload,
        wide_mlp.workload,
        digits_cnn.workload,
        mnist_cnn.workload,
        resnet.workload,
        gpt.workload,
        lstm.workload,
        ctc.workload,
        unet.workload,
        chain.workload,
    )
}
