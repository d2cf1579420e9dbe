"""Lists over HTTP, page by page: the records of a prefix, the prefixes, and the history of a record."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.errors import InvalidInput, UnknownPrefix
from coolid.http.authentication import client_of
from coolid.http.formats import prefixes
from coolid.http.management.record_access import RECORDS, stored_record
from coolid.http.message import Request, Response
from coolid.http.pagination import MOST, cursor, page_of
from coolid.http.request_body import stored
from coolid.http.routes import Route
from coolid.model.clients import MINT, UPDATE
from coolid.model.prefixes import Namespace, ProviderPrefix, fold
from coolid.model.records import RESERVED, Record
from coolid.registry.prefix_lookup import lookup
from coolid.store.reader import position_of
from coolid.store.store import Store
from coolid.strict_json import dump

PREFIXES: Final = "/api/v1/prefixes"
HISTORY: Final = "/api/v1/history/"
MOST_BYTES: Final = 4_000_000
"""A page of records is cut before it has more: a Lambda function's answer has at most 6 MB."""


class ListEndpoint(Struct, frozen=True):
    """Lists what is in `store`, for clients that it knows; `base_url` begins every link to ourselves."""

    store: Store
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Three addresses."""
        return (
            Route(RECORDS, {"GET": self.records}, elsewhere=("POST",)),
            Route(PREFIXES, {"GET": self.prefixes}),
            Route(HISTORY, {"GET": self.history}, below=True),
        )

    def records(self, request: Request, _path: str) -> Response:
        """The records of the repository that `?prefix=` names, reserved and withdrawn ones too."""
        client = client_of(request, self.store)
        name = request.parameter("prefix")
        if not name:
            raise InvalidInput.at("", "the query parameter prefix is missing")
        prefix = lookup(name, self.store, consistent=True)
        if prefix is None:
            raise UnknownPrefix(name)
        if not isinstance(prefix, Namespace):
            raise InvalidInput.at("", f"{name!a} names identifiers that are kept elsewhere, not a repository")
        client.demand(prefix.name, MINT, UPDATE)
        repository = prefix.repository
        limit, after = page_of(request, repository.id)
        found, last = self.store.list_records(repository.id, limit, after)
        documents: list[dict[str, Any]] = []
        room = MOST_BYTES
        for record in found:
            document = record.to_document()
            room -= len(dump(document).encode())
            if room < 0 and documents:  # the next page begins here
                last = repository.rules.validate(documents[-1]["id"])
                break
            documents.append(document)
        return _page("records", documents, cursor(repository.id, last) if last is not None else None)

    def prefixes(self, request: Request, _path: str) -> Response:
        """All prefixes, namespaces first; those in whose name or title `?q=` occurs, if it is given."""
        client_of(request, self.store)
        limit, after = page_of(request, "prefixes")
        wanted = fold(request.parameter("q") or "")
        at_once = MOST if wanted else limit  # few of those that are looked through may be wanted
        found: list[Namespace | ProviderPrefix] = []
        while True:
            some, after = self.store.list_prefixes(at_once, after)
            found += [each for each in some if wanted in each.name or wanted in fold(each.title)]
            if after is None or len(found) >= limit:
                break
        if len(found) > limit:  # the next page begins behind the last that is shown
            after = position_of(found[limit - 1])
        behind = cursor("prefixes", after) if after is not None else None
        return _page("prefixes", [prefixes.document(each) for each in found[:limit]], behind)

    def history(self, request: Request, path: str) -> Response:
        """All versions of a record, the newest first, each with the client that wrote it.

        Of a public record that was reserved once, for those who may mint or update under its prefix.
        """
        client = client_of(request, self.store)
        place = stored_record(path, self.store, self.base_url, client)
        versions = self.store.history(place.record.repository, place.key)
        if any(version.status == RESERVED for version in versions):
            client.demand(place.namespace.name, MINT, UPDATE)
        return stored(200, {"versions": [_version(version) for version in versions]})


def _version(record: Record) -> dict[str, Any]:
    return {"version": record.version, "author": record.author, "record": record.to_document()}


def _page(name: str, documents: Sequence[dict[str, Any]], behind: str | None) -> Response:
    return stored(200, {name: documents, "next": behind})
