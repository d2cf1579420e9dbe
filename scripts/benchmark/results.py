"""Results: the figures of a run, what they are compared with, and whether the goals are met; kept as JSON.

`docs/explanation/evidence/bench/results.json` is a list of objects with the members of `Entry`. A `ratio` is
the entry's median over that of the entry named by `ratio_to`, most often ours: how many times as much a peer takes.

>>> cases = {"get: ours": [2.0, 1.0, 3.0], "get: theirs": [8.0, 9.0, 7.0]}
>>> figures = [figure(name, "µs", samples) for name, samples in cases.items()]
>>> ours, theirs = entries([figures[0], figures[1].beside("get: ours", ratio_at_least(4))])
>>> theirs.median, theirs.ratio, theirs.goal, theirs.bound, theirs.met, ours.ratio
(8.0, 4.0, 'ratio at least 4', ('least', 4.0), True, None)
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

DIGITS: Final = 4
"""Significant ones; more would be noise."""
_OF_RATIO: Final = re.compile("ratio at (least|most) (.+)")


class Missing(Exception):
    """Something that a part needs is not on this machine; the message says what."""


class Goal(Struct, frozen=True):
    """What a median, or a ratio, is to be: no less than `least`, no more than `most`."""

    text: str
    of: Literal["median", "ratio"]
    least: float | None = None
    most: float | None = None

    def is_met_by(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        return (self.least is None or self.least <= number) and (self.most is None or number <= self.most)


class Figure(Struct, frozen=True):
    """A measured value: samples under a name `group: what`, in a unit, compared with another figure if `beside` names
    one.
    """

    name: str
    unit: str
    samples: tuple[float, ...]
    ratio_to: str | None = None
    goal: Goal | None = None

    def beside(self, other: str, goal: Goal | None = None) -> "Figure":
        """Return the figure with a comparison to the figure of another name."""
        return replace(self, ratio_to=other, goal=goal)

    def aiming(self, goal: Goal) -> "Figure":
        """The same, with a goal of its own."""
        return replace(self, goal=goal)


class Entry(Struct, frozen=True):
    """A line of the results."""

    name: str
    unit: str
    median: float
    min: float
    max: float
    ratio_to: str | None
    ratio: float | None
    goal: str | None
    met: bool | None

    @property
    def bound(self) -> tuple[str, float] | None:
        """What a goal of ratios says: "least" or "most", and of what number."""
        said = _OF_RATIO.fullmatch(self.goal or "")
        return (said[1], float(said[2])) if said else None

    @property
    def group(self) -> str:
        """What stands before the colon of its name."""
        return self.name.partition(": ")[0]

    @property
    def what(self) -> str:
        """What stands behind it."""
        return self.name.partition(": ")[2]


def figure(name: str, unit: str, samples: Iterable[float]) -> Figure:
    """Samples under a name."""
    return Figure(name, unit, tuple(samples))


def at_most(most: float, unit: str) -> Goal:
    """A median no larger.

    >>> at_most(50, "ms").text
    'at most 50 ms'
    """
    return Goal(f"at most {most:g} {unit}", "median", most=most)


def at_least(least: float, unit: str) -> Goal:
    """A median no smaller.

    >>> at_least(1_000, "requests/s").text
    'at least 1000 requests/s'
    """
    return Goal(f"at least {least:g} {unit}", "median", least=least)


def exactly(number: float) -> Goal:
    """A median that is this number."""
    return Goal(f"exactly {number:g}", "median", least=number, most=number)


def ratio_at_least(least: float) -> Goal:
    """A ratio no smaller."""
    return Goal(f"ratio at least {least:g}", "ratio", least=least)


def ratio_at_most(most: float) -> Goal:
    """A ratio no larger."""
    return Goal(f"ratio at most {most:g}", "ratio", most=most)


def entries(figures: Sequence[Figure]) -> list[Entry]:
    """The lines of figures; one whose comparison was not measured has no ratio, and its goal is not judged."""
    medians = {each.name: median(each.samples) for each in figures}
    assert len(medians) == len(figures), "a name stands twice"
    return [_entry(each, medians.get(each.ratio_to or "")) for each in figures]


def _entry(figure: Figure, other: float | None) -> Entry:
    middle = median(figure.samples)
    ratio = middle / other if other else None
    judged = middle if figure.goal and figure.goal.of == "median" else ratio
    met = None if figure.goal is None or judged is None else figure.goal.is_met_by(judged)
    return Entry(
        name=figure.name,
        unit=figure.unit,
        median=rounded(middle),
        min=rounded(min(figure.samples)),
        max=rounded(max(figure.samples)),
        ratio_to=figure.ratio_to,
        ratio=None if ratio is None else rounded(ratio),
        goal=figure.goal.text if figure.goal else None,
        met=met,
    )


def rounded(number: float) -> float:
    """To the digits that mean something.

    >>> rounded(12.34567), rounded(123456.0), rounded(0.5)
    (12.35, 123500.0, 0.5)
    """
    return float(f"{number:.{DIGITS}g}")


def updated(before: Sequence[Entry], lines: Sequence[Entry]) -> list[Entry]:
    """Return stored lines with those of a later run of some parts: in the place of equal names, or after their group.

    >>> one, two, three = (figure(name, "µs", [1.0]) for name in ("a: one", "b: two", "a: three"))
    >>> later = figure("a: one", "µs", [2.0])
    >>> [(each.name, each.median) for each in updated(entries([one, two]), entries([later, three]))]
    [('a: one', 2.0), ('a: three', 1.0), ('b: two', 1.0)]
    """
    merged = {line.name: line for line in [*before, *lines]}
    groups: dict[str, list[Entry]] = {}
    for line in merged.values():
        groups.setdefault(line.group, []).append(line)
    return [line for group in groups.values() for line in group]


def write(path: Path, lines: Sequence[Entry]) -> None:
    """Write results, one on each line."""
    rows = b",\n  ".join(msgspec.json.encode(line) for line in lines)
    path.write_bytes(b"[\n  " + rows + b"\n]\n")


def read(path: Path) -> list[Entry]:
    """Return the stored results."""
    return msgspec.json.decode(path.read_bytes(), type=list[Entry])
