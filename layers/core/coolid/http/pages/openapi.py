"""The description of the API (OpenAPI 3.1.1, https://spec.openapis.org/oas/v3.1.1.html) and its operations.

`scripts/openapi` copies `infra/openapi.yaml` as JSON beside this module. It is read on first use. References are
resolved, except those to schemas, which have pages of their own, as the shared headers do.

>>> [operation.name for operation in operations("handles")][:2]
['getHandle', 'putHandle']
>>> page_of("Mint"), page_of("Record"), page_of("KeySet")
('schemas', 'answers', 'public-answers')
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from msgspec import UNSET, Struct, convert, json

from coolid.strict_json import dump

SCHEMAS: Final = "#/components/schemas/"
SENT: Final = "schemas"
"""The page of schemas that requests use."""
ANSWERED: Final = "answers"
"""The page of schemas that responses of operations with an API key use, and no request."""
PUBLICLY_ANSWERED: Final = "public-answers"
"""The page of schemas that only responses of public operations use."""
HEADERS: Final = "headers"
"""The page of headers that responses share."""
COMPONENT_PAGES: Final = {
    SENT: "Request schemas",
    ANSWERED: "Response schemas",
    PUBLICLY_ANSWERED: "Public response schemas",
    HEADERS: "Response headers",
}
"""The titles of the pages of schemas and headers. Each schema is on one page."""

METHODS: Final = ("get", "put", "post", "patch", "delete")
MAX_WORD_LENGTH: Final = 90
"""The most characters that are shown of a word in an example."""


class Exemplified(Struct, frozen=True, kw_only=True):
    """A value with a schema and examples."""

    schema: dict[str, Any]
    example: Any = UNSET
    examples: dict[str, Any] = {}

    @property
    def samples(self) -> dict[str, Any]:
        """Return the values of the named examples, or else the unnamed one under the empty name."""
        named = {name: each["value"] for name, each in self.examples.items()}
        return named or ({} if self.example is UNSET else {"": self.example})


class ContentDescription(Exemplified, frozen=True):
    """A body in one media type."""

    @property
    def is_text(self) -> bool:
        """Return whether the schema contains nothing beyond the media type."""
        return self.schema in ({"type": "string"}, {})


class ParameterDescription(Exemplified, frozen=True, kw_only=True, rename={"place": "in", "is_required": "required"}):
    """A parameter of a request; `place` is path, query or header."""

    name: str
    place: str
    is_required: bool = False
    description: str = ""


class HeaderDescription(Struct, frozen=True):
    """A header of a response; `component` is its name on the page of shared headers."""

    description: str
    component: str | None = None


class BodyDescription(Struct, frozen=True):
    """The body of a request, by media type."""

    content: dict[str, ContentDescription] = {}


class ResponseDescription(BodyDescription, frozen=True, kw_only=True):
    """A response of an operation: its bodies by media type, and its headers by name."""

    description: str
    headers: dict[str, HeaderDescription] = {}


class Operation(Struct, frozen=True, rename={"name": "operationId", "body": "requestBody"}):
    """An operation of the API. Its name is its anchor on its tag's page; `responses` are by status."""

    name: str
    method: str
    path: str
    tags: tuple[str]
    summary: str
    responses: dict[str, ResponseDescription]
    description: str = ""
    security: tuple[Any, ...] | None = None
    parameters: tuple[ParameterDescription, ...] = ()
    body: BodyDescription = BodyDescription()

    @property
    def is_public(self) -> bool:
        """Return whether it needs no API key."""
        return self.security == ()


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
    """Return the whole description of the service at `base_url`, as JSON."""
    server = {**document()["servers"][0], "url": base_url}
    return dump({**document(), "servers": [server]})


@cache
def tags() -> tuple[Tag, ...]:
    """Return the groups, in order."""
    return convert(document()["tags"], tuple[Tag, ...])


@cache
def all_operations() -> tuple[Operation, ...]:
    """Return the operations, in the document's order."""
    paths = _resolved(document()["paths"]).items()
    found = []
    for path, item in paths:
        for method in (each for each in METHODS if each in item):
            parameters = [*item.get("parameters", ()), *item[method].get("parameters", ())]
            members = {**item[method], "path": path, "method": method.upper(), "parameters": parameters}
            found.append(convert(members, Operation))
    return tuple(found)


def operations(tag: str) -> tuple[Operation, ...]:
    """Return the operations of a group; none for an unknown group."""
    return tuple(each for each in all_operations() if each.tags == (tag,))


@cache
def schemas(page: str) -> dict[str, Mapping[str, Any]]:
    """Return the named schemas on a page."""
    named: dict[str, Mapping[str, Any]] = document()["components"]["schemas"]
    return {name: schema for name, schema in named.items() if page_of(name) == page}


def page_of(schema: str) -> str:
    """Return the page that shows a named schema."""
    return _pages_by_schema().get(schema, SENT)


@cache
def header_name(shared: str) -> str:
    """Return a shared header's name in responses."""
    responses = [each for operation in all_operations() for each in operation.responses.values()]
    used = (item for response in responses for item in response.headers.items())
    return next((name for name, header in used if header.component == shared), shared)


def format_json(value: Any) -> str:
    """Return a value as indented JSON with shortened proofs and other long words."""
    return json.format(json.encode(_shorten(value)), indent=2).decode()


def _shorten(value: Any) -> Any:
    match value:
        case dict():
            return {name: _shorten(inner) for name, inner in value.items()}
        case list():
            return [_shorten(inner) for inner in value]
        case str() if len(value) > MAX_WORD_LENGTH and " " not in value:
            return f"{value[:MAX_WORD_LENGTH]}…"
    return value


def _resolved(value: Any) -> Any:
    """Return a value without references, except to schemas; a referenced component has its name as `component`."""
    match value:
        case {"$ref": str(reference)} if not reference.startswith(SCHEMAS):
            target: Any = document()
            for name in reference.removeprefix("#/").split("/"):
                target = target[name]
            return {**_resolved(target), "component": name}
        case dict():
            return {name: _resolved(inner) for name, inner in value.items()}
        case list():
            return [_resolved(inner) for inner in value]
    return value


@cache
def _pages_by_schema() -> Mapping[str, str]:
    """Return the pages of the schemas that operations use."""
    bodies: dict[str, list[BodyDescription]] = {PUBLICLY_ANSWERED: [], ANSWERED: [], SENT: []}
    for operation in all_operations():
        bodies[PUBLICLY_ANSWERED if operation.is_public else ANSWERED] += operation.responses.values()
        bodies[SENT].append(operation.body)
    return {name: page for page, used in bodies.items() for name in _closure(used)}  # the last page that uses it has it


def _closure(bodies: Iterable[BodyDescription]) -> frozenset[str]:
    """Return the schemas that the bodies refer to, directly or not."""
    found: set[str] = set()
    waiting = [name for body in bodies for content in body.content.values() for name in _named_in(content.schema)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_named_in(document()["components"]["schemas"][name]))
    return frozenset(found)


def _named_in(value: Any) -> Iterator[str]:
    """Return the names of the schemas that a value refers to, at any depth."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].removeprefix(SCHEMAS)
        for inner in value.values():
            yield from _named_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_in(inner)
