"""The threads of the server: requests at the same time have one each, up to a limit, and they end with the server."""

import asyncio
import gc
import threading
from threading import Barrier, Thread
from typing import Any
from unittest.mock import Mock

import pytest

from coolid.http.message import Request, Response
from coolid.local import request_threads as request_threads_module
from coolid.local.request_threads import THREADS
from coolid.local.server import Server


def respond(server: Server, number: int) -> list[list[dict[str, Any]]]:
    """Send so many requests at the same time. Return the messages of each response."""
    head = {"method": "GET", "raw_path": b"/", "query_string": b"", "headers": [(b"host", b"a")]}
    scope = head | {"http_version": "1.1"}

    async def respond_once() -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            messages.append(message)

        await server(scope, None, send)
        return messages

    async def respond_all() -> list[list[dict[str, Any]]]:
        return await asyncio.gather(*(respond_once() for _ in range(number)))

    return asyncio.run(respond_all())


def request_threads() -> set[Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "request"}


def test_requests_at_the_same_time_have_a_thread_each_and_the_others_wait() -> None:
    before, at_once = request_threads(), Barrier(THREADS)

    def answer(_request: Request) -> Response:
        at_once.wait(60)
        return Response(204, {})

    server = Server(answer)
    responses = respond(server, 2 * THREADS)
    assert [messages[0]["status"] for messages in responses] == [204] * 2 * THREADS
    threads = request_threads() - before
    assert len(threads) == THREADS
    del server
    gc.collect()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_an_error_is_raised_in_its_request_and_the_thread_goes_on() -> None:
    errors = [ValueError("the application is wrong")]

    def answer(_request: Request) -> Response:
        if errors:
            raise errors.pop()
        return Response(204, {})

    server, before = Server(answer), request_threads()
    with pytest.raises(ValueError, match="wrong"):
        respond(server, 1)
    assert respond(server, 1)[0][0]["status"] == 204
    assert len(request_threads() - before) == 1


def test_where_the_system_permits_no_more_threads_the_existing_ones_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    permitted = [True]

    class LimitedThread(Thread):
        def start(self) -> None:
            if not permitted:
                raise RuntimeError("can't start new thread")
            permitted.pop()
            super().start()

    monkeypatch.setattr(request_threads_module, "Thread", LimitedThread)
    server = Server(lambda _: Response(204, {}))
    assert [messages[0]["status"] for messages in respond(server, 5)] == [204] * 5


def test_a_request_without_any_thread_fails_and_later_ones_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(lambda _: Response(204, {}))
    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
        with pytest.raises(RuntimeError):
            respond(server, 1)
    assert respond(server, 1)[0][0]["status"] == 204
