"""Metadata as people read it: any JSON in words, lists and labelled fields, with its links, folded where it is long.

Metadata is whatever JSON the client gave, in no language that is known. Of an object the member that says what it is
stands in front, its address becomes the link, and short further members are a note: so DataCite's titles, dates,
subjects, rights and related identifiers, and most that is like them, read naturally. Whoever made something is read by
`coolid.http.formats.citations.agents`. What there is no room for is left out; the page leads to the whole record.

>>> MetadataView(1_000).of({"date": "2024-05", "dateType": "Issued"})
MetadataField(text='2024-05', href=None, note='Issued', rest='', items=(), fields=(), left=0, said='')
>>> label_of("fundingReferences"), label_of("what"), label_of("dc:x")
('Funding references', 'Title', 'dc:x')
>>> brief(["Tea", {"subject": "Plants"}, None, 7])
'Tea; Plants; 7'
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.http.formats.citations.agents import agents
from coolid.http.formats.metadata_terms import CREATORS
from coolid.http.formats.metadata_text import unbroken
from coolid.http.formats.uris import alternate_uri, uri_of
from coolid.strict_json import dump

LABELS: Final = {
    "what": "Title",
    "who": "By",
    "when": "Date",
    "where": "Place",
    "how": "How",
    "type": "Type",
    "license": "License",
    "rightsList": "Rights",
    "doi": "DOI",
    "relatedIdentifiers": "Related",
    "handle": "Handle values",
}
"""What members are called where their names do not say it."""

KERNEL: Final = ("what", "who", "when", "where", "how")
"""The elements that stand first (the kernel of the ARK draft's ERC)."""

HANDLE: Final = "handle"
"""The element that has the values of a Handle."""

FOLDED: Final = 400
"""Characters of a text above which its end is folded."""
_KEPT: Final = 240
_ITEMS: Final = 40
_DEEP: Final = 4
_BRIEF: Final = 140
_NOTED: Final = 60
_MORE: Final = "…"

_PEOPLE: Final = frozenset({*CREATORS, "contributors", "contributor", "editor", "editors", "publisher", "publishers"})
_ROLES: Final = ("contributorType", "role")
# What says what an object is, and where: the first that there is.
_HEADS: Final = (
    *("name", "title", "value", "@value", "rights", "date", "subject", "description", "relatedIdentifier"),
    *("awardTitle", "funderName", "geoLocationPlace", "alternateIdentifier", "identifier", "id", "@id"),
)
_LINKS: Final = ("@id", "id", "uri", "url", "rightsUri", "rightsURI", "valueUri", "valueURI", "awardUri", "identifier")
_KINDS: Final = ("relatedIdentifierType", "alternateIdentifierType", "identifierType")


class MetadataField(Struct, frozen=True):
    """A value: a `text` with what it leads to and what is noted of it, its folded `rest`, its items or its fields.

    `fields` are pairs of a label and a value; `left` says how many items or fields there was no room for; `said` is
    where the text stands in the record (`coolid.http.pages.field_pointers`).
    """

    text: str = ""
    href: str | None = None
    note: str = ""
    rest: str = ""
    items: tuple["MetadataField", ...] = ()
    fields: tuple[tuple[str, "MetadataField"], ...] = ()
    left: int = 0
    said: str = ""


class MetadataView:
    """Reads values for one page, for as long as there is `room`, in characters."""

    def __init__(self, room: int) -> None:
        self.room = room

    def metadata(self, metadata: Mapping[str, Any]) -> MetadataField:
        """All elements as fields, those of the kernel first; the values of a Handle are not among them."""
        names = [name for name in KERNEL if name in metadata]
        names += [name for name in metadata if name not in KERNEL]
        told = {name: metadata[name] for name in names if not _is_apart(name, metadata[name])}
        return self._fields(told, 0)

    def of(self, value: Any, depth: int = 0, name: str = "") -> MetadataField:
        """One value, which `name` has, if that is known."""
        if name in _PEOPLE:
            people = self._people(value)
            if people is not None:
                return people
        if isinstance(value, list | tuple):
            return self._list(value, depth)
        if isinstance(value, Mapping):
            return self._object(value, depth)
        return self._text(_written(value))

    def _text(self, text: str, href: str | None = None, note: str = "") -> MetadataField:
        """A text as it is, as far as there is room; one that is a URL leads there."""
        told = text if len(text) <= self.room else text[: max(0, self.room)] + _MORE
        self.room -= len(told) + len(note)
        href = href or uri_of(text)
        if len(told) <= FOLDED:
            return MetadataField(told, href, note)
        return MetadataField(told[:_KEPT], href, note, told[_KEPT:])

    def _list(self, values: Iterable[Any], depth: int) -> MetadataField:
        told = [each for each in values if each is not None]
        if len(told) == 1:
            return self.of(told[0], depth)
        if depth >= _DEEP:
            return self._text(brief(told, FOLDED))
        items = []
        for each in told[:_ITEMS]:
            if self.room <= 0:
                break
            items.append(self.of(each, depth + 1))
        return MetadataField(items=tuple(items), left=len(told) - len(items))

    def _object(self, value: Mapping[str, Any], depth: int) -> MetadataField:
        if depth >= _DEEP:
            return self._text(brief(value, FOLDED))
        head = next((name for name in _HEADS if isinstance(value.get(name), str | int | float)), None)
        if head is None:
            return self._fields(value, depth + 1)
        text = _written(value[head])
        kind = next((str(value[name]) for name in _KINDS if name in value), "")
        addresses = (uri_of(str(value[name])) for name in _LINKS if isinstance(value.get(name), str))
        href = uri_of(text) or (alternate_uri(kind, text) if kind else None) or next(filter(None, addresses), None)
        others = {name: each for name, each in value.items() if name != head and each not in (None, "", href)}
        notes = {name: each for name, each in others.items() if _is_short(each)}
        note = ", ".join(_noted(name, each) for name, each in notes.items())
        shown = self._text(text, href, note)
        rest = self._fields({name: each for name, each in others.items() if name not in notes}, depth + 1)
        return MetadataField(shown.text, shown.href, note, shown.rest, fields=rest.fields, left=rest.left)

    def _fields(self, value: Mapping[str, Any], depth: int) -> MetadataField:
        fields = []
        told = {name: each for name, each in value.items() if each is not None}
        for name, each in told.items():
            if self.room <= 0:
                break
            self.room -= len(name)
            fields.append((label_of(name), self.of(each, depth, name)))
        return MetadataField(fields=tuple(fields), left=len(told) - len(fields))

    def _people(self, value: Any) -> MetadataField | None:
        """Those who are named, each with what is noted of them; None if there is nobody."""
        items: list[MetadataField] = []
        told = value if isinstance(value, list | tuple) else (value,)
        for each in told:
            if self.room <= 0 or len(items) >= _ITEMS:
                break
            roles = [str(each[name]) for name in _ROLES if each.get(name)] if isinstance(each, Mapping) else []
            notes = {agent: ", ".join([*roles, *agent.affiliations]) for agent in agents(each)}
            items += [self._text(agent.name, agent.uri, note) for agent, note in notes.items()] or [self.of(each, 1)]
        if not items:
            return None
        return (
            items[0]
            if len(items) == len(told) == 1
            else MetadataField(items=tuple(items), left=max(0, len(told) - len(items)))
        )


def listed_values(told: Any) -> list[Any] | tuple[Any, ...]:
    """The values of a Handle out of what metadata has in their place; none if that is something else."""
    listed = told.get("values") if isinstance(told, Mapping) else None
    return listed if isinstance(listed, list | tuple) else ()


def label_of(name: str) -> str:
    """What a member is called: by `LABELS`, else its name in words, if it is one as programmers write them."""
    if name in LABELS:
        return LABELS[name]
    if not re.fullmatch("[a-z][A-Za-z]*", name):
        return name
    words = re.sub("(?<=[a-z])(?=[A-Z])", " ", name)
    return words[0].upper() + re.sub(" ([A-Z])(?=[a-z])", lambda found: " " + found[1].lower(), words[1:])


def brief(value: Any, most: int = _BRIEF) -> str:
    """Any value on one line of at most so many characters."""
    told = ""
    for part in _parts(value, 0):
        told += ("; " if told else "") + part
        if len(told) > most:
            return told[: most - 1] + _MORE
    return told


def _parts(value: Any, depth: int) -> Iterator[str]:
    """The texts of a value, one after the other; what is nested too deep as JSON."""
    if value is None:
        return
    if depth > _DEEP:
        yield dump(value) if isinstance(value, list | Mapping) else unbroken(_written(value))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _parts(each, depth + 1)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            told = brief(each) if isinstance(each, list | tuple | Mapping) else unbroken(_written(each))
            if told:
                yield told if name in _HEADS else f"{label_of(name)}: {told}"
    else:
        yield unbroken(_written(value))


def _is_apart(name: str, value: Any) -> bool:
    """Whether an element says nothing, or is shown otherwise."""
    return value is None or (name == HANDLE and len(listed_values(value)) > 0)


def _written(value: Any) -> str:
    """A text, a number, or one of JSON's few words."""
    return value if isinstance(value, str) else "" if value is None else dump(value)


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and len(_written(value)) <= _NOTED


def _noted(name: str, value: Any) -> str:
    """A further member: of what kind something is needs no label."""
    written = unbroken(_written(value))
    return written if name.endswith("Type") else f"{label_of(name)}: {written}"
