"""Lambda's Runtime API, from which a runtime gets invocations; one server for each execution environment.

AWS documents the calls under "Using the Lambda runtime API": `GET /runtime/invocation/next`, `POST
/runtime/invocation/ID/response` and `/error`, `POST /runtime/init/error`.
"""

import queue
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


class RuntimeApi(ThreadingHTTPServer):
    """Passes one invocation at a time to the connected runtime, on a free port of the loopback interface."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Call)
        self.ready = threading.Event()
        self.failure: bytes | None = None
        """The error with which the runtime failed to start."""
        self._pending: queue.Queue[Mapping[str, Any] | None] = queue.Queue()
        self._results: queue.Queue[tuple[bool, bytes]] = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def invoke(self, invocation: Mapping[str, Any], seconds: float) -> tuple[bool, bytes]:
        """Return whether the invocation failed, and the response. Raises `queue.Empty` after `seconds`."""
        self._pending.put(invocation)
        return self._results.get(timeout=seconds)

    def close(self) -> None:
        """End the runtime's wait and stop."""
        self._pending.put(None)
        self.shutdown()
        self.server_close()

    def next(self) -> Mapping[str, Any] | None:
        """Wait for an invocation and return it, or None after `close`."""
        self.ready.set()
        return self._pending.get()

    def done(self, failed: bool, body: bytes) -> None:
        """Receive the response of an invocation."""
        self._results.put((failed, body))

    def failed_to_start(self, body: bytes) -> None:
        """Receive the error with which the runtime failed to start."""
        self.failure = body
        self.ready.set()


class _Call(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RuntimeApi
    _HEADERS: ClassVar = {
        "Lambda-Runtime-Aws-Request-Id": "invoke-id",
        "Lambda-Runtime-Invoked-Function-Arn": "invoked-function-arn",
        "Lambda-Runtime-Trace-Id": "trace-id",
        "Lambda-Runtime-Deadline-Ms": "deadline",
    }

    def do_GET(self) -> None:
        invocation = self.server.next()
        if invocation is None:
            self._reply(410)
            return
        headers = {name: str(invocation.get(member, "")) for name, member in self._HEADERS.items()}
        self._reply(200, invocation["payload"].encode(), {"Content-Type": "application/json", **headers})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/init/error"):
            self.server.failed_to_start(body)
        else:
            self.server.done(self.path.endswith("/error"), body)
        self._reply(202, b"{}")

    def _reply(self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Do nothing: the function has its own log."""
