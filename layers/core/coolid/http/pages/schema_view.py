"""JSON schemas (JSON Schema 2020-12, as in OpenAPI 3.1) in the form that pages show.

A test checks that pages show all keywords that the API's description uses. A choice between a schema and null becomes
that schema, nullable.

>>> shape = shape_of({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "default": "a"})
>>> shape.types, shape.is_nullable, shape.facts
(('string',), True, (('characters', (None, 3)), ('default', 'a')))
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.pages.openapi import SCHEMAS

_FACTS: Final = {
    "const": "is",
    "enum": "one of",
    "format": "format",
    "maxProperties": "members",
    "propertyNames": "names",
    "pattern": "pattern",
    "not": "not",
}
"""The keywords that limit a value, with their labels, in the order on the page."""

_RANGES: Final = {
    ("minLength", "maxLength"): "characters",
    ("minimum", "maximum"): "range",
    ("minItems", "maxItems"): "items",
}
"""The pairs of keywords that limit a value from below and from above, with their labels."""


class SchemaMember(Struct, frozen=True):
    """A member of an object."""

    name: str
    is_required: bool
    shape: "SchemaView"


class SchemaView(Struct, frozen=True):
    """The form of a value: a named schema, or one of these types (any, if there are none).

    `choices` are schemas of which one applies (with `is_all`, each). `others` is the schema of unlisted members;
    `is_closed` forbids them.
    """

    types: tuple[str, ...] = ()
    is_nullable: bool = False
    named: str | None = None
    item: "SchemaView | None" = None
    members: tuple[SchemaMember, ...] = ()
    others: "SchemaView | None" = None
    is_closed: bool = False
    choices: tuple["SchemaView", ...] = ()
    is_all: bool = False
    facts: tuple[tuple[str, Any], ...] = ()
    description: str = ""

    @property
    def is_deep(self) -> bool:
        """Return whether the schema needs more than a line."""
        inner = filter(None, (*self.choices, self.item, self.others))
        is_inner_deep = any(each.is_deep or each.facts or each.description for each in inner)
        return bool(self.members) or is_inner_deep


def shape_of(schema: Mapping[str, Any]) -> SchemaView:
    """Return the view of a schema."""
    type_names = schema.get("type", ())
    types = (type_names,) if isinstance(type_names, str) else tuple(type_names)
    others = schema.get("additionalProperties")
    alternatives = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or ()
    shape = SchemaView(
        types=tuple(each for each in types if each != "null") or types,
        is_nullable="null" in types and len(types) > 1,
        named=schema["$ref"].removeprefix(SCHEMAS) if "$ref" in schema else None,
        item=shape_of(schema["items"]) if "items" in schema else None,
        members=_members(schema),
        others=shape_of(others) if isinstance(others, dict) else None,
        is_closed=others is False,
        choices=tuple(shape_of(each) for each in alternatives),
        is_all="allOf" in schema,
        facts=tuple(_facts(schema)),
        description=schema.get("description", ""),
    )
    return _without_null(shape)


def _facts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the limits of a value, its default and its example, with their labels."""
    for keyword, label in _FACTS.items():
        if keyword in schema:
            yield label, schema[keyword]
    for (least, most), label in _RANGES.items():
        if least in schema or most in schema:
            yield label, (schema.get(least), schema.get(most))
    if schema.get("default") is not None:  # a default of null is not shown
        yield "default", schema["default"]
    if "example" in schema:
        yield "example", schema["example"]


def _members(schema: Mapping[str, Any]) -> tuple[SchemaMember, ...]:
    """Return the members of an object; required ones may have no schema, such as the context of JSON-LD."""
    properties, required = schema.get("properties", {}), schema.get("required", ())
    names = dict.fromkeys((*properties, *required)) if "type" in schema or properties else ()
    return tuple(SchemaMember(name, name in required, shape_of(properties.get(name, {}))) for name in names)


def _without_null(shape: SchemaView) -> SchemaView:
    """Return a choice between a schema and null as that schema, nullable."""
    rest = tuple(each for each in shape.choices if each.types != ("null",))
    if len(rest) == len(shape.choices):
        return shape
    if len(rest) > 1:
        return replace(shape, choices=rest, is_nullable=True)
    description = shape.description or rest[0].description
    return replace(rest[0], is_nullable=True, facts=(*rest[0].facts, *shape.facts), description=description)
