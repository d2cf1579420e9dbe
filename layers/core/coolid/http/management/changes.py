"""The log of changes: `GET /api/v1/changes`, by whom and when records, names and keys were changed.

A key sees the changes of the repositories under whose prefixes it may mint or update, and no others.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct

from coolid.errors import InvalidInput
from coolid.http.authentication import client_of
from coolid.http.json_bodies import document_response
from coolid.http.management.record_access import namespace_named
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, page_length, page_parameters
from coolid.http.routes import Route
from coolid.model.clients import ADMIN, MINT, UPDATE, Client
from coolid.model.differences import LOCATIONS, Difference, differences
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import Record, format_time, parse_time
from coolid.model.repositories import Repository
from coolid.records.change_log import (
    CHANGED,
    CREATED,
    PREFIX,
    REPOSITORY,
    Change,
    ChangeQuery,
    NameChange,
    VersionChange,
    change_page,
    kind_of,
)
from coolid.resolution.caching_reader import CachingReader
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixReader, RepositoryStore
from coolid.store.records import ChangeIndex, RecordReader
from coolid.strict_json import dump

CHANGES: Final = "/api/v1/changes"
MAX_CHANGES: Final = 100
"""On a page, because each version is compared with the one before."""
MAX_REPOSITORIES: Final = 100
"""Whose changes are merged without `?prefix=`."""
MAX_DIFFERENCES: Final = 10
MAX_TEXT: Final = 200
"""Characters of a value before or after a change."""


class ChangeEndpoint(Struct, frozen=True):
    """Lists the changes in `index` for the `clients`. `reader` caches the list of all prefixes."""

    clients: ClientStore
    reader: CachingReader
    prefixes: PrefixReader
    repositories: RepositoryStore
    records: RecordReader
    index: ChangeIndex

    def routes(self) -> tuple[Route, ...]:
        return (Route(CHANGES, {"GET": self.get}),)

    def get(self, request: Request, _path: str) -> Response:
        """Return the changes, the newest first, one page at a time."""
        client = client_of(request, self.clients)
        limit, after = page_parameters(request, "changes")
        names = self._names(client, request.parameter("prefix"))
        repositories = {each.repository.id: each.repository for each in names if isinstance(each, Namespace)}
        if len(repositories) > MAX_REPOSITORIES:
            reason = f"there are more than {MAX_REPOSITORIES} repositories; name one with the query parameter prefix"
            raise InvalidInput.at("", reason)
        query = ChangeQuery(
            tuple(repositories),
            _moment(request, "since"),
            _moment(request, "until"),
            request.parameter("client"),
            after,
        )
        stored = [self.repositories.repository(each) or repositories[each] for each in repositories]
        page = change_page(query, self.index, _name_changes(stored, names), min(limit, MAX_CHANGES))
        documents = self._documents(page.changes, client)
        count = page_length(len(dump(each).encode()) for each in documents)
        position = page.position if count >= len(documents) else "\x1f".join(page.changes[count - 1].place)
        following = cursor("changes", position) if position is not None else None
        return document_response(200, {"changes": documents[:count], "next": following})

    def _names(self, client: Client, name: str | None) -> Sequence[Namespace | ProviderPrefix]:
        """Return the prefixes whose changes the client may see. Raises `Forbidden`, `UnknownPrefix`."""
        with self.reader.for_request() as reader:
            every = reader.all_prefixes()
        if name is None:
            return [
                each
                for each in every
                if (isinstance(each, Namespace) and client.is_allowed(each.name, MINT, UPDATE))
                or (ADMIN in client.scopes and each.revision > 1)
            ]
        named = namespace_named(name, self.prefixes)
        client.require(named.name, MINT, UPDATE)
        aliases = (each for each in every if isinstance(each, Namespace) and each.repository.id == named.repository.id)
        return [
            named,
            *(each for each in aliases if each.name != named.name and client.is_allowed(each.name, MINT, UPDATE)),
        ]

    def _documents(self, changes: Sequence[Change], client: Client) -> list[dict[str, Any]]:
        versions = {
            (each.record.pid, each.record.version): each.record for each in changes if isinstance(each, VersionChange)
        }
        notes: dict[str, str | None] = {}
        found = []
        for change in changes:
            if isinstance(change, NameChange):
                found.append(_name_document(change))
                continue
            record = change.record
            if record.author is not None and record.author not in notes:
                notes[record.author] = self._note(record.author) if ADMIN in client.scopes else None
            replaced = versions.get((record.pid, record.version - 1)) or self._replaced(record)
            found.append(_record_document(record, replaced, notes))
        return found

    def _note(self, client_id: str) -> str | None:
        found = self.clients.client(client_id)
        return (found.note or None) if found else None

    def _replaced(self, record: Record) -> Record | None:
        if record.version == 1:
            return None
        return self.records.superseded(record.repository, record.key, record.version - 1)


def _moment(request: Request, name: str) -> datetime | None:
    """Return the moment in a query parameter. Raises `InvalidInput`."""
    text = request.parameter(name)
    if not text:
        return None
    try:
        moment = parse_time(text)
    except ValueError:
        raise InvalidInput.at("", f"{name} is a moment as RFC 3339 writes it, such as 2025-07-10T14:22:30Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _name_changes(
    repositories: Iterable[Repository], prefixes: Iterable[Namespace | ProviderPrefix]
) -> Iterator[NameChange]:
    """Yield the creations and last changes of names, as far as they are stored."""
    for repository in repositories:
        yield NameChange(repository.created, CREATED, REPOSITORY, repository.id)
        if repository.revision > 1:
            yield NameChange(repository.updated, CHANGED, REPOSITORY, repository.id)
    for prefix in prefixes:
        if isinstance(prefix, Namespace):
            yield NameChange(prefix.created, CREATED, PREFIX, prefix.name)
        if prefix.revision > 1:
            yield NameChange(prefix.updated, CHANGED, PREFIX, prefix.name)


def _name_document(change: NameChange) -> dict[str, Any]:
    return {"at": format_time(change.at), "kind": change.kind, "subject": change.subject, "name": change.name}


def _record_document(record: Record, replaced: Record | None, notes: dict[str, str | None]) -> dict[str, Any]:
    """Return a version as a member of the list: its author, and a short account of what it changed."""
    changed = differences(replaced, record) if replaced is not None else ()
    return {
        "at": format_time(record.updated),
        "kind": kind_of(record, replaced),
        "subject": "record",
        "name": record.pid,
        "repository": record.repository,
        "version": record.version,
        "status": record.status,
        "client": {"id": record.author, "note": notes[record.author]} if record.author is not None else None,
        "members": list(dict.fromkeys(each.member for each in changed)),
        "differences": [_difference_document(each) for each in changed[:MAX_DIFFERENCES]],
        "more": max(len(changed) - MAX_DIFFERENCES, 0),
    }


def _difference_document(difference: Difference) -> dict[str, Any]:
    return {
        "member": difference.member,
        "name": difference.name and _shortened(difference.name),
        "was": _value_text(difference, difference.was),
        "now": _value_text(difference, difference.now),
    }


def _value_text(difference: Difference, values: Sequence[Any]) -> str | None:
    """Return the values before or after a difference as a short text, None if there are none."""
    if not values:
        return None
    if difference.member == LOCATIONS and not (difference.was and difference.now):
        return _shortened(str(difference.name))  # the whole location was added or removed
    return _shortened(", ".join(each if isinstance(each, str) else dump(each) for each in values))


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
