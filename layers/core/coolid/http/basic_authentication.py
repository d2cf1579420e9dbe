"""Authentication by `Authorization: Basic`, with an API key as the password and any user name.

Handle.Net Technical Manual, section 14: a user is an index and a handle (`300:0.NA/10.5072`), percent-encoded, because
its colon would end it (RFC 7617, section 2). Here the key alone identifies the client, so the name is ignored.
`Authorization: Bearer` with the key works as well.

>>> from base64 import b64encode
>>> key_in("Basic " + b64encode(b"300%3A0.NA/10.5072:cool_a_b").decode())
'cool_a_b'
"""

from base64 import b64decode
from typing import Final

from coolid.errors import Unauthenticated
from coolid.http.authentication import client_of
from coolid.http.message import Request
from coolid.model.clients import Client, authenticate, split_key
from coolid.store.clients import ClientStore

_BASIC: Final = "basic "


def writer_of(request: Request, clients: ClientStore) -> Client:
    """Return the client whose key the request carries. Raises `Unauthenticated` without a valid one."""
    value = request.header("authorization") or ""
    if not value.lower().startswith(_BASIC):
        return client_of(request, clients)
    client_id, secret = split_key(key_in(value))
    return authenticate(clients.client(client_id), secret)


def key_in(header: str) -> str:
    """Return the password in a Basic header. Raises `Unauthenticated` if there is none.

    The password follows the last colon, because keys have none but unencoded names do.
    """
    try:
        text = b64decode(header[len(_BASIC) :].strip(), validate=True).decode()
    except ValueError:
        raise Unauthenticated("the credentials are not base64 of a name, a colon and an API key") from None
    return text.rpartition(":")[2]
