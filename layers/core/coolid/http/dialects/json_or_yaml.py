"""Selection between JSON, YAML and a redirect for the answers of the Bioregistry API.

Source: bioregistry.io accepts `application/json` and `application/yaml`, each also by older names, and
`?format=json`, `yaml` or `yml`.

>>> yaml_or_any = ClientPreferences(types=(("text/yaml", 0.9), ("*/*", 0.8)))
>>> preferred_media_type(ClientPreferences(types=(("application/json", 1.0),))), preferred_media_type(yaml_or_any)
('application/json', 'application/yaml')
>>> preferred_media_type(ClientPreferences(types=(("application/json", 1.0), ("*/*", 1.0)))) is None
True
"""

from collections.abc import Mapping
from typing import Any, Final

from coolid.http.accept import JSON, choose_format
from coolid.http.errors import NotAcceptable, UnknownFormat
from coolid.http.formats import yaml
from coolid.http.message import Request, Response
from coolid.resolution.content_negotiation import ClientPreferences
from coolid.strict_json import dump

FORMS: Final[Mapping[str, str]] = {"json": JSON, "yaml": yaml.MEDIA_TYPE, "yml": yaml.MEDIA_TYPE}
"""The media types by their names in `?format=`."""

_TYPES: Final[Mapping[str, str]] = {
    JSON: JSON,
    "text/json": JSON,
    **dict.fromkeys((yaml.MEDIA_TYPE, *yaml.OTHER_MEDIA_TYPES), yaml.MEDIA_TYPE),
}
"""The media types of the answers by those in `Accept`."""


def preferred_media_type(preferences: ClientPreferences) -> str | None:
    """Return the media type that a client prefers to a redirect, or None for a redirect.

    The client must name the type with a greater weight than `*/*` and with at least the weight of every other type.
    """
    types = [(name.partition(";")[0].strip(), weight) for name, weight in preferences.types or ()]
    best = max((weight for _, weight in types), default=0.0)
    wildcard = max((weight for name, weight in types if name == "*/*"), default=0.0)
    named = (_TYPES[name] for name, weight in types if weight == best and name in _TYPES)
    return next(named, None) if best > wildcard else None


def requested_media_type(request: Request) -> str:
    """Return the media type of an answer without a redirect; raise `UnknownFormat` or `NotAcceptable`."""
    name = request.parameter("format")
    if name is not None:
        if name.lower() not in FORMS:
            raise UnknownFormat(name, tuple(FORMS))
        return FORMS[name.lower()]
    chosen = choose_format(request.header("accept"), tuple(_TYPES))
    if chosen is None:
        raise NotAcceptable((JSON, yaml.MEDIA_TYPE))
    return _TYPES[chosen]


def document_response(
    document: Mapping[str, Any], media_type: str, headers: Mapping[str, str], *, status: int = 200
) -> Response:
    """Return a response with the document in JSON or YAML."""
    body = dump(document) if media_type == JSON else yaml.write(document)
    return Response(status, {**headers, "Content-Type": media_type}, body)
