"""`text/turtle`: the same statements as the JSON-LD, in Turtle (RDF 1.1 Turtle, W3C 2014).

The context of schema.org expands its terms to `http://schema.org/…`, even if a document names it by `https`. Turtle
uses the same URIs, so that both formats give one graph.
"""

import re
from typing import Any, Final

from coolid.http.formats.schemaorg import DATES, LINKS, Node, describe
from coolid.model.records import Record

VOCABULARY: Final = "http://schema.org/"

# Invisible characters are legal, but parsers disagree on where lines end.
_ESCAPED: Final = re.compile(r'["\\]|[^ -~\xa1-\u1fff\u2c00-\ud7ff\uf900-\ufefe\U00010000-\U0010ffff]')
_SHORT: Final = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def write(record: Record) -> str:
    """Return the description as Turtle."""
    subjects = [describe(record)]
    blocks = [f"@prefix schema: <{VOCABULARY}> .\n"]
    for subject in subjects:  # grows while subjects are mentioned
        statements = _statements(subject, subjects)
        if statements:
            blocks.append(f"<{subject['@id']}> " + " ;\n    ".join(statements) + " .\n")
    return "\n".join(blocks)


def _statements(node: Node, subjects: list[Node]) -> list[str]:
    """Return the predicates with their objects; add nodes with an `@id` to `subjects`."""
    statements = [f"a schema:{node['@type']}"] if "@type" in node else []
    for name, value in node.items():
        if not name.startswith("@"):
            values = value if isinstance(value, list) else [value]
            statements.append(f"schema:{name} " + ", ".join(_object(name, each, subjects) for each in values))
    return statements


def _object(name: str, value: Any, subjects: list[Node]) -> str:
    if isinstance(value, dict):
        if "@id" not in value:
            return "[ " + " ; ".join(_statements(value, subjects)) + " ]"
        subjects.append(value)
        return f"<{value['@id']}>"
    if isinstance(value, int):
        return str(value)
    if name in LINKS:
        return f"<{value}>"
    return literal(value) + ("^^schema:Date" if name in DATES else "")


def literal(text: str) -> str:
    """Return a quoted string (section 2.5.1), with escapes for ambiguous characters."""
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04X}", text) + '"'
