"""References: from the path of a request to the text of an identifier and the ways to read it.

The path is split at `/` before it is decoded and each part is decoded exactly once (RFC 3986, section 2.4), so that
`%2F` never separates anything. Colons separate wherever they stand, encoded or not. Every separator ends a candidate
for the prefix; which of them is registered is for `coolid.resolution.resolver` to find out.

>>> reference = read("uniprot:P0DP23")
>>> [(candidate.name, candidate.identifier) for candidate in reference.candidates()]
[('uniprot', 'P0DP23'), ('uniprot:p0dp23', '')]
>>> read("2021%2F06/x").text
'2021/06/x'
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import BadReference, TooLong
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import MOST_NAME_BYTES, fold

MOST_BYTES: Final = 2048
MOST_PASTED: Final = 4 * MOST_BYTES
"""Characters of a pasted text: an identifier, its escapes (three characters a byte), and what stands around it."""
MOST_CANDIDATES: Final = 10

_ESCAPED: Final = 3
"""Characters that stand for one byte, at most."""
_BAD_ESCAPE: Final = r"%(?![0-9A-Fa-f]{2}).{0,2}"
_STEP: Final = r"(?:\.|%2e){1,2}"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DOI: Final = re.compile(r"10\.\d{2,9}(\.\d+)*/")
_SEPARATOR: Final = re.compile("[/:]")


class PrefixCandidate(Struct, frozen=True):
    """One way to split a reference: the folded `name` of the prefix, and the `identifier` after the separator."""

    name: str
    identifier: str


class Reference(Struct, frozen=True):
    """The decoded `text`, and the `boundaries`: where separators stand in it, ascending.

    `concealed` are the slashes that came encoded and separate nothing, counted from the end of the text.
    """

    text: str
    boundaries: tuple[int, ...]
    concealed: tuple[int, ...] = ()

    @classmethod
    def of(cls, text: str) -> "Reference":
        """The reference of a text that is decoded already: every slash and colon separates."""
        return cls(text, tuple([separator.start() for separator in _SEPARATOR.finditer(text)]))

    def candidates(self) -> tuple[PrefixCandidate, ...]:
        """Every split, the shortest prefix first; the last has the whole text for its prefix."""
        text, whole = self.text, self.text.rstrip("/:")
        if text.isascii():  # where names are folded all at once
            folded, size = text.lower(), len(whole)
            found = [PrefixCandidate(folded[:at], text[at + 1 :]) for at in self._ends()]
        else:
            size = len(whole.encode())
            found = [PrefixCandidate(fold(text[:at]), text[at + 1 :]) for at in self._ends()]
        if whole and size <= MOST_NAME_BYTES and len(found) < MOST_CANDIDATES:
            found.append(PrefixCandidate(fold(whole), ""))
        return tuple(found)

    def after(self, position: int) -> "Reference":
        """The reference that begins at this position."""
        boundaries = tuple(at - position for at in self.boundaries if at >= position)
        return Reference(self.text[position:], boundaries, self.concealed)

    def is_doi(self) -> bool:
        """Whether it begins like a DOI without `doi:`.

        >>> read("10.5281/zenodo.31780").is_doi()
        True
        """
        return self.text.startswith("10.") and _DOI.match(self.text) is not None

    def _ends(self) -> list[int]:
        """Where names end that are short enough to be one."""
        ends = [at for at in self.boundaries[: MOST_CANDIDATES - 1] if 0 < at <= MOST_NAME_BYTES]
        if self.text.isascii():
            return ends
        return [at for at in ends if len(self.text[:at].encode()) <= MOST_NAME_BYTES]


def read(path: str) -> Reference:
    """Read a percent-encoded path without its leading slash.

    Raises `BadReference` for a bad escape, invalid UTF-8 or a control character, `TooLong` above 2,048 bytes.

    >>> read("ucum:%")
    Traceback (most recent call last):
    ...
    coolid.errors.BadReference: the escape % is not a percent sign and two hexadecimal digits
    """
    if "%" not in path and path.isascii() and path.isprintable() and len(path) <= MOST_BYTES:
        return Reference.of(path)  # nearly always: as it stands
    least = -(-len(path) // _ESCAPED)
    if least > MOST_BYTES:
        raise TooLong(least, MOST_BYTES)
    parts = [decode(part) for part in path.split("/")]
    boundaries: list[int] = []
    position = 0
    for part in parts:
        boundaries.extend(position + at for at, symbol in enumerate(part) if symbol == ":")
        position += len(part) + 1
        boundaries.append(position - 1)
    text = "/".join(parts)
    size = len(text.encode())
    if size > MOST_BYTES:
        raise TooLong(size, MOST_BYTES)
    slashes = {at for at, symbol in enumerate(text) if symbol == "/"} if "%2" in path else set()
    return Reference(text, tuple(boundaries[:-1]), tuple(len(text) - at for at in slashes.difference(boundaries)))


def decode(part: str) -> str:
    """Decode one part of a path, once; errors as of `read`."""
    if "%" not in part:
        return checked(part)
    bad = re.search(_BAD_ESCAPE, part)
    if bad:
        raise BadReference(f"the escape {bad[0]!a} is not a percent sign and two hexadecimal digits".replace("'", ""))
    try:
        text = percent_encoding.decode(part).decode()
    except UnicodeError:
        raise BadReference("the identifier is not valid UTF-8") from None
    return checked(text)


def is_step(part: str) -> bool:
    """Whether clients take a part of a path for a step, escaped or not, and leave it out (URL Standard, "double-dot
    path segment"); one beside an escaped slash is none.

    >>> is_step("."), is_step("%2e%2E"), is_step("%2F..")
    (True, True, False)
    """
    return re.fullmatch(_STEP, part, re.IGNORECASE) is not None


def sendable(text: str) -> str:
    """The same text, if it can be sent and is no longer than a reference may be; else `BadReference`."""
    if len(checked(text).encode()) > MOST_BYTES:
        raise BadReference(f"it is longer than {MOST_BYTES} bytes")
    return text


def checked(text: str) -> str:
    """The same text, if it can be sent: no control characters, no halves of surrogates; else `BadReference`."""
    try:
        text.encode()
    except UnicodeError:
        raise BadReference("the identifier is not valid UTF-8") from None
    control = _CONTROL.search(text)
    if control:
        raise BadReference(f"it contains a control character (U+{ord(control[0]):04X})")
    return text
