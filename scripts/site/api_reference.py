"""The reference of the API in Markdown, from its OpenAPI document.

Each tag is a page, and so are the schemas. Each operation and schema is a heading with an anchor: `records.md#mint` is
the operation, `schemas.md#Mint` the schema. Examples are those of the document.

>>> type_of({"type": "array", "items": {"$ref": "#/components/schemas/Record"}})
'array of [Record](schemas.md#Record)'
>>> type_of({"anyOf": [{"enum": ["active", "reserved"]}, {"type": "null"}]})
'`"active"`, `"reserved"` or null'
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Document = Mapping[str, Any]

METHODS: Final = ("get", "put", "post", "patch", "delete")
_SCHEMAS: Final = "#/components/schemas/"


def api_pages(document: Document) -> dict[str, str]:
    """Return the pages beside that of the overview, by file name."""
    pages = {f"{tag['name']}.md": "\n".join(_tag(document, tag)) for tag in document["tags"]}
    schemas = (line for name, schema in document["components"]["schemas"].items() for line in _schema(name, schema))
    return pages | {"schemas.md": "\n".join(["# Schemas\n", *schemas])}


def api_overview(document: Document) -> str:
    """Return what holds for all operations, and the list of operations."""
    return "\n".join(_overview(document))


def _overview(document: Document) -> Iterator[str]:
    yield f"{document['info']['description']}\n"
    yield "## Authentication\n"
    for scheme in document["components"]["securitySchemes"].values():
        yield f"- HTTP {scheme['scheme']}: {_line(scheme['description'])}"
    yield "\n## Operations\n\n| operation | request |\n|---|---|"
    for tag in document["tags"]:
        for method, path, item in _operations(document, tag):
            operation = item[method]
            target = f"{tag['name']}.md#{operation['operationId']}"
            yield _row(f"[{operation['summary']}]({target})", f"`{method.upper()} {path}`")


def _tag(document: Document, tag: Document) -> Iterator[str]:
    yield f"# {tag['name'].capitalize()}\n\n{tag['description']}\n"
    for method, path, item in _operations(document, tag):
        yield from _operation(document, path, method, item)


def _operations(document: Document, tag: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield the method, path and path item of each operation with this tag."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item and tag["name"] in item[method]["tags"]:
                yield method, path, item


def _operation(document: Document, path: str, method: str, item: Document) -> Iterator[str]:
    operation = item[method]
    yield f"## {operation['summary']} {{ #{operation['operationId']} }}\n\n`{method.upper()} {path}`\n"
    if "description" in operation:
        yield f"{operation['description']}\n"
    parameters = [_resolved(document, each) for each in (*item.get("parameters", ()), *operation.get("parameters", ()))]
    if parameters:
        yield "| parameter | in | type | meaning |\n|---|---|---|---|"
        for each in parameters:
            required = ", required" if each.get("required") else ""
            yield _row(f"`{each['name']}`", each["in"] + required, type_of(each["schema"]), each.get("description", ""))
        yield ""
    body = _resolved(document, operation.get("requestBody", {}))
    for media_type, content in body.get("content", {}).items():
        yield f"Body: `{media_type}`, {type_of(content['schema'])}\n"
        yield from _example(content)
    yield "| status | meaning | body |\n|---|---|---|"
    for status, reference in operation["responses"].items():
        response = _resolved(document, reference)
        bodies = (f"`{media}`: {type_of(each['schema'])}" for media, each in response.get("content", {}).items())
        yield _row(status, response["description"], "<br>".join(bodies))
    yield ""


def _example(content: Document) -> Iterator[str]:
    """Yield the first example of a body, if it is JSON."""
    for example in content.get("examples", {}).values():
        if not isinstance(example["value"], str):
            yield f"```json\n{json.dumps(example['value'], indent=2, ensure_ascii=False)}\n```\n"
            return


def _schema(name: str, schema: Document) -> Iterator[str]:
    yield f"## {name} {{ #{name} }}\n\n{schema.get('description', '')}\n"
    properties = schema.get("properties")
    if not properties:
        yield f"Type: {type_of(schema)}\n"
        return
    yield "| member | type | meaning |\n|---|---|---|"
    for member, each in properties.items():
        required = ", required" if member in schema.get("required", ()) else ""
        yield _row(f"`{member}`", type_of(each) + required, each.get("description", ""))
    yield ""


def type_of(schema: Document) -> str:
    """Return the type of a schema in Markdown, with links to named schemas."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_SCHEMAS)
        return f"[{name}](schemas.md#{name})"
    if values := [schema["const"]] if "const" in schema else schema.get("enum"):
        return ", ".join(f"`{json.dumps(each)}`" for each in values)
    for combined in ("anyOf", "oneOf"):
        if combined in schema:
            return " or ".join(dict.fromkeys(type_of(each) for each in schema[combined]))
    if "allOf" in schema:
        return " and ".join(type_of(each) for each in schema["allOf"])
    declared = schema.get("type", "any")
    names = [declared] if isinstance(declared, str) else declared
    if "array" in names and "items" in schema:
        return f"array of {type_of(schema['items'])}"
    written = " or ".join(names)
    return f"{written} ({schema['format']})" if "format" in schema else written


def _resolved(document: Document, value: Any) -> Any:
    while "$ref" in value:
        target: Any = document
        for name in value["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        value = target
    return value


def _row(*cells: str) -> str:
    return f"| {' | '.join(_line(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _line(text: str) -> str:
    return " ".join(text.split())
