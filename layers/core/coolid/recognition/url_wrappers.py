"""URLs that contain other URLs: proxies of libraries, archives, redirects of search engines, mail filters and logins.

URLs are parsed as browsers parse them (WHATWG URL Standard).

>>> replaced_url(parse_url("https://www-nature-com.ezproxy.example.edu/articles/nature12373"))
'https://www.nature.com/articles/nature12373'
>>> replaced_url(parse_url("https://web.archive.org/web/20200101id_/http://example.org/?x=1"))
'http://example.org/?x=1'
>>> parameter_urls(parse_url("https://proxy.example.edu/login?url=https%3A%2F%2Fexample.org%2F%3Fx%3D1"))
('https://example.org/?x=1',)
"""

import re
from typing import Final
from urllib.parse import parse_qsl

import can_ada

from coolid.identifiers import percent_encoding

_EMBEDDED: Final = re.compile(r"(?i)(?:^|[/:_])(https?):?/{1,2}(?=[^/?#]*[^/?#.][.][^/?#.])")
_ARCHIVED: Final = re.compile(r"/web/[0-9*]+(?:[a-z]{2}_)?/((?!https?:)[^/]+[.][^/]+/.*)")
_CACHED: Final = re.compile(r"cache:(?:[\w-]+:)?(?=https?://)")
_SEMICOLON: Final = re.compile(r";(?=\w+=)")
_URL: Final = re.compile(r"(?i)https?://\S+")
_OTHER_PARAMETERS: Final = re.compile(r"(?i)ref|referr?er|origin|source|src|utm_.*|via|from|parent|sameas")
"""Parameters whose URL is where the visitor came from."""
_HYPHENATED: Final = re.compile(r"(?i)[a-z0-9]+(?:--?[a-z0-9]+)+")
_PROXY: Final = re.compile(r"(?i)[a-z0-9-]*(?:proxy|proksi|remote|openathens|vpn|lib|oclc|idm)[a-z0-9-]*|ez|rp")
_MAX_DECODINGS: Final = 3
_MAX_HOST: Final = 253  # characters (RFC 1035, section 2.3.4)


def parse_url(text: str) -> can_ada.URL | None:
    """Return the parsed URL of a text with `http` or `https`, or None if a browser would accept none."""
    try:
        parsed = can_ada.parse(text)
    except ValueError:  # including UnicodeError
        return None
    is_usual = parsed.protocol in ("http:", "https:") and len(parsed.hostname) <= _MAX_HOST
    return parsed if is_usual and not parsed.username else None


def parameters_of(url: can_ada.URL) -> list[tuple[str, str]]:
    """Return the decoded query parameters."""
    return parse_qsl(_SEMICOLON.sub("&", url.search.removeprefix("?")), keep_blank_values=True)


def replaced_url(url: can_ada.URL) -> str | None:
    """Return the URL that a proxy or archive returns at this URL, or None for other hosts."""
    embedded = _embedded(url)
    host = _host_behind_proxy(url.hostname) if embedded is None else None
    return f"https://{host}{url.pathname}{url.search}{url.hash}" if host else embedded


def parameter_urls(url: can_ada.URL) -> tuple[str, ...]:
    """Return the URLs in the query that the visitor is sent to."""
    found: dict[str, None] = {}
    for name, value in parameters_of(url):
        inner = _without_mail_filter(_CACHED.sub("", value))
        if _URL.fullmatch(inner) and not _OTHER_PARAMETERS.fullmatch(name):
            # A proxy's parameter is often not encoded, and then contains all that follows.
            found[url.search[url.search.index(inner) :] if "?" in inner and inner in url.search else inner] = None
    return tuple(found)


def _embedded(url: can_ada.URL) -> str | None:
    """Return the URL in a path, which can be encoded more than once."""
    path = url.pathname
    archived = _ARCHIVED.match(path) if url.hostname.endswith("archive.org") else None
    if archived:
        return f"https://{archived[1]}{url.search}{url.hash}"
    for _ in range(_MAX_DECODINGS):
        match = _EMBEDDED.search(path, 1)
        if match:
            inner = f"{match[1].lower()}://{path[match.end() :]}"
            # Proofpoint URL Defense marks the end.
            return inner.partition("__;")[0] if "/v3/__" in path else inner + url.search + url.hash
        path = percent_encoding.decode(path).decode(errors="replace") if "%" in path else ""
    return None


def _without_mail_filter(value: str) -> str:
    """Return the URL in the second form of Proofpoint URL Defense, or the same text."""
    if not re.match("https?-3A__", value):
        return value
    return re.sub("-([0-9A-F]{2})", lambda escape: chr(int(escape[1], 16)), value.replace("_", "/"))


def _host_behind_proxy(host: str) -> str | None:
    """Return the host that a proxy's host stands for: `www-nature-com.proxy.example.edu`, `nature.com.ezproxy.…`."""
    first, _, rest = host.removeprefix("0-").partition(".")
    is_proxy = host.startswith("0-") or first.startswith("www-") or any(map(_PROXY.fullmatch, rest.split(".")[:-1]))
    if _HYPHENATED.fullmatch(first) and "." in rest and is_proxy:
        return first.replace("--", "\0").replace("-", ".").replace("\0", "-")
    labels = [first, *rest.split(".")]
    ends = (count for count in range(2, len(labels) - 1) if _PROXY.fullmatch(labels[count]))
    return next((".".join(labels[:count]) for count in ends), None)
