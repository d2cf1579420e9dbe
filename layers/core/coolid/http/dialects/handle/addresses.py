"""Handles as they are asked for, and the namespaces of ours behind them.

Ours are Handles, DOIs among them, whose prefix is a number and more between dots (`10.5072`, `21.T11148`), if a
namespace of that name is registered. A prefix has a Handle itself, `0.NA/10.5072` (RFC 3651, section 2), which names
who administers it.

>>> handle_of("10.5072/a%2Fb"), prefix_of("0.na/10.5072"), prefix_of("10.5072/x")
('10.5072/a/b', '10.5072', None)
"""

from typing import Final
from urllib.parse import unquote

from msgspec import Struct

from coolid.errors import InvalidIdentifier, UnknownPrefix
from coolid.http.dialects.handle.response_codes import NOT_RESPONSIBLE, HandleError
from coolid.model.prefixes import Namespace, fold, is_handle_prefix
from coolid.registry.prefix_lookup import find, lookup
from coolid.registry.references import Reference, read
from coolid.resolution.resolver import own_identifier
from coolid.store.reader import Reader

HANDLES: Final = "/api/handles/"
AUTHORITIES: Final = "0.na/"


class HandleTarget(Struct, frozen=True):
    """Where a handle is kept: the namespace, the identifier under it in a valid spelling, its key."""

    namespace: Namespace
    identifier: str
    key: str


def handle_of(path: str) -> str:
    """The handle in a percent-encoded path; `BadReference`, `TooLong`."""
    return read(path).text


def echo_of(path: str) -> str:
    """The handle in a path as it was asked for, whatever is wrong with it."""
    return unquote(path, errors="replace").encode(errors="replace").decode()


def prefix_of(handle: str) -> str | None:
    """The prefix whose own Handle this is; None if it is the Handle of something else."""
    return handle[len(AUTHORITIES) :] if handle[: len(AUTHORITIES)].lower() == AUTHORITIES else None


def prefix_under(namespace: Namespace) -> str:
    """What its identifiers have before the first slash: where they are Handles, their prefix."""
    return namespace.name.partition("/")[0]


def namespace_of(handle: str, reader: Reader) -> tuple[Namespace, str]:
    """The namespace of a handle, and what of the handle stands behind it.

    Raises `UnknownPrefix`, `InvalidIdentifier`, `HandleError` where there are no handles.
    """
    prefix, slash, suffix = handle.partition("/")
    if not slash or not suffix:
        raise InvalidIdentifier(handle, "a handle is a prefix, a slash and a suffix")
    if not is_handle_prefix(fold(prefix)):
        raise _no_handles(prefix)
    match = find(Reference.of(f"hdl:{handle}"), reader)
    if not isinstance(match.prefix, Namespace):
        raise UnknownPrefix(handle)
    if not match.identifier:
        raise InvalidIdentifier(handle, "it is the prefix of others, and has no suffix of its own")
    return match.prefix, match.identifier


def place_in(namespace: Namespace, written: str) -> HandleTarget:
    """Where the identifier is kept; `InvalidIdentifier` if it breaks the rules of the namespace's repository."""
    identifier = own_identifier(namespace, written)
    return HandleTarget(namespace, identifier, namespace.repository.rules.validate(identifier))


def authority(prefix: str, reader: Reader) -> Namespace:
    """The namespace that a prefix names; `UnknownPrefix` if it is none of ours, `HandleError` if it is none of handles."""
    if not is_handle_prefix(fold(prefix)):
        raise _no_handles(prefix)
    found = lookup(prefix, reader)
    if not isinstance(found, Namespace):
        raise UnknownPrefix(prefix)
    return found


def _no_handles(prefix: str) -> HandleError:
    message = f"{prefix[:40]!a} is no prefix of handles, which is a number and more between dots, such as 10.5072"
    return HandleError(NOT_RESPONSIBLE, 400, message)
