"""Handle values, each with a unique index and a type. A Handle record is a set of them.

Specification: RFC 3651, section 3.1; Handle.Net Technical Manual, section 14 ("HTTP JSON REST API"), which defines
their JSON.

>>> url_value(1, "https://a.example/").document()
{'index': 1, 'type': 'URL', 'data': {'format': 'string', 'value': 'https://a.example/'}}
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

URL: Final = "URL"
LOCATIONS: Final = "10320/loc"
ADMIN: Final = "HS_ADMIN"


class Value(Struct, frozen=True):
    """One value: `data` has a `format` and a `value`; `ttl` is in seconds or the time at which it ends.

    `ttl`, `permissions` and `references` are None if unspecified.
    """

    index: int
    type: str
    data: Mapping[str, Any]
    ttl: int | str | None = None
    permissions: str | None = None
    references: Sequence[Mapping[str, Any]] | None = None

    @property
    def text(self) -> str | None:
        """The value as a text, or None if it has another format."""
        return self.data["value"] if self.data["format"] == "string" else None

    @property
    def is_url(self) -> bool:
        """Whether proxies redirect to it. Types are compared without regard to case."""
        return is_type(self.type, URL)

    def document(self) -> dict[str, Any]:
        """Return the value in JSON without unspecified members."""
        whole = {"index": self.index, "type": self.type, "data": dict(self.data)}
        optional = {"permissions": self.permissions, "ttl": self.ttl, "references": self.references}
        return whole | {name: value for name, value in optional.items() if value is not None}


def string_data(text: str) -> dict[str, str]:
    """Return the data of a text value."""
    return {"format": "string", "value": text}


def url_value(index: int, uri: str) -> Value:
    """Return a value of type URL."""
    return Value(index, URL, string_data(uri))


def admin_value(index: int, prefix: str) -> Value:
    """Return the value that names the prefix's own handle as the administrator."""
    named = {"handle": f"0.NA/{prefix}", "index": 200, "permissions": "011111110011"}
    return Value(index, ADMIN, {"format": "admin", "value": named})


def is_type(name: str, requested: str) -> bool:
    """Return whether a type matches the requested one; a final dot in the latter includes all subtypes.

    >>> is_type("EMAIL.work", "email."), is_type("EMAIL", "email."), is_type("EMAILS", "email.")
    (True, True, False)
    """
    name, requested = name.lower(), requested.lower()
    if requested.endswith("."):
        return name == requested[:-1] or name.startswith(requested)
    return name == requested


def parse_number(text: str) -> int | None:
    """Return the whole number in a text of at most ten digits, else None.

    >>> parse_number("300"), parse_number("-1"), parse_number("²"), parse_number("9" * 5_000)
    (300, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 10 else None
