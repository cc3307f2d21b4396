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
    of_backend
        Whether it is a module op of the backend; else it is a function of the namespace.
    """

    place: str
    parameters: str
    work: str
    passed: str = ""
    of_backend: bool = True


KERNELS = {
    "matmul": Kernel("products:matmul", "x, y", "x.size * y.shape[-1]", of_backend=False),
    "linear": Kernel("products:linear", "x, weight, bias", "x.size * weight.shape[-1]"),
    "linear_x_backward": Kernel("products:linear_x_backward", "weight, output_grad", "output_grad.size * len(weight)"),
    "linear_weight_backward": Kernel("products:linear_weight_backward", "x, output_grad", "x.size * output_grad.shape[-1]"),
    "linear_bias_backward": Kernel("products:linear_bias_backward", "output_grad", "output_grad.size"),
}
