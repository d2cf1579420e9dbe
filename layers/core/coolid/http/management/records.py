"""Records over HTTP as their keepers have them: `GET`, `PUT`, `PATCH` and `DELETE /api/v1/records/{pid}`.

A change is made on condition of the version that its author saw (`If-Match`, RFC 9110 section 13.1.1). `PATCH` is a
merge patch (RFC 7396) of what `PUT` takes. `{pid}` is any spelling that resolves, its slashes as they are.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from coolid.errors import AlreadyWithdrawn, InvalidInput
from coolid.http.api_documents import ContentBody, WithdrawalBody, judged, parse
from coolid.http.authentication import client_of
from coolid.http.management.merge_patch import merged
from coolid.http.management.record_access import (
    RECORDS,
    StoredRecord,
    record_response,
    require_unchanged,
    stored_record,
    version_of,
)
from coolid.http.message import Request, Response
from coolid.http.request_body import json_of, merge_patch_of
from coolid.http.routes import Route
from coolid.model.clients import UPDATE, Client
from coolid.model.records import WITHDRAWN, Record
from coolid.records.amendment import RecordAmender
from coolid.records.successors import successor_objection
from coolid.store.store import Store


class RecordEndpoint(Struct, frozen=True):
    """Shows and changes records in `store`, for clients that it knows; `changed` hears of each change."""

    store: Store
    amender: RecordAmender
    base_url: str
    changed: Callable[[str, str], None]

    def routes(self) -> tuple[Route, ...]:
        """The records, by their PIDs."""
        endpoints = {"GET": self.get, "PUT": self.put, "PATCH": self.patch, "DELETE": self.delete}
        return (Route(RECORDS + "/", endpoints, below=True),)

    def get(self, request: Request, path: str) -> Response:
        """The record as it is stored, or its version `?version=`; reserved ones for those who may mint or change it."""
        client = client_of(request, self.store)
        place = stored_record(path, self.store, self.base_url, client)
        return record_response(version_of(place, request.parameter("version"), self.store, client), 200)

    def put(self, request: Request, path: str) -> Response:
        """A new version with this content."""
        client, place = self._to_change(request, path)
        return self._update(client, place, parse(ContentBody, json_of(request)))

    def patch(self, request: Request, path: str) -> Response:
        """A new version with the content that there is, changed by a merge patch."""
        client, place = self._to_change(request, path)
        patch = merge_patch_of(request)
        content = _content_document(place.record)
        if patch.get("uri") is not None:  # it stands for a single location: for the one instead of those that there are
            del content["records"]
        return self._update(client, place, parse(ContentBody, merged(content, patch)))

    def delete(self, request: Request, path: str) -> Response:
        """Withdraw it: 200 with the tombstone."""
        client, place = self._to_change(request, path)
        body = parse(WithdrawalBody, json_of(request))
        if body.successor is not None:
            reason = successor_objection(body.successor, place.record, place.key, self.store, self.base_url)
            if reason:
                raise InvalidInput.at("/successor", reason)
        record = self.amender.withdraw(place.record, place.key, body.reason, body.successor, client.id)
        return self._written(place, record)

    def _update(self, client: Client, place: StoredRecord, body: ContentBody) -> Response:
        content = judged(body, place.namespace.repository)
        return self._written(place, self.amender.update(place.record, place.key, content, client.id))

    def _written(self, place: StoredRecord, record: Record) -> Response:
        self.changed(record.repository, place.key)
        return record_response(record, 200)

    def _to_change(self, request: Request, path: str) -> tuple[Client, StoredRecord]:
        """The record, for a client that may change it and saw its present version."""
        client = client_of(request, self.store)
        place = stored_record(path, self.store, self.base_url, client, UPDATE)
        self.amender.demand_home(place.record.repository)
        record = place.record
        if record.status == WITHDRAWN:  # RFC 9110, section 13.2.1: a condition counts where the rest would do
            raise AlreadyWithdrawn(record.id)
        require_unchanged(request, record.id, record.version, record_response(record, 200))
        return client, place


def _content_document(record: Record) -> dict[str, Any]:
    """What a merge patch is applied to."""
    document = record.to_document()
    return {member: document[member] for member in ContentBody.model_fields if member in document}
