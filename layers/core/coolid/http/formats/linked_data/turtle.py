"""`text/turtle`: the statements of the JSON-LD in schema.org's terms and in DCAT's (RDF 1.1 Turtle, W3C 2014)."""

import re
from typing import Any, Final

from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.linked_data import dcat, schemaorg
from coolid.http.formats.linked_data.nodes import DATES, LINKS, NAMESPACES, Node
from coolid.model.records import Record

# Invisible characters are legal, but parsers disagree on where lines end.
_ESCAPED: Final = re.compile(r'["\\]|[^ -~\xa1-\u1fff\u2c00-\ud7ff\uf900-\ufefe\U00010000-\U0010ffff]')
_URI: Final = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|\\^`]+')
_SHORT: Final = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def write(record: Record) -> str:
    """Return the description as Turtle."""
    subjects = [node_of(record)]
    blocks: list[str] = []
    for subject in subjects:  # grows while subjects are mentioned
        statements = _statements(subject, subjects)
        if statements:
            blocks.append(f"<{subject['@id']}> " + " ;\n    ".join(statements) + " .\n")
    text = "\n".join(dict.fromkeys(blocks))
    used = [name for name in NAMESPACES if f"{name}:" in text]
    return "".join(f"@prefix {name}: <{NAMESPACES[name]}> .\n" for name in used) + "\n" + text


def node_of(record: Record) -> Node:
    """Return the node of the thing in all vocabularies; DCAT's statements in Dublin Core replace the others there."""
    thing = describe(record)
    one, other = schemaorg.node_of(record, thing), dcat.node_of(record, thing)
    return {**one, **other, "@type": [one["@type"], other["@type"]]}


def literal(text: str) -> str:
    """Return a quoted string (section 2.5.1), with escapes for ambiguous characters."""
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04X}", text) + '"'


def _statements(node: Node, subjects: list[Node]) -> list[str]:
    """Return the predicates with their objects; add nodes with an `@id` to `subjects`."""
    statements = ["a " + ", ".join(map(_term, _listed(node["@type"])))] if "@type" in node else []
    for name, value in node.items():
        if not name.startswith("@"):
            objects = dict.fromkeys(_object(name, each, subjects) for each in _listed(value))
            statements.append(f"{_term(name)} " + ", ".join(objects))
    return statements


def _object(name: str, value: Any, subjects: list[Node]) -> str:
    if isinstance(value, dict):
        return _node(value, subjects)
    if isinstance(value, int):  # or a truth value
        return str(value).lower()
    if name in LINKS and _URI.fullmatch(value):
        return f"<{value}>"
    return literal(value) + ("^^schema:Date" if name in DATES else "")


def _node(value: Node, subjects: list[Node]) -> str:
    if "@language" in value:
        return f"{literal(value['@value'])}@{value['@language']}"
    if "@value" in value:
        return f"{literal(value['@value'])}^^{value['@type']}"
    if "@id" not in value:
        return "[ " + " ; ".join(_statements(value, subjects)) + " ]"
    subjects.append(value)
    return f"<{value['@id']}>"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _term(name: str) -> str:
    return name if ":" in name else f"schema:{name}"
