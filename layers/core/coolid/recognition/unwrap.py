"""Unwrapping of identifiers from pasted text.

Spaces, brackets and quotes around a text are removed. The URL of a PID at a known resolver or at this service is
reduced to the identifier, and so is the URL of an ARK at any host (draft-kunze-ark section 2.1). The scheme of a URL
may be missing, as in print and address bars. `info:doi/` and `info:hdl/` (RFC 4452) equal `doi:` and `hdl:`, and so
does `urn:doi:`, which is not registered but common.

>>> unwrap(" <https://doi.org/10.5281/zenodo.31780> ").text
'doi:10.5281/zenodo.31780'
>>> unwrap("https://gallica.bnf.fr/ark:/12148/bpt6k97497t").text
'ark:/12148/bpt6k97497t'
"""

import re
from typing import Final

from msgspec import Struct

from coolid.errors import BadReference
from coolid.identifiers.schemes import lid, linkid
from coolid.recognition.resolver_urls import resolver_identifier
from coolid.registry.references import Reference, decode, is_encoded_whole, parse_reference, require_valid_text

_WRAPPING: Final = {"<": ">", '"': '"', "'": "'", "“": "”", "«": "»", "(": ")", "[": "]"}
_SPACE: Final = r"(?:[\s\ufeff\u200b]|%20)+"
_SPACE_AROUND: Final = re.compile(rf"^{_SPACE}|{_SPACE}$")
"""White space, and the escapes of spaces, which browsers copy."""
_MAX_WRAPPED: Final = 8
_URL: Final = re.compile(r"(?i:https?):/{1,2}(?P<host>[^/?#]+)(?P<path>/[^?#]*)?(?P<rest>[?#].*)?", re.DOTALL)
_SITE: Final = re.compile(r"(?:[A-Za-z0-9-]{1,63}\.){1,16}[A-Za-z]{2,63}/\S+")
_ENCODED_LABEL: Final = re.compile("[a-z]+%3A", re.ASCII | re.IGNORECASE)
_INFO: Final = re.compile(r"(?i:info:(doi|hdl)/|urn:(doi|hdl):)([0-9].*)", re.DOTALL)


class UnwrappedText(Struct, frozen=True):
    """The identifier (`text`), and the text without its wrapping (`bare`), which can still be a URL."""

    text: str
    bare: str


def unwrap(pasted: str, base_url: str = "", *, is_decoded: bool = False) -> UnwrappedText:
    """Return the identifier in a pasted text, or the text without its wrapping if it is no URL of a known PID.

    A URL is decoded once, unless `is_decoded`. Raises the errors of `coolid.registry.references.decode`.
    """
    bare = strip_wrapping(pasted)
    url = _URL.fullmatch(url_of(bare, base_url) or "")
    if url:
        inner = _inner(url, base_url)
    else:
        info = _INFO.fullmatch(bare)
        inner = f"{(info[1] or info[2]).lower()}:{info[3]}" if info else None
    if inner is None:
        return UnwrappedText(bare, bare)
    if is_decoded:
        return UnwrappedText(inner, bare)
    decoded = "/".join(map(decode, inner.split("/"))) if "%" in inner else require_valid_text(inner)
    return UnwrappedText(decoded, bare)


def unwrap_any_url(pasted: str, base_url: str = "") -> UnwrappedText:
    """Return the same as `unwrap`, and the identifier in any other URL if it is certain (`url_recognition`).

    >>> unwrap_any_url("https://www.nature.com/articles/s41586-020-2649-2?proof=t").text
    'doi:10.1038/s41586-020-2649-2'
    """
    unwrapped = unwrap(pasted, base_url)
    url = url_of(unwrapped.bare, base_url) if unwrapped.text == unwrapped.bare else None
    if url is None or any(map(str.isspace, url)):  # words or URLs after the first
        return unwrapped
    from coolid.recognition.url_recognition import recognize  # not needed for redirects

    recognized = recognize(url)
    return UnwrappedText(recognized[0], unwrapped.bare) if len(recognized) == 1 else unwrapped


def identifier_in(text: str, base_url: str = "") -> str:
    """Return the `text` of `unwrap_any_url`, or the text itself if it cannot be decoded."""
    try:
        return unwrap_any_url(text, base_url).text
    except BadReference:
        return text


def url_of(bare: str, base_url: str = "") -> str | None:
    """Return the URL that a text is, or would be with its scheme; None if it does not have the form of a URL.

    >>> url_of("www.example.org/x"), url_of("localhost:8080/mp:x", "http://localhost:8080"), url_of("mp:x")
    ('https://www.example.org/x', 'http://localhost:8080/mp:x', None)
    """
    if _URL.fullmatch(bare):
        return bare
    scheme, _, own = base_url.partition("://")
    host = own.partition("/")[0].lower()
    if host and bare.lower().startswith(f"{host}/"):
        return f"{scheme}://{bare}"
    return f"https://{bare}" if _SITE.fullmatch(bare) else None


def path_below_base(text: str, base_url: str) -> str | None:
    """Return the path and query below the base URL, with the leading slash; None for other texts.

    >>> path_below_base("<https://id.example.org/mp:x?info>", "https://id.example.org")
    '/mp:x?info'
    """
    url = _URL.fullmatch(url_of(strip_wrapping(text), base_url) or "")
    path = _own_path(url, base_url) if url else None
    return path + (url["rest"] or "") if url and path is not None else None


def unwrap_reference(reference: Reference, base_url: str) -> Reference:
    """Return the reference inside the URL that a reference is, or the same reference if none is certain."""
    if reference.text[:4].lower() != "http":
        return reference
    unwrapped = unwrap(reference.text, base_url, is_decoded=True)
    if unwrapped.text == unwrapped.bare:
        unwrapped = unwrap_any_url(reference.text, base_url)
        return reference if unwrapped.text == unwrapped.bare else Reference.of(unwrapped.text)
    inner, concealed_length = Reference.of(unwrapped.text), max(reference.encoded_slashes, default=0)
    if not concealed_length or unwrapped.text[-concealed_length:] != reference.text[-concealed_length:]:
        return inner
    boundaries = tuple(at for at in inner.boundaries if len(inner.text) - at not in reference.encoded_slashes)
    return Reference.split(inner.text, boundaries, reference.encoded_slashes)


def reference_of(path: str, base_url: str) -> Reference:
    """Return the reference in a percent-encoded path without its leading slash, in any form that resolves.

    >>> reference_of("resolve/lid%3Aa", "").text
    'lid:a'
    >>> reference_of("https://id.example.org/mp:a", "https://id.example.org").text
    'mp:a'
    """
    inner = path.removeprefix("resolve/")
    reference = parse_reference(path) if inner == path else reference_after_resolve(parse_reference(inner))
    return unwrap_reference(reference, base_url)


def reference_of_parameter(parameter: str, base_url: str) -> Reference:
    """Return the reference in a path parameter of the API, like `reference_of`, or encoded as a whole.

    A text that is encoded as a whole is decoded once. If it is a URL, its own escapes are decoded then.

    >>> reference_of_parameter("https%3A%2F%2Fid.example.org%2Fmp%3Aa%2520b", "https://id.example.org").text
    'mp:a b'
    """
    if not is_encoded_whole(parameter):
        return reference_of(parameter, base_url)
    text = parse_reference(parameter).text
    inner = text.removeprefix("resolve/")
    reference = Reference.of(inner)
    if inner[:4].lower() == "http":
        unwrapped = unwrap(inner, base_url)
        reference = reference if unwrapped.text == unwrapped.bare else Reference.of(unwrapped.text)
    return reference if inner == text else reference_after_resolve(reference)


def reference_after_resolve(reference: Reference) -> Reference:
    """Return the reference after `/resolve/` (LinkID draft): a LinkID without its label, or any PID.

    >>> reference_after_resolve(Reference.of("b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14")).text
    'lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14'
    """
    return reference if reference.boundaries else Reference.of(lid.LABEL + reference.text)


def strip_wrapping(text: str) -> str:
    """Return the text without space, quotes and brackets around it, but a LinkID with them, because they break it.

    >>> strip_wrapping(" <mp:x> "), strip_wrapping("<linkid:x>")
    ('mp:x', '<linkid:x>')
    """
    inner = _SPACE_AROUND.sub("", text)
    for _ in range(_MAX_WRAPPED):
        if len(inner) < 2 or _WRAPPING.get(inner[0]) != inner[-1]:
            break
        inner = inner[1:-1].strip()
    return text if linkid.has_label(inner) else inner


def _own_path(url: re.Match[str], base_url: str) -> str | None:
    """Return the path of a URL below the base URL, with the leading slash; None for other URLs."""
    own = _URL.fullmatch(base_url)
    if not own or url["host"].lower() != own["host"].lower():
        return None
    base_path, path = (own["path"] or "").rstrip("/"), url["path"] or ""
    return path.removeprefix(base_path) if f"{path}/".startswith(f"{base_path}/") else None


def _inner(url: re.Match[str], base_url: str) -> str | None:
    """Return the identifier in a URL, or None."""
    own_path = _own_path(url, base_url)
    if own_path is not None:
        whole = own_path.lstrip("/")
        inner = whole.removeprefix("resolve/")
        if inner != whole and not _ENCODED_LABEL.match(inner):  # clients that fill a URL template encode the colon
            inner = reference_after_resolve(Reference.of(inner)).text
        return inner or None
    return resolver_identifier(url["host"], (url["path"] or "")[1:])
