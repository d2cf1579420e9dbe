"""Minting over HTTP: `POST /api/v1/records`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from coolid.domain.errors import InvalidInput, Violation
from coolid.domain.minting import Minter
from coolid.domain.records import Record
from coolid.domain.stores import Store
from coolid.domain.targets import objection
from coolid.web.authority import client_of
from coolid.web.bodies import json_of
from coolid.web.caching import NO_STORE, strong_etag
from coolid.web.documents import dump
from coolid.web.message import Request, Response
from coolid.web.models import MintBody, parse
from coolid.web.routes import Route

RECORDS: Final = "/api/v1/records"


@dataclass(frozen=True, slots=True)
class Minting:
    """Takes mints for `minter`, from clients that `store` knows; `minted` hears of each."""

    minter: Minter
    store: Store
    minted: Callable[[Record], None]

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(RECORDS, {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """Mint one record: 201, with its canonical link as `Location`."""
        client = client_of(request, self.store)
        body = parse(MintBody, json_of(request))
        wanted = body.to_domain()
        namespace = self.minter.namespace(wanted.prefix)
        client.demand("mint", namespace.name)
        domains = namespace.repository.domains
        judged = ((position, objection(each.uri, domains)) for position, each in enumerate(wanted.locations))
        violations = [Violation(body.pointer_to(position), reason) for position, reason in judged if reason]
        if violations:
            raise InvalidInput(violations)
        record = self.minter.mint(wanted, namespace)
        self.minted(record)
        return record_response(record, 201).with_headers(Location=record.pid)


def record_response(record: Record, status: int) -> Response:
    """A record as the management API gives it: never cached, with the tag that changes are guarded by."""
    document = dump(record.to_document())
    headers = {"Content-Type": "application/json", "Cache-Control": NO_STORE, "ETag": strong_etag(document)}
    return Response(status, headers, document)
