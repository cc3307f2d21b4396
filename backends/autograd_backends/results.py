"""What module ops of several results give: named tuples, of arrays here and of Tensors where they are recorded."""

from __future__ import annotations

from typing import NamedTuple

from .array_types import Array

__all__ = [
    "Attention",
    "AttentionBackward",
    "BatchNormTrain",
    "BatchNormTrainBackward",
    "CtcLoss",
    "DeformConv2dBackward",
    "EigenResult",
    "FactorInfo",
    "GridSampleBackward",
    "GroupNormBackward",
    "LUResult",
    "LayerNorm",
    "LayerNormBackward",
    "Lstm",
    "LstmBackward",
    "MaxPool",
    "MaxPoolWithIndices",
    "QRResult",
    "Recurrent",
    "RecurrentBackward",
    "RmsNorm",
    "RmsNormBackward",
    "SVDResult",
    "SlogdetResult",
]


class MaxPool(NamedTuple):
    """What a max pool gives that keeps where its maxima were, and tells nobody.

    Attributes
    ----------
    output
        The maxima.
    cells
        Of each, the number of the cell of its window that it was in: uint8, or int64 where windows are large.
    """

    output: Array
    cells: Array


class MaxPoolWithIndices(NamedTuple):
    """What a max pool gives.

    Attributes
    ----------
    output
        [N, C, ...], the largest element of each window.
    indices
        int64, of the shape of `output`: where it is, counted through the spatial dimensions of the input.
    """

    output: Array
    indices: Array


class BatchNormTrain(NamedTuple):
    """Output [N, C, ...], and the mean and biased variance [C] of each channel."""

    output: Array
    mean: Array
    variance: Array


class CtcLoss(NamedTuple):
    """The loss [N], and the probability [T, N, C] of each class at each time, given the target."""

    loss: Array
    posterior: Array


class BatchNormTrainBackward(NamedTuple):
    """The gradients of x [N, C, ...], gamma [C] and beta [C]; None where not needed."""

    x_grad: Array | None
    gamma_grad: Array | None
    beta_grad: Array | None


class LayerNorm(NamedTuple):
    """Output [..., d], and the mean and 1 / sqrt(variance + epsilon) of each row, both [..., 1]."""

    output: Array
    mean: Array
    rstd: Array


class LayerNormBackward(NamedTuple):
    """The gradients of x [..., d], gamma [d] and beta [d]; None where not needed."""

    x_grad: Array | None
    gamma_grad: Array | None
    beta_grad: Array | None


class GroupNormBackward(NamedTuple):
    """The gradients of x [N, C, ...], gamma [C] and beta [C]; None where not needed."""

    x_grad: Array | None
    gamma_grad: Array | None
    beta_grad: Array | None


class RmsNorm(NamedTuple):
    """Output [..., d], and 1 / sqrt(mean(x^2) + epsilon) of each row, [..., 1]."""

    output: Array
    rstd: Array


class RmsNormBackward(NamedTuple):
    """The gradients of x [..., d] and gamma [d]; None where not needed."""

    x_grad: Array | None
    gamma_grad: Array | None


class Recurrent(NamedTuple):
    """The hidden state after each step, in the order of x, and after the last one of each sequence [N, d_hidden]."""

    output: Array
    h_n: Array


class RecurrentBackward(NamedTuple):
    """The gradients of the inputs of ``rnn`` and ``gru``; None where not needed."""

    x_grad: Array | None
    h_0_grad: Array | None
    weight_ih_grad: Array | None
    weight_hh_grad: Array | None
    bias_ih_grad: Array | None
    bias_hh_grad: Array | None


class Lstm(NamedTuple):
    """The hidden state after each step, in the order of x; h and c after the last of each sequence [N, d_hidden]."""

    output: Array
    h_n: Array
    c_n: Array


class LstmBackward(NamedTuple):
    """The gradients of the inputs of ``lstm``; None where not needed."""

    x_grad: Array | None
    h_0_grad: Array | None
    c_0_grad: Array | None
    weight_ih_grad: Array | None
    weight_hh_grad: Array | None
    bias_ih_grad: Array | None
    bias_hh_grad: Array | None


class GridSampleBackward(NamedTuple):
    """What the backward of `grid_sample` gives: gradients of the shapes of x and grid, or None."""

    x_grad: Array | None
    grid_grad: Array | None


class DeformConv2dBackward(NamedTuple):
    """The gradients of a deformable convolution; None for what was not there, or not asked for."""

    x_grad: Array
    offset_grad: Array
    weight_grad: Array
    mask_grad: Array | None
    bias_grad: Array | None


class Attention(NamedTuple):
    """Output [B, H, Sq, Dv], and the logarithm of each row's sum of exponentials [B, H, Sq], -inf for a row that sees
    no key; in float32 for half precision.

    A backend may give its own `attention_backward` something else in place of the logarithms: NumPy's gives the weights
    [B, H, Sq, Sk] where they are few, and None where it makes them again."""

    output: Array
    log_sum: Array | None


class AttentionBackward(NamedTuple):
    """The gradients of query, key, value and attn_bias, each of the shape of its input; None where not needed."""

    query_grad: Array | None
    key_grad: Array | None
    value_grad: Array | None
    attn_bias_grad: Array | None


class FactorInfo(NamedTuple):
    """A factor or inverse [..., n, n], and int32 [...]: 0, or 1 for a matrix that has none."""

    out: Array
    info: Array


class EigenResult(NamedTuple):
    """Eigenvalues [..., n], and eigenvectors [..., n, n] as columns."""

    eigenvalues: Array
    eigenvectors: Array


class SVDResult(NamedTuple):
    """Singular vectors U as columns, singular values S in falling order, and Vh, whose rows are the others."""

    U: Array
    S: Array
    Vh: Array


class QRResult(NamedTuple):
    """Q with orthonormal columns, and upper triangular R."""

    Q: Array
    R: Array


class LUResult(NamedTuple):
    """Both triangles in one [..., n, m], the unit diagonal of the lower left out; and int32 pivots [..., min(n, m)].

    Pivots are LAPACK's: for each k in turn, row k was exchanged with row ``pivots[k] - 1``.
    """

    LU: Array
    pivots: Array


class SlogdetResult(NamedTuple):
    """The sign of the determinant, of absolute value 1 or 0, and the logarithm of its absolute value."""

    sign: Array
    logabsdet: Array
