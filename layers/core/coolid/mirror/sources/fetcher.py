"""Requests to a service, several at a time, with retries."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final, Self

from coolid.client.async_connections import AsyncConnections
from coolid.client.errors import BadAnswer
from coolid.client.flows import Flow, run_async
from coolid.client.http_request import ANY_TYPE, HttpAnswer, HttpRequest, is_unavailable
from coolid.client.retries import RetryPolicy, with_retries
from coolid.log.tiles import MAX_BUNDLE_BYTES

MAX_TRIES: Final = 6
_RETRIES: Final = RetryPolicy(MAX_TRIES)


class ParallelFetcher:
    """Sends at most `parallel` requests at the same time. Its methods raise the client's errors."""

    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._runner = asyncio.Runner()
        self._connections = AsyncConnections()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._connections.aclose())
        self._runner.close()

    def fetch(self, requests: Sequence[HttpRequest]) -> list[HttpAnswer]:
        """Return the answers in the order of the requests. Redirects are not followed."""
        return self._runner.run(self._fetch_all(requests))

    def get(self, url: str, accept: str = ANY_TYPE, headers: Mapping[str, str] | None = None) -> HttpAnswer:
        """Return the answer to one request."""
        return self.fetch([HttpRequest("GET", url, {"Accept": accept, **(headers or {})})])[0]

    def files(self, urls: Sequence[str]) -> list[bytes | None]:
        """Return the bodies at URLs, None for those that do not exist. Raises `BadAnswer` for another status."""
        requests = [HttpRequest("GET", url, {"Accept": ANY_TYPE}, max_bytes=MAX_BUNDLE_BYTES) for url in urls]
        answers = self.fetch(requests)
        for answer in answers:
            if answer.status not in (200, 404, 410):
                raise BadAnswer(f"{answer.url} answers with status {answer.status}")
        return [answer.body if answer.status == 200 else None for answer in answers]

    async def _fetch_all(self, requests: Sequence[HttpRequest]) -> list[HttpAnswer]:
        limit = asyncio.Semaphore(self._parallel)

        async def answer(request: HttpRequest) -> HttpAnswer:
            async with limit:
                return await run_async(_answered(request), self._connections.send, asyncio.sleep)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(answer(request)) for request in requests]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]


def _answered(request: HttpRequest) -> Flow[HttpAnswer]:
    return (yield from with_retries(request, _RETRIES, accepted=lambda answer: not is_unavailable(answer.status)))
