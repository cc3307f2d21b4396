"""Steps around steps: what looks at a node while backward runs it takes the place of the node's op."""

from __future__ import annotations

from ..tape import Step

__all__ = ["StepAround", "innermost"]


class StepAround(Step):
    """A step that does something before or after the one that it stands around; to the tape the two look alike."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.name, self.formula = step.name, step.formula
        self.fresh, self.keeps_arrays = step.fresh, step.keeps_arrays
        self.fills_gaps, self.carries = step.fills_gaps, step.carries


def innermost(step: Step) -> Step:
    """The step that others stand around: an op of the table, or of a Function."""
    while isinstance(step, StepAround):
        step = step.step
    return step
