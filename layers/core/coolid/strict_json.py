"""A strict JSON parser, because stored JSON must mean the same to every reader, and a compact serialiser.

>>> load(b'{"a": 1, "a": 2}')
Traceback (most recent call last):
...
coolid.strict_json.NotJson: the name "a" occurs twice in one object
"""

from typing import Any, Final

from msgspec import json

MAX_BYTES: Final = 1_000_000
MAX_DEPTH: Final = 100
MAX_EXACT_INTEGER: Final = 2**53 - 1


class NotJson(Exception):
    """The body is not one JSON value in UTF-8 (RFC 8259, with the limits of I-JSON, RFC 7493)."""


def dump(document: Any) -> str:
    """Return compact JSON text."""
    return json.encode(document).decode()


def load(body: bytes) -> Any:
    """Parse one JSON value; raise `NotJson` also for duplicate names, inexact numbers, lone surrogates and depth."""
    import json  # redirects load neither module

    import orjson

    try:
        document = orjson.loads(body)
        check_depth(document)
        json.loads(body, object_pairs_hook=_refuse_duplicates, parse_int=_parse_exact_integer)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error
    return document


def check_depth(document: Any) -> None:
    """Raise `ValueError` for a value that is nested more than `MAX_DEPTH` levels deep."""
    level = [document]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise ValueError(f"it is nested more than {MAX_DEPTH} deep")


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"the name {dump(name)} occurs twice in one object")
        names.add(name)
    return {}


def _parse_exact_integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MAX_EXACT_INTEGER:
        raise ValueError("a whole number beyond 2^53 - 1 does not mean the same to every reader; write it as a string")
    return int(digits)
