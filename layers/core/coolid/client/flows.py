"""Operations of the client as flows: generators without I/O that yield steps and return a result.

A step is a request to send or a delay. The synchronous and the asynchronous client carry out the same flows, each with
its own I/O, so that both send the same requests, read the same answers and retry alike. `httpx` builds its
authentication in this way, too.

>>> def greeting() -> Flow[int]:
...     answer = yield HttpRequest("GET", "https://id.example.org/health")
...     yield Delay(0.5)
...     return answer.status
>>> run(greeting(), lambda request: HttpAnswer(request.url, 200), lambda seconds: None)
200
"""

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from coolid.client.errors import ClientError
from coolid.client.http_request import HttpAnswer, HttpRequest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Delay:
    """A pause of `seconds` before the next step."""

    seconds: float


Flow = Generator[HttpRequest | Delay, Any, T]
"""Receives an `HttpAnswer` for each request, or the `ClientError` that sending it raised; and None for each delay."""


def run(flow: Flow[T], send: Callable[[HttpRequest], HttpAnswer], wait: Callable[[float], object]) -> T:
    """Return the result of a flow, whose requests `send` sends. Raises the errors of the flow."""
    try:
        step = next(flow)
        while True:
            try:
                answer = send(step) if isinstance(step, HttpRequest) else wait(step.seconds)
            except ClientError as error:
                step = flow.throw(error)
            else:
                step = flow.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        flow.close()


async def run_async(
    flow: Flow[T],
    send: Callable[[HttpRequest], Awaitable[HttpAnswer]],
    wait: Callable[[float], Awaitable[object]],
) -> T:
    """Return the result of a flow, as `run` does."""
    try:
        step = next(flow)
        while True:
            try:
                answer = await (send(step) if isinstance(step, HttpRequest) else wait(step.seconds))
            except ClientError as error:
                step = flow.throw(error)
            else:
                step = flow.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        flow.close()
