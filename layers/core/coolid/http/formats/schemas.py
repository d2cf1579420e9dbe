"""Validation schemas of a prefix, from the rules of a namespace or the pattern of a provider prefix."""

from collections.abc import Callable, Mapping
from typing import Final

from coolid.identifiers.validation_schemas import json_schema, pattern_schema, schematron
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.strict_json import dump

DEFAULT: Final = "jsonschema"

_REGEX: Final = "text/plain; charset=utf-8"
_JSON_SCHEMA: Final = "application/schema+json"


def formats_of(prefix: Namespace | ProviderPrefix) -> Mapping[str, tuple[str, Callable[[], str]]]:
    """Return the media type and the writer of each format of a prefix; a provider prefix has no Schematron rules."""
    if isinstance(prefix, ProviderPrefix):
        pattern = prefix.pattern
        return {
            "regex": (_REGEX, lambda: (pattern or ".*") + "\n"),
            "jsonschema": (_JSON_SCHEMA, lambda: dump(pattern_schema(prefix.name, prefix.title, pattern))),
        }
    rules = prefix.repository.rules
    return {
        "regex": (_REGEX, lambda: rules.describe().pattern + "\n"),
        "jsonschema": (_JSON_SCHEMA, lambda: dump(json_schema(rules, prefix.name))),
        "schematron": ("application/xml", lambda: schematron(rules, prefix.name)),
    }
