"""Requests for a resolution result: those for a LinkID whose client prefers `application/json`.

At a LinkID's address, browsers and clients that accept anything are redirected as for every PID, and parameters that
select a form or an earlier version have their usual meaning. Below `PUBLIC` every response is a result.

>>> accept = {"accept": "application/json, text/plain, */*"}
>>> path = "/resolve/linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
>>> wants_result(Request("GET", path, headers=accept))
True
>>> wants_result(Request("GET", path, (("format", "linkid"),), accept)), wants_result(Request("GET", path))
(False, False)
"""

import re
from typing import Final

from coolid.http.accept import JSON, client_preferences, parse_preferences
from coolid.http.errors import UnknownFormat
from coolid.http.message import Request, Response
from coolid.http.parameters import format_of, is_inflected
from coolid.identifiers.schemes import linkid
from coolid.registry.references import Reference, parse_parameter
from coolid.resolution.content_negotiation import ANYTHING, ClientPreferences

PUBLIC: Final = "/api/public/resolve/"
"""The path below which the draft's reference implementation resolves."""
INCLUDE: Final = "include"
INCLUSION: Final = "inclusion"
"""The value of `?include=` that adds the proof of inclusion in the transparency log."""

_ADDRESS: Final = re.compile("/(?:resolve/)?linkid(?::|%3a)", re.IGNORECASE)
_OTHER_FORMS: Final = ("format", "json", "style", "memento", "info", "?")
"""Parameters that request another form, or an earlier version."""


def is_result_address(path: str) -> bool:
    """Return whether every response at this address is a result."""
    return path.startswith(PUBLIC)


def wants_result(request: Request) -> bool:
    """Return whether a request for a LinkID names JSON before all other types, and no other form."""
    return may_have_result(request) and _prefers_json(request.headers.get("accept") or "")


def may_have_result(request: Request) -> bool:
    """Return whether a request names no form or version, so that JSON stands for the result."""
    return "accept-datetime" not in request.headers and not (
        request.query and any(request.parameter(name) is not None for name in _OTHER_FORMS)
    )


def is_record(response: Response, request: Request) -> bool:
    """Return whether a response is a record in JSON because the client accepts nothing better, not by a parameter."""
    return response.status != 300 and response.headers.get("Content-Type") == JSON and may_have_result(request)


def refuses_with_result(request: Request) -> bool:
    """Return whether errors are results, too: at a LinkID's address if the client wants one, else below `PUBLIC`."""
    if is_result_address(request.path):
        return True
    return _ADDRESS.match(request.path) is not None and wants_result(request)


def excludes_json(request: Request) -> bool:
    """Return whether the client excludes JSON explicitly; a client that merely omits it gets it."""
    weights = _weights(request.headers.get("accept") or "")
    return next((weights[each] for each in (JSON, "application/*", ANYTHING) if each in weights), (1.0,))[0] <= 0


def linkid_reference(parameter: str) -> Reference:
    """Return the reference of a LinkID, with or without its label, in the path below `PUBLIC`.

    Raises `InvalidIdentifier`, and the errors of `parse_parameter`.

    >>> linkid_reference("00C538EA-846B-47A6-A3D4-70A9EBD29D7C").text
    'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
    """
    text = parse_parameter(parameter).text
    key = linkid.validate(text) if linkid.has_label(text) else linkid.validate_uuid(text)
    return Reference.of(linkid.format(key))


def target_preferences(request: Request) -> ClientPreferences:
    """Return the preferences between targets, from `?lang=`, `?version=`, `?format=` and `Accept-Language`.

    `Accept` is about the result itself. With a form of the record in `?format=`, which results ignore, caches leave out
    `Accept-Language`. An unknown format is ignored, because a preference must not make a result fail.
    """
    try:
        form = format_of(request)
    except UnknownFormat:
        form = None
    preferences = client_preferences(request, form.media_type if form is not None and not form.is_ours else None)
    is_settled = is_inflected(request) or (form is not None and form.is_ours)
    return ClientPreferences(
        languages=None if is_settled else preferences.languages,
        media_type=preferences.media_type,
        language=preferences.language,
        version=preferences.version,
    )


def includes_inclusion(request: Request) -> bool:
    """Return whether the request asks for the proof of inclusion."""
    return INCLUSION in (request.parameter(INCLUDE) or "").split(",")


def _prefers_json(accept: str) -> bool:
    """Return whether JSON has the greatest weight, precedes other named types with it, and no wildcard exceeds it."""
    if JSON not in accept.lower():
        return False
    weights = _weights(accept)
    if JSON not in weights or weights[JSON][0] <= 0:
        return False
    most = weights[JSON][-1]
    named = [each for each, (*_, weight) in weights.items() if weight == most and not each.endswith("/*")]
    return named[0] == JSON and all(weight <= most for *_, weight in weights.values())


def _weights(accept: str) -> dict[str, list[float]]:
    """Return the weights of each media range without its parameters, the least first; exclusions decide."""
    weights: dict[str, list[float]] = {}
    for media_range, weight in parse_preferences(accept, "").types or ():
        weights.setdefault(media_range.partition(";")[0].rstrip(), []).append(weight)
    return {media_range: sorted(found) for media_range, found in weights.items()}
