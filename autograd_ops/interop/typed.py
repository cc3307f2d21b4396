"""PyTorch's older words for dtypes: the constructors ``FloatTensor``, ``LongTensor`` and so on, and ``x.type()``.

One is a dtype and a kind of device: called it makes a Tensor, given as a dtype it is its dtype, and ``isinstance``
of it asks whether a Tensor is of both.
"""

from __future__ import annotations

from typing import Any

from ..creation import empty, tensor
from ..dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from ..refusals import named_method
from ..tensor import Size, Tensor

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "TensorType",
]


#: PyTorch's words for dtypes, those of real numbers and of complex ones: constructors are of the first.
_REAL = {
    "BFloat16": bfloat16,
    "Bool": bool_,
    "Byte": uint8,
    "Char": int8,
    "Double": float64,
    "Float": float32,
    "Half": float16,
    "Int": int32,
    "Long": int64,
    "Short": int16,
}
_COMPLEX = {"ComplexDouble": complex128, "ComplexFloat": complex64}


class TensorType:
    """A constructor of Tensors of one dtype, on one kind of device.

    Attributes
    ----------
    name
        The name of its dtype, so that it can be given as one.

    Examples
    --------
    >>> import autograd_ops as ag
    >>> ag.LongTensor([1, 2])
    tensor([1, 2])
    >>> ag.FloatTensor(2, 3).shape
    Size([2, 3])
    >>> isinstance(ag.ones(2), ag.FloatTensor)
    True
    """

    def __init__(self, word: str, dtype: DType, device: str) -> None:
        self._word = word
        self._dtype = dtype
        self._device = device
        self.name = dtype.name

    def __call__(self, *data: Any, device: str | None = None) -> Tensor:
        """A Tensor of one list or array, or of the shape that ints give, whose elements may be anything.

        Raises
        ------
        TypeError
            If it is called with a number that is no int, or with several things that are no ints.
        """
        where = self._device if device is None else device
        if len(data) == 1 and not isinstance(data[0], int) and hasattr(data[0], "__len__"):
            (given,) = data
            if isinstance(given, Size):
                return empty(given, dtype=self._dtype, device=where)
            return tensor(given, dtype=self._dtype, device=where)
        if not all(isinstance(n, int) and not isinstance(n, bool) for n in data):
            raise TypeError(f"{self._word}: expected a list, an array or ints as a shape; for a number use tensor(...)")
        return empty(data or (0,), dtype=self._dtype, device=where)

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, Tensor) and value.dtype is self._dtype and value.device.type == self._device

    def __repr__(self) -> str:
        return f"autograd_ops.{'' if self._device == 'cpu' else self._device + '.'}{self._word}"


def types_on(device: str) -> dict[str, TensorType]:
    """All constructors for one kind of device."""
    return {f"{word}Tensor": TensorType(f"{word}Tensor", dtype, device) for word, dtype in _REAL.items()}


_cpu = types_on("cpu")
BFloat16Tensor, BoolTensor, ByteTensor = _cpu["BFloat16Tensor"], _cpu["BoolTensor"], _cpu["ByteTensor"]
CharTensor, DoubleTensor, FloatTensor = _cpu["CharTensor"], _cpu["DoubleTensor"], _cpu["FloatTensor"]
HalfTensor, IntTensor, LongTensor = _cpu["HalfTensor"], _cpu["IntTensor"], _cpu["LongTensor"]
ShortTensor = _cpu["ShortTensor"]


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """This Tensor with another dtype, also as ``"torch.FloatTensor"``; without an argument, its own of these names."""
    words = _REAL | _COMPLEX
    if dtype is None:
        where = "torch.cuda" if self.device.type == "cuda" else "torch"
        word = next((word for word, known in words.items() if known is self.dtype), self.dtype.name)
        return f"{where}.{word}Tensor"
    if isinstance(dtype, str) and dtype.endswith("Tensor"):
        dtype = words.get(dtype.rpartition(".")[2].removesuffix("Tensor"), dtype)
    return self.to(dtype=as_dtype(dtype))


type = named_method(_type, "type")
