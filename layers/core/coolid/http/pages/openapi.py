"""The description of the API (OpenAPI 3.1.1, https://spec.openapis.org/oas/v3.1.1.html) and its operations.

`scripts/openapi` copies `infra/openapi.yaml` as JSON beside this module. It is read on first use. References are
resolved, except those to schemas, which have pages of their own, as the shared headers do
(`coolid.http.pages.openapi_components`).

>>> [operation.name for operation in operations("handles")][:2]
['getHandle', 'putHandle']
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct, json

from coolid.strict_json import dump

METHODS: Final = ("get", "put", "post", "patch", "delete")
MAX_WORD_LENGTH: Final = 90
"""The most characters that are shown of a word in an example."""


class Header(Struct, frozen=True):
    """A header of a response; `shared` is its name on the page of shared headers."""

    name: str
    shared: str | None
    description: str


class ContentDescription(Struct, frozen=True):
    """A body in one of its media types, with examples by their names."""

    media_type: str
    schema: Mapping[str, Any]
    examples: Mapping[str, Any]

    @property
    def is_text(self) -> bool:
        """Return whether the schema says nothing beyond the media type."""
        return self.schema in ({"type": "string"}, {})


class ParameterDescription(Struct, frozen=True):
    """A parameter of a request; `place` is path, query or header."""

    name: str
    place: str
    is_required: bool
    description: str
    schema: Mapping[str, Any]
    examples: Mapping[str, Any]


class ResponseDescription(Struct, frozen=True):
    """A response of an operation; `status` has three digits."""

    status: str
    description: str
    contents: tuple[ContentDescription, ...]
    headers: tuple[Header, ...]


class Operation(Struct, frozen=True):
    """An operation of the API. Its name is its anchor on its tag's page."""

    name: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    is_public: bool
    parameters: tuple[ParameterDescription, ...]
    bodies: tuple[ContentDescription, ...]
    answers: tuple[ResponseDescription, ...]


class Tag(Struct, frozen=True):
    """A group of operations."""

    name: str
    description: str


@cache
def document() -> dict[str, Any]:
    """Return the whole description, as it is stored."""
    text = (files("coolid.http") / "pages" / "openapi.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.decode(text)
    return parsed


@cache
def served_document(base_url: str) -> str:
    """Return the whole description of the service at `base_url`, as JSON.

    >>> json.decode(served_document("https://id.example"))["servers"][0]["url"]
    'https://id.example'
    """
    server = {**document()["servers"][0], "url": base_url}
    return dump({**document(), "servers": [server]})


@cache
def tags() -> tuple[Tag, ...]:
    """Return the groups, in order."""
    return tuple(Tag(each["name"], each["description"]) for each in document()["tags"])


@cache
def all_operations() -> tuple[Operation, ...]:
    """Return the operations, in the document's order."""
    items = document()["paths"].items()
    return tuple(_operation(path, method, item) for path, item in items for method in METHODS if method in item)


def operations(tag: str) -> tuple[Operation, ...]:
    """Return the operations of a group; none for an unknown group."""
    return tuple(each for each in all_operations() if each.tag == tag)


def format_json(value: Any) -> str:
    """Return a value as indented JSON with shortened proofs and other long words.

    >>> print(format_json({"proof": "e" * 600}).replace("e" * 90, "e"))
    {
      "proof": "e…"
    }
    """
    return json.format(json.encode(_shorten(value)), indent=2).decode()


def _shorten(value: Any) -> Any:
    match value:
        case dict():
            return {name: _shorten(inner) for name, inner in value.items()}
        case list():
            return [_shorten(inner) for inner in value]
        case str() if len(value) > MAX_WORD_LENGTH and " " not in value:
            return f"{value[:MAX_WORD_LENGTH]}…"
        case _:
            return value


def _operation(path: str, method: str, item: Mapping[str, Any]) -> Operation:
    definition = item[method]
    return Operation(
        name=definition["operationId"],
        method=method.upper(),
        path=path,
        tag=definition["tags"][0],
        summary=definition["summary"],
        description=definition.get("description", ""),
        is_public=definition.get("security") == [],
        parameters=tuple(_parameter(each) for each in (*item.get("parameters", ()), *definition.get("parameters", ()))),
        bodies=_contents(definition.get("requestBody", {})),
        answers=tuple(_response(status, each) for status, each in definition["responses"].items()),
    )


def _parameter(value: Mapping[str, Any]) -> ParameterDescription:
    definition = _dereference(value)
    return ParameterDescription(
        name=definition["name"],
        place=definition["in"],
        is_required=definition.get("required", False),
        description=definition.get("description", ""),
        schema=definition["schema"],
        examples=_examples(definition),
    )


def _response(status: str, value: Mapping[str, Any]) -> ResponseDescription:
    definition = _dereference(value)
    return ResponseDescription(
        status=status,
        description=definition["description"],
        contents=_contents(definition),
        headers=tuple(_header(name, each) for name, each in definition.get("headers", {}).items()),
    )


def _header(name: str, value: Mapping[str, Any]) -> Header:
    shared = value["$ref"].rpartition("/")[2] if "$ref" in value else None
    return Header(name, shared, _dereference(value)["description"])


def _contents(definition: Mapping[str, Any]) -> tuple[ContentDescription, ...]:
    contents = definition.get("content", {}).items()
    return tuple(ContentDescription(media_type, each["schema"], _examples(each)) for media_type, each in contents)


def _examples(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named examples, or else the unnamed one under the empty name."""
    named = {name: each["value"] for name, each in definition.get("examples", {}).items()}
    return named or ({"": definition["example"]} if "example" in definition else {})


def _dereference(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a value, or the target of its reference."""
    while "$ref" in value:
        target: Any = document()
        for name in value["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        value = target
    return value
