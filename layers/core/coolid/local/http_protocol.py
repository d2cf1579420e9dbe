"""HTTP/1.1 on a connection: uvicorn's protocol over llhttp, with the request target as received.

It differs from uvicorn's protocol in three ways:

- uvicorn parses the target with `httptools.parse_url`, which refuses or divides some identifiers: a path that begins
  with `//` loses its first segment to the host. Here the target is only divided at its first question mark, as
  uvicorn's protocol over h11 does.
- The size of a head is limited, because llhttp has no limit.
- A request to change the protocol is ignored, as RFC 9110, section 7.8, permits. `httptools` would skip its body.
"""

from typing import Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES: Final = 1 << 16
"""Bytes of a request line and its headers. The first chunk received is not counted."""

_INVALID: Final = "The request is not valid HTTP/1.1"
_TOO_LARGE: Final = "The request line and headers are too large"


class RawTargetProtocol(HttpToolsProtocol):
    """Sets `raw_path` and `query_string` of the ASGI scope to the bytes received. The scope's `path` is always `/`."""

    _is_in_head = False
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, which may begin several requests. Refuse invalid ones and end the connection."""
        self._unset_keepalive_if_required()
        was_in_head = self._is_in_head
        try:
            self._feed(data)
        except HttpParserError:
            self.send_400_response(_INVALID)
            return
        if was_in_head and self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.send_400_response(_TOO_LARGE)

    def on_message_begin(self) -> None:
        """Begin to count the bytes of a head."""
        self._is_in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start the request. Its task runs later, so the scope can still be corrected here."""
        self._is_in_head = False
        if self.parser.should_upgrade():
            return  # `_feed` begins it again
        target, self.url = self.url, b"/"
        super().on_headers_complete()
        path, _, query = target.partition(b"?")
        self.scope["raw_path"], self.scope["query_string"] = path, query

    def _feed(self, data: bytes) -> None:
        """Parse bytes. A request with `Upgrade` is parsed again without this header, by a new parser."""
        while True:
            try:
                self.parser.feed_data(data)
            except HttpParserUpgrade as upgrade:
                method = self.parser.get_method()
                if method == b"CONNECT":
                    raise HttpParserError("CONNECT is not supported") from upgrade
                lines = [method + b" " + self.url + b" HTTP/" + self.parser.get_http_version().encode()]
                lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
                self.parser = HttpRequestParser(self)
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as in uvicorn
                data = b"\r\n".join((*lines, b"", data[upgrade.args[0] :]))
            else:
                return

    def _should_upgrade(self) -> bool:
        """Return True, so that uvicorn does not start the request before `_feed` parses it again."""
        return True
