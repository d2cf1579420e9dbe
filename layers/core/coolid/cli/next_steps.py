"""Sentences that suggest a command or option after an error.

>>> after_refusal(404, "https://id.example.org/problems/unknown-prefix")
'all prefixes that it knows are at /pages/prefixes of the service; an administrator registers new ones'
>>> after_refusal(418, "")
"""

import re
import shlex
from typing import Final
from urllib.parse import urlsplit

from coolid.client.errors import BadAnswer, ClientError, Unreachable

_KIND: Final = {
    "unknown-prefix": "all prefixes that it knows are at /pages/prefixes of the service; an administrator registers "
    "new ones",
    "unknown-version": "`coolid history PID` lists the versions that there are",
    "unknown-client": "an id stands in the key itself: between cool_ and the next underscore",
    "identifier-taken": "leave out --id to have a free one drawn, or `coolid show PID` what has it already",
    "already-withdrawn": "a withdrawal is for good; `coolid history PID` tells who did it, and why",
    "home-elsewhere": "give --url the region that it names",
    "contended": "nothing is lost: repeat the command",
    "request-under-way": "wait a moment and repeat the command with the same --idempotency-key",
    "idempotency-key-reused": "give another --idempotency-key, or none, to mint one more",
    "exhausted": "mint under another prefix, or have the template of this one made longer",
}
"""By the last segment of the problem type, for a status with several causes."""

_STATUS: Final = {
    400: "`coolid parse PID` tells what is wrong with an identifier, and where",
    401: "is it the right key, of this service? COOLID_KEY or --key-file holds it; an administrator makes a new one: "
    "`coolid keys create`",
    403: "an administrator makes a key that reaches so far: `coolid keys create --scope SCOPE`",
    404: "`coolid parse PID --url URL` tells step by step what the service makes of it",
    409: "`coolid show PID` tells what is there now",
    413: "say less, or give long things an address of their own and name that",
    422: "put right what is named here, and repeat the command",
    428: "show it first, and give its etag: `coolid show PID`, --if-match ETAG",
}

AFTER_NO_RESOLVER: Final = (
    "name a resolver that can be reached: --resolver URL, or COOLID_URL; `coolid serve` starts one here"
)
"""After a resolution in which no resolver answered."""
UNRESOLVED: Final = "`coolid parse` with --url tells step by step what the resolver makes of it"
"""After a resolver's negative answer."""
AFTER_AWS: Final = (
    "`aws sts get-caller-identity` tells whose credentials are used; AWS_DEFAULT_REGION must be the stack's, and "
    "AWS_ENDPOINT_URL unset unless it is meant"
)
"""After an error of AWS, or of its substitute, in an operator's command."""

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def after_refusal(status: int, kind: str, pid: str | None = None) -> str | None:
    """Return the suggestion for a status and a problem type (RFC 9457), or None.

    The suggested commands contain the `pid`, so that they can be copied.
    """
    step = _KIND.get(kind.rpartition("/")[2]) or _STATUS.get(status)
    return step and _about(step, pid)


def after_conflict(pid: str) -> str:
    """Return the suggestion after a conflicting change.

    >>> after_conflict("demo:x")
    'look at it anew, and repeat what still holds: `coolid show demo:x`, `coolid history demo:x`'
    """
    return _about("look at it anew, and repeat what still holds: `coolid show PID`, `coolid history PID`", pid)


def _about(step: str, pid: str | None) -> str:
    return step if pid is None else re.sub(r"\bPID\b", lambda _: shlex.quote(pid), step)


def after_unreachable(error: ClientError, url: str | None) -> str | None:
    """Return the suggestion if the service at `url` could not be reached or another service answered, or None.

    >>> after_unreachable(Unreachable("HttpConnection refused"), "http://127.0.0.1:8080")
    'is `coolid serve` running? It tells its address, for --url or COOLID_URL'
    """
    if isinstance(error, BadAnswer):
        return "is that the address of a coolid service, without the path of a page?"
    if not isinstance(error, Unreachable) or "(status " in str(error):
        return None
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        host = None
    if host in _LOOPBACK:
        return "is `coolid serve` running? It tells its address, for --url or COOLID_URL"
    return "is the address right, and the network there? Then repeat the command"
