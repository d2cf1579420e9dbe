"""`POST /api/v1/custody/acceptances`: accept a LinkID that the service of another operator offers to this one."""

from functools import partial
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace
from pydantic import Field

from coolid.errors import InvalidInput
from coolid.http.api_documents import Body, ContentBody, parse, validated_content
from coolid.http.authentication import client_of
from coolid.http.json_bodies import json_of, record_response
from coolid.http.management.custody.offers import linkid_of, other_service
from coolid.http.management.record_changes import content_document
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.linkid.custody.acceptances import AcceptanceRequest, CustodyAcceptances
from coolid.linkid.custody.other_service import CUSTODY
from coolid.model.clients import MINT
from coolid.model.custody import MEMBER
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, Record
from coolid.records.custody.linkid_records import linkid_keys, linkid_record
from coolid.records.minter import HomeCheck
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixStore
from coolid.store.records import RecordReader


class AcceptanceBody(Body):
    """`POST /api/v1/custody/acceptances`: the LinkID, and the public base URL of the service that offers it."""

    linkid: str
    sender: Annotated[str, Field(alias="from")]


class AcceptanceEndpoint(Struct, frozen=True):
    """Accepts records for the `clients` that may mint LinkIDs."""

    clients: ClientStore
    prefixes: PrefixStore
    records: RecordReader
    acceptances: CustodyAcceptances
    require_home: HomeCheck
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(f"{CUSTODY}/acceptances", {"POST": self.post}),)

    def post(self, request: Request, _path: str) -> Response:
        """Accept a record: 200 with the first own version, or with the current one if it was accepted before."""
        client = client_of(request, self.clients)
        body = parse(AcceptanceBody, json_of(request))
        namespace, name = linkid_of(body.linkid, self.prefixes, "/linkid")
        client.require(namespace.name, MINT)
        self.require_home(namespace.repository.id)
        keys = linkid_keys(namespace, name)
        if not keys:
            raise InvalidInput.at("/linkid", "the rules of the repository refuse it")
        current = linkid_record(namespace, name, self.records)
        sender = other_service(body.sender, "/from", self.base_url)
        key = current.key if current is not None else keys[0]
        check = partial(_require_allowed, namespace)
        accepted = AcceptanceRequest(name, key, sender, namespace, client.id, check)
        return record_response(200, self.acceptances.accept(accepted))


def _require_allowed(namespace: Namespace, offer: Record) -> None:
    """Raise the `InvalidInput` that a mint of the same content under the namespace would raise."""
    metadata = {name: value for name, value in offer.metadata.items() if name != MEMBER}
    document = content_document(replace(offer, metadata=metadata, status=ACTIVE))
    validated_content(parse(ContentBody, document), namespace.repository)
