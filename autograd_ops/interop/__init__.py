"""Tensors among what else there is: NumPy, other array libraries, Python's own protocols.

``numpy_calls``: NumPy's functions called with Tensors. ``sharing``: Tensors of other people's memory. ``dlpack``: the
protocol by which array libraries share theirs. ``typed``: PyTorch's older constructors, ``FloatTensor`` and its like.
``python``: what Python's own functions ask for. ``pickling``: copies and pickles in which shared memory stays shared.

Nothing here is imported before it is used.
"""

__all__: list[str] = []
