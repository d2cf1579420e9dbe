"""The components that operations share (OpenAPI 3.1.1, section 4.8.7), and the pages that show them.

Schemas of requests and of responses have a page each; the shared headers have a third.

>>> page_of("Mint"), page_of("Record")
('schemas', 'answers')
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from coolid.http.pages.openapi import SCHEMAS, BodyDescription, all_operations, document

SENT: Final = "schemas"
ANSWERED: Final = "answers"
HEADERS: Final = "headers"


@cache
def schemas(page: str) -> dict[str, Mapping[str, Any]]:
    """Return the named schemas of one page: those of responses only, or all others."""
    named: dict[str, Mapping[str, Any]] = document()["components"]["schemas"]
    return {name: schema for name, schema in named.items() if page_of(name) == page}


def page_of(schema: str) -> str:
    """Return the page that shows a named schema."""
    return ANSWERED if schema in _response_schemas() else SENT


def headers() -> dict[str, Mapping[str, Any]]:
    """Return the shared response headers, by their names in the document."""
    named: dict[str, Mapping[str, Any]] = document()["components"]["headers"]
    return named


@cache
def header_name(shared: str) -> str:
    """Return a shared header's name in responses.

    >>> header_name("NoStore")
    'Cache-Control'
    """
    responses = [each for operation in all_operations() for each in operation.responses.values()]
    used = (item for response in responses for item in response.headers.items())
    return next((name for name, header in used if header.component == shared), shared)


def key_description() -> str:
    """Return the description of API keys."""
    text: str = document()["components"]["securitySchemes"]["key"]["description"]
    return text


def schema_named(reference: str) -> str:
    """Return the name of a referenced schema.

    >>> schema_named("#/components/schemas/Mint")
    'Mint'
    """
    assert reference.startswith(SCHEMAS), reference
    return reference.removeprefix(SCHEMAS)


@cache
def _response_schemas() -> frozenset[str]:
    """Return the schemas of responses that no request uses."""
    sent = _closure([operation.body for operation in all_operations()])
    return _closure([each for operation in all_operations() for each in operation.responses.values()]) - sent


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
            yield schema_named(value["$ref"])
        for inner in value.values():
            yield from _named_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_in(inner)
