"""Validation schemas: a custodian's rules in the languages of others, made from the rules themselves.

The FAIR PIDs seed asks namespaces to publish how their identifiers are validated. A regular expression and a JSON
Schema say what a pattern can; the Schematron (ISO/IEC 19757-3, in XPath 1.0, which every engine has) computes check
characters too.

>>> from coolid.domain.rules.lui import LuiRules
>>> json_schema(LuiRules(), "demo")["pattern"].startswith("^")
True
"""

from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from coolid.domain.rules.base import Rules

_JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_SCHEMATRON = "http://purl.oclc.org/dsdl/schematron"


def json_schema(rules: Rules, prefix: str) -> dict[str, Any]:
    """A JSON Schema (2020-12) of the identifiers under a prefix."""
    described = rules.describe()
    title = f"Identifiers under {prefix}"
    # Only RE2 and Python know (?i); a pattern that folds case cannot be said in JSON Schema's dialect.
    pattern = None if "(?i)" in described.pattern else described.pattern
    return {
        **pattern_schema(prefix, title, pattern),
        "description": f"Scheme {rules.scheme}; {_check(rules)}",
        "examples": [described.example] if described.example else [],
    }


def pattern_schema(prefix: str, title: str, pattern: str | None) -> dict[str, Any]:
    """A JSON Schema that knows no more than a pattern."""
    schema = {"$schema": _JSON_SCHEMA, "title": title or f"Identifiers under {prefix}", "type": "string"}
    return schema | ({"pattern": pattern} if pattern else {})


def schematron(rules: Rules, prefix: str) -> str:
    """A Schematron schema: whatever an element named `pid` (in no namespace) holds is an identifier under a prefix."""
    schema = Element("schema", {"xmlns": _SCHEMATRON, "queryBinding": "xslt"})
    SubElement(schema, "title").text = f"Identifiers under {prefix}"
    rule = SubElement(SubElement(schema, "pattern", {"id": "identifiers"}), "rule", {"context": "pid"})
    read, as_ = rules.describe().reads
    SubElement(rule, "let", {"name": "key", "value": f"translate(., '{read}', '{as_}')"})
    for assertion in rules.assertions():
        SubElement(rule, "assert", {"test": assertion.test}).text = assertion.message
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(schema, encoding="unicode") + "\n"


def _check(rules: Rules) -> str:
    described = rules.describe()
    return f"check {described.check} over {described.zone}" if described.check else "no check characters"
