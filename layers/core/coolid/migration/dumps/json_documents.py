"""Documents of a JSON dump, in bounded memory: at most a few times `MAX_DOCUMENT_BYTES` of it at once.

A dump is one JSON text (RFC 8259), several one after the other, or JSON Lines. The documents of an array are its
elements. The pages of an API have their documents below a path of names, such as `("data",)`; an object without that
path is a document itself. Documents are parsed by `coolid.strict_json`, so that each name occurs once.

>>> from io import BytesIO
>>> pages = b'{"data": [{"id": 1}], "meta": {}} {"data": [{"id": 2}]} {"id": 3}'
>>> [found.document["id"] for found in read_documents(BytesIO(pages), ("data",))]
[1, 2, 3]
"""

import re
from collections.abc import Iterator, Sequence
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO, Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.strict_json import NotJson, load
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK

MAX_DOCUMENT_BYTES: Final = 16_000_000
_PIECE_BYTES: Final = 1 << 18

_DECODER: Final = JSONDecoder(strict=False)
_BLANK: Final = re.compile(r"[ \t\r\n]*")


class FoundDocument(Struct, frozen=True):
    """A document and its number from 1. The document is None if it breaks the rules of JSON, for the `reason`."""

    number: int
    document: Any
    reason: str = ""


def read_documents(file: BinaryIO, path: Sequence[str] = ()) -> Iterator[FoundDocument]:
    """Yield the documents of a file, from its beginning. In a path, `*` stands for each name.

    A damaged line of JSON Lines is one document with a reason. Raises `UsageError` where a file of another form is
    damaged, because no document after it can be found.
    """
    for number, found in enumerate(_line_documents(file, path) if _has_lines(file) else _documents(file, path), 1):
        document, reason = found
        yield FoundDocument(number, document, reason)


def _has_lines(file: BinaryIO) -> bool:
    """Return whether the first line is a whole object and the next one begins another."""
    file.seek(0)
    first, second = file.readline(MAX_DOCUMENT_BYTES), file.read(1)
    file.seek(0)
    return second == b"{" and _parsed(first.removeprefix(BYTE_ORDER_MARK))[0] is not None


def _parsed(content: bytes) -> tuple[Any, str]:
    """Return the document of a JSON text, or None and the reason."""
    try:
        return load(content), ""
    except NotJson as error:
        return None, f"it is not valid JSON: {error}"


def _line_documents(file: BinaryIO, path: Sequence[str]) -> Iterator[tuple[Any, str]]:
    while line := file.readline(MAX_DOCUMENT_BYTES + 1):
        is_too_long = len(line) > MAX_DOCUMENT_BYTES
        while is_too_long and not line.endswith(b"\n") and (line := file.readline(_PIECE_BYTES)):
            pass
        if is_too_long:
            yield None, f"its line has more than {MAX_DOCUMENT_BYTES:,} bytes"
        elif line.strip():
            document, reason = _parsed(line.removeprefix(BYTE_ORDER_MARK))
            yield from ((each, reason) for each in _below(document, path))


def _below(document: Any, path: Sequence[str]) -> Iterator[Any]:
    """Yield the documents of one that was parsed whole."""
    for position, name in enumerate(path):
        if not isinstance(document, dict) or (name != "*" and name not in document):
            break
        if name == "*":
            for each in document.values():
                yield from _below(each, path[position + 1 :])
            return
        document = document[name]
    if isinstance(document, list) and path:
        yield from document
    else:
        yield document


def _documents(file: BinaryIO, path: Sequence[str]) -> Iterator[tuple[Any, str]]:
    text = _Text(file)
    while start := text.next_character():
        if start == "[":
            yield from map(_parsed, _elements(text))
        elif start == "{" and path:
            yield from _members(text, path)
        else:
            yield _parsed(text.take_value())


def _elements(text: "_Text") -> Iterator[bytes]:
    text.take("[")
    if text.next_character() != "]":
        yield text.take_value()
        while text.next_character() == ",":
            text.take(",")
            yield text.take_value()
    text.take("]")


def _members(text: "_Text", path: Sequence[str], *, is_below: bool = False) -> Iterator[tuple[Any, str]]:
    """Yield the documents below the path, or the whole object if it has no such member."""
    members: dict[str, Any] = {}
    size, reason, is_page = 0, "", is_below
    text.take("{")
    while text.next_character() == '"':
        name = str(_parsed(text.take_value())[0])
        text.take(":")
        start = text.next_character()
        if path[0] in (name, "*"):
            is_page = True
            if len(path) > 1 and start == "{":
                yield from _members(text, path[1:], is_below=True)
            elif len(path) == 1 and start == "[":
                yield from map(_parsed, _elements(text))
            else:
                yield _parsed(text.take_value())
        else:
            value = text.take_value()
            size += len(value)
            if not is_page and size <= MAX_DOCUMENT_BYTES:
                reason = reason or (f"the name {name[:100]!a} occurs twice" if name in members else "")
                members[name], problem = _parsed(value)
                reason = reason or problem
        if text.next_character() != ",":
            break
        text.take(",")
    text.take("}")
    if not is_page:
        yield (None, reason) if reason else (members, "")


class _Text:
    """The text of a file from the current position on."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._buffer = ""
        self._rest = b""
        self._at = 0
        self._before = 0
        self._is_at_end = False

    def next_character(self) -> str:
        """Skip white space and return the next character, or an empty text at the end."""
        while True:
            found = _BLANK.match(self._buffer, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._read_more():
                return ""

    def take(self, character: str) -> None:
        """Skip this character. Raises `UsageError` if another is next."""
        if self.next_character() != character:
            raise self._damage(f"{character!r} is missing")
        self._at += 1

    def take_value(self) -> bytes:
        """Return the JSON of the next value."""
        self.next_character()
        while True:
            try:
                _, end = _DECODER.raw_decode(self._buffer, self._at)
                if self._is_at_end or end < len(self._buffer):
                    value = self._buffer[self._at : end]
                    self._at = end
                    return value.encode(errors="replace")  # `load` refuses what this replaces, lone surrogates
            except (JSONDecodeError, RecursionError) as error:
                if self._is_at_end:
                    raise self._damage(str(getattr(error, "msg", "it is nested too deep"))) from None
            self._read_more()

    def _read_more(self) -> bool:
        if self._is_at_end:
            return False
        rest = self._buffer[self._at :]
        if len(rest) > MAX_DOCUMENT_BYTES:
            raise self._damage(f"a value has more than {MAX_DOCUMENT_BYTES:,} characters, or no end")
        piece = self._file.read(max(_PIECE_BYTES, len(rest)))
        self._is_at_end = not piece
        content = self._rest + piece
        try:
            text, self._rest = content.decode(), b""
        except UnicodeDecodeError as error:
            if not piece or len(content) - error.start > 3:
                raise self._damage("it is not UTF-8") from None
            text, self._rest = content[: error.start].decode(), content[error.start :]
        if not self._before and not self._buffer:
            text = text.removeprefix("\ufeff")
        self._before += self._at
        self._buffer = rest + text
        self._at = 0
        return bool(piece)

    def _damage(self, reason: str) -> UsageError:
        at = self._before + self._at
        return UsageError(
            f"the JSON dump is damaged after {at:,} characters, and nothing after it can be read: {reason}"
        )
