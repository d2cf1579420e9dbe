"""The formats of EZID's batch downloads: `anvl`, `csv` and `xml`.

Specification: EZID API, version 2, "Download formats". A file is the beginning of its format, an entry for each
identifier, and the end, so that it can be written in parts.

>>> format = DownloadFormat.named("anvl")
>>> format.entry(DownloadEntry("ark:/99999/fk4x", {"_status": "public", "_export": "yes"}), is_first=True)
':: ark:/99999/fk4x\\n_export: yes\\n_status: public\\n'
>>> format = DownloadFormat.named("csv", ("_id", "erc.when", "_mappedCreator"))
>>> format.beginning + format.entry(DownloadEntry("ark:/99999/fk4x", {}, {"who": "Proust, Marcel"}), is_first=True)
'_id,erc.when,_mappedCreator\\r\\nark:/99999/fk4x,,"Proust, Marcel"\\r\\n'
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO
from typing import Final, Self
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.dialects.ezid.anvl import format_elements
from coolid.http.dialects.ezid.citation import kernel_texts
from coolid.http.dialects.ezid.elements import CREATED, UPDATED, elements_of
from coolid.http.dialects.ezid.identifiers import identifier_of
from coolid.http.dialects.ezid.profiles import CROSSREF, DATACITE, MAPPED_COLUMNS
from coolid.http.formats.xml_elements import valid_text
from coolid.http.formats.xml_parser import InvalidXml, parse_xml
from coolid.model.records import Record, format_time
from coolid.model.repositories import Repository

ANVL: Final = "anvl"
CSV: Final = "csv"
XML: Final = "xml"
SUFFIXES: Final[Mapping[str, str]] = {ANVL: "txt", CSV: "csv", XML: "xml"}
"""The suffix of files in each format."""

_ID: Final = "_id"
_DECLARATION: Final = re.compile(r"\A\ufeff?(?:<\?xml\b[^>]*\?>)?\s*")
"""What a document may have before its root. It matches every beginning, because a search would be quadratic."""
_LINE_ENDS: Final = str.maketrans("\r\n", "  ")


class DownloadEntry(Struct, frozen=True):
    """An identifier with its elements, and the texts of the kernel's members."""

    identifier: str
    elements: Mapping[str, str]
    mapped: Mapping[str, str] = {}


class DownloadFormat(Struct, frozen=True):
    """A format, by its name. `beginning` and `end` enclose the entries."""

    name: str
    columns: Sequence[str] = ()
    beginning: str = ""
    end: str = ""

    @classmethod
    def named(cls, name: str, columns: Sequence[str] = ()) -> Self:
        """Return the format of this name; `columns` are those of CSV."""
        if name == CSV:
            return cls(name, columns, _csv_row(columns))
        if name == XML:
            return cls(name, columns, '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n', "</records>\n")
        return cls(name)

    def entry(self, entry: DownloadEntry, *, is_first: bool) -> str:
        """Return the text of an identifier."""
        if self.name == CSV:
            return _csv_row(_cell(entry, column) for column in self.columns)
        elements = dict(sorted(entry.elements.items()))
        if self.name == XML:
            lines = "".join(
                f"<element name={_attribute(each)}>{_content(each, elements[each])}</element>" for each in elements
            )
            return f"<record identifier={_attribute(entry.identifier)}>{lines}</record>\n"
        return f"{'' if is_first else chr(10)}:: {entry.identifier}\n{format_elements(elements)}"


def download_entry(record: Record, repository: Repository) -> DownloadEntry:
    """Return the entry of a record."""
    elements = elements_of(record, repository, record.author)
    return DownloadEntry(identifier_of(record), elements, kernel_texts(record.metadata))


def with_iso_times(entry: DownloadEntry) -> DownloadEntry:
    """Return an entry whose times have the form of ISO 8601, such as `2011-03-17T01:02:17Z`."""
    times = {name: format_time(datetime.fromtimestamp(int(entry.elements[name]), UTC)) for name in (CREATED, UPDATED)}
    return replace(entry, elements={**entry.elements, **times})


def _cell(entry: DownloadEntry, column: str) -> str:
    if column == _ID:
        return entry.identifier
    if column in MAPPED_COLUMNS:
        return entry.mapped.get(MAPPED_COLUMNS[column], "")
    return entry.elements.get(column, "")


def _csv_row(cells: Iterable[str]) -> str:
    output = StringIO()
    csv.writer(output).writerow([cell.translate(_LINE_ENDS) for cell in cells])
    return output.getvalue()


def _attribute(text: str) -> str:
    return quoteattr(valid_text(text))


def _content(name: str, value: str) -> str:
    """Return the content of an element: the XML of a block without its declaration, or escaped text."""
    if name in (DATACITE, CROSSREF):
        try:
            parse_xml(value)
        except InvalidXml:
            pass
        else:
            return _DECLARATION.sub("", value, count=1).rstrip()
    return escape(valid_text(value), {"\r": "&#13;"})
