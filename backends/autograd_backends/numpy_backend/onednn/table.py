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


KERNELS = {
    # Of many small products NumPy does each without a second thread, and loses little by it.
    "matmul": Kernel(
        *("products:matmul", "x, y", "x.size * (y.shape or ZERO)[-1] // (4 if y.ndim > 2 else 1)"), of_backend=False
    ),
    "linear": Kernel("products:linear", "x, weight, bias", "x.size * (weight.shape or ZERO)[-1]"),
    "linear_x_backward": Kernel(
        "products:linear_x_backward", "weight, output_grad", "output_grad.size * (weight.shape or ZERO)[0]"
    ),
    "linear_weight_backward": Kernel(
        "products:linear_weight_backward", "x, output_grad", "x.size * (output_grad.shape or ZERO)[-1]"
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
        f"max_pool{rank}d_with_indices": Kernel(
            *("pools:max_pool_with_indices", "x, kernel_size, stride, padding, dilation, ceil_mode", "x.size")
        )
        for rank in (1, 2, 3)
    },
    **_recurrent("lstm", ("h_0", "c_0")),
    **_recurrent("gru", ("h_0",)),
    **_convolutions(1),
    **_convolutions(2),
    **_convolutions(3),
}
