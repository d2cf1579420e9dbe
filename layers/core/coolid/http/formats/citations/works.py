"""A record's metadata as a bibliographic description, the source of all citation formats.

The input is the kernel's elements and, under their own names, DataCite's (creators, titles, publicationYear, publisher,
types, subjects, contributors, dates, language, version, descriptions, container) and schema.org's. Codes for a missing
value, such as `(:unav)` (DataCite Metadata Schema, appendix 3), are ignored.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> work = work_of(Record("x5", "https://id.example.org/10.5072/x5", "r4k2", 1, when, when, "https://id.example.org",
...     "active", metadata={"who": "Lee, Ann", "what": "Tea", "when": "2024-05", "publisher": "(:unav)"}))
>>> work.doi, work.creators[0].family, work.title, work.issued, work.publisher
('10.5072/x5', 'Lee', 'Tea', (2024, 5), '')
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.formats import metadata_terms, metadata_text
from coolid.http.formats.citations.agents import Agent, agents
from coolid.http.formats.citations.work_types import WorkType, work_type_of
from coolid.http.formats.metadata_terms import texts, values_of
from coolid.http.formats.metadata_text import line
from coolid.http.formats.uris import escape
from coolid.http.tokens import LANGUAGE, compiled
from coolid.identifiers import percent_encoding
from coolid.identifiers.schemes import doi
from coolid.model.records import WITHDRAWN, Record, format_time

_PUBLISHERS: Final = ("publisher", "publishers")
_PUBLISHED: Final = ("when", "datePublished", "issued")
_SUBJECTS: Final = ("subjects", "subject", "keywords")
_LANGUAGES: Final = ("language", "inLanguage")
_CONTAINERS: Final = ("container", "isPartOf")
_EDITOR: Final = "editor"
_ISSUED: Final = "issued"
_YEAR: Final = "[0-9]{4}"
_STOPS: Final = (".", "!", "?", "…")


class Container(Struct, frozen=True):
    """The publication that contains a work, and its position there; unknown members are empty."""

    title: str = ""
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""


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
        return self.titles[0] if self.titles else ""

    @property
    def year(self) -> str:
        """The year in four digits, or an empty text if the date has none."""
        if self.issued:
            return f"{self.issued[0]:04}"
        found = re.search(_YEAR, self.when)
        return found[0] if found else ""


def work_of(record: Record) -> Work:
    """Return the bibliographic description of a record."""
    when = _when(record)
    return Work(
        pid=escape(record.pid),
        doi=doi_of(record),
        kind=work_type_of(record),
        titles=_lines(metadata_text.titles(record)),
        creators=next(filter(None, (_people(value) for value in values_of(record, metadata_terms.CREATORS))), ()),
        editors=_editors(record),
        issued=_parts(when),
        when=when,
        publisher=_text(record, _PUBLISHERS, *metadata_terms.NAMES),
        container=_container(record),
        version=_text(record, ("version",)),
        language=next((text for text in _texts(record, _LANGUAGES) if compiled(LANGUAGE).fullmatch(text)), ""),
        subjects=_subjects(record),
        abstract=next(iter(_lines(metadata_text.descriptions(record))), ""),
        licenses=_licenses(record),
        withdrawal=_withdrawal(record),
    )


def is_citable(record: Record) -> bool:
    """Return whether the record can be cited: it has bibliographic metadata or is withdrawn."""
    return record.status == WITHDRAWN or any(_citable_values(record))


def _citable_values(record: Record) -> Iterator[object]:
    """Yield the members that make a record citable, the most common ones first."""
    yield any(map(line, metadata_text.titles(record)))
    yield _when(record)
    yield _text(record, _PUBLISHERS, *metadata_terms.NAMES)
    yield any(map(line, metadata_text.descriptions(record)))
    yield any(next(agents(value), None) for value in values_of(record, metadata_terms.CREATORS))


def doi_of(record: Record) -> str:
    """Return its DOI: the identifier itself if it is one, else the first alternate DOI, else an empty text."""
    path = percent_encoding.decode(record.pid.removeprefix(f"{record.issuer}/")).decode(errors="replace")
    alternates = (each["identifier"] for each in record.alternates if each["scheme"].lower() == "doi")
    return next((doi.validate(text) for text in (path, *alternates) if doi.is_valid(text)), "")


def _licenses(record: Record) -> tuple[metadata_text.NamedEntity, ...]:
    found = (
        metadata_text.NamedEntity(line(each.name or "") or None, each.uri) for each in metadata_text.licenses(record)
    )
    return tuple(dict.fromkeys(each for each in found if each.name or each.uri))


def _withdrawal(record: Record) -> str:
    if record.status != WITHDRAWN:
        return ""
    gone = record.withdrawn
    if gone is None:
        return "Withdrawn."
    reason = metadata_text.line(gone.reason)
    first = f"Withdrawn on {format_time(gone.at)[:10]}" + (f": {reason}" if reason else "")
    sentences = [first if first.endswith(_STOPS) else f"{first}."]
    successor = metadata_terms.successor_uri(record)
    return " ".join([*sentences, *([f"Replaced by {successor}"] if successor else [])])


def _when(record: Record) -> str:
    """Return the date of publication: the first valid one, else the first text in its place."""
    candidates = [
        *_texts(record, _PUBLISHED, "date", *metadata_terms.NAMES),
        *(text for kind, text in _dates(record) if kind == _ISSUED),
        *_texts(record, ("publicationYear",)),
        *_lines(metadata_text.dates(record)),
    ]
    return next(filter(metadata_text.iso_date, candidates), next(iter(candidates), ""))


def _dates(record: Record) -> Iterator[tuple[str, str]]:
    """Yield DataCite's dates, each with its type in lower case."""
    for each in metadata_terms.objects(record, "dates"):
        kind = next(texts(each.get("dateType")), "").lower()
        yield from ((kind, text) for text in _lines(texts(each, "date")))


def _parts(when: str) -> tuple[int, ...]:
    date = metadata_text.iso_date(when)
    return tuple(int(part) for part in date.partition("T")[0].split("-")) if date else ()


def _editors(record: Record) -> tuple[Agent, ...]:
    contributors = metadata_terms.objects(record, "contributors")
    others = [each for each in contributors if _EDITOR in map(str.lower, texts(each.get("contributorType")))]
    return _people([*values_of(record, (_EDITOR, "editors")), *others])


def _container(record: Record) -> Container:
    for value in values_of(record, _CONTAINERS):
        title = next(iter(_lines(texts(value, "title", "name"))), "")
        if title and isinstance(value, Mapping):
            rest = (value.get(name) for name in ("volume", "issue", "firstPage", "lastPage"))
            return Container(title, *(next(iter(_lines(texts(each))), "") for each in rest))
        if title:
            return Container(title)
    return Container()


def _subjects(record: Record) -> tuple[str, ...]:
    """Return the subjects of DataCite and schema.org; a text of keywords is split at commas."""
    found: list[str] = []
    for value in values_of(record, _SUBJECTS):
        split = isinstance(value, str)
        for text in texts(value, "subject", *metadata_terms.NAMES):
            found += text.split(",") if split else [text]
    return _lines(found)


def _people(value: Any) -> tuple[Agent, ...]:
    return tuple(dict.fromkeys(agents(value)))


def _text(record: Record, names: tuple[str, ...], *members: str) -> str:
    return next(iter(_texts(record, names, *members)), "")


def _texts(record: Record, names: tuple[str, ...], *members: str) -> tuple[str, ...]:
    return _lines(metadata_text.first(record, names, *members))


def _lines(found: Any) -> tuple[str, ...]:
    """Return the distinct texts without codes for missing values."""
    return tuple(dict.fromkeys(filter(None, map(line, found))))
