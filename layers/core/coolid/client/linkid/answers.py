"""The requests for resolution results, and which HTTP responses are results.

Specification: draft-linkgenetic-linkid-uri-01, sections 5.3 and 11. A result is a JSON object as `application/json`,
whose `error` fits the status of the response. A page, a redirect, an error of an intermediary, an incomplete response
and a stale one are no results: nothing follows from them, and the next resolver is queried.

>>> read_answer(HttpAnswer("https://a.example/", 404, {"content-type": "text/html"}, b"<p>"), "", 0.0)
Traceback (most recent call last):
...
coolid.client.linkid.answers.NoResult: it answered with text/html (status 404), which is no resolution result
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from coolid.client.errors import ClientError
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.client.redirects import REDIRECTS
from coolid.linkid import results, states
from coolid.linkid.freshness import stale_seconds
from coolid.linkid.results import InvalidResult, ResolutionResult, from_response
from coolid.linkid.trusted_resolvers import TrustedResolver

JSON: Final = "application/json"
MAX_BYTES: Final = 2_000_000
"""The maximum size of a result with its record and the transfers of custody."""
SECONDS: Final = 10.0
"""The time limit for one request."""

_STATES: Final[Mapping[str | None, frozenset[str]]] = {
    None: states.WITH_RECORD,
    results.GONE: states.WITHDRAWN,
    results.NOT_FOUND: frozenset({states.UNKNOWN}),
    results.POLICY_DENIED: frozenset({states.POLICY_DENIED}),
    results.TEMPORARILY_UNAVAILABLE: frozenset({states.TEMPORARILY_UNAVAILABLE}),
    results.INTEGRITY_FAILURE: frozenset({states.INTEGRITY_FAILURE}),
}
"""The states that each `error` can have; None is the error of a success.

coolid answers 410 for a withdrawn LinkID. The draft also permits a success with such a status, but without a target.
"""
_DEFAULT_STATES: Final = {error: next(iter(each)) for error, each in _STATES.items() if len(each) == 1} | {
    results.GONE: states.TOMBSTONED
}
"""The state of an error response without `status`, as other implementations send it."""


class NoResult(ClientError):
    """The response is no resolution result, so that nothing follows for the LinkID."""


class FalseResult(NoResult):
    """The response is a resolution result that contradicts itself or the request."""


def result_request(
    resolver: TrustedResolver,
    linkid: str,
    language: str | None = None,
    seconds: float = SECONDS,
    *,
    with_inclusion: bool = False,
) -> HttpRequest:
    """Return the request to a resolver. The body of a redirect or of another media type is not read.

    With `with_inclusion`, it requests the proof that the record is in a log, too.
    """
    url = resolver.url(linkid)
    if with_inclusion:
        url += f"{'&' if '?' in url else '?'}include=inclusion"
    headers = {"Accept": JSON} | ({"Accept-Language": language} if language else {})

    def is_read(answer: HttpAnswer) -> bool:
        return answer.media_type == JSON and answer.status not in REDIRECTS

    return HttpRequest("GET", url, headers, reads_body=is_read, max_bytes=MAX_BYTES, seconds=seconds)


def read_answer(answer: HttpAnswer, linkid: str, now: float) -> ResolutionResult:
    """Return the unverified result in an answer about a LinkID in canonical form, with `status` set.

    `now` is in seconds since 1970. Raises `NoResult`.
    """
    result = _parsed(answer)
    if result.id not in (None, linkid):
        raise FalseResult(f"it answered about another LinkID, {result.id}")
    if result.error not in _STATES:
        raise NoResult(f"it answered {result.error!r} (status {answer.status}), which says nothing about the LinkID")
    if stale := stale_seconds(answer.headers, now):
        raise NoResult(f"its answer expired {stale:.0f} seconds ago")
    status = result.status or _DEFAULT_STATES.get(result.error)
    if status is None:
        raise NoResult("its answer has no status")
    if status not in _STATES[result.error]:
        raise FalseResult(f"it states {status!r} in an answer with the status {answer.status}")
    if result.target_url is not None and status != states.ACTIVE:
        raise FalseResult(f"it states {status!r}, but names a target")
    if result.target_url is None and status == states.ACTIVE:
        raise FalseResult("it states 'active', but names no target")
    return replace(result, status=status)


def _parsed(answer: HttpAnswer) -> ResolutionResult:
    if answer.status in REDIRECTS:
        raise NoResult(f"it answered only with a redirect (status {answer.status}), which is no resolution result")
    try:
        return from_response(answer.status, answer.media_type, answer.body)
    except InvalidResult as error:
        raise NoResult(str(error)) from None
