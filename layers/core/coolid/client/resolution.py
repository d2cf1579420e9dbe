"""Resolution of an identifier by the first resolver that answers, including its redirects.

Specification: the LinkID draft, revision 00, "Resolution Algorithm" and "Error Handling". Resolvers that are down (no
connection, no certificate, 429, 5xx) are skipped; "no such identifier" is an answer and ends the resolution.

>>> resolution = resolve("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", chosen=["http://127.0.0.1:1"], default=None)
>>> resolution.attempts[0].resolver, resolution.outcome.value
('http://127.0.0.1:1/resolve/{id}', 'unreachable')
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Unpack

from coolid.client.discovery import DEFAULT_RESOLVER, DiscoveryAttempt, resolvers
from coolid.client.errors import BadAnswer, ClientError, RefusedByClient, Unreachable
from coolid.client.flows import Flow
from coolid.client.http_request import (
    ANY_TYPE,
    LINKID,
    PROBLEM,
    TIMEOUT_SECONDS,
    HttpAnswer,
    HttpRequest,
    is_unavailable,
)
from coolid.client.linkid.linkid_text import read_linkid
from coolid.client.redirects import Hop, RedirectTrace, follow, location_of
from coolid.client.request_url import ResolutionRequest, read, url_at
from coolid.client.single_request import run_alone
from coolid.linkid import states

if TYPE_CHECKING:
    from coolid.client.linkid.linkid_options import LinkIdOptions
    from coolid.client.linkid.linkid_resolution import LinkIdResolution

_MISSING: Final = frozenset({404, 410})
_SUCCESS: Final = frozenset({200, 300})


class Outcome(Enum):
    """The outcome of a resolution."""

    FOUND = "found"
    NO = "no"
    UNREACHABLE = "unreachable"


_LINKID_OUTCOMES: Final = {
    states.ACTIVE: Outcome.FOUND,
    states.TEMPORARILY_UNAVAILABLE: Outcome.UNREACHABLE,
}


@dataclass(frozen=True, slots=True)
class Resolution:
    """The resolution of `id` by the `resolver` (a template) that answered, with its hops.

    `final` is the last answer, if any. `document` is its body if that is JSON: a record, a tombstone, a list of
    alternatives, or a problem. `stopped` is the reason why a redirect was not followed. `linkid` is the verified state
    of a LinkID; its hops begin at its target.
    """

    id: str
    outcome: Outcome
    resolver: str | None = None
    hops: tuple[Hop, ...] = ()
    final: HttpAnswer | None = None
    document: dict[str, Any] | None = None
    stopped: str | None = None
    attempts: tuple[DiscoveryAttempt, ...] = ()
    linkid: "LinkIdResolution | None" = None

    @property
    def record(self) -> dict[str, Any] | None:
        """Return the metadata record (`application/linkid+json`) or tombstone."""
        if self.linkid is not None:
            return self.linkid.result.record if self.linkid.result else None
        return self.document if self.final and self.final.media_type == LINKID else None

    @property
    def target(self) -> str | None:
        """Return the URL that the resolver redirects to, as received, or None if it answers otherwise."""
        if self.linkid is not None:
            return self.linkid.target
        return self.hops[0].location if self.hops else None

    @property
    def text(self) -> str | None:
        """Return the body of the final answer, if it was read."""
        return self.final.body.decode("utf-8", "replace") if self.final and self.final.body else None

    def to_document(self) -> dict[str, Any]:
        """Return the resolution as JSON."""
        members: dict[str, Any] = {
            "id": self.id,
            "outcome": self.outcome.value,
            "resolver": self.resolver,
            "hops": [asdict(hop) for hop in self.hops],
        }
        if self.linkid is not None:
            members |= self.linkid.to_document() | {"hops": members["hops"]}
        if self.record is not None:
            members["record"] = self.record
        elif self.final:
            members["final"] = {"url": self.final.url, "status": self.final.status, "mediaType": self.final.media_type}
            body = self.document if self.document is not None else self.text
            members["final"] |= {"body": body} if body is not None else {}
        if self.stopped:
            members["stopped"] = self.stopped
        return members | {"tried": [asdict(each) for each in self.attempts]}


def resolve(  # noqa: PLR0913 - all but the text are options, passed by name
    text: str,
    *,
    chosen: Sequence[str] = (),
    domain: str | None = None,
    accept: str | None = None,
    format: str | None = None,  # noqa: A002 -- the parameter's name in the draft
    lang: str | None = None,
    version: str | None = None,
    follow_redirects: bool = True,
    default: str | None = DEFAULT_RESOLVER,
    nameserver: str | None = None,
    seconds: float = TIMEOUT_SECONDS,
    **options: Unpack["LinkIdOptions"],
) -> Resolution:
    """Resolve a text: `lid:ID?parameters`, or any other spelling of an identifier.

    The `chosen` resolvers are queried first, then those of `domain`, then the `default` one, if any. `seconds` limit
    each request. Raises `BadReference` if the text is not an identifier, and `RefusedByClient` if the URL policy
    forbids a resolver or the domain. The resolution contains all later errors.

    For a LinkID (`linkid:UUID`), the trusted resolvers of the `options` are queried before, and results are verified;
    see `coolid.client.linkid`. Raises `InvalidIdentifier` for a text that begins with `linkid:` and is none.
    """
    if not all(each is None or (each.isascii() and each.isprintable()) for each in (accept, lang)):
        raise RefusedByClient("an Accept header may contain only printable ASCII, as may a language")
    linkid = read_linkid(text)
    if linkid is not None:
        refuse_representation(format, version)
        found = _linkid_state(linkid, chosen, domain, default, nameserver, lang, seconds, options)
        return run_alone(resolution_of(found, accept, follow_redirects=follow_redirects, seconds=seconds))
    request = read(text, {"format": format, "lang": lang, "version": version})
    endpoints = resolvers(chosen, domain or request.domain, default=default, nameserver=nameserver, seconds=seconds)
    return _first_resolution(endpoints, request, accept, seconds, follow_redirects=follow_redirects)


def _linkid_state(
    linkid: str,
    chosen: Sequence[str],
    domain: str | None,
    default: str | None,
    nameserver: str | None,
    language: str | None,
    seconds: float,
    options: "LinkIdOptions",
) -> "LinkIdResolution":
    """Return the verified state of a canonical LinkID."""
    from coolid.client.linkid.answers import SECONDS  # other identifiers need none of these modules
    from coolid.client.linkid.linkid_options import linkid_resolution, trusted_resolvers
    from coolid.client.linkid.resolver_sources import ResolverSources

    trusted, limit = trusted_resolvers(options), min(seconds, SECONDS)
    sources = ResolverSources(trusted, chosen, domain, default, nameserver=nameserver, seconds=limit)
    return run_alone(linkid_resolution(linkid, sources, options, language=language, seconds=limit))


def _first_resolution(
    discovered: Iterable[str | DiscoveryAttempt],
    request: ResolutionRequest,
    accept: str | None,
    seconds: float,
    *,
    follow_redirects: bool,
) -> Resolution:
    """Return the resolution by the first resolver that answers."""
    attempts: list[DiscoveryAttempt] = []
    for found in discovered:
        if isinstance(found, DiscoveryAttempt):
            attempts.append(found)
            continue
        try:
            first = first_request(found, request, accept, seconds)
            resolution = run_alone(resolve_at(found, request, first, follow_redirects=follow_redirects))
        except ClientError as error:
            attempts.append(DiscoveryAttempt(found, str(error)))
        else:
            return replace(resolution, attempts=tuple(attempts))
    return Resolution(request.id, Outcome.UNREACHABLE, attempts=tuple(attempts))


def resolution_of(
    found: "LinkIdResolution", accept: str | None = None, *, follow_redirects: bool, seconds: float = TIMEOUT_SECONDS
) -> Flow[Resolution]:
    """Return the resolution of a LinkID, with the hops from its verified target on."""
    outcome = _LINKID_OUTCOMES.get(found.status, Outcome.NO)
    resolution = Resolution(found.id, outcome, found.resolver, attempts=found.attempts, linkid=found)
    if found.target is None or not follow_redirects:
        return resolution
    walk = yield from follow(found.target, accept=accept or ANY_TYPE, reads_body=lambda _: False, seconds=seconds)
    stopped = f"{found.target}: {walk.stopped}" if walk.stopped and not walk.hops else walk.stopped
    return replace(resolution, hops=walk.hops, final=walk.final, stopped=stopped)


def refuse_representation(format: str | None, version: object) -> None:  # noqa: A002
    """Raise `RefusedByClient` for parameters of records, which a LinkID does not have."""
    if format is not None or version is not None:
        raise RefusedByClient("a LinkID has neither a format nor a version; `coolid show` prints its record")


def first_request(
    template: str, request: ResolutionRequest, accept: str | None = None, seconds: float = TIMEOUT_SECONDS
) -> HttpRequest:
    """Return the request to a resolver. It reads a record, a problem, or what the resolver itself sends on request."""
    url = url_at(template, request)
    wants_body = accept is not None or bool(request.inflection) or "format" in dict(request.parameters)

    def is_read(answer: HttpAnswer) -> bool:
        kind = answer.media_type
        is_text = kind.startswith("text/") or kind == "application/jose"
        is_wanted = answer.url == url and (_is_json(kind) or (wants_body and is_text))
        return kind in (LINKID, PROBLEM) or is_wanted

    return HttpRequest("GET", url, {"Accept": accept or ANY_TYPE}, reads_body=is_read, seconds=seconds)


def resolve_at(
    template: str,
    request: ResolutionRequest,
    first: HttpRequest,
    answer: HttpAnswer | None = None,
    *,
    follow_redirects: bool = True,
) -> Flow[Resolution]:
    """Return the resolution by one resolver, from its `first_request`, whose `answer` may be there already.

    Raises `ClientError` if the resolver does not answer.
    """
    walk = yield from follow(
        first.url,
        accept=first.headers["Accept"],
        reads_body=first.reads_body,
        follow_redirects=follow_redirects,
        seconds=first.seconds,
        first=answer,
    )
    document = _checked_document(walk)
    return Resolution(request.id, _outcome(walk), template, walk.hops, walk.final, document, walk.stopped)


def _checked_document(trace: RedirectTrace) -> dict[str, Any] | None:
    """Return the JSON object of the final answer, if any. Raises `ClientError` if the resolver did not answer."""
    if not trace.hops:
        raise Unreachable(trace.stopped or "no answer")
    first = trace.hops[0]
    if is_unavailable(first.status):
        raise Unreachable(f"it cannot answer now (status {first.status})")
    if trace.final is None or not trace.final.body or not _is_json(trace.final.media_type):
        return None
    try:
        return trace.final.json_object()
    except BadAnswer:
        if len(trace.hops) == 1 and first.status < 400:
            raise
        return None  # the status suffices


def _is_json(media_type: str) -> bool:
    return media_type == "application/json" or media_type.endswith("+json")


def _outcome(trace: RedirectTrace) -> Outcome:
    """Return FOUND, unless the resolver declines, a redirect fails, or the target does not exist.

    A target that refuses programs (401, 403) counts as found, because the identifier resolved to it.
    """
    if trace.final is None:
        return Outcome.UNREACHABLE if trace.is_unreachable else Outcome.NO
    status = trace.final.status
    if location_of(trace.final):
        return Outcome.FOUND
    if is_unavailable(status):
        return Outcome.UNREACHABLE
    if len(trace.hops) == 1:
        return Outcome.FOUND if status in _SUCCESS else Outcome.NO
    return Outcome.NO if status in _MISSING or (status // 100 == 3 and status not in _SUCCESS) else Outcome.FOUND
