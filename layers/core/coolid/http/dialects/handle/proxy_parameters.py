"""The query parameters of redirects that the proxies doi.org and hdl.handle.net define.

Specification: DOI Handbook, appendix "DOI Proxy Query Command Format". For this service's Handles and DOIs,
`noredirect` shows the values instead of redirecting, `index` and `type` select values, and `locatt` selects locations
by an attribute. `urlappend` is appended to the URL, which must keep the target's origin and stay below its path. A
redirect to another Handle service forwards the parameters. None of them has an effect on a tombstone.

>>> request = Request("GET", "/", query=(("noredirect", ""), ("utm", "x"), ("urlappend", "?y=1")))
>>> append_to_target(request, "https://a.example/x", ())
'https://a.example/x?y=1'
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import BadReference
from coolid.http.caching import ttl_of
from coolid.http.dialects.handle.addresses import prefix_under
from coolid.http.dialects.handle.record_mapping import HandleValue, documents, select_values, visible_values
from coolid.http.dialects.handle.response_codes import SUCCESS, VALUES_NOT_FOUND
from coolid.http.dialects.handle.values import location_attributes, parse_number
from coolid.http.errors import NoSuchForm
from coolid.http.message import Request
from coolid.identifiers import percent_encoding
from coolid.identifiers.target_policy import addition_objection
from coolid.model.locations import is_valid_at
from coolid.model.prefixes import as_uri, join
from coolid.model.records import format_time
from coolid.resolution.resolver import FoundRecord

PARAMETERS: Final = ("noredirect", "type", "index", "urlappend", "locatt")
MAX_LOCATION_BYTES: Final = 8_000
"""The maximum length of a URL with forwarded parameters; API Gateway limits all headers to 10,240 bytes."""
_QUERY_KEEPS: Final = "!$'()*,/:;@"
_REPLACEMENT: Final = "\ufffd"  # replaces bytes that are not UTF-8


class ShownValues(Struct, frozen=True):
    """Handle values to show as the `document` of the Handle API, or as the record's page if `as_page`."""

    document: dict[str, Any]
    as_page: bool


def narrow(request: Request, found: FoundRecord, now: datetime) -> FoundRecord | ShownValues:
    """Return the record with only the requested locations, or the values to show.

    Raises `NoSuchForm` if no value has the requested index or type. A `locatt` without a match is ignored.
    """
    if found.extension or not any(name in PARAMETERS for name, _ in request.query):
        return found
    repository, record = found.prefix.repository, found.record
    indexes = {parse_number(text) for text in request.parameters("index")}
    types = request.parameters("type")
    values = select_values(visible_values(record, repository, prefix_under(found.prefix), now), indexes, types)
    no_redirect = request.parameter("noredirect") is not None
    if no_redirect or (values and (indexes or types) and all(each.location is None for each in values)):
        members = documents(values, ttl_of(record, repository), format_time(record.updated))
        code = SUCCESS if members else VALUES_NOT_FOUND
        handle = join(found.prefix.name, record.id)
        return ShownValues({"responseCode": code, "handle": handle, "values": members}, as_page=no_redirect)
    if not values:
        raise NoSuchForm(record.pid, {name: value for name, value in request.query if name in ("index", "type")})
    selected = tuple(each for each in values if each.location is not None)
    for attribute in request.parameters("locatt"):
        selected = tuple(each for each in selected if _has(each, attribute)) or selected
    locations = tuple(each.location for each in selected if each.location is not None)
    if not locations:
        return found
    # Locations that are not valid now are no targets, but the answer's time to live depends on when they become valid.
    return replace(found, locations=(*locations, *(each for each in found.locations if not is_valid_at(each, now))))


def append_to_target(request: Request, uri: str, domains: Sequence[str]) -> str:
    """Return a target with the request's `urlappend` at its end. Raises `BadReference` if it leaves the target."""
    suffix = request.parameter("urlappend")
    if not suffix:
        return uri
    if _REPLACEMENT in suffix:
        raise BadReference("urlappend cannot be put at the end of the URL: it is not UTF-8")
    addition = as_uri(suffix)
    reason = addition_objection(uri, addition, domains=domains)
    if reason:
        raise BadReference(f"urlappend cannot be put at the end of the URL: {reason}")
    return uri + addition


def forward_parameters(uri: str, request: Request) -> str:
    """Return another service's URL of a Handle with the proxy parameters; raise `BadReference` if it gets too long."""
    parameters = [  # in a fixed order, because caches may reorder the client's (infra/edge.yaml)
        name if value == "" else f"{name}={percent_encoding.encode(value, _QUERY_KEEPS)}"
        for name in PARAMETERS
        for value in request.parameters(name)
    ]
    if not parameters:
        return uri
    base, hash_sign, fragment = uri.partition("#")
    extended = base + ("&" if "?" in base else "?") + "&".join(parameters) + hash_sign + fragment
    if len(extended) > MAX_LOCATION_BYTES:
        raise BadReference(f"with its parameters the URL is longer than {MAX_LOCATION_BYTES} bytes")
    return extended


def _has(each: HandleValue, attribute: str) -> bool:
    """Return whether a location has an attribute `name:value`, ignoring case."""
    name, _, value = attribute.lower().partition(":")
    if each.location is None:
        return False
    attributes = location_attributes(each.value.index, each.location)
    return value != "" and attributes.get(name.strip(), "").lower() == value.strip()
