"""An extended prefix map of all prefixes, for programs that expand CURIEs.

Source: the package `curies`, "Extended Prefix Maps": a JSON array of records with `prefix`, `prefix_synonyms`,
`uri_prefix`, `uri_prefix_synonyms`, `pattern`. Every prefix and every URI prefix occurs only once.

A record's `uri_prefix` is the part of its first provider's pattern before the identifier, so that a CURIE expands to
the URL that it redirects to. If the pattern does not end with the identifier, or another prefix has the same part, it
is this service's URL of the prefix. Its synonyms are that URL and the same parts of the other providers' patterns. A
synonym of the prefix is its name in capitals, because the package is case-sensitive. Deprecated prefixes come last.
"""

from collections.abc import Iterable
from typing import Any

from coolid.model.prefixes import PLACEHOLDER, Namespace, ProviderPrefix, as_path, join
from coolid.store.prefixes import Prefixes
from coolid.strict_json import dump


def write(prefixes: Prefixes, base_url: str) -> str:
    """Return the map as JSON."""
    return dump(records(prefixes, base_url))


def records(prefixes: Prefixes, base_url: str) -> list[dict[str, Any]]:
    """Return a record for each prefix, in their order."""
    own_urls = {prefix.name: f"{base_url}/{as_path(join(prefix.name, ''))}" for prefix in prefixes}
    taken, names = set(own_urls.values()), {prefix.name for prefix in prefixes}
    deprecated_last = sorted(prefixes, key=lambda prefix: isinstance(prefix, ProviderPrefix) and prefix.deprecated)
    first = {prefix.name: _claim(_uri_prefixes(prefix)[:1], taken) for prefix in deprecated_last}
    others = {prefix.name: _claim(_uri_prefixes(prefix)[1:], taken) for prefix in deprecated_last}
    return [
        _record(prefix, [*first[prefix.name], own_urls[prefix.name], *others[prefix.name]], names)
        for prefix in prefixes
    ]


def _record(prefix: Namespace | ProviderPrefix, uri_prefixes: list[str], names: set[str]) -> dict[str, Any]:
    synonyms: list[str] = []
    if isinstance(prefix, ProviderPrefix):
        pattern = prefix.pattern
        synonyms = _claim((*prefix.synonyms, prefix.name.upper()), names)
    else:
        pattern = prefix.rules.describe().pattern
    return {
        "prefix": prefix.name,
        "prefix_synonyms": synonyms,
        "uri_prefix": uri_prefixes[0],
        "uri_prefix_synonyms": uri_prefixes[1:],
        **({"pattern": pattern} if pattern else {}),
    }


def _uri_prefixes(prefix: Namespace | ProviderPrefix) -> list[str | None]:
    """Return the URL before the identifier for each provider, or None if the pattern continues after it."""
    if isinstance(prefix, Namespace):
        return []
    patterns = (provider.url.partition(PLACEHOLDER) for provider in prefix.providers)
    return [start if not rest else None for start, _, rest in patterns]


def _claim(texts: Iterable[str | None], taken: set[str]) -> list[str]:
    """Return the texts that are not in `taken`, and add them to it."""
    free = []
    for text in texts:
        if text and text not in taken:
            taken.add(text)
            free.append(text)
    return free
