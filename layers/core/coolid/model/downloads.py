"""Requests for batch downloads: which identifiers, and in which form.

>>> Download(format="anvl").compression
'gzip'
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final, Literal

from msgspec import Struct

Compression = Literal["gzip", "zip"]

MEDIA_TYPES: Final[Mapping[Compression, str]] = {"gzip": "application/gzip", "zip": "application/zip"}
LIFETIME: Final = timedelta(days=7)
"""How long a download is available after its request."""


class Download(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The format and the constraints of a download, all of which an identifier must satisfy.

    - `columns` are those of the format `csv`. With `iso_times`, times have the form of ISO 8601.
    - `created_…` and `updated_…` are seconds since 1970, `…_after` inclusive and `…_before` exclusive.
    - `owners` and `groups` are alternatives of each other, as are the values of the other tuples; empty means all.
    - None means that a member with two possible values is no constraint.
    """

    format: str
    compression: Compression = "gzip"
    columns: tuple[str, ...] = ()
    iso_times: bool = False
    created_after: int | None = None
    created_before: int | None = None
    updated_after: int | None = None
    updated_before: int | None = None
    crossref: bool | None = None
    datacite: bool | None = None
    exported: bool | None = None
    test: bool | None = None
    owners: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
