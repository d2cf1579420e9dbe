"""Lists: the prefixes, and the history of a record."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from coolid.http.authentication import client_of
from coolid.http.errors import BadCursor
from coolid.http.formats.prefixes import prefix_document
from coolid.http.json_bodies import document_response
from coolid.http.management.record_access import stored_record
from coolid.http.message import NUMBER, Request, Response
from coolid.http.pagination import MAX_LIMIT, cursor, fitting, page_parameters
from coolid.http.routes import Route
from coolid.model.clients import MINT, UPDATE
from coolid.model.prefixes import Namespace, ProviderPrefix, fold
from coolid.model.records import RESERVED, Record
from coolid.registry.visible_repositories import require_allowed
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixStore, position_of
from coolid.store.records import RecordReader
from coolid.store.versions import RecordVersions

PREFIXES: Final = "/api/v1/prefixes"
HISTORY: Final = "/api/v1/history/"


class ListEndpoint(Struct, frozen=True):
    """Lists `stored_prefixes` and versions of `stored_records` for the `clients`; `base_url` begins own addresses."""

    clients: ClientStore
    stored_prefixes: PrefixStore
    stored_records: RecordReader
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (
            Route(PREFIXES, {"GET": self.prefixes}),
            Route(HISTORY, {"GET": self.history}, below=True),
        )

    def prefixes(self, request: Request, _path: str) -> Response:
        """Return all prefixes, namespaces first; with `?q=`, those with the text in their name or title."""
        client_of(request, self.clients)
        limit, after = page_parameters(request, "prefixes")
        text = fold(request.parameter("q") or "")
        batch_size = MAX_LIMIT if text else limit  # few of them may match
        found: list[Namespace | ProviderPrefix] = []
        while True:
            batch, after = self.stored_prefixes.list_prefixes(batch_size, after)
            found += [each for each in batch if text in each.name or text in fold(each.title)]
            if after is None or len(found) >= limit:
                break
        if len(found) > limit:  # the next page begins after the last one shown
            after = position_of(found[limit - 1])
        next_cursor = cursor("prefixes", after) if after is not None else None
        return _page("prefixes", [prefix_document(each) for each in found[:limit]], next_cursor)

    def history(self, request: Request, path: str) -> Response:
        """Return the versions and their authors, the newest first, as many as fit on a page.

        Reserved ones are only for clients that may write.
        """
        client = client_of(request, self.clients)
        namespace, current = stored_record(path, self.stored_prefixes, self.stored_records, self.base_url, client)
        versions = RecordVersions(current, self.stored_records)
        lowest = versions.lowest()
        if lowest.status == RESERVED:  # reserved versions precede all others
            require_allowed(client, namespace, self.stored_prefixes, MINT, UPDATE)
        name = f"history {current.repository}/{current.key}"
        limit, after = page_parameters(request, name)
        last = current.version if after is None else _number(after) - 1
        is_limited = request.parameter("limit") is not None
        newest_first = versions.newest_first(last, limit if is_limited else MAX_LIMIT)
        listed = fitting(map(_version_document, islice(newest_first, limit if is_limited else None)))
        if any(each["record"]["status"] == RESERVED for each in listed):  # in an edited export also after public ones
            require_allowed(client, namespace, self.stored_prefixes, MINT, UPDATE)
        has_more = bool(listed) and listed[-1]["version"] > lowest.version
        return _page("versions", listed, cursor(name, str(listed[-1]["version"])) if has_more else None)


def _version_document(version: Record) -> dict[str, Any]:
    return {"version": version.version, "author": version.author, "record": version.to_document()}


def _number(position: str) -> int:
    """Return the number of a version that a cursor names. Raises `BadCursor`."""
    if not re.fullmatch(NUMBER, position):
        raise BadCursor("the cursor is malformed")
    return int(position)


def _page(name: str, documents: Sequence[dict[str, Any]], next_cursor: str | None) -> Response:
    return document_response(200, {name: documents, "next": next_cursor})
