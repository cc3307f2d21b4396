"""What norms refuse."""

from __future__ import annotations

from math import prod

from ..array_types import Shape
from ..errors import ShapeError
from .common import check_argument, check_output_grad

__all__ = [
    "check_batch_norm",
    "check_batch_norm_train_backward",
    "check_channel_statistics",
    "check_group_norm",
    "check_group_norm_backward",
    "check_layer_norm",
    "check_layer_norm_backward",
]


def check_batch_norm(
    op_name: str, x_shape: Shape, gamma_shape: Shape | None, beta_shape: Shape | None, training: bool
) -> None:
    """Refuse shapes that batch norm cannot take; an empty batch is taken.

    Raises
    ------
    ShapeError
        If `x_shape` is not [N, C, ...], gamma or beta is not [C], or a channel has one value in training.
    """
    if len(x_shape) < 2:
        raise ShapeError(f"{op_name}: x has shape {x_shape}; it must be [N, C, ...]")
    for name, shape in (("gamma", gamma_shape), ("beta", beta_shape)):
        if shape is not None and shape != x_shape[1:2]:
            raise ShapeError(
                f"{op_name}: {name} has shape {shape} but x {x_shape} has {x_shape[1]} channels (dimension 1)"
            )
    if training and x_shape[0] * prod(x_shape[2:]) == 1:
        raise ShapeError(f"{op_name}: x {x_shape} has one value a channel; in training a variance needs two")


def check_layer_norm(op_name: str, x_shape: Shape, gamma_shape: Shape | None, beta_shape: Shape | None) -> None:
    """Refuse shapes that layer norm cannot take: gamma and beta are as long as the last dimension of x."""
    if not x_shape:
        raise ShapeError(f"{op_name}: x has shape (); it needs at least one dimension")
    for name, shape in (("gamma", gamma_shape), ("beta", beta_shape)):
        if shape is not None and shape != x_shape[-1:]:
            raise ShapeError(
                f"{op_name}: {name} has shape {shape} but the last dimension of x {x_shape} is {x_shape[-1]}"
            )


def check_group_norm(
    op_name: str, x_shape: Shape, num_groups: int | None, gamma_shape: Shape | None, beta_shape: Shape | None
) -> None:
    """Refuse shapes that group norm cannot take, or with None as `num_groups` instance norm.

    Raises
    ------
    ShapeError
        As `check_batch_norm`, and if the channels do not divide into `num_groups`.
    """
    check_batch_norm(op_name, x_shape, gamma_shape, beta_shape, False)
    if num_groups is not None and (num_groups < 1 or x_shape[1] % num_groups):
        raise ShapeError(
            f"{op_name}: x {x_shape} has {x_shape[1]} channels (dimension 1), which num_groups={num_groups} "
            "does not divide"
        )


def check_channel_statistics(op_name: str, x_shape: Shape, **statistics: Shape | None) -> None:
    """Refuse `statistics`, by name, that are not one number for each channel of x [N, C, ...]."""
    for name, shape in statistics.items():
        if shape is not None and shape != x_shape[1:2]:
            raise ShapeError(
                f"{op_name}: {name} has shape {shape} but x {x_shape} has {x_shape[1]} channels (dimension 1)"
            )


def check_batch_norm_train_backward(
    op_name: str,
    x_shape: Shape,
    gamma_shape: Shape | None,
    mean_shape: Shape,
    variance_shape: Shape,
    output_grad_shape: Shape,
) -> None:
    """Refuse shapes that are not those of x [N, C, ...], gamma, mean and variance [C], and a gradient like x."""
    check_batch_norm(op_name, x_shape, gamma_shape, None, False)
    check_channel_statistics(op_name, x_shape, mean=mean_shape, variance=variance_shape)
    check_output_grad(op_name, output_grad_shape, x_shape)


def check_layer_norm_backward(
    op_name: str, x_shape: Shape, gamma_shape: Shape | None, output_grad_shape: Shape, **statistics: Shape
) -> None:
    """Refuse shapes that are not those of x [..., d], gamma [d], a gradient like x and `statistics` [..., 1]."""
    check_layer_norm(op_name, x_shape, gamma_shape, None)
    for name, shape in statistics.items():
        check_argument(op_name, name, shape, (*x_shape[:-1], 1), f"x {x_shape}")
    check_output_grad(op_name, output_grad_shape, x_shape)


def check_group_norm_backward(
    op_name: str,
    x_shape: Shape,
    num_groups: int,
    gamma_shape: Shape | None,
    mean_shape: Shape,
    rstd_shape: Shape,
    output_grad_shape: Shape,
) -> None:
    """Refuse shapes that are not those of x [N, C, ...], gamma [C], [N, num_groups, 1], and a gradient like x."""
    check_group_norm(op_name, x_shape, num_groups, gamma_shape, None)
    for name, shape in (("mean", mean_shape), ("rstd", rstd_shape)):
        of = f"x {x_shape} with num_groups={num_groups}"
        check_argument(op_name, name, shape, (x_shape[0], num_groups, 1), of)
    check_output_grad(op_name, output_grad_shape, x_shape)
