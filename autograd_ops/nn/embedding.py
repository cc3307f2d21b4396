"""A table of vectors as a module."""

from __future__ import annotations

from typing import Any, Self

from ..creation import empty
from ..tape import no_grad
from ..tensor import Tensor
from . import functional as F
from . import init
from .functional.embedding import row_of
from .module import Module
from .parameter import Parameter

__all__ = ["Embedding"]


class Embedding(Module):
    """A learned vector for each of `num_embeddings` numbers; see `functional.embedding`.

    Parameters
    ----------
    num_embeddings
        How many vectors.
    embedding_dim
        How long each is.
    padding_idx
        One whose vector starts as zeros and stays as it is; negative ones count from the end.
    device, dtype
        Of the table.

    Raises
    ------
    IndexError
        If `padding_idx` is not one of the numbers.

    Attributes
    ----------
    weight
        [num_embeddings, embedding_dim], at first drawn from the normal distribution of mean 0 and variance 1.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.nn.Embedding(27, 8)(ag.tensor([[0, 5, 26]])).shape
    Size([1, 3, 8])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None if padding_idx is None else row_of("Embedding", padding_idx, num_embeddings)
        self.weight = Parameter(empty(num_embeddings, embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Self:
        """One whose table is `embeddings` [num_embeddings, embedding_dim]; not learned if `freeze`.

        Raises
        ------
        ValueError
            If `embeddings` is not a matrix.
        """
        if embeddings.ndim != 2:
            raise ValueError(f"from_pretrained: expected a matrix, got shape {tuple(embeddings.shape)}")
        rows, columns = embeddings.shape
        made = cls(rows, columns, padding_idx, device=embeddings.device, dtype=embeddings.dtype)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def reset_parameters(self) -> None:
        """Draw the table anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    def forward(self, input: Tensor) -> Tensor:
        """input [...] of integers -> [..., embedding_dim]"""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Its sizes."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
