"""Client preferences, parsed from `Accept`, `Accept-Language` (RFC 9110, sections 12.5.1 and 12.5.4), `?lang=` and
`?version=`. See `coolid.http.parameters` for `?format=`, `coolid.resolution.content_negotiation` for the choice.

>>> client_preferences(Request("GET", "/", query=(("version", "2"),), headers={"accept-language": "de-CH, en;q=0.7"}))
ClientPreferences(types=None, languages=(('de-ch', 1.0), ('en', 0.7)), media_type=None, language=None, version='2')
>>> choose_format("application/json;q=0, */*", ("application/json", "text/html"))
'text/html'
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from string import ascii_letters, digits
from typing import Final

from msgspec.structs import replace

from coolid.http.message import MEDIA_TYPE, Request
from coolid.resolution.content_negotiation import ClientPreferences, best_offer

JSON = "application/json"
HTML = "text/html"

MAX_RANGES: Final = 50
"""The number of elements read of `Accept` and of `Accept-Language`; browsers send ten."""

_TOKEN: Final = f"!#$%&'*+.^_`|~-{ascii_letters}{digits}"  # RFC 9110, section 5.6.2
_MAX_TAG: Final = 8
_FORMAT: Final = rf"{MEDIA_TYPE}(?:;.*)?"

# The headers of nearly all clients have no quotes. They need none of these patterns, whose compilation takes time.
# An element up to its comma; commas in quotes do not end it, an unclosed quote does.
_ELEMENT: Final = r'(?s)(?:[^",]++|"(?:[^"\\]++|\\.)*+")*+'
# The parts of an element, between semicolons that are not in quotes.
_PART: Final = r'(?s)(?:[^";]++|"(?:[^"\\]++|\\.)*+")++'

# Common formats that Python's table lacks or that differ between its releases.
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


def client_preferences(request: Request, media_type: str | None = None) -> ClientPreferences:
    """Return the well-formed preferences; `media_type` is the type that `?format=` requires of a location."""
    language, version = request.parameter("lang"), request.parameter("version")
    headers = request.headers
    preferences = parse_preferences(headers.get("accept") or "", headers.get("accept-language") or "")
    if not (media_type or language or version):
        return preferences
    return replace(
        preferences,
        media_type=media_type,
        language=language.lower() if language else None,
        version=version or None,
    )


@lru_cache(maxsize=64)
def parse_preferences(accept: str, accept_language: str) -> ClientPreferences:
    """Return the preferences in the headers; cached, because most clients send one of a few values."""
    return ClientPreferences(
        types=_media_ranges(accept) or None, languages=_ranges(accept_language, _is_language_range) or None
    )


def media_type_of(format: str) -> str | None:  # noqa: A002 - the parameter is called so
    """Return the media type of a `?format=` value, a media type or file extension; None if it is neither.

    A `+` that was not percent-encoded arrives as a space.
    """
    essence, separator, parameters = format.strip().lower().partition(";")
    name = essence.strip().replace(" ", "+") + separator + parameters
    if "/" in name:
        return name if re.fullmatch(_FORMAT, name) else None
    if name in _MEDIA_TYPES:
        return _MEDIA_TYPES[name]
    from mimetypes import MimeTypes

    # Without files, only Python's own table is used, so that every machine gives the same result.
    common, registered = MimeTypes(filenames=()).types_map
    return registered.get(f".{name}") or common.get(f".{name}")


def choose_format(accept: str | None, offers: Sequence[str]) -> str | None:
    """Return the best offer, None if all are excluded, the first without a preference. See `best_offer`."""
    if accept is None or accept.strip(" ,") in ("", "*", "*/*"):
        return offers[0]
    return best_offer(offers, _media_ranges(accept))


def prefers_html(accept: str | None) -> bool:
    """Return whether the client prefers HTML to JSON and names it, as browsers do."""
    return accept is not None and HTML in accept.lower() and choose_format(accept, (JSON, HTML)) == HTML


@lru_cache(maxsize=64)
def _media_ranges(header: str) -> tuple[tuple[str, float], ...]:
    """Return the media ranges of `Accept` with their weights; `*`, which Java's client sends, means `*/*`."""
    if header == "*/*":
        return (("*/*", 1.0),)
    return tuple(("*/*" if text == "*" else text, weight) for text, weight in _ranges(header, _is_media_range))


def _ranges(header: str, is_valid: Callable[[str], bool]) -> tuple[tuple[str, float], ...]:
    """Return the ranges of a header, in lower case and order, with their weights; malformed ones are left out."""
    elements = (_element(text) for text in islice(_elements(header), MAX_RANGES))
    return tuple((text, weight) for text, weight in elements if is_valid(text))


def _is_media_range(text: str) -> bool:
    """Return whether a range without its weight is one of `Accept`, perhaps with parameters, or `*`."""
    essence, parameters, _ = text.partition(";")
    kind, slash, subtype = essence.rstrip(" \t").partition("/")
    if kind == "*":
        return subtype == "*" or not (slash or parameters)
    return not kind.startswith("*") and _is_token(kind) and _is_token(subtype)


def _is_language_range(text: str) -> bool:
    """Return whether a range is one of `Accept-Language`."""
    tags = text.split("-")  # RFC 4647, section 2.1
    return text == "*" or (
        text.isascii() and tags[0].isalpha() and all(tag.isalnum() and len(tag) <= _MAX_TAG for tag in tags)
    )


def _is_token(text: str) -> bool:
    return bool(text) and not text.strip(_TOKEN)


def _elements(header: str) -> Iterator[str]:
    """Yield the elements between a header's commas, up to an unclosed quote."""
    if '"' not in header:
        yield from filter(None, [element.strip(" \t") for element in header.split(",")])
        return
    element_pattern, start = re.compile(_ELEMENT), 0
    while start < len(header):
        match = element_pattern.match(header, start)
        assert match is not None  # the pattern matches the empty string
        if header.startswith('"', match.end()):
            return
        element = match.group().strip(" \t")
        if element:
            yield element
        start = match.end() + 1


def _element(text: str) -> tuple[str, float]:
    """Return a range in lower case and its weight; an empty range if the weight is malformed."""
    parts: list[str] = []
    weight = 1.0
    for part in re.findall(_PART, text) if '"' in text else filter(None, text.split(";")):
        name, _, value = part.partition("=")
        if not parts or name.strip(" \t").lower() != "q":
            parts.append(part.strip(" \t"))
        elif (weight := _weight(value)) < 0:
            return "", 0.0
    return "; ".join(parts).lower(), weight


def _weight(text: str) -> float:
    """Return a weight of 0 to 1 with any number of decimals, or -1 if it is malformed."""
    whole, _, decimals = text.partition(".")
    if whole not in ("", "0", "1") or decimals.strip(digits) or text in ("", "."):
        return -1.0
    weight = float(text)
    return weight if weight <= 1 else -1.0
