"""Citation metadata: the elements without a leading underscore, from a record's metadata and back.

The elements of the preferred profile that the kernel has are stored only in the kernel's members. All other elements
are stored verbatim in the metadata member `ezid`. Members that no element sets get their values from these
(`coolid.http.dialects.ezid.blocks`); such a derived value is not an element, unless a client sends it. An element with
an empty value in `ezid` marks this case.

>>> metadata = metadata_with({"erc.who": "Proust, Marcel", "note": "a"}, "erc")
>>> metadata
{'ezid': {'note': 'a'}, 'who': 'Proust, Marcel'}
>>> citation_elements(metadata, "erc")
{'note': 'a', 'erc.who': 'Proust, Marcel'}
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from coolid.http.dialects.ezid.blocks import kernel_values
from coolid.http.dialects.ezid.profiles import (
    ELEMENTS,
    KERNEL,
    PUBLISHER,
    TYPE,
    WHAT,
    WHEN,
    WHO,
    resource_type,
    type_text,
)
from coolid.http.formats.description.json_values import text_of
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import Description
from coolid.model.records import EMPTY_METADATA, Record

MEMBER: Final = "ezid"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FROM_DESCRIPTION: Final[Mapping[str, Callable[[Description], str]]] = {
    WHO: lambda about: "; ".join(each.name for each in about.creators),
    WHAT: lambda about: next((each.text for each in about.titles), ""),
    WHEN: lambda about: about.when,
    PUBLISHER: lambda about: next((each.name for each in about.publishers), ""),
    TYPE: lambda about: about.resource_type,
}
"""The values of members from other vocabularies, such as `titles`, for elements that the kernel does not have."""


def stored_elements(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the elements in the member `ezid`, internal ones too; other content of the member is ignored."""
    member = metadata.get(MEMBER)
    return (
        {name: value for name, value in member.items() if isinstance(value, str)} if isinstance(member, Mapping) else {}
    )


def is_foreign(metadata: Mapping[str, Any]) -> bool:
    """Return whether the member `ezid` has other content, which would be lost if elements were written."""
    return MEMBER in metadata and metadata[MEMBER] != stored_elements(metadata)


def citation_elements(metadata: Mapping[str, Any], profile: str) -> dict[str, str]:
    """Return the citation elements of a record's metadata with this preferred profile."""
    stored = _citation(stored_elements(metadata))
    elements = {name: value for name, value in stored.items() if name and value}
    derived = kernel_values(elements, profile)
    names = ELEMENTS.get(profile, {})
    for member, value in _member_texts(metadata, names).items():
        if value and (value != derived.get(member) or names[member] in stored):
            elements[names[member]] = value
    return elements


def kernel_texts(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of the kernel's members, "" for those that are absent."""
    return _member_texts(metadata, KERNEL)


def metadata_with(
    elements: Mapping[str, str], profile: str, metadata: Mapping[str, Any] = EMPTY_METADATA, previous: str | None = None
) -> dict[str, Any]:
    """Return a record's metadata whose citation elements are these, without internal ones in `ezid`.

    `previous` is the preferred profile of `metadata`, if it is another one. A member whose text does not change keeps
    its value, which may be structured, and members that are no elements stay.
    """
    before = citation_elements(metadata, previous or profile)
    derived_before = kernel_values(before, previous or profile)
    names, names_before = ELEMENTS.get(profile, {}), ELEMENTS.get(previous or profile, {})
    texts = _member_texts(metadata, KERNEL)
    stored = {name: value for name, value in elements.items() if value and name not in names.values()}
    derived = kernel_values(stored, profile)
    result = {name: value for name, value in metadata.items() if name != MEMBER}
    for member in KERNEL:
        name, text = names.get(member, ""), texts[member]
        value = elements.get(name, "")
        is_element = names_before.get(member) in before or text == derived_before.get(member, "")
        wanted = value or (derived.get(member, "") if is_element else text)
        if value and value == derived.get(member):
            stored[name] = ""
        if wanted != text:
            result.pop(member, None)
            if wanted:
                result[member] = resource_type(wanted) if member == TYPE else wanted
    return ({MEMBER: stored} if stored else {}) | result


def _citation(elements: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in elements.items() if not name.startswith("_")}


def _member_texts(metadata: Mapping[str, Any], members: Sequence[str] | Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of these members, or those of other vocabularies for members that are absent."""
    texts = {member: _text(member, metadata.get(member)) for member in members}
    if all(texts.values()) or not metadata.keys() - {MEMBER, *KERNEL}:
        return texts
    about = describe(_record({name: value for name, value in metadata.items() if name not in members}))
    return {member: text or _FROM_DESCRIPTION[member](about) for member, text in texts.items()}


def _text(member: str, value: Any) -> str:
    """Return the text of a member: that of a string as it is, the names in a list separated by semicolons."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, map(text_of, value)))
    if member == TYPE and isinstance(value, Mapping) and (text := type_text(value)):
        return text
    return text_of(value)


def _record(metadata: Mapping[str, Any]) -> Record:
    """Return a record with only metadata, for the functions that describe records."""
    return Record("", "", "", 1, _EPOCH, _EPOCH, "", "active", metadata=metadata)
