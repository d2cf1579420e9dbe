"""Problems (RFC 9457): one table from error classes to status, type and title.

An error outside the table becomes a bare 500 with the request's id; the log contains the trace.

>>> describe(errors.UnknownPrefix("nope:1"), "https://id.example.org").status
404
"""

from typing import Any, Final

from msgspec import Struct, field

from coolid import errors
from coolid.http import errors as http_errors
from coolid.http.caching import refusal_cache_control

MEDIA_TYPE: Final = "application/problem+json"
PATH: Final = "/problems/"


class ProblemKind(Struct, frozen=True):
    """A row of the table: the status, the last part of the type URI, and the title, all constant."""

    status: int
    slug: str
    title: str


KINDS: Final[dict[type[Exception], ProblemKind]] = {
    errors.TooLong: ProblemKind(414, "identifier-too-long", "The identifier is too long"),
    errors.BadReference: ProblemKind(400, "bad-reference", "This cannot be read as an identifier"),
    errors.InvalidCharacter: ProblemKind(
        400, "invalid-character", "The identifier has a character that it cannot have"
    ),
    errors.InvalidLength: ProblemKind(400, "invalid-length", "The identifier has the wrong length"),
    errors.InvalidCheck: ProblemKind(400, "invalid-check", "The identifier has a typing error"),
    errors.InvalidPattern: ProblemKind(400, "invalid-pattern", "The identifier does not fit its prefix"),
    errors.InvalidIdentifier: ProblemKind(400, "invalid-identifier", "The identifier is not valid"),
    errors.UnknownPrefix: ProblemKind(404, "unknown-prefix", "The prefix is not registered here"),
    errors.UnknownProvider: ProblemKind(404, "unknown-provider", "The prefix has no such provider"),
    errors.NoProvider: ProblemKind(404, "no-provider", "Nobody is known to resolve this prefix"),
    errors.UnregisteredIdentifier: ProblemKind(404, "unregistered-identifier", "The identifier is not registered"),
    errors.NoLocation: ProblemKind(404, "no-location", "The identifier leads nowhere at the moment"),
    errors.UnknownVersion: ProblemKind(404, "unknown-version", "The record has no such version"),
    errors.UnknownClient: ProblemKind(404, "unknown-client", "There is no such client"),
    errors.UnknownRepository: ProblemKind(404, "unknown-repository", "There is no such repository"),
    errors.InvalidInput: ProblemKind(422, "invalid-input", "The document breaks its rules"),
    errors.BadIdempotencyKey: ProblemKind(400, "bad-idempotency-key", "The Idempotency-Key cannot be read"),
    errors.KeyReused: ProblemKind(422, "idempotency-key-reused", "The Idempotency-Key stands for another request"),
    errors.QuotaExceeded: ProblemKind(429, "quota-exceeded", "The client's quota is used up for now"),
    errors.IdentifierTaken: ProblemKind(409, "identifier-taken", "The identifier exists already"),
    errors.IdempotencyRecordTaken: ProblemKind(409, "request-under-way", "The same request is being carried out"),
    errors.PrefixTaken: ProblemKind(409, "prefix-taken", "The prefix means something else"),
    errors.Exhausted: ProblemKind(409, "exhausted", "No identifiers are left"),
    errors.Outdated: ProblemKind(412, "outdated", "The record changed in between"),
    errors.AlreadyWithdrawn: ProblemKind(409, "already-withdrawn", "The identifier was withdrawn"),
    errors.HomeElsewhere: ProblemKind(409, "home-elsewhere", "Another region is its home"),
    errors.Contended: ProblemKind(409, "contended", "Others changed it at the same time"),
    errors.Unauthenticated: ProblemKind(401, "unauthenticated", "A valid API key is needed"),
    errors.Forbidden: ProblemKind(403, "forbidden", "The API key does not reach this far"),
    errors.LineNotTried: ProblemKind(503, "line-not-tried", "There was no time or room left for this line"),
    errors.HomeMoving: ProblemKind(503, "home-moving", "Its home is moving to this region"),
    errors.DrawsExhausted: ProblemKind(503, "draws-exhausted", "No free identifier was drawn"),
    errors.CounterAhead: ProblemKind(503, "counter-ahead", "Too many identifiers at once"),
    errors.SignerUnavailable: ProblemKind(503, "signer-unavailable", "The signing key cannot be used"),
    errors.StoreUnavailable: ProblemKind(503, "store-unavailable", "The store cannot be reached"),
    http_errors.NoSuchAddress: ProblemKind(404, "no-such-address", "There is nothing at this address"),
    http_errors.MethodNotAllowed: ProblemKind(405, "method-not-allowed", "The method is not possible here"),
    http_errors.NotAcceptable: ProblemKind(406, "not-acceptable", "No representation is acceptable"),
    http_errors.NoSuchForm: ProblemKind(406, "no-such-form", "There is no such form of it"),
    http_errors.UnknownFormat: ProblemKind(406, "unknown-format", "There is no such format"),
    http_errors.UnknownStyle: ProblemKind(406, "unknown-style", "There is no such style of the format"),
    http_errors.TooLongToPicture: ProblemKind(406, "too-long-to-picture", "The identifier is too long for a QR code"),
    http_errors.PreconditionRequired: ProblemKind(
        428, "precondition-required", "The change does not say what it is made from"
    ),
    http_errors.BadCursor: ProblemKind(400, "bad-cursor", "The cursor is not one of ours"),
    http_errors.UnsupportedPatch: ProblemKind(
        415, "unsupported-patch", "The change is not of a kind that is understood"
    ),
    http_errors.BadDatetime: ProblemKind(400, "bad-datetime", "The Accept-Datetime cannot be read"),
    http_errors.MalformedBody: ProblemKind(400, "malformed-body", "The body cannot be read"),
    http_errors.MalformedEvent: ProblemKind(400, "malformed-event", "This is not a request"),
    http_errors.BodyTooLarge: ProblemKind(413, "body-too-large", "The body is too large"),
    http_errors.Unhealthy: ProblemKind(503, "unhealthy", "Not everything works"),
}
UNKNOWN: Final = ProblemKind(500, "internal-error", "Something went wrong here")


class Problem(Struct, frozen=True):
    """A problem: its kind, the sentence for this occurrence, and its own members and headers.

    `cause` is the error, of which a page may show more.
    """

    kind: ProblemKind
    type_uri: str
    detail: str
    members: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cause: Exception | None = None

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        return self.kind.status

    def document(self) -> dict[str, Any]:
        """Return the members of `application/problem+json`."""
        return {
            "type": self.type_uri,
            "title": self.kind.title,
            "status": self.status,
            "detail": self.detail,
            **self.members,
        }


def kind_of(error: Exception) -> ProblemKind | None:
    """Return the row of the nearest base class in the table, None for an unexpected error."""
    return next((KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in KINDS), None)


def kind_named(slug: str) -> ProblemKind:
    """Return the kind whose type URI ends with the slug. Raises `NoSuchAddress` if there is none."""
    for kind in (*KINDS.values(), UNKNOWN):
        if kind.slug == slug:
            return kind
    raise http_errors.NoSuchAddress("there is no problem of that name")


def type_uri(kind: ProblemKind, base_url: str) -> str:
    """Return the stable URI of a kind of problem."""
    return f"{base_url}{PATH}{kind.slug}"


def describe(error: Exception, base_url: str, request_id: str = "") -> Problem:
    """Return the problem that describes an error to a client."""
    kind = kind_of(error)
    if kind is None:
        detail = "The error was logged; its report goes by the request's id."
        members = {"request": request_id} if request_id else {}
        return Problem(UNKNOWN, type_uri(UNKNOWN, base_url), detail, members, cause=error)
    detail = sentence(str(error))
    return Problem(kind, type_uri(kind, base_url), detail, _members(error), _headers(error), error)


def sentence(text: str) -> str:
    """Return an error's message as a sentence."""
    return text[:1].upper() + text[1:] + "."


def _members(error: Exception) -> dict[str, Any]:
    """Return the problem members for programs, from the attributes of the error."""
    match error:
        case errors.InvalidInput():
            return {"errors": [{"pointer": each.pointer, "detail": each.reason} for each in error.violations]}
        case errors.InvalidCharacter():
            return {**_broken_rule(error), "position": error.position}
        case errors.InvalidIdentifier():
            return _broken_rule(error)
        case errors.UnregisteredIdentifier():
            return {"prefix": error.prefix, "suggestions": list(error.suggestions)}
        case errors.NoLocation():
            copies = {"archives": list(error.archives)} if error.archives else {}
            record = f"{error.pid}?format=linkid"
            return {"pid": error.pid, "reasons": list(error.reasons), "record": record, **copies}
        case http_errors.NoSuchForm():
            return {"pid": error.pid, "parameters": error.demands, "record": f"{error.pid}?format=linkid"}
        case errors.UnknownVersion():
            return {"pid": error.pid}
        case errors.HomeElsewhere():
            return {"home": error.home}
        case http_errors.Unhealthy():
            return error.report
        case errors.NoProvider():
            return {"prefix": error.prefix}
        case errors.UnknownProvider():
            return {"prefix": error.prefix, "providers": list(error.codes)}
        case _:
            return {}


def _broken_rule(error: errors.InvalidIdentifier) -> dict[str, Any]:
    prefix = {} if error.prefix is None else {"prefix": error.prefix}
    return {"identifier": error.identifier, **prefix, "rule": error.rule, "suggestions": list(error.suggestions)}


def _headers(error: Exception) -> dict[str, str]:
    match error:
        case errors.Unavailable():
            return {"Retry-After": str(error.retry_after)}
        case errors.QuotaExceeded():
            return {
                "Retry-After": str(error.retry_after),
                "RateLimit-Policy": f'"{error.window}";q={error.limit};w={error.seconds}',
                "RateLimit": f'"{error.window}";r=0;t={error.retry_after}',
            }
        case errors.Unauthenticated():
            basic = 'Basic realm="coolid", charset="UTF-8", ' if error.as_password else ""
            return {"WWW-Authenticate": f'{basic}Bearer realm="coolid"'}
        case http_errors.UnsupportedPatch():
            return {"Accept-Patch": "application/merge-patch+json"}
        case http_errors.MethodNotAllowed():
            return {"Allow": ", ".join(error.allowed)}
        case errors.NoLocation():  # only public reads raise it
            return {"Cache-Control": refusal_cache_control(error.seconds)}
        case _:
            return {}
