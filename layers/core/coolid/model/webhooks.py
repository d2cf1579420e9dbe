"""A repository's webhook. `coolid.health.webhook_notices` makes the notices that it receives."""

from datetime import datetime

from msgspec import Struct


class Webhook(Struct, frozen=True):
    """The URL of a webhook, the `secret` that signs its notices, and its creation time. The repr hides the secret."""

    url: str
    secret: str
    since: datetime

    def __repr__(self) -> str:
        return f"Webhook(url={self.url!r}, secret=..., since={self.since!r})"
