"""Samples into batches."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from copy import copy
from typing import Any

from autograd_backends import is_array

from ...creation import tensor
from ...dtypes import float64
from ...functions import stack
from ...tensor import Tensor

__all__ = ["default_collate", "default_convert"]


def default_collate(batch: Sequence[Any]) -> Any:
    """One batch of samples, stacked along a new first dimension.

    Parameters
    ----------
    batch
        The samples, all of one structure: Tensors, arrays, numbers or strings, and tuples, lists and dicts of them.

    Returns
    -------
    object
        The same structure with a batch in each place: a Tensor for Tensors, arrays and numbers, a list for strings.
        A tuple becomes a list, as in PyTorch; a named tuple and a mapping stay what they are. Python floats give
        float64.

    Raises
    ------
    TypeError
        If a sample holds something else; then give the loader a ``collate_fn``.
    ValueError
        If the samples differ in shape, length or keys.

    Examples
    --------
    >>> from autograd_ops.utils.data import default_collate
    >>> default_collate([{"x": (1, 2), "name": "a"}, {"x": (3, 4), "name": "b"}])
    {'x': [tensor([1, 3]), tensor([2, 4])], 'name': ['a', 'b']}
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _stacked(list(batch))
    if is_array(first):
        return _stacked([tensor(x) for x in batch])
    if isinstance(first, (bool, int, float, complex)):
        return tensor(list(batch), dtype=float64 if isinstance(first, float) else None)
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        for sample in batch:
            if sample.keys() != first.keys():
                raise ValueError(f"default_collate: samples differ in keys: {list(first)} and {list(sample)}")
        columns_by_key = {key: default_collate([sample[key] for sample in batch]) for key in first}
        if type(first) is dict or not isinstance(first, MutableMapping):
            return columns_by_key
        kept = copy(first)  # of its own type, with what else it has: a defaultdict its factory
        kept.update(columns_by_key)
        return kept
    if isinstance(first, Sequence):
        lengths = {len(sample) for sample in batch}
        if len(lengths) > 1:
            raise ValueError(f"default_collate: samples differ in length: {sorted(lengths)}")
        columns = [default_collate(column) for column in zip(*batch, strict=True)]
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    raise TypeError(
        "default_collate: a sample must be made of tensors, arrays, numbers, strings, tuples, lists and dicts, "
        f"and this one holds a {type(first).__name__}; give the DataLoader a collate_fn"
    )


def default_convert(data: Any) -> Any:
    """A sample with its arrays made Tensors, and all else as it is: what a loader without batches does.

    Examples
    --------
    >>> import numpy as np
    >>> from autograd_ops.utils.data import default_convert
    >>> default_convert((np.array([1, 2]), "a"))
    (tensor([1, 2]), 'a')
    """
    if is_array(data):
        return tensor(data)
    if isinstance(data, dict):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if type(data) in (list, tuple):
        return type(data)(map(default_convert, data))
    return data


def _stacked(samples: list[Tensor]) -> Tensor:
    shapes = {tuple(sample.shape) for sample in samples}
    if len(shapes) > 1:
        raise ValueError(
            f"default_collate: samples differ in shape: {' and '.join(map(str, sorted(shapes)))}; "
            "bring them to one shape, or give the DataLoader a collate_fn that pads"
        )
    return stack(samples)
