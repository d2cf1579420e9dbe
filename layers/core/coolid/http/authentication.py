"""Authentication of clients by `Authorization: Bearer cool_KEYID_SECRET` (RFC 6750)."""

from typing import Final

from coolid.errors import Unauthenticated
from coolid.http.message import Request
from coolid.model.clients import Client, authenticate, split_key
from coolid.store.clients import ClientStore

_BEARER: Final = "bearer "


def client_of(request: Request, clients: ClientStore) -> Client:
    """Return the client whose key the request carries. Raises `Unauthenticated` without a valid one."""
    value = request.header("authorization") or ""
    if not value.lower().startswith(_BEARER):
        raise Unauthenticated("the request carries no API key (Authorization: Bearer cool_KEYID_SECRET)")
    client_id, secret = split_key(value[len(_BEARER) :].strip())
    return authenticate(clients.client(client_id), secret)
