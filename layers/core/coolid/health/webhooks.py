"""Webhooks: where a repository's keepers want to hear at once that links of theirs broke, moved, or are well again.

The letters are those of Standard Webhooks 1.0 (https://www.standardwebhooks.com): signed with a secret that only the
two sides know, the event's id and the moment of sending included, so that nobody else can write one, nor send an old
one again. However often an event is sent, its id is the same; by that a receiver knows that it has it already.

>>> from coolid.model.conditions import DOWN, UP
>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> told = LinkChange("https://id.example.org/x", "https://a.example/", UP, Condition(DOWN, noon, "it answered 404"))
>>> webhook = Webhook("https://hook.example/", "whsec_" + 44 * "A", noon)
>>> _, headers = signed_message(webhook, event("r4k2-9m3x-62", [told], noon), noon)
>>> headers["webhook-timestamp"], headers["webhook-signature"]
('1777896000', 'v1,...')
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Protocol

from msgspec import Struct

from coolid.identifiers.target_policy import objection
from coolid.model.conditions import Condition
from coolid.model.records import format_time
from coolid.ports import Entropy
from coolid.strict_json import dump

CHANGED: Final = "links.changed"
MOST_CHANGES: Final = 100
MOST_BYTES: Final = 100_000
"""Of changes in one letter; of more it says that there are."""
SECRET: Final = "whsec_"  # noqa: S105 - how one begins
_SECRET_BYTES: Final = 32
_ID_SYMBOLS: Final = 32


class Webhook(Struct, frozen=True):
    """Where letters go, the `secret` that they are signed with, and since when. It never shows its secret unasked."""

    url: str
    secret: str
    since: datetime

    def __repr__(self) -> str:
        return f"Webhook(url={self.url!r}, secret=..., since={self.since!r})"


class LinkChange(Struct, frozen=True):
    """A location `uri` of the record `pid` that was in the state `was`, and what became of it."""

    pid: str
    uri: str
    was: str
    now: Condition

    def to_document(self) -> dict[str, Any]:
        """As it stands in a letter; without what there is not."""
        now = self.now
        told = {
            "pid": self.pid,
            "uri": self.uri,
            "state": now.state,
            "was": self.was,
            "since": format_time(now.since),
            "reason": now.reason or None,
            "lastGood": format_time(now.good) if now.good else None,
            "moved": now.moved,
        }
        return {member: value for member, value in told.items() if value is not None}


class WebhookStore(Protocol):
    """Where webhooks are kept, one of a repository at the most; `StoreUnavailable` where it fails."""

    def webhook(self, repository_id: str) -> Webhook | None:
        """Where a repository's keepers want to hear, as it is now (consistent)."""

    def put_webhook(self, repository_id: str, webhook: Webhook) -> None:
        """Keep a webhook instead of the one that there was."""

    def delete_webhook(self, repository_id: str) -> None:
        """Keep none."""


def url_objection(url: str) -> str | None:
    """Why letters cannot go there, or None if they can: as of targets, and nobody is to read them on the way.

    >>> url_objection("http://hook.example/")
    'it does not begin with https://, and letters are for nobody else to read'
    """
    reason = objection(url)
    if reason is None and not url.lower().startswith("https:"):
        return "it does not begin with https://, and letters are for nobody else to read"
    return reason


def new_secret(entropy: Entropy) -> str:
    """A secret to sign with, as it is told to the receiver: 256 bits in base64."""
    return SECRET + b64encode(entropy.token(_SECRET_BYTES)).decode()


def event(repository_id: str, changes: Sequence[LinkChange], at: datetime) -> dict[str, Any]:
    """What a letter says: which locations of a repository's records changed, as it was seen `at` a moment."""
    told: list[dict[str, Any]] = []
    room = MOST_BYTES
    for change in changes[:MOST_CHANGES]:
        document = change.to_document()
        room -= len(dump(document).encode())
        if room < 0:
            break
        told.append(document)
    more = {"more": True} if len(told) < len(changes) else {}
    return {
        "type": CHANGED,
        "timestamp": format_time(at),
        "data": {"repository": repository_id, "changes": told, **more},
    }


def signed_message(webhook: Webhook, told: Mapping[str, Any], now: datetime) -> tuple[bytes, dict[str, str]]:
    """The body that tells of an `event`, and its headers; signed anew each time that it is sent."""
    body = dump(told).encode()
    event_id = f"msg_{sha256(body).hexdigest()[:_ID_SYMBOLS]}"
    timestamp = str(int(now.timestamp()))
    return body, {
        "Content-Type": "application/json",
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature(webhook.secret, event_id, timestamp, body),
    }


def signature(secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    """The value of `webhook-signature` (Standard Webhooks, "Signature scheme")."""
    key = b64decode(secret.removeprefix(SECRET))
    signed = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, sha256).digest()
    return f"v1,{b64encode(signed).decode()}"
