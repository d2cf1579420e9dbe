"""The texts in a record's metadata: titles, creators, dates, licences and descriptions.

The members are those of `coolid.http.formats.metadata_terms`, which reads only what a redirect needs: the links.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from msgspec import Struct

from coolid.http.formats.metadata_terms import CREATORS, LICENSES, NAMES, address_of, texts, values_of
from coolid.http.formats.uris import person_uri, uri_of
from coolid.http.message import compiled
from coolid.identifiers.typography import is_visible
from coolid.model.records import Record

_DATE: Final = (
    r"([0-9]{4})(?:-?(0[1-9]|1[0-2])(?:-?(0[1-9]|[12][0-9]|3[01])"
    r"(T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)

# White space and line separators of every script, and controls.
_BLANKS: Final = r"[\s\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]+"
# Codes for a missing value (DataCite Metadata Schema, appendix 3; the kernel's, 9.3).
_CODE: Final = r"\(?:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|tbd|etal)\)?"

_Value = TypeVar("_Value")


class NamedEntity(Struct, frozen=True):
    """A person, an organization or a licence with a name, a URI or both."""

    name: str | None
    uri: str | None

    def __str__(self) -> str:
        return self.name or self.uri or ""


def titles(record: Record) -> tuple[str, ...]:
    """Return its titles."""
    return first(record, ("what", "title", "titles", "name"), *NAMES)


def descriptions(record: Record) -> tuple[str, ...]:
    """Return its descriptions."""
    return first(record, ("description", "descriptions"), "description", *NAMES)


def heading(record: Record) -> str:
    """Return its title for people: the first visible one, else the identifier."""
    return next(filter(is_visible, map(line, titles(record))), record.id)


def dates(record: Record) -> tuple[str, ...]:
    """Return its dates of creation or publication, as written."""
    return first(record, ("when", "datePublished", "issued", "date", "dates", "publicationYear"), "date", *NAMES)


def hows(record: Record) -> tuple[str, ...]:
    """Return the values of `how`, the kernel's fifth element."""
    return first(record, ("how",), *NAMES)


def iso_date(text: str) -> str | None:
    """Return an ISO 8601 date, which may end after the year or month, in extended form, or None for other text.

    >>> iso_date("20081203"), iso_date("1952"), iso_date("spring 1952")
    ('2008-12-03', '1952', None)
    """
    found = re.fullmatch(_DATE, text)
    return "-".join(filter(None, found.group(1, 2, 3))) + (found[4] or "") if found else None


def year_of(text: str) -> str:
    """Return the first four digits of a text in the place of a date, or an empty text.

    >>> year_of("spring 1952"), year_of("long ago")
    ('1952', '')
    """
    found = compiled("[0-9]{4}").search(text)
    return found[0] if found else ""


def creators(record: Record) -> tuple[NamedEntity, ...]:
    """Return its creators, from the first member that has some."""
    return _first(_named(value) for value in values_of(record, CREATORS))


def licenses(record: Record) -> tuple[NamedEntity, ...]:
    """Return its licences, from the first member that has some."""
    return _first(_named(value) for value in values_of(record, LICENSES))


def on_one_line(text: str) -> str:
    """Return the text on one line, without line separators of any script or program."""
    if text.isprintable() and "  " not in text:  # only single spaces
        return text.strip()
    return compiled(_BLANKS).sub(" ", text).strip()


def line(text: str) -> str:
    """Return the text on one line, or an empty text if it is a code for a missing value."""
    plain = on_one_line(text)
    return "" if ":" in plain and compiled(_CODE).fullmatch(plain) else plain


def first(record: Record, names: tuple[str, ...], *members: str) -> tuple[str, ...]:
    """Return the distinct texts of the first member in `names` that has some. See `texts` for `members`."""
    return _first(texts(value, *members) for value in values_of(record, names))


def _first(found: Iterable[Iterable[_Value]]) -> tuple[_Value, ...]:
    """Return the distinct values of the first iterable that has any."""
    return next(filter(None, (tuple(dict.fromkeys(each)) for each in found)), ())


def _named(value: Any) -> Iterator[NamedEntity]:
    if isinstance(value, list | tuple):
        for each in value:
            yield from _named(each)
    elif isinstance(value, Mapping):
        uri = address_of(value)
        names = (text for text in texts(value, *NAMES) if uri_of(text) is None)
        name = next(names, None) or " ".join(texts([value.get("givenName"), value.get("familyName")])) or None
        if name or uri:
            yield NamedEntity(name, uri)
    else:
        for text in texts(value):
            uri = person_uri(text)
            yield NamedEntity(None if uri else text, uri)
