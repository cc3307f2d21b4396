"""Shapes of attention."""

from __future__ import annotations

from functools import lru_cache

from ..array_types import Shape
from ..errors import ShapeError

__all__ = ["attention_output_shape"]


@lru_cache(maxsize=4096)
def attention_output_shape(
    op_name: str,
    query_shape: Shape,
    key_shape: Shape,
    value_shape: Shape,
    mask_shape: Shape | None,
    bias_shape: Shape | None,
) -> Shape:
    """query [B, H, Sq, D], key [B, Hk, Sk, D], value [B, Hk, Sk, Dv] -> [B, H, Sq, Dv]

    Raises
    ------
    ShapeError
        Naming the argument, the shapes and the rule.
    """
    layouts = {"query": "[B, H, Sq, D]", "key": "[B, Hk, Sk, D]", "value": "[B, Hk, Sk, Dv]"}
    shapes = {"query": query_shape, "key": key_shape, "value": value_shape}
    for name, shape in shapes.items():
        if len(shape) != 4:
            raise ShapeError(f"{op_name}: {name} has {len(shape)} dimensions {shape}; it needs 4, {layouts[name]}")
    batch, heads, queries = query_shape[:3]
    key_heads, keys = key_shape[1:3]
    for name, other, axis, what in (
        ("key", "query", 0, "batch size"),
        ("key", "query", 3, "width"),
        ("value", "key", 0, "batch size"),
        ("value", "key", 1, "number of heads"),
        ("value", "key", 2, "number of keys"),
    ):
        if shapes[name][axis] != shapes[other][axis]:
            raise ShapeError(
                f"{op_name}: {name} {shapes[name]}, {layouts[name]}, must have the {what} (dimension {axis}) "
                f"of {other} {shapes[other]}, {shapes[other][axis]}"
            )
    if heads != key_heads and (not key_heads or heads % key_heads):
        raise ShapeError(
            f"{op_name}: key {key_shape} has {key_heads} heads (dimension 1), which must divide the {heads} heads "
            f"of query {query_shape}"
        )
    for name, given in (("mask", mask_shape), ("attn_bias", bias_shape)):
        if given is not None and not (
            len(given) == 4 and given[0] in (1, batch) and given[1] in (1, heads) and given[2:] == (queries, keys)
        ):
            raise ShapeError(
                f"{op_name}: {name} has shape {given}; for query {query_shape} and key {key_shape} it must be "
                f"[1 or {batch}, 1 or {heads}, {queries}, {keys}]: [1 or B, 1 or H, Sq, Sk]"
            )
    return (batch, heads, queries, value_shape[3])
