"""Requests to a service, several at a time, with retries."""

from collections.abc import Sequence
from typing import Final

from coolid.client.async_connections import ParallelFlows
from coolid.client.errors import BadAnswer
from coolid.client.flows import Flow
from coolid.client.http_request import ANY_TYPE, HttpAnswer, HttpRequest
from coolid.client.retries import RetryPolicy, is_final, with_retries
from coolid.log.tiles import MAX_BUNDLE_BYTES

MAX_TRIES: Final = 6
_RETRIES: Final = RetryPolicy(MAX_TRIES)


class ParallelFetcher(ParallelFlows):
    """Sends at most `parallel` requests at the same time. Its methods raise the client's errors."""

    def fetch(self, requests: Sequence[HttpRequest]) -> list[HttpAnswer]:
        """Return the answers in the order of the requests. Redirects are not followed."""
        return self.run(map(_answered, requests))

    def get(self, url: str, accept: str) -> HttpAnswer:
        """Return the answer to one request."""
        return self.fetch([HttpRequest("GET", url, {"Accept": accept})])[0]

    def files(self, urls: Sequence[str]) -> list[bytes | None]:
        """Return the bodies at URLs, None for those that do not exist. Raises `BadAnswer` for another status."""
        requests = [HttpRequest("GET", url, {"Accept": ANY_TYPE}, max_bytes=MAX_BUNDLE_BYTES) for url in urls]
        answers = self.fetch(requests)
        for answer in answers:
            if answer.status not in (200, 404, 410):
                raise BadAnswer(f"{answer.url} answers with status {answer.status}")
        return [answer.body if answer.status == 200 else None for answer in answers]


def _answered(request: HttpRequest) -> Flow[HttpAnswer]:
    return (yield from with_retries(request, _RETRIES, accepted=is_final))
