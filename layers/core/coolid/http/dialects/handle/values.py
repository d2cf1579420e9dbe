"""Handle values, each with a unique index and a type. A Handle record is a set of them.

Specification: RFC 3651, section 3.1; Handle.Net Technical Manual, section 14 ("HTTP JSON REST API"), which defines
their JSON.

>>> url_value(1, "https://a.example/").document()
{'index': 1, 'type': 'URL', 'data': {'format': 'string', 'value': 'https://a.example/'}}

A value of type `10320/loc` lists several locations in XML (DOI Handbook, appendix "10320/LOC: XML Attributes"). `id` is
the index of the location's value of type URL, `weight` its quality; `lang` and `country` come from its language tag.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from msgspec import Struct

from coolid.http.message import LANGUAGE
from coolid.model.records import Location

URL: Final = "URL"
LOCATIONS: Final = "10320/loc"
ADMIN: Final = "HS_ADMIN"

_REGION: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z]{3}){0,3}(?:-[A-Za-z]{4})?-([A-Za-z]{2})(?:-.*)?")


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


def locations_xml(locations: Iterable[tuple[int, Location]]) -> str:
    """Return the XML of locations, each with the index of its value."""
    elements = "".join(_element(index, location) for index, location in locations)
    return f'<locations chooseby="locatt,country,weighted">{elements}</locations>'


def location_attributes(index: int, location: Location) -> dict[str, str]:
    """Return the attributes of a location, except `href`."""
    members = {"id": str(index), "weight": f"{1 if location.quality is None else location.quality:g}"}
    language = location.language or ""
    if re.fullmatch(LANGUAGE, language):
        members["lang"] = language
        region = _REGION.fullmatch(language)
        if region:
            members["country"] = region[1].lower()
    return members


def _element(index: int, location: Location) -> str:
    members = {"id": str(index), "href": location.uri, **location_attributes(index, location)}
    text = " ".join(f'{name}="{escape(value)}"' for name, value in members.items())
    return f"<location {text}/>"
