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

from coolid.http.formats.citations.agents import Agent
from coolid.http.formats.citations.works import Work, work_of
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
_PUBLISHERS: Final = {"phdthesis": "school", "techreport": "institution"}


def write(record: Record) -> str:
    """Return the entry, with each field on its own line."""
    work = work_of(record)
    kind, container = work.kind.bibtex, work.container
    fields = {
        "title": _escaped(work.title),
        "author": " and ".join(map(_name, work.creators)),
        "editor": " and ".join(map(_name, work.editors)),
        _CONTAINERS.get(kind, "howpublished"): _escaped(container.title),
        "volume": _escaped(container.volume),
        "number": _escaped(container.issue),
        "pages": _escaped(container.pages("--")),
        _PUBLISHERS.get(kind, "publisher"): _escaped(work.publisher),
        "year": _escaped(work.year or work.when),
        "month": str(work.issued[1]) if len(work.issued) > 1 else "",
        "version": _escaped(work.version),
        "language": work.language,
        "keywords": _escaped(", ".join(work.subjects)),
        "copyright": _escaped(next((str(each) for each in work.licenses), "")),
        "abstract": _escaped(work.abstract),
        "doi": work.doi.translate(_VERBATIM),
        "url": work.pid,
        "note": _escaped(work.withdrawal),
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@{kind}{{{key_of(record, work)},\n{lines}\n}}\n"


def key_of(record: Record, work: Work) -> str:
    """Return the entry's unique key: the PID's path with the hexadecimal code of each special character."""
    path = work.pid.removeprefix(f"{record.issuer}/")
    return re.sub("[^A-Za-z0-9.:/-]", lambda sign: f"_{ord(sign[0]):02X}", path)


def _name(agent: Agent) -> str:
    if agent.family is None or not agent.given:
        return f"{{{_escaped(agent.family or agent.name)}}}"
    parts = (agent.family, agent.given)
    return ", ".join(each if re.fullmatch(_PLAIN, each) else f"{{{_escaped(each)}}}" for each in parts)


def _escaped(text: str) -> str:
    return text.translate(_ESCAPED)
