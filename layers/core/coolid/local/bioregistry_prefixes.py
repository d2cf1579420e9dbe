"""The Bioregistry's prefixes (data under CC0 1.0) as provider prefixes.

The first provider is the Bioregistry's default. The aligned registries follow, then the RDF URLs, then the extra
providers. Reading takes some seconds, so the result is cached in a file whose name contains the package's version.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson

from coolid import private_files
from coolid.errors import InvalidInput
from coolid.model.prefixes import DATA, PLACEHOLDER, URI, Provider, ProviderPrefix, as_uri, fold
from coolid.registry.registration import validated_name
from coolid.store.rows import registry_rows

ALIGNED: Final = ("obofoundry", "miriam", "ols", "n2t", "rrid")
OPAQUE: Final = ("ark", "doi", "hdl")
"""Prefixes whose identifiers are data, not parts of a URL: `#`, `?` and `%` in them have no special meaning."""

Locator = Callable[[str, str], str | None]
"""Returns the URL of an identifier under a prefix, or None."""

_CACHE_FORMAT: Final = 5


def cached_rows(folder: Path) -> list[dict[str, Any]]:
    """Return all rows of the registry for the prefix table, from a cache file in `folder`."""
    file = folder / f"bioregistry-{version('bioregistry')}-{_CACHE_FORMAT}.json"
    try:
        cached = orjson.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        cached = None
    if not _is_intact(cached):
        plain = [
            row | {"longer": sorted(row["longer"])} if "longer" in row else row for row in registry_rows(prefixes())
        ]
        text = orjson.dumps({"digest": _digest(plain), "rows": plain})
        folder.mkdir(parents=True, exist_ok=True)
        with private_files.replacement(file) as new:
            new.write(text)
        cached = orjson.loads(text)
    rows: list[dict[str, Any]] = cached["rows"]
    return rows


def _is_intact(cached: Any) -> bool:
    return isinstance(cached, dict) and cached.get("digest") == _digest(cached.get("rows"))


def _digest(rows: Any) -> str:
    return sha256(orjson.dumps(rows)).hexdigest()


def prefixes() -> Iterator[ProviderPrefix]:
    """Yield every prefix of the installed Bioregistry, including those without a provider."""
    with _temporary_home():
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
            name=validated_name(name),
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


@contextmanager
def _temporary_home() -> Iterator[None]:
    """Set a temporary home folder. The import creates folders in the home, and a service may have no home."""
    name = "HOME"
    home = os.environ.get(name)
    with TemporaryDirectory(prefix="coolid-") as folder:
        os.environ[name] = folder
        try:
            yield
        finally:
            del os.environ[name]
            if home is not None:
                os.environ[name] = home


def _providers(resource: Any, formatters: dict[str, Any], locators: dict[str, Locator]) -> Iterator[Provider]:
    formats = {code: formatter(resource) for code, formatter in formatters.items()}
    formats |= {code: pattern for code, locate in locators.items() if (pattern := _example_pattern(resource, locate))}
    listed = [("default", resource.get_default_format(), "")]
    listed += [(code, pattern, "") for code, pattern in formats.items()]
    if resource.get_default_format():  # without a default, it may be a name that does not resolve
        listed.append(("rdf", resource.get_rdf_uri_format(), ""))
    listed += [(each.code, each.uri_format, each.name or "") for each in resource.get_extra_providers()]
    codes: set[str] = set()
    for code, pattern, title in listed:
        if pattern and code and "$1" in pattern and fold(code) not in codes:
            codes.add(fold(code))
            yield Provider(code, as_uri(pattern).replace("$1", PLACEHOLDER), title)


def _example_pattern(resource: Any, locate: Locator) -> str | None:
    """Return a pattern made from the URL of the example, for a registry without an exact pattern."""
    example = resource.get_example()
    location = locate(resource.prefix, example) if example else None
    return location[: -len(example)] + "$1" if location and location.endswith(example) else None


def _synonyms(resource: Any) -> Iterator[str]:
    for synonym in resource.get_synonyms():
        with suppress(InvalidInput):
            yield validated_name(synonym)


def _redundant(resource: Any) -> Iterator[str]:
    banana, peel = resource.get_banana(), resource.get_banana_peel()
    if banana:
        yield banana + (peel or ":")
