"""What a service answers for an identifier, as flows of the client: a redirect to a target, or another status.

Redirects are not followed, except within the old service itself.

>>> from coolid.client.flows import run
>>> from coolid.client.http_request import HttpAnswer
>>> answers = iter([HttpAnswer("", 301, {"location": "/a"}), HttpAnswer("", 302, {"location": "https://b.example/"})])
>>> run(answer_within("https://old.example.org/ark:/1/a"), lambda request: next(answers), lambda seconds: None)
ServiceAnswer(status=302, target='https://b.example/')
"""

from typing import Final

import can_ada
from msgspec import Struct

from coolid.client.errors import ConnectionLost, ServiceUnavailable, Unreachable
from coolid.client.flows import Delay, Flow
from coolid.client.http_request import ANY_TYPE, HttpAnswer, HttpRequest
from coolid.client.redirects import MAX_HOPS, location_of
from coolid.client.retries import DEFAULT_POLICY, MAX_TRIES, is_final, with_retries
from coolid.client.url_policy import redirect_target

_NO_HEAD: Final = frozenset({405, 501})


class ServiceAnswer(Struct, frozen=True):
    """A status, and the target of a redirect as received."""

    status: int
    target: str | None = None

    def __str__(self) -> str:
        return self.target if self.target is not None else f"status {self.status}"


def answer_at(url: str) -> Flow[ServiceAnswer]:
    """Return the answer at a URL. Temporary failures are retried. Raises the errors of `with_retries`."""
    answer = yield from _answered("HEAD", url)
    if answer.status in _NO_HEAD:
        answer = yield from _answered("GET", url)
    return ServiceAnswer(answer.status, location_of(answer))


def answer_within(url: str) -> Flow[ServiceAnswer]:
    """Return the answer at a URL, or where it redirects to on the same host. Raises the errors of `answer_at`."""
    host = can_ada.parse(url).host
    for _ in range(MAX_HOPS):
        answer = yield from answer_at(url)
        if answer.target is None:
            break
        try:
            following = can_ada.parse(url) + answer.target
        except ValueError:
            break
        if following.host != host:
            break
        url = redirect_target(url, answer.target)
    return answer


def _answered(method: str, url: str) -> Flow[HttpAnswer]:
    request = HttpRequest(method, url, {"Accept": ANY_TYPE}, reads_body=lambda _: False)
    for number in range(1, MAX_TRIES):
        try:
            return (yield from with_retries(request, accepted=is_final))
        except (ServiceUnavailable, ConnectionLost):  # `with_retries` has tried again
            raise
        except Unreachable:  # the service may be restarting
            yield Delay(DEFAULT_POLICY.backoff(number))
    return (yield from with_retries(request, accepted=is_final))
