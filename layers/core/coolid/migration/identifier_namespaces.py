"""The namespace of a full identifier, and the prefix to register for one that has none.

>>> possible_prefix("ark:/99999/fk4gt78tq"), possible_prefix("doi:10.5072/FK2x"), possible_prefix("mp:1/2")
(('ark:99999/fk4', 'gt78tq'), ('10.5072', 'FK2x'), ('mp', '1/2'))
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import BadReference, CoolidError, InvalidInput, StoreUnavailable, UnknownPrefix, UnknownProvider
from coolid.identifiers.schemes import ark
from coolid.model.prefixes import BOUNDARIES, MAX_NAME_BYTES, Namespace, fold, is_namespace_name, join
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import Reference, require_sendable
from coolid.store.prefixes import PrefixReader

_LABEL: Final = re.compile("(?i)(?:doi|hdl|handle)[:/]")
_HANDLE: Final = re.compile(r"([0-9]+(?:\.[0-9A-Za-z_-]+)*)/(.+)", re.DOTALL)
_HAS_PREFIX: Final = re.compile(r"(?i)ark:|(?:doi|hdl|handle):|[0-9]+(?:\.[0-9a-z_-]+)+/")


class NamespaceMatch(Struct, frozen=True):
    """A namespace, and the name under it as written."""

    namespace: Namespace
    name: str


class IdentifierNamespaces:
    """Finds namespaces in `reader`. `prefix` is that of bare names, or empty."""

    def __init__(self, reader: PrefixReader, prefix: str = "") -> None:
        self._reader = reader
        self._prefix = prefix

    def full(self, identifier: str) -> str:
        """Return an identifier with its prefix."""
        return with_prefix(identifier, self._prefix)

    def find(self, identifier: str) -> NamespaceMatch | None:
        """Return the namespace of a full identifier, or None if no namespace here has its prefix.

        Raises `InvalidInput` for a text that is no identifier, `StoreUnavailable`.
        """
        try:
            match = find_prefix(Reference.of(require_sendable(identifier)), self._reader)
        except (UnknownPrefix, UnknownProvider):
            return None
        except StoreUnavailable:
            raise
        except (BadReference, CoolidError) as error:
            raise InvalidInput.at("", str(error)) from error
        if not isinstance(match.prefix, Namespace):
            return None
        if not match.identifier:
            raise InvalidInput.at("", "it is a prefix, not an identifier")
        return NamespaceMatch(match.prefix, match.identifier)


def with_prefix(identifier: str, prefix: str) -> str:
    """Return an identifier with the prefix of bare names, unless it has one or there is none.

    >>> [with_prefix(each, "mp") for each in ("x", "mp:x", "ark:/12345/x", "10.5072/x")]
    ['mp:x', 'mp:x', 'ark:/12345/x', '10.5072/x']
    """
    if not prefix or _HAS_PREFIX.match(identifier):
        return identifier
    name, end = fold(prefix), len(prefix)
    has_prefix = fold(identifier[:end]) == name and identifier[end : end + 1] in (*BOUNDARIES,)
    return identifier if has_prefix else join(name, identifier)


def possible_prefix(identifier: str) -> tuple[str, str] | None:
    """Return the folded prefix that would make an identifier resolve, and the name under it; None if there is none.

    An ARK has its shoulder by the first-digit convention, or else only its NAAN; a DOI or Handle has its prefix; and
    another identifier has what stands before its colon, or else before its last slash.
    """
    found = _divided(identifier)
    if found is None or not found[1]:
        return None
    name = fold(found[0])
    return (name, found[1]) if is_namespace_name(name) and len(name.encode()) <= MAX_NAME_BYTES else None


def _divided(identifier: str) -> tuple[str, str] | None:
    if identifier[:4].lower() == ark.LABEL:
        return ark.behind_shoulder(identifier) or next(ark.divisions(identifier), None)
    label = _LABEL.match(identifier)
    handle = _HANDLE.fullmatch(identifier, label.end() if label else 0)
    if handle and (label or "." in handle[1]):
        return handle[1], handle[2]
    if label:
        return None
    before, separator, behind = identifier.partition(":")
    if not separator:
        before, separator, behind = identifier.rpartition("/")
    return (before, behind) if separator else None
