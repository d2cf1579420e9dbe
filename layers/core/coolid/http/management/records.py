"""The record endpoint for managers: `GET`, `PUT`, `PATCH` and `DELETE /api/v1/records/{pid}`.

A change requires `If-Match` with the current version (RFC 9110, section 13.1.1). `PATCH` is a merge patch (RFC 7396) of
the document that `PUT` takes. `{pid}` is any spelling that resolves, with slashes as they are or encoded as a whole
(`coolid.registry.references.is_encoded_whole`).
"""

from collections.abc import Callable

from msgspec import Struct

from coolid.errors import AlreadyWithdrawn
from coolid.http.api_documents import ContentBody, parse, validated_content
from coolid.http.authentication import client_of
from coolid.http.json_bodies import json_of, merge_patch_of, record_response
from coolid.http.management.record_access import RECORDS, carry_out_change, require_unchanged, stored_record, version_of
from coolid.http.management.record_changes import patched_body, withdrawal_of
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import UPDATE, Client
from coolid.model.prefixes import Namespace
from coolid.model.records import WITHDRAWN, Record
from coolid.records.amendment import RecordAmender
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixStore
from coolid.store.records import RecordReader


class RecordEndpoint(Struct, frozen=True):
    """Shows and changes `records` for the `clients`; `on_change` is called with repository and key."""

    clients: ClientStore
    prefixes: PrefixStore
    records: RecordReader
    amender: RecordAmender
    base_url: str
    on_change: Callable[[str, str], None]

    def routes(self) -> tuple[Route, ...]:
        endpoints = {"GET": self.get, "PUT": self.put, "PATCH": self.patch, "DELETE": self.delete}
        return (Route(RECORDS + "/", endpoints, below=True),)

    def get(self, request: Request, path: str) -> Response:
        """Return the record or its version `?version=`; reserved ones only to clients that may mint or update."""
        client = client_of(request, self.clients)
        namespace, record = stored_record(path, self.prefixes, self.records, self.base_url, client)
        return record_response(
            200, version_of(namespace, record, request.parameter("version"), self.prefixes, self.records, client)
        )

    def put(self, request: Request, path: str) -> Response:
        """Write a new version with the content of the body."""
        return carry_out_change(request, lambda: self._put(request, path))

    def patch(self, request: Request, path: str) -> Response:
        """Write a new version with the content changed by a merge patch."""
        return carry_out_change(request, lambda: self._patch(request, path))

    def delete(self, request: Request, path: str) -> Response:
        """Withdraw the record: 200 with the tombstone."""
        return carry_out_change(request, lambda: self._delete(request, path))

    def _put(self, request: Request, path: str) -> Response:
        client, namespace, record = self._record_to_change(request, path)
        return self._update(client, namespace, record, parse(ContentBody, json_of(request)))

    def _patch(self, request: Request, path: str) -> Response:
        client, namespace, record = self._record_to_change(request, path)
        return self._update(client, namespace, record, patched_body(record, merge_patch_of(request)))

    def _delete(self, request: Request, path: str) -> Response:
        client, _, record = self._record_to_change(request, path)
        body = withdrawal_of(record, json_of(request), self.prefixes, self.base_url)
        return self._changed_response(
            self.amender.withdraw(record, body.reason, body.successor, client.id, state=body.state)
        )

    def _update(self, client: Client, namespace: Namespace, record: Record, body: ContentBody) -> Response:
        content = validated_content(body, namespace.repository)
        return self._changed_response(self.amender.update(record, content, client.id))

    def _changed_response(self, record: Record) -> Response:
        self.on_change(record.repository, record.key)
        return record_response(200, record)

    def _record_to_change(self, request: Request, path: str) -> tuple[Client, Namespace, Record]:
        """Return the client, the namespace and the record, if it may change it and names its current version."""
        client = client_of(request, self.clients)
        namespace, record = stored_record(path, self.prefixes, self.records, self.base_url, client, UPDATE)
        self.amender.require_home(record.repository)
        if record.status == WITHDRAWN:  # RFC 9110, section 13.2.1: conditions come last
            raise AlreadyWithdrawn(record.id)
        require_unchanged(request, record.id, record.version, record_response(200, record))
        return client, namespace, record
