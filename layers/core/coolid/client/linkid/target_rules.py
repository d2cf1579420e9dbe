"""The local policy for the targets of LinkIDs: which of them a client may use.

Specification: draft-linkgenetic-linkid-uri-01, sections 5.2 and 12 (clients should restrict the schemes of targets, for
example to https). A target on this machine is allowed only if the resolver is on this machine, too. A target is used as
it is written, so that it must be a URI (RFC 3986), and all programs must read the same host in it.

>>> target_objection("javascript:alert(1)", "https://a.example/resolve/x")
'its scheme is javascript; only https is allowed'
>>> target_objection("https:\\\\b.example/", "https://a.example/resolve/x")
'it contains a backslash'
>>> target_objection("https://b.example/a.pdf", "https://a.example/resolve/x") is None
True
"""

import re
from collections.abc import Collection
from typing import Final

import can_ada

from coolid.client.errors import RefusedByClient
from coolid.client.url_policy import MAX_URL_BYTES, is_loopback
from coolid.identifiers import target_policy

DEFAULT_SCHEMES: Final = frozenset({"https"})
NEVER: Final = frozenset({"about", "blob", "data", "javascript", "vbscript"})
"""Schemes whose URLs contain the content, or code, that a resolver would thereby choose."""

_UNWRITABLE: Final = re.compile(r"[^\x21-\x7e]|\\")
_BEFORE_PATH: Final = re.compile("[^/?#]*(?://[^/?#]*)?")


def checked_schemes(schemes: Collection[str]) -> frozenset[str]:
    """Return the allowed schemes in lower case, with https. Raises `RefusedByClient` for one that is never allowed.

    >>> sorted(checked_schemes(["HTTP:"]))
    ['http', 'https']
    """
    cleaned = frozenset(scheme.strip().lower().removesuffix("//").removesuffix(":") for scheme in schemes)
    if refused := sorted(cleaned & NEVER):
        raise RefusedByClient(f"the scheme {refused[0]} is never allowed for the target of a LinkID")
    if not all(scheme and scheme.isascii() and scheme.replace("+", "a").isalnum() for scheme in cleaned):
        raise RefusedByClient("the name of a scheme has letters and digits, such as http")
    return cleaned | DEFAULT_SCHEMES


def target_objection(target: str, resolver_url: str, schemes: Collection[str] = DEFAULT_SCHEMES) -> str | None:
    """Return why a client may not use a target that the resolver at this URL named, or None."""
    if reason := _spelling_objection(target):
        return reason
    try:
        parsed = can_ada.parse(target)
    except ValueError:
        return "it is no URL that a browser would accept"
    if parsed.username or parsed.password:
        return "it is a URL with credentials"
    scheme = parsed.protocol.removesuffix(":")
    if scheme in ("http", "https") and is_loopback(target):
        local = is_loopback(resolver_url)
        return None if local else "it is on this machine, and the resolver is not"
    if scheme not in schemes or scheme in NEVER:
        return f"its scheme is {scheme}; only {', '.join(sorted(schemes))} is allowed"
    return target_policy.objection(f"{_before_path(target)}/") if scheme in ("http", "https") else None


def _spelling_objection(target: str) -> str | None:
    if len(target) > MAX_URL_BYTES:
        return f"it is longer than {MAX_URL_BYTES} bytes"
    unwritable = _UNWRITABLE.search(target)
    if unwritable is None:
        return None
    if unwritable[0] == "\\":
        return "it contains a backslash"
    return f"character {unwritable.start() + 1} (U+{ord(unwritable[0]):04X}) is in no URI"


def _before_path(target: str) -> str:
    """Return the scheme and the authority of a URL as they are written."""
    found = _BEFORE_PATH.match(target)
    assert found is not None
    return found[0]
