"""Sample calls of every op in the table, one file a family of ops."""

from __future__ import annotations

from . import (
    activation,
    compare,
    conv,
    dtype,
    elementwise,
    indexing,
    linear,
    loss,
    norm,
    pad,
    pool,
    recurrent,
    reduce,
    shape,
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
    pad,
    pool,
    norm,
    recurrent,
    loss,
)

#: The samples of each op by its name.
SAMPLES: dict[str, list[Sample]] = {name: samples for family in FAMILIES for name, samples in family.SAMPLES.items()}
