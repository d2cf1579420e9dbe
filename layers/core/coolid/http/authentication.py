"""Authentication of clients by an API key, `cool_KEYID_SECRET`.

Clients send it as `Authorization: Bearer` (RFC 6750). Some endpoints also accept `Authorization: Basic`: with the key
as the password and any user name, or with its id as the user name and its secret as the password. Handle clients send
an index and a handle (`300:0.NA/10.5072`) as the user name. It is percent-encoded, because a colon would end the name
(RFC 7617, section 2; Handle.Net Technical Manual, section 14).

>>> from base64 import b64encode
>>> key_in_basic("Basic " + b64encode(b"300%3A0.NA/10.5072:cool_a_b").decode())
'cool_a_b'
>>> key_in_basic("Basic " + b64encode(b"a:b").decode())
'cool_a_b'
"""

from base64 import b64decode
from contextlib import suppress
from typing import Final

from coolid.errors import Unauthenticated, Unavailable
from coolid.http.message import Request
from coolid.model.clients import Client, authenticate, split_key
from coolid.store.clients import ClientStore

_BEARER: Final = "bearer "
_BASIC: Final = "basic "
_BEGINNING: Final = "cool_"


def client_of(request: Request, clients: ClientStore, *, as_password: bool = False) -> Client:
    """Return the client of the request's key, `as_password` also in Basic credentials. Raises `Unauthenticated`.

    The first request of a day stores the day.
    """
    try:
        client_id, secret = split_key(_key_in(request.headers.get("authorization", ""), as_password))
        client = authenticate(clients.client(client_id), secret)
    except Unauthenticated as error:
        error.as_password = as_password
        raise
    with suppress(Unavailable):  # the day of its last use is not worth a failure
        clients.record_use(client)
    return client


def _key_in(header: str, as_password: bool) -> str:
    if as_password and header.lower().startswith(_BASIC):
        return key_in_basic(header)
    if not header.lower().startswith(_BEARER):
        raise Unauthenticated("the request carries no API key (Authorization: Bearer cool_KEYID_SECRET)")
    return header[len(_BEARER) :].strip()


def key_in_basic(header: str) -> str:
    """Return the key in Basic credentials, in which no key has a colon. Raises `Unauthenticated`."""
    try:
        text = b64decode(header[len(_BASIC) :].strip(), validate=True).decode()
    except ValueError:
        raise Unauthenticated("the credentials are not base64 of a name, a colon and an API key") from None
    user, _, password = text.rpartition(":")
    return password if password.startswith(_BEGINNING) else f"{_BEGINNING}{user}_{password}"
