"""Problems (RFC 9457): from the kind of an error to status, type and title, in one table.

An error that is not in the table is a bare 500: the client learns that something went wrong and the request's id,
the log gets the trace.

>>> describe(errors.UnknownPrefix("nope:1"), "https://id.example.org").status
404
"""

from typing import Any, Final

from msgspec import Struct, field

from coolid import errors
from coolid.http import errors as web_errors
from coolid.http.caching import refusal_cache_control

MEDIA_TYPE: Final = "application/problem+json"
PATH: Final = "/problems/"


class ProblemKind(Struct, frozen=True):
    """A row of the table: the status, the last part of the type URI, and the title, which never vary."""

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
    errors.ReceiptTaken: ProblemKind(409, "request-under-way", "The same request is being carried out"),
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
    web_errors.NoSuchAddress: ProblemKind(404, "no-such-address", "There is nothing at this address"),
    web_errors.MethodNotAllowed: ProblemKind(405, "method-not-allowed", "The method is not possible here"),
    web_errors.NotAcceptable: ProblemKind(406, "not-acceptable", "No representation is acceptable"),
    web_errors.NoSuchForm: ProblemKind(406, "no-such-form", "There is no such form of it"),
    web_errors.UnknownFormat: ProblemKind(406, "unknown-format", "There is no such format"),
    web_errors.UnknownStyle: ProblemKind(406, "unknown-style", "There is no such style of the format"),
    web_errors.TooLongToPicture: ProblemKind(406, "too-long-to-picture", "The identifier is too long for a QR code"),
    web_errors.PreconditionRequired: ProblemKind(
        428, "precondition-required", "The change does not say what it is made from"
    ),
    web_errors.BadCursor: ProblemKind(400, "bad-cursor", "The cursor is not one of ours"),
    web_errors.UnsupportedPatch: ProblemKind(
        415, "unsupported-patch", "The change is not of a kind that is understood"
    ),
    web_errors.BadDatetime: ProblemKind(400, "bad-datetime", "The Accept-Datetime cannot be read"),
    web_errors.MalformedBody: ProblemKind(400, "malformed-body", "The body cannot be read"),
    web_errors.MalformedEvent: ProblemKind(400, "malformed-event", "This is not a request"),
    web_errors.BodyTooLarge: ProblemKind(413, "body-too-large", "The body is too large"),
    web_errors.Unhealthy: ProblemKind(503, "unhealthy", "Not everything works"),
}
UNKNOWN: Final = ProblemKind(500, "internal-error", "Something went wrong here")


class Problem(Struct, frozen=True):
    """A problem to be told: its kind, the sentence for this occurrence, members and headers of its own.

    `cause` is the error, of which a page may tell more.
    """

    kind: ProblemKind
    type_uri: str
    detail: str
    members: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cause: Exception | None = None

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.kind.status

    def document(self) -> dict[str, Any]:
        """The members of `application/problem+json`."""
        return {
            "type": self.type_uri,
            "title": self.kind.title,
            "status": self.status,
            "detail": self.detail,
            **self.members,
        }


def kind_of(error: Exception) -> ProblemKind | None:
    """The row of the nearest class in the table; None for an error nobody foresaw."""
    return next((KINDS[ancestor] for ancestor in type(error).__mro__ if ancestor in KINDS), None)


def kind_named(slug: str) -> ProblemKind:
    """The kind whose type URI ends so; `NoSuchAddress` if there is none."""
    for kind in (*KINDS.values(), UNKNOWN):
        if kind.slug == slug:
            return kind
    raise web_errors.NoSuchAddress("there is no problem of that name")


def type_uri(kind: ProblemKind, base_url: str) -> str:
    """The stable address of a kind of problem."""
    return f"{base_url}{PATH}{kind.slug}"


def describe(error: Exception, base_url: str, request_id: str = "") -> Problem:
    """The problem that tells an error to a client."""
    kind = kind_of(error)
    if kind is None:
        detail = "The error was logged; its report goes by the request's id."
        members = {"request": request_id} if request_id else {}
        return Problem(UNKNOWN, type_uri(UNKNOWN, base_url), detail, members, cause=error)
    detail = sentence(str(error))
    return Problem(kind, type_uri(kind, base_url), detail, _members(error), _headers(error), error)


def sentence(text: str) -> str:
    """What an error says, as a sentence."""
    return text[:1].upper() + text[1:] + "."


def _members(error: Exception) -> dict[str, Any]:
    """The evidence that an error carries, for programs."""
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
        case web_errors.NoSuchForm():
            return {"pid": error.pid, "parameters": error.demands, "record": f"{error.pid}?format=linkid"}
        case errors.UnknownVersion():
            return {"pid": error.pid}
        case errors.HomeElsewhere():
            return {"home": error.home}
        case web_errors.Unhealthy():
            return error.report
        case errors.NoProvider():
            return {"prefix": error.prefix}
        case errors.UnknownProvider():
            return {"prefix": error.prefix, "providers": list(error.known)}
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
        case web_errors.UnsupportedPatch():
            return {"Accept-Patch": "application/merge-patch+json"}
        case web_errors.MethodNotAllowed():
            return {"Allow": ", ".join(error.allowed)}
        case errors.NoLocation():  # only what everybody may read leads anywhere
            return {"Cache-Control": refusal_cache_control(error.seconds)}
        case _:
            return {}
