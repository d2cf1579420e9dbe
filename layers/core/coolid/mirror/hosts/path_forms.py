"""The forms in which a prefix begins paths, and the removal of hyphens behind prefixes whose rules ignore them.

Web servers look up paths without these hyphens, so every placement of hyphens is found with one key. The forms of
longer prefixes come first. A prefix whose rules distinguish hyphens protects what is behind it.

>>> from coolid.identifiers.rules.chosen import ChosenRules
>>> forms = path_forms([NamedRepository("ark:12345", "r", ChosenRules(pattern=".+", ignores_hyphens=True))])
>>> normalised("ark:/12345/x5-4xz", forms), forms[0].beginnings
('ark:/12345/x54xz', ('ark:12345/', 'ark:/12345/'))
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from coolid.migration.destinations.exported_identifiers import spellings
from coolid.mirror.sources.source import NamedRepository
from coolid.model.prefixes import LINKID

_SAMPLE = "x"


class PathForm(Struct, frozen=True):
    """The beginnings of decoded paths under a prefix, and whether hyphens behind them are ignored."""

    beginnings: tuple[str, ...]
    ignores_hyphens: bool


def path_forms(namespaces: Iterable[NamedRepository]) -> Sequence[PathForm]:
    """Return the forms of prefixes, those of the longest prefix first."""
    ordered = sorted(namespaces, key=lambda each: (-len(each.name), each.name))
    return [PathForm(_beginnings(each), each.name != LINKID and not each.rules.hyphens_matter) for each in ordered]


def _beginnings(namespace: NamedRepository) -> tuple[str, ...]:
    if namespace.name == LINKID:  # which has no other identifiers than UUIDs
        return (f"{LINKID}:", f"{LINKID}/")
    return tuple(text[: -len(_SAMPLE)] for text in spellings(namespace.name, _SAMPLE, namespace.rules))


def normalised(path: str, forms: Iterable[PathForm]) -> str:
    """Return a path without the hyphens that the rules of its prefix ignore."""
    for form in forms:
        for beginning in form.beginnings:
            if path[: len(beginning)].lower() == beginning:
                return beginning + path[len(beginning) :].replace("-", "") if form.ignores_hyphens else path
    return path
