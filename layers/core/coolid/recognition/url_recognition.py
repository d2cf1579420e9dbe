"""Recognition of the identifiers in URLs of publishers, databases, proxies and archives.

The identifier can be the page's own (`coolid.recognition.page_urls`), a DOI (`coolid.recognition.doi_urls`) or another
identifier in a path or query, or that of a URL inside the URL (`coolid.recognition.url_wrappers`).

>>> recognize("https://www-nature-com.ezproxy.example.edu/articles/s41586-020-2649-2#Sec1")
('doi:10.1038/s41586-020-2649-2',)
>>> recognize("https://example.org/items/10.55555/abc/2")
('doi:10.55555/abc/2', 'doi:10.55555/abc')
>>> urls_in("https://terms.example.org/go?iri=http%3A%2F%2Fpurl.example.org%2FGO_0006915")
('http://purl.example.org/GO_0006915', 'https://terms.example.org/go?iri=http%3A%2F%2Fpurl.example.org%2FGO_0006915')
"""

import re
from collections.abc import Iterator
from typing import Final

import can_ada

from coolid.identifiers import percent_encoding
from coolid.recognition.doi_urls import dois_in
from coolid.recognition.page_urls import page_identifier
from coolid.recognition.resolver_urls import resolver_identifier
from coolid.recognition.url_wrappers import inner_urls, parameters_of, parse_url

MAX_CHARACTERS: Final = 8192
_MAX_DEPTH: Final = 4
_MAX_URLS: Final = 8

_DOI_HOSTS: Final = re.compile(
    r"(?:[a-z]+\.)?doi\.org|doi\.acm\.org|doi\.ieeecomputersociety\.org|doai\.io|oadoi\.org|(?:api\.)?unpaywall\.org"
    r"|(?:api|data|search)\.crossref\.org|(?:api|data|search|commons)\.datacite\.org|sci-hub\.[a-z]+|scholia\.toolforge\.org"
    r"|(?:www\.)?altmetric\.com|badge\.dimensions\.ai|opencitations\.net|api\.openalex\.org"
)
"""Hosts whose paths end with a whole DOI."""
_WHOLE_DOI: Final = re.compile(r"(?:^|[/:=])(10\.[0-9]{4,9}(?:\.[0-9]+)*/[!-~]*[!-.0-~])")
_SWHID: Final = re.compile(r"(?i)(?:^|[/=])(swh:1:(?:cnt|dir|rel|rev|snp):[0-9a-f]{40}(?:;[a-z]+=[^;\s]*)*)")
_URN: Final = re.compile(r"(?i)(?:^|[/=?])(urn:nbn:[a-z]{2}[:-][!-~]*?)(?=[/?#&]|$)")
_ARK: Final = re.compile(r"(?i)(?:^|[/=])(ark:/?[0-9a-z]{5,9}/[!-~]+)")
_HANDLE: Final = re.compile(r"(?i)(?:^|/)handle/(?!123456789/)([0-9]{2,}(?:\.[0-9a-z]+)*/[0-9a-z._-]+)|^hdl:(\S+/\S+)$")
_CURIE: Final = re.compile(r"(?:^|/)([A-Z][A-Za-z]{1,11}:[0-9]{5,10})(?=[/.]|$)")
_LABELLED: Final = re.compile(r"(?i)(doi|hdl|ark|arxiv|pmid|pmcid|isbn|issn|orcid):(?://)?(\S+)")


def recognize(text: str) -> tuple[str, ...]:
    """Return the identifiers that a URL can contain, the likeliest first.

    One identifier is certain. Several mean that their end is ambiguous, or that the URL contains several.
    """
    return tuple(dict.fromkeys(each for url in _parsed(text) for each in _identifiers(url)))


def urls_in(text: str) -> tuple[str, ...]:
    """Return the URLs inside a URL, the innermost first, and the URL itself last; none for other texts."""
    return tuple(url.href for url in _parsed(text))


def _parsed(text: str) -> list[can_ada.URL]:
    """Return the URL and those inside, the innermost first."""
    whole = parse_url(text) if len(text) <= MAX_CHARACTERS else None
    found = [whole] if whole else []
    level = found
    for _ in range(_MAX_DEPTH):
        level = [inner for url in level for each in inner_urls(url) if (inner := parse_url(each))]
        found = level + found
        if not level or len(found) > _MAX_URLS:
            break
    return found[-_MAX_URLS:]


def _identifiers(url: can_ada.URL) -> Iterator[str]:
    """Yield the identifiers of one URL, without those of the URLs inside."""
    path = _decoded(url.pathname[1:])
    parameters = [(name, value) for name, value in parameters_of(url) if "://" not in value]
    identifier = resolver_identifier(url.hostname, path) or page_identifier(url.hostname, path, parameters)
    if identifier is not None:
        yield identifier
        return
    texts = [path, *(value.strip() for _, value in parameters)]
    if inner_urls(url):
        texts = texts[1:] if "://" in path or ":/" in path else texts
    if _DOI_HOSTS.fullmatch(url.hostname) and (whole := _WHOLE_DOI.search(path)):
        yield f"doi:{whole[1]}"
        return
    for each in texts:
        found = list(_labelled(each))
        yield from found
        if found:
            return


def _labelled(text: str) -> Iterator[str]:
    """Yield the identifiers in a decoded path or parameter."""
    dois = dois_in(text) or (dois_in(_decoded(text)) if "%" in text else ())
    if dois:
        yield from (f"doi:{doi}" for doi in dois)
        return
    for pattern, label in ((_SWHID, ""), (_URN, "nbn:"), (_ARK, ""), (_HANDLE, "hdl:"), (_CURIE, "")):
        match = pattern.search(text)
        if match:
            yield label + next(filter(None, match.groups())).rstrip("/")
            return


def _decoded(text: str) -> str:
    """Return the text with its escapes decoded once, or unchanged if they are not UTF-8."""
    try:
        return percent_encoding.decode(text).decode()
    except (UnicodeError, ValueError):
        return text
