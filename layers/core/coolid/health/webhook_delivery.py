"""Notifying: letters to webhooks, signed and sent; what does not arrive is tried again for a day."""

from collections.abc import Callable, Mapping
from typing import Final

from coolid.health.messages import WebhookNotice
from coolid.health.webhooks import WebhookStore, signed_message
from coolid.metric_names import UNDELIVERED
from coolid.model.check_state import GOOD, CheckResult
from coolid.ports import Clock, Count, Log

PATIENCE: Final = 86_400
"""Seconds for which it is tried again."""
_GONE: Final = 410

Post = Callable[[str, bytes, Mapping[str, str]], CheckResult]
"""As of `coolid.health.webhook_post.post`."""


class WebhookNotifier:
    """Sends notices by `post` to the webhooks that a store has."""

    def __init__(self, store: WebhookStore, post: Post, clock: Clock, log: Log, count: Count) -> None:
        self._store = store
        self._post = post
        self._clock = clock
        self._log = log
        self._count = count

    def deliver(self, notice: WebhookNotice) -> bool:
        """Send a notice; whether there is no more to do about it. Raises `StoreUnavailable`.

        Nobody is told who has taken the webhook away meanwhile, and nobody again who answers that it is gone (Standard
        Webhooks, "Deliverability and reliability").
        """
        webhook = self._store.webhook(notice.repository)
        if webhook is None:
            return True
        now = self._clock.now()
        body, headers = signed_message(webhook, notice.event, now)
        sight = self._post(webhook.url, body, headers)
        if sight.verdict == GOOD:
            return True
        age = round(now.timestamp()) - notice.at
        facts = {"reason": sight.reason, "age": age}
        if sight.status != _GONE and age < PATIENCE:
            self._log.warning("a webhook did not take a letter", extra=facts)
            return False
        self._log.error("a letter to a webhook is given up", extra=facts)
        self._count(UNDELIVERED)
        return True
