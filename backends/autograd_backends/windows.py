"""Where a sliding kernel meets its input: the arithmetic of one spatial dimension."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Window"]


class Window(NamedTuple):
    """A kernel that slides along one dimension.

    Attributes
    ----------
    size
        The length of the input.
    kernel, stride, dilation
        The number of cells, the step of the kernel, and the distance between cells.
    before
        The padding before the input; that after it is what the last position needs.
    out
        The number of positions.
    """

    size: int
    kernel: int
    stride: int
    before: int
    dilation: int
    out: int

    @property
    def padded(self) -> int:
        """The length of a buffer for the input behind its padding and for every position of the kernel."""
        reach = (self.out - 1) * self.stride + (self.kernel - 1) * self.dilation + 1
        return max(reach, self.before + self.size)

    def cell(self, k: int, positions: slice) -> slice:
        """What cell `k` meets in the padded buffer at `positions`, of which there is at least one."""
        start = k * self.dilation + positions.start * self.stride
        return slice(start, start + (positions.stop - positions.start - 1) * self.stride + 1, self.stride)

    def inside(self, k: int) -> tuple[slice, slice]:
        """The positions at which cell `k` lies inside the input, and what it meets there."""
        shift = k * self.dilation - self.before
        first = max(0, -(shift // self.stride))
        last = min(self.out, (self.size - 1 - shift) // self.stride + 1)
        if last <= first:
            return slice(0, 0), slice(0, 0)
        start = first * self.stride + shift
        return slice(first, last), slice(start, start + (last - first - 1) * self.stride + 1, self.stride)

    def first_inside(self, position: int) -> int:
        """Where in the input the first cell lies that is not in the padding, at `position`."""
        start = position * self.stride - self.before
        if start < 0:
            start += -(start // self.dilation) * self.dilation
        return start

    def misses(self) -> bool:
        """Whether some position, of a dilated kernel, meets nothing but padding."""
        reach = (self.kernel - 1) * self.dilation - self.before
        return any(self.first_inside(p) > min(self.size - 1, p * self.stride + reach) for p in range(self.out))

    def divisor(self, position: int, count_include_pad: bool) -> int:
        """How many elements an average at `position` counts; dilation 1, as much padding after as before."""
        start = position * self.stride - self.before
        end = min(start + self.kernel, self.size + self.before)
        return end - start if count_include_pad else min(end, self.size) - max(start, 0)
