"""Handle values: what a Handle record is a set of, each with an index of its own and a type.

Specification: RFC 3651, section 3.1; Handle.Net Technical Manual, section 14 ("HTTP JSON REST API"), which says how
values are written in JSON.

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
    """One value: `data` has a `format` and a `value`; `ttl` in seconds or the moment at which it ends.

    None where nothing was said; `permissions` and `references` are seldom given.
    """

    index: int
    type: str
    data: Mapping[str, Any]
    ttl: int | str | None = None
    permissions: str | None = None
    references: Sequence[Mapping[str, Any]] | None = None

    @property
    def text(self) -> str | None:
        """What it says, where that is a text."""
        return self.data["value"] if self.data["format"] == "string" else None

    @property
    def is_url(self) -> bool:
        """Whether it is one of those that proxies lead to; types are compared without regard to case."""
        return is_type(self.type, URL)

    def document(self) -> dict[str, Any]:
        """The value in JSON, with what was said."""
        whole = {"index": self.index, "type": self.type, "data": dict(self.data)}
        more = {"permissions": self.permissions, "ttl": self.ttl, "references": self.references}
        return whole | {name: value for name, value in more.items() if value is not None}


def string_data(text: str) -> dict[str, str]:
    """The data of a value that says a text."""
    return {"format": "string", "value": text}


def url_value(index: int, uri: str) -> Value:
    """The value that leads to a URL."""
    return Value(index, URL, string_data(uri))


def admin_value(index: int, prefix: str) -> Value:
    """The value that names the administrator of a prefix's handles: whoever the prefix's own handle names."""
    named = {"handle": f"0.NA/{prefix}", "index": 200, "permissions": "011111110011"}
    return Value(index, ADMIN, {"format": "admin", "value": named})


def is_type(written: str, wanted: str) -> bool:
    """Whether a type is the wanted one; a wanted one that ends with a dot stands for itself and all below it.

    >>> is_type("EMAIL.work", "email."), is_type("EMAIL", "email."), is_type("EMAILS", "email.")
    (True, True, False)
    """
    written, wanted = written.lower(), wanted.lower()
    if wanted.endswith("."):
        return written == wanted[:-1] or written.startswith(wanted)
    return written == wanted


def number_of(text: str) -> int | None:
    """The whole number that a text is, in at most ten digits; None if it is none.

    >>> number_of("300"), number_of("-1"), number_of("²"), number_of("9" * 5_000)
    (300, None, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 10 else None
