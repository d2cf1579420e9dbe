"""Minting over HTTP: `POST /api/v1/records`."""

from collections.abc import Callable
from dataclasses import dataclass

from coolid.domain.minting import Minter
from coolid.domain.records import Record
from coolid.domain.stores import Store
from coolid.web.amending import RECORDS, record_response
from coolid.web.authority import client_of
from coolid.web.bodies import json_of
from coolid.web.message import Request, Response
from coolid.web.models import MintBody, judged, parse
from coolid.web.routes import Route


@dataclass(frozen=True, slots=True)
class Minting:
    """Takes mints for `minter`, from clients that `store` knows; `minted` hears of each, with its key."""

    minter: Minter
    store: Store
    minted: Callable[[Record, str], None]

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
        judged(body, namespace.repository)
        record = self.minter.mint(wanted, namespace)
        self.minted(record, namespace.repository.rules.validate(record.id))
        return record_response(record, 201).with_headers(Location=record.pid)
