"""Repeated mints: one record and the same response for a day, whatever happened to the first request."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from coolid.errors import IdempotencyRecordTaken
from coolid.identifiers.schemes import lui
from coolid.model.clients import Quota, split_key
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.application import BATCH, HERE, MINT, RECORDS, InMemoryApplication
from tests.support.fixtures.ports import SeededEntropy
from tests.support.fixtures.system import Answer, System
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore, Interfering

CHOSEN = MINT | {"id": "0000-0001-95"}
WRITES = ("create_record", "idempotency_record", "record", "prefixes", "client", "add_public_key")


def same(one: Answer, other: Answer) -> bool:
    """Whether both tell of the same record in the same words."""
    returned = [(each.status, each.body, each.headers["etag"], each.headers["location"]) for each in (one, other)]
    return returned[0] == returned[1]


def later(app: InMemoryApplication, **time: int) -> None:
    app.clock.moment += timedelta(**time)


class TestSentAgain:
    def test_it_is_answered_with_what_was_minted_and_nothing_more_is(self) -> None:
        app = InMemoryApplication()
        first = app.mint(again="k")
        assert first.status == 201
        for _ in range(3):
            later(app, hours=1)
            assert same(app.mint(again="k"), first)
        assert app.records() == 1

    def test_another_process_answers_the_same(self) -> None:
        app = InMemoryApplication()
        first = app.mint(again="k")
        app.use_store(app.store)
        assert same(app.mint(again="k"), first)

    @pytest.mark.parametrize(
        "body",
        [
            b'{"uri": "%b", "prefix": "demo"}' % HERE.encode(),
            b'{\n "prefix" : "\\u0064emo","uri":"%b"}' % HERE.encode(),
        ],
    )
    def test_the_body_is_compared_by_what_it_means(self, body: bytes) -> None:
        app = InMemoryApplication()
        first = app.mint(again="k")
        again = app.request("POST", RECORDS, body=body, headers=[("idempotency-key", "k")])
        assert same(again, first)

    @pytest.mark.parametrize(
        "other",
        [
            MINT | {"uri": HERE + "2"},
            MINT | {"prefix": "2021/06/demo"},
            MINT | {"prefix": "DEMO"},
            MINT | {"metadata": {}},
            MINT | {"color": "red"},
            {},
            [],
            None,
        ],
    )
    def test_another_body_under_the_same_key_is_refused_and_nothing_is_written(self, other: Any) -> None:
        app = InMemoryApplication()
        first = app.mint(again="k")
        headers = [("Idempotency-Key", "k")]
        body = b"null" if other is None else None
        answer = app.request("POST", RECORDS, other, body=body, headers=headers)
        assert answer.is_problem(422, "idempotency-key-reused")
        assert app.records() == 1
        assert same(app.mint(again="k"), first)

    def test_the_key_of_another_client_is_another_key(self) -> None:
        app = InMemoryApplication()
        keys = [app.key_with("mint:demo") for _ in range(3)]
        answers = [app.mint(MINT | {"metadata": {"n": at}}, key, "k") for at, key in enumerate(keys)]
        assert [answer.status for answer in answers] == [201] * 3
        assert app.records() == 3
        assert all(same(app.mint(MINT | {"metadata": {"n": at}}, key, "k"), answers[at]) for at, key in enumerate(keys))

    def test_without_a_key_it_is_another_mint(self) -> None:
        app = InMemoryApplication()
        first, second = app.mint(), app.mint()
        assert first.json()["id"] != second.json()["id"]
        assert app.records() == 2

    def test_a_chosen_identifier_is_minted_once_and_the_repeated_request_gets_it_again(self) -> None:
        app = InMemoryApplication()
        first = app.mint(CHOSEN, again="k")
        assert same(app.mint(CHOSEN, again="k"), first)
        assert app.mint(CHOSEN, again="another").is_problem(409, "identifier-taken")
        assert app.mint(CHOSEN).is_problem(409, "identifier-taken")

    @pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
    def test_after_a_change_it_is_still_answered_with_the_first_version(self, method: str) -> None:
        app = InMemoryApplication()
        first = app.mint(again="k")
        path = f"{RECORDS}/demo:{first.json()['id']}"
        for at in range(1 if method == "DELETE" else 3):
            later(app, minutes=1)
            body = {"reason": "It was wrong"} if method == "DELETE" else {"metadata": {"n": at}}
            assert app.change(method, path, body).status == 200
            assert same(app.mint(again="k"), first)
        assert app.records() == 1

    def test_of_a_withdrawn_record_the_public_still_sees_the_tombstone(self) -> None:
        app = InMemoryApplication()
        first = app.mint(again="k")
        app.change("DELETE", f"{RECORDS}/demo:{first.json()['id']}", {"reason": "It was wrong"})
        assert same(app.mint(again="k"), first)
        assert app.get(f"/demo:{first.json()['id']}").status == 410

    def test_for_a_day_and_not_longer(self) -> None:
        app = InMemoryApplication()
        first = app.mint(again="k")
        later(app, hours=24, seconds=-1)
        assert same(app.mint(again="k"), first)
        later(app, seconds=1)
        second = app.mint(MINT | {"metadata": {"n": 2}}, again="k")
        assert second.status == 201
        assert second.json()["id"] != first.json()["id"]
        assert same(app.mint(MINT | {"metadata": {"n": 2}}, again="k"), second)
        assert app.mint(again="k").is_problem(422, "idempotency-key-reused")

    def test_it_costs_no_quota(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=1))
        first = app.mint(key=key, again="k")
        for _ in range(3):
            assert same(app.mint(key=key, again="k"), first)
        assert app.mint(key=key, again="another").is_problem(429, "quota-exceeded")
        assert same(app.mint(key=key, again="k"), first)

    def test_what_was_refused_may_be_tried_again_under_the_same_key(self) -> None:
        app = InMemoryApplication()
        assert app.mint(MINT | {"uri": "ftp://a.example/"}, again="k").is_problem(422)
        assert app.mint(MINT | {"prefix": "nobodys"}, again="k").is_problem(422)
        assert app.mint(again="k").status == 201
        assert app.records() == 1

    def test_an_idempotency_record_opens_nothing_for_a_client_that_was_revoked(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo")
        assert app.mint(key=key, again="k").status == 201
        app.request("DELETE", f"/api/v1/clients/{key.split('_')[1]}")
        assert app.mint(key=key, again="k").is_problem(401)


class TestKeys:
    @pytest.mark.parametrize("key", ["", "é", "\x7f", "~" * 256, "a\tb"])
    @pytest.mark.parametrize("path", [RECORDS, BATCH])
    def test_one_that_is_none_is_refused_and_nothing_is_written(self, key: str, path: str) -> None:
        app = InMemoryApplication()
        document = MINT if path == RECORDS else [MINT]
        answer = app.request("POST", path, document, headers=[("Idempotency-Key", key)])
        assert answer.is_problem(400, "bad-idempotency-key")
        assert app.records() == 0

    @pytest.mark.parametrize("key", ["~" * 255, "a", '"8e03978e"', "a/b#0", "k, l"])
    @pytest.mark.parametrize("path", [RECORDS, BATCH])
    def test_any_short_line_of_ascii_is_one(self, key: str, path: str) -> None:
        app = InMemoryApplication()
        document = MINT if path == RECORDS else [MINT]
        answers = [app.request("POST", path, document, headers=[("Idempotency-Key", key)]) for _ in range(2)]
        assert answers[0].status == (201 if path == RECORDS else 200)
        assert answers[0].body == answers[1].body
        assert app.records() == 1

    def test_a_line_of_a_batch_and_a_mint_never_share_an_idempotency_record(self) -> None:
        app = InMemoryApplication()
        (line,) = app.batch([MINT], again="k").json()
        for key in ("k", "k#0", "0/k", "#0/k"):
            assert app.mint(again=key).json()["id"] != line["record"]["id"]
        assert app.records() == 5


class TestFailures:
    @pytest.mark.parametrize("document", [MINT, CHOSEN])
    def test_after_a_crash_between_write_and_response_the_record_exists_once_and_is_returned(
        self, document: Any
    ) -> None:
        app = InMemoryApplication()
        app.use_store(FailingStore(app.store, "after", "create_record", times=1))
        lost = app.mint(document, again="k")
        assert lost.is_problem(503, "store-unavailable")
        assert app.records() == 1
        returned = app.mint(document, again="k")
        assert returned.status == 201
        (written,) = app.store.records_by_key.values()
        assert returned.json() == written.to_document()
        app.use_store(app.store)
        assert same(app.mint(document, again="k"), returned)
        assert app.records() == 1

    def test_without_a_key_a_repeated_request_mints_another_record_or_is_refused(self) -> None:
        app = InMemoryApplication()
        app.use_store(FailingStore(app.store, "after", "create_record", times=2))
        assert app.mint(MINT).status == 503
        assert app.mint(CHOSEN).status == 503
        assert app.records() == 2
        assert app.mint(MINT).status == 201
        assert app.mint(CHOSEN).is_problem(409, "identifier-taken")
        assert app.records() == 3

    @pytest.mark.parametrize("document", [MINT, CHOSEN])
    @pytest.mark.parametrize("call", WRITES)
    @pytest.mark.parametrize("again", ["k", None])
    def test_a_store_that_fails_before_it_writes_leaves_nothing_half_written(
        self, document: Any, call: str, again: str | None
    ) -> None:
        app = InMemoryApplication()
        rows = dict(app.store.rows)
        app.use_store(FailingStore(app.store, "before", call))
        answer = app.mint(document, again=again)
        if answer.status == 503:
            assert answer.headers["retry-after"]
            assert (app.records(), app.store.idempotency_records, app.store.archive, app.store.rows) == (
                0,
                {},
                {},
                rows,
            )
            app.use_store(app.store)
            assert app.mint(document, again=again).status == 201
        else:  # a mint without a key has no receipt to ask for, and reads no record
            assert answer.status == 201
        assert (app.records(), len(app.store.idempotency_records)) == (1, 1 if again else 0)

    def test_a_signer_that_fails_leaves_nothing_either(self) -> None:
        app = InMemoryApplication()
        app.signer.broken = True
        assert app.mint(again="k").is_problem(503, "signer-unavailable")
        assert (app.records(), app.store.idempotency_records) == (0, {})
        app.signer.broken = False
        assert app.mint(again="k").status == 201

    def test_a_request_that_is_under_way_is_409(self) -> None:
        """The store refused, for somebody else is writing the same at this moment, and has not finished."""

        class Busy(Interfering):
            def __getattr__(self, name: str) -> Any:
                if name != "create_record":
                    return getattr(self._store, name)

                def refuse(*_: Any) -> None:
                    raise IdempotencyRecordTaken

                return refuse

        app = InMemoryApplication()
        app.use_store(Busy(app.store, "create_record", ()))
        assert app.mint(again="k").is_problem(409, "request-under-way")
        app.use_store(app.store)
        assert app.mint(again="k").status == 201


class TestAtOnce:
    @pytest.mark.parametrize("document", [MINT, CHOSEN])
    def test_of_many_equal_requests_one_mints_and_all_get_its_record(self, document: Any) -> None:
        app = InMemoryApplication()
        with ThreadPoolExecutor(16) as threads:
            answers = list(threads.map(lambda _: app.mint(document, again="k"), range(64)))
        assert all(same(answer, answers[0]) for answer in answers)
        assert (answers[0].status, app.records()) == (201, 1)

    @pytest.mark.parametrize("document", [MINT, CHOSEN])
    def test_of_many_over_the_real_store_too(self, light: System, document: Any) -> None:
        wanted = document | {"metadata": {"for": "the same errand"}, "id": lui.encode(77)} if "id" in document else MINT

        def send(_: int) -> Answer:
            return light.request(
                "POST",
                RECORDS,
                document=wanted,
                key=light.admin_key,
                headers=[("Idempotency-Key", f"at once {'id' in document}")],
            )

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(send, range(24)))
        assert all(same(answer, answers[0]) for answer in answers)
        assert answers[0].status == 201
        assert light.get(f"/demo:{answers[0].json()['id']}").status == 302

    def test_a_request_that_loses_to_its_twin_gets_the_twins_record(self) -> None:
        store, apps = MemoryStore(), []
        apps = [InMemoryApplication(store, entropy=SeededEntropy(seed)) for seed in (1, 2)]
        apps[1].admin_key = apps[0].admin_key
        answers: list[Answer] = []
        twin: Callable[[], None] = lambda: answers.append(apps[1].mint(again="k"))  # noqa: E731
        apps[0].use_store(Interfering(store, "create_record", [twin]))
        answers.append(apps[0].mint(again="k"))
        assert same(*answers)
        assert apps[0].records() == 1

    def test_with_another_body_the_one_that_loses_is_refused(self) -> None:
        app = InMemoryApplication()
        other = InMemoryApplication(app.store)
        other.admin_key = app.admin_key
        twin: Callable[[], Any] = lambda: other.mint(MINT | {"metadata": {"n": 1}}, again="k")  # noqa: E731
        app.use_store(Interfering(app.store, "create_record", [twin]))
        assert app.mint(again="k").is_problem(422, "idempotency-key-reused")
        assert app.records() == 1


REPOSITORIES, CLIENTS = "/api/v1/repositories", "/api/v1/clients"
BODIES: dict[str, Any] = {REPOSITORIES: {"title": "Mine", "domains": ["a.example"]}, CLIENTS: {"scopes": ["mint:demo"]}}


def create(app: InMemoryApplication, path: str, again: str | None = "k", **members: Any) -> Answer:
    headers = [("Idempotency-Key", again)] if again is not None else []
    return app.request("POST", path, BODIES[path] | members, headers=headers)


class TestCreations:
    """Repositories and clients."""

    def test_a_repository_is_created_once_and_the_response_stays_the_same(self) -> None:
        app = InMemoryApplication()
        first = create(app, REPOSITORIES)
        path = first.headers["location"].removeprefix(BASE_URL)
        assert first.status == 201
        assert app.change("PATCH", path, {"title": "Changed"}).status == 200
        before = len(app.store.repositories)
        for process in range(2):
            later(app, hours=11, minutes=59)
            assert same(create(app, REPOSITORIES), first)
            assert len(app.store.repositories) == before, process
            app.use_store(app.store)
        later(app, hours=1)
        assert create(app, REPOSITORIES).json()["id"] != first.json()["id"]

    def test_a_client_is_created_once_and_its_key_is_neither_stored_nor_shown_again(self) -> None:
        app = InMemoryApplication()
        first = create(app, CLIENTS)
        key = first.json()["key"]
        (stored,) = app.store.idempotency_records.values()
        assert stored.outcome == first.json()["id"]
        assert split_key(key)[1] not in repr(app.store.__dict__)
        before = len(app.store.clients)
        again = create(app, CLIENTS)
        assert again.is_problem(409, "key-shown-once")
        assert first.json()["id"] in again.json()["detail"]
        assert len(app.store.clients) == before
        assert create(app, CLIENTS, again="another").status == 201

    @pytest.mark.parametrize("path", BODIES)
    def test_another_body_or_path_under_the_same_key_is_refused(self, path: str) -> None:
        app = InMemoryApplication()
        assert create(app, path).status == 201
        written = (len(app.store.repositories), len(app.store.clients))
        other = CLIENTS if path == REPOSITORIES else REPOSITORIES
        for answer in (
            create(app, path, note="x") if path == CLIENTS else create(app, path, title="x"),
            app.request("POST", other, BODIES[path], headers=[("Idempotency-Key", "k")]),
            app.mint(again="k"),
        ):
            assert answer.is_problem(422, "idempotency-key-reused")
        assert (app.records(), len(app.store.repositories), len(app.store.clients)) == (0, *written)

    @pytest.mark.parametrize("path", BODIES)
    def test_only_an_administrator_with_a_valid_key_and_body_uses_one(self, path: str) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo")
        headers = [("Idempotency-Key", "k")]
        assert app.request("POST", path, BODIES[path], headers=headers, key=key).is_problem(403)
        assert create(app, path, again="é").is_problem(400, "bad-idempotency-key")
        assert create(app, path, color="red").is_problem(422, "invalid-input")
        assert app.store.idempotency_records == {}
        assert create(app, path).status == 201

    @pytest.mark.parametrize("path", BODIES)
    @pytest.mark.parametrize("moment", ["before", "after"])
    def test_after_a_failure_of_the_store_there_is_one_or_none(self, path: str, moment: str) -> None:
        app = InMemoryApplication()
        write = "create_repository" if path == REPOSITORIES else "put_client"
        before = len(app.store.repositories) + len(app.store.clients)
        app.use_store(FailingStore(app.store, moment, write, times=1))
        assert create(app, path).is_problem(503, "store-unavailable")
        assert len(app.store.repositories) + len(app.store.clients) == before + (moment == "after")
        again = create(app, path)
        assert again.status == (409 if path == CLIENTS and moment == "after" else 201)
        assert len(app.store.repositories) + len(app.store.clients) == before + 1

    def test_of_many_equal_requests_at_once_one_creates(self, light: System) -> None:
        def send(path: str) -> Answer:
            headers = [("Idempotency-Key", "creations at once")]
            return light.request("POST", path, document=BODIES[path], key=light.admin_key, headers=headers)

        with ThreadPoolExecutor(8) as threads:
            repositories = [*threads.map(send, [REPOSITORIES] * 8)]
        assert repositories[0].status == 201
        assert all(same(each, repositories[0]) for each in repositories)

    @pytest.mark.parametrize("path", BODIES)
    def test_one_that_loses_to_its_twin_gets_the_twins_answer(self, path: str) -> None:
        app = InMemoryApplication()
        other = InMemoryApplication(app.store, entropy=SeededEntropy(2))
        other.admin_key = app.admin_key
        twins: list[Answer] = []
        write = "create_repository" if path == REPOSITORIES else "put_client"
        app.use_store(Interfering(app.store, write, [lambda: twins.append(create(other, path))]))
        answer = create(app, path)
        if path == REPOSITORIES:
            assert same(answer, twins[0])
        else:
            assert (twins[0].status, answer.status) == (201, 409)
