"""`application/x-bibtex`: the work as an entry of a BibTeX database.

Source: O. Patashnik, "BibTeXing" (1988), section 3 (entries, fields); "Designing BibTeX Styles", section 4 (names).
Values are in balanced braces. Characters that TeX reads as commands are escaped, except in `url` and `doi`, which are
read verbatim; other scripts stay as UTF-8. Names without parts have their own braces, so that BibTeX does not split
them. The key is the path of the PID, so that it never changes.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active",
...     metadata={"what": "Tea & {milk}", "who": ["Lee, Ann", "CERN"], "when": "2024-05"})
>>> print(write(record), end="")
@misc{mp:x5,
  title = {Tea \\& \\textbraceleft{}milk\\textbraceright{}},
  author = {Lee, Ann and {CERN}},
  year = {2024},
  month = {5},
  url = {https://id.example.org/mp:x5}
}
"""

import re
from typing import Final

from coolid.http.formats.citations.notes import is_detailed, licence, named, notes
from coolid.http.formats.description.alternate_identifiers import serial_and_book_numbers
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import Agent, Description
from coolid.http.formats.metadata_text import on_one_line
from coolid.model.records import Record

ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&%#_"},
}
"""The escape of each character that TeX reads as a command."""

_ESCAPED: Final = str.maketrans(ESCAPES)
_VERBATIM: Final = str.maketrans({sign: f"%{ord(sign):02X}" for sign in "\\{}"})
# A part of a name that needs no braces: no comma, no `and`, no command.
_PLAIN: Final = r"(?!(?i:and|others)(?: |$))[^\W\d_][^\W\d_.'’-]*(?:[ .'’-]+(?!(?i:and)(?: |$))[^\W\d_]+)*\.?"
_CONTAINERS: Final = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
_IN_FIELDS: Final = ("withdrawal", "resource_type", "rights")
"""The members that have fields of their own; `annote` contains the others, which standard styles do not print."""
_PUBLISHERS: Final = {"phdthesis": "school", "techreport": "institution"}


def write(record: Record) -> str:
    """Return the entry, with each field on its own line."""
    about = describe(record)
    kind, container = about.kind.bibtex, about.container
    issns, isbns = serial_and_book_numbers(about)
    fields = {
        "title": _escaped(about.title),
        "author": " and ".join(map(_name, about.creators)),
        "editor": " and ".join(map(_name, about.editors)),
        "translator": " and ".join(_name(each) for each in about.contributors if each.role == "Translator"),
        _CONTAINERS.get(kind, "howpublished"): _escaped(container.title),
        "volume": _escaped(container.volume),
        "number": _escaped(container.issue or container.number),
        "pages": _escaped(container.pages("--")),
        "edition": _escaped(container.edition),
        _PUBLISHERS.get(kind, "publisher"): _escaped(about.publisher),
        "year": _escaped(about.year or about.when),
        "month": str(about.issued[1]) if len(about.issued) > 1 else "",
        "version": _escaped(about.version),
        "language": _escaped(", ".join(about.languages)),
        "type": _escaped(about.resource_type),
        "keywords": _escaped(", ".join(each.text for each in about.subjects)),
        "copyright": _escaped("; ".join(map(licence, about.rights))),
        "abstract": _escaped(on_one_line(about.abstract)),
        "orcid-numbers": _escaped("; ".join(f"{each.name}/{each.orcid[18:]}" for each in about.creators if each.orcid)),
        "affiliation": _escaped("; ".join(map(named, filter(is_detailed, about.creators)))),
        "issn": _escaped(", ".join(issns)),
        "isbn": _escaped(", ".join(isbns)),
        "doi": about.doi.translate(_VERBATIM),
        "url": about.pid,
        "note": _escaped(about.withdrawal),
        "annote": _escaped("; ".join(notes(about, _IN_FIELDS))),
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@{kind}{{{key_of(record, about)},\n{lines}\n}}\n"


def key_of(record: Record, about: Description) -> str:
    """Return the entry's unique key: the PID's path with the hexadecimal code of each special character."""
    path = about.pid.removeprefix(f"{record.issuer}/")
    return re.sub("[^A-Za-z0-9.:/-]", lambda sign: f"_{ord(sign[0]):02X}", path)


def _name(agent: Agent) -> str:
    if not agent.family or not agent.given:
        return f"{{{_escaped(agent.family or agent.name)}}}"
    parts = (agent.family, agent.given)
    return ", ".join(each if re.fullmatch(_PLAIN, each) else f"{{{_escaped(each)}}}" for each in parts)


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)
