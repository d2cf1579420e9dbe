"""Reverse lookup: from a URL to the CURIEs that redirect there, by the providers' URL patterns.

`coolid.resolution.url_patterns` finds the CURIEs. The longest pattern comes first, because it is the most specific
(like the trie of the `curies` package), then the preferred provider.

`redirects_to` verifies each result by resolving it, because a longer prefix may be registered, a repeated prefix may be
removed, or an escape in a pasted CURIE may mean another identifier.
"""

from collections.abc import Callable, Sequence

from coolid.errors import BadReference, InvalidIdentifier, NotFound
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import PATH_SAFE, as_path
from coolid.registry.directory import Directory
from coolid.registry.references import parse_reference
from coolid.resolution.resolver import ProviderRedirect, resolve
from coolid.resolution.url_patterns import UrlPatternIndex, normalize
from coolid.store.reader import Reader


def url_index(directory: Directory, reader: Reader) -> Callable[[str], Sequence[str]]:
    """Return a function from a URL to its CURIEs, best first; it raises `StoreUnavailable` and `LineNotTried`."""

    def reverse(url: str) -> Sequence[str]:
        found = directory.derive(UrlPatternIndex, reader).curies(url)
        names = {match.prefix for match in found.values()}
        if len(names) > 1:
            reader.prefixes(tuple(sorted(names)))  # one batch for every `redirects_to`
        return [curie for curie, match in found.items() if redirects_to(curie, match.provider, match.location, reader)]

    return reverse


def redirects_to(curie: str, provider: str, url: str, reader: Reader, *, strict: bool = False) -> bool:
    """Return whether this provider redirects the CURIE to the URL, both encoded as a path and pasted.

    `strict` requires that the identifier matches its prefix's pattern. An encoded path has `%25` for `%`; in a pasted
    one `%` begins an escape, so few CURIEs contain `%`.
    """
    for path in dict.fromkeys((as_path(curie), percent_encoding.encode(curie, f"{PATH_SAFE}%"))):
        try:
            decision = resolve(parse_reference(path), reader, provider=provider, strict=strict, suggestion_keys=0)
        except (BadReference, InvalidIdentifier, NotFound):
            return False
        if not isinstance(decision, ProviderRedirect) or not is_same_url(decision.location, url):
            return False
    return True


def is_same_url(url: str, other: str) -> bool:
    """Return whether two URLs are equal, by the equivalences of `normalize`, and with a final slash or none.

    >>> is_same_url("http://A.example:80/go%3A1", "https://a.example/go:1/"), is_same_url("http://a/A", "http://a/a")
    (True, False)
    """
    bare, bare_other = normalize(url), normalize(other)
    return bare is not None and bare_other is not None and bare.rstrip("/") == bare_other.rstrip("/")
