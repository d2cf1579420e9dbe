"""The manage function's events of the queue of jobs and of the schedule."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import boto3
import pytest
from msgspec.structs import replace

from coolid.aws.job_function import FORGOTTEN_AFTER, RESERVE_SECONDS, JobFunction, is_of_jobs
from coolid.aws.job_queue import MAX_DELAY_SECONDS, SqsJobQueue
from coolid.errors import StoreUnavailable
from coolid.metric_names import UNFORESEEN_ERROR
from coolid.model.jobs import RUNNING, Job, JobRequest
from coolid.wiring.boto_clients import SENDING, client
from tests.support.builders.samples import MOMENT
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_jobs import MemoryJobs

REMAINING = 29.0
TICK = {"source": "aws.events", "time": "2026-01-02T03:04:05Z"}


class Queue:
    """Collects the messages. It is down if `error` is set."""

    error: Exception | None = None

    def __init__(self) -> None:
        self.sent: list[tuple[str, int]] = []

    def send(self, job_id: str, delay_seconds: int = 0) -> None:
        if self.error:
            raise self.error
        self.sent.append((job_id, delay_seconds))


class Log:
    def __init__(self) -> None:
        self.lines: list[tuple[object, object]] = []

    def info(self, message: object, /, *, extra: object) -> None:
        self.lines.append((message, extra))

    warning = error = info


class World:
    """A function whose slices end with `outcome`: a pause, None, or an exception."""

    def __init__(self) -> None:
        self.queue, self.jobs, self.log, self.clock = Queue(), MemoryJobs(), Log(), FixedClock()
        self.counted: list[str] = []
        self.slices: list[tuple[str, float]] = []
        self.outcome: Callable[[], float | None] = lambda: None
        self.function = JobFunction(
            self._run_slice, self.jobs, self.queue, self.clock, self.log,
            lambda name, value=1, **_: self.counted.append(name), seconds=lambda: 1000.0,
        )  # fmt: skip

    def _run_slice(self, job_id: str, until: float) -> float | None:
        self.slices.append((job_id, until))
        return self.outcome()

    def deliver(self, *bodies: str) -> list[str]:
        """Return the ids of the messages that failed."""
        records = [{"eventSource": "aws:sqs", "messageId": f"m{at}", "body": body} for at, body in enumerate(bodies)]
        answer = self.function({"Records": records}, REMAINING)
        return [each["itemIdentifier"] for each in answer["batchItemFailures"]]


@pytest.fixture
def world() -> World:
    return World()


def failing(error: Exception) -> Callable[[], float | None]:
    def fail() -> None:
        raise error

    return fail


def test_a_message_starts_a_slice_that_ends_before_the_functions_time_is_over(world: World) -> None:
    assert world.deliver('{"job":"k3x9"}') == []
    assert world.slices == [("k3x9", 1000.0 + REMAINING - RESERVE_SECONDS)]
    assert world.queue.sent == []


def test_what_is_left_is_announced_with_the_pause_that_the_slice_asked_for(world: World) -> None:
    world.outcome = lambda: 2.1
    assert world.deliver('{"job":"k3x9"}') == []
    assert world.queue.sent == [("k3x9", 3)]


def test_a_message_comes_again_if_the_next_one_was_not_sent(world: World) -> None:
    world.outcome, world.queue.error = lambda: 0.0, StoreUnavailable("down")
    assert world.deliver('{"job":"k3x9"}') == ["m0"]


def test_an_unforeseen_failure_comes_again_and_its_text_is_not_logged(world: World) -> None:
    world.outcome = failing(ValueError("data of a row"))
    assert world.deliver('{"job":"k3x9"}') == ["m0"]
    assert (world.queue.sent, world.counted) == ([], [UNFORESEEN_ERROR])
    assert "data of a row" not in str(world.log.lines)


@pytest.mark.parametrize("body", ["", "{}", '{"job": 3}', "[]"])
def test_an_unreadable_message_fails_alone(world: World, body: str) -> None:
    assert world.deliver(body, '{"job":"k3x9"}') == ["m0"]
    assert [job_id for job_id, _ in world.slices] == ["k3x9"]


def test_the_schedule_announces_forgotten_jobs_and_no_others(world: World) -> None:
    now = world.clock.now()
    job = Job("old", "c", JobRequest("mint"), MOMENT, now - FORGOTTEN_AFTER, state=RUNNING)
    leased = {"lease": "t", "leased_until": now + timedelta(seconds=5)}
    for each in (
        job,
        replace(job, id="new", updated=now - FORGOTTEN_AFTER + timedelta(seconds=1)),
        replace(job, id="leased", **leased),
    ):
        world.jobs.create_job(each)
    assert world.function(TICK, REMAINING) == {"batchItemFailures": []}
    assert world.queue.sent == [("old", 0)]


def test_requests_are_no_events_of_jobs() -> None:
    events: list[dict[str, Any]] = [{"httpMethod": "GET"}, {"version": "2.0"}, {}, {"Records": []}]
    assert not any(map(is_of_jobs, events))
    assert is_of_jobs(TICK)


@pytest.mark.usefixtures("moto_tables")
def test_messages_pass_through_sqs_and_wait_for_a_quarter_of_an_hour_at_most(world: World) -> None:
    sqs = boto3.client("sqs")
    url = sqs.create_queue(QueueName="jobs")["QueueUrl"]
    queue = SqsJobQueue(client("sqs", SENDING), url)
    queue.send("k3x9")
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    assert world.deliver(message["Body"]) == []
    assert [job_id for job_id, _ in world.slices] == ["k3x9"]
    queue.send("k3x9", 10 * MAX_DELAY_SECONDS)
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    sqs.delete_queue(QueueUrl=url)
    with pytest.raises(StoreUnavailable):
        queue.send("k3x9")
