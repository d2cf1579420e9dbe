"""API clients: keys of the form `cool_KEYID_SECRET`, of which only a digest is kept, and the scopes that they open.

A scope is `admin`, or a verb and a prefix: `mint:2021/06/mp` covers that prefix and whatever extends it at a
boundary (`2021/06/mp/calculations`), never a mere beginning of letters (`2021/06/mpx`).

>>> covers("mint:2021/06/mp", "mint", "2021/06/mp/calculations"), covers("mint:10.123", "mint", "10.1234")
(True, False)
"""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from datetime import datetime
from typing import Final

from msgspec import Struct

from coolid.errors import Forbidden, Unauthenticated
from coolid.model.prefixes import is_namespace_name
from coolid.ports import Clock, Entropy

ADMIN: Final = "admin"
MINT: Final = "mint"
UPDATE: Final = "update"
VERBS: Final = (MINT, UPDATE)
"""What writers do."""
WATCH: Final = "watch"
"""Reads reports of links, and writes nothing: for keys that are given to readers of feeds, whoever runs these."""
_KEY: Final = re.compile(r"cool_([a-z2-7]{8})_([A-Za-z0-9_-]{43})")
_ID_SYMBOLS: Final = "abcdefghijklmnopqrstuvwxyz234567"
_NOBODYS: Final = "0" * 64
"""Compared with where there is no client: no secret has this digest that anybody could find."""


class Window(Struct, frozen=True):
    """`limit` mints in so many `seconds`."""

    name: str
    limit: int
    seconds: int


class Quota(Struct, frozen=True):
    """How many identifiers a client may mint in a `minute` and in a `day`; None is without limit."""

    minute: int | None = None
    day: int | None = None

    def windows(self) -> tuple[Window, ...]:
        """The limits that there are, the shorter time first."""
        limits = (("minute", self.minute, 60), ("day", self.day, 86_400))
        return tuple(Window(name, limit, seconds) for name, limit, seconds in limits if limit is not None)


class Client(Struct, frozen=True):
    """Who may write: `digest` is the SHA-256 of the secret in hexadecimal (256 random bits need no salt).

    A client that was `revoked` can do nothing any more; its row stays, for versions name it as their author.
    """

    id: str
    digest: str
    scopes: tuple[str, ...]
    created: datetime
    note: str = ""
    quota: Quota | None = None
    revoked: datetime | None = None

    def demand(self, prefix: str, *verbs: str) -> None:
        """Do nothing if a scope covers one of the verbs on the prefix, else raise `Forbidden`."""
        if not self.may(prefix, *verbs):
            raise Forbidden(f"{verbs[0]}:{prefix}")

    def may(self, prefix: str, *verbs: str) -> bool:
        """Whether a scope covers one of the verbs on the prefix."""
        return any(covers(scope, verb, prefix) for scope in self.scopes for verb in verbs)

    def demand_admin(self) -> None:
        """Do nothing for an administrator, else raise `Forbidden`."""
        if ADMIN not in self.scopes:
            raise Forbidden(ADMIN)


def covers(scope: str, verb: str, prefix: str) -> bool:
    """Whether `scope` opens `verb` on the folded name `prefix`."""
    if scope == ADMIN:
        return True
    granted, _, stem = scope.partition(":")
    return granted == verb and (prefix == stem or prefix.startswith((stem + "/", stem + ":")))


def is_scope(scope: str) -> bool:
    """Whether there is such a scope: `admin`, or one of the verbs and a namespace, or the beginning of some."""
    verb, _, prefix = scope.partition(":")
    return scope == ADMIN or (verb in (*VERBS, WATCH) and is_namespace_name(prefix))


def issue(
    scopes: tuple[str, ...], clock: Clock, entropy: Entropy, note: str = "", quota: Quota | None = None
) -> tuple[Client, str]:
    """A new client and its key, which exists nowhere else."""
    client_id = "".join(_ID_SYMBOLS[entropy.below(32)] for _ in range(8))
    secret = urlsafe_b64encode(entropy.token(32)).rstrip(b"=").decode()
    return Client(client_id, digest_of(secret), scopes, clock.now(), note, quota), f"cool_{client_id}_{secret}"


def split_key(key: str) -> tuple[str, str]:
    """The id and the secret of a key; `Unauthenticated` if it is none."""
    match = _KEY.fullmatch(key)
    if not match:
        raise Unauthenticated("an API key looks like cool_KEYID_SECRET")
    return match[1], match[2]


def authenticate(client: Client | None, secret: str) -> Client:
    """The client, if the secret is its own; else `Unauthenticated`, after the same work whether or not it exists."""
    expected = client.digest if client else _NOBODYS
    if not hmac.compare_digest(expected, digest_of(secret)) or client is None or client.revoked:
        raise Unauthenticated("the API key is not known here, or was revoked")
    return client


def digest_of(secret: str) -> str:
    """The SHA-256 of a secret, in hexadecimal."""
    return hashlib.sha256(secret.encode()).hexdigest()
