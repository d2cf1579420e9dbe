"""`application/x-research-info-systems`: the description as a RIS record, for reference managers.

Source: the RIS format of Reference Manager and EndNote. Each line is a tag of two letters, two spaces, a hyphen, a
space and a value; `TY` comes first, `ER` last, and lines end with CR LF. A value is written on one line, so that it
cannot begin another tag. Notes (`N1`) contain what no other tag can.
"""

from typing import Final

from coolid.http.formats.citations.notes import is_detailed, named, notes
from coolid.http.formats.description.alternate_identifiers import serial_and_book_numbers
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import Description
from coolid.http.formats.metadata_text import on_one_line
from coolid.model.records import Record

_TRANSLATED: Final = "TranslatedTitle"
_IN_TAGS: Final = ("resource_type", "files")
"""The members that have tags of their own; the notes contain the others."""


def write(record: Record) -> str:
    """Return the RIS record, with a line for each value of a tag."""
    about = describe(record)
    container = about.container
    issns, isbns = serial_and_book_numbers(about)
    lines = [
        ("TY", about.kind.ris),
        ("TI", about.title),
        *(("TT", each.text) for each in about.titles[1:] if each.type == _TRANSLATED),
        *(("ST", each.text) for each in about.titles[1:] if each.type == "AlternativeTitle"),
        *(("AU", each.name) for each in about.creators),
        *(("AD", named(each)) for each in filter(is_detailed, about.creators)),
        *(("A2", each.name) for each in about.editors),
        *(("A4", each.name) for each in about.contributors if each.role == "Translator"),
        ("T2", container.title),
        ("VL", container.volume),
        ("IS", container.issue or container.number),
        ("SP", container.first_page),
        ("EP", container.last_page),
        *(("SN", each) for each in (*issns, *isbns)),
        ("PY", about.year),
        ("DA", _date(about)),
        ("PB", about.publisher),
        ("ET", about.version),
        ("M3", about.resource_type),
        *(("LA", each) for each in about.languages),
        *(("KW", each.text) for each in about.subjects),
        ("AB", on_one_line(about.abstract)),
        ("DO", about.doi),
        ("UR", about.pid),
        *(("L2", each.uri) for each in about.files),
        *(("N1", each) for each in notes(about, _IN_TAGS)),
    ]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines if value) + "ER  - \r\n"


def _date(about: Description) -> str:
    """Return year, month and day separated by slashes, or the date's text after them if it has none of these."""
    if not about.issued:
        return f"///{about.when}" if about.when else ""
    year, *rest = about.issued
    month, day = [f"{part:02}" for part in rest] + [""] * (2 - len(rest))
    return f"{year:04}/{month}/{day}/"
