"""Webhooks, which notify a repository's managers when its links break, move or recover.

Notices follow Standard Webhooks 1.0 (https://www.standardwebhooks.com). The signature covers the event's id and the
time of sending, so that nobody else can forge or replay a notice. An event keeps its id when it is sent again, and the
receiver can discard duplicates.

>>> from coolid.model.conditions import DOWN, UP
>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> change = LinkChange("https://id.example.org/x", "https://a.example/", UP, Condition(DOWN, noon, "it answered 404"))
>>> webhook = Webhook("https://hook.example/", "whsec_" + 44 * "A", noon)
>>> _, headers = signed_message(webhook, change_event("r4k2-9m3x-62", [change], noon), noon)
>>> headers["webhook-timestamp"], headers["webhook-signature"]
('1777896000', 'v1,...')
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct

from coolid.identifiers.target_policy import objection
from coolid.model.conditions import Condition
from coolid.model.records import format_time
from coolid.model.webhooks import Webhook
from coolid.ports import Entropy
from coolid.strict_json import dump

CHANGED: Final = "links.changed"
MAX_CHANGES: Final = 100
MAX_CHANGES_BYTES: Final = 100_000
"""The changes in one notice; `more` marks that some are left out."""
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - not a secret itself
_SECRET_BYTES: Final = 32
_ID_SYMBOLS: Final = 32


class LinkChange(Struct, frozen=True):
    """The location `uri` of the record `pid` changed from the state `was` to the condition `now`."""

    pid: str
    uri: str
    was: str
    now: Condition

    def to_document(self) -> dict[str, Any]:
        """Return the change as JSON members, without absent ones."""
        now = self.now
        members = {
            "pid": self.pid,
            "uri": self.uri,
            "state": now.state,
            "was": self.was,
            "since": format_time(now.since),
            "reason": now.reason or None,
            "lastGood": format_time(now.good) if now.good else None,
            "moved": now.moved,
        }
        return {member: value for member, value in members.items() if value is not None}


def url_objection(url: str) -> str | None:
    """Return why a URL cannot be a webhook's, or None. It must be a valid target and https.

    >>> url_objection("http://hook.example/")
    'it does not begin with https://, and letters are for nobody else to read'
    """
    reason = objection(url)
    if reason is None and not url.lower().startswith("https:"):
        return "it does not begin with https://, and letters are for nobody else to read"
    return reason


def new_secret(entropy: Entropy) -> str:
    """Return a new signing secret: 256 bits in base64 with the prefix of Standard Webhooks."""
    return SECRET_PREFIX + b64encode(entropy.token(_SECRET_BYTES)).decode()


def change_event(repository_id: str, changes: Sequence[LinkChange], at: datetime) -> dict[str, Any]:
    """Return the payload of a notice: the changed locations of a repository's records, found `at` that time."""
    documents: list[dict[str, Any]] = []
    remaining_bytes = MAX_CHANGES_BYTES
    for change in changes[:MAX_CHANGES]:
        document = change.to_document()
        remaining_bytes -= len(dump(document).encode())
        if remaining_bytes < 0:
            break
        documents.append(document)
    more = {"more": True} if len(documents) < len(changes) else {}
    return {
        "type": CHANGED,
        "timestamp": format_time(at),
        "data": {"repository": repository_id, "changes": documents, **more},
    }


def signed_message(webhook: Webhook, payload: Mapping[str, Any], now: datetime) -> tuple[bytes, dict[str, str]]:
    """Return the body and headers of a payload. Each sending is signed anew."""
    body = dump(payload).encode()
    event_id = f"msg_{sha256(body).hexdigest()[:_ID_SYMBOLS]}"
    timestamp = str(int(now.timestamp()))
    return body, {
        "Content-Type": "application/json",
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature(webhook.secret, event_id, timestamp, body),
    }


def signature(secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    """Return the value of `webhook-signature` (Standard Webhooks, "Signature scheme")."""
    key = b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, sha256).digest()
    return f"v1,{b64encode(signed).decode()}"
