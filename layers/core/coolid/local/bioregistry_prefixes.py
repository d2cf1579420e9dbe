"""The Bioregistry's prefixes (data under CC0 1.0) as provider prefixes.

`coolid.local.bioregistry_data` derives names and providers, and finds faults. Reading takes some seconds, so the result
is cached in a file whose name contains the package's version.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson

from coolid import private_files
from coolid.local.bioregistry_data.names import mapped_names, synonyms_by_prefix
from coolid.local.bioregistry_data.providers import ALIGNED, BIOPORTAL, providers_of
from coolid.model.prefixes import DATA, URI, ProviderPrefix
from coolid.registry.registration import validated_name
from coolid.store.rows import registry_rows

OPAQUE: Final = ("ark", "doi", "hdl")
"""Prefixes whose identifiers are data, not parts of a URL: `#`, `?` and `%` in them have no special meaning."""

_CACHE_FORMAT: Final = 6


def cached_rows(folder: Path) -> list[dict[str, Any]]:
    """Return all rows of the registry for the prefix table, from a cache file in `folder`."""
    try:
        cached = orjson.loads(_cache_file(folder).read_bytes())
    except (FileNotFoundError, ValueError):
        cached = None
    return _rows(cached) if _is_intact(cached) else write_cache(folder, prefixes())


def write_cache(folder: Path, prefixes: Iterable[ProviderPrefix]) -> list[dict[str, Any]]:
    """Write the cache file in `folder` with these prefixes, and return their rows."""
    plain = [row | {"longer": sorted(row["longer"])} if "longer" in row else row for row in registry_rows(prefixes)]
    text = orjson.dumps({"digest": _digest(plain), "rows": plain})
    folder.mkdir(parents=True, exist_ok=True)
    with private_files.replacement(_cache_file(folder)) as new:
        new.write(text)
    return _rows(orjson.loads(text))


def _cache_file(folder: Path) -> Path:
    return folder / f"bioregistry-{version('bioregistry')}-{_CACHE_FORMAT}.json"


def _rows(cached: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = cached["rows"]
    return rows


def _is_intact(cached: Any) -> bool:
    return isinstance(cached, dict) and cached.get("digest") == _digest(cached.get("rows"))


def _digest(rows: Any) -> str:
    return sha256(orjson.dumps(rows)).hexdigest()


def prefixes() -> Iterator[ProviderPrefix]:
    """Yield every prefix of the installed Bioregistry, including those without a provider."""
    manager = bioregistry_manager()
    source = f"Bioregistry {version('bioregistry')} (CC0 1.0)"
    formatters = {
        code: formatter
        for code, formatter in next(iter(manager.registry.values())).URI_FORMATTERS.items()
        if code in ALIGNED
    }
    locators = {"miriam": manager.get_miriam_iri, BIOPORTAL: manager.get_bioportal_iri}
    # Not the time of reading: the same data must give the same rows, and the same entity tags, at every start.
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    synonyms = synonyms_by_prefix(manager.registry)
    mapped = mapped_names(manager.registry, synonyms)
    for name, resource in manager.registry.items():
        yield ProviderPrefix(
            name=validated_name(name),
            title=resource.get_name() or "",
            description=resource.get_description() or "",
            homepage=resource.get_homepage(),
            pattern=resource.get_pattern(),
            example=resource.get_example(),
            encoding=DATA if name in OPAQUE else URI,
            providers=tuple(providers_of(resource, formatters, locators)),
            synonyms=(*synonyms[name], *mapped.get(name, ())),
            mapped=mapped.get(name, {}),
            redundant=tuple(_redundant(resource)),
            source=source,
            deprecated=resource.is_deprecated(),
            created=moment,
            updated=moment,
        )


def bioregistry_manager() -> Any:
    """Return the manager of the installed Bioregistry."""
    with _temporary_home():
        from bioregistry import manager

    return manager


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


def _redundant(resource: Any) -> Iterator[str]:
    """Yield the beginnings that the Bioregistry removes from an identifier: with its separator, or with `_`."""
    banana = resource.get_banana()
    if banana:
        yield from dict.fromkeys((banana + resource.get_banana_peel(), f"{banana}_"))
