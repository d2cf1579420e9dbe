"""The description of the API (OpenAPI 3.1.1, https://spec.openapis.org/oas/v3.1.1.html), read for pages and programs.

It is `infra/openapi.yaml`, of which `scripts/openapi` keeps a copy in JSON beside this module. It is read when it is
first asked for. References to what it shares are followed here, but for those to schemas: these and the shared headers
have pages of their own (`coolid.http.pages.openapi_components`).

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
MOST_SHOWN: Final = 90
"""Characters of a word in an example, which nobody reads beyond that."""


class Header(Struct, frozen=True):
    """A header of an answer; `shared` is the name that the page of headers has it under."""

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
        """Whether there is no more to say of it than its media type."""
        return self.schema in ({"type": "string"}, {})


class ParameterDescription(Struct, frozen=True):
    """What a request is told beside its body; `place` is path, query or header."""

    name: str
    place: str
    is_required: bool
    description: str
    schema: Mapping[str, Any]
    examples: Mapping[str, Any]


class ResponseDescription(Struct, frozen=True):
    """What an operation may answer; `status` has three digits."""

    status: str
    description: str
    contents: tuple[ContentDescription, ...]
    headers: tuple[Header, ...]


class Operation(Struct, frozen=True):
    """A call of the API. Its name is its anchor on the page that is called as its tag."""

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
    """The whole description, as it is kept."""
    text = (files("coolid.http") / "pages" / "openapi.json").read_text(encoding="utf-8")
    told: dict[str, Any] = json.decode(text)
    return told


@cache
def served(base_url: str) -> str:
    """The whole description of the service at this address, as JSON.

    >>> json.decode(served("https://id.example"))["servers"][0]["url"]
    'https://id.example'
    """
    server = {**document()["servers"][0], "url": base_url}
    return dump({**document(), "servers": [server]})


@cache
def tags() -> tuple[Tag, ...]:
    """The groups, in their order."""
    return tuple(Tag(each["name"], each["description"]) for each in document()["tags"])


@cache
def every_operation() -> tuple[Operation, ...]:
    """The operations, in the document's order."""
    items = document()["paths"].items()
    return tuple(_operation(path, method, item) for path, item in items for method in METHODS if method in item)


def operations(tag: str) -> tuple[Operation, ...]:
    """Those of a group; none if there is no such group."""
    return tuple(each for each in every_operation() if each.tag == tag)


def written(value: Any) -> str:
    """A value as people read JSON: proofs and other long words are cut short.

    >>> print(written({"proof": "e" * 600}).replace("e" * 90, "e"))
    {
      "proof": "e…"
    }
    """
    return json.format(json.encode(_shortened(value)), indent=2).decode()


def _shortened(value: Any) -> Any:
    match value:
        case dict():
            return {name: _shortened(inner) for name, inner in value.items()}
        case list():
            return [_shortened(inner) for inner in value]
        case str() if len(value) > MOST_SHOWN and " " not in value:
            return f"{value[:MOST_SHOWN]}…"
        case _:
            return value


def _operation(path: str, method: str, item: Mapping[str, Any]) -> Operation:
    told = item[method]
    return Operation(
        name=told["operationId"],
        method=method.upper(),
        path=path,
        tag=told["tags"][0],
        summary=told["summary"],
        description=told.get("description", ""),
        is_public=told.get("security") == [],
        parameters=tuple(_parameter(each) for each in (*item.get("parameters", ()), *told.get("parameters", ()))),
        bodies=_contents(told.get("requestBody", {})),
        answers=tuple(_answer(status, each) for status, each in told["responses"].items()),
    )


def _parameter(value: Mapping[str, Any]) -> ParameterDescription:
    told = _resolved(value)
    return ParameterDescription(
        name=told["name"],
        place=told["in"],
        is_required=told.get("required", False),
        description=told.get("description", ""),
        schema=told["schema"],
        examples=_examples(told),
    )


def _answer(status: str, value: Mapping[str, Any]) -> ResponseDescription:
    told = _resolved(value)
    return ResponseDescription(
        status=status,
        description=told["description"],
        contents=_contents(told),
        headers=tuple(_header(name, each) for name, each in told.get("headers", {}).items()),
    )


def _header(name: str, value: Mapping[str, Any]) -> Header:
    shared = value["$ref"].rpartition("/")[2] if "$ref" in value else None
    return Header(name, shared, _resolved(value)["description"])


def _contents(told: Mapping[str, Any]) -> tuple[ContentDescription, ...]:
    contents = told.get("content", {}).items()
    return tuple(ContentDescription(media_type, each["schema"], _examples(each)) for media_type, each in contents)


def _examples(told: Mapping[str, Any]) -> dict[str, Any]:
    """Those that have names, and the one that has none."""
    named = {name: each["value"] for name, each in told.get("examples", {}).items()}
    return named or ({"": told["example"]} if "example" in told else {})


def _resolved(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A value, or what it refers to."""
    while "$ref" in value:
        target: Any = document()
        for name in value["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        value = target
    return value
