"""The judge: what an answer must be. Each check says what speaks against it; what nothing explains is an error.

>>> refused(404)(Reply(404, {"content-type": "application/problem+json"}, b'{"status": 404}'), 0, 1)
[]
>>> refused(404)(Reply(503), 0, 1)
['503 instead of 404: ']
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from scripts.soak.kept import Edition, Foreign, Kept
from scripts.soak.messages import Ask, Expectation, Reply

REDIRECT: Final = 302
GONE: Final = 410
UNAVAILABLE: Final = 503
_SHOWN: Final = 200
_PROBLEM: Final = "application/problem+json"

Look = Callable[[Reply], bool]
"""Something that holds for an answer."""


def answered(status: int, *looks: tuple[str, Look]) -> Expectation:
    """Expect this status and these checks, whose names describe the failure."""

    def judge(reply: Reply, _begun: float, _ended: float) -> list[str]:
        return objections(reply, status, *looks)

    return judge


def refused(status: int) -> Expectation:
    """A problem (RFC 9457) of this status."""
    return answered(
        status,
        ("no problem document", lambda reply: reply.headers.get("content-type", "") == _PROBLEM),
        ("another status within", lambda reply: reply.document["status"] == status),
    )


def leads_to(foreign: Foreign, identifier: str) -> Expectation:
    """A redirect to where a provider has an identifier."""
    return answered(REDIRECT, _location(foreign.target(identifier)), _canonical(f"/{foreign.prefix}:{identifier}>"))


def by_edition(kept: Kept, expected: Callable[[Edition], Expectation]) -> Expectation:
    """What is expected of any edition that the record may have had meanwhile."""

    def judge(reply: Reply, begun: float, ended: float) -> list[str]:
        return either(*map(expected, kept.possible(begun, ended)))(reply, begun, ended)

    return judge


def of_record(kept: Kept, status: int, *looks: tuple[str, Callable[[Reply, Edition], bool]]) -> Expectation:
    """Expect `status` and checks for the record's edition; 410 if it is withdrawn."""

    def expected(edition: Edition) -> Expectation:
        if edition.target is None:
            return gone(kept)
        return answered(status, *[(name, _in_light_of(edition, look)) for name, look in looks])

    return by_edition(kept, expected)


def gone(kept: Kept) -> Expectation:
    """A tombstone of the record, that leads nowhere."""
    return answered(
        GONE,
        ("it leads somewhere", lambda reply: "location" not in reply.headers),
        ("of something else", lambda reply: kept.pid in reply.headers.get("link", "") + reply.body.decode()),
    )


def redirects(kept: Kept) -> Expectation:
    """A redirect to where the record is, with the canonical form of its PID; its tombstone if it is withdrawn."""
    return by_edition(kept, lambda edition: as_in(edition, kept))


def as_in(edition: Edition, kept: Kept) -> Expectation:
    """Expect the same for one edition."""
    if edition.target is None:
        return gone(kept)
    return answered(REDIRECT, _location(edition.target), _canonical(f"<{kept.pid}>"))


def either(*judges: Expectation) -> Expectation:
    """What at least one of the judges takes."""

    def judge(reply: Reply, begun: float, ended: float) -> list[str]:
        told: list[str] = []
        for each in judges:
            told = each(reply, begun, ended)
            if not told:
                return []
        return told

    return judge


def whole_page() -> tuple[str, Look]:
    """A whole page of HTML."""

    def is_page(reply: Reply) -> bool:
        said = reply.headers.get("content-type", "").startswith("text/html")
        return said and b"<title>" in reply.body and reply.body.rstrip().endswith(b"</html>")

    return "no whole page", is_page


def document(name: str, holds: Callable[[Any], bool]) -> tuple[str, Look]:
    """Return a check of the JSON of a response."""
    return name, lambda reply: holds(reply.document)


def has(*texts: str) -> tuple[str, Look]:
    """An answer in which these texts stand."""
    return f"it lacks {texts}", lambda reply: all(text.encode() in reply.body for text in texts)


def objections(reply: Reply, status: int, *looks: tuple[str, Look]) -> list[str]:
    """What speaks against an answer; what it shows where its status is another."""
    if reply.status != status:
        return [f"{reply.status} instead of {status}: {reply.body[:_SHOWN].decode('utf-8', 'replace')}"]
    return [name for name, look in looks if not _holds(look, reply)]


def is_delayed(ask: Ask, reply: Reply) -> bool:
    """Whether a read was told in good form that the store did not answer in time: then nothing is wrong but the time.

    >>> headers = {"retry-after": "1", "cache-control": "no-store"}
    >>> [is_delayed(Ask(method, "/a"), Reply(503, headers)) for method in ("GET", "PUT")]
    [True, False]
    """
    if ask.method in ("GET", "HEAD"):
        headers = reply.headers
        return reply.status == UNAVAILABLE and "retry-after" in headers and headers.get("cache-control") == "no-store"
    if ask.path != "/api/v1/resolve":
        return False
    return _holds(lambda told: any(each["status"] == UNAVAILABLE for each in told.document["results"]), reply)


def _holds(look: Look, reply: Reply) -> bool:
    """An answer of another shape is a wrong one, not an error of the judge's."""
    try:
        return look(reply)
    except (LookupError, TypeError, AttributeError, ValueError, msgspec.DecodeError):
        return False


def _in_light_of(edition: Edition, look: Callable[[Reply, Edition], bool]) -> Look:
    return lambda reply: look(reply, edition)


def _location(target: str) -> tuple[str, Look]:
    return f"it does not lead to {target}", lambda reply: reply.headers.get("location") == target


def _canonical(end: str) -> tuple[str, Look]:
    return "another canonical form", lambda reply: f'{end}; rel="canonical"' in reply.headers.get("link", "")
