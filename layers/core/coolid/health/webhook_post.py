"""Sending: a letter to a webhook, whose URL a stranger wrote. It goes through the same guard as a look.

>>> post("http://127.0.0.1/hook", b"{}", {"ContentDescription-Type": "application/json"}).reason
'it leads to an address that is not public'
"""

from collections.abc import Mapping, Sequence
from typing import Final

from coolid.health.response_verdict import check_result, reason_of
from coolid.model.check_state import BAD, BUSY, GOOD, CheckResult
from coolid.net.failures import RequestFailed
from coolid.net.guarded_client import GuardedClient
from coolid.net.request_target import parse_target

SECONDS: Final = 12.0
"""That it may take, waiting for one's turn with the host included."""


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    networks: Sequence[str] = (),
    base_url: str = "",
    *,
    visitor: GuardedClient | None = None,
) -> CheckResult:
    """POST a body. GOOD for 2xx; BUSY for 429 and 503, and where nothing could be found out of the host; else BAD.

    No redirect is followed: a letter is for whom its owner named. It is tried once, for the other side may have read
    what it did not answer; whoever has letters sends them again. Never raises, but `ValueError` for networks that are
    none. `headers` can be anything but those of the connection (`Host`, `ContentDescription-Length`, …).
    """
    visitor = visitor or GuardedClient(networks, base_url)
    try:
        answer = visitor.request("POST", parse_target(url), headers, visitor.deadline(SECONDS), body)
    except RequestFailed as failed:
        return failed.sight()
    except ValueError:
        return CheckResult(BAD, "it needs headers that cannot be sent")
    if 200 <= answer.status < 300:
        return CheckResult(GOOD, "", answer.status)
    sight = check_result(answer)
    return sight if sight.verdict == BUSY else CheckResult(BAD, reason_of(answer.status), answer.status)
