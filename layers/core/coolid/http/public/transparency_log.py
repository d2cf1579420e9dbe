"""The files of the transparency log below `/log/` (C2SP tlog-tiles): its checkpoint, tiles and bundles of entries.

The files are written by the sequencer and served unchanged. Tiles and bundles never change, so caches may store them
for a year. Any other path below `/log/` is that of no file. Bundles are compressed for clients that accept gzip.
"""

from collections.abc import Callable
from gzip import compress
from typing import Final

from msgspec import Struct

from coolid.http.assets import FOREVER
from coolid.http.caching import cache_control_until
from coolid.http.content_codings import ENCODING, accepts_gzip
from coolid.http.errors import NoSuchAddress, NoTransparencyLog
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.log.entries import LOG_PATH
from coolid.log.tiles import CHECKPOINT, tile_of_path
from coolid.store.log import LogAccess

PATH: Final = f"{LOG_PATH}/"
CHECKPOINT_SECONDS: Final = 5
TEXT: Final = "text/plain; charset=utf-8"
BYTES: Final = "application/octet-stream"


class LogEndpoint(Struct, frozen=True):
    """Serves the files of the log that `open_log` returns, None without one."""

    open_log: Callable[[], LogAccess | None]

    def routes(self) -> tuple[Route, ...]:
        """Return the routes of all files, and of their folder, which is not an identifier."""
        return Route(PATH, {"GET": self.file}, below=True), Route(PATH, {"GET": self._not_found})

    def file(self, request: Request, path: str) -> Response:
        """Return a file by its path in the log. Raises `NoTransparencyLog`, `NoSuchAddress`, `StoreUnavailable`."""
        access = self.open_log()
        if access is None:
            raise NoTransparencyLog
        tile = tile_of_path(path)
        content = access.files.read([path]).get(path) if tile is not None or path == CHECKPOINT else None
        if content is None:
            raise NoSuchAddress("the transparency log has no such file")
        if tile is None:
            lifetime = cache_control_until(CHECKPOINT_SECONDS, CHECKPOINT_SECONDS)
            return Response(200, {"Content-Type": TEXT, "Cache-Control": lifetime}, content)
        headers = {"Content-Type": BYTES, "Cache-Control": FOREVER}
        if tile.level is not None:
            return Response(200, headers, content)
        headers["Vary"] = ENCODING
        if not accepts_gzip(request.headers.get("accept-encoding")):
            return Response(200, headers, content)
        return Response(200, {**headers, "Content-Encoding": "gzip"}, compress(content, mtime=0))

    def _not_found(self, request: Request, _path: str) -> Response:
        """Raise the error of an unknown file."""
        return self.file(request, "")
