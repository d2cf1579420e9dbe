"""Changes and withdrawals through the functions: conditional, authorised, and visible at once."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest

import coolid
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System

RECORDS = "/api/v1/records"
HERE = "https://content.example.org/v1"
THERE = "https://content.example.org/v2"


class Minted(NamedTuple):
    """A record that there is: where it is resolved, where it is kept, its tag and its document."""

    path: str
    stored: str
    tag: str
    document: dict[str, Any]


def mint(system: System, prefix: str = "demo", **members: Any) -> Minted:
    answer = system.mint({"prefix": prefix} | (members or {"uri": HERE}))
    assert answer.status == 201, answer.body
    path = answer.headers["location"].removeprefix(BASE_URL)
    return Minted(path, RECORDS + path, answer.headers["etag"], answer.json())


def send(
    system: System, method: str, path: str, document: Any, tag: str | None = None, *, key: str | None = None
) -> Answer:
    """A change, by the administrator unless a key is given."""
    headers = [("If-Match", tag)] if tag is not None else []
    return system.request(method, path, document=document, headers=headers, key=key or system.admin_key)


def linkid(system: System, path: str, query: str = "format=linkid") -> Answer:
    return system.get(path, query=query)


BODIES: dict[str, Any] = {
    "PUT": {"uri": THERE},
    "PATCH": {"metadata": {"what": "A thing"}},
    "DELETE": {"reason": "It was wrong"},
}


class TestReplacing:
    def test_the_new_version_is_returned_with_its_tag_and_visible_at_once(self, light: System) -> None:
        minted = mint(light)
        assert light.get(minted.path).headers["location"] == HERE
        answer = send(light, "PUT", minted.stored, {"uri": THERE, "metadata": {"what": "A thing"}}, minted.tag)
        record = answer.json()
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["etag"] not in (minted.tag, "")
        assert (record["version"], record["metadata"]) == (2, {"what": "A thing"})
        assert [location["uri"] for location in record["records"]] == [THERE]
        assert light.get(minted.path).headers["location"] == THERE
        assert light.get(f"/demo:{record['id'].upper()}").headers["location"] == THERE
        assert linkid(light, minted.path).json() == record
        read = light.admin("GET", minted.stored)
        assert (read.json(), read.headers["etag"]) == (record, answer.headers["etag"])

    def test_what_never_changes_stays_and_what_is_not_said_goes(self, light: System) -> None:
        minted = mint(
            light, uri=HERE, metadata={"what": "x"}, alternates=[{"scheme": "doi", "identifier": "10.1/2"}], ttl=7
        )
        record = send(light, "PUT", minted.stored, {}, minted.tag).json()
        for member in ("id", "pid", "repository", "created", "issuer", "status"):
            assert record[member] == minted.document[member]
        assert (record["records"], record["metadata"], record["alternates"]) == ([], {}, [])
        assert "ttl" not in record

    @pytest.mark.parametrize("spelling", ["demo:{}", "demo/{}", "2021/06/demo/{}", "DEMO:{}", "2021/06/DEMO/{}"])
    def test_every_spelling_that_resolves_will_do(self, light: System, spelling: str) -> None:
        minted = mint(light)
        written = spelling.format(minted.document["id"].replace("-", "").upper())
        answer = send(light, "PUT", f"{RECORDS}/{written}", {"uri": THERE}, minted.tag)
        assert (answer.status, answer.json()["pid"]) == (200, minted.document["pid"])

    def test_targets_are_stored_byte_for_byte(self, light: System) -> None:
        minted = mint(light)
        target = "https://content.example.org/a%2Fb/%2e?x=1+2&y=%20#part"
        send(light, "PUT", minted.stored, {"uri": target}, minted.tag)
        assert light.get(minted.path).headers["location"] == target

    @pytest.mark.parametrize(("method", "body"), [("PUT", {"uri": HERE}), ("PATCH", {}), ("PATCH", {"uri": HERE})])
    def test_what_changes_nothing_writes_nothing(self, light: System, method: str, body: Any) -> None:
        minted = mint(light)
        before = light.contents()
        answer = send(light, method, minted.stored, body, minted.tag)
        assert (answer.status, answer.headers["etag"], answer.json()) == (200, minted.tag, minted.document)
        assert light.contents() == before

    def test_true_for_one_is_a_change(self, light: System) -> None:
        minted = mint(light, metadata={"n": 1})
        answer = send(light, "PATCH", minted.stored, {"metadata": {"n": True}}, minted.tag)
        assert (answer.json()["version"], answer.json()["metadata"]["n"]) == (2, True)
        assert '"n":true' in answer.body

    def test_one_that_does_not_exist_is_not_found(self, light: System) -> None:
        for method, body in BODIES.items():
            answer = send(light, method, f"{RECORDS}/demo:zzzz-zzzz-90", body, "*")
            assert answer.is_problem(404, "unregistered-identifier")


CONTENT: dict[str, Any] = {
    "records": [{"uri": HERE, "mediaType": "text/html"}, {"uri": "https://b.example/"}],
    "metadata": {"what": "A thing", "how": {"a": 1, "b": [1, 2]}},
    "alternates": [{"scheme": "doi", "identifier": "10.1000/182"}],
    "ttl": 60,
}


class TestPatching:
    @pytest.mark.parametrize(
        ("patch", "member", "becomes"),
        [
            ({"metadata": {"what": None}}, "metadata", {"how": {"a": 1, "b": [1, 2]}}),
            ({"metadata": {"what": "Else"}}, "metadata", {"what": "Else", "how": {"a": 1, "b": [1, 2]}}),
            ({"metadata": {"how": {"a": None, "c": 3}}}, "metadata", {"what": "A thing", "how": {"b": [1, 2], "c": 3}}),
            ({"metadata": {"how": {"b": [None]}}}, "metadata", {"what": "A thing", "how": {"a": 1, "b": [None]}}),
            ({"metadata": {"how": "text"}}, "metadata", {"what": "A thing", "how": "text"}),
            ({"metadata": None}, "metadata", {}),
            ({"records": [{"uri": THERE}]}, "records", [{"uri": THERE, "status": "active"}]),
            ({"records": []}, "records", []),
            ({"records": None}, "records", []),
            ({"alternates": []}, "alternates", []),
            ({"ttl": 0}, "ttl", 0),
            ({"uri": THERE}, "records", [{"uri": THERE, "status": "active"}]),
        ],
    )
    def test_members_are_merged_null_removes_and_arrays_are_replaced(
        self, light: System, patch: dict[str, Any], member: str, becomes: Any
    ) -> None:
        minted = mint(light, **CONTENT)
        answer = send(light, "PATCH", minted.stored, patch, minted.tag)
        changing = {"version", "updated", "previous", "proof"}
        expected = minted.document | {member: becomes}
        assert answer.status == 200, answer.body
        assert {name: value for name, value in answer.json().items() if name not in changing} == {
            name: value for name, value in expected.items() if name not in changing
        }
        assert linkid(light, minted.path).json() == answer.json()

    def test_null_takes_away_its_own_lifetime(self, light: System) -> None:
        minted = mint(light, **CONTENT)
        assert "ttl" not in send(light, "PATCH", minted.stored, {"ttl": None}, minted.tag).json()

    def test_all_members_of_a_location_survive_a_patch_of_something_else(self, light: System) -> None:
        location = {
            "uri": HERE, "status": "inactive", "mediaType": "text/html", "language": "de", "quality": 0.5,
            "validFrom": "2025-07-10T00:00:00Z", "validUntil": None, "version": "3",
            "checksum": {"algorithm": "sha256", "value": "00"}, "size": 2**53 - 1,
            "lastModified": "2025-07-09T16:45:00Z",
        }  # fmt: skip
        minted = mint(light, records=[location])
        assert send(light, "PATCH", minted.stored, {"ttl": 5}, minted.tag).json()["records"] == [location]

    @pytest.mark.parametrize(
        ("patch", "pointer"),
        [
            ({"color": "red"}, "/color"),
            ({"id": "0000-0001-95"}, "/id"),
            ({"version": 7}, "/version"),
            ({"proof": "a.b.c"}, "/proof"),
            ({"metadata": "text"}, "/metadata"),
            ({"metadata": {"": 1}}, "/metadata"),
            ({"records": {"uri": THERE}}, "/records"),
            ({"records": [{"uri": THERE, "color": "red"}]}, "/records/0/color"),
            ({"records": [{"uri": THERE}, {"uri": "javascript:alert(1)"}]}, "/records/1/uri"),
            ({"uri": "ftp://content.example.org/"}, "/uri"),
            ({"uri": THERE, "records": [{"uri": HERE}]}, ""),
            ({"alternates": [{"scheme": "doi"}]}, "/alternates/0/identifier"),
            ({"status": "withdrawn"}, "/status"),
            ({"status": "reserved"}, "/status"),
            ({"ttl": -1}, "/ttl"),
            ({"ttl": True}, "/ttl"),
            ([], ""),
            ("text", ""),
            (7, ""),
        ],
    )
    def test_one_that_makes_the_record_invalid_is_refused_with_the_place_and_changes_nothing(
        self, light: System, patch: Any, pointer: str
    ) -> None:
        minted = mint(light, **CONTENT)
        before = light.contents()
        answer = send(light, "PATCH", minted.stored, patch, minted.tag)
        assert answer.is_problem(422, "invalid-input"), answer.body
        assert pointer in [error["pointer"] for error in answer.json()["errors"]]
        assert light.contents() == before

    def test_its_own_media_type_is_taken(self, light: System) -> None:
        minted = mint(light)
        headers = [("If-Match", minted.tag), ("Content-Type", "application/merge-patch+json")]
        body = json.dumps({"uri": THERE}).encode()
        assert light.request("PATCH", minted.stored, body=body, headers=headers, key=light.admin_key).status == 200


class TestConditions:
    @pytest.mark.parametrize("method", BODIES)
    def test_without_one_a_change_is_refused(self, light: System, method: str) -> None:
        minted = mint(light)
        before = light.contents()
        assert send(light, method, minted.stored, BODIES[method]).is_problem(428, "precondition-required")
        assert light.contents() == before

    @pytest.mark.parametrize("method", BODIES)
    @pytest.mark.parametrize(
        "condition", ["", '"x"', "W/{tag}", "{bare}", '"*"', "{tag}x", '"a", W/{tag}', "*, {old}", "{old}", "'{bare}'"]
    )
    def test_with_one_that_is_not_of_the_present_version_it_is_refused(
        self, light: System, method: str, condition: str
    ) -> None:
        minted = mint(light)
        present = send(light, "PUT", minted.stored, {"uri": THERE, "ttl": 3}, minted.tag).headers["etag"]
        before = light.contents()
        sent = condition.format(tag=present, bare=present.strip('"'), old=minted.tag)
        answer = send(light, method, minted.stored, BODIES[method], sent)
        assert answer.is_problem(412, "outdated"), answer.body
        assert light.contents() == before

    @pytest.mark.parametrize("method", BODIES)
    @pytest.mark.parametrize("condition", ["{}", "*", '"a", {}', '{} , "b"', '"a",{},W/"c"', " {} "])
    def test_with_one_that_is_it_is_done(self, light: System, method: str, condition: str) -> None:
        minted = mint(light)
        answer = send(light, method, minted.stored, BODIES[method], condition.format(minted.tag))
        assert (answer.status, answer.json()["version"]) == (200, 2)

    def test_of_two_changes_of_one_version_one_succeeds_and_the_other_is_refused(self, light: System) -> None:
        minted = mint(light)
        targets = [f"https://content.example.org/{number}" for number in range(8)]
        with ThreadPoolExecutor(8) as threads:
            answers = list(
                threads.map(lambda target: send(light, "PUT", minted.stored, {"uri": target}, minted.tag), targets)
            )
        (winner,) = [number for number, answer in enumerate(answers) if answer.status == 200]
        assert sum(answer.is_problem(412, "outdated") for answer in answers) == 7
        assert light.get(minted.path).headers["location"] == targets[winner]
        assert light.admin("GET", minted.stored).json()["version"] == 2

    def test_of_several_changes_of_any_version_all_succeed(self, light: System) -> None:
        minted = mint(light)
        documents = [{"metadata": {f"part{number}": "x"}} for number in range(8)]
        with ThreadPoolExecutor(8) as threads:
            answers = [*threads.map(lambda document: send(light, "PATCH", minted.stored, document, "*"), documents)]
        assert {answer.status for answer in answers} == {200}
        assert {answer.json()["version"] for answer in answers} == {*range(2, 10)}
        assert len(light.admin("GET", minted.stored).json()["metadata"]) == 8

    def test_of_a_change_and_a_withdrawal_at_once_one_succeeds(self, light: System) -> None:
        for _ in range(5):
            minted = mint(light)
            with ThreadPoolExecutor(2) as threads:
                jobs = [
                    threads.submit(send, light, method, minted.stored, BODIES[method], minted.tag)
                    for method in ("PUT", "DELETE")
                ]
                statuses = [job.result().status for job in jobs]
            assert sorted(statuses) in ([200, 409], [200, 412])
            assert light.get(minted.path).status == (302 if statuses[0] == 200 else 410)

    def test_a_request_that_comes_twice_is_done_once(self, light: System) -> None:
        minted = mint(light)
        first, second = (send(light, "PUT", minted.stored, {"uri": THERE}, minted.tag) for _ in range(2))
        assert (first.status, second.status) == (200, 412)
        assert light.admin("GET", minted.stored).json() == first.json()


@pytest.fixture(scope="session")
def scoped(light: System) -> System:
    """Namespaces whose names begin alike, each with a record."""
    for name in ("scope", "scope/sub", "scopex"):
        made = light.admin("POST", "/api/v1/repositories", {"title": name})
        assert made.status == 201, made.body
        named = {"kind": "namespace", "repository": made.json()["id"]}
        assert light.admin("PUT", f"/api/v1/prefixes/{name}", named).status == 201
    return light


class TestWhoMay:
    @pytest.mark.parametrize("method", BODIES)
    @pytest.mark.parametrize(
        ("scope", "prefix", "may"),
        [
            ("update:scope", "scope", True),
            ("update:scope", "scope/sub", True),
            ("update:scope", "scopex", False),
            ("update:scope/sub", "scope", False),
            ("update:scope/sub", "scope/sub", True),
            ("update:scop", "scope", False),
            ("update:", "scope", False),
            ("update", "scope", False),
            ("mint:scope", "scope", False),
            ("updatex:scope", "scope", False),
            ("admin", "scope", True),
            ("admin:scope", "scope", False),
        ],
    )
    def test_a_scope_reaches_as_far_as_its_prefix_says(
        self, scoped: System, method: str, scope: str, prefix: str, may: bool
    ) -> None:
        minted = mint(scoped, prefix)
        before = scoped.get(minted.path)
        answer = send(scoped, method, minted.stored, BODIES[method], minted.tag, key=scoped.key_with(scope))
        if may:
            assert answer.status == 200, answer.body
        else:
            assert answer.is_problem(403, "forbidden")
            assert scoped.get(minted.path) == before
            assert scoped.admin("GET", minted.stored).json() == minted.document

    @pytest.mark.parametrize("method", BODIES)
    @pytest.mark.parametrize("key", [None, "", "cool_x", "cool_aaaaaaaa_" + "A" * 43])
    def test_without_a_key_that_is_known_nothing_is_changed_or_reported(
        self, light: System, method: str, key: str | None
    ) -> None:
        minted = mint(light)
        before = light.contents()
        for path in (minted.stored, f"{RECORDS}/demo:zzzz-zzzz-90"):
            headers = [("If-Match", minted.tag)]
            answer = light.request(method, path, document=BODIES[method], headers=headers, key=key)
            assert answer.is_problem(401, "unauthenticated")
            assert answer.headers["www-authenticate"].startswith("Bearer")
        assert light.contents() == before

    def test_a_client_that_may_not_change_it_does_not_learn_whether_the_tag_was_right(self, light: System) -> None:
        minted = mint(light)
        key = light.key_with("mint:2021/06/demo")
        for tag in (minted.tag, '"x"', None):
            assert send(light, "PUT", minted.stored, {"uri": THERE}, tag, key=key).is_problem(403)


class TestRefusals:
    @pytest.mark.parametrize("method", BODIES)
    @pytest.mark.parametrize(
        ("body", "status"),
        [(b"", 400), (b"{", 400), (b'{"a": 1, "a": 1}', 400), (b"[]", 422), (b'"x"', 422), (b" " * 1_000_001, 413)],
        ids=["nothing", "half", "a name twice", "an array", "a text", "too large"],
    )
    def test_a_body_that_is_no_object_is_refused(self, light: System, method: str, body: bytes, status: int) -> None:
        minted = mint(light)
        headers = [("If-Match", minted.tag)]
        answer = light.request(method, minted.stored, body=body, headers=headers, key=light.admin_key)
        assert answer.is_problem(status)
        assert light.admin("GET", minted.stored).json() == minted.document

    def test_every_unknown_field_is_reported_with_its_place(self, light: System) -> None:
        minted = mint(light)
        body = {"uri": THERE, "prefix": "demo", "a/b": 1, "pid": "x"}
        answer = send(light, "PUT", minted.stored, body, minted.tag)
        assert answer.is_problem(422, "invalid-input")
        assert {error["pointer"] for error in answer.json()["errors"]} == {"/prefix", "/a~1b", "/pid"}

    @pytest.mark.parametrize(
        ("body", "pointer"),
        [
            ({}, "/reason"),
            ({"reason": ""}, "/reason"),
            ({"reason": "   "}, "/reason"),
            ({"reason": "\u200b\xa0\u3164"}, "/reason"),
            ({"reason": 7}, "/reason"),
            ({"reason": "two\nlines"}, "/reason"),
            ({"reason": "x" * 501}, "/reason"),
            ({"reason": "why", "successor": ""}, "/successor"),
            ({"reason": "why", "successor": "x" * 2_049}, "/successor"),
            ({"reason": "why", "color": "red"}, "/color"),
            ({"reason": "why", "uri": THERE}, "/uri"),
        ],
    )
    def test_a_withdrawal_says_why_and_nothing_else(self, light: System, body: Any, pointer: str) -> None:
        minted = mint(light)
        answer = send(light, "DELETE", minted.stored, body, minted.tag)
        assert answer.is_problem(422, "invalid-input")
        assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
        assert light.get(minted.path).status == 302

    def test_targets_stay_inside_the_repositorys_domains(self, fresh: System) -> None:
        made = fresh.admin("POST", "/api/v1/repositories", {"title": "Ours", "domains": ["example.org"]}).json()
        fresh.admin("PUT", "/api/v1/prefixes/ours", {"kind": "namespace", "repository": made["id"]})
        minted = mint(fresh, "ours", uri="https://www.example.org/a")
        before = fresh.contents()
        for method, body, pointer in (
            ("PUT", {"uri": "https://example.com/"}, "/uri"),
            (
                "PUT",
                {"records": [{"uri": "https://example.org/"}, {"uri": "https://notexample.org/"}]},
                "/records/1/uri",
            ),
            ("PATCH", {"uri": "https://example.org.evil.example/"}, "/uri"),
            ("PATCH", {"records": [{"uri": "http://2130706433/"}]}, "/records/0/uri"),
        ):
            answer = send(fresh, method, minted.stored, body, minted.tag)
            assert answer.is_problem(422, "invalid-input")
            assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
        assert fresh.contents() == before
        assert send(fresh, "PUT", minted.stored, {"uri": "https://example.org/b"}, minted.tag).status == 200

    def test_a_record_that_becomes_too_large_is_refused_and_stays(self, light: System) -> None:
        minted = mint(light)
        answer = send(light, "PATCH", minted.stored, {"metadata": {"what": "x" * 400_000}}, minted.tag)
        assert answer.is_problem(422, "invalid-input")
        assert light.admin("GET", minted.stored).json() == minted.document

    def test_the_largest_record_can_still_be_withdrawn(self, light: System) -> None:
        minted = mint(light)
        room = 380_000 - 2_500
        changed = send(light, "PUT", minted.stored, {"metadata": {"what": "x" * room}}, minted.tag)
        assert changed.status == 200
        body = {"reason": "é" * 500, "successor": "https://new.example/" + "a" * 2_028}
        assert send(light, "DELETE", minted.stored, body, changed.headers["etag"]).status == 200
        assert light.get(minted.path).status == 410


class TestReserved:
    def test_it_becomes_public_at_once_when_it_is_made_active_and_never_goes_back(self, light: System) -> None:
        minted = mint(light, uri=HERE, status="reserved")
        assert light.get(minted.path).is_problem(404, "unregistered-identifier")
        stored = send(light, "PATCH", minted.stored, {"metadata": {"what": "A thing"}}, minted.tag)
        assert stored.json()["status"] == "reserved"
        assert light.get(minted.path).is_problem(404, "unregistered-identifier")
        public = send(light, "PATCH", minted.stored, {"status": "active"}, stored.headers["etag"])
        assert public.json()["status"] == "active"
        assert light.get(minted.path).headers["location"] == HERE
        back = send(light, "PATCH", minted.stored, {"status": "reserved"}, public.headers["etag"])
        assert back.is_problem(422, "invalid-input")
        assert light.get(minted.path).status == 302

    def test_its_reserved_versions_stay_unknown_to_the_public_but_not_to_its_managers(self, light: System) -> None:
        minted = mint(light, uri=HERE, status="reserved")
        send(light, "PATCH", minted.stored, {"status": "active"}, minted.tag)
        assert linkid(light, minted.path, "format=linkid&version=1").is_problem(404)
        assert linkid(light, minted.path, "format=linkid&version=2").status == 200
        stored = light.request("GET", minted.stored, query="version=1", key=light.key_with("update:2021/06/demo"))
        assert stored.json() == minted.document
        others = light.request("GET", minted.stored, query="version=1", key=light.key_with("update:other"))
        assert others.is_problem(404, "unknown-version")


class TestWithdrawing:
    def test_the_tombstone_says_when_and_why_and_has_no_target_at_once(self, light: System) -> None:
        minted = mint(light, uri=HERE, metadata={"what": "A thing"}, alternates=[{"scheme": "a", "identifier": "b"}])
        assert light.get(minted.path).status == 302
        body = {"reason": "It was wrong", "successor": f"{BASE_URL}/demo:tw0t-ywdj-94"}
        answer = send(light, "DELETE", minted.stored, body, minted.tag)
        tombstone = answer.json()
        assert answer.status == 200
        assert tombstone["status"] == "withdrawn"
        assert tombstone["withdrawn"] == body | {"at": tombstone["updated"]}
        assert tombstone["records"] == [{"uri": HERE, "status": "inactive"}]
        for member in ("id", "pid", "created", "metadata", "alternates"):
            assert tombstone[member] == minted.document[member]
        for accept in (None, "*/*", "text/html", "application/pdf", "application/linkid+json"):
            gone = light.get(minted.path, accept=accept)
            assert gone.status == 410
            assert "location" not in gone.headers
        assert light.get(minted.path, accept="application/linkid+json").json() == tombstone
        assert light.admin("GET", minted.stored).json() == tombstone

    def test_the_successor_need_not_be_said(self, light: System) -> None:
        minted = mint(light)
        assert (
            send(light, "DELETE", minted.stored, {"reason": "why"}, minted.tag).json()["withdrawn"]["successor"] is None
        )

    def test_a_tombstone_does_not_change_any_more_whatever_the_condition(self, light: System) -> None:
        minted = mint(light)
        tombstone = send(light, "DELETE", minted.stored, {"reason": "why"}, minted.tag)
        before = light.contents()
        for method, body in [*BODIES.items(), ("PATCH", {}), ("PATCH", {"status": "active"}), ("DELETE", {})]:
            for tag in (tombstone.headers["etag"], minted.tag, "*", None):
                answer = send(light, method, minted.stored, body, tag)
                assert answer.is_problem(409, "already-withdrawn"), (method, answer.body)
        assert light.contents() == before

    def test_its_identifier_is_never_given_again(self, light: System) -> None:
        minted = mint(light)
        send(light, "DELETE", minted.stored, {"reason": "why"}, minted.tag)
        again = light.mint({"prefix": "demo", "id": minted.document["id"], "uri": THERE})
        assert again.is_problem(409, "identifier-taken")
        assert light.get(minted.path).status == 410


class TestVersions:
    def test_each_can_be_read_for_ever_in_public_and_by_its_managers(self, light: System) -> None:
        minted = mint(light)
        answers = [light.admin("GET", minted.stored)]
        for number in range(2, 6):
            body = {"uri": f"https://content.example.org/v{number}"}
            answers.append(send(light, "PUT", minted.stored, body, answers[-1].headers["etag"]))
        answers.append(send(light, "DELETE", minted.stored, {"reason": "why"}, answers[-1].headers["etag"]))
        for number, written in enumerate(answers, 1):
            stored = light.request("GET", minted.stored, query=f"version={number}", key=light.admin_key)
            assert (stored.status, stored.json(), stored.headers["etag"]) == (
                200,
                written.json(),
                written.headers["etag"],
            )
            public = linkid(light, minted.path, f"format=linkid&version={number}")
            assert public.status == (410 if number == len(answers) else 200)
            assert public.json() == written.json()
            assert public.body == written.body
        keys = light.get("/.well-known/jwks.json").json()
        documents = [answer.json() for answer in answers]
        assert coolid.verify(documents[-1], keys, documents[:-1], pid=minted.document["pid"], issuer=BASE_URL).complete

    @pytest.mark.parametrize("number", ["0", "3", "-1", "01x", "", "1.0", "1e0", "²", "9" * 40, "latest"])
    def test_one_that_there_is_not_is_not_found(self, light: System, number: str) -> None:
        minted = mint(light)
        send(light, "PUT", minted.stored, {"uri": THERE}, minted.tag)
        query = f"version={number}".encode().decode("latin-1") if number.isascii() else "version=%C2%B2"
        answer = light.request("GET", minted.stored, query=query, key=light.admin_key)
        assert answer.is_problem(404, "unknown-version")

    def test_the_tag_of_an_older_one_does_not_allow_a_change(self, light: System) -> None:
        minted = mint(light)
        send(light, "PUT", minted.stored, {"uri": THERE}, minted.tag)
        old = light.request("GET", minted.stored, query="version=1", key=light.admin_key)
        assert old.headers["etag"] == minted.tag
        assert send(light, "PUT", minted.stored, {"uri": HERE}, old.headers["etag"]).is_problem(412, "outdated")
