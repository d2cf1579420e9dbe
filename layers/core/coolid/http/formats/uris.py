"""Functions that make URIs (RFC 3986) from metadata safe for a header, angle brackets or an RDF IRI.

>>> escape("https://example.org/a b<c>?q=%41%zz#1#2")
'https://example.org/a%20b%3Cc%3E?q=%41%25zz#1%232'
>>> uri_of("https://example.org/größe"), uri_of("see https://example.org/"), uri_of("https://me@example.org/")
('https://example.org/gr%C3%B6%C3%9Fe', None, None)
"""

import re
from typing import Final

from coolid.errors import InvalidIdentifier
from coolid.http.message import compiled
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import as_path

_WEB: Final = (
    r"(?i:https?)://"
    r"(?:\[[0-9A-Fa-f:.]+\]|[^\s\x00-\x20\x7f/?#@:\[\]\\<>\"^`{|}]+)"  # a host without a user
    r"(?::[0-9]+)?"
    r"(?:[/?#][^\s\x00-\x20\x7f]*)?"
)
_PLAIN: Final = f"{percent_encoding.UNRESERVED}!$&'()*+,/:;=?@".encode()


def uri_of(text: str) -> str | None:
    """Return the text as an `http(s)` URI in printable ASCII, or None if it is none."""
    return escape(text) if text[:4].lower() == "http" and compiled(_WEB).fullmatch(text) else None


def is_plain(uri: str) -> bool:
    """Return whether `escape` does not change the URI, the common case."""
    return uri.isascii() and not uri.encode().translate(None, _PLAIN)


def escape(uri: str) -> str:
    """Return the URI with every character that it may not contain percent-encoded, and no other change."""
    if is_plain(uri):
        return uri
    authority = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*", uri)
    start = authority.end() if authority else 0
    rest, sharp, fragment = uri[start:].partition("#")
    return _quoted(uri[:start], "[]") + _quoted(rest) + sharp + _quoted(fragment)


def person_uri(text: str) -> str | None:
    """Return the URI of a person or organization: a URI itself, or that of a valid ORCID iD.

    >>> person_uri("0000-0001-5109-3700"), person_uri("0000-0001-5109-3701")
    ('https://orcid.org/0000-0001-5109-3700', None)
    """
    if len(text) == 19 and compiled("(?:[0-9]{4}-){3}[0-9]{3}[0-9X]").fullmatch(text):
        from coolid.identifiers.schemes import orcid

        return f"https://orcid.org/{text}" if orcid.is_valid(text) else None
    return uri_of(text)


def alternate_uri(scheme: str, identifier: str) -> str | None:
    """Return the URI of an identifier of another scheme, or None if it has no known resolver.

    >>> alternate_uri("doi", "10.1000/182"), alternate_uri("ARK", "ark:/12345/fk2test")
    ('https://doi.org/10.1000/182', 'https://n2t.net/ark:12345/fk2test')
    >>> alternate_uri("isbn", "0-14-029161-X") is None
    True
    """
    from coolid.identifiers.schemes import ark, doi, handle

    scheme = scheme.lower()
    try:
        if scheme == "doi":
            return "https://doi.org/" + as_path(doi.validate(identifier))
        if scheme == "ark":  # escapes are part of an ARK
            return "https://n2t.net/" + escape(ark.validate(identifier))
        if scheme in ("hdl", "handle"):
            return "https://hdl.handle.net/" + as_path(handle.validate(identifier))
    except InvalidIdentifier:
        return None
    return uri_of(identifier)


def _quoted(part: str, more: str = "") -> str:
    return percent_encoding.encode(re.sub("%(?![0-9A-Fa-f]{2})", "%25", part), "!$%&'()*+,/:;=?@~" + more)
