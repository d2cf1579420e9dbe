"""What a client sends: the members of documents for the management API, as types of keyword arguments.

The service validates their values and reports each violation (`coolid.client.errors.ValidationFailed`). Members have
the spelling of `infra/openapi.yaml`.

>>> NewRecord(prefix="demo", uri="https://example.org/", metadata={"what": "A thing"})["prefix"]
'demo'
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final, TypedDict

NO_MEMBERS: Final[Mapping[str, object]] = MappingProxyType({})


class RecordContent(TypedDict, total=False):
    """The content of a record. `uri` is short for one location without other members."""

    uri: str | None
    records: Sequence[Mapping[str, object]] | None
    metadata: Mapping[str, object] | None
    alternates: Sequence[Mapping[str, object]] | None
    status: str | None
    ttl: int | None


class NewRecord(RecordContent, total=False):
    """A record to mint under a `prefix`. `id` is a chosen identifier, `parts` those of a supplied one."""

    prefix: str
    id: str | None
    parts: Mapping[str, object]


class SearchFilters(TypedDict, total=False):
    """What a search is limited to, and its order. `page_length` is the maximum number of records in one response."""

    prefix: str | None
    status: str | None
    target_host: str | None
    health: str | None
    updated_after: datetime | str | None
    sort: str | None
    page_length: int


class RepositoryTerms(TypedDict, total=False):
    """The members of a repository that can change; `rules` only if the identifiers that they accept stay valid."""

    title: str
    ttl: int
    redirect: int
    domains: Sequence[str]
    denied_domains: Sequence[str]
    passthrough: bool
    target: str | None
    choices: bool
    landing: str
    listed: bool
    support: Mapping[str, object] | None
    archive: str | None
    home: str | None
    rules: Mapping[str, object]


class NewRepository(RepositoryTerms, total=False):
    """A repository to create, with its `scheme`, which never changes, and the `rules` of that."""

    scheme: str


class PrefixMembers(TypedDict, total=False):
    """A prefix to register or change: its `kind` and `repository`, or `providers`."""

    kind: str
    repository: str
    title: str
    providers: Sequence[Mapping[str, object]]
    description: str
    homepage: str | None
    pattern: str | None
    example: str | None
    strict: bool
    encoding: str
    synonyms: Sequence[str]
    ttl: int
    deprecated: bool


class JobMembers(TypedDict, total=False):
    """Members of a new bulk job. `columns` maps columns to fields; `rule` rewrites the targets of a `prefix`."""

    prefix: str | None
    columns: Mapping[str, str]
    rule: Mapping[str, str] | None
    dry_run: bool
    skip_errors: bool
