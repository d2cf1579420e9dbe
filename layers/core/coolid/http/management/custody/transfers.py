"""`POST /api/v1/custody/transfers`: the recipient of an offer sends the acceptance, and receives the transfer.

It is public, because the acceptance itself authorises the request.
"""

from msgspec import Struct

from coolid.http.api_documents import Body, parse
from coolid.http.json_bodies import json_of, record_response
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.linkid.custody.other_service import CUSTODY
from coolid.linkid.custody.transfers import CustodyTransfers


class TransferBody(Body):
    """`POST /api/v1/custody/transfers`: the acceptance, a compact JWS."""

    acceptance: str


class TransferEndpoint(Struct, frozen=True):
    """Transfers offered records."""

    transfers: CustodyTransfers

    def routes(self) -> tuple[Route, ...]:
        return (Route(f"{CUSTODY}/transfers", {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """Transfer the record of an acceptance: 200 with the version that says so, also for a repeated acceptance."""
        return record_response(200, self.transfers.accept(parse(TransferBody, json_of(request)).acceptance))
