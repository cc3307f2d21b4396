"""Schedules: how the learning rates of an optimizer change from epoch to epoch."""

from .composed import ChainedScheduler, SequentialLR
from .cosine import CosineAnnealingLR
from .cyclic import CyclicLR
from .decay import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .one_cycle import OneCycleLR
from .plateau import ReduceLROnPlateau
from .scheduler import LRScheduler
from .scheduler import LRScheduler as _LRScheduler  # as it was called, and is still subclassed
from .warm_restarts import CosineAnnealingWarmRestarts

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
