"""Why the domain refuses: one tree of kinds. They carry evidence, never status codes (`coolid.http.problems` maps them).

::

    CoolidError
    ├── BadReference               the text of the request cannot be read as an identifier
    │   └── TooLong                it can, but is larger than the limit
    ├── InvalidIdentifier          it breaks the rules of its repository or prefix
    │   ├── InvalidCharacter       a symbol outside the alphabet, with its position
    │   ├── InvalidLength          too few or too many symbols
    │   ├── InvalidCheck           the check characters do not fit the rest
    │   └── InvalidPattern         the prefix's pattern does not match
    ├── NotFound
    │   ├── UnknownPrefix          nothing is registered under any leading part of the text
    │   ├── UnknownProvider        the prefix has no provider of that code
    │   ├── NoProvider             the prefix is registered, but nobody resolves it
    │   ├── UnregisteredIdentifier well formed under a registered prefix, but no such record
    │   ├── NoLocation             the record exists, but none of its locations is good at the moment
    │   ├── UnknownVersion         the record exists, but has no such version, or not in public
    │   ├── UnknownRepository
    │   └── UnknownClient
    ├── InvalidInput               a document breaks its rules; a violation for each place
    ├── BadIdempotencyKey          the Idempotency-Key cannot be one
    ├── KeyReused                  the Idempotency-Key was used for another request
    ├── QuotaExceeded              the client minted as many as it may for now
    ├── Conflict
    │   ├── IdentifierTaken        the chosen LUI exists, whatever its status
    │   ├── PrefixTaken            the change would point an alias somewhere else
    │   ├── ReceiptTaken           the same request was carried out, or is being carried out
    │   ├── Exhausted              the scheme has no identifiers left
    │   ├── Outdated               the record changed since the caller read it
    │   ├── AlreadyWithdrawn       a tombstone does not change any more
    │   ├── HomeElsewhere          it is written in another region, its home
    │   └── Contended              others kept changing the same thing
    ├── Unauthenticated            no key, or not a valid one
    ├── Forbidden                  a valid key that does not reach this far
    └── Unavailable                the service cannot answer now; the caller may come back
        ├── StoreUnavailable       the store did not answer, or refused to for the moment
        ├── SignerUnavailable      the signing key cannot be used, or signed wrongly
        ├── LineNotTried           there was no time or room left for the line of a batch
        ├── HomeMoving             it moves to this region, and is not yet written here
        ├── DrawsExhausted         the generator kept drawing identifiers that exist
        └── CounterAhead           more was asked for than time has gone by

>>> error = InvalidCheck("tw0t-ywdj-95", expected="94", found="95")
>>> isinstance(error, InvalidIdentifier), str(error)
(True, 'its check digits are 95, but the other symbols call for 94')
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr


class CoolidError(Exception):
    """The root of everything that this package refuses on purpose."""

    is_versioned = True
    """Whether versions may exist of what was refused, as of records; false for prefixes and identifiers of others."""


class BadReference(CoolidError):
    """The request's text cannot be read as an identifier; the message says why."""


class TooLong(BadReference):
    """The identifier is larger than `limit` bytes."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(f"the identifier has {size} bytes, more than the {limit} that are allowed")
        self.size = size
        self.limit = limit


class InvalidIdentifier(CoolidError):
    """The identifier breaks a rule; `identifier` is the text as given, `rule` names the rule in one word."""

    rule = "identifier"
    suggestions: tuple[str, ...] = ()
    """Near identifiers that exist, as people write them; whoever can ask the store fills them in."""
    prefix: str | None = None
    """The prefix that it stands under, where its rules are that prefix's; whoever knows fills it in."""

    def __init__(self, identifier: str, reason: str) -> None:
        super().__init__(reason)
        self.identifier = identifier


class InvalidCharacter(InvalidIdentifier):
    """A symbol at `position` (from 0, in the text as given) does not belong to the alphabet."""

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
    """Its compact form has `found` symbols where the rules call for `expected`."""

    rule = "length"

    def __init__(self, identifier: str, expected: int, found: int) -> None:
        super().__init__(identifier, f"it has {found} symbols, not {expected}")
        self.expected = expected
        self.found = found


class InvalidCheck(InvalidIdentifier):
    """The check characters are `found` where the rest calls for `expected`: a slip of the pen somewhere."""

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


class NotFound(CoolidError):
    """What was asked for does not exist here."""


class UnknownPrefix(NotFound):
    """No leading part of `text` is a registered prefix."""

    def __init__(self, text: str) -> None:
        super().__init__("it does not begin with a prefix that is registered here")
        self.text = text


class UnknownProvider(NotFound):
    """`prefix` has no provider with the code `provider`; `known` lists the codes that it has."""

    def __init__(self, prefix: str, provider: str, known: Sequence[str]) -> None:
        super().__init__(f"the prefix {prefix} has no provider of that code; it has {', '.join(known) or 'none'}")
        self.prefix = prefix
        self.provider = provider
        self.known = tuple(known)


class NoProvider(NotFound):
    """`prefix` is registered, but no provider resolves its identifiers."""

    def __init__(self, prefix: str) -> None:
        super().__init__(f"the prefix {prefix} is registered, but no provider is known that resolves its identifiers")
        self.prefix = prefix


class UnregisteredIdentifier(NotFound):
    """`identifier` is well formed under `prefix`, but no public record answers to it; `suggestions` are near ones."""

    def __init__(self, prefix: str, identifier: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(f"the prefix {prefix} is registered and the identifier is well formed, but no record has it")
        self.prefix = prefix
        self.identifier = identifier
        self.suggestions = suggestions


class NoLocation(NotFound):
    """The record `pid` exists, but none of its locations is good at the moment; `reasons` has a clause for each.

    One may be in so many `seconds`, or never, if they are None. In `archives` there may be copies of former ones.
    """

    def __init__(
        self, pid: str, reasons: Sequence[str], seconds: int | None = None, archives: Sequence[str] = ()
    ) -> None:
        super().__init__(f"the identifier is registered, but leads nowhere at the moment: {'; '.join(reasons)}")
        self.pid = pid
        self.reasons = tuple(reasons)
        self.seconds = seconds
        self.archives = tuple(archives)


class UnknownVersion(NotFound):
    """The record `pid` has no version `version`, or none that is public."""

    def __init__(self, pid: str, version: str) -> None:
        super().__init__(f"the record {pid} has no public version {version}")
        self.pid = pid
        self.version = version


class UnknownRepository(NotFound):
    """No repository has this id."""

    def __init__(self, repository: str) -> None:
        super().__init__(f"no repository has the id {repository!a}")
        self.repository = repository


class UnknownClient(NotFound):
    """No client has this id."""

    def __init__(self, client: str) -> None:
        super().__init__(f"no client has the id {client!a}")
        self.client = client


MOST_VIOLATIONS: Final = 50
MOST_TOLD: Final = 300
"""Characters of a pointer or a reason: what a client sent is not sent back to it at length."""


class Violation(Struct, frozen=True):
    """One broken rule of a document: `pointer` is the place (RFC 6901; "" is the whole), `reason` a sentence."""

    pointer: str
    reason: str

    def __post_init__(self) -> None:
        force_setattr(self, "pointer", self.pointer[:MOST_TOLD])
        force_setattr(self, "reason", self.reason[:MOST_TOLD])


class InvalidInput(CoolidError):
    """A document breaks its rules in one or more places."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        told = [f"{violation.pointer or 'the document'}: {violation.reason}" for violation in violations[:3]]
        super().__init__("; ".join(told) + ("; and more" if len(violations) > len(told) else ""))
        self.violations = tuple(violations[:MOST_VIOLATIONS])

    @classmethod
    def at(cls, pointer: str, reason: str) -> "InvalidInput":
        """The common case: one violation."""
        return cls([Violation(pointer, reason)])


class BadIdempotencyKey(CoolidError):
    """The Idempotency-Key has not 1 to 255 printable characters of ASCII."""

    def __init__(self) -> None:
        super().__init__("an Idempotency-Key has 1 to 255 printable characters of ASCII")


class KeyReused(CoolidError):
    """The Idempotency-Key stands for another request of the same client already."""

    def __init__(self) -> None:
        super().__init__("the Idempotency-Key was used for a request with another body")


class QuotaExceeded(CoolidError):
    """The client may mint `limit` in a `window` of so many `seconds`; it may try again in `retry_after` of them."""

    def __init__(self, window: str, limit: int, seconds: int, retry_after: int) -> None:
        super().__init__(f"the client may mint {limit} identifiers a {window}, and has")
        self.window = window
        self.limit = limit
        self.seconds = seconds
        self.retry_after = retry_after


class Conflict(CoolidError):
    """The request is sound, but what exists stands against it."""


class IdentifierTaken(Conflict):
    """The chosen identifier exists already; identifiers are never given twice, not even withdrawn ones."""

    def __init__(self, identifier: str) -> None:
        super().__init__(f"the identifier {identifier} exists already")
        self.identifier = identifier


class ReceiptTaken(Conflict):
    """There is a receipt for the errand already, or somebody is writing one; nothing was written."""

    def __init__(self) -> None:
        super().__init__("the same request is being carried out at this moment; ask again for what came of it")


class PrefixTaken(Conflict):
    """`prefix` means something else, or would; `meaning` goes on the sentence that it begins."""

    def __init__(self, prefix: str, meaning: str) -> None:
        super().__init__(f"the prefix {prefix} {meaning}")
        self.prefix = prefix


class Exhausted(Conflict):
    """All `capacity` identifiers of the repository's template have been given."""

    def __init__(self, capacity: int) -> None:
        super().__init__(f"all {capacity} identifiers that the repository's template allows have been given")
        self.capacity = capacity


class Outdated(Conflict):
    """What `identifier` names is at `version` by now, not at the one that is meant to change; nothing was written."""

    def __init__(self, identifier: str, version: int | None = None) -> None:
        super().__init__(
            f"what {identifier} names was changed since" + (f": it is at version {version}" if version else "")
        )
        self.identifier = identifier
        self.version = version


class AlreadyWithdrawn(Conflict):
    """The record `identifier` is a tombstone, which does not change any more."""

    def __init__(self, identifier: str) -> None:
        super().__init__(f"the identifier {identifier} was withdrawn; its tombstone does not change any more")
        self.identifier = identifier


class HomeElsewhere(Conflict):
    """`thing` is written in the region `home` alone, which is not this one; nothing was written."""

    def __init__(self, thing: str, home: str) -> None:
        super().__init__(f"{thing} is written in the region {home} alone; send the request there")
        self.home = home


class Contended(Conflict):
    """Others kept changing the same thing; nothing was written."""


class Unauthenticated(CoolidError):
    """The request carries no API key, or one that is not valid."""

    as_password = False
    """Whether a key is taken as a password, too (`Authorization: Basic`); whoever does so fills it in."""


class Forbidden(CoolidError):
    """The API key is valid, but its scopes do not cover the request."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"the API key has no scope that covers {scope}")
        self.scope = scope


class Unavailable(CoolidError):
    """The service cannot answer now; the caller may try again after `retry_after` seconds."""

    retry_after = 5


class StoreUnavailable(Unavailable):
    """The store could not be reached, throttled, or failed."""


class SignerUnavailable(Unavailable):
    """The signing key could not be used, or what came back is no good signature; nothing was written."""


class LineNotTried(Unavailable):
    """The line of a batch was not begun, for there was no time left, or no room in the answer; nothing was written."""

    retry_after = 1

    def __init__(self, wanting: str = "time") -> None:
        super().__init__(f"there was no {wanting} left for this line; send it again")


class HomeMoving(Unavailable):
    """`thing` moves to this region, where it is written in so many `seconds`; nothing was written."""

    def __init__(self, thing: str, seconds: int) -> None:
        super().__init__(f"{thing} is moving to this region, where it is written in {seconds} s")
        self.retry_after = seconds


class DrawsExhausted(Unavailable):
    """`draws` identifiers were drawn one after the other, and each existed already."""

    def __init__(self, draws: int) -> None:
        super().__init__(f"{draws} identifiers were drawn and every one of them exists already")
        self.draws = draws


class CounterAhead(Unavailable):
    """The next number lies `milliseconds` further ahead of the clock than it may."""

    retry_after = 1

    def __init__(self, milliseconds: int) -> None:
        super().__init__(f"so many identifiers were asked for at once that the clock must catch up {milliseconds} ms")
        self.milliseconds = milliseconds
