"""The Handle API through the functions: written values are read back, deleted handles are withdrawn, refusals have
reasons.
"""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import can_ada
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.model.clients import Quota, issue_client
from coolid.strict_json import load
from tests.support.builders.samples import BASE_URL
from tests.support.effort import examples
from tests.support.fixtures.events import to_event
from tests.support.fixtures.system import Answer, System

PREFIX = "10.5072"
HANDLES = "/api/handles"
HERE = "https://content.example.org/here"
URL = {"index": 1, "type": "URL", "data": {"format": "string", "value": HERE}}
EMAIL = {"index": 2, "type": "EMAIL", "data": {"format": "string", "value": "library@example.org"}}
ADMIN = {
    "index": 100,
    "type": "HS_ADMIN",
    "data": {"format": "admin", "value": {"handle": f"0.NA/{PREFIX}", "index": 200, "permissions": "011111110011"}},
}


@pytest.fixture(scope="session")
def handles(untouched: System) -> System:
    """A system with a Handle prefix whose identifiers are chosen, and one whose repository has a few domains."""
    running = untouched.copied()
    for name, members in {PREFIX: {}, "10.5073": {"domains": ["example.org"]}}.items():
        rules = {"scheme": "chosen", "rules": {"pattern": "[!-~]+", "folds_case": True}}
        owner = running.admin("POST", "/api/v1/repositories", {"title": "Handles"} | rules | members).json()["id"]
        alias = {"kind": "namespace", "repository": owner}
        assert running.admin("PUT", f"/api/v1/prefixes/{name}", alias).status == 201
    return running


def basic(key: str, user: str = f"300:0.NA/{PREFIX}") -> tuple[str, str]:
    """The header that pyhandle sends."""
    return "Authorization", "Basic " + b64encode(f"{quote(user)}:{key}".encode()).decode()


def put(system: System, handle: str, values: Any, query: str = "", key: str | None = None) -> Answer:
    body = {"values": values} if isinstance(values, list) else values
    headers = [basic(system.admin_key if key is None else key)]
    return system.request("PUT", f"{HANDLES}/{handle}", query=query, headers=headers, document=body)


def delete(system: System, handle: str, query: str = "") -> Answer:
    return system.request("DELETE", f"{HANDLES}/{handle}", query=query, headers=[basic(system.admin_key)])


def read(system: System, handle: str, query: str = "") -> Any:
    """What is read, once it is seen to be a success."""
    answer = system.get(f"{HANDLES}/{handle}", query=query)
    assert (answer.status, answer.json()["responseCode"]) == (200, 1), answer.body
    assert answer.json()["handle"] == handle
    return answer.json()["values"]


def plain(values: Any) -> Any:
    """Values without what differs from run to run, by their indexes."""
    return {value["index"]: {k: v for k, v in value.items() if k not in ("ttl", "timestamp")} for value in values}


def returned(answer: Answer) -> tuple[int, int]:
    """The HTTP status and the response code of an answer in the protocol's JSON."""
    assert answer.headers["content-type"] == "application/json"
    return answer.status, answer.json()["responseCode"]


class TestPutting:
    def test_what_is_put_is_read_and_leads_there(self, handles: System) -> None:
        answer = put(handles, f"{PREFIX}/first", [ADMIN, URL, EMAIL])
        assert returned(answer) == (201, 1)
        assert answer.json()["handle"] == f"{PREFIX}/first"
        assert plain(read(handles, f"{PREFIX}/first")) == {1: URL, 2: EMAIL, 100: ADMIN}
        assert handles.get(f"/{PREFIX}/first").headers["location"] == HERE
        assert handles.get(f"/hdl:{PREFIX}/FIRST").headers["location"] == HERE
        record = handles.get(f"/{PREFIX}/first", query="format=linkid").json()
        assert [each["uri"] for each in record["records"]] == [HERE]

    def test_overwriting_makes_a_version_and_is_refused_where_it_is_not_wanted(self, handles: System) -> None:
        handle = f"{PREFIX}/over"
        assert returned(put(handles, handle, [URL, EMAIL], "overwrite=false")) == (201, 1)
        assert returned(put(handles, handle, [URL], "overwrite=false")) == (409, 101)
        there = "https://content.example.org/there"
        moved = {**URL, "data": {"format": "string", "value": there}}
        assert returned(put(handles, handle, [moved], "overwrite=true")) == (200, 1)
        assert plain(read(handles, handle, "auth=true")) == {1: moved, 100: ADMIN}
        assert handles.get(f"/{handle}", query="format=linkid").json()["version"] == 2
        assert returned(put(handles, handle, [moved])) == (200, 1)

    def test_values_of_some_indexes_are_changed_alone(self, handles: System) -> None:
        handle = f"{PREFIX}/some"
        assert put(handles, handle, [URL, EMAIL]).status == 201
        other = {**EMAIL, "data": {"format": "string", "value": "other@example.org"}}
        fifth = {"index": 5, "type": "CHECKSUM", "data": {"format": "hex", "value": "00ff"}}
        assert returned(put(handles, handle, [other], "index=2&overwrite=false")) == (409, 201)
        assert returned(put(handles, handle, [other], "index=2&overwrite=true")) == (200, 1)
        assert returned(put(handles, handle, [fifth], "index=various")) == (201, 1)
        assert plain(read(handles, handle)) == {1: URL, 2: other, 5: fifth, 100: ADMIN}
        assert returned(put(handles, handle, [other], "index=3")) == (400, 4)
        assert returned(put(handles, f"{PREFIX}/absent", [other], "index=2")) == (404, 100)

    def test_values_are_taken_away(self, handles: System) -> None:
        handle = f"{PREFIX}/less"
        assert put(handles, handle, [{**URL, "index": 7}, EMAIL]).status == 201
        assert returned(delete(handles, handle, "index=9")) == (400, 200)
        assert returned(delete(handles, handle, "index=various")) == (400, 4)
        assert returned(delete(handles, handle, "index=2")) == (200, 1)
        assert plain(read(handles, handle)) == {7: {**URL, "index": 7}, 100: ADMIN}
        assert returned(delete(handles, handle, "index=7&index=100")) == (200, 1)
        assert plain(read(handles, handle)) == {100: ADMIN}

    def test_what_a_handle_client_does_not_speak_of_stays(self, handles: System) -> None:
        places = [{"uri": HERE, "language": "en-GB", "mediaType": "application/pdf"}, {"uri": f"{HERE}/2"}]
        said = {"prefix": PREFIX, "id": "kept", "records": places, "metadata": {"what": "A report"}}
        assert handles.mint(said).status == 201
        values = plain(read(handles, f"{PREFIX}/kept"))
        assert [values[index]["data"]["value"] for index in (1, 2)] == [HERE, f"{HERE}/2"]
        assert f'id="1" href="{HERE}" weight="1" lang="en-GB" country="gb"' in values[1000]["data"]["value"]
        assert put(handles, f"{PREFIX}/kept", [{**EMAIL, "index": 3}], "index=3").status == 201
        record = handles.get(f"/{PREFIX}/kept", query="format=linkid").json()
        assert record["records"][0]["mediaType"] == "application/pdf"
        assert record["metadata"]["what"] == "A report"
        assert plain(read(handles, f"{PREFIX}/kept")) == values | {3: {**EMAIL, "index": 3}}

    @pytest.mark.parametrize("body", [[URL], URL, {"values": [URL], "handle": f"{PREFIX}/SHAPE", "more": 1}])
    def test_one_value_an_array_or_an_object_may_be_put(self, handles: System, body: Any) -> None:
        headers = [basic(handles.admin_key)]
        answer = handles.request("PUT", f"{HANDLES}/{PREFIX}/shape", headers=headers, document=body)
        assert answer.status in (200, 201)
        assert plain(read(handles, f"{PREFIX}/shape"))[1] == URL

    @pytest.mark.parametrize(
        ("values", "code"),
        [
            ([{**URL, "data": "javascript:alert(1)"}], 202),
            ([{**URL, "data": {"format": "base64", "value": "aHR0cHM6Ly9hLmV4YW1wbGUv"}}], 202),
            ([{**URL, "data": f"{BASE_URL}/{PREFIX}/bad"}], 202),
            ([URL, {**EMAIL, "index": 1}], 202),
            ([{"index": 3, "type": "HS_SECKEY", "data": "secret"}], 202),
            ([{"index": 3, "type": "hs_seckey.x", "data": "secret"}], 202),
            ([{"index": 3, "type": " hs_SECKEY\u00a0", "data": "secret"}], 202),
            ([{**EMAIL, "permissions": "1100"}], 202),
            ([{**EMAIL, "data": "x" * 390_000}], 202),
            ({"handle": f"{PREFIX}/other", "values": []}, 4),
            ("nonsense", 202),
            ([7], 202),
        ],
    )
    def test_values_that_cannot_be_stored_are_refused_and_nothing_is_written(
        self, handles: System, values: Any, code: int
    ) -> None:
        before = handles.contents()
        answer = put(handles, f"{PREFIX}/bad", values)
        assert returned(answer) == (400, code)
        assert answer.json()["message"]
        assert handles.contents() == before

    def test_a_response_that_cannot_be_written_is_refused_before_anything_is_done(self, handles: System) -> None:
        before = handles.contents()
        assert returned(put(handles, f"{PREFIX}/called", [URL], "callback=alert(1)")) == (400, 4)
        assert handles.contents() == before

    def test_a_target_outside_the_repositorys_domains_is_refused_with_the_reason(self, handles: System) -> None:
        answer = put(handles, "10.5073/x", [{**URL, "data": "https://example.net/"}])
        assert returned(answer) == (400, 202)
        assert "example.org" in answer.json()["message"]

    def test_a_handle_that_breaks_the_rules_or_is_not_this_service_is_refused(self, handles: System) -> None:
        for handle, code in {
            f"{PREFIX}/a%20b": 102,
            "10.9999/x": 301,
            "demo/x": 301,
            "2021/06/demo/x": 301,
            PREFIX: 102,
            f"0.NA/{PREFIX}": 102,
        }.items():
            assert returned(put(handles, handle, [URL])) == (400, code), handle


def amended(system: System, handle: str, **members: Any) -> None:
    """Change a record through the API of records."""
    path = f"/api/v1/records/{handle}"
    headers = [("If-Match", "*")]
    answer = system.request("PATCH", path, headers=headers, document=members, key=system.admin_key)
    assert answer.status == 200, answer.body


def url(index: int, uri: str) -> dict[str, Any]:
    return {"index": index, "type": "URL", "data": {"format": "string", "value": uri}}


class TestKeeping:
    def test_what_would_be_too_much_is_refused_and_nothing_is_lost(self, handles: System) -> None:
        handle = f"{PREFIX}/many"
        values = [{**EMAIL, "index": index, "data": str(index)} for index in range(1, 501)]
        assert returned(put(handles, handle, values)) == (201, 1)
        refused = put(handles, handle, [URL | {"index": 501}], "index=501")
        assert returned(refused) == (400, 202)
        assert "501 values, more than 500" in refused.json()["message"]
        assert returned(put(handles, handle, [URL | {"index": 500}], "index=500")) == (200, 1)
        assert len(read(handles, handle, "auth")) == 501  # with the administrator
        assert returned(delete(handles, handle, "index=1")) == (200, 1)
        assert returned(put(handles, handle, [URL | {"index": 1}], "index=1")) == (201, 1)

    def test_no_more_is_taken_than_the_api_of_records_takes(self, handles: System) -> None:
        handle = f"{PREFIX}/places"
        values = [url(index, f"{HERE}/{index}") for index in range(1, 102)]
        before = handles.contents()
        refused = put(handles, handle, values)
        assert returned(refused) == (400, 202)
        assert "at most 100 items" in refused.json()["message"]
        assert handles.contents() == before
        assert returned(put(handles, handle, values[:100])) == (201, 1)
        assert returned(put(handles, handle, values[100:], "index=101")) == (400, 202)
        amended(handles, handle, metadata={f"m{number}": "" for number in range(99)})
        amended(handles, handle, metadata={"handle": None, "m99": ""})
        assert returned(put(handles, handle, [EMAIL], "index=various")) == (400, 202)

    def test_an_index_means_its_url_whatever_becomes_of_the_others(self, handles: System) -> None:
        handle = f"{PREFIX}/bound"
        one, two, three = ({**url(index, f"{HERE}/{index}"), "ttl": index} for index in (5, 6, 7))
        assert put(handles, handle, [one, two, three]).status == 201
        amended(handles, handle, records=[{"uri": f"{HERE}/new"}, {"uri": f"{HERE}/7"}, {"uri": f"{HERE}/6"}])
        values = {each["index"]: each for each in read(handles, handle, "auth")}
        assert {index: (values[index]["data"]["value"], values[index]["ttl"]) for index in (1, 6, 7)} == {
            1: (f"{HERE}/new", 300),
            6: (f"{HERE}/6", 6),
            7: (f"{HERE}/7", 7),
        }
        assert returned(delete(handles, handle, "index=5")) == (400, 200)
        assert handles.get(f"/{handle}", query="index=5").is_problem(406)
        assert returned(delete(handles, handle, "index=6")) == (200, 1)
        record = handles.get(f"/{handle}", query="format=linkid").json()
        assert [each["uri"] for each in record["records"]] == [f"{HERE}/new", f"{HERE}/7"]

    def test_what_a_client_cannot_see_it_does_not_change(self, handles: System) -> None:
        handle = f"{PREFIX}/hidden"
        asleep = {"uri": f"{HERE}/asleep", "status": "inactive", "language": "en"}
        later = {"uri": f"{HERE}/later", "status": "active", "validFrom": "2099-01-01T00:00:00Z", "validUntil": None}
        places = [asleep, {"uri": HERE}, later]
        assert handles.mint({"prefix": PREFIX, "id": "hidden", "records": places}).status == 201
        (seen,) = (each for each in read(handles, handle) if each["type"] == "URL")
        assert (seen["index"], seen["data"]["value"]) == (2, HERE)

        def uris() -> list[str]:
            answer = handles.admin("GET", f"/api/v1/records/{handle}")
            found = [each for each in answer.json()["records"] if each["uri"] in (asleep["uri"], later["uri"])]
            assert found == [asleep, later]
            return [each["uri"].removeprefix(HERE) for each in answer.json()["records"]]

        for index in (1, 3):
            assert returned(delete(handles, handle, f"index={index}")) == (400, 200)
            assert returned(put(handles, handle, [url(index, f"{HERE}/{index}")], f"index={index}")) == (201, 1)
        assert uris() == ["/asleep", "", "/later", "/1", "/3"]
        assert put(handles, handle, read(handles, handle, "auth")).status == 200
        assert uris() == ["/asleep", "", "/later", "/1", "/3"]
        assert returned(put(handles, handle, [URL])) == (200, 1)
        assert uris() == ["/asleep", "", "/later"]
        assert plain(read(handles, handle, "auth")) == {1: URL, 100: ADMIN}
        assert handles.get(f"/{handle}", query="locatt=lang:en").headers["location"] == HERE

    def test_what_is_read_and_put_again_follows_what_it_is_made_of(self, handles: System) -> None:
        handle = f"{PREFIX}/again"
        said = {"prefix": PREFIX, "id": "again", "records": [{"uri": HERE}, {"uri": f"{HERE}/2"}]}
        assert handles.mint(said).status == 201
        assert put(handles, handle, read(handles, handle)).status == 200
        amended(handles, handle, records=[{"uri": HERE}, {"uri": f"{HERE}/3", "language": "de"}], ttl=77)
        values = {each["index"]: each for each in read(handles, handle, "auth")}
        assert values.keys() == {1, 3, 100, 1000}
        assert f'href="{HERE}/3" weight="1" lang="de"' in values[1000]["data"]["value"]
        assert {each["ttl"] for each in values.values()} == {77}

    def test_a_default_target_continues_when_it_is_put_again(self, handles: System) -> None:
        rules = {"scheme": "chosen", "rules": {"pattern": "[!-~]+", "folds_case": True}}
        owner = {"title": "Default", "target": "https://default.example/{$id}"} | rules
        made = handles.admin("POST", "/api/v1/repositories", owner).json()["id"]
        alias = {"kind": "namespace", "repository": made}
        assert handles.admin("PUT", "/api/v1/prefixes/10.5074", alias).status == 201
        assert handles.mint({"prefix": "10.5074", "id": "x"}).status == 201
        for query in ("", "index=various"):
            values = read(handles, "10.5074/x", "auth")
            assert values[0]["data"]["value"] == "https://default.example/x"
            assert put(handles, "10.5074/x", values, query).json()["responseCode"] == 1
            assert handles.get("/10.5074/x", query="format=linkid").json()["records"] == []
        assert returned(delete(handles, "10.5074/x", "index=1")) == (400, 200)
        assert returned(put(handles, "10.5074/x", [url(2, HERE)], "index=2")) == (201, 1)
        found = [each["data"]["value"] for each in read(handles, "10.5074/x", "auth") if each["type"] == "URL"]
        assert found == ["https://default.example/x", HERE]

    def test_a_default_target_keeps_its_returned_index(self, handles: System) -> None:
        rules = {"scheme": "chosen", "rules": {"pattern": "[!-~]+", "folds_case": True}}
        owner = {"title": "Default", "target": "https://default.example/{$id}"} | rules
        made = handles.admin("POST", "/api/v1/repositories", owner).json()["id"]
        alias = {"kind": "namespace", "repository": made}
        assert handles.admin("PUT", "/api/v1/prefixes/10.5075", alias).status == 201
        target = "https://default.example/x"
        email = {**EMAIL, "index": 1}
        assert returned(put(handles, "10.5075/x", [email])) == (201, 1)
        assert plain(read(handles, "10.5075/x")) == {1: email, 2: url(2, target)} | plain(
            each for each in read(handles, "10.5075/x") if each["type"] == "HS_ADMIN"
        )

        def at() -> list[int]:
            assert handles.get("/10.5075/x", query="format=linkid").json()["records"] == []
            return [each["index"] for each in read(handles, "10.5075/x", "auth") if each["type"] == "URL"]

        assert returned(put(handles, "10.5075/x", [url(2, target)])) == (200, 1)
        assert at() == [2]
        assert returned(put(handles, "10.5075/x", [email], "index=1")) == (201, 1)
        assert returned(delete(handles, "10.5075/x", "index=2")) == (400, 200)
        assert returned(delete(handles, "10.5075/x", "index=1")) == (200, 1)
        assert at() == [2]
        assert put(handles, "10.5075/x", read(handles, "10.5075/x", "auth")).status == 200
        assert at() == [2]

    def test_values_too_deep_to_be_read_again_are_refused(self, handles: System) -> None:
        def deep(levels: int) -> list[Any]:
            value: Any = {}
            for _ in range(levels - 1):
                value = {"a": value}
            return [{"index": 1, "type": "SITE", "data": {"format": "site", "value": value}}]

        handle = f"{PREFIX}/deep"
        before = handles.contents()
        for levels in (92, 94, 95, 96):
            refused = put(handles, handle, deep(levels))
            assert returned(refused) == (400, 202)
            assert "nested more than 100 deep" in refused.json()["message"]
        assert handles.contents() == before
        assert returned(put(handles, handle, deep(91))) == (201, 1)
        assert returned(put(handles, handle, deep(94), "index=1")) == (400, 202)
        history = handles.admin("GET", f"/api/v1/history/{handle}")
        document = load(history.body.encode())["versions"][0]["record"]
        said = {"metadata": document["metadata"], "records": document["records"]}
        path = f"/api/v1/records/{handle}"
        answer = handles.request("PUT", path, headers=[("If-Match", "*")], document=said, key=handles.admin_key)
        assert answer.status == 200, answer.body
        assert returned(put(handles, handle, read(handles, handle, "auth"))) == (200, 1)

    def test_more_values_than_may_be_that_the_other_api_made_can_be_changed(self, handles: System) -> None:
        handle = f"{PREFIX}/crowd"
        values = [{**EMAIL, "index": index, "data": str(index)} for index in range(1, 501)]
        assert returned(put(handles, handle, values)) == (201, 1)
        amended(handles, handle, records=[{"uri": f"{HERE}/{number}"} for number in range(3)])
        assert returned(put(handles, handle, [EMAIL], "index=2")) == (200, 1)
        assert returned(put(handles, handle, [url(502, HERE)], "index=502")) == (200, 1)
        assert returned(put(handles, handle, [url(504, HERE)], "index=504")) == (400, 202)
        assert returned(delete(handles, handle, "index=501&index=3")) == (200, 1)
        assert returned(put(handles, handle, [url(503, f"{HERE}/new")], "index=503")) == (200, 1)

    def test_foreign_content_of_the_member_is_not_overwritten(self, handles: System) -> None:
        handle = f"{PREFIX}/foreign"
        said = {"prefix": PREFIX, "id": "foreign", "uri": HERE, "metadata": {"handle": "mine"}}
        assert handles.mint(said).status == 201
        writes: tuple[Callable[[], Answer], ...] = (
            lambda: put(handles, handle, [URL]),
            lambda: put(handles, handle, [EMAIL], "index=2"),
            lambda: delete(handles, handle, "index=1"),
        )
        for write in writes:
            refused = write()
            assert returned(refused) == (409, 2)
            assert "has other content" in refused.json()["message"]
        assert handles.get(f"/{handle}", query="format=linkid").json()["metadata"] == {"handle": "mine"}

    def test_what_is_reserved_stays_so(self, handles: System) -> None:
        handle = f"{PREFIX}/secret"
        metadata = {"what": "Not yet for the public"}
        said = {"prefix": PREFIX, "id": "secret", "status": "reserved", "metadata": metadata}
        assert handles.mint(said).status == 201
        for query in ("", "index=1"):
            assert returned(put(handles, handle, [URL], query)) in [(200, 1), (201, 1)]
            assert returned(handles.get(f"{HANDLES}/{handle}", query="auth")) == (404, 100)
            assert handles.get(f"/{handle}").status == 404
        amended(handles, handle, status="active")
        assert plain(read(handles, handle, "auth"))[1] == URL

    def test_a_prefix_may_have_letters(self, handles: System) -> None:
        path = f"/api/v1/prefixes/{PREFIX}"
        owner = handles.admin("GET", path).json()["repository"]
        owner = owner if isinstance(owner, str) else owner["id"]
        alias = {"kind": "namespace", "repository": owner}
        assert handles.admin("PUT", "/api/v1/prefixes/21.T11148", alias).status == 201
        assert returned(put(handles, "21.T11148/Letters", [URL])) == (201, 1)
        for handle in ("21.T11148/letters", "21.t11148/LETTERS"):
            assert plain(read(handles, handle))[1] == URL
            assert handles.get(f"/{handle}").headers["location"] == HERE
            assert handles.get(f"/hdl:{handle}", query="noredirect").json()["responseCode"] == 1
        assert read(handles, "0.NA/21.T11148")[1]["type"] == "HS_ADMIN"
        refused = {"title": "Case", "scheme": "chosen", "rules": {"pattern": "[!-~]+"}}
        other = handles.admin("POST", "/api/v1/repositories", refused).json()["id"]
        answer = handles.admin("PUT", "/api/v1/prefixes/21.T11149", {"kind": "namespace", "repository": other})
        assert answer.is_problem(422)


class TestDeleting:
    @pytest.mark.parametrize(
        "query", ["Index=1", "idx=1", "type=URL", "index%20=1", "overwrite=true", "index=1&values=2", "=1"]
    )
    def test_a_parameter_that_is_unknown_withdraws_nothing(self, handles: System, query: str) -> None:
        handle = f"{PREFIX}/misspelt"
        assert put(handles, handle, [URL, EMAIL]).json()["responseCode"] == 1
        before = handles.contents()
        assert returned(delete(handles, handle, query)) == (400, 4)
        assert handles.contents() == before

    @pytest.mark.parametrize(
        "query",
        [
            "Index=1",
            "INDEX=various",
            "Overwrite=false",
            "%20overwrite=false",
            "mintNewSuffix=true",
            "index[]=3",
            "indexes=3",
            "idx=3",
            "type=URL",
            "=1",
            "overwrite=true&overwrite=false",
            "index=1&overwrite=false&overwrite=true",
        ],
    )
    def test_a_parameter_that_is_unknown_overwrites_nothing(self, handles: System, query: str) -> None:
        handle = f"{PREFIX}/misspelt"
        assert put(handles, handle, [URL, EMAIL]).json()["responseCode"] == 1
        before = handles.contents()
        assert returned(put(handles, handle, [URL], query)) == (400, 4)
        assert handles.contents() == before

    def test_parameters_that_every_request_may_have_change_nothing(self, handles: System) -> None:
        query = "overwrite=true&pretty&callback=f&auth=true&publicOnly=true"
        answer = put(handles, f"{PREFIX}/any", [URL], query)
        assert (answer.status, answer.headers["content-type"]) == (201, "application/javascript; charset=utf-8")
        assert plain(read(handles, f"{PREFIX}/any")) == {1: URL, 100: ADMIN}

    def test_a_handle_is_withdrawn_says_so_and_is_never_given_again(self, handles: System) -> None:
        handle = f"{PREFIX}/gone"
        assert put(handles, handle, [URL]).status == 201
        assert returned(delete(handles, handle)) == (200, 1)
        assert handles.get(f"/{handle}").status == 410
        answer = handles.get(f"{HANDLES}/{handle}")
        assert returned(answer) == (404, 100)
        assert "deleted through the Handle API" in answer.json()["message"]
        again = put(handles, handle, [URL], "overwrite=true")
        assert returned(again) == (409, 101)
        assert "never created again" in again.json()["message"]
        assert returned(put(handles, handle, [URL], "index=1")) == (404, 100)
        assert returned(delete(handles, handle)) == (404, 100)
        for query in ("noredirect", "type=URL", "index=1", "urlappend=x", "locatt=id:1"):
            assert handles.get(f"/{handle}", query=query).status == 410

    def test_what_is_not_there_cannot_be_deleted(self, handles: System) -> None:
        assert returned(delete(handles, f"{PREFIX}/never")) == (404, 100)


class TestAuthentication:
    @pytest.mark.parametrize("key", ["", "nonsense", f"cool_aaaaaaaa_{'a' * 43}"])
    def test_without_a_valid_key_nothing_is_written(self, handles: System, key: str) -> None:
        before = handles.contents()
        answer = put(handles, f"{PREFIX}/unknown", [URL], key=key)
        assert returned(answer) == (401, 402)
        assert answer.headers["www-authenticate"].startswith("Basic ")
        bare = handles.request("PUT", f"{HANDLES}/{PREFIX}/unknown", document=[URL])
        assert returned(bare) == (401, 402)
        assert handles.contents() == before

    @pytest.mark.parametrize("header", ["Basic", "Basic !", "Basic /w==", "Bearer x", "Handle clientCert=true"])
    def test_credentials_of_other_kinds_are_refused_with_the_reason(self, handles: System, header: str) -> None:
        answer = handles.request("DELETE", f"{HANDLES}/{PREFIX}/x", headers=[("Authorization", header)])
        assert returned(answer) == (401, 402)

    def test_a_key_reaches_as_far_as_its_scopes(self, handles: System) -> None:
        minting, updating = handles.key_with(f"mint:{PREFIX}"), handles.key_with(f"update:{PREFIX}")
        assert returned(put(handles, f"{PREFIX}/scopes", [URL], key=updating)) == (403, 401)
        assert returned(put(handles, f"{PREFIX}/scopes", [URL], key=minting)) == (201, 1)
        assert returned(put(handles, f"{PREFIX}/scopes", [EMAIL], key=minting)) == (403, 401)
        assert returned(put(handles, f"{PREFIX}/scopes", [EMAIL], key=updating)) == (200, 1)
        assert returned(put(handles, "10.5073/x", [URL], key=updating)) == (403, 401)

    def test_a_bearer_token_and_a_name_with_its_colon_as_it_is_will_do(self, handles: System) -> None:
        answer = handles.request("PUT", f"{HANDLES}/{PREFIX}/bearer", document=[URL], key=handles.admin_key)
        assert answer.status == 201
        credentials = b64encode(f"300:0.NA/{PREFIX}:{handles.admin_key}".encode()).decode()
        headers = [("Authorization", f"basic {credentials}")]
        assert handles.request("DELETE", f"{HANDLES}/{PREFIX}/bearer", headers=headers).status == 200

    def test_a_quota_counts(self, handles: System) -> None:
        client, key = issue_client((f"mint:{PREFIX}",), SystemClock(), SystemEntropy(), "a test", Quota(day=1))
        handles.store().clients.put_client(client)
        assert put(handles, f"{PREFIX}/quota-1", [URL], key=key).status == 201
        answer = put(handles, f"{PREFIX}/quota-2", [URL], key=key)
        assert returned(answer) == (429, 3)
        assert int(answer.headers["retry-after"]) > 0


class TestReading:
    def test_values_are_chosen_by_index_and_type(self, handles: System) -> None:
        work = {"index": 4, "type": "EMAIL.work", "data": {"format": "string", "value": "w"}}
        assert put(handles, f"{PREFIX}/chosen", [URL, EMAIL, work]).status == 201
        for query, indexes in {
            "index=1": {1},
            "index=1&index=2": {1, 2},
            "type=URL": {1},
            "type=EMAIL": {2},
            "type=EMAIL.": {2, 4},
            "type=url&index=2": {1, 2},
            "publicOnly=true": {1, 2, 4, 100},
            "auth": {1, 2, 4, 100},
        }.items():
            assert plain(read(handles, f"{PREFIX}/chosen", query)).keys() == indexes, query
        none = handles.get(f"{HANDLES}/{PREFIX}/chosen", query="type=PHONE")
        assert (*returned(none), none.json()["values"]) == (200, 200, [])
        assert returned(handles.get(f"{HANDLES}/{PREFIX}/chosen", query="index=x")) == (400, 4)

    def test_values_are_in_the_order_of_their_indexes_everywhere(self, handles: System) -> None:
        handle = f"{PREFIX}/ordered"
        sent = [{**EMAIL, "index": 333}, url(5, f"{HERE}/5"), {**EMAIL, "index": 2, "type": "PHONE"}, url(4, HERE)]
        assert put(handles, handle, sent).status == 201
        assert [each["index"] for each in read(handles, handle)] == [2, 4, 5, 100, 333, 1000]
        assert [each["index"] for each in read(handles, handle, "type=EMAIL&index=5&index=2")] == [2, 5, 333]
        shown = handles.get(f"/{handle}", query="noredirect").json()["values"]
        assert [each["index"] for each in shown] == [2, 4, 5, 100, 333, 1000]
        page = handles.get(f"/{handle}", query="noredirect", accept="text/html").body
        assert 0 < page.index("<dt>PHONE</dt>") < page.index("<dt>EMAIL</dt>")
        assert handles.get(f"/{handle}").headers["location"] == HERE
        assert put(handles, handle, [{**EMAIL, "index": 3}], "index=3").status == 201
        assert [each["index"] for each in read(handles, handle, "auth")] == [2, 3, 4, 5, 100, 333, 1000]

    def test_each_value_has_a_time_to_live_and_a_timestamp(self, handles: System) -> None:
        absolute = {**EMAIL, "ttl": "2030-01-01T00:00:00Z"}
        assert put(handles, f"{PREFIX}/times", [{**URL, "ttl": 60}, absolute]).status == 201
        values = {each["index"]: each for each in read(handles, f"{PREFIX}/times")}
        assert [values[index]["ttl"] for index in (1, 2, 100)] == [60, "2030-01-01T00:00:00Z", 300]
        assert all(each["timestamp"].endswith("Z") for each in values.values())

    def test_an_unknown_handle_differs_from_one_of_another_service(self, handles: System) -> None:
        assert returned(handles.get(f"{HANDLES}/{PREFIX}/nothing")) == (404, 100)
        for handle in ("10.9999/x", "demo/x", "11.1/x", "0.NA/10.9999", "0.NA/demo"):
            assert returned(handles.get(f"{HANDLES}/{handle}")) == (400, 301), handle
        message = handles.get(f"{HANDLES}/demo/x").json()["message"]
        assert message == "'demo' is not a prefix of handles, such as 10.5072."
        for handle in ("%ff", "%zz", PREFIX, f"{PREFIX}/", f"{PREFIX}/%00", f"{PREFIX}/{'x' * 2050}"):
            assert returned(handles.get(f"{HANDLES}/{handle}")) == (400, 102), handle

    def test_a_reserved_one_does_not_exist_for_the_public(self, handles: System) -> None:
        assert handles.mint({"prefix": PREFIX, "id": "reserved", "status": "reserved"}).status == 201
        assert returned(handles.get(f"{HANDLES}/{PREFIX}/reserved")) == (404, 100)

    def test_a_prefix_of_this_service_has_a_handle(self, handles: System) -> None:
        (url, admin) = read(handles, f"0.NA/{PREFIX}")
        assert url["data"]["value"] == f"{BASE_URL}/{PREFIX}"
        assert admin["data"] == ADMIN["data"]

    def test_it_comes_as_the_client_likes_it_written(self, handles: System) -> None:
        assert put(handles, f"{PREFIX}/form", [{**EMAIL, "data": "\u2028</script>"}]).status == 201
        pretty = handles.get(f"{HANDLES}/{PREFIX}/form", query="pretty")
        assert pretty.body.startswith('{\n  "responseCode": 1')
        script = handles.get(f"{HANDLES}/{PREFIX}/form", query="callback=lib.show")
        assert script.headers["content-type"].startswith("application/javascript")
        assert script.headers["x-content-type-options"] == "nosniff"
        assert script.body.startswith("/**/lib.show({")
        assert script.body.endswith("});")
        assert "\u2028" not in script.body
        assert json.loads(script.body[len("/**/lib.show(") : -2])["responseCode"] == 1
        for name in ("", "alert(1)//", "a b", "a.", "1a", "é", "a" * 200):
            refused = handles.get(f"{HANDLES}/{PREFIX}/form", query=f"callback={quote(name)}")
            assert returned(refused) == (400, 4)

    def test_other_methods_are_refused_with_the_supported_ones(self, handles: System) -> None:
        answer = handles.request("POST", f"{HANDLES}/{PREFIX}/x")
        assert answer.is_problem(405)
        assert {"GET", "PUT", "DELETE"} <= {*answer.headers["allow"].split(", ")}


class TestSearching:
    def search(self, system: System, query: str, key: str | None = None) -> Answer:
        return system.request("GET", "/hrls/handles", query=query, headers=[basic(key or system.admin_key)])

    def test_handles_are_found_by_their_values(self, handles: System) -> None:
        for number in (1, 2, 3):
            values = [{**URL, "data": f"https://search.example/{number}"}, {**EMAIL, "data": f"s{number}.*+@example"}]
            assert put(handles, f"{PREFIX}/search-{number}", values).status == 201
        assert delete(handles, f"{PREFIX}/search-3").status == 200
        for query, numbers in {
            "URL=https://search.example/1": [1],
            "URL=https://SEARCH.example/*": [1, 2],
            "URL=*search*": [1, 2],
            "URL=*search*&EMAIL=s2.%2A*": [2],
            "URL=https://search.example/.": [],
            "URL=*search*&limit=1": [1],
            "URL=*search*&limit=1&page=1": [2],
            "URL=*search*&limit=1&page=2": [],
        }.items():
            answer = self.search(handles, query)
            assert answer.status == 200
            assert answer.json() == [f"{PREFIX}/search-{number}" for number in numbers], query

    def test_only_prefixes_that_the_key_covers_are_searched(self, handles: System) -> None:
        assert put(handles, "10.5073/mine", [{**URL, "data": "https://covered.example.org/"}]).status == 201
        query = "URL=https://covered.example.org/"
        assert self.search(handles, query).json() == ["10.5073/mine"]
        assert self.search(handles, query, handles.key_with("update:10.5073")).json() == ["10.5073/mine"]
        assert self.search(handles, query, handles.key_with(f"mint:{PREFIX}")).json() == []
        assert returned(self.search(handles, query, "nonsense")) == (401, 402)

    @pytest.mark.parametrize("query", ["", "limit=1", "URL=x&limit=x", "URL=x&page=1", "URL=x&retrieverecords=true"])
    def test_a_search_that_cannot_be_made_is_refused(self, handles: System, query: str) -> None:
        assert returned(self.search(handles, query)) == (400, 4)


@pytest.fixture(scope="session")
def several(handles: System) -> str:
    """The path of a handle with two locations and a value that is none."""
    places = [{"uri": HERE, "language": "en-GB"}, {"uri": f"{HERE}/2?a=b", "language": "de-CH", "quality": 0.5}]
    assert handles.mint({"prefix": PREFIX, "id": "several", "records": places}).status == 201
    assert put(handles, f"{PREFIX}/several", [{**EMAIL, "index": 3}], "index=3").status == 201
    return f"/{PREFIX}/several"


TOOL = "https://git.example/ourorg/tool"


@pytest.fixture(scope="session")
def tool(handles: System) -> str:
    """The path of a handle whose target has neighbours that belong to others."""
    assert handles.mint({"prefix": PREFIX, "id": "tool", "uri": TOOL}).status == 201
    return f"/{PREFIX}/tool"


class TestLeading:
    def test_parameters_choose_where_a_redirect_leads(self, handles: System, several: str) -> None:
        for query, location in {
            "type=URL": HERE,
            "index=1": HERE,
            "index=2": f"{HERE}/2?a=b",
            "locatt=id:2": f"{HERE}/2?a=b",
            "locatt=country:CH": f"{HERE}/2?a=b",
            "locatt=lang:de-CH": f"{HERE}/2?a=b",
            "locatt=weight:0.5": f"{HERE}/2?a=b",
            "locatt=country:fr": HERE,
            "locatt=nonsense": HERE,
            "urlappend=%3Fx%3Dy%20z": f"{HERE}?x=y%20z",
            "index=2&urlappend=%26c%3Dd": f"{HERE}/2?a=b&c=d",
            "utm_source=x": HERE,
        }.items():
            answer = handles.get(several, query=query)
            assert (answer.status, answer.headers["location"]) == (302, location), query

    def test_values_that_lead_nowhere_are_shown(self, handles: System, several: str) -> None:
        for query, indexes in {
            "noredirect": {1, 2, 3, 100, 1000},
            "noredirect&type=URL": {1, 2},
            "index=3": {3},
            "type=EMAIL": {3},
            "noredirect&type=PHONE": set(),
        }.items():
            answer = handles.get(several, query=query)
            assert answer.status == 200, query
            assert answer.json()["handle"] == several[1:]
            assert plain(answer.json()["values"]).keys() == indexes
        assert handles.get(several, query="noredirect", accept="text/html").body.startswith("<!doctype html>")
        turtle = handles.get(several, query="noredirect", accept="text/turtle")
        assert turtle.headers["content-type"].startswith("text/turtle")
        assert handles.get(several, query="noredirect", accept="image/png").is_problem(406, "not-acceptable")
        assert handles.get(several, query="noredirect&format=linkid").json()["id"] == "several"
        assert handles.get(several, query="index=77").is_problem(406, "no-such-form")

    def test_a_location_that_is_not_good_now_is_chosen_by_nothing(self, handles: System) -> None:
        passed = {"uri": f"{HERE}/passed", "language": "en", "validUntil": "2020-01-01T00:00:00Z"}
        places = [passed, {"uri": HERE, "language": "de"}]
        assert handles.mint({"prefix": PREFIX, "id": "asleep", "records": places}).status == 201
        for query in ("locatt=lang:en", "locatt=id:1", "locatt=lang:de", "index=2&locatt=lang:en"):
            answer = handles.get(f"/{PREFIX}/asleep", query=query)
            assert (answer.status, answer.headers.get("location")) == (302, HERE), query
        assert handles.mint({"prefix": PREFIX, "id": "passed", "records": [passed]}).status == 201
        for query in ("locatt=lang:en", "urlappend=/x"):
            assert handles.get(f"/{PREFIX}/passed", query=query).is_problem(404, "no-location")

    def test_nobody_gets_to_another_place_by_what_is_appended(self, handles: System) -> None:
        assert put(handles, f"{PREFIX}/bare", [{**URL, "data": "https://a.example"}]).status == 201
        for more in (
            ".evil.example",
            "@evil.example",
            ":8443",
            "x",
            "%0d%0ax",
            "%5C@evil.example",
            "/" + "x" * 2100,
            "/%FF",
        ):
            answer = handles.get(f"/{PREFIX}/bare", query=f"urlappend={more}")
            assert answer.is_problem(400), more
        assert handles.get(f"/{PREFIX}/bare", query="urlappend=/x").headers["location"] == "https://a.example/x"

    @pytest.mark.parametrize(
        "more",
        [
            "/../../attacker/x",
            "/%2e%2e/x",
            "/%252e%252e/x",
            "/%25252e%25252e/x",
            "/..%5C..%5Cx",
            "/..%255Cx",
            "/..;/x",
            "/..%253B/x",
            "/./x",
            "/.%09./x",
            "/.%0A./x",
            "%253F/../../x",
            "/..?x=1",
            "-attacker/x",
            "x",
        ],
    )
    def test_what_is_appended_leads_to_nothing_but_a_part_of_the_target(
        self, handles: System, tool: str, more: str
    ) -> None:
        answer = handles.get(tool, query=f"urlappend={more}")
        assert answer.is_problem(400, "bad-reference")
        assert "location" not in answer.headers

    @pytest.mark.parametrize("more", ["/page/2", ".pdf", "?x=1", "&a=b", ";seq=7", "#part", "?/../../x"])
    def test_parts_of_a_target_are_appended_as_they_are(self, handles: System, tool: str, more: str) -> None:
        answer = handles.get(tool, query=f"urlappend={quote(more)}")
        assert (answer.status, answer.headers["location"]) == (302, TOOL + more)

    @examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.lists(st.sampled_from([*"/.;?#&=@:a-", "..", "%2e", "%252e", "%5c", "%5C", "%09", "\\", "//"]), max_size=8)
    )
    @example(["/", "..", "/", "..", "/", "a"])
    def test_whatever_is_appended_a_browser_stays_below_the_target(
        self, handles: System, tool: str, pieces: list[str]
    ) -> None:
        answer = handles.get(tool, query=f"urlappend={quote(''.join(pieces))}")
        if answer.status == 400:
            return
        assert answer.status == 302
        before, after = can_ada.parse(TOOL), can_ada.parse(answer.headers["location"])
        assert after.origin == before.origin
        assert str(after.pathname).startswith(str(before.pathname))

    def test_elsewhere_they_are_handed_on(self, handles: System) -> None:
        providers = [{"code": "p", "url": "https://doi.example/{$id}"}]
        assert handles.admin("PUT", "/api/v1/prefixes/doi", {"kind": "provider", "providers": providers}).status == 201
        answer = handles.get("/doi:10.1000/1", query="noredirect&type=URL&utm=x&urlappend=%3Fa%26b&strict=0")
        assert answer.headers["location"] == "https://doi.example/10.1000/1?noredirect&type=URL&urlappend=%3Fa%26b"
        assert handles.get("/doi:10.1000/1", query="utm=x").headers["location"] == "https://doi.example/10.1000/1"

    def test_where_identifiers_are_no_handles_they_mean_nothing(self, handles: System) -> None:
        minted = handles.mint({"prefix": "demo", "uri": HERE}).json()
        answer = handles.get(minted["pid"].removeprefix(BASE_URL), query="noredirect&index=7&urlappend=.evil")
        assert (answer.status, answer.headers["location"]) == (302, HERE)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
urls = st.sampled_from([HERE, f"{HERE}/2", "https://b.example/?x&y"])
values = st.lists(
    st.one_of(
        st.builds(
            lambda index, kind, url: {"index": index, "type": kind, "data": url},
            st.integers(1, 9),
            st.sampled_from(["URL", "url"]),
            urls,
        ),
        st.builds(
            lambda index, kind, text: {"index": index, "type": kind, "data": {"format": "string", "value": text}},
            st.integers(1, 1200),
            st.sampled_from(["EMAIL", "10320/loc", "X.y", "HS_ADMIN", "HS_VLIST"]),
            texts,
        ),
        st.builds(
            lambda index, data: {"index": index, "type": "DATA", "data": {"format": "hex", "value": data.hex()}},
            st.integers(1, 2**31 - 1),
            st.binary(max_size=9),
        ),
    ),
    max_size=5,
    unique_by=lambda value: value["index"],
)


@examples(30, suppress_health_check=[*HealthCheck])
@given(before=values, after=values)
def test_whatever_is_put_is_read_back_whole_or_in_part(handles: System, before: Any, after: Any) -> None:
    handle = f"{PREFIX}/property"
    expected: dict[int, Any] = {}
    for sent, query in ((before, ""), (after, "index=various")):
        assert put(handles, handle, sent, query).json()["responseCode"] == 1
        for each in sent:
            data = each["data"] if isinstance(each["data"], dict) else {"format": "string", "value": each["data"]}
            expected[each["index"]] = {**each, "data": data}
        found = plain(read(handles, handle, "auth=true"))
        assert {index: found[index] for index in expected} == expected


def test_the_page_of_a_record_shows_the_values_and_whatever_others_put_in_their_place(handles: System) -> None:
    assert put(handles, f"{PREFIX}/page", [URL, {**EMAIL, "data": "<b>library</b>"}]).status == 201
    page = handles.get(f"/{PREFIX}/page", query="noredirect", accept="text/html").body
    assert "<dt>EMAIL</dt><dd>&lt;b&gt;library&lt;/b&gt;</dd>" in page
    junk: tuple[Any, ...] = (
        None,
        7,
        "x",
        [],
        {},
        {"values": None},
        {"values": "ab"},
        {"values": [1, {}, {"data": {}}]},
    )
    for number, returned in enumerate(junk):
        said = {"prefix": PREFIX, "id": f"junk-{number}", "uri": HERE, "metadata": {"handle": returned}}
        assert handles.mint(said).status == 201
        assert handles.get(f"/{PREFIX}/junk-{number}", query="noredirect", accept="text/html").status == 200
        assert plain(read(handles, f"{PREFIX}/junk-{number}"))[1] == URL


naughty = st.text(max_size=12) | st.sampled_from(["%ff", "%00", "%2F", "0.NA/", f"{PREFIX}/", "\ud800", "a:b", "//"])


def _is_sendable(text: str) -> bool:
    """Whether it has no half of a surrogate."""
    return text.encode(errors="replace") == text.encode(errors="surrogatepass")


@examples(60, suppress_health_check=[*HealthCheck])
@given(
    method=st.sampled_from(["GET", "PUT", "DELETE"]),
    path=st.lists(naughty, min_size=1, max_size=3).map("".join).filter(bool),
    query=st.lists(st.tuples(st.sampled_from(["index", "type", "overwrite", "pretty", "auth", "callback"]), naughty)),
    body=st.binary(max_size=20) | st.sampled_from([b"[]", b"{}", b"[{}]", b"{" * 200, b'{"values":[1]}', b"\xff"]),
)
def test_every_response_is_complete_json_or_a_complete_call(
    handles: System, method: str, path: str, query: list[tuple[str, str]], body: bytes
) -> None:
    event = to_event(method, f"{HANDLES}/x", "", headers=[basic(handles.admin_key)], body=body, request_id="1")
    event["path"] = f"{HANDLES}/{path}"
    many: dict[str, list[str]] = {}
    for name, value in query:
        many.setdefault(name, []).append(value)
    event["multiValueQueryStringParameters"] = many or None
    answer = handles.event(event)
    assert answer.status < 500
    if not _is_sendable("".join([path, *(value for _, value in query)])):  # no request has it; refused as no event
        assert answer.is_problem(400, "malformed-event")
        return
    text = answer.body
    if answer.headers["content-type"].startswith("application/javascript"):
        text = text[text.index("(") + 1 : -2]
    assert isinstance(json.loads(text)["responseCode"], int)
    assert text.encode()
