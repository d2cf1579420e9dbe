"""Records: the versions of what a persistent identifier resolves to, and their JSON documents.

The document is the `application/linkid+json` of the LinkID draft, revision 00 ("Metadata Format"), with coolid's
additions: `pid`, `repository`, `version`, `metadata`, `previous` and `proof` (`coolid.proofs.statements`). Its own
times are UTC to the second, in RFC 3339 form with `Z`; those of locations are stored as supplied, in any RFC 3339
form. A version never changes: each change makes a new one.

>>> when = parse_time("2025-07-10T14:22:30Z")
>>> format_time(when)
'2025-07-10T14:22:30Z'
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple, replace

from coolid.errors import InvalidInput
from coolid.model.conditions import UNKNOWN, Health

ACTIVE: Final = "active"
INACTIVE: Final = "inactive"
RESERVED: Final = "reserved"
WITHDRAWN: Final = "withdrawn"

EMPTY_METADATA: Final[Mapping[str, Any]] = MappingProxyType({})

RFC_3339: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
"""Matches the form of a time, which may still not exist."""
_PERIOD: Final = {"validFrom", "validUntil"}


class Location(Struct, frozen=True, rename="camel"):
    """One place where the thing is: `uri` as supplied; `quality` 0 to 1; `size` in bytes; times RFC 3339.

    It is valid from `valid_from` until before `valid_until`; None is open.
    """

    uri: str
    status: str = ACTIVE
    media_type: str | None = None
    language: str | None = None
    quality: int | float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    version: str | None = None
    checksum: Mapping[str, str] | None = None
    size: int | None = None
    last_modified: str | None = None

    def to_document(self) -> dict[str, Any]:
        """Return the members that have a value, by the draft's names; a period has both ends, as in the draft."""
        has_period = self.valid_from is not None or self.valid_until is not None
        return {
            member: value
            for member, name in _LOCATION_MEMBERS.items()
            if (value := getattr(self, name)) is not None or (has_period and member in _PERIOD)
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Location":
        """Return the location of a document; the inverse of `to_document`."""
        return cls(**{_LOCATION_MEMBERS[member]: value for member, value in document.items()})


_LOCATION_MEMBERS: Final = dict(zip(Location.__struct_encode_fields__, Location.__struct_fields__, strict=True))


class Content(Struct, frozen=True):
    """The members of a record that its manager sets."""

    records: tuple[Location, ...] = ()
    metadata: Mapping[str, Any] = EMPTY_METADATA
    alternates: tuple[Mapping[str, str], ...] = ()
    status: str = ACTIVE
    ttl: int | None = None


class Withdrawal(Struct, frozen=True):
    """The time and reason of a withdrawal; `successor` is a PID or URL that replaces it."""

    at: datetime
    reason: str
    successor: str | None = None


class Record(Struct, frozen=True):
    """One version of what a PID resolves to. `id` is the LUI in display form; `pid` the canonical link.

    `ttl` is the lifetime of answers in seconds, or None for the repository's; `previous` is the digest of the version
    before (None for the first), `proof` the signature. `repository` is the one that contains the record. A version of
    an earlier issuer names one of that issuer: `stated_repository`, which is None in own versions.

    Stored beside the document are: `key`, under which the record is stored (empty if it was made from a document
    alone); `author`, the id of the client that wrote it; `health`, its
    locations' conditions; and `write_token`, the random token of the write, which is None before the write and for
    versions of an import or an earlier release. `weight` is the most bytes that it takes in memory, or 0 if it was not
    measured.
    """

    id: str
    pid: str
    repository: str
    version: int
    created: datetime
    updated: datetime
    issuer: str
    status: str
    records: tuple[Location, ...] = ()
    metadata: Mapping[str, Any] = EMPTY_METADATA
    alternates: tuple[Mapping[str, str], ...] = ()
    withdrawn: Withdrawal | None = None
    ttl: int | None = None
    previous: str | None = None
    proof: str | None = None
    stated_repository: str | None = None
    key: str = ""
    author: str | None = None
    health: Health = UNKNOWN
    weight: int = 0
    write_token: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and astuple(self)[:-5] == astuple(other)[:-5]

    __hash__ = None  # type: ignore[assignment]  # its metadata may be mutable

    def to_document(self) -> dict[str, Any]:
        """Return the JSON document of the record."""
        document: dict[str, Any] = {
            "id": self.id,
            "pid": self.pid,
            "repository": self.stated_repository or self.repository,
            "version": self.version,
            "created": format_time(self.created),
            "updated": format_time(self.updated),
            "issuer": self.issuer,
            "status": self.status,
            "metadata": dict(self.metadata),
            "records": [location.to_document() for location in self.records],
            "alternates": [dict(alternate) for alternate in self.alternates],
        }
        if self.withdrawn:
            document["withdrawn"] = {
                "at": format_time(self.withdrawn.at),
                "reason": self.withdrawn.reason,
                "successor": self.withdrawn.successor,
            }
        optional = {"ttl": self.ttl, "previous": self.previous, "proof": self.proof}
        return document | {member: value for member, value in optional.items() if value is not None}

    def has_document(self, document: Mapping[str, Any]) -> bool:
        """Return whether the document says all of the record that documents contain."""
        return Record.from_document(document) == self

    def stored_in(self, repository: str) -> "Record":
        """Return the record as part of a repository, which its document may not name. An empty one changes nothing."""
        if not repository or repository == self.repository:
            return self
        return replace(self, repository=repository, stated_repository=self.stated_repository or self.repository)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], author: str | None = None, key: str = "") -> "Record":
        """Return the record of a document; the inverse of `to_document`."""
        withdrawn = document.get("withdrawn")
        return cls(
            id=document["id"],
            pid=document["pid"],
            repository=document["repository"],
            version=document["version"],
            created=parse_time(document["created"]),
            updated=parse_time(document["updated"]),
            issuer=document["issuer"],
            status=document["status"],
            records=tuple(Location.from_document(location) for location in document["records"]),
            metadata=MappingProxyType(dict(document["metadata"])),
            alternates=tuple(MappingProxyType(dict(alternate)) for alternate in document["alternates"]),
            withdrawn=withdrawn
            and Withdrawal(parse_time(withdrawn["at"]), withdrawn["reason"], withdrawn["successor"]),
            ttl=document.get("ttl"),
            previous=document.get("previous"),
            proof=document.get("proof"),
            key=key,
            author=author,
        )


def is_harvested(record: Record) -> bool:
    """Return whether lists for harvesters and crawlers contain the record.

    It must be public and no copy of the record of another service, and a client of EZID's API must not have excluded it
    (its element `_export`, which is stored in the metadata member `ezid`).
    """
    member = record.metadata.get("ezid")
    is_own = record.stated_repository is None
    return is_own and record.status != RESERVED and not (isinstance(member, Mapping) and member.get("_export") == "no")


def refuse_self_reference(record: Record) -> None:
    """Raise `InvalidInput` if a location is the record's own PID, because it would redirect to itself."""
    for position, location in enumerate(record.records):
        if location.status == ACTIVE and location.uri.partition("#")[0] == record.pid:
            raise InvalidInput.at(f"/records/{position}/uri", "it leads to the identifier itself")


def format_time(moment: datetime) -> str:
    """Return a time as RFC 3339 in UTC, to the second."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").removesuffix("+00:00") + "Z"


def parse_time(text: str) -> datetime:
    """Parse an RFC 3339 time; the inverse of `format_time`."""
    return datetime.fromisoformat(text)
