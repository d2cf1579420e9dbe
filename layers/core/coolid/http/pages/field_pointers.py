"""JSON Pointers (RFC 6901) from the texts of a page into its record, by which scripts compare the two.

Only strings of the record that are shown in full get a pointer; their ends may be folded.

>>> pointer("metadata", "a/b", 0)
'/metadata/a~1b/0'
>>> from coolid.http.pages.metadata_view import MetadataView
>>> metadata = {"who": ["Lee, Ann", {"name": "Doe, Bo"}]}
>>> field = add_pointers(MetadataView(1_000).metadata(metadata).fields[0][1], metadata["who"], "/metadata/who")
>>> [each.said for each in field.items]
['/metadata/who/0', '/metadata/who/1/name']
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from coolid.http.pages.metadata_view import KERNEL, MetadataField, label_of

_MIN_CUT_LENGTH = 200


def pointer(*names: str | int) -> str:
    """Return the pointer to a value by the names and numbers of its path."""
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


def add_metadata_pointers(field: MetadataField, metadata: Mapping[str, Any]) -> MetadataField:
    """Return the fields of all metadata with their pointers."""
    values = _by_label({**{name: metadata[name] for name in KERNEL if name in metadata}, **metadata})
    fields = (
        (label, add_pointers(each, *values[label])) if label in values else (label, each)
        for label, each in field.fields
    )
    return replace(field, fields=tuple(fields))


def add_pointers(field: MetadataField, value: Any, at_pointer: str) -> MetadataField:
    """Return the field of a value, whose pointer is `at_pointer`, with the pointers of all unchanged texts in it."""
    if isinstance(value, str):
        is_whole = field.text + field.rest == value and value.strip() != "" and _links_to_itself(field)
        return replace(field, said=at_pointer) if is_whole else field
    if isinstance(value, list | tuple):
        members = [(number, each) for number, each in enumerate(value) if each is not None]
        if len(members) == 1 and not field.items:
            return add_pointers(field, members[0][1], f"{at_pointer}/{members[0][0]}")
        pairs = zip(field.items, members, strict=False) if len(field.items) + field.left == len(members) else ()
        items = tuple(add_pointers(item, each, f"{at_pointer}/{number}") for item, (number, each) in pairs)
        return replace(field, items=items or field.items)
    if isinstance(value, Mapping) and field.text:
        name = next((name for name, each in value.items() if each == field.text + field.rest), None)
        return field if name is None else add_pointers(field, value[name], at_pointer + pointer(name))
    return field


def title_pointer(metadata: Mapping[str, Any], title: str) -> str:
    """Return the pointer to the page's title; empty if no element equals or begins with it."""
    start = title[:-1] if len(title) > _MIN_CUT_LENGTH and title.endswith("…") else None
    for name, value in metadata.items():
        for names, text in _texts(value):
            if text == title or (start is not None and text.startswith(start)):
                return pointer("metadata", name, *names)
    return ""


def _texts(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Return the texts of a value, of its items, and of their members, each with its path."""
    if isinstance(value, str):
        yield (), value
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            if isinstance(each, str):
                yield (number,), each
            elif isinstance(each, Mapping):
                yield from (((number, name), text) for name, text in each.items() if isinstance(text, str))


def _by_label(metadata: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Return the values and their pointers by label, without ambiguous labels."""
    found: dict[str, tuple[Any, str]] = {}
    labels = [label_of(name) for name in metadata]
    for name, value in metadata.items():
        if labels.count(label_of(name)) == 1:
            found[label_of(name)] = (value, pointer("metadata", name))
    return found


def _links_to_itself(field: MetadataField) -> bool:
    """Return False if a text that is a URL links to another one."""
    return field.href is None or field.href == field.text or "://" not in field.text
