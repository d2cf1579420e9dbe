"""The log of changes: `GET /api/v1/changes`, by whom and when records, names and keys were changed.

A key sees the changes of the repositories under whose prefixes it may mint or update, and no others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.errors import InvalidInput
from coolid.http.authentication import client_of
from coolid.http.json_bodies import document_response
from coolid.http.management.moments import parse_moment
from coolid.http.management.record_access import namespace_named
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, fitting, page_parameters
from coolid.http.routes import Route
from coolid.model.clients import ADMIN, VERBS, Client
from coolid.model.differences import LOCATIONS, Difference, differences
from coolid.model.prefixes import Namespace
from coolid.model.records import Record, format_time
from coolid.model.repositories import Repository
from coolid.records.change_log import (
    CHANGED,
    CREATED,
    KEY,
    PREFIX,
    REPOSITORY,
    REVOKED,
    Change,
    ChangeQuery,
    NameChange,
    VersionChange,
    change_page,
    kind_of,
    position_after,
)
from coolid.registry.visible_repositories import VisibleRepository, visible_repositories
from coolid.store.clients import ClientStore
from coolid.store.pages import all_members
from coolid.store.prefixes import PrefixStore, RepositoryStore
from coolid.store.records import ChangeIndex, RecordReader
from coolid.strict_json import dump

CHANGES: Final = "/api/v1/changes"
MAX_CHANGES: Final = 100
"""On a page, because each version is compared with the one before."""
MAX_REPOSITORIES: Final = 100
"""Whose changes are merged without `?prefix=`."""
MAX_DIFFERENCES: Final = 10
_BATCH: Final = 100
MAX_TEXT: Final = 200
"""Characters of a value before or after a change."""


class ChangeEndpoint(Struct, frozen=True):
    """Lists the changes in `index` for the `clients`."""

    clients: ClientStore
    prefixes: PrefixStore
    repositories: RepositoryStore
    records: RecordReader
    index: ChangeIndex

    def routes(self) -> tuple[Route, ...]:
        return (Route(CHANGES, {"GET": self.get}),)

    def get(self, request: Request, _path: str) -> Response:
        """Return the changes, the newest first, one page at a time."""
        client = client_of(request, self.clients)
        limit, after = page_parameters(request, "changes")
        name = request.parameter("prefix")
        visible = self._visible(client, name)
        if len(visible) > MAX_REPOSITORIES:
            reason = f"there are more than {MAX_REPOSITORIES} repositories; name one with the query parameter prefix"
            raise InvalidInput.at("", reason)
        since, until = (parse_moment(each, request.parameter(each)) for each in ("since", "until"))
        query = ChangeQuery(tuple(visible), since, until, request.parameter("client"), after)
        names = () if query.author else self._name_changes(client, visible.values(), is_whole=name is None)
        page = change_page(query, self.index, names, min(limit, MAX_CHANGES))
        documents = fitting(self._documents(page.changes, client))
        count = len(documents)
        position = page.position if count == len(page.changes) else position_after(page.changes[count - 1])
        following = cursor("changes", position) if position is not None else None
        return document_response(200, {"changes": documents, "next": following})

    def _visible(self, client: Client, name: str | None) -> Mapping[str, VisibleRepository]:
        """Return the repositories that the client may see, or that of a prefix. Raises `Forbidden`, `UnknownPrefix`."""
        visible = visible_repositories(client, self.prefixes, self.repositories)
        if name is None:
            return visible
        named = namespace_named(name, self.prefixes)
        client.require(named.name, *VERBS)
        own = VisibleRepository(named.repository, (named.name,))  # the newest may not be in lists yet
        return {named.repository.id: visible.get(named.repository.id, own)}

    def _name_changes(
        self, client: Client, visible: Iterable[VisibleRepository], *, is_whole: bool
    ) -> Iterator[NameChange]:
        """Yield the creations and last changes of names, as far as they are stored; if `is_whole`, of keys too."""
        names: list[str] = []
        for each in visible:
            names += each.prefixes
            yield from _life(REPOSITORY, each.repository.id, each.repository)
        for start in range(0, len(names), _BATCH):
            rows = self.prefixes.prefixes(names[start : start + _BATCH], consistent=True)
            for prefix in rows.values():
                if isinstance(prefix, Namespace):
                    yield from _life(PREFIX, prefix.name, prefix)
        if is_whole:
            for key in self._keys(client):
                yield NameChange(key.created, CREATED, KEY, key.id)
                if key.revoked is not None:
                    yield NameChange(key.revoked, REVOKED, KEY, key.id)

    def _keys(self, client: Client) -> Iterator[Client]:
        """Yield all keys for an administrator, and the own one for others."""
        if ADMIN not in client.scopes:
            yield client
            return
        yield from all_members(self.clients.list_clients)

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


def _life(subject: str, name: str, stored: Repository | Namespace) -> Iterator[NameChange]:
    yield NameChange(stored.created, CREATED, subject, name)
    if stored.revision > 1:
        yield NameChange(stored.updated, CHANGED, subject, name)


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
