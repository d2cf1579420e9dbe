"""Conversion of an identifier as typed into the URL of a resolution request, or into a path of the management API.

Specification: the LinkID draft, revision 00, "URI Scheme Definition" (`lid:<id>[?<parameters>]`) and "Resolution
Request" (`GET /resolve/<id>?<parameters>`). Other identifiers are requested in the same way, with their prefix.

>>> request = read("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf&lang=en", {"lang": "de"})
>>> url_at("https://resolver.linkid.org/resolve/{id}", request)
'https://resolver.linkid.org/resolve/b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf&lang=de'
>>> url_at("https://id.example.org/resolve/{id}", read("doi:10.1002/a<b c"))
'https://id.example.org/resolve/doi:10.1002/a%3Cb%20c'

In the management API, `{pid}` is any spelling that resolves, with literal slashes. A URL is reduced to its path, whose
escapes stay; other text is percent-encoded. The host of another service's URL is kept, because a record of a different
host is not the intended one.

>>> pid_of("https://id.example.org/2021/06/mp/tw0t-ywdj-94?version=2", "https://id.example.org").path
'2021/06/mp/tw0t-ywdj-94'
>>> pid_of("demo:a b%2Fc", "https://id.example.org").path
'demo:a%20b%252Fc'
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

import can_ada

from coolid.client.errors import RefusedByClient
from coolid.client.url_policy import checked, parse_pid_url
from coolid.errors import BadReference, TooLong
from coolid.identifiers.schemes import lid
from coolid.model.prefixes import PATH_SAFE, as_path
from coolid.recognition.unwrap import reference_after_resolve, unwrap
from coolid.registry.references import MAX_BYTES, Reference, decode, is_dot_segment, parse_reference, require_valid_text

PARAMETERS: Final = ("format", "lang", "version", "provider", "strict")
ID: Final = "{id}"

_NO_PARAMETERS: Final[Mapping[str, str | None]] = MappingProxyType({})
_URL: Final = re.compile("(?i:https?)://")
_LENIENT_URL: Final = re.compile("(?i:https?):/{1,2}")
_PARAMETERS: Final = re.compile(rf"(?:{'|'.join(PARAMETERS)})=[^&]*(?:&(?:{'|'.join(PARAMETERS)})=[^&]*)*")
_INFLECTIONS: Final = ("?", "info")


@dataclass(frozen=True, slots=True)
class ResolutionRequest:
    """A readable `id`, its percent-encoded `path`, and the decoded `parameters`.

    `inflection` is the query that requests an ARK's metadata (`??`, `?info`); `domain` is the host in the text.
    """

    id: str
    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    inflection: str = ""
    domain: str | None = None


def read(text: str, overrides: Mapping[str, str | None] = _NO_PARAMETERS) -> ResolutionRequest:
    """Parse a text. `overrides` replace parameters of the same name. Raises `BadReference` or `TooLong`."""
    bare = require_valid_text(unwrap(text, is_decoded=True).bare)
    is_url = _URL.match(bare) is not None
    identifier, query = _split(bare, is_url=is_url)
    domain = None
    if is_url:
        path, domain = _path_of_url(identifier)
        identifier = decode(path)
    else:
        identifier = _without_label(identifier)
        path = as_path(identifier)
    if not identifier.strip("/"):
        raise BadReference("it has no identifier")
    size = len(identifier.encode())
    if size > MAX_BYTES:
        raise TooLong(size, MAX_BYTES)
    if any(part in (".", "..") for part in identifier.split("/")):
        raise BadReference("a part of it is . or .., which no URL can carry")
    requested = {name: value for name, value in overrides.items() if value is not None}
    written = () if query in _INFLECTIONS else parse_qsl(query, keep_blank_values=True)
    parameters = (*(pair for pair in written if pair[0] not in requested), *requested.items())
    return ResolutionRequest(identifier, path, parameters, query if query in _INFLECTIONS else "", domain)


def template_of(endpoint: str) -> str:
    """Return the template of a resolver's endpoint; without `{id}`, the draft's `/resolve/{id}` is appended.

    Raises `RefusedByClient` if the identifier would not have path segments of its own.

    >>> template_of("https://resolver.linkid.org/")
    'https://resolver.linkid.org/resolve/{id}'
    >>> template_of("https://id.example.org/resolve")
    'https://id.example.org/resolve/{id}'
    """
    if "?" in endpoint or "#" in endpoint:
        raise RefusedByClient("the endpoint of a resolver has no query and no fragment")
    start, placeholder, end = endpoint.replace("{+id}", ID).partition(ID)
    if not placeholder:
        start = start.rstrip("/") + ("/" if start.rstrip("/").endswith("/resolve") else "/resolve/")
    if not start.endswith("/") or "{" in end:
        raise RefusedByClient("the identifier has no part of the endpoint's path to itself")
    return checked(start) + ID + end


def url_at(template: str, request: ResolutionRequest) -> str:
    """Return the URL of the request at a resolver. Raises `RefusedByClient` if it is too long."""
    query = request.inflection or urlencode(request.parameters, quote_via=quote)
    return checked(template.replace(ID, request.path) + (f"?{query}" if query else ""))


@dataclass(frozen=True, slots=True)
class Pid:
    """The percent-encoded `path` of a PID, and the `host` of its URL if that is not the service's own."""

    path: str
    host: str | None = None

    def is_of(self, pid: object) -> bool:
        """Return whether the canonical `pid` of a record agrees with the host."""
        return self.host is None or (isinstance(pid, str) and _host(pid) == self.host)


def pid_of(text: str, base_url: str) -> Pid:
    """Return the PID that a text names at the service at `base_url`. Raises `BadReference` or `TooLong`."""
    unwrapped = unwrap(require_valid_text(text.strip()), base_url, is_decoded=True)
    host = None
    if unwrapped.text != unwrapped.bare:
        path = quote(unwrapped.text, safe=PATH_SAFE + "%")
    elif _LENIENT_URL.match(unwrapped.bare):
        path, host = _path_and_host(unwrapped.bare)
    else:
        path = as_path(unwrapped.bare)
    path = path.lstrip("/")
    reference = parse_reference(path)
    if not reference.text.strip("/"):
        raise BadReference("it has no identifier")
    if any(map(is_dot_segment, path.split("/"))):
        raise BadReference("a part of it is . or .., which no URL can carry")
    return Pid(path, host)


def _split(bare: str, *, is_url: bool) -> tuple[str, str]:
    """Return identifier and query. A question mark without parameters after it belongs to the identifier."""
    identifier, _, query = bare.partition("?")
    if is_url:
        query = query.partition("#")[0]
        pairs = [pair for pair in query.split("&") if _PARAMETERS.fullmatch(pair)]
        return identifier.partition("#")[0], query if query in _INFLECTIONS else "&".join(pairs)
    if identifier != _without_label(identifier) or query in _INFLECTIONS or _PARAMETERS.fullmatch(query):
        return identifier, query
    return bare, ""


def _path_of_url(url: str) -> tuple[str, str | None]:
    """Return the encoded path of the identifier in a URL, and the host at which to discover its resolver."""
    unwrapped = unwrap(url)
    if unwrapped.text != unwrapped.bare:
        return as_path(_without_label(unwrapped.text)), None
    parsed = parse_pid_url(url)
    if parsed.pathname.startswith("/resolve/"):
        inside = parsed.pathname.removeprefix("/resolve/")
        return _without_label(inside), parsed.host
    return quote(url, safe=PATH_SAFE + "%"), parsed.host


def _without_label(identifier: str) -> str:
    """Return the decoded `<id>` of a `lid:` URI (its escapes are equivalent, RFC 3986), or other text unchanged."""
    return decode(identifier[len(lid.LABEL) :]) if identifier[: len(lid.LABEL)].lower() == lid.LABEL else identifier


def _path_and_host(url: str) -> tuple[str, str]:
    parsed = parse_pid_url(url)
    path = parsed.pathname.lstrip("/")
    inner = path.removeprefix("resolve/")
    return (path if inner == path else reference_after_resolve(Reference.of(inner)).text), parsed.host


def _host(url: str) -> str | None:
    try:
        return can_ada.parse(url).host or None
    except ValueError:
        return None
