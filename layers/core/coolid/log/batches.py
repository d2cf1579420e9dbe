"""The selection of waiting entries for the next tree: each once, and those of one subject in order.

A version is added after the one before it. If that one neither waits nor has a place in the log, because an event was
lost, it is taken from the record's history. So only the newest version of a record has to be found for all to be added.
A revision of another subject waits as long as the one before it waits, which the list of waiting entries may lack.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Final

from msgspec import MsgspecError, Struct

from coolid.errors import InvalidInput, SignerUnavailable, StoreUnavailable
from coolid.log.entries import VERSION
from coolid.log.subject_entries import version_entry
from coolid.log.tiles import MAX_ENTRY_BYTES
from coolid.model.records import RESERVED, Record
from coolid.ports import Log
from coolid.store.log import LogRows, WaitingEntry
from coolid.store.records import RecordReader
from coolid.store.versions import RecordVersions

SignStatement = Callable[[str], str]
"""Returns the compact JWS of a statement, given its JSON text.

Raises `InvalidInput`, or `MsgspecError` if it is no JSON object, and `SignerUnavailable`.
"""

MAX_ENTRIES: Final = 2_048
"""The most entries that one tree adds: 8 bundles, and about 2 MB of staging file."""
MAX_SIGNATURES: Final = 256
"""The most statements that are signed for one tree, because a key service takes about 10 ms for each."""
_PART: Final = 100
"""The most versions of a record that are read at once."""
_RECORD: Final = f"{VERSION}/"
_PUBLIC_KEY: Final = "public_key/"


class EntryBatch(Struct, frozen=True):
    """The leaves to add by the names of their entries, in order.

    `since` is the earliest time from which an entry waits, in milliseconds since 1970, or None if none waits.
    `is_whole` says that no other entries wait as far as is visible.
    """

    leaves: Mapping[str, bytes]
    since: int | None
    is_whole: bool


class BatchReader:
    """Reads the next batches of at most `limit` leaves from `rows`, and missing versions from `records`."""

    def __init__(
        self, rows: LogRows, records: RecordReader, sign: SignStatement, log: Log, limit: int = MAX_ENTRIES
    ) -> None:
        self._rows = rows
        self._records = records
        self._sign = sign
        self._log = log
        self._limit = limit

    def next_batch(self) -> EntryBatch:
        """Return the next leaves. Raises `StoreUnavailable`."""
        limit = self._limit
        waiting = self._rows.waiting_entries(limit)
        unsettled = self._unsettled(waiting)
        entries = [*islice(self._ordered(unsettled), limit + 1)]
        since = min((entry.since for entry in unsettled), default=None)
        leaves = self._leaves(entries[:limit])
        return EntryBatch(leaves, since, len(waiting) < limit and len(leaves) == len(entries))

    def _unsettled(self, entries: Iterable[WaitingEntry]) -> list[WaitingEntry]:
        """Return the entries that have no place in the log, each once."""
        named = {entry.name: entry for entry in entries}
        indexes = self._rows.indexes([*named]) if named else {}
        return [entry for name, entry in named.items() if indexes.get(name) is None]

    def _ordered(self, entries: Sequence[WaitingEntry]) -> Iterator[WaitingEntry]:
        """Yield the entries of each subject in the order of their numbers, with missing versions; keys come first."""
        groups: dict[str, dict[int, WaitingEntry]] = {}
        for entry in entries:
            subject, number = _split(entry.name)
            groups.setdefault(subject, {})[number] = entry
        preceding = [
            _preceding(f"{subject}#{number}")
            for subject, group in groups.items()
            for number in group
            if number > 1 and number - 1 not in group
        ]
        indexes = self._rows.indexes(preceding) if preceding else {}
        missing = sorted((_split(name) for name in preceding if indexes.get(name) is None), reverse=True)
        incomplete = dict(missing)  # the lowest number of each subject, because it is the last of them
        waiting = {name for name, index in indexes.items() if index is None}
        for subject in sorted(groups, key=lambda subject: not subject.startswith(_PUBLIC_KEY)):
            group = groups[subject]
            if subject.startswith(_RECORD):
                numbered = self._completed(subject, group, incomplete[subject]) if subject in incomplete else group
                yield from (numbered[number] for number in sorted(numbered))
            else:
                yield from takewhile(
                    lambda entry: _preceding(entry.name) not in waiting, (group[number] for number in sorted(group))
                )

    def _completed(self, subject: str, group: Mapping[int, WaitingEntry], missing: int) -> dict[int, WaitingEntry]:
        """Return a record's entries with those of all earlier public versions that have no place in the log.

        `missing` is one of these. If there are more than the limit, the later ones and the entries after them are left
        for another batch. If the history cannot be read, all entries wait, and delay no other record.
        """
        repository, _, key = subject.removeprefix(_RECORD).partition("/")
        last = max(group)
        since = min(entry.since for entry in group.values())
        found: dict[int, WaitingEntry] = {}
        try:
            current = self._records.record(repository, key, consistent=True)
            versions = RecordVersions(current, self._records) if current else None
            earlier = self._from_first_missing(subject, versions, missing, last) if versions else iter(())
            while part := [*islice(earlier, _PART)]:
                entries = (entry for each in part if each.status != RESERVED and (entry := version_entry(each, since)))
                found |= {_split(entry.name)[1]: entry for entry in self._unsettled(entries)}
                if len(found) > self._limit:
                    return found | {number: entry for number, entry in group.items() if number < max(found)}
        except StoreUnavailable as error:
            self._log.error("the versions before an entry of the log cannot be read", extra=_facts(group[last], error))
            return {}
        return found | dict(group)

    def _from_first_missing(self, subject: str, versions: RecordVersions, missing: int, last: int) -> Iterator[Record]:
        """Return the versions before `last` from the first one without a place in the log, at most `missing`.

        Public versions before it have a place, so its number is found by an exponential search.
        """
        low, high = versions.first().version - 1, missing
        while high - low > 1:
            steps = [2**step for step in range((high - low - 1).bit_length())]
            names = {f"{subject}#{high - step}": high - step for step in steps}
            indexes = self._rows.indexes([*names])
            settled = {number for name, number in names.items() if indexes.get(name) is not None}
            low = max(settled, default=low)
            high = min(number for number in (high, *names.values()) if number > low)
        return versions.between(high, last - 1, _PART)

    def _leaves(self, entries: Iterable[WaitingEntry]) -> dict[str, bytes]:
        """Return the leaves of entries by their names. Entries that cannot be added now are left out."""
        leaves: dict[str, bytes] = {}
        signatures = MAX_SIGNATURES
        for entry in entries:
            leaf = entry.leaf
            if not leaf and signatures:
                try:
                    leaf = self._sign(entry.statement)
                    signatures -= 1
                except (InvalidInput, MsgspecError) as error:
                    self._log.error("a statement for the log is invalid", extra=_facts(entry, error))
                except SignerUnavailable as error:
                    self._log.warning("a statement for the log was not signed", extra=_facts(entry, error))
                    signatures = 0
            if len(leaf) > MAX_ENTRY_BYTES:
                self._log.error("an entry of the log is too long", extra={"reason": entry.name})
            elif leaf:
                leaves[entry.name] = leaf.encode()
        return leaves


def _facts(entry: WaitingEntry, error: Exception) -> dict[str, object]:
    return {"reason": f"{entry.name}: {error}"}


def _preceding(name: str) -> str:
    """Return the name of the entry of the revision before.

    >>> _preceding("prefix/mp#3")
    'prefix/mp#2'
    """
    subject, number = _split(name)
    return f"{subject}#{number - 1}"


def _split(name: str) -> tuple[str, int]:
    """Return the subject of an entry's name and its number, 0 if it has none.

    >>> _split("version/r4k2/x5#2"), _split("synonym/go_ref#go#3")
    (('version/r4k2/x5', 2), ('synonym/go_ref#go', 3))
    """
    subject, _, number = name.rpartition("#")
    return (subject, int(number)) if number.isdecimal() else (subject, 0)
