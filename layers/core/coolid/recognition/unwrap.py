"""Unwrapping: from what people paste to the identifier inside it.

Spaces, brackets and quotes around it are taken off; the URL of a PID at a known resolver, at ourselves, or of an ARK
anywhere (whose host is no part of it, draft-kunze-ark section 2.1) is reduced to the identifier. Print and address bars
leave out the scheme of a URL, and so may who pastes it. `info:doi/` and `info:hdl/` (RFC 4452) mean the same as `doi:`
and `hdl:`, and so does `urn:doi:`, which nobody has registered, but many write.

>>> unwrap(" <https://doi.org/10.5281/zenodo.31780> ").text
'doi:10.5281/zenodo.31780'
>>> unwrap("https://gallica.bnf.fr/ark:/12148/bpt6k97497t").text
'ark:/12148/bpt6k97497t'
>>> unwrap("orcid.org/0000-0002-1825-0097").text, unwrap("info:doi/10.1000/182").text
('orcid:0000-0002-1825-0097', 'doi:10.1000/182')
"""

import re
from typing import Final

from msgspec import Struct

from coolid.identifiers.schemes import lid
from coolid.registry.references import Reference, decode, read

_LABELLED_HOSTS: Final = {
    "doi.org": "doi:",
    "dx.doi.org": "doi:",
    "hdl.handle.net": "hdl:",
    "orcid.org": "orcid:",
    "ror.org": "ror:",
    "isni.org/isni": "isni:",
    "portal.issn.org/resource/issn": "issn:",
    "resolver.linkid.org/resolve": lid.LABEL,
}
_RESOLVERS: Final = frozenset({"identifiers.org", "n2t.net", "arks.org", "bioregistry.io"})
_WRAPPING: Final = {"<": ">", '"': '"', "'": "'", "“": "”", "«": "»", "(": ")", "[": "]"}
_MOST_WRAPPED: Final = 8
_URL: Final = re.compile(r"(?i:https?):/{1,2}(?P<host>[^/?#]+)(?P<path>/[^?#]*)?(?P<rest>[?#].*)?", re.DOTALL)
_SITE: Final = re.compile(r"(?:[A-Za-z0-9-]{1,63}\.){1,16}[A-Za-z]{2,63}/\S+")
_INFO: Final = re.compile(r"(?i:info:(doi|hdl)/|urn:(doi|hdl):)([0-9].*)", re.DOTALL)
_ARK: Final = re.compile(r"(?i:/ark:)")


class UnwrappedText(Struct, frozen=True):
    """The `text` inside; `bare` is the text without what stood around it, a URL still if it was one."""

    text: str
    bare: str


def unwrap(pasted: str, base_url: str = "", *, is_decoded: bool = False) -> UnwrappedText:
    """The identifier in a pasted text, or the text without its wrapping if it is no URL of a PID that we know.

    A URL is decoded once, unless it came decoded; errors as of `coolid.registry.references.decode`.
    """
    bare = without_wrapping(pasted)
    url = _URL.fullmatch(url_of(bare, base_url) or "")
    if url:
        inner = _inner(url["host"].lower(), (url["path"] or "")[1:], base_url)
    else:
        info = _INFO.fullmatch(bare)
        inner = f"{(info[1] or info[2]).lower()}:{info[3]}" if info else None
    if inner is None:
        return UnwrappedText(bare, bare)
    return UnwrappedText(inner if is_decoded else "/".join(decode(part) for part in inner.split("/")), bare)


def url_of(bare: str, base_url: str = "") -> str | None:
    """The URL that a text is, or would be if its scheme stood before it; None for what has not the form of one.

    >>> url_of("www.example.org/x"), url_of("localhost:8080/mp:x", "http://localhost:8080"), url_of("mp:x")
    ('https://www.example.org/x', 'http://localhost:8080/mp:x', None)
    """
    if _URL.fullmatch(bare):
        return bare
    scheme, _, ours = base_url.partition("://")
    host = ours.partition("/")[0].lower()
    if host and bare.lower().startswith(f"{host}/"):
        return f"{scheme}://{bare}"
    return f"https://{bare}" if _SITE.fullmatch(bare) else None


def behind_base(text: str, base_url: str) -> str | None:
    """What stands behind our own base URL, from its slash on, if the text is an address of ours.

    >>> behind_base("<https://id.example.org/mp:x?info>", "https://id.example.org")
    '/mp:x?info'
    """
    url = _URL.fullmatch(url_of(without_wrapping(text), base_url) or "")
    ours = _URL.fullmatch(base_url)
    mount = ((ours["path"] or "") if ours else "").rstrip("/")
    if not url or not ours or url["host"].lower() != ours["host"].lower():
        return None
    path = url["path"] or ""
    return path.removeprefix(mount) + (url["rest"] or "") if f"{path}/".startswith(f"{mount}/") else None


def unwrap_reference(reference: Reference, base_url: str) -> Reference:
    """The reference inside the URL that a reference is, or the same reference."""
    if reference.text[:4].lower() != "http":
        return reference
    unwrapped = unwrap(reference.text, base_url, is_decoded=True)
    if unwrapped.text == unwrapped.bare:
        return reference
    inner, behind = Reference.of(unwrapped.text), max(reference.concealed, default=0)
    if not behind or unwrapped.text[-behind:] != reference.text[-behind:]:
        return inner
    boundaries = tuple(at for at in inner.boundaries if len(inner.text) - at not in reference.concealed)
    return Reference(inner.text, boundaries, reference.concealed)


def reference_of(path: str, base_url: str) -> Reference:
    """The reference in a percent-encoded path without its leading slash, in any of the forms that resolve.

    >>> reference_of("resolve/lid%3Aa", "").text, reference_of("https://id.example.org/mp:a", "https://id.example.org").text
    ('lid:a', 'mp:a')
    """
    inner = path.removeprefix("resolve/")
    reference = read(path) if inner == path else behind_resolve(read(inner))
    return unwrap_reference(reference, base_url)


def behind_resolve(reference: Reference) -> Reference:
    """What `/resolve/` is followed by (LinkID draft, "Resolution Algorithm"): a LinkID without its label, or any PID.

    >>> behind_resolve(Reference.of("b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14")).text
    'lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14'
    """
    return reference if reference.boundaries else Reference.of(lid.LABEL + reference.text)


def without_wrapping(text: str) -> str:
    """The text without space, quotes and brackets around it.

    >>> without_wrapping(" <https://doi.org/10.5281/zenodo.31780>")
    'https://doi.org/10.5281/zenodo.31780'
    """
    text = text.strip().strip("\ufeff\u200b")
    for _ in range(_MOST_WRAPPED):
        if len(text) < 2 or _WRAPPING.get(text[0]) != text[-1]:
            break
        text = text[1:-1].strip()
    return text


def _inner(host: str, path: str, base_url: str) -> str | None:
    """What a URL of this host and path wraps."""
    ours = _URL.fullmatch(base_url)
    mount = ((ours["path"] or "") if ours else "").strip("/")
    if ours and host == ours["host"] and f"{path}/".startswith(f"{mount}/" if mount else ""):
        return _resolved(path.removeprefix(mount).lstrip("/")) or None
    for place, label in _LABELLED_HOSTS.items():
        site, _, mount = place.partition("/")
        if host.removeprefix("www.") == site and path.lower().startswith(mount) and path[len(mount) :].strip("/"):
            return label + path[len(mount) :].lstrip("/")
    if host.removeprefix("www.") in _RESOLVERS and path.strip("/"):
        return path.lstrip("/")
    ark = _ARK.search("/" + path)
    return path[ark.start() :] if ark else None


def _resolved(path: str) -> str:
    """What a path means whose PID may stand behind `resolve/`."""
    inner = path.removeprefix("resolve/")
    return path if inner == path else behind_resolve(Reference.of(inner)).text
