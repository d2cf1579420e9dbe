"""Problems (RFC 9457): what a response says about an error. `coolid.http.problem_types` has the problem types.

An error without a problem type becomes a bare 500 with the request's id; the log contains the trace.

>>> describe(errors.UnknownPrefix("nope:1"), "https://id.example.org").status
404
"""

from typing import Any, Final

from msgspec import Struct, field

from coolid import errors
from coolid.http import errors as http_errors
from coolid.http.caching import refusal_cache_control
from coolid.http.problem_types import UNKNOWN, ProblemType, problem_type_of

MEDIA_TYPE: Final = "application/problem+json"
PATH: Final = "/problems/"
_UNCHANGED: Final = ("http://", "https://", "linkid:")


class Problem(Struct, frozen=True):
    """A problem: its type, the sentence for this occurrence, own members and headers, and the error behind it."""

    type: ProblemType
    type_uri: str
    detail: str
    members: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cause: Exception | None = None

    @property
    def status(self) -> int:
        return self.type.status

    def document(self) -> dict[str, Any]:
        """Return the members of `application/problem+json`."""
        return {
            "type": self.type_uri,
            "title": self.type.title,
            "status": self.status,
            "detail": self.detail,
            **self.members,
        }


def type_uri(problem_type: ProblemType, base_url: str) -> str:
    """Return the stable URI of a problem type."""
    return f"{base_url}{PATH}{problem_type.slug}"


def describe(error: Exception, base_url: str, request_id: str = "") -> Problem:
    """Return the problem that describes an error to a client."""
    problem_type = problem_type_of(error)
    if problem_type is None:
        detail = "The error was logged; its report goes by the request's id."
        members = {"request": request_id} if request_id else {}
        return Problem(UNKNOWN, type_uri(UNKNOWN, base_url), detail, members, cause=error)
    detail = sentence(str(error))
    members = {**_members(error), **_conflicts(error)}
    return Problem(problem_type, type_uri(problem_type, base_url), detail, members, _headers(error), error)


def sentence(text: str) -> str:
    """Return an error's message as a sentence. A URL or a LinkID at the beginning stays as it is.

    >>> sentence("it is not a number"), sentence("https://a.example has no such record")
    ('It is not a number.', 'https://a.example has no such record.')
    >>> sentence("linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c is not registered here")
    'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c is not registered here.'
    """
    return (text if text.startswith(_UNCHANGED) else text[:1].upper() + text[1:]) + "."


def _members(error: Exception) -> dict[str, Any]:
    """Return the problem members for programs, from the attributes of the error."""
    members: dict[str, Any] = {}
    match error:
        case errors.InvalidInput():
            members = {"errors": [{"pointer": each.pointer, "detail": each.reason} for each in error.violations]}
        case errors.InvalidCharacter():
            members = {**_broken_rule(error), "position": error.position}
        case errors.InvalidIdentifier():
            members = _broken_rule(error)
        case errors.UnregisteredIdentifier():
            members = {"prefix": error.prefix, "suggestions": list(error.suggestions)}
        case errors.NoLocation():
            copies = {"archives": list(error.archives)} if error.archives else {}
            record = f"{error.pid}?format=linkid"
            members = {"pid": error.pid, "reasons": list(error.reasons), "record": record, **copies}
        case errors.PolicyDenied():
            members = {"pid": error.pid, "record": f"{error.pid}?format=linkid"}
        case http_errors.NoSuchForm():
            members = {"pid": error.pid, "parameters": error.demands, "record": f"{error.pid}?format=linkid"}
        case errors.UnknownVersion():
            members = {"pid": error.pid}
        case errors.Conflict():
            members = _conflict_members(error)
        case http_errors.Unhealthy():
            members = error.report
        case errors.NoProvider():
            members = {"prefix": error.prefix}
        case errors.UnknownProvider():
            members = {"prefix": error.prefix, "providers": list(error.codes)}
    return members


def _conflict_members(error: errors.Conflict) -> dict[str, Any]:
    match error:
        case errors.HomeElsewhere():
            return {"home": error.home}
        case errors.CustodyOffered():
            return {"recipient": error.recipient}
        case errors.CustodyElsewhere():
            return {"authority": error.authority}
        case errors.NoSuchOffer() if error.record is not None:
            return {"current": error.record}
    return {}


def _conflicts(error: Exception) -> dict[str, Any]:
    """Return the claims to a LinkID that were refused, as evidence."""
    conflicts = error.conflicts if isinstance(error, errors.RefusedClaims | errors.PeersUnavailable) else ()
    return {"conflicts": list(conflicts)} if conflicts else {}


def _broken_rule(error: errors.InvalidIdentifier) -> dict[str, Any]:
    prefix = {} if error.prefix is None else {"prefix": error.prefix}
    return {"identifier": error.identifier, **prefix, "rule": error.rule, "suggestions": list(error.suggestions)}


def _headers(error: Exception) -> dict[str, str]:
    headers: dict[str, str] = {}
    match error:
        case errors.Unavailable():
            headers = {"Retry-After": str(error.retry_after)}
        case errors.QuotaExceeded():
            headers = {
                "Retry-After": str(error.retry_after),
                "RateLimit-Policy": f'"{error.window}";q={error.limit};w={error.seconds}',
                "RateLimit": f'"{error.window}";r=0;t={error.retry_after}',
            }
        case errors.Unauthenticated():
            basic = 'Basic realm="coolid", charset="UTF-8", ' if error.as_password else ""
            headers = {"WWW-Authenticate": f'{basic}Bearer realm="coolid"'}
        case http_errors.UnsupportedPatch():
            headers = {"Accept-Patch": "application/merge-patch+json"}
        case http_errors.MethodNotAllowed():
            headers = {"Allow": ", ".join(error.allowed)}
        case errors.NoLocation():  # only public reads raise it
            headers = {"Cache-Control": refusal_cache_control(error.seconds)}
    return headers
