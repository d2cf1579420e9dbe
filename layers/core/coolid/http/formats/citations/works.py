"""A record's metadata as a bibliographic description, the source of all citation formats.

The input is the kernel's elements and, under their own names, DataCite's (creators, titles, publicationYear, publisher,
types, subjects, contributors, dates, language, version, descriptions, container) and schema.org's. Codes for a missing
value, such as `(:unav)` (DataCite Metadata Schema, appendix 3), are ignored.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.formats import metadata_terms, metadata_text
from coolid.http.formats.citations.agents import Agent, agents
from coolid.http.formats.description.work_types import WorkType, work_type_of
from coolid.http.formats.metadata_terms import NAMES, objects, texts, values_of
from coolid.http.formats.metadata_text import line
from coolid.http.formats.uris import escape
from coolid.http.message import LANGUAGE, compiled
from coolid.identifiers import percent_encoding
from coolid.identifiers.schemes import doi
from coolid.model.records import WITHDRAWN, Record, format_time

_PUBLISHERS: Final = ("publisher", "publishers")
_EDITORS: Final = ("editor", "editors")


class Container(Struct, frozen=True):
    """The publication that contains a work, and its position there; unknown members are empty."""

    title: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""

    def pages(self, separator: str) -> str:
        """Return the known pages with a separator between them."""
        return separator.join(filter(None, (self.first_page, self.last_page)))


class Work(Struct, frozen=True):
    """A bibliographic description; unknown members are empty, and every text is on one line.

    `issued` is year, month and day as far as they are known, `when` the date as written, `withdrawal` a sentence.
    """

    pid: str
    doi: str
    kind: WorkType
    titles: tuple[str, ...]
    creators: tuple[Agent, ...]
    editors: tuple[Agent, ...]
    issued: tuple[int, ...]
    when: str
    publisher: str
    container: Container
    version: str
    language: str
    subjects: tuple[str, ...]
    abstract: str
    licenses: tuple[metadata_text.NamedEntity, ...]
    withdrawal: str

    @property
    def title(self) -> str:
        """The first title, or an empty text."""
        return next(iter(self.titles), "")

    @property
    def year(self) -> str:
        """The year in four digits, or an empty text if the date has none."""
        found = re.search("[0-9]{4}", self.when)
        return f"{self.issued[0]:04}" if self.issued else found[0] if found else ""


def work_of(record: Record) -> Work:
    """Return the bibliographic description of a record."""
    when = _when(record)
    date = metadata_text.iso_date(when)
    return Work(
        pid=escape(record.pid),
        doi=doi_of(record),
        kind=work_type_of(record),
        titles=_lines(metadata_text.titles(record)),
        creators=next(filter(None, map(_people, values_of(record, metadata_terms.CREATORS))), ()),
        editors=_people([*values_of(record, _EDITORS), *filter(_is_editor, objects(record, "contributors"))]),
        issued=tuple(map(int, date.partition("T")[0].split("-"))) if date else (),
        when=when,
        publisher=_first(_texts(record, _PUBLISHERS, *NAMES)),
        container=_container(record),
        version=_first(_texts(record, ("version",))),
        language=next(filter(compiled(LANGUAGE).fullmatch, _texts(record, ("language", "inLanguage"))), ""),
        subjects=_subjects(record),
        abstract=_first(metadata_text.descriptions(record)),
        licenses=_licenses(record),
        withdrawal=_withdrawal(record),
    )


def is_citable(record: Record) -> bool:
    """Return whether the record can be cited: it has bibliographic metadata or is withdrawn."""
    return bool(
        record.status == WITHDRAWN
        or any(map(line, metadata_text.titles(record)))
        or _when(record)
        or _first(_texts(record, _PUBLISHERS, *NAMES))
        or any(map(line, metadata_text.descriptions(record)))
        or any(next(agents(value), None) for value in values_of(record, metadata_terms.CREATORS))
    )


def doi_of(record: Record) -> str:
    """Return its DOI: the identifier itself if it is one, else the first alternate DOI, else an empty text."""
    path = percent_encoding.decode(record.pid.removeprefix(f"{record.issuer}/")).decode(errors="replace")
    alternates = (each["identifier"] for each in record.alternates if each["scheme"].lower() == "doi")
    return next((doi.validate(text) for text in (path, *alternates) if doi.is_valid(text)), "")


def without_empty(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that have a value."""
    return {name: value for name, value in members.items() if value}


def _licenses(record: Record) -> tuple[metadata_text.NamedEntity, ...]:
    named = ((line(each.name or "") or None, each.uri) for each in metadata_text.licenses(record))
    return tuple(metadata_text.NamedEntity(*pair) for pair in dict.fromkeys(named) if any(pair))


def _withdrawal(record: Record) -> str:
    if record.status != WITHDRAWN:
        return ""
    gone = record.withdrawn
    if gone is None:
        return "Withdrawn."
    reason = line(gone.reason)
    sentence = f"Withdrawn on {format_time(gone.at)[:10]}" + (f": {reason}" if reason else "")
    if not sentence.endswith((".", "!", "?", "…")):
        sentence += "."
    successor = metadata_terms.successor_uri(record)
    return f"{sentence} Replaced by {successor}" if successor else sentence


def _when(record: Record) -> str:
    """Return the date of publication: the first valid one, else the first text in its place."""
    issued = (each for each in objects(record, "dates") if next(texts(each.get("dateType")), "").lower() == "issued")
    candidates = [
        *_texts(record, ("when", "datePublished", "issued"), "date", *NAMES),
        *(text for each in issued for text in _lines(texts(each, "date"))),
        *_texts(record, ("publicationYear",)),
        *_lines(metadata_text.dates(record)),
    ]
    return next(filter(metadata_text.iso_date, candidates), next(iter(candidates), ""))


def _is_editor(contributor: Mapping[str, Any]) -> bool:
    return "editor" in map(str.lower, texts(contributor.get("contributorType")))


def _container(record: Record) -> Container:
    for value in values_of(record, ("container", "isPartOf")):
        title = _first(texts(value, "title", "name"))
        if title and isinstance(value, Mapping):
            rest = (value.get(name) for name in ("volume", "issue", "firstPage", "lastPage"))
            return Container(title, *(_first(texts(each)) for each in rest))
        if title:
            return Container(title)
    return Container()


def _subjects(record: Record) -> tuple[str, ...]:
    """Return the subjects of DataCite and schema.org; a text of keywords is split at commas."""
    found: list[str] = []
    for value in values_of(record, ("subjects", "subject", "keywords")):
        for text in texts(value, "subject", *NAMES):
            found += text.split(",") if isinstance(value, str) else [text]
    return _lines(found)


def _people(value: Any) -> tuple[Agent, ...]:
    return tuple(dict.fromkeys(agents(value)))


def _texts(record: Record, names: tuple[str, ...], *members: str) -> tuple[str, ...]:
    return _lines(metadata_text.first(record, names, *members))


def _lines(found: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct texts without codes for missing values."""
    return tuple(dict.fromkeys(filter(None, map(line, found))))


def _first(found: Iterable[str]) -> str:
    """Return the first text that is no code for a missing value, or an empty text."""
    return next(filter(None, map(line, found)), "")
