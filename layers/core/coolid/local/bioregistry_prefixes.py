"""The Bioregistry's prefixes (data under CC0 1.0) as provider prefixes of ours.

The first provider is what the Bioregistry itself takes by default; the registries that it is aligned with follow, then
the URLs that stand for the things in RDF, then the extra providers that it lists. Reading it takes some seconds, so
that the result is kept in a file that names the package's version.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import orjson

from coolid.aws import private_files
from coolid.aws.dynamodb.items import rows_of
from coolid.errors import InvalidInput
from coolid.model.prefixes import DATA, PLACEHOLDER, URI, Provider, ProviderPrefix, as_uri, fold
from coolid.registry.registration import checked_name

ALIGNED: Final = ("obofoundry", "miriam", "ols", "n2t", "rrid")
OPAQUE: Final = ("ark", "doi", "hdl")
"""Identifiers that are data, not pieces of URL: `#`, `?` and `%` in them are no fragment, query or escape."""

Locator = Callable[[str, str], str | None]
"""Tells the URL of an identifier under a prefix, if there is any."""

_CACHE_FORMAT: Final = 5


def cached_rows(folder: Path) -> list[dict[str, Any]]:
    """All rows of the registry for the prefix table, from the file in `folder` or else made and kept there."""
    file = folder / f"bioregistry-{version('bioregistry')}-{_CACHE_FORMAT}.json"
    try:
        cached = orjson.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        cached = None
    if not _is_ours(cached):
        rows = rows_of(prefixes())
        plain = [row | {"longer": sorted(row["longer"])} if "longer" in row else row for row in rows]
        text = orjson.dumps({"digest": _digest(plain), "rows": plain})
        folder.mkdir(parents=True, exist_ok=True)
        with private_files.replacement(file) as new:
            new.write(text)
        cached = orjson.loads(text)
    return cached["rows"]


def _is_ours(cached: Any) -> bool:
    return isinstance(cached, dict) and cached.get("digest") == _digest(cached.get("rows"))


def _digest(rows: Any) -> str:
    return sha256(orjson.dumps(rows)).hexdigest()


def prefixes() -> Iterator[ProviderPrefix]:
    """Every prefix of the installed Bioregistry, those without a provider included."""
    from bioregistry import manager

    source = f"Bioregistry {version('bioregistry')} (CC0 1.0)"
    formatters = {
        code: formatter
        for code, formatter in next(iter(manager.registry.values())).URI_FORMATTERS.items()
        if code in ALIGNED
    }
    locators: dict[str, Locator] = {"miriam": manager.get_miriam_iri, "bioportal": manager.get_bioportal_iri}
    # Not the time of reading: the same data must give the same rows, and the same entity tags, at every start.
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    names = {fold(name) for name in manager.registry}
    for name, resource in manager.registry.items():
        yield ProviderPrefix(
            name=checked_name(name),
            title=resource.get_name() or "",
            description=resource.get_description() or "",
            homepage=resource.get_homepage(),
            pattern=resource.get_pattern(),
            example=resource.get_example(),
            encoding=DATA if name in OPAQUE else URI,
            providers=tuple(_providers(resource, formatters, locators)),
            synonyms=tuple(sorted(set(_synonyms(resource)) - names)),
            redundant=tuple(_redundant(resource)),
            source=source,
            deprecated=resource.is_deprecated(),
            created=moment,
            updated=moment,
        )


def _providers(resource: Any, formatters: dict[str, Any], locators: dict[str, Locator]) -> Iterator[Provider]:
    formats = {code: formatter(resource) for code, formatter in formatters.items()}
    formats |= {code: pattern for code, locate in locators.items() if (pattern := _traced(resource, locate))}
    listed = [("default", resource.get_default_format(), "")]
    listed += [(code, pattern, "") for code, pattern in formats.items()]
    if resource.get_default_format():  # else it may be a name that leads nowhere
        listed.append(("rdf", resource.get_rdf_uri_format(), ""))
    listed += [(each.code, each.uri_format, each.name or "") for each in resource.get_extra_providers()]
    codes: set[str] = set()
    for code, pattern, title in listed:
        if pattern and code and "$1" in pattern and fold(code) not in codes:
            codes.add(fold(code))
            yield Provider(code, as_uri(pattern).replace("$1", PLACEHOLDER), title)


def _traced(resource: Any, locate: Locator) -> str | None:
    """The pattern of the URL that the Bioregistry gives for the example, where it has no pattern or one "not exact"."""
    example = resource.get_example()
    location = locate(resource.prefix, example) if example else None
    return location[: -len(example)] + "$1" if location and location.endswith(example) else None


def _synonyms(resource: Any) -> Iterator[str]:
    for synonym in resource.get_synonyms():
        with suppress(InvalidInput):
            yield checked_name(synonym)


def _redundant(resource: Any) -> Iterator[str]:
    banana, peel = resource.get_banana(), resource.get_banana_peel()
    if banana:
        yield banana + (peel or ":")
