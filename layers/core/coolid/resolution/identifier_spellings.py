"""The identifier and the key under a prefix, from any spelling of the identifier.

Most prefixes are lenient: a repeated prefix is removed. LinkIDs are strict: after their label there is a UUID with
hyphens and nothing else (`coolid.identifiers.schemes.linkid`), whatever else the repository's rules accept.
"""

from collections.abc import Callable, Sequence

from coolid.errors import UnregisteredIdentifier
from coolid.identifiers.rules.base import is_valid
from coolid.model.prefixes import LINKID, Namespace, ProviderPrefix, fold, has_handles
from coolid.model.records import Record


def keys_under(namespace: Namespace, written: str) -> tuple[str, ...]:
    """Return the keys that an identifier under a namespace may have; only LinkIDs can have two, the first preferred.

    Raises `InvalidIdentifier`, and `UnregisteredIdentifier` for a LinkID that the repository's rules refuse.
    """
    if namespace.name == LINKID:
        return _linkid_keys(namespace, written)
    return (namespace.repository.rules.validate(own_identifier(namespace, written)),)


def key_under(namespace: Namespace, written: str) -> str:
    """Return the only or preferred key of an identifier under a namespace. Raises the errors of `keys_under`."""
    return keys_under(namespace, written)[0]


def first_record(keys: Sequence[str], read: Callable[[str], Record | None]) -> Record | None:
    """Return the record of the first key that has one, or None."""
    for key in keys:
        record = read(key)
        if record is not None:
            return record
    return None


def display_under(namespace: Namespace, key: str) -> str:
    """Return the display form of a key, which for LinkIDs is the UUID with hyphens."""
    display = namespace.repository.rules.display(key)
    if namespace.name != LINKID:
        return display
    from coolid.identifiers.schemes import uuid

    return uuid.format(display)


def own_identifier(namespace: Namespace, written: str) -> str:
    """Return the identifier under an own namespace in the form that its rules validate.

    A repeated prefix is removed unless the rules accept it as part of the identifier. A DOI or Handle is lowercased if
    the rules ignore case. An ARK is normalised. A LinkID's UUID has hyphens or not, as the rules require.
    """
    rules = namespace.repository.rules
    if namespace.name == LINKID:
        forms = _uuid_forms(written)
        return next((form for form in forms if is_valid(rules, form)), forms[0])
    if namespace.name.startswith("ark:"):
        from coolid.identifiers.schemes import ark

        written = ark.compact_part(written)
    if has_handles(namespace.name) and not rules.case_matters and not is_valid(rules, written):
        written = written.lower()
    if ":" not in written:
        return written
    identifier = _without_repeated_prefix(written, (f"{namespace.name}:",), None)
    return written if identifier != written and is_valid(rules, written) else identifier


def foreign_identifier(prefix: ProviderPrefix, written: str) -> str:
    """Return the identifier under a foreign prefix, without a repeated prefix that its pattern does not accept."""
    names = (prefix.name, *prefix.synonyms)
    beginnings = (*names, *map(fold, prefix.redundant)) if prefix.redundant else names
    if not fold(written).startswith(beginnings):
        return written
    labels = (*(f"{name}:" for name in names), *prefix.redundant)
    identifier, longer = _without_repeated_prefix(written, labels, prefix.pattern), written
    while identifier != longer:
        identifier, longer = _without_repeated_prefix(identifier, labels, prefix.pattern), identifier
    if identifier != written or prefix.pattern is None:
        return identifier
    from coolid.resolution.extraneous_text import without_label

    return without_label(prefix, identifier)


def _linkid_keys(namespace: Namespace, written: str) -> tuple[str, ...]:
    """Return the keys of a UUID, without hyphens first. Rules that tell both forms apart accept two identifiers."""
    rules, forms = namespace.repository.rules, _uuid_forms(written)
    keys = dict.fromkeys(rules.validate(form) for form in forms if is_valid(rules, form))
    if not keys:
        raise UnregisteredIdentifier(namespace.name, forms[1])
    return tuple(keys)


def _uuid_forms(written: str) -> tuple[str, str]:
    """Return a LinkID's UUID without and with hyphens, in lower case. Raises `InvalidIdentifier`."""
    from coolid.identifiers.schemes import linkid, uuid

    key = linkid.validate_uuid(written)
    return key, uuid.format(key)


def _without_repeated_prefix(identifier: str, beginnings: tuple[str, ...], pattern: str | None) -> str:
    """Return `0006915` for `GO:0006915` under `go`, unless the pattern includes the prefix."""
    colon = identifier.find(":") + 1
    for beginning in beginnings:
        # Split at the colon if there is one, because folding may change the length of the prefix.
        end = colon if beginning.endswith(":") else len(beginning)
        rest = identifier[end:].lstrip()
        if not end or not rest or fold(identifier[:end]) != fold(beginning):
            continue
        if pattern is None:
            return rest if beginning.endswith(":") else identifier
        return identifier if matches(pattern, identifier) and not matches(pattern, rest) else rest
    return identifier


def matches(pattern: str, identifier: str) -> bool:
    """Return whether the pattern matches; import RE2 late, because most redirects do not need it."""
    from coolid.identifiers.patterns import matches

    return matches(pattern, identifier)
