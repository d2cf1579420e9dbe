"""The documentation site below `/docs/`: the files that `make docs` builds (`coolid.local.service_files.SITE`).

Only the standalone service has them. There the site takes precedence over `/docs/x` of an older prefix `docs`, whose
identifiers stay at `/docs:x`. Without the files, `/docs/` is a page that says where the documentation is.

Files are read for each request, so a site that is built while the service runs is served from then on. `make docs` adds
a compressed copy with the suffix `.gz` to each text. Browsers get it, because pages would load slowly without it.

>>> policy(b'<script>x()</script><script src="y.js"></script>').partition(";")[0]
"script-src 'self' 'sha256-D6IGS8VMvCoyaR/l0h9tERrBTATY01CoPS7l6xDv0kI='"
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct

from coolid.http.assets import FOREVER
from coolid.http.caching import ACCEPT, cache_control
from coolid.http.content_codings import ENCODING, accepts_gzip
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.redirects import redirect
from coolid.http.routes import Route

HOME: Final = "/docs/"
CACHE_SECONDS: Final = 300
INDEX: Final = "index.html"
HTML: Final = "text/html; charset=utf-8"
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": HTML,
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
}
_SEGMENT: Final = r"[0-9A-Za-z_-][0-9A-Za-z._-]*"
_NAME: Final = re.compile(rf"(?:{_SEGMENT}/)*(?:{_SEGMENT})?")
"""Names have no empty segment and none that begins with a dot, so no name leads out of the folder."""
_DIGEST: Final = re.compile(r"\.[0-9a-f]{8}\.min\.(?:css|js)")
_INLINE_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


class DocumentationSite(Struct, frozen=True):
    """Serves the site in `folder`; `base_url` begins the addresses of redirects and of the page without a site."""

    base_url: str
    folder: Path

    def routes(self) -> tuple[Route, ...]:
        """Return the routes of the site."""
        endpoints = {"GET": self.get}
        return (
            Route(HOME.rstrip("/"), {"GET": self._to_home}),
            Route(HOME, endpoints, vary=f"{ACCEPT}, {ENCODING}"),
            Route(HOME, endpoints, below=True, vary=f"{ACCEPT}, {ENCODING}"),
        )

    def get(self, request: Request, name: str) -> Response:
        """Return the file with a name below `/docs/`, or the index of a folder. Raises `NoSuchAddress`."""
        if not name and not self._file(INDEX):
            from coolid.http.pages import render

            return render("documentation.html", 200, {"Cache-Control": "no-store"}, self.base_url)
        if not name.endswith("/") and self._file(f"{name}/{INDEX}"):
            return self._permanent_redirect(f"{request.path}/")
        if name.endswith("/") or not name:
            name += INDEX
        file = self._file(name)
        if file is None:
            raise NoSuchAddress("the documentation has no such page")
        media_type = TYPES.get(file.suffix, "application/octet-stream")
        headers = {
            "Content-Type": media_type,
            "Cache-Control": FOREVER if _DIGEST.search(name) else cache_control(CACHE_SECONDS),
            "Vary": ENCODING,
        }
        body = file.read_bytes()
        if media_type == HTML:
            headers["Content-Security-Policy"] = policy(body)
        compressed = self._file(f"{name}.gz") if accepts_gzip(request.headers.get("accept-encoding")) else None
        if compressed:
            headers["Content-Encoding"] = "gzip"
            body = compressed.read_bytes()
        return Response(200, headers, body)

    def _to_home(self, _request: Request, _path: str) -> Response:
        return self._permanent_redirect(HOME)

    def _permanent_redirect(self, path: str) -> Response:
        return redirect(f"{self.base_url}{path}", 308, {"Cache-Control": cache_control(CACHE_SECONDS)})

    def _file(self, name: str) -> Path | None:
        """Return the path of a file of the site, or None. Symbolic links out of the folder are not followed."""
        path = self.folder / name
        try:
            if not _NAME.fullmatch(name) or not path.is_file():
                return None
        except OSError:  # the name is too long for the file system
            return None
        return path if path.resolve().is_relative_to(self.folder.resolve()) else None


def policy(page: bytes) -> str:
    """Return the Content-Security-Policy of a page: everything comes from this service.

    Inline scripts run by their digests. Inline styles are allowed, because the theme sets the heights of elements.
    """
    digests = (b64encode(sha256(script).digest()).decode() for script in _INLINE_SCRIPT.findall(page))
    scripts = " ".join(["'self'", *dict.fromkeys(f"'sha256-{digest}'" for digest in digests)])
    return (
        f"script-src {scripts}; worker-src 'self'; default-src 'none'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
