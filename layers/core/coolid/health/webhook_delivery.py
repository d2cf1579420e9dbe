"""The delivery of signed notices to webhooks, with retries for a day. Their URLs are untrusted.

>>> post("http://127.0.0.1/hook", b"{}", {"Content-Type": "application/json"}, GuardedClient()).reason
'it leads to an address that is not public'
"""

from collections.abc import Callable, Mapping
from typing import Final

from coolid.health.messages import WebhookNotice
from coolid.health.response_verdict import check_result, reason_of
from coolid.health.webhook_signature import signed_message
from coolid.metric_names import UNDELIVERED
from coolid.model.check_state import BAD, BUSY, GOOD, CheckResult
from coolid.net.failures import RequestFailed
from coolid.net.guarded_client import GuardedClient
from coolid.net.request_target import parse_target
from coolid.ports import Clock, Count, Log
from coolid.store.checks import WebhookStore

POST_TIMEOUT_SECONDS: Final = 12.0
"""Includes the wait for the host's rate limit."""
RETRY_SECONDS: Final = 86_400
"""After this age, a notice is dropped."""
_GONE: Final = 410

Post = Callable[[str, bytes, Mapping[str, str]], CheckResult]
"""Sends a body with headers to a URL. See `post`."""


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
            self._log.warning("a webhook did not accept a notice, which is sent again", extra=facts)
            return False
        self._log.error("a notice to a webhook is given up", extra=facts)
        self._count(UNDELIVERED)
        return True


def post(url: str, body: bytes, headers: Mapping[str, str], client: GuardedClient) -> CheckResult:
    """POST a body. GOOD for 2xx; BUSY for 429, 503 and failures that say nothing about the host; otherwise BAD.

    Redirects are not followed, because the owner named this URL only. There is one attempt, because the receiver may
    have read a notice that it did not answer; the caller repeats it. Never raises. `headers` must not contain those of
    the connection (`Host`, `Content-Length`, …).
    """
    try:
        response = client.request("POST", parse_target(url), headers, client.deadline(POST_TIMEOUT_SECONDS), body)
    except RequestFailed as failed:
        return failed.check_result()
    except ValueError:
        return CheckResult(BAD, "it needs headers that cannot be sent")
    if 200 <= response.status < 300:
        return CheckResult(GOOD, "", response.status)
    result = check_result(response)
    return result if result.verdict == BUSY else CheckResult(BAD, reason_of(response.status), response.status)
