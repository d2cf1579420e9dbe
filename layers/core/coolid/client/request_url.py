"""Asking: from what a user types to the URL of a resolution request.

Specification: the LinkID draft, "URI Scheme Definition" (`lid:<id>[?<parameters>]`) and "Resolution Request"
(`GET /resolve/<id>?<parameters>`). Other identifiers go the same way, under the names that they have.

>>> question = read("lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf&lang=en", {"lang": "de"})
>>> url_at("https://resolver.linkid.org/resolve/{id}", question)
'https://resolver.linkid.org/resolve/b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14?format=pdf&lang=de'
>>> url_at("https://id.example.org/resolve/{id}", read("doi:10.1002/a<b c"))
'https://id.example.org/resolve/doi:10.1002/a%3Cb%20c'
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

import can_ada

from coolid.client.errors import RefusedByClient
from coolid.client.url_policy import checked
from coolid.errors import BadReference, TooLong
from coolid.identifiers.schemes import lid
from coolid.model.prefixes import PATH_KEEPS, as_path
from coolid.recognition.unwrap import unwrap
from coolid.registry.references import MOST_BYTES, decode
from coolid.registry.references import checked as readable

PARAMETERS: Final = ("format", "lang", "version", "provider", "strict")
ID: Final = "{id}"

_NO_WISHES: Final[Mapping[str, str | None]] = MappingProxyType({})
_URL: Final = re.compile("(?i:https?)://")
_WISHES: Final = re.compile(rf"(?:{'|'.join(PARAMETERS)})=[^&]*(?:&(?:{'|'.join(PARAMETERS)})=[^&]*)*")
_INFLECTIONS: Final = ("?", "info")


@dataclass(frozen=True, slots=True)
class ResolutionRequest:
    """What is asked for: the `id` as people write it, its percent-encoded `path`, the decoded `parameters`.

    `inflection` is the query of an ARK that asks for metadata (`??`, `?info`); `domain` is where the text says that
    its resolver is.
    """

    id: str
    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    inflection: str = ""
    domain: str | None = None


def read(text: str, wishes: Mapping[str, str | None] = _NO_WISHES) -> ResolutionRequest:
    """Read a text; `wishes` are parameters by name that win over the text's. Raises `BadReference`, `TooLong`."""
    bare = readable(unwrap(text, is_decoded=True).bare)
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
    if size > MOST_BYTES:
        raise TooLong(size, MOST_BYTES)
    if any(part in (".", "..") for part in identifier.split("/")):
        raise BadReference("a part of it is . or .., which no URL can carry")
    asked = {name: value for name, value in wishes.items() if value is not None}
    said = () if query in _INFLECTIONS else parse_qsl(query, keep_blank_values=True)
    parameters = (*(pair for pair in said if pair[0] not in asked), *asked.items())
    return ResolutionRequest(identifier, path, parameters, query if query in _INFLECTIONS else "", domain)


def template_of(endpoint: str) -> str:
    """The template of a resolver's endpoint: as it is with `{id}`, or with the draft's `/resolve/` behind it.

    Raises `RefusedByClient` where the identifier would not stand in the path.

    >>> template_of("https://resolver.linkid.org/")
    'https://resolver.linkid.org/resolve/{id}'
    >>> template_of("https://id.example.org/resolve")
    'https://id.example.org/resolve/{id}'
    """
    if "?" in endpoint or "#" in endpoint:
        raise RefusedByClient("the endpoint of a resolver has no query and no fragment")
    start, found, end = endpoint.replace("{+id}", ID).partition(ID)
    if not found:
        start = start.rstrip("/") + ("/" if start.rstrip("/").endswith("/resolve") else "/resolve/")
    if not start.endswith("/") or "{" in end:
        raise RefusedByClient("the identifier has no part of the endpoint's path to itself")
    return checked(start) + ID + end


def url_at(template: str, question: ResolutionRequest) -> str:
    """The URL of the request at a resolver; `RefusedByClient` if it would be too long."""
    query = question.inflection or urlencode(question.parameters, quote_via=quote)
    return checked(template.replace(ID, question.path) + (f"?{query}" if query else ""))


def _split(bare: str, *, is_url: bool) -> tuple[str, str]:
    """The identifier, and the parameters behind it; a question mark that begins none belongs to the identifier."""
    identifier, _, query = bare.partition("?")
    if is_url:
        query = query.partition("#")[0]
        wishes = [pair for pair in query.split("&") if _WISHES.fullmatch(pair)]
        return identifier.partition("#")[0], query if query in _INFLECTIONS else "&".join(wishes)
    if identifier != _without_label(identifier) or query in _INFLECTIONS or _WISHES.fullmatch(query):
        return identifier, query
    return bare, ""


def _path_of_url(url: str) -> tuple[str, str | None]:
    """The encoded path of the identifier that a URL has inside, and the host that may know its resolver."""
    unwrapped = unwrap(url)
    if unwrapped.text != unwrapped.bare:
        return as_path(_without_label(unwrapped.text)), None
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        raise BadReference("it is no URL that a browser would accept") from None
    if parsed.username or parsed.password:
        raise BadReference("it is a URL with credentials")
    if parsed.pathname.startswith("/resolve/"):
        inside = parsed.pathname.removeprefix("/resolve/")
        return _without_label(inside), parsed.host
    return quote(url, safe=PATH_KEEPS + "%"), parsed.host


def _without_label(identifier: str) -> str:
    """The draft's `<id>` is what stands behind `lid:`; escapes in that URI are of the same characters (RFC 3986)."""
    return decode(identifier[len(lid.LABEL) :]) if identifier[: len(lid.LABEL)].lower() == lid.LABEL else identifier
