"""What a client would like to get, read from its request: `Accept`, `Accept-Language` (RFC 9110, sections 12.5.1 and
12.5.4), `?lang=`, `?version=`; `?format=` is read by `coolid.http.format_parameter`. What it then gets is
`coolid.resolution.content_negotiation`'s to choose.

>>> wishes_of(Request("GET", "/", query=(("version", "2"),), headers={"accept-language": "de-CH, en;q=0.7"}))
ClientPreferences(types=None, languages=(('de-ch', 1.0), ('en', 0.7)), media_type=None, language=None, version='2')
>>> choose_format("application/json;q=0, */*", ("application/json", "text/html"))
'text/html'
>>> choose_format("image/png", ("text/html",)) is None
True
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from msgspec.structs import replace

from coolid.http.message import Request
from coolid.http.tokens import LANGUAGE, MEDIA_TYPE, TOKEN
from coolid.resolution.content_negotiation import ClientPreferences, best_offer

JSON = "application/json"
HTML = "text/html"

MOST_RANGES: Final = 50
"""How many elements of `Accept` and of `Accept-Language` are looked at; browsers send ten."""

_NO_WISH: Final = ("", "*", "*/*")
# Patterns are compiled when they are needed: not for a program that takes anything.
_TOKEN: Final = f"(?>{TOKEN})"
_MEDIA_RANGE: Final = rf"(?s)\*|(?:\*/\*|(?!\*){_TOKEN}/{_TOKEN})(?:[ \t]*;.*)?"
_LANGUAGE_RANGE: Final = rf"\*|(?>{LANGUAGE})"
_FORMAT: Final = rf"{MEDIA_TYPE}(?:;.*)?"

# An element up to its comma, over commas in quotes. An unclosed quote ends it too.
_ELEMENT: Final = r'(?s)(?:[^",]++|"(?:[^"\\]++|\\.)*+")*+'
# The elements that nearly all clients send: a range, parameters without quotes, a weight.
_PLAIN: Final = (
    rf"(?ai)({_TOKEN}(?:/{_TOKEN})?(?:[ \t]*+;[ \t]*+(?!q=)[\w.+-]++=[\w.+-]++)*+)"
    r"(?:[ \t]*+;[ \t]*+q=(0(?:\.\d*)?|1(?:\.0*)?|\.\d+))?"
)
# What stands between the semicolons of any other element, but for those in quotes; and what a weight looks like.
_PART: Final = r'(?s)(?:[^";]++|"(?:[^"\\]++|\\.)*+")++'
_WEIGHT: Final = r"(?a)0(?:\.\d*)?|1(?:\.0*)?|\.\d+"

# Those of our users' formats that Python's table lacks, or has otherwise in some releases.
_MEDIA_TYPES: Final = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip",
    "flac": "audio/flac",
    "geojson": "application/geo+json",
    "gz": "application/gzip",
    "jp2": "image/jp2",
    "js": "text/javascript",
    "md": "text/markdown",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "parquet": "application/vnd.apache.parquet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rdf": "application/rdf+xml",
    "rtf": "application/rtf",
    "warc": "application/warc",
    "wav": "audio/wav",
    "webp": "image/webp",
    "xhtml": "application/xhtml+xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}


def wishes_of(request: Request, media_type: str | None = None) -> ClientPreferences:
    """What the request says of locations and of types of metadata; what cannot be read says nothing.

    `media_type` is the one that its `?format=` demands of a location.
    """
    language, version = request.parameter("lang"), request.parameter("version")
    preferences = _preferences(request.header("accept") or "", request.header("accept-language") or "")
    if not (media_type or language or version):
        return preferences
    return replace(
        preferences,
        media_type=media_type,
        language=language.lower() if language else None,
        version=version or None,
    )


@lru_cache(maxsize=64)
def _preferences(accept: str, accept_language: str) -> ClientPreferences:
    """What the headers say alone; kept, because most clients send one of a few."""
    return ClientPreferences(
        types=_media_ranges(accept) or None, languages=_ranges(accept_language, _LANGUAGE_RANGE) or None
    )


def media_type_of(format: str) -> str | None:  # noqa: A002 - the parameter is called so
    """The media type that a `?format=` means: one by its name, or that of a file extension; None if it is neither.

    A `+` that was not percent-encoded arrives as a space.

    >>> media_type_of("PDF"), media_type_of("image/svg xml"), media_type_of("nonsense")
    ('application/pdf', 'image/svg+xml', None)
    """
    essence, separator, parameters = format.strip().lower().partition(";")
    name = essence.strip().replace(" ", "+") + separator + parameters
    if "/" in name:
        return name if re.fullmatch(_FORMAT, name) else None
    if name in _MEDIA_TYPES:
        return _MEDIA_TYPES[name]
    from mimetypes import MimeTypes

    # Without files: the table that Python brings, the same on every machine.
    common, registered = MimeTypes(filenames=()).types_map
    return registered.get(f".{name}") or common.get(f".{name}")


def choose_format(accept: str | None, offers: Sequence[str]) -> str | None:
    """The offer that the client likes best, None if it excludes them all; without the header, or with `*/*`, the first.

    Among equals as `coolid.resolution.content_negotiation.best_offer` says.
    """
    if accept is None or accept.strip(" ,") in _NO_WISH:
        return offers[0]
    return best_offer(offers, _media_ranges(accept))


def prefers_html(accept: str | None) -> bool:
    """Whether a page serves this client better than JSON: it names HTML, as browsers do."""
    return accept is not None and HTML in accept.lower() and choose_format(accept, (JSON, HTML)) == HTML


@lru_cache(maxsize=64)
def _media_ranges(header: str) -> tuple[tuple[str, float], ...]:
    """The media ranges of `Accept`, mostly one of a few; `*` stands for all, as Java's own client means it."""
    if header == "*/*":
        return (("*/*", 1.0),)
    return tuple(("*/*" if text == "*" else text, weight) for text, weight in _ranges(header, _MEDIA_RANGE))


def _ranges(header: str, shape: str) -> tuple[tuple[str, float], ...]:
    """The ranges that a header lists, lower case, in its order, with their weights; those out of shape are left out."""
    found = (_element(text) for text in islice(_elements(header), MOST_RANGES))
    return tuple((text, weight) for text, weight in found if re.fullmatch(shape, text))


def _elements(header: str) -> Iterator[str]:
    """What stands between a header's commas, up to a quote that is never closed.

    >>> list(_elements('a/b;p="x,y", , c/d, e/f;p="z'))
    ['a/b;p="x,y"', 'c/d']
    """
    shape, start = re.compile(_ELEMENT), 0
    while start < len(header):
        match = shape.match(header, start)
        assert match is not None  # at least nothing matches
        if header.startswith('"', match.end()):
            return
        element = match.group().strip(" \t")
        if element:
            yield element
        start = match.end() + 1


def _element(text: str) -> tuple[str, float]:
    """A range, lower case, and its weight; an empty range if the weight is none.

    >>> _element("Text/HTML;q=0.5"), _element('a/b; c="d, e";q=0.1'), _element("text/html;q=2")
    (('text/html', 0.5), ('a/b; c="d, e"', 0.1), ('', 0.0))
    """
    plain = re.fullmatch(_PLAIN, text)
    if plain:
        return plain[1].lower(), float(plain[2] or 1)
    kept: list[str] = []
    weight = "1"
    for part in re.findall(_PART, text):
        name, _, value = part.partition("=")
        if not kept or name.strip(" \t").lower() != "q":
            kept.append(part.strip(" \t"))
        elif re.fullmatch(_WEIGHT, value):
            weight = value
        else:
            return "", 0.0
    return "; ".join(kept).lower(), float(weight)
