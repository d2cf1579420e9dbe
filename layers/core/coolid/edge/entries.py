"""The entries of a provider prefix in the store at the edge: its redirect as a template, for each of its names.

The template is the service's own response to a placeholder, so the edge and the service cannot answer differently. A
prefix whose redirects depend on more than the characters of the identifier has no entries, and the edge passes its
requests on (`docs/explanation/decisions/0061-edge-redirects.md`).

A value is lines of printable ASCII: the format; the name; the beginnings of identifiers that only the service resolves;
1 if identifiers with `:` or `/` are redirected, 0 if only some are (`isBare` in `infra/edge.yaml`); then the headers in
`HEADERS`. A tab stands for the identifier, or separates the beginnings. The last line is empty, so that a torn value
is not used.

>>> from datetime import UTC, datetime
>>> from coolid.model.prefixes import Provider
>>> moment = datetime(2026, 5, 4, tzinfo=UTC)
>>> go = ProviderPrefix(
...     name="go", providers=(Provider("amigo", "https://a.example/{$id}"),), created=moment, updated=moment
... )
>>> for line in entries_of(go, "https://id.example.org")["go"].split("\\n"):
...     print(line.replace("\\t", "<id>"))
1
go
go
1
https://a.example/<id>
<https://id.example.org/go:<id>>; rel="canonical"
provider="amigo", reason=first
Mon, 04 May 2026 00:00:00 GMT
public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400
<BLANKLINE>
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from coolid.edge.limits import MAX_KEY_BYTES, MAX_VALUE_BYTES
from coolid.edge.state import FORMAT
from coolid.errors import CoolidError
from coolid.http.application import with_common_headers
from coolid.http.caching import prefix_tag
from coolid.http.message import Request
from coolid.http.public.provider_responses import ProviderResponses
from coolid.identifiers.patterns import is_supported
from coolid.model.prefixes import (
    HANDLES,
    LINKID,
    NUMBERED,
    UNLISTED,
    Prefix,
    ProviderPrefix,
    Synonym,
    fold,
    is_handle_prefix,
    path_of,
)
from coolid.registry.registration import RESERVED_FOR_LATER, RESERVED_NAMES
from coolid.resolution.resolver import redirect_to

HEADERS: Final = ("Location", "Link", "Provider-Choice", "Last-Modified", "Cache-Control")
"""The headers of a value, in this order. The function adds those that are equal for all redirects, and computes `ETag`
and `Cache-Tag`."""
MAX_IDENTIFIER_LENGTH: Final = 200
"""Characters of the identifiers that the edge redirects, so that no link has to be left out for length."""
PLACEHOLDER_ID: Final = "0placeholder0"
"""A plain identifier. A prefix that has this text in its redirect has no entries."""

_EXCLUDED: Final = NUMBERED | RESERVED_NAMES | RESERVED_FOR_LATER | {*HANDLES, LINKID, "ark", "lid"}
"""Names whose identifiers may be own ones or have check digits, and names of the service's own addresses."""
_EXCLUDED_BEGINNINGS: Final = ("http", "health", "sitemap", "download_request")
"""Beginnings of pasted URLs and of addresses of the service that may continue with any text."""
_NAME: Final = re.compile("[a-z0-9_][a-z0-9_.-]{0,127}")
_PROBES: Final = ("0" * MAX_IDENTIFIER_LENGTH, "/0", ":0", ".0", ";0")
"""Identifiers that the service would answer by another template if links did not fit, or the separator depended on the
identifier (`coolid.model.prefixes.join`)."""
_HEADER: Final = re.compile("[ -~]*")  # without tabs
_BEGINNINGS: Final = re.compile("[\t -~]*")
_UNESCAPED: Final = frozenset("<>\"'")
"""Characters of a `Location` that the function does not escape in the page; it escapes `&`."""


def entries_of(prefix: ProviderPrefix, base_url: str, synonyms: Iterable[Prefix] = ()) -> dict[str, str]:
    """Return the entries of a prefix by their keys; none if the edge cannot answer for it.

    `synonyms` are the rows of its synonyms, read after the prefix. A synonym without a row, with another target or
    below which there are longer names has no entry. Each value is independent of other keys. The result depends only
    on the rows and the service's public `base_url`.
    """
    names = [each for each in _names(prefix, synonyms) if _is_fit(each)]
    if not names or not _is_fit_prefix(prefix):
        return {}
    value = _value(prefix, base_url)
    return {} if value is None else dict.fromkeys(names, value)


def _names(prefix: ProviderPrefix, synonyms: Iterable[Prefix]) -> Sequence[str]:
    """Return the names that certainly lead to the prefix and to no longer name."""
    rows = {each.name for each in synonyms if isinstance(each, Synonym) and each.target == prefix.name}
    shadowed = {each.name for each in synonyms if each.longer}
    return (prefix.name, *(each for each in prefix.synonyms if each in rows - shadowed))


def _is_fit(name: str) -> bool:
    return (
        _NAME.fullmatch(name) is not None
        and len(name) <= MAX_KEY_BYTES
        and name not in _EXCLUDED
        and not name.startswith(_EXCLUDED_BEGINNINGS)
        and not is_handle_prefix(name)
    )


def _is_fit_prefix(prefix: ProviderPrefix) -> bool:
    """Return whether the characters of an identifier alone decide about its redirect."""
    is_excluded = prefix.name in _EXCLUDED or prefix_tag(prefix.name) != f"prefix:{prefix.name}"
    return bool(prefix.providers) and not (prefix.strict or is_excluded or UNLISTED in prefix.longer)


def _value(prefix: ProviderPrefix, base_url: str) -> str | None:
    """Return the value of every entry, or None if the redirect is no template or does not fit."""
    longer = (name[len(prefix.name) + 1 :] for name in prefix.longer)
    beginnings = _shortest((prefix.name, *prefix.synonyms, *map(fold, prefix.redundant), *longer))
    if PLACEHOLDER_ID.startswith(tuple(beginnings)) or PLACEHOLDER_ID in f"{prefix.providers}{prefix.name}{base_url}":
        return None
    headers = _headers(prefix, base_url, PLACEHOLDER_ID)
    if headers is None or not all(map(_HEADER.fullmatch, headers)):
        return None
    for probe in _PROBES:
        if _headers(prefix, base_url, probe) != [header.replace(PLACEHOLDER_ID, probe) for header in headers]:
            return None
    # The pattern is judged only to find text around an identifier (`coolid.resolution.extraneous_text`).
    is_lenient = prefix.pattern is None or not is_supported(prefix.pattern)
    lines = ["\t".join(beginnings), str(int(is_lenient))]
    lines += [header.replace(PLACEHOLDER_ID, "\t") for header in headers]
    location = headers[HEADERS.index("Location")]
    if not _BEGINNINGS.fullmatch(lines[0]) or not _UNESCAPED.isdisjoint(location):
        return None
    value = "\n".join((str(FORMAT), prefix.name, *lines, ""))
    return value if len(value) <= MAX_VALUE_BYTES else None


def _shortest(beginnings: Iterable[str]) -> list[str]:
    """Return the beginnings that begin with no other one, in order; an ASCII text never begins with others.

    >>> _shortest(("go", "gobp", "größe", "obo"))
    ['go', 'obo']
    """
    chosen: list[str] = []
    for each in sorted(filter(str.isascii, beginnings)):
        if not chosen or not each.startswith(chosen[-1]):
            chosen.append(each)
    return chosen


def _headers(prefix: ProviderPrefix, base_url: str, identifier: str) -> Sequence[str] | None:
    """Return the `HEADERS` of the service's redirect of a plain identifier, or None if it does not redirect."""
    request = Request("GET", f"/{path_of(prefix.name, identifier)}")
    try:
        decision = redirect_to(prefix, identifier, prefix.providers[0])
        response = with_common_headers(request, ProviderResponses(base_url).redirect(decision, request))
    except CoolidError:
        return None
    present = [response.headers[name] for name in HEADERS if name in response.headers]
    return present if len(present) == len(HEADERS) else None
