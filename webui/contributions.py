"""What moved a paper up or down the learned order, summed to what a reader can distinguish."""

from collections.abc import Sequence
from dataclasses import dataclass

from citescout.evidence import by_group
from citescout.recommendation import Contribution


@dataclass(frozen=True, slots=True)
class GroupContribution:
    """What one kind of evidence does to a score."""

    name: str
    value: str  # with its sign
    share: float  # −1 to 1: of the largest of this paper


def kinds_of(contributions: Sequence[Contribution]) -> tuple[GroupContribution, ...]:
    """The kinds that matter, the heaviest first; nothing for a list that the blend did not order."""
    sums = by_group(contributions)
    most = max(map(abs, sums.values()), default=0.0)
    ordered = sorted(sums.items(), key=lambda item: (-abs(item[1]), item[0]))
    return tuple(
        GroupContribution(kind, f"{value:+.2f}".replace("-", "−"), value / most)
        for kind, value in ordered
        if abs(value) >= 0.005
    )
