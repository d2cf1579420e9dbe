"""Shapes: schemas (JSON Schema 2020-12, as OpenAPI 3.1 has them) in the form that a page shows them in.

A test checks that the description uses no keyword that is not shown. Where a value may be null beside something else,
the shape is that of the something else and nullable.

>>> shape = shape_of({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "default": "a"})
>>> shape.types, shape.is_nullable, shape.facts
(('string',), True, (('characters', (None, 3)), ('default', 'a')))
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.pages.openapi_components import schema_named

_FACTS: Final = {
    "const": "is",
    "enum": "one of",
    "format": "format",
    "maxProperties": "members",
    "propertyNames": "names",
    "pattern": "pattern",
    "not": "not",
}
"""What limits a value, and what it is called here; in the order in which it is told."""

_RANGES: Final = {
    ("minLength", "maxLength"): "characters",
    ("minimum", "maximum"): "range",
    ("minItems", "maxItems"): "items",
}
"""What limits a value from below and from above."""


class SchemaMember(Struct, frozen=True):
    """A member of an object."""

    name: str
    is_required: bool
    shape: "SchemaView"


class SchemaView(Struct, frozen=True):
    """What a value looks like: of a named schema, or of one of these types (any, if there are none).

    `choices` are the shapes of which it has one (or, with `is_all`, each); `others` is the shape of members that are
    not listed, and `is_closed` says that there are none; `demands` are members of which exactly one is there.
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
    demands: tuple[str, ...] = ()
    facts: tuple[tuple[str, Any], ...] = ()
    description: str = ""

    @property
    def is_deep(self) -> bool:
        """Whether there is more to show than fits into a line."""
        inner = (*self.choices, *([self.item] if self.item else []), *([self.others] if self.others else []))
        return bool(self.members or self.demands) or any(
            each.is_deep or each.facts or each.description for each in inner
        )


def shape_of(schema: Mapping[str, Any]) -> SchemaView:
    """The shape that a schema describes."""
    told = schema.get("type", ())
    types = (told,) if isinstance(told, str) else tuple(told)
    others = schema.get("additionalProperties")
    alternatives = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or ()
    demands = tuple(each["required"][0] for each in alternatives if each.keys() == {"required"})
    shape = SchemaView(
        types=tuple(each for each in types if each != "null") or types,
        is_nullable="null" in types and len(types) > 1,
        named=schema_named(schema["$ref"]) if "$ref" in schema else None,
        item=shape_of(schema["items"]) if "items" in schema else None,
        members=_members(schema),
        others=shape_of(others) if isinstance(others, dict) else None,
        is_closed=others is False or schema.get("unevaluatedProperties") is False,
        choices=() if demands else tuple(shape_of(each) for each in alternatives),
        is_all="allOf" in schema,
        demands=demands,
        facts=_facts(schema),
        description=schema.get("description", ""),
    )
    return _without_null(shape)


def _facts(schema: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    told: list[tuple[str, Any]] = [(word, schema[keyword]) for keyword, word in _FACTS.items() if keyword in schema]
    for (least, most), word in _RANGES.items():
        if least in schema or most in schema:
            told.append((word, (schema.get(least), schema.get(most))))
    # That null is meant where nothing is said goes without saying.
    if schema.get("default") is not None:
        told.append(("default", schema["default"]))
    return tuple(told)


def _members(schema: Mapping[str, Any]) -> tuple[SchemaMember, ...]:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    listed = [SchemaMember(name, name in required, shape_of(each)) for name, each in properties.items()]
    # What is demanded without being described, such as the context of JSON-LD.
    demanded = [SchemaMember(name, True, SchemaView()) for name in required if name not in properties]
    return (*listed, *demanded) if "type" in schema or properties else ()


def _without_null(shape: SchemaView) -> SchemaView:
    """A choice between one thing and null is that thing, which may be null."""
    rest = tuple(each for each in shape.choices if each.types != ("null",))
    if len(rest) == len(shape.choices):
        return shape
    if len(rest) > 1:
        return replace(shape, choices=rest, is_nullable=True)
    (only,) = rest
    return replace(
        only,
        is_nullable=True,
        facts=(*only.facts, *shape.facts),
        description=shape.description or only.description,
    )
