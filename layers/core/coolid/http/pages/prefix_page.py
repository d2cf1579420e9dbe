"""The page of a prefix: its meaning, the form, checks and citation of its identifiers, and its providers.

Rules of a provider prefix are not authoritative here: its pattern is shown with a warning, and URLs that browsers may
not follow are shown as text.

>>> from coolid.identifiers.rules.lui import LuiRules
>>> confusables(LuiRules().describe()), ignored(LuiRules().describe())
([('oO', '0'), ('iIlL', '1')], '-')
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.errors import StoreUnavailable
from coolid.http.formats import prefixes
from coolid.http.formats.schemas import formats_of
from coolid.http.message import Response
from coolid.http.pages import render
from coolid.http.pages.condition_view import ConditionView, describe_condition
from coolid.identifiers import percent_encoding
from coolid.identifiers.rules.base import RulesDescription
from coolid.model.conditions import FIRST
from coolid.model.prefixes import Namespace, ProviderPrefix, as_path, is_date_qualified, join, path_of
from coolid.model.records import RESERVED
from coolid.resolution import provider_failover
from coolid.resolution.resolver import foreign_identifier
from coolid.store.reader import Reader

_WEB: Final = ("https://", "http://")


class Example(Struct, frozen=True):
    """An example identifier in full, and its URL here."""

    written: str
    url: str


class PrefixProviderRow(Struct, frozen=True):
    """A provider: its URL `pattern`, the example's URL there and `here` (None without an example).

    `seen` is its health; `is_standing` if it serves requests that name no provider.
    """

    code: str
    title: str
    pattern: str
    example: str | None
    here: str | None
    seen: ConditionView | None
    is_standing: bool


def page(prefix: Namespace | ProviderPrefix, headers: Mapping[str, str], base: str, reader: Reader) -> Response:
    """Return the page of a prefix; `base` is the service's URL.

    The rules' example is a link only if `reader` finds it registered.
    """
    is_namespace = isinstance(prefix, Namespace)
    values = {
        "prefix": prefixes.prefix_document(prefix),
        "address": f"{base}/{path_of(prefix.name)}",
        "opening": join(prefix.name, ""),
        "is_led": isinstance(prefix, Namespace) or bool(prefix.providers),
        "beginning": f"{base}/{as_path(join(prefix.name, ''))}",
        "schemas": [
            (name, f"{base}/api/v1/schemas/{path_of(prefix.name)}?format={name}") for name in formats_of(prefix)
        ],
        **(_of_namespace(prefix, base, reader) if isinstance(prefix, Namespace) else _of_provider(prefix, base)),
    }
    return render("prefix-ours.html" if is_namespace else "prefix-elsewhere.html", 200, headers, base, **values)


def _of_namespace(prefix: Namespace, base: str, reader: Reader) -> dict[str, Any]:
    repository = prefix.repository
    described, canonical = repository.rules.describe(), repository.canonical or prefix.name
    support = repository.support or {}
    return {
        "title": prefix.title or repository.title or prefix.name,
        "repository": repository,
        "canonical": canonical,
        "canonical_address": f"{base}/{path_of(canonical)}",
        "example": _example(canonical, described.example, base),
        "is_there": _is_registered(prefix, described.example, reader),
        "short": join(canonical, described.example) if not is_date_qualified(canonical) else None,
        "rules": described,
        "confusables": confusables(described),
        "ignored": ignored(described),
        "support": {name: support[name] for name in ("who", "what", "when", "where") if support.get(name)},
        "mint": f"{base}/pages/mint?prefix={percent_encoding.encode(prefix.name, '')}",
    }


def _of_provider(prefix: ProviderPrefix, base: str) -> dict[str, Any]:
    example = _example(prefix.name, prefix.example or "", base)
    standing, choice = provider_failover.choose_provider(prefix) if prefix.providers else (None, FIRST)
    return {
        "standing": standing and (standing.title or standing.code),
        "choice": choice,
        "is_known": bool(prefix.health),
        "title": prefix.title or prefix.name,
        "example": example,
        "is_there": True,
        "short": example and example.written,
        "homepage": prefix.homepage if prefix.homepage and prefix.homepage.startswith(_WEB) else None,
        "places": [
            PrefixProviderRow(
                provider.code,
                provider.title,
                provider.url,
                provider.location(foreign_identifier(prefix, prefix.example), prefix.encoding)
                if prefix.example
                else None,
                f"{example.url}?provider={percent_encoding.encode(provider.code, '')}" if example else None,
                describe_condition(provider_failover.condition_of(prefix, provider)),
                provider is standing,
            )
            for provider in prefix.providers
        ],
        "bioregistry": f"https://bioregistry.io/{as_path(prefix.name)}"
        if (prefix.source or "").startswith("Bioregistry")
        else None,
    }


def _example(name: str, identifier: str, base: str) -> Example | None:
    return Example(join(name, identifier), f"{base}/{path_of(name, identifier)}") if identifier else None


def _is_registered(prefix: Namespace, identifier: str, reader: Reader) -> bool:
    if not identifier:
        return False
    try:
        record = reader.record(prefix.repository.id, prefix.repository.rules.validate(identifier))
    except StoreUnavailable:  # the rest of the page is still useful
        return False
    return record is not None and record.status != RESERVED


def confusables(described: RulesDescription) -> list[tuple[str, str]]:
    """Return the characters that are read as another one, apart from case: pairs of these and the other."""
    read, as_ = described.reads
    found: dict[str, str] = {}
    for one, other in zip(read, as_, strict=False):
        if one.lower() != other.lower():
            found[other] = found.get(other, "") + one
    return [(ones, other) for other, ones in found.items()]


def ignored(described: RulesDescription) -> str:
    """Return the characters that identifiers may contain without meaning."""
    read, as_ = described.reads
    return read[len(as_) :]
