"""The rules for new LinkIDs of both revisions (`lid:`, `linkid:`), beside those of their repository.

Specification: draft-linkgenetic-linkid-uri-01, section 7: new `linkid:` identifiers are UUIDs of version 4, and a UUID
is never assigned twice. A repository whose rules tell a UUID with hyphens from one without could otherwise have two
records for a LinkID.
"""

from coolid.errors import BadReference, InvalidIdentifier, InvalidInput
from coolid.identifiers.rules.base import is_valid
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import lid, linkid, uuid
from coolid.model.prefixes import LINKID, Namespace
from coolid.registry.prefix_lookup import prefix_by_name
from coolid.registry.references import require_valid_text
from coolid.resolution.identifier_spellings import keys_under
from coolid.store.prefixes import PrefixReader


def mints_linkids(namespace: Namespace) -> bool:
    """Return whether the PIDs of new records under a namespace are LinkIDs."""
    return namespace.cited == LINKID


def supplied_key(text: str, namespace: Namespace) -> str:
    """Return the key of a supplied identifier. Raises `InvalidInput` at `/id`."""
    rules = namespace.repository.rules
    try:
        key = rules.validate(_in_form_of_rules(require_valid_text(text), namespace))
        if namespace.repository.canonical == lid.NAME:  # the repository's own pattern may allow more than LinkIDs
            lid.validate(rules.display(key))
        if mints_linkids(namespace):
            _require_version(rules.display(key))
        return key
    except (BadReference, InvalidIdentifier) as error:
        raise InvalidInput.at("/id", str(error)) from error


def require_drawn_version(namespace: Namespace) -> None:
    """Raise `InvalidInput` if the rules draw UUIDs that cannot be new LinkIDs."""
    rules = namespace.repository.rules
    if mints_linkids(namespace) and isinstance(rules, UuidRules) and rules.version != linkid.VERSION:
        reason = (
            f"new LinkIDs are UUIDs of version {linkid.VERSION}, but the rules of its repository draw version"
            f' {rules.version}; change them with {{"rules": {{"version": {linkid.VERSION}}}}}'
        )
        raise InvalidInput.at("/prefix", reason)


def equal_keys(key: str, namespace: Namespace, prefixes: PrefixReader) -> tuple[str, ...]:
    """Return the other keys in the repository that have the same LinkID as this one."""
    display = namespace.repository.rules.display(key)
    if isinstance(namespace.repository.rules, UuidRules) or not uuid.is_valid(display):
        return ()
    found = namespace if namespace.name == LINKID else prefix_by_name(LINKID, prefixes)
    if not isinstance(found, Namespace) or found.repository.id != namespace.repository.id:
        return ()
    return tuple(each for each in keys_under(found, uuid.format(display)) if each != key)


def _in_form_of_rules(text: str, namespace: Namespace) -> str:
    """Return the UUID of a new LinkID with hyphens or not, as the rules require, and any other text unchanged."""
    rules = namespace.repository.rules
    if not mints_linkids(namespace) or is_valid(rules, text):
        return text
    forms = (uuid.compact(text), uuid.format(text)) if uuid.is_valid(text) else ()
    return next((form for form in forms if is_valid(rules, form)), text)


def _require_version(display: str) -> None:
    """Raise `InvalidIdentifier` if an identifier would be a LinkID of another version than 4."""
    version = uuid.parse(display).version
    if version != linkid.VERSION:
        found = "has none" if version is None else f"is of version {version}"
        raise InvalidIdentifier(display, f"new LinkIDs are UUIDs of version {linkid.VERSION}, and this one {found}")
