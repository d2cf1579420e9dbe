"""Offers: `PUT` and `DELETE /api/v1/custody/{pid}`, and the public `GET /api/v1/custody/{linkid}`.

`PUT` offers a record to the service of another operator, `DELETE` revokes the offer. Both require `If-Match`. `GET`
returns the public versions of a LinkID's record, which the other service copies.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from coolid.errors import InvalidIdentifier, InvalidInput, UnregisteredIdentifier, UsageError
from coolid.http.api_documents import Body, parse
from coolid.http.authentication import client_of
from coolid.http.json_bodies import document_response, json_of, record_response
from coolid.http.management.record_access import carry_out_change, require_unchanged, stored_record
from coolid.http.message import NUMBER, Request, Response
from coolid.http.routes import Route
from coolid.identifiers.schemes import linkid
from coolid.linkid.custody.other_service import CUSTODY
from coolid.linkid.custody_evidence import is_pid_of
from coolid.linkid.trusted_resolvers import base_url_of
from coolid.model.clients import UPDATE, Client
from coolid.model.custody import authority_of
from coolid.model.prefixes import Namespace
from coolid.model.records import RESERVED, Record
from coolid.records.amendment import RecordAmender
from coolid.records.custody.linkid_records import linkid_namespace, linkid_record
from coolid.records.custody.versions import CustodyVersions
from coolid.registry.references import decode
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixReader, PrefixStore
from coolid.store.records import RecordReader
from coolid.store.versions import RecordVersions

PAGE_VERSIONS: Final = 100
PAGE_BYTES: Final = 1_000_000
"""The size of a page, except that the first version is always included."""


class OfferBody(Body):
    """`PUT /api/v1/custody/{pid}`: the public base URL of the recipient."""

    to: str


class OfferEndpoint(Struct, frozen=True):
    """Offers `records` for the `clients`; `on_change` is called with repository and key."""

    clients: ClientStore
    prefixes: PrefixStore
    records: RecordReader
    amender: RecordAmender
    versions: CustodyVersions
    base_url: str
    on_change: Callable[[str, str], None]

    def routes(self) -> tuple[Route, ...]:
        return (Route(CUSTODY + "/", {"GET": self.get, "PUT": self.put, "DELETE": self.delete}, below=True),)

    def get(self, request: Request, path: str) -> Response:
        """Return a page of the versions of a LinkID's record, the oldest first, after the version `?after=`."""
        namespace, name = linkid_of(decode(path), self.prefixes)
        record = linkid_record(namespace, name, self.records)
        if record is None or record.status == RESERVED:
            raise UnregisteredIdentifier(namespace.name, name)
        versions = RecordVersions(record, self.records)
        first = max(versions.first().version, _number_of(request.parameter("after")) + 1)
        following = versions.between(first, record.version, PAGE_VERSIONS)
        listed = _page(islice((each for each in following if each.status != RESERVED), PAGE_VERSIONS))
        is_last = not listed or listed[-1].version >= record.version
        return document_response(200, _page_document(record, name, listed, is_last=is_last))

    def put(self, request: Request, path: str) -> Response:
        """Write the version with the offer."""
        return carry_out_change(request, lambda: self._put(request, path))

    def delete(self, request: Request, path: str) -> Response:
        """Write the version without the offer."""
        return carry_out_change(request, lambda: self._delete(request, path))

    def _put(self, request: Request, path: str) -> Response:
        client, record = self._record_to_change(request, path)
        recipient = other_service(parse(OfferBody, json_of(request)).to, "/to", self.base_url)
        self._require_linkid(record)
        return self._changed_response(self.versions.offer(record, recipient, client.id))

    def _delete(self, request: Request, path: str) -> Response:
        client, record = self._record_to_change(request, path)
        return self._changed_response(self.versions.revocation(record, client.id))

    def _record_to_change(self, request: Request, path: str) -> tuple[Client, Record]:
        client = client_of(request, self.clients)
        _, record = stored_record(path, self.prefixes, self.records, self.base_url, client, UPDATE)
        self.amender.require_home(record.repository)
        require_unchanged(request, record.id, record.version, record_response(200, record))
        return client, record

    def _require_linkid(self, record: Record) -> None:
        """Raise `InvalidInput` unless the record is found by its LinkID."""
        namespace = linkid_namespace(self.prefixes)
        if namespace is None or namespace.repository.id != record.repository:
            raise InvalidInput.at("", "it has no LinkID here, because its repository does not have the prefix linkid")
        name = linkid.format(record.id)
        if not linkid.is_valid(name):
            raise InvalidInput.at("", "it has no LinkID, because its identifier is no UUID")
        if not is_pid_of(record.pid, record.issuer, name):
            reason = "its PID is under another prefix than linkid and lid, so its proofs are not about the LinkID"
            raise InvalidInput.at("", reason)

    def _changed_response(self, record: Record) -> Response:
        self.on_change(record.repository, record.key)
        return record_response(200, record)


def linkid_of(text: str, prefixes: PrefixReader, pointer: str | None = None) -> tuple[Namespace, str]:
    """Return the namespace of LinkIDs of this service, and a LinkID in its canonical form.

    Raises `InvalidIdentifier`, or `InvalidInput` with the pointer to the member, and `UnregisteredIdentifier` if this
    service has no LinkIDs.
    """
    try:
        name = linkid.canonical(text)
    except InvalidIdentifier as error:
        if pointer is None:
            raise
        raise InvalidInput.at(pointer, str(error)) from error
    namespace = linkid_namespace(prefixes)
    if namespace is not None:
        return namespace, name
    if pointer is None:
        raise UnregisteredIdentifier(linkid.NAME, text)
    raise InvalidInput.at(pointer, "this service has no repository with the prefix linkid")


def other_service(text: str, pointer: str, base_url: str) -> str:
    """Return the public base URL of another service. Raises `InvalidInput` with the pointer to the member."""
    try:
        url = base_url_of(text, "the service")
    except UsageError as error:
        raise InvalidInput.at(pointer, str(error)) from error
    if url == base_url:
        raise InvalidInput.at(pointer, "it is this service itself")
    return url


def _page(versions: Iterable[Record]) -> list[Record]:
    """Return the first versions that fit into a page."""
    listed: list[Record] = []
    size = 0
    for version in versions:
        size += len(document_response(200, version.to_document()).body)
        if listed and size > PAGE_BYTES:
            break
        listed.append(version)
    return listed


def _page_document(record: Record, name: str, listed: Sequence[Record], *, is_last: bool) -> dict[str, Any]:
    return {
        "linkid": name,
        "pid": record.pid,
        "version": record.version,
        "issuer": record.issuer,
        "authority": authority_of(record),
        "versions": [each.to_document() for each in listed],
        "next": None if is_last else listed[-1].version,
    }


def _number_of(text: str | None) -> int:
    """Return the number of a version, 0 without one. Raises `InvalidInput`."""
    if text is None:
        return 0
    if not re.fullmatch(f"0|{NUMBER}", text):
        raise InvalidInput.at("/after", "it is not the number of a version")
    return int(text)
