"""Functions that read texts from arbitrary JSON: single values or lists, plain texts or objects that contain one.

>>> list(texts_of(["Tea", {"@value": "Tee", "@language": "de"}, {"fr": "Thé"}, "(:unav)"]))
[('Tea', ''), ('Tee', 'de'), ('Thé', 'fr')]
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from coolid.http.formats.metadata_terms import NAMES, texts
from coolid.http.formats.metadata_text import line
from coolid.http.message import LANGUAGE, compiled

Members = Mapping[str, Any]

_LANGUAGES: Final = ("lang", "@language", "language", "xml:lang", "titleLanguage")

# The usual prefixes of schema.org, Dublin Core and DataCite.
_PREFIXES: Final = "^(?:schema|dc|dct|dcterms|datacite):"

_Struct = TypeVar("_Struct", bound=Struct)


def plain_names(metadata: Members) -> Members:
    """Return the members under their names without the prefix of a vocabulary, as JSON-LD writes it.

    >>> plain_names({"schema:name": "Tea", "when": "2024"})
    {'name': 'Tea', 'when': '2024'}
    """
    if not any(":" in name for name in metadata):
        return metadata
    found: dict[str, Any] = {}
    for name, value in metadata.items():
        plain = compiled(_PREFIXES).sub("", name)
        if plain == name or plain not in metadata:
            found.setdefault(plain, value)
    return found


def each_of(value: Any) -> Iterator[Any]:
    """Yield the items of a list at any depth, or a single value; null is nothing."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from each_of(item)
    elif value is not None:
        yield value


def in_members(metadata: Members, names: Iterable[str]) -> Iterator[Any]:
    """Yield the items in these members, in the order of the names."""
    for name in names:
        yield from each_of(metadata.get(name))


def objects_in(metadata: Members, *names: str) -> Iterator[Members]:
    """Yield the objects in these members."""
    return (each for each in in_members(metadata, names) if isinstance(each, Mapping))


def text_of(value: Any, *members: str) -> str:
    """Return the first text of a value on one line: its own, or that in `members`; empty if there is none."""
    if isinstance(value, str):
        return next(map(line, texts(value)), "")
    names = members or NAMES
    found = next(filter(None, map(line, texts(value, *names))), "")
    if not found and isinstance(value, Mapping):  # InvenioRDM has texts by language, always in English too
        translated = (each.get("en") for each in map(value.get, names) if isinstance(each, Mapping))
        return next((line(text) for text in translated if isinstance(text, str)), "")
    return found


def member(value: Members, *names: str) -> str:
    """Return the text of the first of these members that has one, on one line; empty if there is none."""
    return next(filter(None, (text_of(value[name]) for name in names if name in value)), "")


def term(value: Members, *names: str) -> str:
    """Return the term in the first of these members that has one: a text, or the `id` of an object (InvenioRDM).

    >>> term({"type": {"id": "methods"}}, "descriptionType", "type")
    'methods'
    """
    return next(filter(None, (text_of(value.get(name), "id", *NAMES) for name in names)), "")


def language_of(value: Any) -> str:
    """Return the language tag of an object's text, or an empty text."""
    found = member(value, *_LANGUAGES) if isinstance(value, Mapping) else ""
    return found if compiled(LANGUAGE).fullmatch(found) else ""


def texts_of(value: Any, *members: str, read: Callable[..., str] = text_of) -> Iterator[tuple[str, str]]:
    """Yield the texts of a value with their languages; an object may map languages to texts."""
    for item in each_of(value):
        if isinstance(item, Mapping) and is_language_map(item):
            yield from ((text, name) for name in item if (text := read(item[name])))
        elif text := read(item, *members):
            yield text, language_of(item)


def is_language_map(value: Members) -> bool:
    """Return whether all members are short language tags with texts, as in `{"en": "Tea", "de": "Tee"}`."""
    return bool(value) and all(
        compiled("[a-z]{2,3}(?:-[0-9A-Za-z]{1,8})*").fullmatch(name)
        and name not in _LANGUAGES
        and isinstance(each, str)
        for name, each in value.items()
    )


def last_segment(text: str) -> str:
    """Return the name at the end of a URI or compact URI, such as `Person` of `https://schema.org/Person`."""
    return re.split("[/#:]", text.rstrip("/"))[-1]


def merged(values: Iterable[_Struct], keys_of: Callable[[_Struct], Iterable[Hashable]]) -> tuple[_Struct, ...]:
    """Return the values in order, each filled by the later ones that have one of its keys."""
    positions: dict[Hashable, int] = {}
    distinct: list[_Struct] = []
    for value in values:
        keys = list(keys_of(value))
        at = next((positions[key] for key in keys if key in positions), len(distinct))
        if at == len(distinct):
            distinct.append(value)
        else:
            distinct[at] = filled(distinct[at], value)
        for key in keys:
            positions.setdefault(key, at)
    return tuple(distinct)


def filled(first: _Struct, second: _Struct) -> _Struct:
    """Return the first Struct, with the members of the second where its own are empty."""
    own = asdict(first)
    return replace(first, **{name: value for name, value in asdict(second).items() if value and not own[name]})
