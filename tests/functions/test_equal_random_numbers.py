"""Many writers with equal random numbers: the conditional write alone keeps their identifiers distinct."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.effort import size
from tests.support.fixtures.application import HERE, MINT, InMemoryApplication
from tests.support.fixtures.ports import SeededEntropy
from tests.support.fixtures.system import Answer
from tests.support.stores.memory_store import MemoryStore

PROCESSES = 2
CROWD = size(drill=2_000, test=200)


@pytest.fixture
def apps() -> list[InMemoryApplication]:
    """Processes over one store, their generators seeded alike."""
    store = MemoryStore()
    return [InMemoryApplication(store, entropy=SeededEntropy(1)) for _ in range(PROCESSES)]


def test_many_mints_of_processes_that_draw_alike_are_distinct(apps: list[InMemoryApplication]) -> None:
    def mint(at: int) -> Answer:
        return apps[at % PROCESSES].mint(MINT | {"uri": f"{HERE}/{at}"})

    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(mint, range(CROWD)))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == apps[0].records() == CROWD
    stored = {record.id: record.records[0].uri for record in apps[0].store.records_by_key.values()}
    assert stored == {answer.json()["id"]: f"{HERE}/{at}" for at, answer in enumerate(answers)}


def test_of_two_hundred_who_choose_one_identifier_one_gets_it(apps: list[InMemoryApplication]) -> None:
    def choose(at: int) -> Answer:
        again = f"errand {at}" if at % 2 else None
        wanted: Any = MINT | {"id": "0000-0001-95", "uri": f"{HERE}/{at}"}
        return apps[at % PROCESSES].mint(wanted, again=again)

    with ThreadPoolExecutor(32) as threads:
        answers = list(threads.map(choose, range(200)))
    (winner,) = [at for at, answer in enumerate(answers) if answer.status == 201]
    assert sum(answer.is_problem(409, "identifier-taken") for answer in answers) == 199
    assert apps[0].get("/demo:0000-0001-95").headers["location"] == f"{HERE}/{winner}"
    assert len(apps[0].store.idempotency_records) == winner % 2
