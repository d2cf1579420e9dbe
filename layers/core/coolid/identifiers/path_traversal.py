r"""Path traversal: whether text that is added to a URL leads out of the path that the URL names.

Clients remove the segments `.` and `..` from a path before they send it (RFC 3986, section 5.2.4; WHATWG URL Standard,
"path state"). The URL `https://a.example/items/` followed by `../admin` is therefore another page of the same host.
Browsers also take `%2e` for a dot and drop tabs and line breaks. Servers and proxies take `\` and `%5c` for a slash,
cut a segment at `;`, merge slashes and decode more than once. A path is judged in each of these readings, and the
reading that leads furthest up decides. A query or a fragment has no segments: both end the path.

Suffix pass-through, `urlappend` and the URL patterns of providers use this module. Providers get identifiers of others,
whose dots are harmless as long as they stay below the pattern (`leads_out`). What extends one of our own targets needs
no dot segments at all (`has_dot_segments`, see `coolid.identifiers.target_policy.addition_objection`).

>>> leads_out("https://a.example/items/", "../admin"), leads_out("https://a.example/items/", "x/../y")
(True, False)
>>> leads_out("https://a.example/ark:", "12345/../x"), leads_out("https://a.example/?q=", "../x")
(True, False)
>>> has_dot_segments("https://a.example/doc", "/x/%252e/y"), has_dot_segments("https://a.example/doc", "..pdf")
(True, False)
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from coolid.identifiers import percent_encoding

MOST_READINGS: Final = 8
"""An escape may be encoded again and again. No chain of servers decodes a path more than seven times."""

_DOTS: Final = (".", "..")
_SEPARATOR: Final = re.compile(r"[/\\]")
_END_OF_PATH: Final = re.compile("[?#]")
_END_OF_NAME: Final = re.compile("[;?#]")
_DROPPED: Final = re.compile(r"[\x00-\x20\x7f]")
_ENCODED_DOT: Final = re.compile("%2e", re.IGNORECASE)
"""Browsers take it for a dot even where they leave an encoded slash alone."""


def leads_out(base: str, addition: str) -> bool:
    """Return whether the URL `base` followed by `addition` is outside of the path of `base` in some reading."""
    return any(_rises(tail, segments) for tail, segments in _readings(base, addition))


def has_dot_segments(base: str, addition: str) -> bool:
    """Return whether `base` followed by `addition` has a segment `.` or `..` in some reading.

    Of `base`, only the last segment counts, because the addition continues it. An addition that begins with a segment
    `..` of its own counts, too, although it only makes a name longer: `doc` followed by `../x` is `doc../x`.
    """
    if any(segments[0] == ".." for _, segments in _readings(f"{base}/", addition)):
        return True
    return any(not set(_DOTS).isdisjoint(segments) for _, segments in _readings(base, addition))


def _rises(tail: Sequence[str], segments: Sequence[str]) -> bool:
    """Return whether the segments, which begin with those of `tail`, leave the tail at some point.

    Empty segments count for nothing, because some servers merge slashes.
    """
    depth, least = 0, len([name for name in tail if name])
    for name in segments:
        if name == "..":
            depth -= 1
            if depth < least:
                return True
        elif name not in ("", "."):
            depth += 1
    return False


def _readings(base: str, addition: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Return the names of the segments from the last one of `base` on, as they are and after each further decoding.

    Each reading has the segments of the last part of `base` alone, and those of that part with the addition. There is
    no reading if `base` has a query or a fragment, because the addition is no part of the path then.
    """
    if _END_OF_PATH.search(base):
        return
    tail = base.rpartition("/")[2]
    text = tail + _END_OF_PATH.split(addition, maxsplit=1)[0]
    for _ in range(MOST_READINGS):
        yield _names(tail), _names(text)
        decoded = _decoded(text)
        if decoded == text:
            return
        tail, text = _decoded(tail), decoded


def _names(text: str) -> Sequence[str]:
    """Return the segments of a path without what some clients or servers leave out of them."""
    parts = _SEPARATOR.split(_ENCODED_DOT.sub(".", _DROPPED.sub("", text)))
    return [_END_OF_NAME.split(part, maxsplit=1)[0] for part in parts]


def _decoded(text: str) -> str:
    return percent_encoding.decode(text).decode(errors="replace")
