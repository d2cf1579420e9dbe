"""Arbitrary JSON metadata as text, lists and labelled fields with links, as pages show it.

Metadata is any JSON, in any language. The member of an object that names it comes first, its URL becomes the link, and
further short members become a note. DataCite's titles, dates, subjects, rights and related identifiers thus read
naturally. `coolid.http.formats.description` reads creators. Metadata beyond the limits is omitted; the page links
to the whole record.

>>> label_of("fundingReferences"), label_of("what"), label_of("dc:x")
('Funding references', 'Title', 'dc:x')
>>> brief(["Tea", {"subject": "Plants"}, None, 7])
'Tea; Plants; 7'
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.formats.description.agents import agents
from coolid.http.formats.description.model import Agent
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
_MIN_CUT_LENGTH: Final = 200
_MORE: Final = "…"

_PEOPLE: Final = frozenset({*CREATORS, "contributors", "contributor", "editor", "editors", "publisher", "publishers"})
# The members that name an object, and those that link to it: the first that exists is used.
_HEADS: Final = (
    *("name", "title", "value", "@value", "rights", "date", "subject", "description", "relatedIdentifier"),
    *("awardTitle", "funderName", "geoLocationPlace", "alternateIdentifier", "identifier", "id", "@id"),
)
_LINKS: Final = ("@id", "id", "uri", "url", "rightsUri", "rightsURI", "valueUri", "valueURI", "awardUri", "identifier")
_KINDS: Final = ("relatedIdentifierType", "alternateIdentifierType", "identifierType")


class MetadataField(Struct, frozen=True):
    """A value: a `text` with its link, its note and its folded `rest`, its items or its fields.

    `fields` are pairs of a label and a value; `left` is the number of omitted items or fields. `pointer` is the JSON
    Pointer (RFC 6901) of the text in the record if it is shown unchanged, by which scripts compare the two.
    """

    text: str = ""
    href: str | None = None
    note: str = ""
    rest: str = ""
    items: tuple["MetadataField", ...] = ()
    fields: tuple[tuple[str, "MetadataField"], ...] = ()
    left: int = 0
    pointer: str = ""


class MetadataView:
    """Converts values for one page; `remaining` is the number of characters that still fit."""

    def __init__(self, remaining: int) -> None:
        self.remaining = remaining

    def metadata(self, metadata: Mapping[str, Any]) -> MetadataField:
        """Return all elements as fields, those of the kernel first, without the values of a Handle."""
        names = [name for name in KERNEL if name in metadata]
        names += [name for name in metadata if name not in KERNEL]
        elements = {name: metadata[name] for name in names}
        if listed_values(elements.get(HANDLE)):
            del elements[HANDLE]
        return self._fields(elements, 0, "/metadata")

    def field(self, value: Any, depth: int = 0, name: str = "", pointer: str = "") -> MetadataField:
        """Return one value, which is the member `name` if that is not empty, with its pointer in the record."""
        people = self._people(value, pointer) if name in _PEOPLE else None
        if people is not None:
            return people
        if isinstance(value, list | tuple):
            return self._list(value, depth, pointer)
        if isinstance(value, Mapping):
            return self._object(value, depth, pointer)
        return self._text(_to_text(value), pointer=pointer if isinstance(value, str) else "")

    def _text(self, text: str, href: str | None = None, note: str = "", pointer: str = "") -> MetadataField:
        """Return a text, cut to the remaining characters. A URL becomes a link."""
        shown = text if len(text) <= self.remaining else text[: max(0, self.remaining)] + _MORE
        self.remaining -= len(shown) + len(note)
        href = href or uri_of(text)
        start = shown if len(shown) <= MAX_UNFOLDED_LENGTH else shown[:_BEGINNING_LENGTH]
        leads_elsewhere = href not in (None, start) and "://" in start
        is_unchanged = shown == text and text.strip() != "" and not leads_elsewhere
        return MetadataField(start, href, note, shown[len(start) :], pointer=pointer if is_unchanged else "")

    def _list(self, values: Iterable[Any], depth: int, pointer: str) -> MetadataField:
        present = [(member_pointer(pointer, at), each) for at, each in enumerate(values) if each is not None]
        if len(present) == 1:
            return self.field(present[0][1], depth, pointer=present[0][0])
        if depth >= _MAX_DEPTH:
            return self._text(brief([each for _, each in present], MAX_UNFOLDED_LENGTH))
        items = []
        for item_pointer, each in present[:_MAX_ITEMS]:
            if self.remaining <= 0:
                break
            items.append(self.field(each, depth + 1, pointer=item_pointer))
        return MetadataField(items=tuple(items), left=len(present) - len(items))

    def _object(self, value: Mapping[str, Any], depth: int, pointer: str) -> MetadataField:
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
        shown = self._text(text, href, note, member_pointer(pointer, head) if isinstance(value[head], str) else "")
        rest = self._fields({name: each for name, each in others.items() if name not in notes}, depth + 1)
        return replace(shown, fields=rest.fields, left=rest.left)

    def _fields(self, value: Mapping[str, Any], depth: int, pointer: str = "") -> MetadataField:
        fields = []
        present = {name: each for name, each in value.items() if each is not None}
        for name, each in present.items():
            if self.remaining <= 0:
                break
            self.remaining -= len(name)
            fields.append((label_of(name), self.field(each, depth, name, member_pointer(pointer, name))))
        return MetadataField(fields=tuple(fields), left=len(present) - len(fields))

    def _people(self, value: Any, pointer: str) -> MetadataField | None:
        """Return the named agents with their roles and affiliations, or None if there are none."""
        items: list[MetadataField] = []
        is_list = isinstance(value, list | tuple)
        entries = value if is_list else (value,)
        for at, each in enumerate(entries):
            if self.remaining <= 0 or len(items) >= _MAX_ITEMS:
                break
            entry_pointer = member_pointer(pointer, at) if is_list else pointer
            members = each if isinstance(each, Mapping) else {}
            roles = [str(members[name]) for name in ("contributorType", "role") if members.get(name)]
            found = list(dict.fromkeys(replace(agent, role="") for agent in agents(each)))
            for agent in found:
                own = next((member_pointer(entry_pointer, name) for name in members if members[name] == agent.name), "")
                items.append(self._agent(agent, roles, entry_pointer if each == agent.name else own))
            if not found:
                items.append(self.field(each, 1, pointer=entry_pointer))
        if len(items) == len(entries) == 1:
            return items[0]
        return MetadataField(items=tuple(items), left=max(0, len(entries) - len(items))) if items else None

    def _agent(self, agent: Agent, roles: list[str], pointer: str) -> MetadataField:
        """Return an agent with a link, its roles and affiliations as a note, and its identifiers as fields."""
        plain = [each.name for each in agent.affiliations if each.identifier is None]
        shown = self._text(agent.name, agent.uri, ", ".join([*roles, *plain]), pointer)
        fields = [
            (each.scheme or "Identifier", self._text(each.identifier, each.uri))
            for each in agent.identifiers
            if each.identifier != agent.name and self.remaining > 0
        ]
        fields += [
            ("Affiliation", self._text(each.name, each.identifier.uri))
            for each in agent.affiliations
            if each.identifier is not None and self.remaining > 0
        ]
        return replace(shown, fields=tuple(fields))


def member_pointer(pointer: str, name: str | int) -> str:
    """Return the pointer of a member or item; empty if that of the whole is empty.

    >>> member_pointer("/metadata", "a/b")
    '/metadata/a~1b'
    """
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}" if pointer else ""


def title_pointer(metadata: Mapping[str, Any], title: str) -> str:
    """Return the pointer to the page's title; empty if no element equals or begins with it."""
    is_cut = len(title) > _MIN_CUT_LENGTH and title.endswith(_MORE)
    found = _texts(metadata, "/metadata", 3)
    return next((each for each, text in found if text == title or (is_cut and text.startswith(title[:-1]))), "")


def _texts(value: Any, pointer: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the texts of a value, and of its members and items up to a depth, each with its pointer."""
    if isinstance(value, str):
        yield pointer, value
    elif depth and isinstance(value, list | tuple | Mapping):
        for name, each in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _texts(each, member_pointer(pointer, name), depth - 1)


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
    """Yield the texts of a value in order; values nested too deep are JSON."""
    if depth <= _MAX_DEPTH and isinstance(value, list | tuple):
        for each in value:
            yield from _parts(each, depth + 1)
    elif depth <= _MAX_DEPTH and isinstance(value, Mapping):
        for name, each in value.items():
            text = brief(each) if isinstance(each, list | tuple | Mapping) else on_one_line(_to_text(each))
            if text:
                yield text if name in _HEADS else f"{label_of(name)}: {text}"
    elif value is not None:
        yield dump(value) if isinstance(value, list | Mapping) else on_one_line(_to_text(value))


def _to_text(value: Any) -> str:
    """Return a string as it is, null as nothing, and any other value as JSON."""
    return value if isinstance(value, str) else "" if value is None else dump(value)


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and len(_to_text(value)) <= _MAX_NOTE_LENGTH


def _note(name: str, value: Any) -> str:
    """Return a further member as a note; types need no label."""
    written = on_one_line(_to_text(value))
    return written if name.endswith("Type") else f"{label_of(name)}: {written}"
