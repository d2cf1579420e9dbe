"""The POST request to a webhook, whose URL is untrusted. See `coolid.net.guarded_client`.

>>> post("http://127.0.0.1/hook", b"{}", {"Content-Type": "application/json"}).reason
'it leads to an address that is not public'
"""

from collections.abc import Mapping, Sequence
from typing import Final

from coolid.health.response_verdict import check_result, reason_of
from coolid.model.check_state import BAD, BUSY, GOOD, CheckResult
from coolid.net.failures import RequestFailed
from coolid.net.guarded_client import GuardedClient
from coolid.net.request_target import parse_target

POST_TIMEOUT_SECONDS: Final = 12.0
"""Includes the wait for the host's rate limit."""


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    networks: Sequence[str] = (),
    base_url: str = "",
    *,
    client: GuardedClient | None = None,
) -> CheckResult:
    """POST a body. GOOD for 2xx; BUSY for 429, 503 and failures that say nothing about the host; otherwise BAD.

    Redirects are not followed, because the owner named this URL only. There is one attempt, because the receiver may
    have read a notice that it did not answer; the caller repeats it. Raises only `ValueError`, for invalid networks.
    `headers` must not contain those of the connection (`Host`, `Content-Length`, …).
    """
    client = client or GuardedClient(networks, base_url)
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
