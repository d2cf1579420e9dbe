"""The signature of a webhook's notices, in the format of Standard Webhooks 1.0 (https://www.standardwebhooks.com).

The signature covers the event's id and the time of sending, so that nobody else can forge or replay a notice. An event
keeps its id when it is sent again, and the receiver can discard duplicates.

>>> webhook = Webhook("https://hook.example/", "whsec_" + 44 * "A", datetime.fromisoformat("2026-05-04T12:00:00Z"))
>>> _, headers = signed_message(webhook, {"type": "links.changed"}, webhook.since)
>>> headers["webhook-timestamp"], headers["webhook-signature"][:3]
('1777896000', 'v1,')
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from coolid.model.webhooks import Webhook
from coolid.ports import Entropy
from coolid.strict_json import dump

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - not a secret itself
_SECRET_BYTES: Final = 32
_ID_SYMBOLS: Final = 32


def new_secret(entropy: Entropy) -> str:
    """Return a new signing secret: 256 bits in base64 with the prefix of Standard Webhooks."""
    return SECRET_PREFIX + b64encode(entropy.token(_SECRET_BYTES)).decode()


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
