"""JSON in and out. What comes in is read strictly, since what is stored must mean one thing to every reader.

>>> load(b'{"a": 1, "a": 2}')
Traceback (most recent call last):
...
coolid.strict_json.NotJson: the name "a" stands twice in one object
"""

from typing import Any, Final

from msgspec import json

MOST_BYTES: Final = 1_000_000
MOST_DEEP: Final = 100
MOST_EXACT: Final = 2**53 - 1


class NotJson(Exception):
    """The body is not one JSON value in UTF-8 (RFC 8259, with the limits of I-JSON, RFC 7493); says why."""


def dump(document: Any) -> str:
    """Compact JSON text."""
    return json.encode(document).decode()


def load(body: bytes) -> Any:
    """Parse one JSON value; duplicate names, NaN, numbers out of range, lone surrogates and depth are refused."""
    import json  # a redirect needs none of this

    import orjson

    try:
        document = orjson.loads(body)
        refuse_depth(document)
        json.loads(body, object_pairs_hook=_refuse_duplicates, parse_int=_refuse_inexact)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error
    return document


def refuse_depth(document: Any) -> None:
    """`ValueError` for a value that is nested deeper than is read."""
    level = [document]
    for _ in range(MOST_DEEP):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise ValueError(f"it is nested more than {MOST_DEEP} deep")


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"the name {dump(name)} stands twice in one object")
        names.add(name)
    return {}


def _refuse_inexact(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MOST_EXACT:
        raise ValueError("a whole number beyond 2^53 - 1 does not mean the same to every reader; write it as a string")
    return int(digits)
