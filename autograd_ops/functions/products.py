"""Matrix and tensor products with PyTorch's signatures."""

from __future__ import annotations

import math
import string
from typing import Any

from .. import ops
from ..call_path import renamed
from ..refusals import named
from ..tensor import Tensor
from .shapes import diagonal, permute

__all__ = ["addmm", "bmm", "dot", "einsum", "inner", "matmul", "mm", "mv", "outer", "trace"]

matmul = renamed(ops.matmul, "input", "other")


def _ranks(name: str, *operands: tuple[Tensor, int]) -> None:
    for i, (operand, rank) in enumerate(operands):
        if operand.ndim != rank:
            raise ValueError(f"{name}: operand {i} must have {rank} dimensions, got shape {tuple(operand.shape)}")


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    _ranks("mm", (input, 2), (mat2, 2))
    return matmul(input, mat2)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices."""
    _ranks("bmm", (input, 3), (mat2, 3))
    if input.shape[0] != mat2.shape[0]:
        raise ValueError(f"bmm: batches of {input.shape[0]} and of {mat2.shape[0]} matrices; matmul broadcasts")
    return matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    _ranks("mv", (input, 2), (vec, 1))
    return matmul(input, vec)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors' elements."""
    _ranks("dot", (input, 1), (tensor, 1))
    return matmul(input, tensor)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The products of each element of one vector with each of another."""
    _ranks("outer", (input, 1), (vec2, 1))
    return ops.expand_dims(input, 1) * vec2


def inner(input: Tensor, other: Tensor) -> Tensor:
    """The products of two Tensors summed over their last dimensions."""
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    rows, columns = _as_matrix(input), _as_matrix(other)
    return ops.reshape(matmul(rows, ops.matrix_transpose(columns)), (*input.shape[:-1], *other.shape[:-1]))


def _as_matrix(x: Tensor) -> Tensor:
    """x with all dimensions but the last made one."""
    return ops.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat1 @ mat2; with `beta` 0, no element of input counts, not even a NaN"""
    return plus_product(input, mm(mat1, mat2), beta, alpha)


def plus_product(input: Tensor, product: Tensor, beta: float, alpha: float) -> Tensor:
    """beta input + alpha product; with `beta` 0, no element of input counts, not even a NaN"""
    if beta == 0:
        input, beta = ops.zeros_like(input), 1
    return (input if beta == 1 else input * beta) + (product if alpha == 1 else product * alpha)


def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    _ranks("trace", (input, 2))
    return ops.sum(diagonal(input))


def einsum(equation: Any, *operands: Any) -> Tensor:
    """The sum of products that an equation such as ``"bij,bjk->bik"`` describes.

    Parameters
    ----------
    equation
        A letter for each dimension of each operand; a letter that the result lacks is summed over, a letter twice in
        one operand is its diagonal, ``...`` stands for dimensions that broadcast. Without ``->`` the result has the
        letters that occur once, in alphabetical order.
    operands
        As many Tensors as the equation has, or one sequence of them. Instead of an equation, each Tensor may be
        followed by a list of numbers (or ``...``) in place of letters, and all by that of the result.

    Raises
    ------
    ValueError
        If the equation does not fit the operands.

    Notes
    -----
    Operands are contracted from the left, two at a time, each as one batched matrix product.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.einsum("ij->j", ag.ones(2, 3))
    tensor([2., 2., 2.])
    """
    if not isinstance(equation, str):
        equation, *operands = _equation((equation, *operands))  # type: ignore[assignment]
    tensors = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    terms, result = _parse(equation, tensors)
    counted: dict[str, int] = {}
    for term in terms:
        for letter in set(term):
            counted[letter] = counted.get(letter, 0) + 1
    labelled = [_diagonals(x, term) for x, term in zip(tensors, terms, strict=True)]
    x, letters = labelled[0]
    for y, other in labelled[1:]:
        for letter in set(other) & set(letters):
            counted[letter] -= 1
        # A letter is summed over once no later operand and no place in the result has it.
        gone = {c for c in set(letters) | set(other) if c not in result and counted[c] == 1}
        x, letters = _contract(x, letters, y, other, gone)
    summed = tuple([i for i, c in enumerate(letters) if c not in result])
    if summed:
        x = ops.sum(x, summed, False)
        letters = "".join(c for c in letters if c in result)
    return permute(x, [letters.index(c) for c in result]) if letters != result else x


def _equation(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """``x, [0, 1], y, [1, 2], [0, 2]`` as ``"ab,bc->ac", x, y``.

    Raises
    ------
    TypeError
        If Tensors and lists do not alternate.
    ValueError
        If a number is not in [0, 52).
    """
    pairs = len(arguments) // 2
    operands, lists = arguments[0 : 2 * pairs : 2], (*arguments[1 : 2 * pairs : 2], *arguments[2 * pairs :])
    if not all(isinstance(x, Tensor) for x in operands) or not all(isinstance(x, (list, tuple)) for x in lists):
        raise TypeError("einsum: expected an equation such as 'ij,jk->ik' and Tensors, or Tensors each with a list")
    for number in (n for numbers in lists for n in numbers if n is not ...):
        if not 0 <= number < len(string.ascii_letters):
            raise ValueError(f"einsum: the number {number} is none of 0 to {len(string.ascii_letters) - 1}")
    # Numbers sort as their letters must: capitals first.
    letters = sorted(string.ascii_letters)
    terms = ["".join("..." if n is ... else letters[n] for n in numbers) for numbers in lists]
    return ",".join(terms[:pairs]) + "".join("->" + term for term in terms[pairs:]), *operands


def _parse(equation: str, tensors: Any) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with capitals from 'A' on for what ``...`` stands for."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise ValueError(f"einsum: {equation!r} has {len(terms)} operands, but {len(tensors)} were given")
    for c in left.replace("...", "") + right.replace("...", ""):
        if c != "," and not (c.isascii() and c.isalpha()):
            raise ValueError(f"einsum: {c!r} in {equation!r} is neither a letter nor part of '...'")
    hidden = 0
    for term, x in zip(terms, tensors, strict=True):
        named = len(term.replace("...", ""))
        if named > x.ndim or (named < x.ndim and "..." not in term):
            raise ValueError(f"einsum: {term!r} in {equation!r} does not fit a tensor of shape {tuple(x.shape)}")
        hidden = max(hidden, x.ndim - named)
    stand_ins = "".join(chr(0x100 + i) for i in range(hidden))
    full = [
        term.replace("...", stand_ins[hidden - (x.ndim - len(term.replace("...", ""))) :])
        for term, x in zip(terms, tensors, strict=True)
    ]
    letters = "".join(full)
    if arrow:
        result = right.replace("...", stand_ins)
    else:
        result = stand_ins + "".join(sorted(c for c in set(letters) if letters.count(c) == 1 and c not in stand_ins))
    for c in result:
        if c not in letters or result.count(c) > 1:
            raise ValueError(
                f"einsum: letter {c!r} of the result in {equation!r} must occur once there and on the left"
            )
    lengths: dict[str, int] = {}
    for term, x in zip(full, tensors, strict=True):
        for c, n in zip(term, x.shape, strict=True):
            if lengths.setdefault(c, n) != n and 1 not in (n, lengths[c]):
                raise ValueError(f"einsum: letter {c!r} in {equation!r} has lengths {lengths[c]} and {n}")
            lengths[c] = max(lengths[c], n) if n != 0 and lengths[c] != 0 else 0
    return full, result


def _diagonals(x: Tensor, term: str) -> tuple[Tensor, str]:
    """x with dimensions of one letter made one, by their diagonal."""
    for c in dict.fromkeys(term):
        while term.count(c) > 1:
            first = term.index(c)
            second = term.index(c, first + 1)
            x = diagonal(x, 0, first, second)
            term = "".join(d for i, d in enumerate(term) if i not in (first, second)) + c
    return x, term


def _contract(x: Tensor, letters: str, y: Tensor, other: str, gone: set[str]) -> tuple[Tensor, str]:
    """The product of two labelled Tensors, summed over the letters in `gone`, as one batched matrix product."""
    x, letters = _presummed(x, letters, [c for c in letters if c in gone and c not in other])
    y, other = _presummed(y, other, [c for c in other if c in gone and c not in letters])
    both = [c for c in letters if c in other]
    batch = [c for c in both if c not in gone]
    inner = [c for c in both if c in gone]
    rows = [c for c in letters if c not in both]
    columns = [c for c in other if c not in both]
    lengths = {c: max(n, m) for c in both for n, m in [(x.shape[letters.index(c)], y.shape[other.index(c)])]}
    lengths |= {c: x.shape[letters.index(c)] for c in rows} | {c: y.shape[other.index(c)] for c in columns}
    x = _arranged(x, letters, [*batch, *rows, *inner], lengths, (batch, rows, inner))
    y = _arranged(y, other, [*batch, *inner, *columns], lengths, (batch, inner, columns))
    shape = tuple([lengths[c] for c in (*batch, *rows, *columns)])
    return ops.reshape(matmul(x, y), shape), "".join([*batch, *rows, *columns])


def _presummed(x: Tensor, letters: str, alone: list[str]) -> tuple[Tensor, str]:
    """x summed over letters that nothing else has."""
    if not alone:
        return x, letters
    return ops.sum(x, tuple([letters.index(c) for c in alone]), False), "".join(c for c in letters if c not in alone)


def _arranged(x: Tensor, letters: str, order: list[str], lengths: dict[str, int], groups: Any) -> Tensor:
    """x with its letters in `order`, stretched to `lengths`, and one dimension for each of three groups."""
    if list(letters) != order:
        x = ops.permute(x, tuple([letters.index(c) for c in order]))
    shape = tuple([lengths[c] for c in order])
    if tuple(x.array.shape) != shape:
        x = ops.broadcast_to(x, shape)
    sizes = []
    for group in groups:
        size = 1
        for c in group:
            size *= lengths[c]
        sizes.append(size)
    return ops.reshape(x, tuple(sizes))


named(__name__)
