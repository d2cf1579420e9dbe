"""The parameters of a batch download, and whether an identifier satisfies them.

Specification: EZID API, version 2, "Batch download", "Parameters". `notify` is accepted and has no effect, because this
service sends no mail.

>>> download_of(b"format=anvl&type=ark&status=public&status=reserved").statuses
('public', 'reserved')
>>> download_of(b"format=xml&column=_id")
Traceback (most recent call last):
...
coolid.errors.InvalidInput: the document: parameter is incompatible with format: column
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qs

from msgspec import Struct

from coolid.errors import InvalidInput
from coolid.http.dialects.ezid.download_formats import CSV, SUFFIXES, DownloadEntry
from coolid.http.dialects.ezid.elements import (
    CREATED,
    CROSSREF,
    EXPORT,
    OWNER,
    OWNER_GROUP,
    PROFILE,
    STATUS,
    UPDATED,
)
from coolid.model.downloads import Download

MAX_FIELDS: Final = 1_000
MAX_FORM_BYTES: Final = 65_536
"""The longest form, because the row of a job contains its parameters."""
_TEST_SHOULDERS: Final = ("ark:/99999/fk4", "doi:10.5072/FK2")
_MAX_TIME: Final = 253_402_300_800
"""The end of the year 9999."""


class _Parameter(Struct, frozen=True):
    """A parameter: the member of `Download` that it sets, None for none, and what reads its values."""

    member: str | None
    read: Callable[[str], Any]
    is_repeatable: bool = False


def download_of(body: bytes) -> Download:
    """Return the download that a form requests. Raises `InvalidInput` with EZID's reasons."""
    values: dict[str, Any] = {}
    for name, texts in _fields(body).items():
        if name not in _PARAMETERS:
            raise _invalid(f"invalid parameter: {name[:100]}")
        parameter = _PARAMETERS[name]
        if len(texts) > 1 and not parameter.is_repeatable:
            raise _invalid(f"parameter is not repeatable: {name}")
        try:
            found = tuple(map(parameter.read, texts))
        except ValueError as error:
            raise _invalid(f"parameter '{name}': {error}") from None
        if parameter.member is not None:
            values[parameter.member] = found if parameter.is_repeatable else found[0]
    if "format" not in values:
        raise _invalid("missing required parameter: format")
    if values["format"] == CSV and "columns" not in values:
        raise _invalid("format 'csv' requires at least one column")
    if values["format"] != CSV and "columns" in values:
        raise _invalid("parameter is incompatible with format: column")
    return Download(**values)


def satisfies(entry: DownloadEntry, wanted: Download) -> bool:
    """Return whether an identifier satisfies all constraints of a download."""
    elements, scheme = entry.elements, entry.identifier.partition(":")[0]
    is_crossref = elements.get(CROSSREF, "").startswith("yes")
    is_owned = elements[OWNER] in wanted.owners or elements[OWNER_GROUP] in wanted.groups
    created, updated = int(elements[CREATED]), int(elements[UPDATED])
    return all((
        is_owned or not (wanted.owners or wanted.groups),
        wanted.created_after is None or created >= wanted.created_after,
        wanted.created_before is None or created < wanted.created_before,
        wanted.updated_after is None or updated >= wanted.updated_after,
        wanted.updated_before is None or updated < wanted.updated_before,
        wanted.crossref in (None, is_crossref),
        wanted.datacite in (None, scheme == "doi" and not is_crossref),
        wanted.exported in (None, elements[EXPORT] == "yes"),
        wanted.test in (None, entry.identifier.startswith(_TEST_SHOULDERS)),
        not wanted.profiles or elements[PROFILE] in wanted.profiles,
        not wanted.statuses or elements[STATUS].partition(" ")[0] in wanted.statuses,
        not wanted.types or scheme in wanted.types,
    ))  # fmt: skip


def _fields(body: bytes) -> Mapping[str, list[str]]:
    if len(body) > MAX_FORM_BYTES:
        raise _invalid(f"the form has more than {MAX_FORM_BYTES:,} bytes")
    try:
        return parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise _invalid("malformed or incomplete request body") from None


def _invalid(reason: str) -> InvalidInput:
    return InvalidInput.at("", reason)


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("empty value")
    return text.strip()


def _one_of(values: Mapping[str, Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in values:
            raise ValueError("invalid parameter value")
        return values[text]

    return read


def _time(text: str) -> int:
    try:
        seconds = int(text) if text.isascii() and text.isdecimal() else _iso_seconds(text)
    except ValueError:
        raise ValueError("invalid timestamp") from None
    if seconds > _MAX_TIME:
        raise ValueError("invalid timestamp")
    return seconds


def _iso_seconds(text: str) -> int:
    return int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp())


_BOOLEAN: Final = _one_of({"yes": True, "no": False})
_PARAMETERS: Final[Mapping[str, _Parameter]] = {
    "format": _Parameter("format", _one_of({each: each for each in SUFFIXES})),
    "compression": _Parameter("compression", _one_of({"gzip": "gzip", "zip": "zip"})),
    "column": _Parameter("columns", _text, is_repeatable=True),
    "notify": _Parameter(None, _text, is_repeatable=True),
    "convertTimestamps": _Parameter("iso_times", _BOOLEAN),
    "createdAfter": _Parameter("created_after", _time),
    "createdBefore": _Parameter("created_before", _time),
    "updatedAfter": _Parameter("updated_after", _time),
    "updatedBefore": _Parameter("updated_before", _time),
    "crossref": _Parameter("crossref", _BOOLEAN),
    "datacite": _Parameter("datacite", _BOOLEAN),
    "exported": _Parameter("exported", _BOOLEAN),
    "permanence": _Parameter("test", _one_of({"test": True, "real": False})),
    "owner": _Parameter("owners", _text, is_repeatable=True),
    "ownergroup": _Parameter("groups", _text, is_repeatable=True),
    "profile": _Parameter("profiles", _text, is_repeatable=True),
    "status": _Parameter(
        "statuses", _one_of({each: each for each in ("reserved", "public", "unavailable")}), is_repeatable=True
    ),
    "type": _Parameter("types", _one_of({each: each for each in ("ark", "doi", "uuid")}), is_repeatable=True),
}
