"""Identifiers of items ("Specification and XML Schema for the OAI Identifier Format", version 2.0).

The local part is the permanent id of the repository, a slash, and the key of the record. So an identifier never
changes, whatever namespaces the repository gets.

>>> item_identifier("id.example.org", "r4k2-9m3x-62", "a b/c")
'oai:id.example.org:r4k2-9m3x-62/a%20b/c'
>>> item_key("id.example.org", "oai:id.example.org:r4k2-9m3x-62/a%20b/c")
('r4k2-9m3x-62', 'a b/c')
"""

import re
from typing import Final
from urllib.parse import quote, unquote, urlsplit

SCHEME: Final = "oai"
DELIMITER: Final = ":"
_UNESCAPED: Final = "-_.!~*'();/?:@&=+$,"
_DOMAIN: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*(\.[a-zA-Z][a-zA-Z0-9-]*)+")
_MAX_KEY_BYTES: Final = 1_000


def host_of(base_url: str) -> str:
    """Return the host of the public base URL, which is the namespace of all identifiers."""
    return urlsplit(base_url).hostname or ""


def is_domain(host: str) -> bool:
    """Return whether the host is a domain as the format requires, neither an address nor `localhost`."""
    return _DOMAIN.fullmatch(host) is not None


def item_identifier(host: str, repository_id: str, key: str) -> str:
    """Return the identifier of a record's item."""
    return DELIMITER.join((SCHEME, host, f"{repository_id}/{quote(key, safe=_UNESCAPED)}"))


def item_key(host: str, identifier: str) -> tuple[str, str] | None:
    """Return the repository's id and the key of a record, or None if this service has not issued the identifier."""
    repository_id, _, key = unquote(identifier.removeprefix(f"{SCHEME}:{host}:"), errors="replace").partition("/")
    is_key = 0 < len(key.encode()) <= _MAX_KEY_BYTES
    return (repository_id, key) if is_key and item_identifier(host, repository_id, key) == identifier else None
