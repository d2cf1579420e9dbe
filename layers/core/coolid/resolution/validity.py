"""Grounds: what memory told for one answer, so that the answer can be given again without being worked out again.

An answer follows from its request and from what it was told. It is good as long as memory would tell the same to the
same questions, and freshly: `Validity.is_current` asks it, and mostly needs not even that, because nothing has changed.

Only numbers are kept of what was told (`coolid.resolution.bounded_cache.Kept`): who keeps an answer keeps no record alive.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, Protocol

from msgspec import Struct

_OF_A_QUESTION: Final = 300  # bytes, of which most are the key
_OF_THEM_ALL: Final = 150


class NumberedHit(Protocol):
    """What memory tells; `number` says by which of the things that it keeps."""

    @property
    def number(self) -> Hashable:
        """The number of what is kept, or the numbers."""


class CachedLookup(Struct, frozen=True):
    """A question to memory, about one key or a tuple of names, and the number or numbers of what answered it."""

    recall: Callable[[Any], NumberedHit | None]
    key: Hashable
    number: Hashable

    def weigh(self) -> int:
        """About how many bytes it takes in memory."""
        return _OF_A_QUESTION * (len(self.key) if isinstance(self.key, tuple) else 1)


class ChangeCounter(Protocol):
    """A memory that can tell whether it has changed."""

    @property
    def changes(self) -> int:
        """Rises with every change."""

    def now(self) -> float:
        """The moment by which things are overdue, in seconds."""


class Validity:
    """`told` all came from `memory` since it had seen so many `changes`, and none is overdue before `until`.

    Safe between threads.
    """

    __slots__ = ("_changes", "_memory", "_told", "_until")

    def __init__(self, memory: ChangeCounter, told: Sequence[CachedLookup], until: float, changes: int) -> None:
        self._memory = memory
        self._told = told
        self._until = until
        self._changes = changes

    def weigh(self) -> int:
        """About how many bytes they take in memory."""
        return _OF_THEM_ALL + sum([question.weigh() for question in self._told])

    def is_current(self) -> bool:
        """Whether memory would tell all of this now."""
        changes = self._memory.changes  # before it is asked: whatever changes meanwhile is noticed the next time
        if self._memory.now() >= self._until:
            return False
        if changes != self._changes:
            for question in self._told:
                told = question.recall(question.key)
                if told is None or told.number != question.number:
                    return False
            self._changes = changes
        return True
