"""oneDNN's enumerations, as far as they are used: dnnl_types.h of version 3."""

from __future__ import annotations

import numpy as np

# ---------------------------------------------------------------- status

SUCCESS, OUT_OF_MEMORY, INVALID_ARGUMENTS, UNIMPLEMENTED = 0, 1, 2, 3

# ---------------------------------------------------------------- data types

#: NumPy's dtypes that oneDNN computes with here.
TYPES = {np.dtype(np.float32): 3, np.dtype(np.int32): 4, np.dtype(np.int8): 5, np.dtype(np.uint8): 6}

# ---------------------------------------------------------------- what a primitive does

FORWARD_TRAINING, FORWARD_INFERENCE, BACKWARD, BACKWARD_DATA, BACKWARD_WEIGHTS = 64, 96, 128, 160, 192

CONVOLUTION_DIRECT, CONVOLUTION_AUTO, DECONVOLUTION_DIRECT = 0x1, 0x3, 0xA

ELTWISE_RELU, ELTWISE_TANH, ELTWISE_ELU, ELTWISE_SQUARE, ELTWISE_ABS, ELTWISE_SQRT, ELTWISE_LINEAR = range(32, 39)
ELTWISE_SOFT_RELU, ELTWISE_HARDSIGMOID, ELTWISE_LOGISTIC, ELTWISE_EXP, ELTWISE_GELU_TANH = range(39, 44)
ELTWISE_SWISH, ELTWISE_LOG, ELTWISE_CLIP, ELTWISE_CLIP_V2, ELTWISE_POW, ELTWISE_GELU_ERF = range(44, 50)
ELTWISE_ROUND, ELTWISE_MISH, ELTWISE_HARDSWISH = range(50, 53)

# These backward algorithms read the output of the forward one, not its input.
ELTWISE_RELU_BY_OUTPUT, ELTWISE_TANH_BY_OUTPUT, ELTWISE_ELU_BY_OUTPUT, ELTWISE_SQRT_BY_OUTPUT = range(256, 260)
ELTWISE_LOGISTIC_BY_OUTPUT, ELTWISE_EXP_BY_OUTPUT, ELTWISE_CLIP_V2_BY_OUTPUT = range(260, 263)

POOLING_MAX, POOLING_AVG_INCLUDE_PADDING, POOLING_AVG_EXCLUDE_PADDING = 0x1FF, 0x2FF, 0x3FF

VANILLA_RNN, VANILLA_LSTM, VANILLA_GRU, LBR_GRU = 0x1FFF, 0x2FFF, 0x3FFF, 0x4FFF
LEFT_TO_RIGHT, RIGHT_TO_LEFT, BIDIRECTIONAL_CONCAT, BIDIRECTIONAL_SUM = 1, 2, 3, 4

BINARY_ADD, BINARY_MUL, BINARY_MAX, BINARY_MIN, BINARY_DIV, BINARY_SUB = range(0x1FFF0, 0x1FFF6)
BINARY_GE, BINARY_GT, BINARY_LE, BINARY_LT, BINARY_EQ, BINARY_NE = range(0x1FFF6, 0x1FFFC)

RESAMPLING_NEAREST, RESAMPLING_LINEAR = 0x2FFF0, 0x2FFF1
REDUCTION_MAX, REDUCTION_MIN, REDUCTION_SUM, REDUCTION_MUL, REDUCTION_MEAN = range(0x2FFF2, 0x2FFF2 + 5)
SOFTMAX_ACCURATE, SOFTMAX_LOG = 0x30000, 0x30001

# ---------------------------------------------------------------- normalization

USE_GLOBAL_STATS, USE_SCALE, USE_SHIFT = 0x1, 0x2, 0x4

# ---------------------------------------------------------------- arguments of a primitive, by place

SRC, SRC_1, SRC_2, SRC_3 = 1, 2, 3, 4
DST, DST_1, DST_2 = 17, 18, 19
WEIGHTS, WEIGHTS_1, WEIGHTS_2, WEIGHTS_3 = 33, 34, 35, 36
BIAS, MEAN, VARIANCE, SCALE, SHIFT = 41, 49, 50, 51, 52
WORKSPACE, SCRATCHPAD = 64, 80
DIFF_SRC, DIFF_SRC_1, DIFF_SRC_2 = 129, 130, 131
DIFF_DST, DIFF_DST_1, DIFF_DST_2 = 145, 146, 147
DIFF_WEIGHTS, DIFF_WEIGHTS_1, DIFF_WEIGHTS_2 = 161, 162, 163
DIFF_BIAS, DIFF_SCALE, DIFF_SHIFT = 169, 255, 256


def post_op_argument(place: int) -> int:
    """Where the second operand of the binary post-op number `place` is given, beside SRC_1."""
    return 32768 * (place + 1) | SRC_1


# ---------------------------------------------------------------- what a primitive's description is asked

QUERY_IMPLEMENTATION = 8
QUERY_SRC, QUERY_DIFF_SRC, QUERY_WEIGHTS, QUERY_DIFF_WEIGHTS, QUERY_DST, QUERY_DIFF_DST = range(129, 135)
QUERY_WORKSPACE, QUERY_SCRATCHPAD, QUERY_ARGUMENT = 135, 136, 255

TAG_ANY = 1
SCRATCHPAD_USER = 1
