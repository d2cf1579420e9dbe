"""The page of a prefix: its meaning, the form, checks and citation of its identifiers, and its providers.

Rules of a provider prefix are not authoritative here: its pattern is shown with a warning, and URLs that browsers may
not follow are shown as text.

>>> from coolid.identifiers.rules.lui import LuiRules
>>> confusables(LuiRules().describe()), ignored(LuiRules().describe())
([('oO', '0'), ('iIlL', '1')], '-')
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from coolid.errors import InvalidIdentifier, StoreUnavailable
from coolid.http.formats.prefixes import schemas_of
from coolid.http.message import Response
from coolid.http.pages import render
from coolid.identifiers import percent_encoding
from coolid.identifiers.rules.base import RulesDescription
from coolid.model.conditions import FIRST, Condition
from coolid.model.prefixes import LINKID, Namespace, Provider, ProviderPrefix, as_path, is_date_qualified, join, path_of
from coolid.model.records import RESERVED
from coolid.resolution import provider_failover
from coolid.resolution.identifier_spellings import foreign_identifier
from coolid.store.reader import Reader


class ProviderRow(Struct, frozen=True):
    """A provider, the URL of an identifier there, and the address that redirects to it (None without an identifier)."""

    code: str
    title: str
    pattern: str
    url: str | None
    address: str | None
    condition: Condition | None


def provider_row(prefix: ProviderPrefix, provider: Provider, identifier: str, address: str) -> ProviderRow:
    """Return the row of a provider for an identifier, which may be empty, with this address."""
    return ProviderRow(
        provider.code,
        provider.title,
        provider.url,
        provider.location(identifier, prefix.encoding) if identifier else None,
        f"{address}?provider={percent_encoding.encode(provider.code, '')}" if identifier else None,
        provider_failover.condition_of(prefix, provider),
    )


def page(prefix: Namespace | ProviderPrefix, headers: Mapping[str, str], base_url: str, reader: Reader) -> Response:
    """Return the page of a prefix. The rules' example is a link only if `reader` finds it registered."""
    name, opening = path_of(prefix.name), join(prefix.name, "")
    values = {
        "prefix": prefix,
        "address": f"{base_url}/{name}",
        "feed_address": f"{base_url}/sitemaps/feeds/{name}",
        "opening": opening,
        "opening_address": f"{base_url}/{as_path(opening)}",
        "schemas": [(each, f"{base_url}/api/v1/schemas/{name}?format={each}") for each in schemas_of(prefix)],
    }
    if isinstance(prefix, Namespace):
        return render(
            "prefix-namespace.html", 200, headers, base_url, **values, **_namespace_values(prefix, base_url, reader)
        )
    return render("prefix-provider.html", 200, headers, base_url, **values, **_provider_values(prefix, base_url))


def _namespace_values(prefix: Namespace, base_url: str, reader: Reader) -> dict[str, Any]:
    repository = prefix.repository
    rules, canonical = prefix.rules.describe(), prefix.cited
    example = rules.example if canonical == LINKID else repository.rules.describe().example
    return {
        "title": prefix.title or repository.title or prefix.name,
        "is_resolvable": True,
        "repository": repository,
        "canonical": canonical,
        "canonical_address": f"{base_url}/{path_of(canonical)}",
        "example": join(canonical, example) if example else None,
        "example_address": f"{base_url}/{path_of(canonical, example)}",
        "is_registered": _is_registered(prefix, example, reader),
        "has_short_form": not is_date_qualified(canonical),
        "rules": rules,
        "confusables": confusables(rules),
        "ignored": ignored(rules),
    }


def _provider_values(prefix: ProviderPrefix, base_url: str) -> dict[str, Any]:
    standing, choice = provider_failover.choose_provider(prefix) if prefix.providers else (None, FIRST)
    example = prefix.example or ""
    address = f"{base_url}/{path_of(prefix.name, example)}"
    identifier = foreign_identifier(prefix, example) if example else ""
    return {
        "title": prefix.title or prefix.name,
        "is_resolvable": bool(prefix.providers),
        "standing": standing,
        "choice": choice,
        "example": join(prefix.name, example) if example else None,
        "example_address": address,
        "is_registered": True,
        "has_short_form": True,
        "providers": [provider_row(prefix, each, identifier, address) for each in prefix.providers],
    }


def _is_registered(prefix: Namespace, identifier: str, reader: Reader) -> bool:
    if not identifier:
        return False
    try:
        record = reader.record(prefix.repository.id, prefix.repository.rules.validate(identifier))
    except (InvalidIdentifier, StoreUnavailable):  # an example for all LinkIDs; the rest of the page is still useful
        return False
    return record is not None and record.status != RESERVED


def confusables(rules: RulesDescription) -> list[tuple[str, str]]:
    """Return the characters that are read as another one, apart from case: pairs of these and the other."""
    found: dict[str, str] = {}
    for one, other in zip(*rules.reads, strict=False):
        if one.lower() != other.lower():
            found[other] = found.get(other, "") + one
    return [(ones, other) for other, ones in found.items()]


def ignored(rules: RulesDescription) -> str:
    """Return the characters that identifiers may contain without meaning."""
    read, as_ = rules.reads
    return read[len(as_) :]
