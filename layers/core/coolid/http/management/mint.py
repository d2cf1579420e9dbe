"""Minting over HTTP: `POST /api/v1/records`.

A request with an `Idempotency-Key` may be sent again: it is answered with what was minted the first time
(`coolid.records.idempotency`). A client with a quota is told what is left of it (draft-ietf-httpapi-ratelimit-headers).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from coolid.http.api_documents import MintBody, judged, parse
from coolid.http.authentication import client_of
from coolid.http.management.record_access import RECORDS, record_response
from coolid.http.message import Request, Response
from coolid.http.request_body import json_of
from coolid.http.routes import Route
from coolid.model.clients import MINT, Client
from coolid.model.records import Record
from coolid.records.idempotency import IdempotentRequest
from coolid.records.minter import Minter, MintRequest
from coolid.records.quotas import Quotas, QuotaState
from coolid.store.store import Store


class MintEndpoint(Struct, frozen=True):
    """Takes mints for `minter`, from clients that `store` knows, within their `quotas`.

    `minted` hears of each record, with its key.
    """

    minter: Minter
    store: Store
    quotas: Quotas
    minted: Callable[[Record, str], None]

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(RECORDS, {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """Mint one record: 201, with its canonical link as `Location`."""
        client = client_of(request, self.store)
        document = json_of(request)
        errand = errand_of(request, client, document)
        record, allowances = self.mint(client, document, errand)
        response = record_response(record, 201).with_headers(Location=record.pid)
        return response.with_headers(**_limits(allowances)) if allowances else response

    def mint(
        self, client: Client, document: Any, errand: IdempotentRequest | None
    ) -> tuple[Record, Sequence[QuotaState]]:
        """What a document asks to be minted, or what its errand made before; and what is left of the client's quota."""
        made = self.minter.made(errand) if errand else None
        if made:
            return made, ()
        body = parse(MintBody, document)
        namespace = self.minter.namespace(body.prefix)
        client.demand(namespace.name, MINT)
        self.minter.demand_home(namespace.repository.id)
        content = judged(body, namespace.repository)
        wanted = MintRequest(body.prefix, content, body.id, body.parts, client.id)
        allowances = self.quotas.spend(client)
        record = self.minter.mint(wanted, namespace, errand)
        self.minted(record, namespace.repository.rules.validate(record.id))
        return record, allowances


def errand_of(request: Request, client: Client, document: Any, line: int | None = None) -> IdempotentRequest | None:
    """The errand that a request's `Idempotency-Key` names, or one line of it; None without; `BadIdempotencyKey`."""
    key = request.header("idempotency-key")
    if key is None:
        return None
    return IdempotentRequest.of(client.id, key, document, line)


def _limits(allowances: Sequence[QuotaState]) -> Mapping[str, str]:
    """What is left of a quota, each window with its name."""
    policies = (f'"{each.window.name}";q={each.window.limit};w={each.window.seconds}' for each in allowances)
    left = (f'"{each.window.name}";r={each.remaining};t={each.reset}' for each in allowances)
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(left)}
