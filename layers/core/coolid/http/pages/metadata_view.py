"""Arbitrary JSON metadata as text, lists and labelled fields with links, as pages show it.

Metadata is any JSON, in any language. The member of an object that names it comes first, its URL becomes the link, and
further short members become a note. DataCite's titles, dates, subjects, rights and related identifiers thus read
naturally. `coolid.http.formats.citations.agents` reads creators. Metadata beyond the limits is omitted; the page links
to the whole record.

>>> MetadataView(1_000).field({"date": "2024-05", "dateType": "Issued"})
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
from coolid.http.formats.metadata_text import on_one_line
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
"""The labels of members whose names are not clear."""

KERNEL: Final = ("what", "who", "when", "where", "how")
"""The elements that come first (the kernel of the ARK draft's ERC)."""

HANDLE: Final = "handle"
"""The element with the values of a Handle."""

MAX_UNFOLDED_LENGTH: Final = 400
"""The most characters of a text whose end is not folded."""
_BEGINNING_LENGTH: Final = 240
_MAX_ITEMS: Final = 40
_MAX_DEPTH: Final = 4
_MAX_BRIEF_LENGTH: Final = 140
_MAX_NOTE_LENGTH: Final = 60
_MORE: Final = "…"

_PEOPLE: Final = frozenset({*CREATORS, "contributors", "contributor", "editor", "editors", "publisher", "publishers"})
_ROLES: Final = ("contributorType", "role")
# The members that name an object, and those that link to it: the first that exists is used.
_HEADS: Final = (
    *("name", "title", "value", "@value", "rights", "date", "subject", "description", "relatedIdentifier"),
    *("awardTitle", "funderName", "geoLocationPlace", "alternateIdentifier", "identifier", "id", "@id"),
)
_LINKS: Final = ("@id", "id", "uri", "url", "rightsUri", "rightsURI", "valueUri", "valueURI", "awardUri", "identifier")
_KINDS: Final = ("relatedIdentifierType", "alternateIdentifierType", "identifierType")


class MetadataField(Struct, frozen=True):
    """A value: a `text` with its link, its note and its folded `rest`, its items or its fields.

    `fields` are pairs of a label and a value; `left` is the number of omitted items or fields; `said` is the pointer to
    the text in the record (`coolid.http.pages.field_pointers`).
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
    """Converts values for one page; `remaining` is the number of characters that still fit."""

    def __init__(self, remaining: int) -> None:
        self.remaining = remaining

    def metadata(self, metadata: Mapping[str, Any]) -> MetadataField:
        """Return all elements as fields, those of the kernel first, without the values of a Handle."""
        names = [name for name in KERNEL if name in metadata]
        names += [name for name in metadata if name not in KERNEL]
        elements = {name: metadata[name] for name in names if not _is_omitted(name, metadata[name])}
        return self._fields(elements, 0)

    def field(self, value: Any, depth: int = 0, name: str = "") -> MetadataField:
        """Return one value, which is the member `name` if that is not empty."""
        if name in _PEOPLE:
            people = self._people(value)
            if people is not None:
                return people
        if isinstance(value, list | tuple):
            return self._list(value, depth)
        if isinstance(value, Mapping):
            return self._object(value, depth)
        return self._text(_to_text(value))

    def _text(self, text: str, href: str | None = None, note: str = "") -> MetadataField:
        """Return a text, cut to the remaining characters. A URL becomes a link."""
        shown = text if len(text) <= self.remaining else text[: max(0, self.remaining)] + _MORE
        self.remaining -= len(shown) + len(note)
        href = href or uri_of(text)
        if len(shown) <= MAX_UNFOLDED_LENGTH:
            return MetadataField(shown, href, note)
        return MetadataField(shown[:_BEGINNING_LENGTH], href, note, shown[_BEGINNING_LENGTH:])

    def _list(self, values: Iterable[Any], depth: int) -> MetadataField:
        present = [each for each in values if each is not None]
        if len(present) == 1:
            return self.field(present[0], depth)
        if depth >= _MAX_DEPTH:
            return self._text(brief(present, MAX_UNFOLDED_LENGTH))
        items = []
        for each in present[:_MAX_ITEMS]:
            if self.remaining <= 0:
                break
            items.append(self.field(each, depth + 1))
        return MetadataField(items=tuple(items), left=len(present) - len(items))

    def _object(self, value: Mapping[str, Any], depth: int) -> MetadataField:
        if depth >= _MAX_DEPTH:
            return self._text(brief(value, MAX_UNFOLDED_LENGTH))
        head = next((name for name in _HEADS if isinstance(value.get(name), str | int | float)), None)
        if head is None:
            return self._fields(value, depth + 1)
        text = _to_text(value[head])
        kind = next((str(value[name]) for name in _KINDS if name in value), "")
        addresses = (uri_of(str(value[name])) for name in _LINKS if isinstance(value.get(name), str))
        href = uri_of(text) or (alternate_uri(kind, text) if kind else None) or next(filter(None, addresses), None)
        others = {name: each for name, each in value.items() if name != head and each not in (None, "", href)}
        notes = {name: each for name, each in others.items() if _is_short(each)}
        note = ", ".join(_note(name, each) for name, each in notes.items())
        shown = self._text(text, href, note)
        rest = self._fields({name: each for name, each in others.items() if name not in notes}, depth + 1)
        return MetadataField(shown.text, shown.href, note, shown.rest, fields=rest.fields, left=rest.left)

    def _fields(self, value: Mapping[str, Any], depth: int) -> MetadataField:
        fields = []
        present = {name: each for name, each in value.items() if each is not None}
        for name, each in present.items():
            if self.remaining <= 0:
                break
            self.remaining -= len(name)
            fields.append((label_of(name), self.field(each, depth, name)))
        return MetadataField(fields=tuple(fields), left=len(present) - len(fields))

    def _people(self, value: Any) -> MetadataField | None:
        """Return the named agents with their roles and affiliations, or None if there are none."""
        items: list[MetadataField] = []
        entries = value if isinstance(value, list | tuple) else (value,)
        for each in entries:
            if self.remaining <= 0 or len(items) >= _MAX_ITEMS:
                break
            roles = [str(each[name]) for name in _ROLES if each.get(name)] if isinstance(each, Mapping) else []
            notes = {agent: ", ".join([*roles, *agent.affiliations]) for agent in agents(each)}
            items += [self._text(agent.name, agent.uri, note) for agent, note in notes.items()] or [self.field(each, 1)]
        if not items:
            return None
        return (
            items[0]
            if len(items) == len(entries) == 1
            else MetadataField(items=tuple(items), left=max(0, len(entries) - len(items)))
        )


def listed_values(handle: Any) -> list[Any] | tuple[Any, ...]:
    """Return the values of a Handle from its metadata element; none if that has another form."""
    listed = handle.get("values") if isinstance(handle, Mapping) else None
    return listed if isinstance(listed, list | tuple) else ()


def label_of(name: str) -> str:
    """Return a member's label: from `LABELS`, or a camel-case name in words, or the name itself."""
    if name in LABELS:
        return LABELS[name]
    if not re.fullmatch("[a-z][A-Za-z]*", name):
        return name
    words = re.sub("(?<=[a-z])(?=[A-Z])", " ", name)
    return words[0].upper() + re.sub(" ([A-Z])(?=[a-z])", lambda found: " " + found[1].lower(), words[1:])


def brief(value: Any, max_length: int = _MAX_BRIEF_LENGTH) -> str:
    """Return any value on one line of at most `max_length` characters."""
    line = ""
    for part in _parts(value, 0):
        line += ("; " if line else "") + part
        if len(line) > max_length:
            return line[: max_length - 1] + _MORE
    return line


def _parts(value: Any, depth: int) -> Iterator[str]:
    """Return the texts of a value in order; values nested too deep are JSON."""
    if value is None:
        return
    if depth > _MAX_DEPTH:
        yield dump(value) if isinstance(value, list | Mapping) else on_one_line(_to_text(value))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _parts(each, depth + 1)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            text = brief(each) if isinstance(each, list | tuple | Mapping) else on_one_line(_to_text(each))
            if text:
                yield text if name in _HEADS else f"{label_of(name)}: {text}"
    else:
        yield on_one_line(_to_text(value))


def _is_omitted(name: str, value: Any) -> bool:
    """Return whether an element is null, or is shown elsewhere on the page."""
    return value is None or (name == HANDLE and len(listed_values(value)) > 0)


def _to_text(value: Any) -> str:
    """Return a string as it is, null as nothing, and any other value as JSON."""
    return value if isinstance(value, str) else "" if value is None else dump(value)


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and len(_to_text(value)) <= _MAX_NOTE_LENGTH


def _note(name: str, value: Any) -> str:
    """Return a further member as a note; types need no label."""
    written = on_one_line(_to_text(value))
    return written if name.endswith("Type") else f"{label_of(name)}: {written}"
