"""Commands to copy: an operation of the API as a call of curl (https://curl.se/docs/manpage.html), for a POSIX shell.

The values are those of the first example that has all that a request needs. The key is in the environment: it gets into
no shell's history.
"""

from shlex import quote as quoted
from typing import Any, Final
from urllib.parse import quote, urlencode

from msgspec import json

from coolid.http.pages.openapi import Operation, ParameterDescription

_KEY: Final = '-H "Authorization: Bearer $COOLID_KEY"'
_CONTINUED: Final = " \\\n  "


def command(operation: Operation, base_url: str) -> str:
    r"""The call of an operation of the service at this address.

    >>> from coolid.http.pages.openapi import operations
    >>> print(command(operations("records")[0], "https://id.example"))
    curl -i 'https://id.example/api/v1/records?prefix=mp&limit=2' \
      -H "Authorization: Bearer $COOLID_KEY"
    """
    example = _example(operation)
    path = operation.path
    for name, value in _given(operation, "path", example):
        path = path.replace(f"{{{name}}}", quote(value, safe="/:"))
    query = urlencode(_given(operation, "query", example), safe="/:")
    url = f"{base_url}{path}?{query}" if query else f"{base_url}{path}"
    method = [] if operation.method == "GET" else [f"-X {operation.method}"]
    parts = [" ".join(["curl -i", *method, quoted(url)])]
    if not operation.is_public:
        parts.append(_KEY)
    parts += [f"-H {quoted(f'{name}: {value}')}" for name, value in _given(operation, "header", example)]
    for content in operation.bodies[:1]:
        value = content.examples.get(example) or next(iter(content.examples.values()), "")
        body = value if isinstance(value, str) else json.encode(value).decode()
        parts += [f"-H {quoted(f'Content-Type: {content.media_type}')}", f"--data-binary {quoted(body)}"]
    return _CONTINUED.join(parts)


def _example(operation: Operation) -> str:
    """The name of the example to send: the first of the body's, else the first of the path's or the query's."""
    named = [content.examples for content in operation.bodies[:1]]
    named += [each.examples for each in operation.parameters if each.place != "header"]
    names = [name for examples in named for name in examples if name]
    needed = [each for each in operation.parameters if each.is_required]
    whole = (name for name in names if all(name in each.examples or "" in each.examples for each in needed))
    return next(whole, names[0] if names else "")


def _given(operation: Operation, place: str, example: str) -> list[tuple[str, str]]:
    """The values of the parameters in one place; of those that may be left out, what the example says."""
    told = ((each, _value(each, example)) for each in operation.parameters if each.place == place)
    return [(parameter.name, str(value)) for parameter, value in told if value is not None]


def _value(parameter: ParameterDescription, example: str) -> Any:
    examples = parameter.examples
    if example in examples or not parameter.is_required:
        return examples.get(example)
    return next(iter(examples.values()), f"{{{parameter.name}}}")
