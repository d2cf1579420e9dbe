"""A visitor: one client with its own key and its own dice, who takes from the mix again and again.

The mix is drawn by weight. Most of life is redirects; one operation may be several requests, as one that reads, changes
and reads again.
"""

from collections.abc import Callable, Mapping
from random import Random
from time import monotonic
from typing import Final

from scripts.soak.kept import Foreign, Kept, Owner, World
from scripts.soak.messages import Ask, Expectation, Reply, Tell


class Visitor:
    """What all operations need. `clock` is that of the rows."""

    def __init__(
        self, world: World, owner: Owner, dice: Random, tell: Tell, clock: Callable[[], float] = monotonic
    ) -> None:
        self.world = world
        self.owner = owner
        self.dice = dice
        self.clock = clock
        self._tell = tell
        self.own = [each for each in world.records if each.namespace == owner.short]

    def tell(self, kind: str, ask: Ask, expected: Expectation) -> Reply:
        """Send a request."""
        return self._tell(kind, ask, expected)

    def one(self) -> Kept:
        """Return any record; half of the time one of a few popular ones."""
        records = self.world.records
        return self.dice.choice(records[:_FAVOURITES] if self.dice.random() < 0.5 else records)

    def mine(self) -> Kept:
        """A record of one's own that was not withdrawn."""
        while True:
            kept = self.dice.choice(self.own)
            if kept.now.target:
                return kept

    def foreign(self) -> Foreign:
        """A prefix of others; half of the time one of a few."""
        prefixes = self.world.foreign
        return self.dice.choice(prefixes[:_FAVOURITES] if self.dice.random() < 0.5 else prefixes)


Operation = Callable[[Visitor], None]

_FAVOURITES: Final = 40


def mix() -> Mapping[Operation, float]:
    """Each operation, and how often it is drawn; the weights make a hundred."""
    from scripts.soak import reading, refusals, writing

    return {
        reading.redirect: 34,
        reading.redirect_of_others: 24,
        reading.conditional: 6,
        reading.head: 2,
        reading.metadata: 8,
        reading.page: 4,
        reading.parse: 4,
        reading.bulk: 2,
        reading.prefix: 3,
        reading.listing: 1,
        reading.history: 1,
        reading.memento: 1,
        refusals.bad_reference: 3,
        refusals.unwelcome: 1,
        writing.mint: 2,
        writing.mint_again: 1,
        writing.update: 1.5,
        writing.stale: 0.5,
        writing.withdraw: 0.4,
        writing.batch: 0.3,
        refusals.refused_write: 0.3,
    }
