"""The kernels that oneDNN has: where each is, and what counts as its work."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KERNELS", "Kernel"]


class Kernel(NamedTuple):
    """A kernel that oneDNN may do.

    Attributes
    ----------
    place
        Where it is in this package: ``"products:linear"``. It gives None where it declines.
    parameters
        What the kernel is called with.
    work
        How much there is to do: an expression of the parameters, compared with the least in `thresholds`.
    passed
        What is given to it, if not the parameters.
    array
        The parameter that must be of float32, if not the first.
    of_backend
        Whether it is a module op of the backend; else it is a function of the namespace.
    defaults
        Of the last parameters.
    """

    place: str
    parameters: str
    work: str
    passed: str = ""
    array: str = ""
    of_backend: bool = True
    defaults: tuple[object, ...] = ()


def _convolutions(rank: int) -> dict[str, Kernel]:
    """The kernels of convolutions with `rank` spatial dimensions."""
    found = {}
    for name, x_backward in (("conv", "x_shape, weight, output_grad"), ("conv_transpose", "weight, output_grad")):
        for direction, parameters, array in (
            ("", "x, weight, bias, options", "x"),
            ("_x_backward", f"{x_backward}, options", "output_grad"),
            ("_weight_backward", "x, weight_shape, output_grad, options", "x"),
        ):
            found[f"{name}{rank}d{direction}"] = Kernel(
                f"convolutions:{name}{direction}", parameters, f"{array}.size", f"{rank}, {parameters}", array
            )
    return found


def _averages(rank: int) -> dict[str, Kernel]:
    """The average pools over `rank` spatial dimensions."""
    sizes = "kernel_size, stride, padding, count_include_pad, ceil_mode, divisor_override"
    given, work = "x_shape, output_grad", "output_grad.size"
    return {
        f"avg_pool{rank}d": Kernel("averages:avg_pool", f"x, {sizes}", "x.size", defaults=(None,)),
        f"avg_pool{rank}d_backward": Kernel(
            "averages:avg_pool_backward", f"{given}, {sizes}", work, array="output_grad", defaults=(None,)
        ),
        f"adaptive_avg_pool{rank}d": Kernel("averages:adaptive_avg_pool", "x, output_size", "x.size"),
        f"adaptive_avg_pool{rank}d_backward": Kernel(
            "averages:adaptive_avg_pool_backward", given, work, array="output_grad"
        ),
    }


def _recurrent(name: str, states: tuple[str, ...]) -> dict[str, Kernel]:
    """A recurrent network: its work is counted in multiplications by weights of the state, of one sequence."""
    inputs = f"x, {', '.join(states)}, weight_ih, weight_hh, bias_ih, bias_hh"
    grads = ", ".join(f"{state[0]}_n_grad" for state in states)
    work = "(x.shape or ZERO)[0] * weight_hh.size"
    return {
        name: Kernel(f"recurrent:{name}", f"{inputs}, options", work),
        f"{name}_backward": Kernel(
            *(f"recurrent:{name}_backward", f"{inputs}, output, kept, output_grad, {grads}, options, needs", work),
            defaults=((True,) * (len(states) + 5),),
        ),
    }


#: Of many small products NumPy does each without a second thread, and loses little by it.
_MATMUL = "x.size * (y.shape or ZERO)[-1] // (4 if y.ndim > 2 else 1)"

KERNELS = {
    "matmul": Kernel("products:matmul", "x, y", _MATMUL, of_backend=False),
    "matmul_into": Kernel("products:matmul_into", "x, y, target", _MATMUL, of_backend=False),
    "linear": Kernel("products:linear", "x, weight, bias", "x.size * (weight.shape or ZERO)[-1]"),
    "linear_x_backward": Kernel(
        "products:linear_x_backward", "weight, output_grad", "output_grad.size * (weight.shape or ZERO)[0]"
    ),
    "linear_weight_backward": Kernel(
        "products:linear_weight_backward", "x, output_grad", "x.size * (output_grad.shape or ZERO)[-1]"
    ),
    "descend": Kernel("updates:descend", "array, grad, rate", "array.size", of_backend=False),
    "adam_step": Kernel("updates:adam_step", "array, grad, mean, square, largest, step", "array.size"),
    "relu": Kernel("pointwise:relu", "x", "x.size"),
    "relu_backward": Kernel("pointwise:relu_backward", "output, output_grad", "output.size"),
    "sigmoid": Kernel("pointwise:sigmoid", "x", "x.size"),
    "sigmoid_backward": Kernel("pointwise:sigmoid_backward", "output, output_grad", "output.size"),
    "silu": Kernel("pointwise:silu", "x", "x.size"),
    "silu_backward": Kernel("pointwise:silu_backward", "x, output_grad", "x.size"),
    "attention": Kernel(
        *("attention:attention", "query, key, value, mask, attn_bias, options, blocks", "query.size"),
        passed="query, key, value, mask, attn_bias, options",
        defaults=(None,),
    ),
    "attention_backward": Kernel(
        "attention:attention_backward",
        "query, key, value, mask, attn_bias, output, log_sum, output_grad, options, needs, blocks",
        "query.size",
        passed="query, key, value, mask, attn_bias, output, log_sum, output_grad, options, needs",
        defaults=((True,) * 4, None),
    ),
    "gelu": Kernel("pointwise:gelu", "x, approximate", "x.size"),
    "gelu_backward": Kernel("pointwise:gelu_backward", "x, output_grad, approximate", "x.size"),
    "softmax": Kernel("softmaxes:softmax", "x, axis", "x.size"),
    "log_softmax": Kernel("softmaxes:log_softmax", "x, axis", "x.size"),
    "softmax_backward": Kernel("softmaxes:softmax_backward", "output, output_grad, axis", "output.size"),
    "log_softmax_backward": Kernel("softmaxes:log_softmax_backward", "output, output_grad, axis", "output.size"),
    "layer_norm": Kernel("norms:layer_norm", "x, gamma, beta, epsilon", "x.size"),
    "layer_norm_backward": Kernel(
        "norms:layer_norm_backward", "x, gamma, mean, rstd, output_grad, needs", "x.size", defaults=((True,) * 3,)
    ),
    "batch_norm_train": Kernel("norms:batch_norm_train", "x, gamma, beta, epsilon", "x.size"),
    "batch_norm_train_backward": Kernel(
        *("norms:batch_norm_train_backward", "x, gamma, mean, variance, epsilon, output_grad, needs", "x.size"),
        defaults=((True,) * 3,),
    ),
    **{
        f"max_pool{rank}d{kind}": Kernel(
            *(f"pools:max_pool{kind}", "x, kernel_size, stride, padding, dilation, ceil_mode", "x.size")
        )
        for rank in (1, 2, 3)
        for kind in ("", "_with_indices")
    },
    "group_norm": Kernel("group_norms:group_norm", "x, num_groups, gamma, beta, epsilon", "x.size"),
    "group_norm_backward": Kernel(
        *("group_norms:group_norm_backward", "x, num_groups, gamma, mean, rstd, output_grad, needs", "x.size"),
        defaults=((True,) * 3,),
    ),
    **_averages(1),
    **_averages(2),
    **_averages(3),
    "interpolate": Kernel("resampling:interpolate", "x, output_size, options", "x.size"),
    "interpolate_backward": Kernel(
        "resampling:interpolate_backward", "x_shape, grad, output_size, options", "grad.size", array="grad"
    ),
    "scatter_cells": Kernel(
        "pools:scatter_cells",
        "x_shape, values, cells, kernel_size, stride, padding, dilation, ceil_mode",
        *("values.size", "", "values"),
    ),
    **_recurrent("lstm", ("h_0", "c_0")),
    **_recurrent("gru", ("h_0",)),
    **_convolutions(1),
    **_convolutions(2),
    **_convolutions(3),
}
