"""The reader of the source `datacite`: JSON:API documents, XML 4.x, or a ZIP archive of such files.

JSON has the DOIs of `GET /dois` below `data`, in one page or many one after the other, as JSON Lines, or in an array. A
file of XML may contain many documents, one after the other or inside another one, such as a harvest. Each is parsed on
its own, without a document type, so that no entity of another part of the file is read.
"""

import re
from collections.abc import Iterator
from io import BufferedReader
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from zipfile import ZipFile, is_zipfile

from coolid.errors import UsageError
from coolid.http.formats.xml_parser import MAX_CHARACTERS, InvalidXml, parse_xml
from coolid.migration.dumps.dump_files import open_dump, refusing_damage
from coolid.migration.dumps.dump_rows import beginning_of
from coolid.migration.dumps.json_documents import FoundDocument, read_documents
from coolid.migration.source_identifiers import Entry, Loss, UnreadableEntry
from coolid.migration.sources.datacite.attributes import entry_of
from coolid.migration.sources.datacite.xml_properties import identifier_of, properties_of

_PATH: Final = ("data",)
_KINDS: Final = ("doi", "dois")
_START: Final = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?resource)(?=[\s>])")
_PIECE_BYTES: Final = 1 << 16
_MAX_BYTES: Final = 4 * MAX_CHARACTERS
_MAX_TAG_BYTES: Final = 200
_NO_TYPE: Final = "records have no type of identifier"
_NO_TARGET: Final = Loss("url", "the XML has no target; the JSON of DataCite's API has it")


@refusing_damage
def read(path: Path) -> Iterator[Entry]:
    """See `Source`. The position of an entry is the number of its document.

    A damaged file of an archive is one unreadable entry.
    """
    numbers = count(1)
    for name, file in _files(path):
        try:
            yield from _entries(file, numbers)
        except UsageError as error:
            if not name:
                raise
            yield UnreadableEntry(next(numbers), str(error), name)


def _files(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    """Yield the file, or the files of an archive with their names."""
    if not is_zipfile(path):
        with open_dump(path) as file:
            yield "", file
        return
    with ZipFile(path) as archive:
        for member in archive.infolist():
            if member.flag_bits & 1:
                raise UsageError(f"{path} is encrypted; extract its files")
            if not member.is_dir() and not member.filename.startswith("__MACOSX/"):
                with archive.open(member) as file:
                    yield member.filename, cast(BinaryIO, BufferedReader(cast(Any, file)))


def _entries(file: BinaryIO, numbers: Iterator[int]) -> Iterator[Entry]:
    beginning = beginning_of(file)
    if beginning.startswith((b"{", b"[")):
        for found in read_documents(file, _PATH):
            yield _json_entry(next(numbers), found)
    elif beginning.startswith(b"<"):
        is_empty = True
        for document in _xml_documents(file):
            is_empty = False
            yield _xml_entry(next(numbers), document)
        if is_empty:
            raise UsageError("the XML has no element resource; it is not DataCite's")
    else:
        raise UsageError("the file is no dump of DataCite: neither JSON nor XML")


def _json_entry(number: int, found: FoundDocument) -> Entry:
    document: Any = found.document
    if not isinstance(document, dict):
        return UnreadableEntry(number, found.reason or "it is not an object")
    attributes = document.get("attributes", document)
    if document.get("type", _KINDS[0]) not in _KINDS or not isinstance(attributes, dict):
        return UnreadableEntry(number, "it describes no DOI", str(document.get("id", ""))[:200])
    if "doi" not in attributes and "attributes" in document:
        attributes = {**attributes, "doi": document.get("id")}
    return entry_of(number, attributes)


def _xml_entry(number: int, document: bytes) -> Entry:
    try:
        root = parse_xml(document.decode())
    except UnicodeDecodeError:
        return UnreadableEntry(number, "it is not UTF-8")
    except InvalidXml as error:
        return UnreadableEntry(number, str(error))
    identifier, kind = identifier_of(root)
    if "/" not in identifier:
        return UnreadableEntry(number, "it has no identifier", identifier)
    attributes = properties_of(root) | {"doi": identifier}
    losses = (_NO_TARGET,) if kind.upper() in ("DOI", "") else (_NO_TARGET, Loss("identifierType", _NO_TYPE, kind))
    return entry_of(number, attributes, losses)


def _xml_documents(file: BinaryIO) -> Iterator[bytes]:
    """Yield each element `resource` of a file. Raises `UsageError` if one has no end within the size of a document."""
    buffer = b""
    end: re.Pattern[bytes] | None = None
    while piece := file.read(_PIECE_BYTES):
        buffer += piece
        while True:
            if end is None:
                start = _START.search(buffer)
                if start is None:
                    buffer = buffer[-_MAX_TAG_BYTES:]
                    break
                buffer = buffer[start.start() :]
                end = re.compile(rb"</%s\s*>" % re.escape(start[1]))
            found = end.search(buffer)
            if found is None:
                if len(buffer) > _MAX_BYTES:
                    raise UsageError(f"the XML is damaged: an element resource has no end within {_MAX_BYTES:,} bytes")
                break
            yield buffer[: found.end()]
            buffer, end = buffer[found.end() :], None
    if end is not None:
        raise UsageError("the XML is damaged: it ends inside an element resource")
