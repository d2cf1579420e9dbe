"""Handles in request paths, and the namespaces that they belong to.

This service answers for a Handle, which may be a DOI, if its prefix (`10.5072`, `21.T11148`) is a registered namespace.
A prefix has a Handle of its own, `0.NA/10.5072` (RFC 3651, section 2), which names its administrator.

>>> prefix_of("0.na/10.5072"), prefix_of("10.5072/x")
('10.5072', None)
"""

from typing import Final

from coolid.errors import InvalidIdentifier, UnknownPrefix
from coolid.http.dialects.handle.response_codes import NOT_RESPONSIBLE, HandleError
from coolid.model.prefixes import Namespace, fold, is_handle_prefix
from coolid.registry.prefix_lookup import find_prefix, prefix_by_name
from coolid.registry.references import Reference
from coolid.store.prefixes import PrefixReader

HANDLES: Final = "/api/handles/"
PREFIX_HANDLES: Final = "0.na/"


def prefix_of(handle: str) -> str | None:
    """Return the prefix if this is the Handle of a prefix, else None."""
    return handle[len(PREFIX_HANDLES) :] if handle[: len(PREFIX_HANDLES)].lower() == PREFIX_HANDLES else None


def prefix_under(namespace: Namespace) -> str:
    """Return the part of the namespace's name before the first slash, the Handle prefix of its identifiers."""
    return namespace.name.partition("/")[0]


def namespace_of(handle: str, reader: PrefixReader) -> tuple[Namespace, str]:
    """Return a handle's namespace, and the rest. Raises `UnknownPrefix`, `InvalidIdentifier` or `HandleError`."""
    prefix, slash, suffix = handle.partition("/")
    if not slash or not suffix:
        raise InvalidIdentifier(handle, "a handle is a prefix, a slash and a suffix")
    _require_handle_prefix(prefix)
    match = find_prefix(Reference.of(f"hdl:{handle}"), reader)
    if not isinstance(match.prefix, Namespace):
        raise UnknownPrefix(handle)
    if not match.identifier:
        raise InvalidIdentifier(handle, "it is a prefix without a suffix")
    return match.prefix, match.identifier


def namespace_of_prefix(prefix: str, reader: PrefixReader) -> Namespace:
    """Return the namespace of a prefix; raise `UnknownPrefix`, or `HandleError` if it is no Handle prefix."""
    _require_handle_prefix(prefix)
    namespace = prefix_by_name(prefix, reader)
    if not isinstance(namespace, Namespace):
        raise UnknownPrefix(prefix)
    return namespace


def _require_handle_prefix(prefix: str) -> None:
    if not is_handle_prefix(fold(prefix)):
        raise HandleError(NOT_RESPONSIBLE, f"{prefix[:40]!a} is not a prefix of handles, such as 10.5072")
