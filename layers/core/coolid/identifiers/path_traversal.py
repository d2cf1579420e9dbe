r"""Detection of path traversal: whether text that is appended to a URL leaves the URL's path.

Clients remove the segments `.` and `..` from a path before they send it (RFC 3986, section 5.2.4; WHATWG URL Standard,
"path state"). The URL `https://a.example/items/` followed by `../admin` is therefore another page of the same host.
Browsers also read `%2e` as a dot and drop tabs and line breaks. Servers and proxies read `\` and `%5c` as a slash,
cut a segment at `;`, merge slashes and decode more than once. Each of these readings is checked; one that leaves the
path is enough. A query or a fragment ends the path.

Suffix pass-through, `urlappend` and the URL patterns of providers use this module. Identifiers of
providers may have dots that stay below the pattern (`leads_out`). Extensions of this service's own targets may have no
dot segments (`has_dot_segments`, see `coolid.identifiers.target_policy.addition_objection`).

>>> leads_out("https://a.example/items/", "../admin"), leads_out("https://a.example/items/", "x/../y")
(True, False)
>>> has_dot_segments("https://a.example/doc", "/x/%252e/y"), has_dot_segments("https://a.example/doc", "..pdf")
(True, False)
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from coolid.identifiers import percent_encoding

MAX_READINGS: Final = 8
"""An escape may be encoded repeatedly. No chain of servers decodes a path more than seven times."""

_SEPARATOR: Final = re.compile(r"[/\\]")
_END_OF_PATH: Final = re.compile("[?#]")
_END_OF_NAME: Final = re.compile("[;?#]")
_DROPPED: Final = re.compile(r"[\x00-\x20\x7f]")
_ENCODED_DOT: Final = re.compile("%2e", re.IGNORECASE)
"""Browsers read it as a dot, although they do not decode an encoded slash."""


def leads_out(base: str, addition: str) -> bool:
    """Return whether the URL `base` followed by `addition` is outside of the path of `base` in some reading."""
    return any(_rises(tail, segments) for tail, segments in _readings(base, addition))


def has_dot_segments(base: str, addition: str) -> bool:
    """Return whether `base` followed by `addition` has a segment `.` or `..` in some reading.

    Only the last segment of `base` counts, because the addition continues it. An addition that begins with `..` counts,
    too, although it only extends a name: `doc` followed by `../x` is `doc../x`.
    """
    if any(segments[0] == ".." for _, segments in _readings(f"{base}/", addition)):
        return True
    return any(not {".", ".."}.isdisjoint(segments) for _, segments in _readings(base, addition))


def _rises(tail: Sequence[str], segments: Sequence[str]) -> bool:
    """Return whether the segments ever rise above `tail`, with which they begin; some servers merge empty ones."""
    depth, tail_depth = 0, len([name for name in tail if name])
    for name in segments:
        if name == "..":
            depth -= 1
            if depth < tail_depth:
                return True
        elif name not in ("", "."):
            depth += 1
    return False


def _readings(base: str, addition: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Return the segments from the last one of `base` on, undecoded and after each further decoding.

    Each reading is a pair: the segments of the last part of `base`, and those of that part with the addition. There is
    no reading if `base` has a query or a fragment, because the addition is not part of the path then.
    """
    if _END_OF_PATH.search(base):
        return
    tail = base.rpartition("/")[2]
    text = tail + _END_OF_PATH.split(addition, maxsplit=1)[0]
    for _ in range(MAX_READINGS):
        yield _names(tail), _names(text)
        decoded = _decoded(text)
        if decoded == text:
            return
        tail, text = _decoded(tail), decoded


def _names(text: str) -> Sequence[str]:
    """Return the segments of a path without the characters that some clients or servers drop."""
    parts = _SEPARATOR.split(_ENCODED_DOT.sub(".", _DROPPED.sub("", text)))
    return [_END_OF_NAME.split(part, maxsplit=1)[0] for part in parts]


def _decoded(text: str) -> str:
    return percent_encoding.decode(text).decode(errors="replace")
