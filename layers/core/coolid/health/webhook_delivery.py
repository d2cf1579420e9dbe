"""The delivery of signed notices to webhooks, with retries for a day."""

from collections.abc import Callable, Mapping
from typing import Final

from coolid.health.messages import WebhookNotice
from coolid.health.webhooks import signed_message
from coolid.metric_names import UNDELIVERED
from coolid.model.check_state import GOOD, CheckResult
from coolid.ports import Clock, Count, Log
from coolid.store.checks import WebhookStore

RETRY_SECONDS: Final = 86_400
"""After this age, a notice is dropped."""
_GONE: Final = 410

Post = Callable[[str, bytes, Mapping[str, str]], CheckResult]
"""See `coolid.health.webhook_post.post`."""


class WebhookNotifier:
    """Sends notices by `post` to `webhooks`."""

    def __init__(self, webhooks: WebhookStore, post: Post, clock: Clock, log: Log, count: Count) -> None:
        self._webhooks = webhooks
        self._post = post
        self._clock = clock
        self._log = log
        self._count = count

    def deliver(self, notice: WebhookNotice) -> bool:
        """Send a notice; return False if it should be sent again. Raises `StoreUnavailable`.

        Nothing is sent to a deleted webhook, and nothing again after 410 (Standard Webhooks, "Deliverability and
        reliability").
        """
        webhook = self._webhooks.webhook(notice.repository)
        if webhook is None:
            return True
        now = self._clock.now()
        body, headers = signed_message(webhook, notice.event, now)
        result = self._post(webhook.url, body, headers)
        if result.verdict == GOOD:
            return True
        age = round(now.timestamp()) - notice.at
        facts = {"reason": result.reason, "age": age}
        if result.status != _GONE and age < RETRY_SECONDS:
            self._log.warning("a webhook did not take a letter", extra=facts)
            return False
        self._log.error("a letter to a webhook is given up", extra=facts)
        self._count(UNDELIVERED)
        return True
