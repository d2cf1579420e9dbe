"""The errors of the domain, without status codes. `coolid.http.problem_types` has the HTTP problem of each.

The direct descendants of `CoolidError` say what went wrong: the text is no identifier (`BadReference`), it breaks a
rule (`InvalidIdentifier`), nothing is there (`NotFound`), a document is invalid (`InvalidInput`), the stored state
forbids it (`Conflict`), the client may not (`Unauthenticated`, `Forbidden`, `QuotaExceeded`), or not now
(`Unavailable`).

>>> error = InvalidCheck("tw0t-ywdj-95", expected="94", found="95")
>>> isinstance(error, InvalidIdentifier), str(error)
(True, 'its check digits are 95, but the other symbols call for 94')
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import force_setattr


class CoolidError(Exception):
    """The base class of all errors that this package raises deliberately."""

    is_versioned = True
    """Whether the requested thing may have versions, as records do. False for prefixes and identifiers of others."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy the error, also to another process. The default calls `__init__` with the message only."""
        return _copy, (type(self), self.args, self.__dict__)


def _copy(kind: type[CoolidError], args: tuple[Any, ...], attributes: dict[str, Any]) -> CoolidError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class UsageError(Exception):
    """A file, setting or argument that a person must correct before a program can work. Services do not raise it."""


class UnstorableValue(Exception):
    """The store can contain no row with such a value; the message is its reason. Services validate values before."""


class BadReference(CoolidError):
    """The request's text is no identifier; the message gives the reason."""


class TooLong(BadReference):
    """The identifier is larger than `limit` bytes."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"the identifier has {size} bytes, more than the {limit} that are allowed")
        self.size = size
        self.limit = limit


class InvalidIdentifier(CoolidError):
    """The identifier breaks a rule; `identifier` is the original text, `rule` the name of the rule in one word."""

    rule = "identifier"
    suggestions: tuple[str, ...] = ()
    """Similar identifiers that exist, in display form; set by callers that have a store."""
    prefix: str | None = None
    """The prefix whose rules it breaks; set by callers that looked it up."""

    def __init__(self, identifier: str, reason: str) -> None:
        super().__init__(reason)
        self.identifier = identifier


class InvalidCharacter(InvalidIdentifier):
    """A symbol at `position` (from 0, in the original text) does not belong to the alphabet."""

    rule = "alphabet"

    def __init__(self, identifier: str, position: int, allowed: str) -> None:
        symbol = identifier[position]
        super().__init__(
            identifier, f"character {position + 1}, {symbol!a}, is not one of the symbols it may have: {allowed}"
        )
        self.position = position
        self.symbol = symbol
        self.allowed = allowed


class InvalidLength(InvalidIdentifier):
    """Its compact form has `found` symbols instead of `expected`."""

    rule = "length"

    def __init__(self, identifier: str, expected: int, found: int) -> None:
        super().__init__(identifier, f"it has {found} symbols, not {expected}")
        self.expected = expected
        self.found = found


class InvalidCheck(InvalidIdentifier):
    """The check characters are `found` instead of `expected`; the identifier was probably mistyped."""

    rule = "check"

    def __init__(self, identifier: str, expected: str, found: str) -> None:
        super().__init__(identifier, f"its check digits are {found}, but the other symbols call for {expected}")
        self.expected = expected
        self.found = found


class InvalidPattern(InvalidIdentifier):
    """The prefix's `pattern` does not match the identifier."""

    rule = "pattern"

    def __init__(self, identifier: str, pattern: str) -> None:
        super().__init__(identifier, f"it does not match the prefix's pattern {pattern}")
        self.pattern = pattern


class ExtraneousText(InvalidIdentifier):
    """The text contains what belongs to no identifier of its prefix, such as a label, white space or markup.

    `suggestions` are whole identifiers, with their prefixes.
    """

    rule = "text"
    provider: str | None = None
    """The code of the provider that the request's path names."""


class NotFound(CoolidError):
    """The requested thing does not exist here."""


class UnknownPrefix(NotFound):
    """No leading part of `text` is a registered prefix."""

    def __init__(self, text: str) -> None:
        super().__init__("it does not begin with a prefix that is registered here")
        self.text = text


class UnknownProvider(NotFound):
    """`prefix` has no provider with the code `provider`; `codes` lists its providers' codes."""

    def __init__(self, prefix: str, provider: str, codes: Sequence[str]) -> None:
        super().__init__(
            f"the prefix {prefix} has no provider with this code; its providers are {', '.join(codes) or 'none'}"
        )
        self.prefix = prefix
        self.provider = provider
        self.codes = tuple(codes)


class NoProvider(NotFound):
    """`prefix` is registered, but no provider resolves its identifiers."""

    def __init__(self, prefix: str) -> None:
        super().__init__(f"the prefix {prefix} is registered, but has no provider that resolves its identifiers")
        self.prefix = prefix


class UnregisteredIdentifier(NotFound):
    """`identifier` is well formed under `prefix`, but has no public record; `suggestions` are similar identifiers."""

    def __init__(self, prefix: str, identifier: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(f"the prefix {prefix} is registered and the identifier is well formed, but no record has it")
        self.prefix = prefix
        self.identifier = identifier
        self.suggestions = suggestions


class NoLocation(NotFound):
    """The record `pid` exists, but none of its locations is valid now; `reasons` has a clause for each.

    The next one becomes valid in `seconds`, or never if None. `archives` are URLs of possible archived copies.
    """

    def __init__(
        self, pid: str, reasons: Sequence[str], seconds: int | None = None, archives: Sequence[str] = ()
    ) -> None:
        super().__init__(f"the identifier is registered, but leads nowhere at the moment: {'; '.join(reasons)}")
        self.pid = pid
        self.reasons = tuple(reasons)
        self.seconds = seconds
        self.archives = tuple(archives)


class PolicyDenied(CoolidError):
    """The repository of the record `pid` denies the hosts of all locations to which it could lead now."""

    def __init__(self, pid: str) -> None:
        super().__init__("the identifier is registered, but its repository denies the hosts of all its locations")
        self.pid = pid


class IntegrityFailure(CoolidError):
    """The stored record `pid` is not what its issuer signed, by the check of this name, so that it is not served."""

    def __init__(self, pid: str, check: str, detail: str) -> None:
        super().__init__(f"the stored record failed verification ({check}: {detail})")
        self.pid = pid


class DeniedByPeers(CoolidError):
    """The LinkID is not registered here, and the policy of another resolver denies its resolution."""

    def __init__(self, linkid: str) -> None:
        super().__init__(f"{linkid} is not registered here, and the policy of another resolver denies its resolution")


class RefusedClaims(CoolidError):
    """The LinkID is not registered here, and the records of others failed verification: `conflicts`, as JSON."""

    def __init__(self, linkid: str, conflicts: Sequence[Mapping[str, Any]]) -> None:
        reasons = "; ".join(f"{claim['issuer']}: {claim['reason']}" for claim in conflicts)
        super().__init__(
            f"{linkid} is not registered here, and the records of other resolvers failed verification ({reasons})"
        )
        self.conflicts = tuple(conflicts)


class UnknownVersion(NotFound):
    """The record `pid` has no version `version`, or none that is public."""

    def __init__(self, pid: str, version: str) -> None:
        super().__init__(f"the record {pid} has no public version {version}")
        self.pid = pid


class UnknownRepository(NotFound):
    """No repository has this id."""

    def __init__(self, repository: str) -> None:
        super().__init__(f"no repository has the id {repository!a}")


class UnknownClient(NotFound):
    """No client has this id."""

    def __init__(self, client: str) -> None:
        super().__init__(f"no client has the id {client!a}")


class UnknownJob(NotFound):
    """No job of the client has this id, or it has expired."""

    is_versioned = False

    def __init__(self, job: str) -> None:
        super().__init__(f"no job has the id {job!a}; jobs are kept for 30 days")


class UnknownUpload(NotFound):
    """The client has no upload with this id, or it has expired."""

    is_versioned = False

    def __init__(self, upload: str) -> None:
        super().__init__(f"no upload has the id {upload!a}")


MAX_VIOLATIONS: Final = 50
MAX_VIOLATION_CHARACTERS: Final = 300
"""Maximum length of a pointer or a reason, because a response must not repeat long input."""


class Violation(Struct, frozen=True):
    """One broken rule of a document: `pointer` is a JSON Pointer (RFC 6901; "" is the whole), `reason` a sentence."""

    pointer: str
    reason: str

    def __post_init__(self) -> None:
        force_setattr(self, "pointer", self.pointer[:MAX_VIOLATION_CHARACTERS])
        force_setattr(self, "reason", self.reason[:MAX_VIOLATION_CHARACTERS])


class InvalidInput(CoolidError):
    """A document breaks one or more rules.

    `is_outside_domains` if the only fault of its targets is that the repository does not allow their hosts.
    """

    def __init__(self, violations: Sequence[Violation], *, is_outside_domains: bool = False) -> None:
        sentences = [f"{violation.pointer or 'the document'}: {violation.reason}" for violation in violations[:3]]
        super().__init__("; ".join(sentences) + ("; and more" if len(violations) > len(sentences) else ""))
        self.violations = tuple(violations[:MAX_VIOLATIONS])
        self.is_outside_domains = is_outside_domains

    @classmethod
    def at(cls, pointer: str, reason: str) -> "InvalidInput":
        """Return an error with one violation."""
        return cls([Violation(pointer, reason)])


class BadIdempotencyKey(CoolidError):
    """The Idempotency-Key is not 1 to 255 printable ASCII characters."""

    def __init__(self) -> None:
        super().__init__("an Idempotency-Key has 1 to 255 printable characters of ASCII")


class KeyReused(CoolidError):
    """The client used the Idempotency-Key for another request before."""

    def __init__(self) -> None:
        super().__init__("the Idempotency-Key was used for a request with another body")


class QuotaExceeded(CoolidError):
    """The client may mint `limit` identifiers in a `window` of `seconds`; it may retry after `retry_after` seconds."""

    def __init__(self, window: str, limit: int, seconds: int, retry_after: int) -> None:
        super().__init__(f"the client has minted the {limit} identifiers that it may mint in a {window}")
        self.window = window
        self.limit = limit
        self.seconds = seconds
        self.retry_after = retry_after


class TooManyChecks(QuotaExceeded):
    """The client may request checks of `limit` records in a `window` of `seconds`."""

    def __init__(self, window: str, limit: int, seconds: int, retry_after: int) -> None:
        super().__init__(window, limit, seconds, retry_after)
        self.args = (f"the client has requested checks of the {limit} records that it may have checked in a {window}",)


class Conflict(CoolidError):
    """The request is valid, but conflicts with the stored state."""


class IdentifierTaken(Conflict):
    """The chosen identifier exists already; identifiers are never reused, not even withdrawn ones."""

    def __init__(self, identifier: str) -> None:
        super().__init__(f"the identifier {identifier} exists already")
        self.identifier = identifier


class IdempotencyRecordTaken(Conflict):
    """The idempotent request has a record already, or another one is being written; nothing was written."""

    def __init__(self) -> None:
        super().__init__("the same request is in progress; send it again to receive its result")


class KeyShownOnce(Conflict):
    """The same request has created the client `client_id`, whose key is not stored and cannot be returned again."""

    def __init__(self, client_id: str) -> None:
        super().__init__(
            f"the same request has created the client {client_id}, and only that response contained the key; "
            "revoke this client and create another one with another Idempotency-Key"
        )
        self.client_id = client_id


class PrefixTaken(Conflict):
    """`prefix` already has another meaning, or would get one; `meaning` completes a sentence that begins with it."""

    def __init__(self, prefix: str, meaning: str) -> None:
        super().__init__(f"the prefix {prefix} {meaning}")
        self.prefix = prefix


class Exhausted(Conflict):
    """All `capacity` identifiers of the repository's template are in use."""

    def __init__(self, capacity: int) -> None:
        super().__init__(f"all {capacity} identifiers that the repository's template allows are in use")
        self.capacity = capacity


class Outdated(Conflict):
    """`identifier` is now at `version`, which is not the version that the caller read; nothing was written."""

    def __init__(self, identifier: str, version: int | None = None) -> None:
        super().__init__(
            f"{identifier} was changed since it was read" + (f": it is at version {version}" if version else "")
        )
        self.identifier = identifier


class AlreadyWithdrawn(Conflict):
    """The record `identifier` is a tombstone, which cannot change."""

    def __init__(self, identifier: str) -> None:
        super().__init__(f"the identifier {identifier} was withdrawn; its tombstone cannot change")
        self.identifier = identifier


class CustodyOffered(Conflict):
    """The record `identifier` is offered to the service `recipient`, so it cannot change; nothing was written."""

    def __init__(self, identifier: str, recipient: str) -> None:
        super().__init__(f"the record {identifier} is offered to {recipient}; revoke the offer first")
        self.identifier = identifier
        self.recipient = recipient


class CustodyElsewhere(Conflict):
    """Only the service `authority`, which is not this one, may change the record `identifier`; nothing was written."""

    def __init__(self, identifier: str, authority: str) -> None:
        super().__init__(f"the authority for {identifier} is {authority}; send the request there")
        self.identifier = identifier
        self.authority = authority


class NoSuchOffer(Conflict):
    """The record is not offered, or not like this. `record` is the document of its current version, None if unknown."""

    def __init__(self, reason: str, record: dict[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.record = record


class HomeElsewhere(Conflict):
    """Only the region `home`, which is not this one, may write `thing`; nothing was written."""

    def __init__(self, thing: str, home: str) -> None:
        super().__init__(f"only the region {home} may write {thing}; send the request there")
        self.home = home


class Contended(Conflict):
    """Concurrent writes changed the same rows; nothing was written."""


class WrongJobState(Conflict):
    """The job is in the state `state`, in which the requested step is not possible."""

    def __init__(self, state: str, step: str) -> None:
        super().__init__(f"the job is in the state {state}, in which {step}")
        self.state = state


class JobsNotSetUp(CoolidError):
    """The service has no storage for bulk jobs, because `settings` are missing."""

    def __init__(self, settings: Sequence[str]) -> None:
        super().__init__(f"this service carries out no bulk jobs, because settings are missing: {', '.join(settings)}")


class Unauthenticated(CoolidError):
    """The request carries no API key, or one that is not valid."""

    as_password = False
    """Whether the endpoint also accepts a key as a password (`Authorization: Basic`); set by such endpoints."""


class Forbidden(CoolidError):
    """The API key is valid, but its scopes do not cover the request."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"the API key has no scope that covers {scope}")


class InvalidAnswer(CoolidError):
    """Another service answered with something that fails verification; the message says what. Nothing was written."""


class Unavailable(CoolidError):
    """The service cannot answer now; the caller may retry after `retry_after` seconds."""

    retry_after = 5


class OtherServiceUnavailable(Unavailable):
    """Another service, with which this one must exchange messages, gave no usable answer; the message says why."""

    retry_after = 30


class StoreUnavailable(Unavailable):
    """The store could not be reached, throttled, or failed."""


class ReadOnly(Unavailable):
    """The service is read-only for the time being, for example while it moves; nothing was written."""

    retry_after = 60

    def __init__(self) -> None:
        super().__init__("this service accepts no changes for the time being; nothing was written")


class SignerUnavailable(Unavailable):
    """The signing key could not be used, or its signature is invalid; nothing was written."""


class PeersUnavailable(Unavailable):
    """The LinkID is not registered here, and the resolvers `peers`, which may have it, cannot answer now.

    `conflicts` are claims of others to it that were refused.
    """

    retry_after = 10

    def __init__(self, linkid: str, peers: Sequence[str], conflicts: Sequence[Mapping[str, Any]] = ()) -> None:
        named = ", ".join(peer for peer in peers if peer)
        others = (
            f"another resolver that may have it cannot answer now: {named}" if named else "others cannot be queried"
        )
        super().__init__(f"{linkid} is not registered here, and {others}")
        self.peers = tuple(peers)
        self.conflicts = tuple(conflicts)


class LineNotTried(Unavailable):
    """A line of a batch was not tried, because no time or no space in the response was left; nothing was written."""

    retry_after = 1

    def __init__(self, lacking: str = "time") -> None:
        super().__init__(f"there was no {lacking} left for this line; send it again")


class HomeMoving(Unavailable):
    """`thing` moves to this region, which may write it after `seconds`; nothing was written."""

    def __init__(self, thing: str, seconds: int) -> None:
        super().__init__(f"{thing} is moving to this region, which may write it in {seconds} s")
        self.retry_after = seconds


class DrawsExhausted(Unavailable):
    """`draws` identifiers were drawn at random, and each exists already."""

    def __init__(self, draws: int) -> None:
        super().__init__(f"all {draws} identifiers that were drawn exist already")
        self.draws = draws


class CounterAhead(Unavailable):
    """The next number is `milliseconds` further ahead of the clock than allowed."""

    retry_after = 1

    def __init__(self, milliseconds: int) -> None:
        super().__init__(f"identifiers are requested faster than the clock advances; retry in {milliseconds} ms")
        self.milliseconds = milliseconds
