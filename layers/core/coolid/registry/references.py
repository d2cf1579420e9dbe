"""References: the identifier text in a request's path, and the ways to split it.

The path is split at `/` and then each part is decoded exactly once (RFC 3986, section 2.4), so `%2F` never separates.
Every colon separates, encoded or not. Each separator ends a candidate for the prefix; `coolid.registry.prefix_lookup`
finds the registered one. Path parameters of the API are an exception, because generated clients encode them as a whole
(`is_encoded_whole`).

>>> reference = parse_reference("uniprot:P0DP23")
>>> [(candidate.name, candidate.identifier) for candidate in reference.candidates]
[('uniprot', 'P0DP23'), ('uniprot:p0dp23', '')]
>>> parse_reference("2021%2F06/x").text
'2021/06/x'
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import BadReference, TooLong
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import MAX_NAME_BYTES, fold

MAX_BYTES: Final = 2048
MAX_PASTED_CHARACTERS: Final = 4 * MAX_BYTES
"""Characters of a pasted text: an identifier, its escapes (three characters a byte), and text around it."""
MAX_CANDIDATES: Final = 10

_MAX_ESCAPE_CHARACTERS: Final = 3
"""Characters that represent one byte, at most."""
_SEPARATOR: Final = re.compile("[/:]")
# Few references need these, so that they are compiled on first use.
_CONTROL: Final = r"[\x00-\x1f\x7f-\x9f]"
_DOI: Final = r"10\.\d{2,9}(\.\d+)*/"
_PLAIN: Final = r"[0-9A-Za-z._~:/-]*"


class PrefixCandidate(Struct, frozen=True):
    """One split of a reference: the folded `name` of the prefix, and the `identifier` after the separator."""

    name: str
    identifier: str


class Reference(Struct, frozen=True):
    """The decoded `text`, and the ascending positions of its separators, `boundaries`.

    `encoded_slashes` are the slashes that were encoded and do not separate, counted from the end of the text.
    `candidates` are all splits, the shortest prefix first; the last one's prefix is the whole text. `is_doi` is true if
    it begins like a DOI without `doi:`.
    """

    text: str
    boundaries: tuple[int, ...]
    encoded_slashes: tuple[int, ...]
    candidates: tuple[PrefixCandidate, ...]
    is_doi: bool

    @classmethod
    def of(cls, text: str) -> "Reference":
        """Return the reference of a decoded text, in which every slash and colon separates."""
        return cls.split(text, tuple([separator.start() for separator in _SEPARATOR.finditer(text)]))

    @classmethod
    def split(cls, text: str, boundaries: tuple[int, ...], encoded_slashes: tuple[int, ...] = ()) -> "Reference":
        """Return the reference of a decoded text with these separators."""
        is_doi = text.startswith("10.") and re.match(_DOI, text) is not None
        return cls(text, boundaries, encoded_slashes, _candidates(text, boundaries), is_doi)

    def after(self, position: int) -> "Reference":
        """Return the reference that begins at this position."""
        boundaries = tuple(at - position for at in self.boundaries if at >= position)
        return Reference.split(self.text[position:], boundaries, self.encoded_slashes)


def _candidates(text: str, boundaries: tuple[int, ...]) -> tuple[PrefixCandidate, ...]:
    """Return the splits whose names are short enough for a prefix."""
    ends = [at for at in boundaries[: MAX_CANDIDATES - 1] if 0 < at <= MAX_NAME_BYTES]
    whole = text.rstrip("/:")
    if text.isascii():  # fold once for all names
        folded, size = text.lower(), len(whole)
        found = [PrefixCandidate(folded[:at], text[at + 1 :]) for at in ends]
        folded_whole = folded[:size]
    else:
        size, folded_whole = len(whole.encode()), fold(whole)
        short = [at for at in ends if len(text[:at].encode()) <= MAX_NAME_BYTES]
        found = [PrefixCandidate(fold(text[:at]), text[at + 1 :]) for at in short]
    if whole and size <= MAX_NAME_BYTES and len(found) < MAX_CANDIDATES:
        found.append(PrefixCandidate(folded_whole, ""))
    return tuple(found)


def parse_reference(path: str) -> Reference:
    """Return the reference in a percent-encoded path without its leading slash.

    Raises `BadReference` for a bad escape, invalid UTF-8 or a control character, `TooLong` above 2,048 bytes.
    """
    if "%" not in path and path.isascii() and path.isprintable() and len(path) <= MAX_BYTES:
        return Reference.of(path)  # the usual case
    least = -(-len(path) // _MAX_ESCAPE_CHARACTERS)
    if least > MAX_BYTES:
        raise TooLong(least, MAX_BYTES)
    parts = [decode(part) for part in path.split("/")]
    boundaries: list[int] = []
    position = 0
    for part in parts:
        boundaries.extend(position + at for at, symbol in enumerate(part) if symbol == ":")
        position += len(part) + 1
        boundaries.append(position - 1)
    text = "/".join(parts)
    size = len(text.encode())
    if size > MAX_BYTES:
        raise TooLong(size, MAX_BYTES)
    slashes = {at for at, symbol in enumerate(text) if symbol == "/"} if "%2" in path else set()
    encoded = tuple(len(text) - at for at in slashes.difference(boundaries))
    return Reference.split(text, tuple(boundaries[:-1]), encoded)


def is_encoded_whole(parameter: str) -> bool:
    """Return whether a path parameter of the API is the encoding of a whole text, as by `encodeURIComponent`.

    It is if all its slashes are encoded. Then they are slashes of the text, and separate like all others.

    >>> is_encoded_whole("2021%2F06%2Fmp%2Fx"), is_encoded_whole("2021/06/mp/a%2Fb"), is_encoded_whole("mp:x")
    (True, False, False)
    """
    return "/" not in parameter and "%2F" in parameter.upper()


def parse_parameter(parameter: str) -> Reference:
    """Return the reference in a path parameter of the API, with slashes as they are or encoded as a whole.

    Raises the errors of `parse_reference`.

    >>> parse_parameter("2021%2F06%2Fmp%2Fx") == parse_parameter("2021/06/mp/x")
    True
    """
    reference = parse_reference(parameter)
    return Reference.of(reference.text) if is_encoded_whole(parameter) else reference


def decode(part: str) -> str:
    """Decode one part of a path, once. Raises the errors of `parse_reference`."""
    if "%" not in part:
        return require_valid_text(part)
    bad = re.search(r"%(?![0-9A-Fa-f]{2}).{0,2}", part)
    if bad:
        raise BadReference(f"the escape {bad[0]!a} is not a percent sign and two hexadecimal digits".replace("'", ""))
    try:
        text = percent_encoding.decode(part).decode()
    except UnicodeError:
        raise BadReference("the identifier is not valid UTF-8") from None
    return require_valid_text(text)


def is_plain(text: str) -> bool:
    """Return whether a text has no white space, quotes, markup or other characters around an identifier.

    >>> is_plain("go:0006915"), is_plain("(go:0006915)")
    (True, False)
    """
    return re.fullmatch(_PLAIN, text) is not None


def is_dot_segment(part: str) -> bool:
    """Return whether a part of a path is a dot segment, escaped or not (URL Standard); `%2F..` is not one.

    >>> is_dot_segment("."), is_dot_segment("%2e%2E"), is_dot_segment("%2F..")
    (True, True, False)
    """
    return re.fullmatch(r"(?:\.|%2e){1,2}", part, re.IGNORECASE) is not None


def require_sendable(text: str) -> str:
    """Return the text if it is valid and at most `MAX_BYTES` long; else raise `BadReference`."""
    if len(require_valid_text(text).encode()) > MAX_BYTES:
        raise BadReference(f"it is longer than {MAX_BYTES} bytes")
    return text


def require_valid_text(text: str) -> str:
    """Return the text if it has no control characters and lone surrogates; else raise `BadReference`."""
    try:
        text.encode()
    except UnicodeError:
        raise BadReference("the identifier is not valid UTF-8") from None
    control = re.search(_CONTROL, text)
    if control:
        raise BadReference(f"it contains a control character (U+{ord(control[0]):04X})")
    return text
