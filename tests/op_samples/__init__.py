"""Sample calls of every op in the table, one file a family of ops."""

from __future__ import annotations

from . import (
    activation,
    attention,
    compare,
    conv,
    deform_conv,
    dtype,
    elementwise,
    grid_sample,
    indexing,
    interpolate,
    linear,
    loss,
    norm,
    pad,
    pool,
    reduce,
    shape,
    unfold,
)
from .base import Sample, arrays_in, distinct

__all__ = ["SAMPLES", "Sample", "arrays_in", "distinct"]

FAMILIES = (
    elementwise,
    compare,
    dtype,
    shape,
    reduce,
    activation,
    indexing,
    linear,
    conv,
    deform_conv,
    unfold,
    pad,
    pool,
    norm,
    loss,
    *(elementwise, compare, dtype, shape, reduce, activation, indexing, linear, conv, pad, pool, norm, loss),
    *(interpolate, grid_sample),
    attention,
)

#: The samples of each op by its name.
SAMPLES: dict[str, list[Sample]] = {name: samples for family in FAMILIES for name, samples in family.SAMPLES.items()}
