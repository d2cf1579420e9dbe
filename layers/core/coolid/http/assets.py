"""Assets: the style sheets, scripts and pictures of pages, kept by browsers for a year (RFC 8246).

They stand below one address that changes when any of them does, `/static/DIGEST/`, so that scripts import each other by
their plain names and nothing needs to be built. They are read when a page, or one of them, is first asked for.

What is sent is what stands in the files but for lines that are a comment alone: those are for whoever reads the files.

A page that was kept over a change of release still asks for those of its own. It gets what there is today, which nobody
is to keep.

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
from coolid.http.routes import Route

PATH: Final = "/static/"
FOREVER: Final = "public, max-age=31536000, immutable"
TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_COMMENT: Final = re.compile(r"^ *(?://.*|/\*.*\*/)\n", re.MULTILINE)
_DIGITS: Final = 16
_ASKED: Final = re.compile(rf"([0-9a-f]{{{_DIGITS}}})/([a-z0-9.-]+)")


class Asset(Struct, frozen=True):
    """A file as it is sent."""

    media_type: str
    content: str


@cache
def assets() -> dict[str, Asset]:
    """All assets by their names."""
    from importlib.resources import files

    folder = files("coolid.http") / "pages" / "static"
    found = sorted((file.name, file.read_text(encoding="utf-8")) for file in folder.iterdir() if file.is_file())
    return {name: Asset(TYPES[name.rpartition(".")[2]], _COMMENT.sub("", content)) for name, content in found}


@cache
def digest() -> str:
    """What all names and contents together come to, in hexadecimal."""
    whole = sha256()
    for name, asset in assets().items():
        whole.update(f"{name}\0{asset.content}\0".encode())
    return whole.hexdigest()[:_DIGITS]


def address(base_url: str, name: str) -> str:
    """The URL of an asset, which there must be."""
    assert name in assets(), name
    return f"{base_url}{PATH}{digest()}/{name}"


def routes() -> tuple[Route, ...]:
    """All that is below one address."""
    return (Route(PATH, {"GET": get}, below=True),)


def get(_request: Request, path: str) -> Response:
    """The asset at `DIGEST/NAME`, by whichever digest; `NoSuchAddress`."""
    asked = _ASKED.fullmatch(path)
    asset = assets().get(asked[2]) if asked else None
    if asked is None or asset is None:
        raise NoSuchAddress("there is no such asset")
    caching = FOREVER if asked[1] == digest() else NO_STORE
    return Response(200, {"Content-Type": asset.media_type, "Cache-Control": caching}, asset.content)
