"""JSON Schema and Schematron schemas of a repository's identifiers, generated from its rules.

The FAIR PIDs seed requires namespaces to publish how their identifiers are validated. The JSON Schema has a regular
expression. The Schematron schema (ISO/IEC 19757-3, with XPath 1.0, which every engine supports) also computes check
characters.

>>> from coolid.identifiers.rules.lui import LuiRules
>>> json_schema(LuiRules(), "demo")["pattern"].startswith("^")
True
"""

import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from coolid.identifiers.rules.base import Rules

# Syntax that RE2 and ECMA-262 read differently: flags, classes, anchors and quotes.
_RE2_ONLY = re.compile(r"\(\?(?!:)|\[\[:|\\(?:[pPAzQECa]|x\{)")
_JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_SCHEMATRON = "http://purl.oclc.org/dsdl/schematron"


def json_schema(rules: Rules, prefix: str) -> dict[str, Any]:
    """Return a JSON Schema (2020-12) of the identifiers under a prefix."""
    described = rules.describe()
    title = f"Identifiers under {prefix}"
    return {
        **pattern_schema(prefix, title, described.pattern),
        "description": f"Scheme {rules.scheme}; {_check(rules)}",
        "examples": [described.example] if described.example else [],
    }


def pattern_schema(prefix: str, title: str, pattern: str | None) -> dict[str, Any]:
    """Return a JSON Schema with only a pattern, which is left out if JSON Schema's dialect cannot express it."""
    schema = {"$schema": _JSON_SCHEMA, "title": title or f"Identifiers under {prefix}", "type": "string"}
    if not pattern or _RE2_ONLY.search(pattern):
        return schema
    anchored = pattern.startswith("^") and pattern.endswith("$") and "|" not in pattern
    return schema | {"pattern": pattern if anchored else f"^(?:{pattern})$"}


def schematron(rules: Rules, prefix: str) -> str:
    """Return a Schematron schema by which every element `pid` (in no namespace) contains an identifier of a prefix."""
    schema = Element("schema", {"xmlns": _SCHEMATRON, "queryBinding": "xslt"})
    SubElement(schema, "title").text = f"Identifiers under {prefix}"
    rule = SubElement(SubElement(schema, "pattern", {"id": "identifiers"}), "rule", {"context": "pid"})
    read, as_ = rules.describe().reads
    bare = "."
    for _ in range(rules.describe().labels):
        bare = _without_label(bare)
    SubElement(rule, "let", {"name": "key", "value": f"translate({bare}, '{read}', '{as_}')"})
    for assertion in rules.assertions():
        SubElement(rule, "assert", {"test": assertion.test}).text = assertion.message
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(schema, encoding="unicode") + "\n"


def _without_label(text: str) -> str:
    """Return an XPath 1.0 expression of the text after the first colon, or of the whole text if it has none."""
    return (
        f"concat(substring-after({text}, ':'), "
        f"substring({text}, 1, number(not(contains({text}, ':'))) * string-length({text})))"
    )


def _check(rules: Rules) -> str:
    described = rules.describe()
    return f"check {described.check} over {described.zone}" if described.check else "no check characters"
