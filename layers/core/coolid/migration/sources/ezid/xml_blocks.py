"""EZID's batch download as XML: `<records>` with a `<record>` for each identifier, and its `<element>`s.

The documents in the elements `datacite` and `crossref` are written again as they are, with their names of namespaces.
The file is parsed in pieces, without a document type, so that there are no entities to expand.

>>> from io import BytesIO
>>> list(read_blocks(BytesIO(b'<records><record identifier="ark:/99999/fk4"><element name="_status">public</element>'
...     b'</record></records>')))
[(1, 'ark:/99999/fk4', {'_status': 'public'})]
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO, Final
from xml.parsers.expat import ExpatError, ParserCreate
from xml.sax.saxutils import escape, quoteattr

from coolid.errors import UsageError
from coolid.migration.source_identifiers import UnreadableEntry
from coolid.migration.sources.ezid.element_blocks import MAX_BLOCK_BYTES, TOO_LARGE, ElementBlock

_PIECE_BYTES: Final = 65_536
_MAX_DEPTH: Final = 100
_RECORDS, _RECORD, _ELEMENT = 1, 2, 3
"""The depth of each element."""
_NAMES: Final = {_RECORDS: "records", _RECORD: "record", _ELEMENT: "element"}
_PROLOG: Final = '<?xml version="1.0"?>\n'


def read_blocks(file: BinaryIO) -> Iterator[ElementBlock]:
    """Yield the records of a file, counted from 1. Raises `UsageError` where it is no such document."""
    reader = _Reader()
    try:
        for piece in iter(partial(file.read, _PIECE_BYTES), b""):
            reader.parser.Parse(piece, False)
            yield from reader.take()
        reader.parser.Parse(b"", True)
        yield from reader.take()
    except ExpatError as error:
        raise UsageError(f"the dump is damaged: {error}") from error


class _Reader:
    """Collects the records that expat reports."""

    def __init__(self) -> None:
        self.parser = ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse_document_type
        self._depth = 0
        self._count = 0
        self._blocks: list[ElementBlock] = []
        self._identifier = self._name = ""
        self._elements: dict[str, str] = {}
        self._parts: list[str] = []
        self._size = 0
        self._is_document = False

    def take(self) -> list[ElementBlock]:
        """Return the records that are complete since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if name != _NAMES.get(self._depth, name):
            raise UsageError(
                f"the file is no batch download of EZID: it has the element {name[:100]!a} in a wrong place"
            )
        if self._depth > _MAX_DEPTH:
            raise UsageError(f"the elements of the file are nested deeper than {_MAX_DEPTH}")
        if self._depth == _RECORD:
            self._count += 1
            self._identifier, self._elements, self._size = attributes.get("identifier", "").strip(), {}, 0
        elif self._depth == _ELEMENT:
            self._name, self._parts, self._is_document = attributes.get("name", ""), [], False
        elif self._depth > _ELEMENT:
            if not self._is_document:  # white space around the document is not part of it
                self._parts, self._is_document = [], True
            self._add(f"<{name}{''.join(f' {each}={quoteattr(value)}' for each, value in attributes.items())}>")

    def _end(self, name: str) -> None:
        if self._depth > _ELEMENT:
            self._add(f"</{name}>")
        elif self._depth == _ELEMENT:
            text = "".join(self._parts).strip()
            self._elements[self._name] = _PROLOG + text if self._is_document else text
        elif self._depth == _RECORD:
            self._blocks.append(self._block())
        self._depth -= 1

    def _text(self, text: str) -> None:
        if self._depth > _ELEMENT:
            self._add(escape(text))
        elif self._depth == _ELEMENT:
            self._add(text)

    def _add(self, text: str) -> None:
        self._size += len(text)
        if self._size <= MAX_BLOCK_BYTES:
            self._parts.append(text)

    def _block(self) -> ElementBlock:
        if not self._identifier:
            return UnreadableEntry(self._count, "it has no identifier")
        if self._size > MAX_BLOCK_BYTES:
            return UnreadableEntry(self._count, TOO_LARGE, self._identifier)
        return self._count, self._identifier, self._elements

    def _refuse_document_type(self, *_: Any) -> None:
        raise UsageError("the file has a document type declaration, which no batch download of EZID has")
