"""The answers of the resolver of n2t.net and arks.org about itself and an identifier: `/.info`, `/.info/{pid}`.

Source: CDL's resolver "rslv" (repository CDLUC3/resolver, routers `get_service_info` and `get_info`), which runs
n2t.net and arks.org. An identifier consists of `scheme` and `content`, which consists of `prefix` and `value`. It
redirects to `target` with `status_code`. `properties` describes its prefix, and `definition` has the patterns of
`target` and `canonical`. An identifier that is not found has `error` and status 404.

>>> split("ark:/12345/x5/y")
{'pid': 'ark:/12345/x5/y', 'scheme': 'ark', 'content': '12345/x5/y', 'prefix': '12345', 'value': 'x5/y'}
>>> split("zzz")
{'pid': 'zzz', 'scheme': 'zzz', 'content': None, 'prefix': None, 'value': None}
"""

from typing import Any

from coolid.http.formats.prefixes import prefix_document
from coolid.model.prefixes import PLACEHOLDER, ProviderPrefix, join
from coolid.model.records import format_time
from coolid.registry.prefix_lookup import PrefixMatch
from coolid.resolution.provider_failover import choose_provider
from coolid.store.prefixes import Prefixes


def service_document(description: str, prefixes: Prefixes) -> dict[str, Any]:
    """Return the description of the service and the schemes of its prefixes, namespaces first."""
    about = {
        "description": description,
        "created": format_time(min(prefix.created for prefix in prefixes)) if prefixes else None,
        "updated": format_time(max(prefix.updated for prefix in prefixes)) if prefixes else None,
    }
    schemes = dict.fromkeys(prefix.name.partition(":")[0] for prefix in prefixes)
    return {"about": about, "api": "/api", "schemes": list(schemes)}


def split(pid: str) -> dict[str, Any]:
    """Return the parts of an identifier, split only by separators."""
    scheme, colon, rest = pid.strip().partition(":")
    content = rest.lstrip(" /:").strip() if colon else None
    prefix, slash, value = (content or "").partition("/")
    return {
        "pid": pid.strip(),
        "scheme": scheme.strip().lower(),
        "content": content,
        "prefix": prefix.strip() if content is not None else None,
        "value": value.lstrip(" /").strip() if slash else None,
    }


def identifier_document(
    pid: str,
    match: PrefixMatch,
    identifier: str,
    *,
    target: str | None,
    canonical: str,
    status: int,
    provider: str | None = None,
) -> dict[str, Any]:
    """Return the description of an identifier, or of a prefix if that is empty; `provider` is the target's code."""
    return {
        **_parts(pid, match, identifier),
        "suffix": identifier,
        "target": target,
        "canonical": canonical,
        "status_code": status,
        "properties": prefix_document(match.prefix),
        "definition": _definition(match, provider, status),
    }


def unknown_document(pid: str) -> dict[str, Any]:
    """Return the description of an identifier without a registered prefix."""
    return {**split(pid), "error": f"No match was found for {pid}"}


def _parts(pid: str, match: PrefixMatch, identifier: str) -> dict[str, Any]:
    """Return the parts as `split` does; without a colon, as in `2021/06/mp/…`, the prefix is the scheme."""
    if ":" in pid or not identifier:
        return split(pid)
    whole = join(match.name, identifier)
    if ":" in whole:  # such as a DOI without its `doi:`
        return {**split(whole), "pid": pid}
    return {"pid": pid, "scheme": match.name, "content": identifier, "prefix": None, "value": None}


def _definition(match: PrefixMatch, provider: str | None, status: int) -> dict[str, Any]:
    prefix = match.prefix
    scheme, _, rest = match.name.partition(":")
    pattern = None
    if isinstance(prefix, ProviderPrefix) and prefix.providers:
        chosen = next((each for each in prefix.providers if each.code == provider), None) or choose_provider(prefix)[0]
        pattern = chosen.url.replace(PLACEHOLDER, "${content}")
    return {
        "uniq": match.name,
        "scheme": scheme,
        "prefix": rest,
        "value": "",
        "target": pattern,
        "canonical": join(prefix.name, "${content}"),
        "synonym_for": prefix.name if match.name != prefix.name else None,
        "http_code": status,
    }
