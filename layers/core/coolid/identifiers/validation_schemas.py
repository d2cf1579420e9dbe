"""Validation schemas: a custodian's rules in the languages of others, made from the rules themselves.

The FAIR PIDs seed asks namespaces to publish how their identifiers are validated. A regular expression and a JSON
Schema say what a pattern can; the Schematron (ISO/IEC 19757-3, in XPath 1.0, which every engine has) computes check
characters too.

>>> from coolid.identifiers.rules.lui import LuiRules
>>> json_schema(LuiRules(), "demo")["pattern"].startswith("^")
True
"""

import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from coolid.identifiers.rules.base import Rules

# What RE2 reads otherwise than ECMA-262 does: flags, classes, anchors and quotes of its own.
_RE2_ONLY = re.compile(r"\(\?(?!:)|\[\[:|\\(?:[pPAzQECa]|x\{)")
_JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_SCHEMATRON = "http://purl.oclc.org/dsdl/schematron"


def json_schema(rules: Rules, prefix: str) -> dict[str, Any]:
    """A JSON Schema (2020-12) of the identifiers under a prefix."""
    described = rules.describe()
    title = f"Identifiers under {prefix}"
    return {
        **pattern_schema(prefix, title, described.pattern),
        "description": f"Scheme {rules.scheme}; {_check(rules)}",
        "examples": [described.example] if described.example else [],
    }


def pattern_schema(prefix: str, title: str, pattern: str | None) -> dict[str, Any]:
    """A JSON Schema that knows no more than a pattern, and not that where JSON Schema's dialect cannot say it."""
    schema = {"$schema": _JSON_SCHEMA, "title": title or f"Identifiers under {prefix}", "type": "string"}
    if not pattern or _RE2_ONLY.search(pattern):
        return schema
    anchored = pattern.startswith("^") and pattern.endswith("$") and "|" not in pattern
    return schema | {"pattern": pattern if anchored else f"^(?:{pattern})$"}


def schematron(rules: Rules, prefix: str) -> str:
    """A Schematron schema: whatever an element named `pid` (in no namespace) holds is an identifier under a prefix."""
    schema = Element("schema", {"xmlns": _SCHEMATRON, "queryBinding": "xslt"})
    SubElement(schema, "title").text = f"Identifiers under {prefix}"
    rule = SubElement(SubElement(schema, "pattern", {"id": "identifiers"}), "rule", {"context": "pid"})
    read, as_ = rules.describe().reads
    bare = "."
    for _ in range(rules.describe().labels):
        bare = _behind_label(bare)
    SubElement(rule, "let", {"name": "key", "value": f"translate({bare}, '{read}', '{as_}')"})
    for assertion in rules.assertions():
        SubElement(rule, "assert", {"test": assertion.test}).text = assertion.message
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(schema, encoding="unicode") + "\n"


def _behind_label(text: str) -> str:
    """XPath 1.0 for what stands behind the first colon, or the text itself where there is none."""
    return (
        f"concat(substring-after({text}, ':'), "
        f"substring({text}, 1, number(not(contains({text}, ':'))) * string-length({text})))"
    )


def _check(rules: Rules) -> str:
    described = rules.describe()
    return f"check {described.check} over {described.zone}" if described.check else "no check characters"
