"""The threads that answer requests for the event loop of the HTTP server."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Final
from weakref import finalize

from coolid.http.message import Request, Response

THREADS: Final = 32

Answer = Callable[[Request], Response]
_Task = tuple[Request, asyncio.Future[Response]]


class RequestThreads:
    """At most `THREADS` threads that call `answer` for the event loop. They end with this object.

    `ThreadPoolExecutor` does the same, but its futures and locks take a tenth of the processor time of a mint.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._threads = self._requests = 0
        finalize(self, self._tasks.put, None)

    async def answer(self, request: Request) -> Response:
        """Return the response to a request, from a thread that has no other."""
        self._requests += 1
        try:
            if self._threads < min(self._requests, THREADS):
                self._start_thread()
            response: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
            self._tasks.put((request, response))
            return await response
        finally:
            self._requests -= 1

    def _start_thread(self) -> None:
        """Start a thread. If the system permits no more, the existing ones serve; without any, its error is raised."""
        try:
            Thread(target=_run_tasks, args=(self._answer, self._tasks), name="request", daemon=True).start()
        except RuntimeError:
            if not self._threads:
                raise
        else:
            self._threads += 1


def _run_tasks(answer: Answer, tasks: SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        _run(answer, *task)
        del task  # a large body would stay in memory until the next task
    tasks.put(None)  # for the other threads


def _run(answer: Answer, request: Request, response: asyncio.Future[Response]) -> None:
    try:
        finish = partial(response.set_result, answer(request))
    except Exception as error:  # noqa: BLE001 - it is raised in the coroutine
        finish = partial(response.set_exception, error)
    with suppress(RuntimeError):  # the loop is closed, because the request exceeded the time limit of the shutdown
        response.get_loop().call_soon_threadsafe(lambda: None if response.cancelled() else finish())
