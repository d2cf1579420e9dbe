"""Lists of records for managers: `GET /api/v1/records`, with filters and searches.

With `prefix` alone, it is the list of a repository in the order of its keys, as since the first release. Every other
list is a search, newest first, and has the health of its records beside them. A PID in `q`, in any spelling, finds its
record; an identifier without its prefix does so if no record has it as a word.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final, get_args
from urllib.parse import quote

import can_ada
from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import BadReference, InvalidIdentifier, InvalidInput, NotFound
from coolid.http.authentication import client_of
from coolid.http.json_bodies import document_response
from coolid.http.management.moments import parse_moment
from coolid.http.management.record_access import RECORDS, namespace_named
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, fitting, page_parameters
from coolid.http.routes import Route
from coolid.model.clients import MINT, UPDATE, Client
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Record
from coolid.model.repositories import Repository
from coolid.recognition.unwrap import reference_of_parameter
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.visible_repositories import visible_repositories
from coolid.resolution.identifier_spellings import first_record, keys_under
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixStore, RepositoryStore
from coolid.store.record_search import Order, RecordQuery, RecordSearch
from coolid.store.records import RecordStore
from coolid.store.search_terms import HEALTH, query_terms, record_health
from coolid.strict_json import dump

MAX_REPOSITORIES: Final = 500
"""The most repositories of one search. Keys that see more must name a prefix."""
MAX_TEXT: Final = 500
"""The most characters of `q`."""
_MAX_READINGS: Final = 20
"""The most repositories by whose rules `q` is read as an identifier without its prefix."""
_BY_KEY: Final = "pid"
_VALUES: Final[Mapping[str, Sequence[str]]] = {
    "status": (ACTIVE, RESERVED, WITHDRAWN),
    "health": HEALTH,
    "sort": (*get_args(Order), _BY_KEY),
}
"""The values of the parameters that have a choice."""
_NARROWING: Final = ("q", "status", "target_host", "health", "updated_after")
_HOST: Final = r"[^\s/?#@:\[\]\\]+|\[[0-9A-Fa-f:.]+\]"
_NO_PID: Final = (BadReference, InvalidIdentifier, NotFound)
"""The errors of texts that are no PID of this service."""


class RecordListEndpoint(Struct, frozen=True):
    """Lists and searches `records` for the `clients`; `base_url` begins own addresses."""

    clients: ClientStore
    prefixes: PrefixStore
    repositories: RepositoryStore
    records: RecordStore
    record_search: RecordSearch
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(RECORDS, {"GET": self.get}, other_methods=("POST",)),)

    def get(self, request: Request, _path: str) -> Response:
        """Return the records that match and that the client may see, reserved and withdrawn ones too."""
        client = client_of(request, self.clients)
        wanted = {name: text for name in (*_NARROWING, "sort", "prefix") if (text := request.parameter(name))}
        _check_values(wanted)
        if "prefix" in wanted and not wanted.keys() - {"prefix", "sort"} and wanted.get("sort", _BY_KEY) == _BY_KEY:
            return self._list(request, self._repository(client, wanted["prefix"]))
        if wanted.get("sort") == _BY_KEY:
            raise InvalidInput.at("", f"sort={_BY_KEY} is for the list of one prefix, without further parameters")
        return self._search(request, wanted, self._visible(client, wanted.get("prefix")))

    def _list(self, request: Request, repository: Repository) -> Response:
        """Return a page of a repository in the order of its keys."""
        limit, after = page_parameters(request, repository.id)
        found, last = self.records.list_records(repository.id, limit, after)
        documents = _fitting(found)
        if len(documents) < len(found):
            last = found[len(documents) - 1].key
        return _page(documents, repository.id, last)

    def _search(self, request: Request, wanted: Mapping[str, str], visible: Mapping[str, Repository]) -> Response:
        """Return a page of a search."""
        query = RecordQuery(
            tuple(visible), _terms(wanted), parse_moment("updated_after", wanted.get("updated_after")), _order(wanted)
        )
        name = f"records {sha256(dump(sorted(wanted.items())).encode()).hexdigest()[:16]}"
        limit, after = page_parameters(request, name)
        if not visible:
            return _page([], name, None, {})
        text = wanted.get("q", "").strip() if after is None else ""
        filters = replace(query, terms=_terms({**wanted, "q": ""}))
        named = self._named(text, filters, visible)
        found, last = ([named], None) if named else self.record_search.search(query, limit, after)
        if text and not found and last is None:
            found = self._read_by_rules(text, filters, visible)[:limit]
        documents = _fitting(found)
        if len(documents) < len(found):  # only the index has the position after a record
            found, last = self.record_search.search(query, len(documents), after)
        health = {record.pid: record_health(record) for record in found}
        return _page([record.to_document() for record in found], name, last, health)

    def _repository(self, client: Client, prefix: str) -> Repository:
        """Return the repository of a prefix, if the client may mint or update under it."""
        namespace = namespace_named(prefix, self.prefixes)
        client.require(namespace.name, MINT, UPDATE)
        return namespace.repository

    def _visible(self, client: Client, prefix: str | None) -> Mapping[str, Repository]:
        """Return the repositories to search: that of the prefix, or all that the client may see."""
        if prefix:
            repository = self._repository(client, prefix)
            return {repository.id: repository}
        found = visible_repositories(client, self.prefixes, self.repositories)
        if len(found) > MAX_REPOSITORIES:
            raise InvalidInput.at("", f"the key sees more than {MAX_REPOSITORIES} repositories, so prefix is required")
        return {repository_id: each.repository for repository_id, each in found.items()}

    def _named(self, text: str, query: RecordQuery, visible: Mapping[str, Repository]) -> Record | None:
        """Return the record whose PID is the text, in any spelling, if it also matches the other parameters."""
        if not text or any(map(str.isspace, text)):
            return None
        try:
            match = find_prefix(reference_of_parameter(quote(text, safe=""), self.base_url), self.prefixes)
            if not isinstance(match.prefix, Namespace) or match.prefix.repository.id not in visible:
                return None
            keys = keys_under(match.prefix, match.identifier)
            record = first_record(keys, partial(self.records.record, match.prefix.repository.id))
        except _NO_PID:
            return None
        return record if record and query.matches(record) else None

    def _read_by_rules(self, text: str, query: RecordQuery, visible: Mapping[str, Repository]) -> Sequence[Record]:
        """Return the records that have the text, in any spelling, as their identifier without a prefix."""
        found: list[Record | None] = []
        for repository in [*visible.values()][:_MAX_READINGS]:
            try:
                key = repository.rules.validate(text)
            except InvalidIdentifier:
                continue
            found.append(self.records.record(repository.id, key))
        return [record for record in found if record and query.matches(record)]


def _check_values(wanted: Mapping[str, str]) -> None:
    """Raise `InvalidInput` for a parameter with another value than it can have."""
    for name, values in _VALUES.items():
        if name in wanted and wanted[name] not in values:
            raise InvalidInput.at("", f"{name} is one of {', '.join(values)}")
    if len(wanted.get("q", "")) > MAX_TEXT:
        raise InvalidInput.at("", f"q has more than {MAX_TEXT} characters")
    if "q" in wanted and wanted["q"].strip() and not query_terms(wanted["q"]):
        raise InvalidInput.at("", "q has no letters or digits")


def _terms(wanted: Mapping[str, str]) -> tuple[str, ...]:
    host = _host(wanted["target_host"]) if "target_host" in wanted else None
    return query_terms(wanted.get("q", ""), status=wanted.get("status"), target_host=host, health=wanted.get("health"))


def _host(text: str) -> str:
    """Return a domain name or IP address in the form of targets. Raises `InvalidInput`.

    >>> _host("MÜNCHEN.example."), _host("[2001:DB8::1]")
    ('xn--mnchen-3ya.example', '[2001:db8::1]')
    """
    if re.fullmatch(_HOST, text):
        try:
            return str(can_ada.parse(f"https://{text}/").hostname).rstrip(".")
        except ValueError:
            pass
    raise InvalidInput.at("", "target_host is a domain name, such as www.example.org")


def _order(wanted: Mapping[str, str]) -> Order:
    return "updated" if wanted.get("sort") == "updated" else "-updated"


def _fitting(records: Sequence[Record]) -> Sequence[dict[str, Any]]:
    """Return the documents of the first records, as many as fit on a page."""
    return fitting([record.to_document() for record in records])


def _page(
    documents: Sequence[dict[str, Any]], name: str, last: str | None, health: Mapping[str, str] | None = None
) -> Response:
    page: dict[str, Any] = {"records": documents, "next": cursor(name, last) if last is not None else None}
    return document_response(200, page if health is None else page | {"health": health})
