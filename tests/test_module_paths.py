"""Every place that PyTorch's users import from is here, with what they import from it."""

from importlib import import_module

import pytest

PLACES = {
    "autograd": "Function Variable backward enable_grad functional grad gradcheck gradgradcheck no_grad",
    "autograd.anomaly_mode": "detect_anomaly set_detect_anomaly",
    "autograd.function": "Function once_differentiable",
    "autograd.functional": "hessian hvp jacobian jvp vhp vjp",
    "autograd.grad_mode": "enable_grad inference_mode no_grad set_grad_enabled",
    "autograd.gradcheck": "gradcheck gradgradcheck",
    "autograd.variable": "Variable",
    "func": "functional_call grad hessian jacfwd jacrev jvp vjp vmap",
    "nn.functional": "cross_entropy relu softmax",
    "nn.init": "kaiming_normal_ xavier_uniform_",
    "nn.modules": "Linear Module",
    "nn.modules.activation": "MultiheadAttention ReLU",
    "nn.modules.batchnorm": "BatchNorm2d _BatchNorm",
    "nn.modules.container": "ModuleList Sequential",
    "nn.modules.conv": "Conv2d _ConvNd",
    "nn.modules.dropout": "Dropout",
    "nn.modules.flatten": "Flatten",
    "nn.modules.instancenorm": "InstanceNorm2d",
    "nn.modules.linear": "Identity Linear",
    "nn.modules.loss": "CrossEntropyLoss _Loss _WeightedLoss",
    "nn.modules.module": "Module",
    "nn.modules.normalization": "GroupNorm LayerNorm",
    "nn.modules.padding": "ZeroPad2d",
    "nn.modules.pixelshuffle": "PixelShuffle",
    "nn.modules.pooling": "MaxPool2d",
    "nn.modules.rnn": "LSTM RNNBase",
    "nn.modules.sparse": "Embedding",
    "nn.modules.transformer": "TransformerEncoder TransformerEncoderLayer",
    "nn.modules.upsampling": "Upsample",
    "nn.modules.utils": "_pair _quadruple _single _triple",
    "nn.parameter": "Parameter",
    "nn.utils": "clip_grad_norm_ clip_grad_value_",
    "nn.utils.clip_grad": "clip_grad_norm_",
    "nn.utils.rnn": "pack_padded_sequence pad_packed_sequence pad_sequence",
    "optim": "SGD Adam AdamW lr_scheduler",
    "optim.adam": "Adam",
    "optim.adamw": "AdamW",
    "optim.lr_scheduler": "_LRScheduler CosineAnnealingLR LambdaLR OneCycleLR ReduceLROnPlateau StepLR",
    "optim.optimizer": "Optimizer",
    "optim.lbfgs": "LBFGS",
    "optim.rmsprop": "RMSprop",
    "optim.sgd": "SGD",
    "utils.checkpoint": "checkpoint checkpoint_sequential",
    "utils.data.distributed": "DistributedSampler",
    "utils.data": "DataLoader Dataset TensorDataset random_split",
    "utils.data.dataloader": "DataLoader default_collate",
    "utils.data.dataset": "ConcatDataset Dataset IterableDataset Subset TensorDataset random_split",
    "utils.data.sampler": "RandomSampler Sampler SubsetRandomSampler WeightedRandomSampler",
}


@pytest.mark.parametrize("place", PLACES)
def test_place(place):
    module = import_module(f"autograd_ops.{place}")
    for name in PLACES[place].split():
        assert getattr(module, name) is not None


def test_a_module_is_the_same_wherever_it_comes_from():
    from autograd_ops.nn.modules.linear import Linear

    from autograd_ops import nn

    assert Linear is nn.Linear is nn.modules.Linear
    assert nn.modules.utils._pair(3) == (3, 3)
    assert nn.modules.utils._pair([1, 2]) == (1, 2)
