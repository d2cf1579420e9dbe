"""The titles of a thing: the kernel's `what`, DataCite's titles, and the names and headlines of schema.org.

>>> [(each.text, each.type) for each in titles({"what": "Tea", "subtitle": "A history"})]
[('Tea', ''), ('A history', 'Subtitle')]
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from coolid.http.formats.description.datacite_terms import TITLE_TYPES, canonical
from coolid.http.formats.description.json_values import Members, in_members, merged, term, texts_of
from coolid.http.formats.description.model import TypedText

MAIN: Final = ("what", "title", "titles", "name", "headline", "additional_titles")
"""The members whose titles are main ones unless they state another type."""
_OTHERS: Final = {
    "alternateName": "AlternativeTitle",
    "alternativeHeadline": "AlternativeTitle",
    "alternative": "AlternativeTitle",
    "subtitle": "Subtitle",
}

MEMBERS: Final = frozenset((*MAIN, *_OTHERS))
"""The members that this module reads."""


def titles(metadata: Members) -> tuple[TypedText, ...]:
    """Return the titles, the main ones first; a structured title fills a plain one with the same text."""
    found = [*titles_in(metadata, MAIN)]
    for name, kind in _OTHERS.items():
        found += titles_in(metadata, (name,), kind)
    joined = merged(found, lambda each: [each.text])
    return tuple(sorted(joined, key=lambda each: bool(each.type)))


def titles_in(value: Members, names: Iterable[str], kind: str = "") -> Iterator[TypedText]:
    """Yield the titles in these members; `kind` is the type of those without one."""
    for item in in_members(value, names):
        written = term(item, "titleType", "type") if isinstance(item, Mapping) else ""
        written = canonical(written, TITLE_TYPES) or written
        yield from (TypedText(text, written or kind, lang) for text, lang in texts_of(item))
