"""JSON or YAML: the forms in which Bioregistry's answers come, and who would rather have them than a redirect.

Source: bioregistry.io takes `application/json` and `application/yaml`, both under older names too, and `?format=json`,
`yaml` or `yml`.

>>> wanted(ClientPreferences(types=(("application/json", 1.0),))), wanted(ClientPreferences(types=(("text/yaml", 0.9), ("*/*", 0.8))))
('application/json', 'application/yaml')
>>> wanted(ClientPreferences(types=(("application/json", 1.0), ("text/plain", 1.0), ("*/*", 1.0)))) is None
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
"""What `?format=` names, with the media types."""

_TYPES: Final[Mapping[str, str]] = {
    JSON: JSON,
    "text/json": JSON,
    **dict.fromkeys((yaml.MEDIA_TYPE, *yaml.ALSO), yaml.MEDIA_TYPE),
}
"""What an `Accept` may name, with the media type that it gets."""


def wanted(wishes: ClientPreferences) -> str | None:
    """The media type that a client would rather have than be redirected; None for a redirect.

    It names the type, with a greater weight than it gives to anything at all and no smaller one than to any other type:
    who would rather have what the provider has, in some form or other, is sent there.
    """
    types = [(name.partition(";")[0].strip(), weight) for name, weight in wishes.types or ()]
    best = max((weight for _, weight in types), default=0.0)
    anything = max((weight for name, weight in types if name == "*/*"), default=0.0)
    named = (_TYPES[name] for name, weight in types if weight == best and name in _TYPES)
    return next(named, None) if best > anything else None


def form_of(request: Request) -> str:
    """The media type of an answer that comes in no other form; `UnknownFormat`, `NotAcceptable`."""
    name = request.parameter("format")
    if name is not None:
        if name.lower() not in FORMS:
            raise UnknownFormat(name, tuple(FORMS))
        return FORMS[name.lower()]
    chosen = choose_format(request.header("accept"), tuple(_TYPES))
    if chosen is None:
        raise NotAcceptable((JSON, yaml.MEDIA_TYPE))
    return _TYPES[chosen]


def written(document: Mapping[str, Any], media_type: str, headers: Mapping[str, str], *, status: int = 200) -> Response:
    """The document in one of the two forms."""
    body = dump(document) if media_type == JSON else yaml.write(document)
    return Response(status, {**headers, "Content-Type": media_type}, body)
