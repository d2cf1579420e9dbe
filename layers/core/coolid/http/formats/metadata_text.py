"""What a record's metadata says in words: what the thing is called, who made it, when, under which terms.

Read are the members of the vocabularies that `coolid.http.formats.metadata_terms` names, which tells the links among
them: a redirect needs those alone.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active",
...     metadata={"titles": [{"title": "Tea"}], "who": ["Lee, Ann", "0000-0001-5109-3700"]})
>>> titles(record), [str(each) for each in creators(record)]
(('Tea',), ['Lee, Ann', 'https://orcid.org/0000-0001-5109-3700'])
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.formats.metadata_terms import CREATORS, LICENSES, NAMES, address_of, said, texts
from coolid.http.formats.uris import person_uri, uri_of
from coolid.http.tokens import compiled
from coolid.identifiers.typography import is_visible
from coolid.model.records import Record

_TITLES: Final = ("what", "title", "titles", "name")
_DATES: Final = ("when", "datePublished", "issued", "date", "dates", "publicationYear")
_DESCRIPTIONS: Final = ("description", "descriptions")

_DATE: Final = (
    r"([0-9]{4})(?:-?(0[1-9]|1[0-2])(?:-?(0[1-9]|[12][0-9]|3[01])"
    r"(T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)

# White space of every script, controls, and what stands for the end of a line somewhere.
_BLANKS: Final = r"[\s\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]+"
# What stands for a value that there is not (DataCite Metadata Schema, appendix 3; the kernel's, 9.3).
_CODE: Final = r"\(?:(?:unac|unal|unap|unas|unav|unkn|none|null|tba|tbd|etal)\)?"


class Named(Struct, frozen=True):
    """A person, a body or a licence: by name, by URI or both."""

    name: str | None
    uri: str | None

    def __str__(self) -> str:
        return self.name or self.uri or ""


def titles(record: Record) -> tuple[str, ...]:
    """What it is called."""
    return first(record, _TITLES, *NAMES)


def descriptions(record: Record) -> tuple[str, ...]:
    """What it is about, at length."""
    return first(record, _DESCRIPTIONS, "description", *NAMES)


def heading(record: Record) -> str:
    """What people are told that it is called: the first title of which anything can be seen, else the identifier."""
    return next(filter(is_visible, map(line, titles(record))), record.id)


def dates(record: Record) -> tuple[str, ...]:
    """When it was made or published, as the client says it."""
    return first(record, _DATES, "date", *NAMES)


def hows(record: Record) -> tuple[str, ...]:
    """How: the kernel's fifth element."""
    return first(record, ("how",), *NAMES)


def iso_date(text: str) -> str | None:
    """A date of ISO 8601, from the year on, in its extended form; None if the text is not one.

    >>> iso_date("20081203"), iso_date("1952"), iso_date("spring 1952")
    ('2008-12-03', '1952', None)
    """
    found = re.fullmatch(_DATE, text)
    return "-".join(filter(None, found.group(1, 2, 3))) + (found[4] or "") if found else None


def creators(record: Record) -> tuple[Named, ...]:
    """Who made it, by the first member that says so."""
    return _first_named(record, CREATORS)


def licenses(record: Record) -> tuple[Named, ...]:
    """Under which terms it may be used."""
    return _first_named(record, LICENSES)


def unbroken(text: str) -> str:
    """The text on one line, wherever that would end in any script or program."""
    if text.isprintable() and "  " not in text:  # whose only blanks are single spaces
        return text.strip()
    return compiled(_BLANKS).sub(" ", text).strip()


def line(text: str) -> str:
    """The text on one line; empty if it is a code for a value that is missing.

    >>> line(" Tea\\r\\nfor\\u2028two "), line("(:unav)"), line(":unkn")
    ('Tea for two', '', '')
    """
    told = unbroken(text)
    return "" if ":" in told and compiled(_CODE).fullmatch(told) else told


def first(record: Record, names: tuple[str, ...], *members: str) -> tuple[str, ...]:
    """The different texts of the first of those members that has some; `texts` says what `members` are."""
    found = (tuple(dict.fromkeys(texts(value, *members))) for value in said(record, names))
    return next(filter(None, found), ())


def _first_named(record: Record, names: tuple[str, ...]) -> tuple[Named, ...]:
    found = (tuple(dict.fromkeys(_named(value))) for value in said(record, names))
    return next(filter(None, found), ())


def _named(value: Any) -> Iterator[Named]:
    if isinstance(value, str):
        for text in texts(value):
            uri = person_uri(text)
            yield Named(None if uri else text, uri)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _named(each)
    elif isinstance(value, Mapping):
        uri = address_of(value)
        names = (text for text in texts(value, *NAMES) if uri_of(text) is None)
        name = next(names, None) or " ".join(texts([value.get("givenName"), value.get("familyName")])) or None
        if name or uri:
            yield Named(name, uri)
    else:
        for text in texts(value):
            yield Named(text, None)  # a number
