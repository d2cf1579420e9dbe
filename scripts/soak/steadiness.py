"""Steadiness: whether memory grows, judged on the second half of the mix.

A slope alone would be luck, for memory comes and goes. So the half is cut into blocks of equally many requests; the
blocks' medians have a slope by Theil and Sen, the median of the slopes between any two, and that has an interval of
95 % (Sen 1968, by Kendall's variance). What is judged is the upper end of the interval, over an hour's worth of
requests: memory that is too restless to tell fails as well. Beside it the medians of the last two quarters are
compared.

>>> flat, growing = [(at, 100.0) for at in range(240)], [(at, 100 + at / 10) for at in range(240)]
>>> growth(flat).upper, round(growth(growing).upper, 3)
(0.0, 0.1)
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from math import sqrt
from statistics import median
from typing import Final

from msgspec import Struct

HOUR: Final = 36_000
"""Requests: an hour's worth at ten a second."""
MOST_GROWTH: Final = 0.01
"""In an hour's worth, as a share of what there is."""
MOST_STEP: Final = 0.005
"""From the third quarter to the last, likewise."""
BLOCKS: Final = 12
_NORMAL: Final = 1.96  # 95 % on both sides
_FEWEST: Final = 2 * BLOCKS

Points = Sequence[tuple[float, float]]
"""Requests that were answered, and bytes (or another amount), in order."""


class Slope(Struct, frozen=True):
    """A slope, and the ends of its interval of 95 %."""

    lower: float
    middle: float
    upper: float


class Verdict(Struct, frozen=True):
    """What was to hold, by a number and its bound, and whether it does."""

    name: str
    measured: float
    most: float
    unit: str
    met: bool

    @classmethod
    def of(cls, name: str, measured: float, most: float, unit: str) -> "Verdict":
        """A number that is to be no larger."""
        return cls(name, measured, most, unit, measured <= most)


def growth(points: Points) -> Slope:
    """Of points in order, all of them. Raises `ValueError` if there are too few."""
    if len(points) < _FEWEST:
        raise ValueError(f"{len(points)} samples are too few; {_FEWEST} are needed at the least")
    edges = [round(len(points) * at / BLOCKS) for at in range(BLOCKS + 1)]
    blocks = [points[begun:ended] for begun, ended in pairwise(edges)]
    middles = [(median(x for x, _ in block), median(y for _, y in block)) for block in blocks]
    slopes = sorted((later - earlier) / (x - w) for (w, earlier), (x, later) in combinations(middles, 2) if x > w)
    spread = _NORMAL * sqrt(BLOCKS * (BLOCKS - 1) * (2 * BLOCKS + 5) / 18)
    aside = max(0, int((len(slopes) - spread) / 2))
    return Slope(slopes[aside], median(slopes), slopes[-1 - aside])


def verdicts(points: Points, name: str, whole: float | None = None) -> list[Verdict]:
    """On an amount over all of the mix: its growth, and the step from the third quarter to the last.

    Both are shares of a `whole` that the amount is a small part of, or else of what is usual of it.
    """
    half = part(points, 0.5, 1)
    usual = whole or median(y for _, y in half)
    third, last = (median(y for _, y in part(points, begun, begun + 0.25)) for begun in (0.5, 0.75))
    return [
        Verdict.of(
            f"{name}: growth in {HOUR:,} requests, upper end of 95 %",
            100 * growth(half).upper * HOUR / usual,
            100 * MOST_GROWTH,
            "%",
        ),
        Verdict.of(
            f"{name}: median of the last quarter above the third's", 100 * (last - third) / usual, 100 * MOST_STEP, "%"
        ),
    ]


def part(points: Points, begun: float, ended: float) -> list[tuple[float, float]]:
    """The points between two shares of the requests.

    >>> part([(0, 1), (5, 2), (10, 3)], 0.5, 1)
    [(5, 2), (10, 3)]
    """
    first, last = points[0][0], points[-1][0]
    return [point for point in points if begun <= (point[0] - first) / ((last - first) or 1) <= ended]


def most(numbers: Iterable[float]) -> float:
    """The largest, 0 of none."""
    return max(numbers, default=0)
