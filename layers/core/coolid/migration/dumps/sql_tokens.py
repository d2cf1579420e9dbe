r"""Tokens of an SQL dump, in bounded memory: at most a few times `MAX_TOKEN_BYTES` of it at once.

Sources: PostgreSQL 17, chapter 4.1 ("Lexical Structure"); MySQL 8.4, chapters 11.1.1 ("String Literals") and 11.7
("Comments"); SQLite, "SQL As Understood By SQLite". A backslash escapes in strings of MySQL, and in `E'…'` of
PostgreSQL. Comments and white space are skipped, also the conditional comments of MySQL, which contain no rows.

>>> from io import BytesIO
>>> tokens = SqlTokens(BytesIO(b"INSERT INTO `a` /* b */ VALUES (-1.5, 'it''s');"))
>>> [tokens.take().content for _ in range(10)]
[b'INSERT', b'INTO', b'a', b'VALUES', b'(', b'-1.5', b',', b"it's", b')', b';']
"""

import re
from enum import Enum
from typing import BinaryIO, Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK

MAX_TOKEN_BYTES: Final = 32_000_000
_PIECE_BYTES: Final = 1 << 18

_DIALECT: Final = re.compile(
    rb"""^(?:--\s(?:PostgreSQL|pg_dump)|PRAGMA\s|BEGIN\sTRANSACTION
    |(?P<mysql>--\s(?:MySQL|MariaDB|phpMyAdmin)|/\*!\d{5}|(?:INSERT|REPLACE|CREATE|DROP|LOCK|USE)\s(?:[A-Z]+\s)*`))""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""The first sign of the database that wrote a dump."""
_ESCAPING: Final = re.compile(rb"^SET\s+standard_conforming_strings\s*(?:=|TO)\s*'?off", re.IGNORECASE | re.MULTILINE)

_ESCAPED: Final = rb"'(?:[^'\\]++|\\.|'')*+'"
_TOKEN: Final = rb"""
    (?P<blank>\s++ | --[^\n]*+(?:\n|\Z) | /\*.*?\*/ %(comment)s)
    | (?P<escaped>%(escaped)s)
    | (?P<hex>[xX]'(?:[0-9A-Fa-f]{2})*+')
    | (?P<plain>[nN]?'(?:[^']++|'')*+')
    | (?P<name>"(?:[^"]++|"")*+" | `(?:[^`]++|``)*+`)
    | (?P<dollars>\$(?P<tag>\w*+)\$(?P<body>.*?)\$(?P=tag)\$)
    | (?P<word>[-+]?[0-9.][\w.]*+(?:(?<=[eE])[-+][0-9]++)? | (?![eEnNxX]')[A-Za-z_\x80-\xff][\w$\x80-\xff]*+)
    | (?P<symbol>.)
"""
_UNFINISHED: Final = re.compile(rb"""['"`]|[eEnNxX]'|/(?:\*|\Z)|\$\w*(?:\$|\Z)""")
"""The beginning of a token whose end is missing or was not read yet."""

_LETTERS: Final = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_MYSQL_LETTERS: Final = _LETTERS | {b"0": b"\x00", b"Z": b"\x1a", b"%": rb"\%", b"_": rb"\_", b"f": b"f", b"v": b"v"}
_ESCAPE: Final = re.compile(rb"\\([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|.)|''", re.DOTALL)
_MYSQL_ESCAPE: Final = re.compile(rb"\\(.)|''", re.DOTALL)


class Kind(Enum):
    """The kinds of tokens: a string literal, a quoted name, a word or number, another character, the end."""

    STRING = "string"
    NAME = "name"
    WORD = "word"
    SYMBOL = "symbol"
    END = "end"


class Token(Struct, frozen=True):
    """A token; `content` is the value of a string or name without quotation marks and escapes, else the text."""

    kind: Kind
    content: bytes

    def is_symbol(self, symbol: bytes) -> bool:
        """Return whether it is this character outside strings."""
        return self.kind is Kind.SYMBOL and self.content == symbol

    def is_word(self, *words: bytes) -> bool:
        """Return whether it is one of these words, which are in upper case."""
        return self.kind is Kind.WORD and self.content.upper() in words


END: Final = Token(Kind.END, b"")


class SqlTokens:
    """The tokens of a file, and its lines where data are not SQL. `line` is the number of the current line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._buffer = b""
        self._at = 0
        self._is_at_end = False
        self._next: Token | None = None
        self.line = 1
        self._read_more()
        self._buffer = self._buffer.removeprefix(BYTE_ORDER_MARK)
        dialect = _DIALECT.search(self._buffer)
        self._is_mysql = dialect is not None and dialect["mysql"] is not None
        escapes = self._is_mysql or _ESCAPING.search(self._buffer) is not None
        self._pattern = re.compile(
            _TOKEN
            % {
                b"comment": rb"| \#[^\n]*+(?:\n|\Z)" if self._is_mysql else b"",
                b"escaped": (b"[eEnN]?" if escapes else b"[eE]") + _ESCAPED,
            },
            re.VERBOSE | re.DOTALL,
        )

    def peek(self) -> Token:
        """Return the next token, and leave it."""
        if self._next is None:
            self._next = self._read()
        return self._next

    def take(self) -> Token:
        """Return the next token, or `END`. Raises `UsageError` where a string or comment has no end."""
        token = self.peek()
        self._next = None
        return token

    def take_line(self) -> bytes | None:
        """Return the rest of the line without its end, or None at the end of the file."""
        assert self._next is None
        while (end := self._buffer.find(b"\n", self._at)) < 0 and self._read_more():
            pass
        if end < 0 and self._at == len(self._buffer):
            return None
        stop = len(self._buffer) if end < 0 else end + 1
        line = self._buffer[self._at : stop]
        self._at = stop
        self.line += line.count(b"\n")
        return line.removesuffix(b"\n").removesuffix(b"\r")

    def _read(self) -> Token:
        while found := self._match():
            self._at = found.end()
            self.line += found[0].count(b"\n")
            if found.lastgroup != "blank":
                return self._token(found)
        return END

    def _match(self) -> "re.Match[bytes] | None":
        """Return the next match that more of the file would not change."""
        while True:
            found = self._pattern.match(self._buffer, self._at)
            is_unfinished = (
                found is not None
                and found.lastgroup == "symbol"
                and _UNFINISHED.match(self._buffer, self._at) is not None
            )
            if found is not None and found.end() < len(self._buffer) and not is_unfinished:
                return found
            if not self._read_more():
                if is_unfinished:
                    raise UsageError(f"the SQL dump is damaged: what begins at line {self.line} has no end")
                return found

    def _read_more(self) -> bool:
        """Read as much again as the rest of the buffer, so that a long token is not read in many small steps."""
        if self._is_at_end:
            return False
        rest = self._buffer[self._at :]
        if len(rest) > MAX_TOKEN_BYTES:
            raise UsageError(f"the SQL dump has a value of more than {MAX_TOKEN_BYTES:,} bytes at line {self.line}")
        piece = self._file.read(max(_PIECE_BYTES, len(rest)))
        self._is_at_end = not piece
        self._buffer = rest + piece
        self._at = 0
        return bool(piece)

    def _token(self, found: "re.Match[bytes]") -> Token:
        group, text = found.lastgroup, found[0]
        if group in ("word", "symbol"):
            return Token(Kind.WORD if group == "word" else Kind.SYMBOL, text)
        if group == "name":
            return Token(Kind.NAME, text[1:-1].replace(text[:1] * 2, text[:1]))
        if group == "dollars":
            return Token(Kind.STRING, found["body"])
        content = text[text.index(b"'") + 1 : -1]
        if group == "escaped":
            content = unescape(content, mysql=self._is_mysql)
        elif group == "hex":
            content = bytes.fromhex(content.decode())
        else:
            content = content.replace(b"''", b"'")
        return Token(Kind.STRING, content)


def unescape(content: bytes, *, mysql: bool = False) -> bytes:
    r"""Return the bytes that an escaped text stands for, as in strings and in the data of PostgreSQL's COPY.

    >>> unescape(rb"a\tb\\c\101"), unescape(rb"\0\%\'", mysql=True)
    (b'a\tb\\cA', b"\x00\\%'")
    """

    def character(found: "re.Match[bytes]") -> bytes:
        code = found[1]
        if code is None:
            return b"'"
        if mysql:
            return _MYSQL_LETTERS.get(code, code)
        if code.isdigit() and code < b"8":
            return bytes([int(code, 8) & 0xFF])
        return bytes([int(code[1:], 16)]) if len(code) > 1 else _LETTERS.get(code, code)

    return (
        (_MYSQL_ESCAPE if mysql else _ESCAPE).sub(character, content)
        if b"\\" in content or b"'" in content
        else content
    )
