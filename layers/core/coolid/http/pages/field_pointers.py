"""Where in a record stands what its page shows: JSON Pointers (RFC 6901), by which scripts hold one against the other.

Marked is what is a string in the record and is shown whole, in one piece or with its end folded.

>>> pointer("metadata", "a/b", 0)
'/metadata/a~1b/0'
>>> from coolid.http.pages.metadata_view import MetadataView
>>> told = {"who": ["Lee, Ann", {"name": "Doe, Bo"}]}
>>> shown = marked(MetadataView(1_000).metadata(told).fields[0][1], told["who"], "/metadata/who")
>>> [each.said for each in shown.items]
['/metadata/who/0', '/metadata/who/1/name']
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from coolid.http.pages.metadata_view import KERNEL, MetadataField, label_of

_CUT = 200


def pointer(*names: str | int) -> str:
    """The way to a value."""
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in names)


def marked_metadata(shown: MetadataField, metadata: Mapping[str, Any]) -> MetadataField:
    """The fields of all metadata, each marked as `marked` does."""
    values = _by_label({**{name: metadata[name] for name in KERNEL if name in metadata}, **metadata})
    fields = (
        (label, marked(each, *values[label])) if label in values else (label, each) for label, each in shown.fields
    )
    return replace(shown, fields=tuple(fields))


def marked(shown: MetadataField, value: Any, place: str) -> MetadataField:
    """What is shown of a value, marked with the `place` of each text in it that the value has as it is."""
    if isinstance(value, str):
        is_whole = shown.text + shown.rest == value and value.strip() != "" and _leads_there(shown)
        return replace(shown, said=place) if is_whole else shown
    if isinstance(value, list | tuple):
        told = [(number, each) for number, each in enumerate(value) if each is not None]
        if len(told) == 1 and not shown.items:
            return marked(shown, told[0][1], f"{place}/{told[0][0]}")
        pairs = zip(shown.items, told, strict=False) if len(shown.items) + shown.left == len(told) else ()
        items = tuple(marked(item, each, f"{place}/{number}") for item, (number, each) in pairs)
        return replace(shown, items=items or shown.items)
    if isinstance(value, Mapping) and shown.text:
        name = next((name for name, each in value.items() if each == shown.text + shown.rest), None)
        return shown if name is None else marked(shown, value[name], place + pointer(name))
    return shown


def title_place(metadata: Mapping[str, Any], title: str) -> str:
    """Where the title of the page stands; empty if it is nowhere as it is."""
    start = title[:-1] if len(title) > _CUT and title.endswith("…") else None
    for name, value in metadata.items():
        for names, text in _texts(value):
            if text == title or (start is not None and text.startswith(start)):
                return pointer("metadata", name, *names)
    return ""


def _texts(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts that a value is, or has as items or as members of these, each with the way to it."""
    if isinstance(value, str):
        yield (), value
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            if isinstance(each, str):
                yield (number,), each
            elif isinstance(each, Mapping):
                yield from (((number, name), text) for name, text in each.items() if isinstance(text, str))


def _by_label(metadata: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
    """Each value and its place by its label; without those whose label others have, too."""
    found: dict[str, tuple[Any, str]] = {}
    labels = [label_of(name) for name in metadata]
    for name, value in metadata.items():
        if labels.count(label_of(name)) == 1:
            found[label_of(name)] = (value, pointer("metadata", name))
    return found


def _leads_there(shown: MetadataField) -> bool:
    """Not to an address that is written otherwise."""
    return shown.href is None or shown.href == shown.text or "://" not in shown.text
