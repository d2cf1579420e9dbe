"""The service and its log, read over HTTP: many files at a time, each with retries, and the service's own documents."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from coolid.client.discovery import WELL_KNOWN_PATH
from coolid.client.errors import BadAnswer
from coolid.client.flows import Flow, run
from coolid.client.http_request import ANY_TYPE, HttpAnswer, HttpRequest
from coolid.client.retries import MAX_TRIES, RetryPolicy, is_final, is_success, with_retries
from coolid.client.url_policy import service_url
from coolid.log.entries import LOG_PATH
from coolid.log.tiles import CHECKPOINT, MAX_BUNDLE_BYTES
from coolid.proofs.key_sets import KEYS_PATH

_ABSENT: Final = frozenset({404, 410})
_FRESH: Final = {"Cache-Control": "no-cache"}
_T = TypeVar("_T")


class LogSource:
    """The service at `url`, read by `send` with at most `parallel` requests at a time. `send` is called in threads."""

    def __init__(
        self,
        url: str,
        send: Callable[[HttpRequest], HttpAnswer],
        parallel: int,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self.base_url = service_url(url).removesuffix(LOG_PATH)
        self.log_url = self.base_url + LOG_PATH
        self._send = send
        self.wait = wait
        self._threads = ThreadPoolExecutor(parallel)

    def close(self) -> None:
        """End the threads, without waiting for requests that have not begun."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def submit(self, function: Callable[..., _T], *arguments: Any) -> "Future[_T]":
        """Call a function in one of the threads."""
        return self._threads.submit(function, *arguments)

    def run(self, flow: Flow[_T]) -> _T:
        """Return the result of a flow of requests. Raises its errors."""
        return run(flow, self._send, self.wait)

    def get(self, url: str, accept: str = ANY_TYPE, **options: Any) -> HttpAnswer:
        """Return the answer to a GET, of any status below 500. Raises `ClientError`."""
        request = HttpRequest("GET", url, {"Accept": accept, **_FRESH}, **options)
        return self.run(with_retries(request, accepted=is_final))

    def checkpoint(self) -> bytes:
        """Return the checkpoint that the log publishes now. Raises `ClientError`."""
        return self.file(f"{self.log_url}/{CHECKPOINT}", fresh=True) or b""

    def discovery_document(self) -> Mapping[str, Any]:
        """Return what the service says about itself. Raises `ClientError`."""
        return self._document(WELL_KNOWN_PATH)

    def key_set(self) -> Mapping[str, Any]:
        """Return the published keys of proofs. Raises `ClientError`."""
        return self._document(KEYS_PATH)

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        """Return the contents of those of the log's files that exist. Raises `ClientError`."""
        futures = {path: self.submit(self.file, f"{self.log_url}/{path}") for path in paths}
        found = {path: future.result() for path, future in futures.items()}
        return {path: content for path, content in found.items() if content is not None}

    def file(self, url: str, *, fresh: bool = False, max_tries: int = MAX_TRIES) -> bytes | None:
        """Return a file, or None if there is none at this URL. Raises `ClientError`."""
        headers = {"Accept": ANY_TYPE} | (_FRESH if fresh else {})
        request = HttpRequest("GET", url, headers, max_bytes=MAX_BUNDLE_BYTES)
        answer = self.run(with_retries(request, RetryPolicy(max_tries), accepted=_is_file_or_none))
        return answer.body if is_success(answer) else None

    def _document(self, path: str) -> Mapping[str, Any]:
        content = self.file(self.base_url + path, fresh=True)
        if content is None:
            raise BadAnswer(f"it has no document {path}")
        return HttpAnswer(self.base_url + path, 200, {}, content).json_object()


def _is_file_or_none(answer: HttpAnswer) -> bool:
    return is_success(answer) or answer.status in _ABSENT
