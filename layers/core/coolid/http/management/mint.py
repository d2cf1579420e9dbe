"""The mint endpoint: `POST /api/v1/records`.

A repeated request with the same `Idempotency-Key` returns the record of the first one (`coolid.records.idempotency`).
The response shows the rest of the client's quota, if it has one (draft-ietf-httpapi-ratelimit-headers).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from coolid.http.api_documents import MintBody, parse, validated_content
from coolid.http.authentication import client_of
from coolid.http.json_bodies import json_of, record_response
from coolid.http.management.record_access import RECORDS
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import MINT, Client
from coolid.model.prefixes import Namespace
from coolid.model.records import Record
from coolid.records.idempotency import IdempotentRequest
from coolid.records.minter import Minter, MintRequest
from coolid.records.quotas import Quotas, QuotaState
from coolid.store.clients import ClientStore


class MintEndpoint(Struct, frozen=True):
    """Mints with `minter` for the `clients`, within their `quotas`, and calls `on_minted` with each record."""

    minter: Minter
    clients: ClientStore
    quotas: Quotas
    on_minted: Callable[[Record], None]

    def routes(self) -> tuple[Route, ...]:
        return (Route(RECORDS, {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """Mint one record: 201, with its canonical link as `Location`."""
        client = client_of(request, self.clients)
        document = json_of(request)
        idempotent_request = idempotent_request_of(request, client, document)
        record, quota_states = self.mint(client, document, idempotent_request)
        quota_headers = _quota_headers(quota_states) if quota_states else {}
        return record_response(201, record, Location=record.pid, **quota_headers)

    def mint(
        self, client: Client, document: Any, idempotent_request: IdempotentRequest | None
    ) -> tuple[Record, Sequence[QuotaState]]:
        """Mint a document's record, or return that of an earlier idempotent request; and the rest of the quota."""
        previous = self.minter.minted_before(idempotent_request) if idempotent_request else None
        if previous:
            return previous, ()
        namespace, mint_request = self._parsed(client, document)
        quota_states = self.quotas.spend(client) if client.quota else ()
        record = self.minter.mint(mint_request, namespace, idempotent_request)
        self.on_minted(record)
        return record, quota_states

    def check(self, client: Client, document: Any) -> str | None:
        """Raise the errors that `mint` would raise for a new request. Writes nothing and spends no quota.

        Return the name of the record (`REPOSITORY/KEY`) if the client chose its identifier, else None.
        """
        namespace, mint_request = self._parsed(client, document)
        key = self.minter.check(mint_request, namespace)
        return f"{namespace.repository.id}/{key}" if key is not None else None

    def _parsed(self, client: Client, document: Any) -> tuple[Namespace, MintRequest]:
        """Return the namespace and what to mint under it, if the client may."""
        body = parse(MintBody, document)
        namespace = self.minter.namespace(body.prefix)
        client.require(namespace.name, MINT)
        self.minter.require_home(namespace.repository.id)
        content = validated_content(body, namespace.repository)
        return namespace, MintRequest(content, body.id, body.parts, client.id)


def idempotent_request_of(
    request: Request, client: Client, document: Any, line: int | None = None
) -> IdempotentRequest | None:
    """Return the idempotent request of an `Idempotency-Key`, or of a line; None without. Raises `BadIdempotencyKey`."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return None
    return IdempotentRequest.of(client.id, key, document, line)


def _quota_headers(quota_states: Sequence[QuotaState]) -> Mapping[str, str]:
    """Return the headers for the rest of a quota, each window with its name."""
    policies = (f'"{each.window.name}";q={each.window.limit};w={each.window.seconds}' for each in quota_states)
    left = (f'"{each.window.name}";r={each.remaining};t={each.reset}' for each in quota_states)
    return {"RateLimit_Policy": ", ".join(policies), "RateLimit": ", ".join(left)}
