"""Resolution results: what a resolver says about a LinkID, as a value and as a JSON document.

Specification: draft-linkgenetic-linkid-uri-01, sections 5.2 and 5.3. `id`, `status`, `target_url` and `error` are the
draft's members; all others are documented extensions (`docs/reference/linkid-results.md`). A result of a withdrawn
LinkID, or of a request that failed, has an `error`. A document may have members that this version does not know; they
are ignored. Parsing checks types and sizes only. It proves nothing: `coolid.linkid.evidence` verifies results.

>>> text = b'{"id":"LINKID:00c538ea-846b-47a6-a3d4-70a9ebd29d7c","status":"active","target_url":"https://a.example/"}'
>>> result = from_response(200, "application/json", text)
>>> result.id, result.usable_target
('linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c', 'https://a.example/')
>>> from_document({"status": "active", "target_url": None})
Traceback (most recent call last):
...
coolid.linkid.results.InvalidResult: it has neither an id nor an error
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta, Struct, ValidationError, convert, to_builtins
from msgspec.structs import replace

from coolid.errors import InvalidIdentifier
from coolid.identifiers.schemes import linkid, uuid
from coolid.linkid.states import ACTIVE
from coolid.strict_json import NotJson, load

MAX_BYTES: Final = 4 << 20
"""The largest document that is parsed; a record has at most 400 kB, and each transfer of custody adds a version."""

INVALID_IDENTIFIER: Final = "invalid_identifier"
NOT_FOUND: Final = "not_found"
GONE: Final = "gone"
POLICY_DENIED: Final = "policy_denied"
NOT_ACCEPTABLE: Final = "not_acceptable"
TOO_MANY_REQUESTS: Final = "too_many_requests"
TEMPORARILY_UNAVAILABLE: Final = "temporarily_unavailable"
INTEGRITY_FAILURE: Final = "integrity_failure"
STATUS_CODES: Final[Mapping[str | None, int]] = {
    None: 200,
    INVALID_IDENTIFIER: 400,
    POLICY_DENIED: 403,
    NOT_FOUND: 404,
    NOT_ACCEPTABLE: 406,
    GONE: 410,
    TOO_MANY_REQUESTS: 429,
    INTEGRITY_FAILURE: 500,
    TEMPORARILY_UNAVAILABLE: 503,
}
"""The values of `error`, with the HTTP statuses of their responses; None is the error of a success."""

Word = Annotated[str, Meta(max_length=100)]
Line = Annotated[str, Meta(max_length=4_000)]
Url = Annotated[str, Meta(min_length=1, max_length=4_000)]
_Document = dict[str, Any]
_MEMBERS_OF_DRAFT: Final = ("id", "status", "target_url", "error")
_ABSENT: Final[tuple[Any, ...]] = (None, (), False)
"""The values of members that a document does not need."""


class InvalidResult(Exception):
    """The document is no resolution result; the message gives the reason."""


class ResultTarget(Struct, frozen=True):
    """A location that may be used now. `fallback` if another one is the first choice. Times are RFC 3339."""

    url: Url
    media_type: Line | None = None
    language: Word | None = None
    quality: Annotated[float, Meta(ge=0, le=1)] | None = None
    valid_from: Word | None = None
    valid_until: Word | None = None
    fallback: bool = False


class ResultTransfer(Struct, frozen=True, rename={"sender": "from", "recipient": "to"}):
    """A transfer of custody between two issuers, with the document of the version that says so."""

    sender: Url
    recipient: Url
    at: Word
    record: _Document


class RefusedClaim(Struct, frozen=True):
    """The record of another `issuer` who claims the same LinkID, and the reason why it was refused."""

    issuer: Url
    reason: Line
    record: _Document | None = None


class ResolutionResult(Struct, frozen=True, kw_only=True):
    """What a resolver says about a LinkID.

    - `id`: the canonical LinkID, None only in errors about no LinkID. `status`: one of `coolid.linkid.states`, None if
      the response says nothing about an identifier. `target_url`: where it leads, None unless it is active.
    - `error`: see `STATUS_CODES`; `detail`: the reason in a sentence.
    - `version`: the record's number. `last_verified_at`: a successful check of the target, None if there was none.
    - `authority`: the issuer that answers for the record; `authoritative` if that is the resolver itself.
    - `withdrawn_at`, `reason`, `successor`: the withdrawal. `targets`: the locations that may be used, best first.
    - `record`: the signed document, verified with the keys at `keys_url`. `inclusion_url`: the proof that it is in the
      transparency log, whose text is `inclusion` if it was requested.
    - `custody`: the transfers of the record, oldest first. `conflicts`: refused claims to the same LinkID.

    Times are RFC 3339.
    """

    id: str | None = None
    status: Word | None = None
    target_url: Url | None = None
    error: Word | None = None
    detail: Line | None = None
    version: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None
    last_verified_at: Word | None = None
    authoritative: bool = False
    authority: Url | None = None
    withdrawn_at: Word | None = None
    reason: Line | None = None
    successor: Url | None = None
    targets: Annotated[tuple[ResultTarget, ...], Meta(max_length=200)] = ()
    record: _Document | None = None
    keys_url: Url | None = None
    inclusion_url: Url | None = None
    inclusion: Annotated[str, Meta(max_length=100_000)] | None = None
    custody: Annotated[tuple[ResultTransfer, ...], Meta(max_length=100)] = ()
    conflicts: Annotated[tuple[RefusedClaim, ...], Meta(max_length=20)] = ()

    @property
    def usable_target(self) -> str | None:
        """Where a client may go, if the result is verified; None unless the status is active."""
        return self.target_url if self.status == ACTIVE and self.error is None else None

    @property
    def status_code(self) -> int:
        """The HTTP status of the response."""
        return STATUS_CODES.get(self.error, 500)

    def to_document(self) -> dict[str, Any]:
        """Return the JSON document: `status` and `target_url` always, other members if they have a value.

        A result about a registered LinkID always has `version`, `last_verified_at` and `authoritative`, too. `scheme`,
        `uuid` and `tombstone`, which the draft's reference implementation has, repeat other members.
        """
        always = {"status", "target_url"}
        if self.error in (None, GONE):
            always |= {"version", "last_verified_at", "authoritative"}
        document = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in to_builtins(self).items()
            if name in always or value not in _ABSENT
        }
        if self.error == GONE:
            document["tombstone"] = {"at": self.withdrawn_at, "reason": self.reason, "successor": self.successor}
        if self.id is not None:
            document |= {"scheme": linkid.NAME, "uuid": uuid.format(linkid.compact(self.id))}
        return document


def from_document(document: Any) -> ResolutionResult:
    """Return the result of a JSON document, `id` in its canonical form. Unknown members are ignored.

    Raises `InvalidResult` if a member is of another type, too long or malformed, or if `id` or `status` is missing in a
    document without an `error`.
    """
    if not isinstance(document, dict):
        raise InvalidResult("it is not a JSON object")
    try:
        result = convert(document, ResolutionResult)
    except ValidationError as error:
        raise InvalidResult(f"a member is invalid: {error}") from error
    if result.id is None:
        if result.error is None:
            raise InvalidResult("it has neither an id nor an error")
        return result
    if "target_url" not in document and result.error is None:
        raise InvalidResult("it has no target_url, not even null")
    if result.status is None and result.error is None:
        raise InvalidResult("it has no status")
    try:
        return replace(result, id=linkid.canonical(result.id))
    except InvalidIdentifier as error:
        raise InvalidResult(f"its id is not a LinkID: {error}") from error


def from_response(status: int, media_type: str, body: bytes) -> ResolutionResult:
    """Return the result in an HTTP response of this media type without parameters, in lower case.

    The `error` must fit the status of the response. So a page or an error of an intermediary is no result. Raises
    `InvalidResult`.
    """
    if media_type != "application/json":
        kind = media_type or "no media type"
        raise InvalidResult(f"it answered with {kind} (status {status}), which is no resolution result")
    if len(body) > MAX_BYTES:
        raise InvalidResult(f"its answer (status {status}) is larger than {MAX_BYTES} bytes")
    try:
        result = _from_any(load(body))
    except NotJson as error:
        raise InvalidResult(f"its answer (status {status}) is not JSON: {error}") from error
    except InvalidResult as error:
        raise InvalidResult(f"its answer (status {status}) is no resolution result: {error}") from error
    if STATUS_CODES.get(result.error) != status:
        if result.error is None:
            raise InvalidResult(f"its answer has the status {status}, but no error")
        raise InvalidResult(f"its error {result.error!r} does not fit the status {status}")
    return result


def _from_any(document: Any) -> ResolutionResult:
    """Return the result of a document, which may be from another implementation. Raises `InvalidResult`.

    Such a document may have our members in another form. Without a record, these are only the resolver's word, so that
    they are ignored like unknown members.
    """
    try:
        return from_document(document)
    except InvalidResult:
        if not isinstance(document, dict) or document.get("record") is not None:
            raise
        return from_document({name: document[name] for name in _MEMBERS_OF_DRAFT if name in document})
