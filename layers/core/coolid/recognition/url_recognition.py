"""Recognition of the identifiers in URLs of publishers, databases, proxies and archives.

The identifier can be the page's own (`coolid.recognition.page_urls`), a DOI (`coolid.recognition.doi_urls`), or another
identifier in a path or query. It can also be in a URL inside the URL (`coolid.recognition.url_wrappers`).

>>> recognize("https://www-nature-com.ezproxy.example.edu/articles/s41586-020-2649-2#Sec1")
('doi:10.1038/s41586-020-2649-2',)
>>> recognize("https://example.org/items/10.55555/abc/2")
('doi:10.55555/abc/2', 'doi:10.55555/abc')
>>> urls_in("https://terms.example.org/go?iri=http%3A%2F%2Fpurl.example.org%2FGO_0006915")
('http://purl.example.org/GO_0006915', 'https://terms.example.org/go?iri=http%3A%2F%2Fpurl.example.org%2FGO_0006915')
"""

import re
from collections.abc import Sequence
from typing import Final

import can_ada

from coolid.identifiers import percent_encoding
from coolid.model.prefixes import fold
from coolid.recognition.doi_urls import dois_in
from coolid.recognition.page_urls import page_identifier
from coolid.recognition.resolver_urls import resolver_identifier
from coolid.recognition.url_wrappers import parameter_urls, parameters_of, parse_url, replaced_url

MAX_CHARACTERS: Final = 8192
_MAX_DEPTH: Final = 4
_MAX_URLS: Final = 8

_DOI_HOSTS: Final = re.compile(
    r"doi\.acm\.org|doi\.ieeecomputersociety\.org|doai\.io|oadoi\.org|(?:api\.)?unpaywall\.org"
    r"|(?:api|data|search)\.crossref\.org|(?:api|data|search|commons)\.datacite\.org|sci-hub\.[a-z]+|scholia\.toolforge\.org"
    r"|(?:www\.)?altmetric\.com|badge\.dimensions\.ai|opencitations\.net|api\.openalex\.org"
)
"""Hosts whose paths end with a whole DOI."""
_CODE_HOSTS: Final = re.compile(r"(?:[a-z0-9-]+\.)?(?:github(?:usercontent)?|gitlab|bitbucket)\.(?:com|org)")
"""Hosts of files in repositories, whose names say little about the files."""
_WHOLE_DOI: Final = re.compile(
    r"(?:^|[/:=])(10\.[0-9]{4,9}(?:\.[0-9]+)*/[!-~]*?[!-.0-~])(?:/(?:transform|agency)(?:/.*)?)?/?$"
)
_SWHID: Final = re.compile(r"(?i)(?:^|[/=])(swh:1:(?:cnt|dir|rel|rev|snp):[0-9a-f]{40}(?:;[a-z]+=[^;\s]*)*)")
_URN: Final = re.compile(r"(?i)(?:^|[/=?])(urn:nbn:[a-z]{2}[:-][!-~]*?)(?=[/?#&]|$)")
_ARK: Final = re.compile(r"(?i)(?:^|[/=])(ark:/?[0-9a-z]{5,9}/[!-~]+)")
_HANDLE: Final = re.compile(r"(?i)(?:^|/)handle/(?!123456789/)([0-9]{2,}(?:\.[0-9a-z]+)*/[0-9a-z._-]+)|^hdl:(\S+/\S+)$")
_CURIE: Final = re.compile(r"(?:^|/)([A-Z][A-Za-z]{1,11}:[0-9]{5,10})(?=[/.]|$)")
_ISBN: Final = re.compile(r"(?i)(?:^|/)isbn[/:=-]?(97[89][0-9]{10}|[0-9]{9}[0-9X])(?![0-9A-Z])")
_ARXIV: Final = re.compile(r"(?i)(?:^|/)arxiv[:.]([0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?)(?![0-9.])")
_PMC: Final = re.compile(r"(?:^|/)(PMC[0-9]{4,8})(?=[/.]|$)")
_OTHERS: Final = (
    (_SWHID, ""),
    (_URN, "nbn:"),
    (_ARK, ""),
    (_HANDLE, "hdl:"),
    (_PMC, "pmc:"),
    (_ARXIV, "arxiv:"),
    (_ISBN, "isbn:"),
)
_PARAMETERS: Final = (
    ("pmid|pubmed_?id", "pubmed:", "[0-9]{1,9}"),
    ("pmcid", "pmc:", "PMC[0-9]+"),
    ("isbn|vid", "isbn:", "(?:ISBN)?(97[89][0-9]{10}|[0-9]{9}[0-9X])"),
    ("e?issn", "issn:", "[0-9]{4}-[0-9]{3}[0-9X]"),
    ("orcid(?:_?id)?", "orcid:", "(?:[0-9]{4}-){3}[0-9]{3}[0-9X]"),
    ("arxiv(?:_?id)?|eprint", "arxiv:", r"[0-9]{4}\.[0-9]{4,5}(?:v[0-9]+)?"),
    ("nct(?:_?id)?", "clinicaltrials:", "NCT[0-9]{8}"),
    ("handle|hdl", "hdl:", r"[0-9]+(?:\.[0-9A-Z]+)*/\S+"),
)
"""Names of parameters whose value is an identifier, its prefix, and the form of the value."""


def recognize(text: str) -> tuple[str, ...]:
    """Return the identifiers that a URL can contain, the likeliest first.

    One identifier is certain. Several mean that their end is ambiguous, or that the URL contains several.
    """
    found: dict[str, str] = {}
    for url in reversed(_urls(text)):
        for identifier in _identifiers(url):
            found.setdefault(fold(identifier), identifier)
    return tuple(found.values())


def urls_in(text: str) -> tuple[str, ...]:
    """Return the URLs in a URL's query, the URL that a proxy or archive returns, and the URL as written."""
    whole = parse_url(text)
    inner = (url.href for url in _urls(text) if whole is None or url.href != whole.href)
    return tuple(dict.fromkeys((*inner, text)))


def curies_in(text: str) -> tuple[str, ...]:
    """Return the CURIEs that are a part of a URL's path or a parameter, as in `/term/GO:0006915`."""
    texts = (
        each for url in _urls(text) for each in (_decoded(url.pathname), *(value for _, value in parameters_of(url)))
    )
    return tuple(dict.fromkeys(match[1] for each in texts for match in _CURIE.finditer(each)))


def _urls(text: str) -> list[can_ada.URL]:
    """Return the same URLs parsed."""
    level, found = [text] if len(text) <= MAX_CHARACTERS else [], list[can_ada.URL]()
    for _ in range(_MAX_DEPTH):
        urls = [url for each in level if (url := _behind(parse_url(each))) is not None]
        found = urls + found
        level = [inner for url in urls for inner in parameter_urls(url)][:_MAX_URLS]
    return found


def _behind(url: can_ada.URL | None) -> can_ada.URL | None:
    """Return the URL that proxies and archives return at this URL, or the same URL."""
    for _ in range(_MAX_DEPTH):
        inner = parse_url(replaced_url(url) or "") if url is not None else None
        if inner is None:
            break
        url = inner
    return url


def _identifiers(url: can_ada.URL) -> tuple[str, ...]:
    """Return the identifiers of one URL, without those of the URLs in its query."""
    path = _decoded(url.pathname[1:])
    parameters = [(name, value.strip()) for name, value in parameters_of(url) if "://" not in value]
    identifier = resolver_identifier(url.hostname, path) or page_identifier(url.hostname, path, parameters)
    if identifier is not None:
        return (identifier,)
    whole = _WHOLE_DOI.search(path) if _DOI_HOSTS.fullmatch(url.hostname) else None
    if whole:
        return (f"doi:{whole[1]}",)
    texts = ("" if _CODE_HOSTS.fullmatch(url.hostname) else path, *(value for _, value in parameters))
    return next(filter(None, map(_identifiers_in, texts)), ()) or _identifiers_named(parameters)


def _identifiers_named(parameters: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the identifiers in parameters that have the name of a scheme."""
    return tuple(
        label + next(filter(None, (*match.groups(), match[0])))
        for name, value in parameters
        for names, label, form in _PARAMETERS
        if re.fullmatch(names, name, re.IGNORECASE) and (match := re.fullmatch(form, value, re.IGNORECASE))
    )


def _identifiers_in(text: str) -> tuple[str, ...]:
    """Return the identifiers in a decoded path or parameter."""
    dois = dois_in(text) or (dois_in(_decoded(text)) if "%" in text else ())
    if dois:
        return tuple(f"doi:{doi}" for doi in dois)
    for pattern, label in _OTHERS:
        match = pattern.search(text)
        if match:
            return (label + next(filter(None, match.groups())).rstrip("/"),)
    return ()


def _decoded(text: str) -> str:
    """Return the text with its escapes decoded once, or unchanged if they are not UTF-8."""
    try:
        return percent_encoding.decode(text).decode()
    except (UnicodeError, ValueError):
        return text
