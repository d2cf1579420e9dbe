"""Records: what a persistent identifier resolves to, and the document that says so.

The document is the `application/linkid+json` of the LinkID draft ("Metadata Format") with coolid's additions: `pid`,
`repository`, `version`, `metadata`, `previous` and `proof` (`coolid.proofs.statements`). Its own times are UTC to the
second, in RFC 3339 form with `Z`; those of locations are as they were given, in any form of RFC 3339. Versions never
change: a change makes a new one.

>>> when = parse_time("2025-07-10T14:22:30Z")
>>> format_time(when)
'2025-07-10T14:22:30Z'
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple

from coolid.model.conditions import UNKNOWN, Health

ACTIVE: Final = "active"
INACTIVE: Final = "inactive"
RESERVED: Final = "reserved"
WITHDRAWN: Final = "withdrawn"

NOTHING_SAID: Final[Mapping[str, Any]] = MappingProxyType({})

_PERIOD: Final = {"validFrom", "validUntil"}
_LOCATION_MEMBERS: Final = {
    "uri": "uri",
    "status": "status",
    "mediaType": "media_type",
    "language": "language",
    "quality": "quality",
    "validFrom": "valid_from",
    "validUntil": "valid_until",
    "version": "version",
    "checksum": "checksum",
    "size": "size",
    "lastModified": "last_modified",
}


class Location(Struct, frozen=True, rename="camel"):
    """One place where the thing is: `uri` byte for byte as given; `quality` 0 to 1; `size` in bytes; times RFC 3339.

    It is good from `valid_from` on and until just before `valid_until`; None is open.
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
        """The members that have a value, by their names in the draft; of a period both ends, as the draft shows it."""
        values = {member: getattr(self, name) for member, name in _LOCATION_MEMBERS.items()}
        given = {member for member, value in values.items() if value is not None}
        if given & _PERIOD:
            given |= _PERIOD
        return {member: value for member, value in values.items() if member in given}

    def is_valid_at(self, moment: datetime) -> bool:
        """Whether it is active and the moment lies within its period."""
        begins, ends = self.period()
        return self.status == ACTIVE and (begins is None or begins <= moment) and (ends is None or moment < ends)

    def period(self) -> tuple[datetime | None, datetime | None]:
        """Both ends of its period."""
        return (
            parse_time(self.valid_from) if self.valid_from is not None else None,
            parse_time(self.valid_until) if self.valid_until is not None else None,
        )

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Location":
        """The inverse of `to_document`."""
        return cls(**{_LOCATION_MEMBERS[member]: value for member, value in document.items()})


class Content(Struct, frozen=True):
    """All of a record that its keeper says; the rest is what became of it."""

    records: tuple[Location, ...] = ()
    metadata: Mapping[str, Any] = NOTHING_SAID
    alternates: tuple[Mapping[str, str], ...] = ()
    status: str = ACTIVE
    ttl: int | None = None


class Withdrawal(Struct, frozen=True):
    """Why and when a record became a tombstone; `successor` is a PID or URL that takes its place."""

    at: datetime
    reason: str
    successor: str | None = None


class Record(Struct, frozen=True):
    """One version of what a PID resolves to. `id` is the LUI as people write it; `pid` the canonical link.

    `ttl`, in seconds, is how long answers may be kept, where it is not the repository's; `previous` is the digest of
    the version before (the first one has none), `proof` the signature. `author` is the id of the client that wrote it;
    it is kept beside the document, not in it, as is `health`, what is known of its locations. `weight` is how many
    bytes it takes in memory at the most, as it was read; 0 where nobody has weighed it. `write_token` is the random
    token of the write that stored this version, kept beside the document as well; None before it is stored, and for
    versions that an import or an earlier release stored.
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
    metadata: Mapping[str, Any] = NOTHING_SAID
    alternates: tuple[Mapping[str, str], ...] = ()
    withdrawn: Withdrawal | None = None
    ttl: int | None = None
    previous: str | None = None
    proof: str | None = None
    author: str | None = None
    health: Health = UNKNOWN
    weight: int = 0
    write_token: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and astuple(self)[:-4] == astuple(other)[:-4]

    __hash__ = None  # type: ignore[assignment]  # its metadata may be changed

    def to_document(self) -> dict[str, Any]:
        """The JSON document of the record."""
        document: dict[str, Any] = {
            "id": self.id,
            "pid": self.pid,
            "repository": self.repository,
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

    @classmethod
    def from_document(cls, document: Mapping[str, Any], author: str | None = None) -> "Record":
        """The inverse of `to_document`."""
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
            author=author,
        )


def format_time(moment: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: str) -> datetime:
    """The inverse of `format_time`."""
    return datetime.fromisoformat(text)
