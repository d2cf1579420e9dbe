"""Curl commands (https://curl.se/docs/manpage.html) for the API's operations, for a POSIX shell.

The values are those of the first example that has everything the request needs. The API key comes from the environment,
so that it stays out of the shell's history.
"""

from itertools import islice
from shlex import quote as quoted
from typing import Any, Final
from urllib.parse import quote, urlencode

from msgspec import json

from coolid.http.pages.openapi import Exemplified, Operation, ParameterDescription

MULTIPART: Final = "multipart/form-data"
_KEY: Final = '-H "Authorization: Bearer $COOLID_KEY"'


def command(operation: Operation, base_url: str) -> str:
    """Return the command that calls an operation of the service at `base_url`."""
    example = _example(operation)
    path = operation.path
    for name, value in _values(operation, "path", example):
        path = path.replace(f"{{{name}}}", quote(value, safe="/:"))
    query = urlencode(_values(operation, "query", example), safe="/:")
    url = f"{base_url}{path}?{query}" if query else f"{base_url}{path}"
    method = [] if operation.method == "GET" else [f"-X {operation.method}"]
    parts = [" ".join(["curl -i", *method, quoted(url)])]
    if not operation.is_public:
        parts.append(_KEY)
    parts += [f"-H {quoted(f'{name}: {value}')}" for name, value in _values(operation, "header", example)]
    for media_type, content in islice(operation.body.content.items(), 1):
        sample: Any = content.samples.get(example) or next(iter(content.samples.values()), "")
        if media_type == MULTIPART:
            parts += [f"--form-string {quoted(f'{name}={_text(each)}')}" for name, each in sample.items()]
        else:
            parts += [f"-H {quoted(f'Content-Type: {media_type}')}", f"--data-binary {quoted(_text(sample))}"]
    return " \\\n  ".join(parts)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.encode(value).decode()


def _example(operation: Operation) -> str:
    """Return the name of the example to send: the body's first, else the first of the path or the query."""
    named: list[Exemplified] = [*islice(operation.body.content.values(), 1)]
    named += [each for each in operation.parameters if each.place != "header"]
    names = [name for each in named for name in each.samples if name]
    required = [each.samples for each in operation.parameters if each.is_required]
    complete = (name for name in names if all(name in samples or "" in samples for samples in required))
    return next(complete, names[0] if names else "")


def _values(operation: Operation, location: str, example: str) -> list[tuple[str, str]]:
    """Return the parameters of one location with their values; optional ones only if the example has them."""
    found = [(each, _value(each, example)) for each in operation.parameters if each.place == location]
    return [
        (parameter.name, str(each))
        for parameter, value in found
        if value is not None
        for each in (value if isinstance(value, list) else [value])
    ]


def _value(parameter: ParameterDescription, example: str) -> Any:
    """Return the example's value of a parameter, or None for an optional one that it does not need."""
    examples = parameter.samples
    if example and example in examples:
        return examples[example]
    return next(iter(examples.values()), f"{{{parameter.name}}}") if parameter.is_required else None
