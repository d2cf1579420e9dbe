"""API clients: keys of the form `cool_KEYID_SECRET`, stored as digests, with scopes and quotas.

A scope is `admin`, or a verb and a prefix: `mint:2021/06/mp` covers that prefix and its extensions at a boundary
(`2021/06/mp/calculations`), but not `2021/06/mpx`.

>>> covers("mint:2021/06/mp", "mint", "2021/06/mp/calculations"), covers("mint:10.123", "mint", "10.1234")
(True, False)
"""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from datetime import date, datetime
from typing import Final

from msgspec import Struct

from coolid.errors import Forbidden, Unauthenticated
from coolid.model.prefixes import is_namespace_name
from coolid.ports import Clock, Entropy

ADMIN: Final = "admin"
MINT: Final = "mint"
UPDATE: Final = "update"
VERBS: Final = (MINT, UPDATE)
"""The verbs that write."""
WATCH: Final = "watch"
"""Reads link reports and writes nothing; for keys in feed readers that others run."""
_KEY: Final = re.compile(r"cool_([a-z2-7]{8})_([A-Za-z0-9_-]{43})")
_ID_SYMBOLS: Final = "abcdefghijklmnopqrstuvwxyz234567"
_IMPOSSIBLE_DIGEST: Final = "0" * 64
"""Compared if the client does not exist; no secret with this digest can be found."""


class Window(Struct, frozen=True):
    """A limit of mints in a number of seconds."""

    name: str
    limit: int
    seconds: int


class Quota(Struct, frozen=True):
    """The maximum number of mints in a `minute` and in a `day`; None is unlimited."""

    minute: int | None = None
    day: int | None = None

    def windows(self) -> tuple[Window, ...]:
        """Return the windows that have a limit, the shorter first."""
        limits = (("minute", self.minute, 60), ("day", self.day, 86_400))
        return tuple(Window(name, limit, seconds) for name, limit, seconds in limits if limit is not None)


class Client(Struct, frozen=True):
    """An API client: `digest` is the SHA-256 of the secret in hexadecimal (256 random bits need no salt).

    A `revoked` client has no access. Its row stays, because versions name it as their author. `last_used` is the day
    (UTC) of its last request, or None before the first one.
    """

    id: str
    digest: str
    scopes: tuple[str, ...]
    created: datetime
    note: str = ""
    quota: Quota | None = None
    revoked: datetime | None = None
    last_used: date | None = None

    def require(self, prefix: str, *verbs: str) -> None:
        """Raise `Forbidden` unless a scope covers one of the verbs on the prefix."""
        if not self.is_allowed(prefix, *verbs):
            raise Forbidden(f"{verbs[0]}:{prefix}")

    def is_allowed(self, prefix: str, *verbs: str) -> bool:
        """Return whether a scope covers one of the verbs on the prefix."""
        return any(covers(scope, verb, prefix) for scope in self.scopes for verb in verbs)

    def require_admin(self) -> None:
        """Raise `Forbidden` unless the client is an administrator."""
        if ADMIN not in self.scopes:
            raise Forbidden(ADMIN)


def covers(scope: str, verb: str, prefix: str) -> bool:
    """Return whether `scope` grants `verb` on the folded name `prefix`."""
    if scope == ADMIN:
        return True
    granted, _, stem = scope.partition(":")
    return granted == verb and (prefix == stem or prefix.startswith((stem + "/", stem + ":")))


def is_scope(scope: str) -> bool:
    """Return whether a text is a scope: `admin`, or a verb and the name of a namespace or of a leading part of one."""
    verb, _, prefix = scope.partition(":")
    return scope == ADMIN or (verb in (*VERBS, WATCH) and is_namespace_name(prefix))


def issue_client(
    scopes: tuple[str, ...], clock: Clock, entropy: Entropy, note: str = "", quota: Quota | None = None
) -> tuple[Client, str]:
    """Return a new client and its key, which is not stored."""
    client_id = "".join(_ID_SYMBOLS[entropy.below(32)] for _ in range(8))
    secret = urlsafe_b64encode(entropy.token(32)).rstrip(b"=").decode()
    return Client(client_id, digest_of(secret), scopes, clock.now(), note, quota), f"cool_{client_id}_{secret}"


def split_key(key: str) -> tuple[str, str]:
    """Return the id and the secret of a key; raise `Unauthenticated` for any other text."""
    match = _KEY.fullmatch(key)
    if not match:
        raise Unauthenticated("an API key looks like cool_KEYID_SECRET")
    return match[1], match[2]


def authenticate(client: Client | None, secret: str) -> Client:
    """Return the client if the secret is its own; else raise `Unauthenticated`, in the same time if it is None."""
    expected = client.digest if client else _IMPOSSIBLE_DIGEST
    if not hmac.compare_digest(expected, digest_of(secret)) or client is None or client.revoked:
        raise Unauthenticated("the API key does not exist or was revoked")
    return client


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret, in hexadecimal."""
    return hashlib.sha256(secret.encode()).hexdigest()
