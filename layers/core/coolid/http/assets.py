"""The style sheets, scripts and pictures of pages, which browsers cache for a year (RFC 8246).

All are below `/static/DIGEST/`, which changes when any of them does. So scripts import each other by their plain names,
without a build step. The files are read on first use and sent without lines that contain only a comment, and without
spaces that only people need. No text of a script may therefore depend on spaces at the beginning of its lines.

A page cached before a release requests the old digest. It gets the current file, which must not be stored.

>>> address("https://id.example.org", "style.css") == f"https://id.example.org/static/{digest()}/style.css"
True
>>> assets()["style.css"].media_type
'text/css; charset=utf-8'
"""

import re
from functools import cache
from hashlib import sha256
from typing import Final

from msgspec import Struct

from coolid.http.caching import NO_STORE
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.operator.identity import Identity, current
from coolid.http.routes import Route

PATH: Final = "/static/"
FOREVER: Final = "public, max-age=31536000, immutable"
TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
OWN_COLOR: Final = "#0b5c6b"
"""The colour of coolid's own icon."""
_IMAGE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_COMMENT: Final = re.compile(r"^ *(?://.*|/\*.*\*/)\n", re.MULTILINE)
_CSS_SPACES: Final = re.compile(r"\s*([{};,>])\s+|\s+(?=[{}])|(?<=:) ")
_INDENTATION: Final = re.compile(r"^ +", re.MULTILINE)
_PLAIN_CODE: Final = re.compile(r"""^[^"'`/\n]+$""", re.MULTILINE)
"""A line of a script without texts, templates, regular expressions and comments."""
_SCRIPT_SPACES: Final = re.compile(r" ?([=,;:{}()?&|<>\[\]]+) ?")
_DIGITS: Final = 16
_ASSET_PATH: Final = re.compile(rf"([0-9a-f]{{{_DIGITS}}})/((?:manage/)?[a-z0-9.-]+)")


class Asset(Struct, frozen=True):
    """A file as it is sent."""

    media_type: str
    content: str


@cache
def assets() -> dict[str, Asset]:
    """Return all assets by name; those of the management pages begin with `manage/`."""
    from importlib.resources import files

    folder = files("coolid.http") / "pages" / "static"
    folders = {"": folder, "manage/": folder / "manage"}
    every = (
        (start + file.name, file) for start, below in folders.items() for file in below.iterdir() if file.is_file()
    )
    found = sorted((name, file.read_text(encoding="utf-8")) for name, file in every)
    return {name: Asset(TYPES[name.rpartition(".")[2]], _sent(name, content)) for name, content in found}


def _sent(name: str, content: str) -> str:
    """Return the content of a file as it is sent.

    >>> _sent("x.css", "/* x */\\nfooter a, nav :focus { color: red; margin: 0 }\\n@media print { b { top: 0 } }\\n")
    'footer a,nav :focus{color:red;margin:0}@media print{b{top:0}}'
    >>> _sent("x.js", "// x\\nif (a) {\\n  b = [c, -1 + +d];\\n  say(\\"e = f\\");\\n}\\n")
    'if(a){\\nb=[c,-1 + +d];\\nsay("e = f");\\n}\\n'
    """
    uncommented = _COMMENT.sub("", content)
    if name.endswith(".css"):
        return _CSS_SPACES.sub(r"\1", uncommented)
    return _PLAIN_CODE.sub(lambda line: _SCRIPT_SPACES.sub(r"\1", line[0]), _INDENTATION.sub("", uncommented))


@cache
def _assets_of(identity: Identity) -> dict[str, Asset]:
    """Return all assets in the operator's colour. Without a logo, the icon of coolid has it, too."""
    if not identity.color:
        return assets()
    from coolid.http.operator.accent_colors import accents, stylesheet

    style, icon = assets()["style.css"], assets()["icon.svg"]
    accent = accents(identity.color)[0].accent
    return {
        **assets(),
        "style.css": Asset(style.media_type, style.content + stylesheet(identity.color)),
        "icon.svg": Asset(icon.media_type, icon.content.replace(OWN_COLOR, accent)),
    }


def digest() -> str:
    """Return the digest of all names and contents, in hexadecimal."""
    return _digest(current())


@cache
def _digest(identity: Identity) -> str:
    whole = sha256(identity.icon.encode())
    for name, asset in _assets_of(identity).items():
        whole.update(f"{name}\0{asset.content}\0".encode())
    return whole.hexdigest()[:_DIGITS]


def address(base_url: str, name: str) -> str:
    """Return the URL of an asset, which must exist."""
    assert name in _assets_of(current()) or name == current().icon, name
    return f"{base_url}{PATH}{digest()}/{name}"


def routes() -> tuple[Route, ...]:
    """Return the route of all assets."""
    return (Route(PATH, {"GET": get}, below=True),)


def get(_request: Request, path: str) -> Response:
    """Return the asset at `DIGEST/NAME`, whatever the digest. Raises `NoSuchAddress`."""
    match, identity = _ASSET_PATH.fullmatch(path), current()
    if match is None:
        raise NoSuchAddress("there is no such asset")
    headers = {"Cache-Control": FOREVER if match[1] == digest() else NO_STORE}
    logo, asset = identity.logo, _assets_of(identity).get(match[2])
    if logo and match[2] == logo.name:
        return Response(200, image_headers(logo.media_type) | headers, logo.content)
    if asset is None:
        raise NoSuchAddress("there is no such asset")
    is_image = asset.media_type == TYPES["svg"]
    described = image_headers(asset.media_type) if is_image else {"Content-Type": asset.media_type}
    return Response(200, described | headers, asset.content)


def image_headers(media_type: str) -> dict[str, str]:
    """Return the headers of an image. An SVG image that is opened on its own is a document; it may run no scripts."""
    return {"Content-Type": media_type, "Content-Security-Policy": _IMAGE_POLICY}
