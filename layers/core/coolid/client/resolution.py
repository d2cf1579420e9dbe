"""Resolving: ask one resolver after the other until one answers, and go where the answer leads.

Specification: the LinkID draft, "Resolution Algorithm" and "Error Handling". Resolvers that are down (no connection,
no certificate, 429, 5xx) are passed over; "there is no such identifier" is an answer and ends it.

>>> resolution = resolve("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", chosen=["http://127.0.0.1:1"], default=None)
>>> resolution.tried[0].resolver, resolution.outcome.value
('http://127.0.0.1:1/resolve/{id}', 'unreachable')
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from coolid.client.discovery import DEFAULT, DiscoveryAttempt, resolvers
from coolid.client.errors import BadAnswer, ClientError, RefusedByClient, Unreachable
from coolid.client.http_get import ANYTHING, LINKID, PROBLEM, SECONDS, HttpAnswer, is_unavailable
from coolid.client.redirects import Hop, RedirectTrace, follow, location_of
from coolid.client.request_url import read, url_at

_BUSY: Final = 429
_MISSING: Final = frozenset({404, 410})
_ANSWERS: Final = frozenset({200, 300})


class Outcome(Enum):
    """What came of it."""

    FOUND = "found"
    NO = "no"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What came of asking for `id`: who answered (`resolver`, a template), hop by hop.

    `final` is the last answer, None where there is none; `document` its body where that is JSON about the identifier:
    a record, a tombstone, a list of alternatives, a problem. `stopped` says why the client went no further.
    """

    id: str
    outcome: Outcome
    resolver: str | None = None
    hops: tuple[Hop, ...] = ()
    final: HttpAnswer | None = None
    document: dict[str, Any] | None = None
    stopped: str | None = None
    tried: tuple[DiscoveryAttempt, ...] = ()

    @property
    def record(self) -> dict[str, Any] | None:
        """The metadata record (`application/linkid+json`), a tombstone as well."""
        return self.document if self.final and self.final.media_type == LINKID else None

    @property
    def text(self) -> str | None:
        """The body of the final answer where it is text that was asked for."""
        return self.final.body.decode("utf-8", "replace") if self.final and self.final.body else None

    def to_document(self) -> dict[str, Any]:
        """The resolution as JSON."""
        told: dict[str, Any] = {
            "id": self.id,
            "outcome": self.outcome.value,
            "resolver": self.resolver,
            "hops": [{"url": hop.url, "status": hop.status, "location": hop.location} for hop in self.hops],
        }
        if self.record is not None:
            told["record"] = self.record
        elif self.final:
            told["final"] = {"url": self.final.url, "status": self.final.status, "mediaType": self.final.media_type}
            body = self.document if self.document is not None else self.text
            told["final"] |= {"body": body} if body is not None else {}
        if self.stopped:
            told["stopped"] = self.stopped
        return told | {"tried": [{"resolver": each.resolver, "problem": each.problem} for each in self.tried]}


def resolve(
    text: str,
    *,
    chosen: Sequence[str] = (),
    domain: str | None = None,
    accept: str | None = None,
    format: str | None = None,  # noqa: A002 -- the parameter's name in the draft
    lang: str | None = None,
    version: str | None = None,
    onwards: bool = True,
    default: str | None = DEFAULT,
    nameserver: str | None = None,
    seconds: float = SECONDS,
) -> Resolution:
    """Resolve a text: `lid:ID?parameters`, or any other spelling of an identifier that resolvers know.

    `chosen` resolvers are asked first, then those of `domain`, then the `default` one (None for none). `onwards` false
    stops at the resolver's answer. `seconds` are for each request. Raises `BadReference` if the text is no identifier
    and `RefusedByClient` if a resolver or domain may not be asked so; what goes wrong on the way is told in the resolution.
    """
    if accept is not None and not (accept.isascii() and accept.isprintable()):
        raise RefusedByClient("an Accept header is printable ASCII")
    question = read(text, {"format": format, "lang": lang, "version": version})
    asks = accept is not None or any(name == "format" for name, _ in question.parameters) or bool(question.inflection)
    tried: list[DiscoveryAttempt] = []
    candidates = resolvers(chosen, domain or question.domain, default=default, nameserver=nameserver, seconds=seconds)
    for candidate in candidates:
        if isinstance(candidate, DiscoveryAttempt):
            tried.append(candidate)
            continue
        try:
            walk = _walk(url_at(candidate.template, question), accept, asks=asks, onwards=onwards, seconds=seconds)
            document = _checked(walk)
        except ClientError as error:
            tried.append(DiscoveryAttempt(candidate.template, str(error)))
        else:
            outcome = _outcome(walk)
            return Resolution(
                question.id, outcome, candidate.template, walk.hops, walk.final, document, walk.stopped, tuple(tried)
            )
    return Resolution(question.id, Outcome.UNREACHABLE, tried=tuple(tried))


def _walk(url: str, accept: str | None, *, asks: bool, onwards: bool, seconds: float) -> RedirectTrace:
    def wanted(answer: HttpAnswer) -> bool:
        return _is_wanted(answer, is_first=answer.url == url, asks=asks)

    return follow(url, accept=accept or ANYTHING, wanted=wanted, onwards=onwards, seconds=seconds)


def _is_wanted(answer: HttpAnswer, *, is_first: bool, asks: bool) -> bool:
    """Whether to read a body: what speaks of the identifier, and what a resolver gives who asks for it."""
    kind = answer.media_type
    if kind in (LINKID, PROBLEM):
        return True
    is_text = kind.startswith("text/") or kind == "application/jose"
    return is_first and (_is_json(kind) or (asks and is_text))


def _checked(walk: RedirectTrace) -> dict[str, Any] | None:
    """The document that the walk ended with, if it did; `ClientError` if the resolver itself did not answer."""
    if not walk.hops:
        raise Unreachable(walk.stopped or "no answer")
    first = walk.hops[0]
    if first.status == _BUSY:
        raise Unreachable("it has too many requests (status 429)")
    if is_unavailable(first.status):
        raise Unreachable(f"it cannot answer now (status {first.status})")
    try:
        return _document(walk.final)
    except BadAnswer:
        if len(walk.hops) == 1 and first.status < 400:
            raise
        return None  # the status says enough


def _document(answer: HttpAnswer | None) -> dict[str, Any] | None:
    """The body of an answer that is JSON; `BadAnswer` if it only says so."""
    if answer is None or not answer.body or not _is_json(answer.media_type):
        return None
    document = answer.json()
    if not isinstance(document, dict):
        raise BadAnswer("its body is not a JSON object")
    return document


def _is_json(media_type: str) -> bool:
    return media_type == "application/json" or media_type.endswith("+json")


def _outcome(walk: RedirectTrace) -> Outcome:
    """Found, unless the resolver says no, the way ends, or the thing is not where it leads to.

    A target that only refuses programs (401, 403) is found: the identifier led there.
    """
    if walk.final is None:
        return Outcome.UNREACHABLE if walk.is_lost else Outcome.NO
    status = walk.final.status
    if location_of(walk.final):
        return Outcome.FOUND
    if is_unavailable(status):
        return Outcome.UNREACHABLE
    if len(walk.hops) == 1:
        return Outcome.FOUND if status in _ANSWERS else Outcome.NO
    return Outcome.NO if status in _MISSING or (status // 100 == 3 and status not in _ANSWERS) else Outcome.FOUND
