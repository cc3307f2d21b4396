"""Functions of functions: derivatives, maps over a dimension, and modules as functions of their parameters.

Each takes a function of Tensors and gives another. Arguments and results may be trees of dicts, lists and tuples. They
nest, and see through closures: what they give is on the tape where a Tensor that requires grad came into it.
"""

from .gradients import grad, grad_and_value, value_and_grad
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, stack_module_state
from .products import jvp, vjp
from .vectorize import vmap

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "stack_module_state",
    "value_and_grad",
    "vjp",
    "vmap",
]
