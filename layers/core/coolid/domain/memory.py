"""A reader that remembers: most requests cost one read or none, and an outage of the store is bridged.

What was read is believed for a while (`coolid.domain.remembered` says how long). When the store fails, what has
outlived its time serves for another day, but only those who `watch`, because they can tell that it was so:

- that something is absent is never told from a record that is overdue; a prefix's row that is overdue may imply that no
  longer prefix is registered, so that the shorter one still resolves, but a refusal is never built on that (`Watch`);
- for a while after a failure the store is not asked for what stale memory can tell;
- within one watch, nothing is asked after a failure, nor once the store has taken its time.

A change becomes visible to others when its time has come, and at once where `forget` is told of it.
"""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar

from coolid.domain.errors import InvalidIdentifier, NotFound, StoreUnavailable
from coolid.domain.prefixes import Prefix
from coolid.domain.records import Record
from coolid.domain.remembered import PREFIX_ROOM, RECORD_ROOM, Memory, Place, PublicKeys, Told
from coolid.domain.shelves import Room
from coolid.domain.stores import Reader

PAUSE: Final = 2.0
"""Seconds after a failure during which the store is not asked for what stale memory can tell."""
PATIENCE: Final = 0.7
"""Seconds of waiting for the store, failures or not, after which one watch does not begin another read."""

Key = TypeVar("Key")
Thing = TypeVar("Thing")


class RememberingReader:
    """Wraps a `Reader`; `tick` gives seconds of a clock that only moves forward. Safe between threads.

    Used as a `Reader` itself it remembers, but tells nothing stale: it has no way to say so.
    """

    def __init__(
        self,
        reader: Reader,
        tick: Callable[[], float],
        *,
        prefix_room: Room = PREFIX_ROOM,
        record_room: Room = RECORD_ROOM,
    ) -> None:
        self.reader = reader
        self.tick = tick
        self.memory = Memory(tick, prefix_room=prefix_room, record_room=record_room)
        self.paused_until = float("-inf")

    def watch(self, *, stale: bool = True, patience: float = PATIENCE) -> "Watch":
        """As of `coolid.domain.watching.Watchable`."""
        return Watch(self, takes_stale=stale, patience=patience)

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """As of `Reader`; `consistent` asks past the memory."""
        return self._strict().prefixes(names, consistent=consistent)

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """As of `Reader`; `consistent` asks past the memory."""
        return self._strict().record(repository, key, consistent=consistent)

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """As of `Reader`."""
        return self._strict().records(repository, keys)

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """As of `Reader`."""
        return self._strict().superseded(repository, key, version)

    def public_keys(self) -> PublicKeys:
        """As of `Reader`."""
        return self._strict().public_keys()

    def forget(self) -> None:
        """Remember nothing from before now, not even what is being read at this moment."""
        self.memory.forget()

    def forget_record(self, repository: str, key: str) -> None:
        """Remember nothing of this record from before now."""
        self.memory.forget_record(repository, key)

    def _strict(self) -> "Watch":
        return self.watch(stale=False)


class Watch:
    """Implements `coolid.domain.watching.Watch`: one request's view of what is remembered, for one thread."""

    def __init__(self, whole: RememberingReader, *, takes_stale: bool, patience: float) -> None:
        self._whole = whole
        self._memory = whole.memory
        self._takes_stale = takes_stale
        self._patience = patience
        self._failed = False
        self._waited = 0.0
        self.staleness: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.staleness is not None and isinstance(error, NotFound | InvalidIdentifier):
            raise StoreUnavailable("what is remembered is too old to refuse anything on") from error

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        """As of `Reader`; `consistent` asks past the memory."""

        def ask(asked: Sequence[str]) -> Mapping[str, Prefix]:
            begun, generation = self._begin()
            found = self._whole.reader.prefixes(asked, consistent=consistent)
            self._memory.keep_prefixes(asked, found, begun, generation)
            return found

        return self._ask(lambda: ask(names)) if consistent else self._gather(names, self._memory.prefix, ask)

    def record(self, repository: str, key: str, *, consistent: bool = False) -> Record | None:
        """As of `Reader`; `consistent` asks past the memory."""

        def ask(places: Sequence[Place]) -> Mapping[Place, Record]:
            begun, generation = self._begin()
            record = self._whole.reader.record(repository, key, consistent=consistent)
            found = {(repository, key): record} if record else {}
            self._memory.keep_records(places, found, begun, generation)
            return found

        places = [(repository, key)]
        found = self._ask(lambda: ask(places)) if consistent else self._gather(places, self._memory.record, ask)
        return found.get((repository, key))

    def records(self, repository: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """As of `Reader`."""

        def ask(places: Sequence[Place]) -> Mapping[Place, Record]:
            begun, generation = self._begin()
            answer = self._whole.reader.records(repository, [key for _, key in places])
            found = {(repository, key): record for key, record in answer.items()}
            self._memory.keep_records(places, found, begun, generation)
            return found

        found = self._gather([(repository, key) for key in keys], self._memory.record, ask)
        return {key: record for (_, key), record in found.items()}

    def superseded(self, repository: str, key: str, version: int) -> Record | None:
        """As of `Reader`; remembered without end, for it never changes."""
        past = self._memory.past((repository, key), version)
        if past:
            return past
        begun, generation = self._begin()
        found = self._ask(lambda: self._whole.reader.superseded(repository, key, version))
        if found:
            self._memory.keep_past((repository, key), found, begun, generation)
        return found

    def public_keys(self) -> PublicKeys:
        """As of `Reader`."""

        def ask(_: Sequence[None]) -> Mapping[None, PublicKeys]:
            begun, generation = self._begin()
            keys = self._whole.reader.public_keys()
            self._memory.keep_keys(keys, begun, generation)
            return {None: keys}

        return self._gather([None], lambda _: self._memory.keys(), ask)[None]

    def _gather(
        self,
        keys: Sequence[Key],
        recall: Callable[[Key], Told[Thing] | None],
        ask: Callable[[Sequence[Key]], Mapping[Key, Thing]],
    ) -> dict[Key, Thing]:
        """What memory tells freshly and the store of the rest; where that fails, what memory tells of the rest, too."""
        told = {key: recall(key) for key in keys}
        fresh = {key: known for key, known in told.items() if known and known.is_fresh}
        asked = [key for key in told if key not in fresh]
        gathered = {key: known.value for key, known in fresh.items() if known.value is not None}
        if not asked:
            return gathered
        overdue = {key: known for key in asked if (known := told[key])}
        spare = self._takes_stale and len(overdue) == len(asked)
        try:
            return gathered | dict(self._ask(lambda: ask(asked), spare=spare))
        except StoreUnavailable:
            if not spare:
                raise
        self.staleness = max(self.staleness or 0.0, *(known.overdue for known in overdue.values()))
        return gathered | {key: known.value for key, known in overdue.items() if known.value is not None}

    def _ask(self, read: Callable[[], Thing], *, spare: bool = False) -> Thing:
        """Ask the store, unless that has become pointless; `spare` says that there is something else to answer with."""
        begun = self._whole.tick()
        if self._failed or self._waited >= self._patience or (spare and begun < self._whole.paused_until):
            raise StoreUnavailable("the store failed or dawdled a moment ago")
        try:
            return read()
        except StoreUnavailable:
            self._failed = True
            self._whole.paused_until = self._whole.tick() + PAUSE
            raise
        finally:
            self._waited += self._whole.tick() - begun

    def _begin(self) -> tuple[float, int]:
        """When a reading begins, and under which generation."""
        return self._whole.tick(), self._memory.generation
