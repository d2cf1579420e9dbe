"""Parameters of a redirect, as the proxies doi.org and hdl.handle.net take them.

Specification: DOI Handbook, appendix "DOI Proxy Query Command Format". On Handles and DOIs of ours: `noredirect` shows
the values instead of leading to one, `index` and `type` choose among them, `locatt` among the locations by an
attribute, `urlappend` goes to the end of the URL, which stays at the target's origin and below its path. Where others
keep a Handle, what is theirs to understand is handed on. Nothing of this wakes a tombstone.

>>> request = Request("GET", "/", query=(("noredirect", ""), ("utm", "x"), ("urlappend", "?y=1")))
>>> appended(request, "https://a.example/x", ())
'https://a.example/x?y=1'
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import BadReference
from coolid.http.dialects.handle import multiple_locations
from coolid.http.dialects.handle.addresses import prefix_under
from coolid.http.dialects.handle.record_mapping import HandleValue, chosen, documents, shown
from coolid.http.dialects.handle.response_codes import SUCCESS, VALUES_NOT_FOUND
from coolid.http.dialects.handle.values import number_of
from coolid.http.errors import NoSuchForm
from coolid.http.message import Request
from coolid.identifiers import percent_encoding
from coolid.identifiers.target_policy import addition_objection
from coolid.model.prefixes import as_uri, join
from coolid.model.records import format_time
from coolid.resolution.resolver import FoundRecord

PARAMETERS: Final = ("noredirect", "type", "index", "urlappend", "locatt")
MOST_LOCATION: Final = 8_000
"""Bytes of a URL with what is handed on: API Gateway lets pass 10,240 of all headers."""
_REPLACEMENT: Final = "\ufffd"  # what comes of bytes that are no UTF-8, on their way here
_QUERY_KEEPS: Final = "!$'()*,/:;@"


class Values(Struct, frozen=True):
    """That values are to be shown, as the `document` of the Handle API; or the record to people, if `on_a_page`."""

    document: dict[str, Any]
    on_a_page: bool


def narrowed(request: Request, found: FoundRecord, now: datetime) -> FoundRecord | Values:
    """What was found, with those locations only that the request asks for; or that values are to be shown.

    `NoSuchForm` where there is no value of such an index or type; a `locatt` that nothing meets is passed over, as
    proxies do.
    """
    if found.extension or not any(name in PARAMETERS for name, _ in request.query):
        return found
    repository, record = found.prefix.repository, found.record
    indexes = {number_of(text) for text in request.parameters("index")}
    types = request.parameters("type")
    values = chosen(shown(record, repository, prefix_under(found.prefix), now), indexes, types)
    stays = request.parameter("noredirect") is not None
    if stays or (values and (indexes or types) and all(each.location is None for each in values)):
        told = documents(values, repository.ttl_of(record), format_time(record.updated))
        code = SUCCESS if told else VALUES_NOT_FOUND
        handle = join(found.prefix.name, record.id)
        return Values({"responseCode": code, "handle": handle, "values": told}, on_a_page=stays)
    if not values:
        raise NoSuchForm(record.pid, {name: value for name, value in request.query if name in ("index", "type")})
    located = tuple(each for each in values if each.location is not None)
    for written in request.parameters("locatt"):
        located = tuple(each for each in located if _has(each, written)) or located
    places = tuple(each.location for each in located if each.location is not None)
    if not places:
        return found
    # Those that are not good now lead nowhere, but how long this may be kept depends on when they will.
    return replace(found, locations=(*places, *(each for each in found.locations if not each.is_valid_at(now))))


def appended(request: Request, uri: str, domains: Sequence[str]) -> str:
    """Return a target with the request's `urlappend` at its end.

    Raises `BadReference` if that is no part of the target (`coolid.identifiers.target_policy.addition_objection`).
    """
    more = request.parameter("urlappend")
    if not more:
        return uri
    if _REPLACEMENT in more:
        raise BadReference("urlappend cannot be put at the end of the URL: it is not UTF-8")
    addition = as_uri(more)
    reason = addition_objection(uri, addition, domains=domains)
    if reason:
        raise BadReference(f"urlappend cannot be put at the end of the URL: {reason}")
    return uri + addition


def handed_on(uri: str, request: Request) -> str:
    """Where others keep a Handle, with those of our parameters that are theirs; `BadReference` if it gets too long."""
    given = [  # in one order, whatever caches on the way made of the client's (infra/edge.yaml)
        name if value == "" else f"{name}={percent_encoding.encode(value, _QUERY_KEEPS)}"
        for name in PARAMETERS
        for value in request.parameters(name)
    ]
    if not given:
        return uri
    place, hash_sign, fragment = uri.partition("#")
    longer = place + ("&" if "?" in place else "?") + "&".join(given) + hash_sign + fragment
    if len(longer) > MOST_LOCATION:
        raise BadReference(f"with its parameters the URL is longer than {MOST_LOCATION} bytes")
    return longer


def _has(each: HandleValue, written: str) -> bool:
    """Whether a location has an attribute, given as `name:value`, in any case."""
    name, _, value = written.lower().partition(":")
    if each.location is None:
        return False
    told = multiple_locations.attributes(each.value.index, each.location)
    return value != "" and told.get(name.strip(), "").lower() == value.strip()
