"""All prefixes as an extended prefix map, which programs for CURIEs load in one go.

Source: the package `curies`, "Extended Prefix Maps": a JSON array of records with `prefix`, `prefix_synonyms`,
`uri_prefix`, `uri_prefix_synonyms`, `pattern`; no prefix and no URI prefix stands in two of them, or twice in one.

A record's `uri_prefix` is what its first provider's pattern has before the identifier, where that ends the pattern and
no other prefix has it first: a CURIE expands to where we redirect it. All others have our own address of the prefix
there, which does redirect. Synonyms are that address and what the other providers' patterns begin with; of the prefix
itself, its name in capitals, as many write it, for the package minds the case. A deprecated prefix takes what others
leave.
"""

from collections.abc import Iterable
from typing import Any

from coolid.model.prefixes import PLACEHOLDER, Namespace, ProviderPrefix, as_path, join
from coolid.store.reader import Prefixes
from coolid.strict_json import dump


def write(prefixes: Prefixes, base_url: str) -> str:
    """The list as JSON."""
    return dump(records(prefixes, base_url))


def records(prefixes: Prefixes, base_url: str) -> list[dict[str, Any]]:
    """A record for each prefix, in their order.

    >>> from datetime import UTC, datetime
    >>> from coolid.model.prefixes import Provider
    >>> moment = datetime(2026, 1, 1, tzinfo=UTC)
    >>> go = ProviderPrefix(name="go", synonyms=("gobp",), created=moment, updated=moment,
    ...     providers=(Provider("obo", "http://purl.example/obo/GO_{$id}"),))
    >>> [record] = records([go], "https://id.example.org")
    >>> record["uri_prefix"], record["uri_prefix_synonyms"], record["prefix_synonyms"]
    ('http://purl.example/obo/GO_', ['https://id.example.org/go:'], ['gobp', 'GO'])
    """
    ours = {prefix.name: f"{base_url}/{as_path(join(prefix.name, ''))}" for prefix in prefixes}
    taken = set(ours.values())
    first = {
        prefix.name: found
        for prefix in _deprecated_last(prefixes)
        if (found := _claimed(_beginnings(prefix)[:1], taken))
    }
    others = {prefix.name: _claimed(_beginnings(prefix)[1:], taken) for prefix in _deprecated_last(prefixes)}
    names = {prefix.name for prefix in prefixes}
    return [
        _record(
            prefix,
            [*first.get(prefix.name, ()), ours[prefix.name], *others[prefix.name]],
            _claimed((*prefix.synonyms, prefix.name.upper()) if isinstance(prefix, ProviderPrefix) else (), names),
        )
        for prefix in prefixes
    ]


def _record(prefix: Namespace | ProviderPrefix, uri_prefixes: list[str], synonyms: list[str]) -> dict[str, Any]:
    pattern = prefix.pattern if isinstance(prefix, ProviderPrefix) else prefix.repository.rules.describe().pattern
    known = {"pattern": pattern} if pattern else {}
    return {
        "prefix": prefix.name,
        "prefix_synonyms": synonyms,
        "uri_prefix": uri_prefixes[0],
        "uri_prefix_synonyms": uri_prefixes[1:],
        **known,
    }


def _beginnings(prefix: Namespace | ProviderPrefix) -> list[str | None]:
    """What stands before the identifier, for each provider; None where more follows."""
    if isinstance(prefix, Namespace):
        return []
    patterns = (provider.url.partition(PLACEHOLDER) for provider in prefix.providers)
    return [beginning if not behind else None for beginning, _, behind in patterns]


def _claimed(texts: Iterable[str | None], taken: set[str]) -> list[str]:
    """Those that nobody has, who now are taken."""
    free = []
    for text in texts:
        if text and text not in taken:
            taken.add(text)
            free.append(text)
    return free


def _deprecated_last(prefixes: Prefixes) -> Prefixes:
    return sorted(prefixes, key=lambda prefix: isinstance(prefix, ProviderPrefix) and prefix.deprecated)
