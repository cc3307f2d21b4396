"""Sample calls of every op in the table, one file a family of ops."""

from __future__ import annotations

from . import (
    activation,
    attention,
    compare,
    complex,
    conv,
    ctc,
    deform_conv,
    dropout,
    dtype,
    elementwise,
    fft,
    grid_sample,
    group_norm,
    indexing,
    integers,
    interpolate,
    linalg,
    linear,
    loss,
    norm,
    pad,
    pool,
    recurrent,
    reduce,
    scan,
    scatter,
    search,
    shape,
    special,
    strided,
    unfold,
)
from .base import Sample, arrays_in, distinct

__all__ = [
    "SAMPLES",
    "Sample",
    "arrays_in",
    "distinct",
]

FAMILIES = (
    elementwise,
    compare,
    complex,
    dtype,
    shape,
    strided,
    reduce,
    activation,
    dropout,
    indexing,
    linear,
    fft,
    conv,
    deform_conv,
    unfold,
    pad,
    pool,
    norm,
    group_norm,
    loss,
    ctc,
    interpolate,
    grid_sample,
    attention,
    recurrent,
    search,
    linalg,
    special,
    scan,
    scatter,
    integers,
)

#: The samples of each op by its name.
SAMPLES: dict[str, list[Sample]] = {name: samples for family in FAMILIES for name, samples in family.SAMPLES.items()}
for _name, _samples in complex.MORE.items():
    SAMPLES[_name] = [*SAMPLES[_name], *_samples]
