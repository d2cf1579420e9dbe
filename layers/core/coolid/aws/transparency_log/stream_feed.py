"""The feed of the transparency log from the streams of records, of prefixes and of API clients.

Source: "DynamoDB Streams Low-Level API", data types `Record` and `StreamRecord`, as Lambda passes them on. Every state
of a row is an entry, or several, which are added once, however often the stream record arrives. Of a record, the
current row suffices: the sequencer takes versions whose stream records were lost from the record's history.

An unreadable stream record is logged and skipped, because its shard would wait for it. The sweep finds it again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import MsgspecError, json

from coolid.aws.dynamodb.reader import record_of_item
from coolid.aws.dynamodb.table_reader import plain_row
from coolid.errors import StoreUnavailable
from coolid.log.subject_entries import (
    client_entries,
    prefix_entries,
    public_key_entry,
    repository_entry,
    version_entry,
)
from coolid.metric_names import LOG_UNREADABLE
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.ports import Count, Log
from coolid.store.client_rows import client_of
from coolid.store.log import LogRows, WaitingEntry
from coolid.store.rows import CURRENT, KEYS, prefix_of, repository_of

Event = Mapping[str, Any]

_CURRENT: Final = str(CURRENT)
_REPOSITORY: Final = "repository"
"""The attribute `kind` of repositories."""
_UNREADABLE: Final = (StoreUnavailable, MsgspecError, KeyError, TypeError, ValueError, AttributeError)


class StreamFeed:
    """Adds entries to `rows`. Neither logs nor metrics name an identifier."""

    def __init__(self, rows: LogRows, log: Log, count: Count) -> None:
        self._rows = rows
        self._log = log
        self._count = count

    def consume(self, records: Sequence[Event]) -> None:
        """Add the entries of the changed rows. Raises `StoreUnavailable`; then call it again."""
        entries: dict[str, WaitingEntry] = {}
        for record in records:
            try:
                found = _entries_of(record["dynamodb"])
            except _UNREADABLE as error:
                facts = {"event": record.get("eventID"), "reason": type(error).__name__}
                self._log.error("a change cannot be read for the transparency log", extra=facts)
                self._count(LOG_UNREADABLE)
                continue
            for entry in found:
                entries.setdefault(entry.name, entry)
        if entries:
            self._rows.add_entries([*entries.values()])


def _entries_of(change: Mapping[str, Any]) -> Sequence[WaitingEntry]:
    """Return the entries of a row's new state, none for a deletion."""
    image = change.get("NewImage")
    if not image:
        return ()
    since = round(change["ApproximateCreationDateTime"] * 1000)
    if "pid" in change["Keys"]:
        return _entries_of_record(image, since)
    row = plain_row(image)
    return client_entries(client_of(row), since) if "id" in row else _entries_of_prefix(row, since)


def _entries_of_record(item: Mapping[str, Any], since: int) -> Sequence[WaitingEntry]:
    if item["pid"]["S"] == KEYS:
        return () if item["version"]["N"] == _CURRENT else [public_key_entry(json.decode(item["body"]["S"]), since)]
    if item["version"]["N"] != _CURRENT:
        return ()
    entry = version_entry(record_of_item(item), since)
    return [entry] if entry else ()


def _entries_of_prefix(row: Mapping[str, Any], since: int) -> Sequence[WaitingEntry]:
    if row.get("kind") == _REPOSITORY:
        return [repository_entry(repository_of(row["body"], row.get("canonical"), row), since)]
    prefix = prefix_of(row) if row.get("kind") else None
    return prefix_entries(prefix, since) if isinstance(prefix, Namespace | ProviderPrefix) else ()
