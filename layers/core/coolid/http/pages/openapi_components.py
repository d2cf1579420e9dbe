"""Components: what operations share (OpenAPI 3.1.1, section 4.8.7), and the pages that it stands on.

A named schema stands on one of two pages, by whether it is sent or answered; the shared headers stand on a third.

>>> page_of("Mint"), page_of("Record")
('schemas', 'answers')
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from coolid.http.pages.openapi import document, every_operation

SENT: Final = "schemas"
ANSWERED: Final = "answers"
HEADERS: Final = "headers"

_SCHEMA: Final = "#/components/schemas/"


@cache
def schemas(page: str) -> dict[str, Mapping[str, Any]]:
    """The named schemas that stand on one page: those of answers, or all others."""
    named: dict[str, Mapping[str, Any]] = document()["components"]["schemas"]
    return {name: schema for name, schema in named.items() if page_of(name) == page}


def page_of(schema: str) -> str:
    """The page that a named schema stands on."""
    return ANSWERED if schema in _answered() else SENT


def headers() -> dict[str, Mapping[str, Any]]:
    """The shared headers of answers, by their names in the document."""
    named: dict[str, Mapping[str, Any]] = document()["components"]["headers"]
    return named


@cache
def header_name(shared: str) -> str:
    """What a shared header is called in answers.

    >>> header_name("NoStore")
    'Cache-Control'
    """
    told = (header for operation in every_operation() for answer in operation.answers for header in answer.headers)
    return next((header.name for header in told if header.shared == shared), shared)


def key_description() -> str:
    """What is said of API keys."""
    said: str = document()["components"]["securitySchemes"]["key"]["description"]
    return said


def schema_named(reference: str) -> str:
    """The name in a reference to a schema.

    >>> schema_named("#/components/schemas/Mint")
    'Mint'
    """
    assert reference.startswith(_SCHEMA), reference
    return reference.removeprefix(_SCHEMA)


@cache
def _answered() -> frozenset[str]:
    """The schemas that stand with answers: those of answers that are not also sent."""
    every = every_operation()
    sent = _closed(content.schema for operation in every for content in operation.bodies)
    told = _closed(content.schema for operation in every for each in operation.answers for content in each.contents)
    return told - sent


def _closed(values: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The schemas that these refer to, with all that those refer to."""
    found: set[str] = set()
    waiting = [name for value in values for name in _named_in(value)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_named_in(document()["components"]["schemas"][name]))
    return frozenset(found)


def _named_in(value: Any) -> Iterator[str]:
    """The names of the schemas that a value refers to, however deep."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield schema_named(value["$ref"])
        for inner in value.values():
            yield from _named_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named_in(inner)
