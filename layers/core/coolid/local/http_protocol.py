"""HTTP/1.1 on a connection: uvicorn's protocol over llhttp, with the request target as received.

It differs from uvicorn's protocol in these ways:

- uvicorn parses the target with `httptools.parse_url`, which refuses or divides some identifiers: a path that begins
  with `//` loses its first segment to the host. Here the target is only divided at its first question mark, as
  uvicorn's protocol over h11 does.
- The size of a head is limited, because llhttp has no limit, and so is the time that a client takes
  (`coolid.local.connection_timer`). The same limit applies to what surrounds the chunks of a body.
- Trailer fields are ignored (RFC 9110, section 6.5.1). uvicorn appends them to the headers, so that an API key or an
  entity tag in a trailer would replace the one that a proxy has checked.
- A request to change the protocol is ignored, as RFC 9110, section 7.8, permits. `httptools` would skip its body.
- Refusals are problems (RFC 9457), never before the responses to earlier requests on the connection. llhttp has a fixed
  list of methods; any other method is 501 (RFC 9110, section 15.6.2).
"""

import re
from asyncio import Transport
from typing import Final

from httptools import HttpParserError, HttpParserInvalidMethodError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from coolid.http.message import TOKEN, Response
from coolid.local.connection_timer import ConnectionTimer
from coolid.strict_json import dump

MAX_HEAD_BYTES: Final = 1 << 16
"""Bytes of a request line and its headers, or between two parts of a body. The first received piece does not count."""

_INVALID: Final = "The request is not valid HTTP/1.1"
_UNKNOWN_METHOD: Final = "The method is not implemented"
_TOO_LARGE: Final = "The request line, headers or trailers are too large"
_TOO_SLOW: Final = "The request took too long"
_METHOD: Final = re.compile(rf"[\r\n]*{TOKEN}(?: |\Z)".encode())


class RawTargetProtocol(HttpToolsProtocol):
    """Sets `raw_path` and `query_string` of the ASGI scope to the bytes received. The scope's `path` is always `/`."""

    _is_in_head = False
    _has_progress = False
    _pending_bytes = 0
    _is_refused = False
    _timer: ConnectionTimer

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._timer = ConnectionTimer(self.loop, transport, self.flow, self._end_slow_request)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the timer, and the request in progress."""
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes, which may begin several requests. Refuse invalid ones and end the connection."""
        if self._is_refused:
            return
        self._unset_keepalive_if_required()
        self._has_progress = False
        try:
            self._feed(data)
        except HttpParserInvalidMethodError:
            is_method = _METHOD.match(data) is not None
            self._refuse(*((501, _UNKNOWN_METHOD) if is_method else (400, _INVALID)))
            return
        except HttpParserError:
            self._refuse(400, _INVALID)
            return
        self._pending_bytes = 0 if self._has_progress else self._pending_bytes + len(data)
        if self._pending_bytes > MAX_HEAD_BYTES:
            self._refuse(431, _TOO_LARGE)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header, but not a trailer field."""
        if self._is_in_head:
            super().on_header(name, value)

    def on_message_begin(self) -> None:
        """Begin to count the bytes and the time of a head."""
        self._is_in_head = self._has_progress = True
        self._timer.await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start the request. Its task runs later, so the scope can still be corrected here."""
        self._is_in_head, self._has_progress = False, True
        if self.parser.should_upgrade():
            return  # `_feed` begins it again
        self._timer.await_body()
        target, self.url = self.url, b"/"
        super().on_headers_complete()
        path, _, query = target.partition(b"?")
        self.scope["raw_path"], self.scope["query_string"] = path, query

    def on_body(self, body: bytes) -> None:
        """Pass a part of the body on, and begin to wait for the next one."""
        self._has_progress = True
        self._timer.await_body()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Complete the request."""
        self._has_progress = True
        self._timer.await_nothing()
        super().on_message_complete()

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

    def _end_slow_request(self) -> None:
        """Refuse a request that has begun, or close a connection on which none has."""
        latest = self._latest()
        if self._is_in_head or (latest is not None and not latest.response_complete):
            self._refuse(408, _TOO_SLOW)
        else:
            self.transport.close()

    def _refuse(self, status: int, title: str) -> None:
        """Send a problem and end the connection. After an earlier request, only its response is sent."""
        self._is_refused = True
        latest = self._latest()
        if latest is not None and not (latest.response_complete or latest.more_body):
            latest.keep_alive = False
        elif self.pipeline or (latest is not None and latest.more_body and latest.response_started):
            self.transport.close()
        else:
            self._send_problem(status, title)

    def _latest(self) -> RequestResponseCycle | None:
        """Return the latest request of the connection, which may wait for the responses to earlier ones."""
        return self.pipeline[0][0] if self.pipeline else self.cycle

    def _send_problem(self, status: int, title: str) -> None:
        """Send a problem and close the connection."""
        problem = refusal(status, title)
        headers = [*problem.headers.items(), ("Connection", "close"), ("Content-Length", str(len(problem.body)))]
        lines = [STATUS_LINE[status].rstrip(), *(f"{name}: {value}".encode() for name, value in headers)]
        lines += [name + b": " + value for name, value in self.server_state.default_headers]
        self.transport.write(b"\r\n".join((*lines, b"", str(problem.body).encode())))
        self.transport.close()


def refusal(status: int, title: str) -> Response:
    """Return an error that API Gateway itself would send, in the form of the stack's gateway responses (RFC 9457).

    >>> refusal(413, "Request too long").body
    '{"type":"about:blank","title":"Request too long","status":413}'
    """
    body = dump({"type": "about:blank", "title": title, "status": status})
    return Response(status, {"Content-Type": "application/problem+json", "Cache-Control": "no-store"}, body)
