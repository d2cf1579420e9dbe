"""Records over HTTP as their keepers have them: `GET`, `PUT`, `PATCH` and `DELETE /api/v1/records/{pid}`.

A change is made on condition of the version that its author saw (`If-Match`, RFC 9110 section 13.1.1). `PATCH` is a
merge patch (RFC 7396) of what `PUT` takes. `{pid}` is any spelling that resolves, its slashes as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coolid.domain.amending import Amender, Content
from coolid.domain.clients import Client
from coolid.domain.documents import dump
from coolid.domain.errors import Forbidden, InvalidInput, Outdated, UnknownVersion, UnregisteredIdentifier
from coolid.domain.finding import find
from coolid.domain.prefixes import Namespace
from coolid.domain.records import RESERVED, Record
from coolid.domain.references import read
from coolid.domain.resolving import key_under
from coolid.domain.stores import Store
from coolid.web.authority import client_of
from coolid.web.bodies import json_of
from coolid.web.caching import NO_STORE, strong_etag
from coolid.web.errors import PreconditionRequired
from coolid.web.merging import merged
from coolid.web.message import Request, Response
from coolid.web.models import UpdateBody, WithdrawalBody, judged, parse
from coolid.web.routes import Route

RECORDS = "/api/v1/records"
UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Kept:
    """A record where it is kept: the namespace that it was asked for under, and its key."""

    namespace: Namespace
    key: str
    record: Record


@dataclass(frozen=True, slots=True)
class Amending:
    """Shows and changes records in `store`, for clients that it knows; `changed` hears of each change."""

    store: Store
    amender: Amender
    changed: Callable[[str, str], None]

    def routes(self) -> tuple[Route, ...]:
        """The records, by their PIDs; minting is another function's."""
        endpoints = {"GET": self.get, "PUT": self.put, "PATCH": self.patch, "DELETE": self.delete}
        return (Route(RECORDS, {}, elsewhere=("POST",)), Route(RECORDS + "/", endpoints, below=True))

    def get(self, request: Request, path: str) -> Response:
        """The record as it is stored, or its version `?version=`; reserved ones for those who may mint or change it."""
        client = client_of(request, self.store)
        kept = self._kept(path)
        record = self._version(kept, request.parameter("version"))
        if RESERVED in (kept.record.status, record.status):
            _demand_one_of(client, ("mint", UPDATE), kept.namespace.name)
        return record_response(record, 200)

    def put(self, request: Request, path: str) -> Response:
        """A new version with this content."""
        kept = self._to_change(request, path)
        return self._update(kept, parse(UpdateBody, json_of(request)))

    def patch(self, request: Request, path: str) -> Response:
        """A new version with the content that there is, changed by a merge patch."""
        kept = self._to_change(request, path)
        patch = json_of(request)
        if not isinstance(patch, dict):
            raise InvalidInput.at("", "a merge patch of a record is a JSON object")
        return self._update(kept, parse(UpdateBody, merged(_content_document(kept.record), patch)))

    def delete(self, request: Request, path: str) -> Response:
        """Withdraw it: 200 with the tombstone."""
        kept = self._to_change(request, path)
        body = parse(WithdrawalBody, json_of(request))
        return self._written(kept, self.amender.withdraw(kept.record, kept.key, body.reason, body.successor))

    def _update(self, kept: Kept, body: UpdateBody) -> Response:
        locations = judged(body, kept.namespace.repository)
        content = Content(
            locations=locations,
            metadata=body.metadata,
            alternates=tuple(alternate.model_dump() for alternate in body.alternates),
            status=body.status,
            ttl=body.ttl,
        )
        return self._written(kept, self.amender.update(kept.record, kept.key, content))

    def _written(self, kept: Kept, record: Record) -> Response:
        self.changed(record.repository, kept.key)
        return record_response(record, 200)

    def _to_change(self, request: Request, path: str) -> Kept:
        """The record, for a client that may change it and saw its present version."""
        client = client_of(request, self.store)
        kept = self._kept(path)
        client.demand(UPDATE, kept.namespace.name)
        condition = request.header("if-match")
        if condition is None:
            raise PreconditionRequired("a change names the version that it is made from: If-Match with its ETag")
        present = record_response(kept.record, 200).headers["ETag"]
        if present not in (tag.strip() for tag in condition.split(",")) and condition.strip() != "*":
            raise Outdated(kept.record.id, kept.record.version)
        return kept

    def _kept(self, path: str) -> Kept:
        match = find(read(path), self.store)
        if not isinstance(match.prefix, Namespace) or not match.identifier:
            raise UnregisteredIdentifier(match.prefix.name, match.identifier)
        repository = match.prefix.repository
        key = key_under(match.prefix, match.identifier)
        record = self.store.record(repository.id, key, consistent=True)
        if record is None:
            raise UnregisteredIdentifier(match.prefix.name, repository.rules.display(key))
        return Kept(match.prefix, key, record)

    def _version(self, kept: Kept, number: str | None) -> Record:
        record = kept.record
        if number is None or number == str(record.version):
            return record
        digits = number.isascii() and number.isdecimal() and len(number) < 10
        found = self.store.superseded(record.repository, kept.key, int(number)) if digits and int(number) else None
        if found is None:
            raise UnknownVersion(record.pid, number)
        return found


def record_response(record: Record, status: int) -> Response:
    """A record as the management API gives it: never cached, with the tag that changes are guarded by."""
    document = dump(record.to_document())
    headers = {"Content-Type": "application/json", "Cache-Control": NO_STORE, "ETag": strong_etag(document)}
    return Response(status, headers, document)


def _content_document(record: Record) -> dict[str, Any]:
    """What a merge patch is applied to."""
    document = record.to_document()
    return {member: document[member] for member in UpdateBody.model_fields if member in document}


def _demand_one_of(client: Client, verbs: tuple[str, ...], prefix: str) -> None:
    for verb in verbs[:-1]:
        try:
            return client.demand(verb, prefix)
        except Forbidden:
            continue
    return client.demand(verbs[-1], prefix)
