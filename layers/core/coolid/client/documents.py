"""What a service returns, as values: records, versions, prefixes, repositories, API keys and links.

Each has the members of `infra/openapi.yaml` in Python's spelling, and the whole JSON object as `document`, also with
members that this release does not have. A member of an unexpected type has its default, and is in `document` only.
Times of the service are `datetime`; values that a client wrote are as stored.

>>> record = read_document(Record, {"pid": "https://id.example.org/demo/x", "version": 1, "new": True}, "a record")
>>> record.version, record.document["new"]
(1, True)
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from typing import Any, Final, TypeVar

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import asdict, fields

from coolid.client.errors import BadAnswer

_EMPTY: Final[tuple[object, ...]] = (None, "", (), {})
_HIDDEN: Final = frozenset({"document", "key"})
"""Attributes that `repr` omits: the whole document, because it is long, and an API key, because it is secret."""


class ServiceDocument(Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of all values that a service returns; `document` is the JSON object that it was read from."""

    document: dict[str, Any] = {}

    def __repr__(self) -> str:
        shown = {name: value for name, value in asdict(self).items() if name not in _HIDDEN and value not in _EMPTY}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


class Location(Struct, frozen=True, kw_only=True, rename="camel"):
    """One URL of the identified thing."""

    uri: str
    status: str = "active"
    media_type: str | None = None
    language: str | None = None
    quality: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    version: str | None = None
    checksum: dict[str, str] | None = None
    size: int | None = None
    last_modified: str | None = None


class Withdrawal(Struct, frozen=True, kw_only=True, rename="camel"):
    """When and why a record was withdrawn, and the PID or URL of its successor."""

    at: datetime | None = None
    reason: str = ""
    successor: str | None = None


class Record(ServiceDocument, frozen=True, kw_only=True, rename="camel"):
    """A record or tombstone. `etag` is the entity tag for a change; public representations have none.

    `pid` is the canonical PID, `id` its local part, `status` is `reserved`, `active` or `withdrawn`.
    """

    pid: str = ""
    version: int = 0
    id: str = ""
    repository: str = ""
    status: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    issuer: str = ""
    metadata: dict[str, Any] = {}
    locations: tuple[Location, ...] = field(default=(), name="records")
    alternates: tuple[dict[str, Any], ...] = ()
    withdrawn: Withdrawal | None = None
    ttl: int | None = None
    previous: str | None = None
    proof: str | None = None
    etag: str | None = None

    @property
    def target(self) -> str | None:
        """Return the URL of the first active location, or None."""
        return next((each.uri for each in self.locations if each.status == "active"), None)


class Version(ServiceDocument, frozen=True, kw_only=True, rename="camel"):
    """One state of a record; `author` is the id of the API key that wrote it, or None for the service itself."""

    record: Record
    version: int = 0
    author: str | None = None


class Prefix(ServiceDocument, frozen=True, kw_only=True, rename="camel"):
    """A prefix; its `kind` is `namespace` (of a `repository` here) or `provider` (identifiers of others)."""

    name: str = field(default="", name="prefix")
    kind: str = ""
    title: str | None = None
    repository: str | None = None
    canonical: str | None = None
    scheme: str | None = None
    rules: dict[str, Any] = {}
    providers: tuple[dict[str, Any], ...] = ()
    synonyms: tuple[str, ...] = ()
    pattern: str | None = None
    example: str | None = None
    description: str | None = None
    homepage: str | None = None
    deprecated: bool = False
    created: datetime | None = None
    updated: datetime | None = None


class Repository(ServiceDocument, frozen=True, kw_only=True, rename="camel"):
    """A permanent owner of PIDs with its minting rules. `etag` is the entity tag for a change.

    In lists, `prefixes` are those under which the key may mint or update.
    """

    id: str
    title: str = ""
    scheme: str = ""
    rules: dict[str, Any] = {}
    ttl: int | None = None
    redirect: int | None = None
    domains: tuple[str, ...] = ()
    denied_domains: tuple[str, ...] = field(default=(), name="denied_domains")
    passthrough: bool = False
    target: str | None = None
    choices: bool = False
    landing: str = "target"
    listed: bool = False
    support: dict[str, Any] | None = None
    archive: str | None = None
    home: str | None = None
    canonical: str | None = None
    prefixes: tuple[str, ...] = ()
    created: datetime | None = None
    updated: datetime | None = None
    etag: str | None = None


class ApiKey(ServiceDocument, frozen=True, kw_only=True, rename="camel"):
    """An API key by its `id`. Only the answer that creates it contains the `key`; `repr` never does."""

    id: str
    scopes: tuple[str, ...] = ()
    note: str | None = None
    quota: dict[str, int | None] | None = None
    created: datetime | None = None
    revoked: datetime | None = None
    last_used: date | None = field(default=None, name="last_used")
    key: str | None = None


class ReportedLink(ServiceDocument, frozen=True, kw_only=True, rename="camel"):
    """A target of a record that is `down`, `degraded`, or has `moved` to another URL."""

    pid: str = ""
    uri: str = ""
    state: str = ""
    since: datetime | None = None
    reason: str | None = None
    status: int | None = None
    last_good: datetime | None = None
    last_checked: datetime | None = None
    moved: str | None = None


class JobCounts(Struct, frozen=True, kw_only=True):
    """The rows of a job: validated ones, and those that were carried out (`succeeded`) or `refused`.

    `outside_domains` are invalid rows whose only error is a host that the repository does not allow.
    """

    valid: int = 0
    invalid: int = 0
    outside_domains: int = 0
    succeeded: int = 0
    refused: int = 0


class BulkJob(ServiceDocument, frozen=True, kw_only=True):
    """A bulk job. `rows` is the number of its rows, None until they are counted.

    `state` is `validating`, `previewed`, `running`, `done`, `cancelled` or `failed`, for the reason in `failure`.
    `errors` are the first wrong rows with `row`, `column` and `reason`, `preview` the first changes with `pid`,
    `before` and `after`.
    """

    id: str
    operation: str = ""
    prefix: str | None = None
    state: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    expires: datetime | None = None
    rows: int | None = None
    counts: JobCounts = JobCounts()
    errors: tuple[dict[str, Any], ...] = ()
    preview: tuple[dict[str, Any], ...] = ()
    failure: str | None = None
    dry_run: bool = field(default=False, name="dry_run")
    skip_errors: bool = field(default=False, name="skip_errors")
    columns: dict[str, str] = {}
    rule: dict[str, str] | None = None
    client: str = ""

    @property
    def is_working(self) -> bool:
        """Return whether the service works on the job."""
        return self.state in ("validating", "running")


D = TypeVar("D", bound=ServiceDocument)


def read_document(kind: type[D], document: Any, name: str, **more: object) -> D:
    """Return a JSON object as a value, with `more` attributes.

    Raises `BadAnswer`, which calls the object by its `name`, if it is no object or has no valid value for a required
    member.

    >>> read_document(ApiKey, {"id": 5}, "an API key")
    Traceback (most recent call last):
    ...
    coolid.client.errors.BadAnswer: its body is not an API key
    """
    if not isinstance(document, dict):
        raise BadAnswer(f"its body is not {name}")
    members = {**document, **more, "document": document}
    try:
        return convert(members, kind)
    except ValidationError:
        pass  # one of the members has an unexpected type
    try:
        return kind(**dict(_valid_attributes(kind, members)))
    except TypeError:  # a required one is missing
        raise BadAnswer(f"its body is not {name}") from None


def read_record(document: Any, etag: str | None = None) -> Record:
    """Return a record with its PID and version. Raises `BadAnswer`."""
    record = read_document(Record, document, "a record", etag=etag)
    if not record.pid or not record.version:
        raise BadAnswer("its body is not a record")
    return record


def read_documents(kind: type[D], documents: Any, name: str) -> Iterator[D]:
    """Yield the JSON objects of an array as values. Raises `BadAnswer`."""
    if not isinstance(documents, list):
        raise BadAnswer(f"its body is not a list of {name}")
    for each in documents:
        yield read_document(kind, each, f"a list of {name}")


def _valid_attributes(kind: type[Struct], members: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for attribute in fields(kind):
        if attribute.encode_name in members:
            with suppress(ValidationError):
                yield attribute.name, convert(members[attribute.encode_name], attribute.type)
