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

__all__ = ["Embedding", "EmbeddingBag"]


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
    max_norm, norm_type, scale_grad_by_freq, sparse
        As of `functional.embedding`.
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
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None if padding_idx is None else row_of("Embedding", padding_idx, num_embeddings)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        if _weight is not None:
            self.weight = Parameter(_weight, requires_grad=not _freeze)
            return
        self.weight = Parameter(
            empty(num_embeddings, embedding_dim, device=device, dtype=dtype), requires_grad=not _freeze
        )
        self.reset_parameters()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """One whose table is `embeddings` [num_embeddings, embedding_dim]; not learned if `freeze`.

        Raises
        ------
        ValueError
            If `embeddings` is not a matrix.
        """
        if embeddings.ndim != 2:
            raise ValueError(f"from_pretrained: expected a matrix, got shape {tuple(embeddings.shape)}")
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

    def reset_parameters(self) -> None:
        """Draw the table anew."""
        _draw_table(self.weight, self.padding_idx)

    def forward(self, input: Tensor) -> Tensor:
        """input [...] of integers -> [..., embedding_dim]"""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        """Its sizes."""
        return f"{self.num_embeddings}, {self.embedding_dim}{_differing(self)}"


class EmbeddingBag(Module):
    """For each bag of numbers the sum, mean or maximum of their vectors; see `functional.embedding_bag`.

    Parameters
    ----------
    num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, sparse, device, dtype
        As of `Embedding`.
    mode
        ``"sum"``, ``"mean"`` or ``"max"``.
    include_last_offset
        Whether offsets end with the number of all.
    padding_idx
        A number that does not count.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> bags = ag.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bags(ag.tensor([1, 2, 4, 5]), ag.tensor([0, 3])).shape
    Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        self.padding_idx = None if padding_idx is None else row_of("EmbeddingBag", padding_idx, num_embeddings)
        if _weight is not None:
            self.weight = Parameter(_weight)
            return
        self.weight = Parameter(empty(num_embeddings, embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """One whose table is `embeddings` [num_embeddings, embedding_dim]; not learned if `freeze`.

        Raises
        ------
        ValueError
            If `embeddings` is not a matrix.
        """
        if embeddings.ndim != 2:
            raise ValueError(f"from_pretrained: expected a matrix, got shape {tuple(embeddings.shape)}")
        rows, columns = embeddings.shape
        made = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        made.weight.requires_grad_(not freeze)
        return made

    def reset_parameters(self) -> None:
        """Draw the table anew."""
        _draw_table(self.weight, self.padding_idx)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """input [bags, length], or [N] with offsets [bags] -> [bags, embedding_dim]"""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Its sizes and mode."""
        return f"{self.num_embeddings}, {self.embedding_dim}{_differing(self)}, mode={self.mode!r}"


@no_grad
def _draw_table(weight: Tensor, padding_idx: int | None) -> None:
    init.normal_(weight)
    if padding_idx is not None:
        weight[padding_idx] = 0.0


def _differing(module: Any) -> str:
    """The settings of an embedding that are not the defaults, as they are printed."""
    defaults = (
        ("padding_idx", None),
        ("max_norm", None),
        ("norm_type", 2.0),
        ("scale_grad_by_freq", False),
        ("sparse", False),
    )
    return "".join(
        f", {name}={getattr(module, name)}" for name, default in defaults if getattr(module, name) != default
    )
