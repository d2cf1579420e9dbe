"""LinkIDs of revision 01 (`linkid:`) through the functions: their registration, minting, recognition and rules."""

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

import pytest

from coolid.identifiers.schemes import linkid, uuid
from tests.support.builders.naughty_strings import ALL
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System, system

TARGET: Final = "https://content.example.org/a"
UUID: Final = "00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
VERSION_7: Final = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@pytest.fixture
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A service without prefixes."""
    with system(tmp_path_factory.mktemp("linkids")) as running:
        yield running


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A service with one LinkID, the example of the draft."""
    with system(tmp_path_factory.mktemp("linkid")) as running:
        founded(running, "uuid", "linkid", "lid", version=4)
        mint(running, "linkid", id=UUID)
        yield running


def founded(running: System, scheme: str, *names: str, **rules: Any) -> str:
    """The path of a new repository with these aliases."""
    document = {"title": "LinkIDs", "scheme": scheme, "rules": rules}
    identifier = running.admin("POST", "/api/v1/repositories", document).json()["id"]
    for name in names:
        assert register(running, name, identifier).status == 201
    return f"/api/v1/repositories/{identifier}"


def register(running: System, name: str, repository: str) -> Answer:
    return running.admin("PUT", f"/api/v1/prefixes/{name}", {"kind": "namespace", "repository": repository})


def mint(running: System, prefix: str, **members: Any) -> dict[str, Any]:
    answer = running.mint({"prefix": prefix, "uri": TARGET, **members})
    assert answer.status == 201, answer.body
    record: dict[str, Any] = answer.json()
    return record


def change_rules(running: System, path: str, rules: Any) -> Answer:
    tag = running.admin("GET", path).headers["etag"]
    return running.request("PATCH", path, headers=[("If-Match", tag)], document={"rules": rules}, key=running.admin_key)


def parsed(running: System, text: str) -> dict[str, Any]:
    answer = running.get("/api/v1/parse", query=f"id={quote(text, safe='')}")
    assert answer.status == 200, answer.body
    document: dict[str, Any] = answer.json()
    return document


class TestRegistration:
    @pytest.mark.parametrize(
        ("scheme", "rules"),
        [
            ("lui", {}),
            ("sha256", {}),
            ("noid", {}),
            ("chosen", {"pattern": "[a-z]+", "example": "abc"}),
            ("contextual", {"prefix": "fabio"}),
        ],
    )
    def test_is_refused_for_rules_without_uuids(self, light: System, scheme: str, rules: dict[str, Any]) -> None:
        answer = register(light, "linkid", founded(light, scheme, **rules).rpartition("/")[2])
        assert answer.is_problem(422, "invalid-input")
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/repository"]
        assert "UUID" in answer.json()["errors"][0]["detail"]

    def test_is_refused_for_identifiers_of_others_and_for_names_below_it(self, light: System) -> None:
        provider = {"kind": "provider", "providers": [{"code": "a", "url": "https://a.example/{$id}"}]}
        assert light.admin("PUT", "/api/v1/prefixes/linkid", provider).is_problem(422, "invalid-input")
        synonym = light.admin("PUT", "/api/v1/prefixes/others", {**provider, "synonyms": ["linkid"]})
        assert [error["pointer"] for error in synonym.json()["errors"]] == ["/synonyms/0"]
        repository = founded(light, "uuid").rpartition("/")[2]
        assert register(light, "linkid/a", repository).is_problem(422, "invalid-input")

    @pytest.mark.parametrize(
        ("scheme", "rules"),
        [("uuid", {}), ("uuid", {"version": 4}), ("chosen", {"pattern": "[0-9A-Za-z._~-]{32,64}", "example": UUID})],
    )
    def test_gives_the_records_of_revision_00_their_linkids(
        self, empty: System, scheme: str, rules: dict[str, Any]
    ) -> None:
        repository = founded(empty, scheme, "lid", **rules)
        members = {"id": UUID} if scheme == "chosen" else {}
        record = mint(empty, "lid", **members)
        assert register(empty, "linkid", repository.rpartition("/")[2]).status == 201
        answer = empty.get(f"/{linkid.format(record['id']).upper()}")
        assert (answer.headers["location"], answer.canonical) == (TARGET, record["pid"])
        assert record["pid"] == f"{BASE_URL}/lid:{record['id']}"
        if rules.get("version") == 4:
            new = mint(empty, "linkid")
            assert new["pid"] == f"{BASE_URL}/{linkid.format(new['id'])}"
            assert empty.get(f"/lid:{new['id']}").canonical == new["pid"]


class TestMinting:
    def test_draws_version_4_and_the_pid_is_the_canonical_linkid(self, resolver: System) -> None:
        for prefix in ("linkid", "lid"):
            record = mint(resolver, prefix)
            name = record["pid"].removeprefix(f"{BASE_URL}/")
            assert name == linkid.format(linkid.validate(name)) == linkid.format(record["id"])
            assert uuid.parse(record["id"]).version == 4
            answer = resolver.get(f"/lid:{record['id']}")
            assert (answer.status, answer.canonical) == (302, record["pid"])

    def test_of_a_chosen_one_accepts_any_spelling_of_version_4_once(self, resolver: System) -> None:
        chosen = "919108F7-52D1-4320-9BAC-F847DB4148A8"
        assert mint(resolver, "linkid", id=chosen)["pid"] == f"{BASE_URL}/linkid:{chosen.lower()}"
        for prefix in ("linkid", "lid"):
            again = resolver.mint({"prefix": prefix, "id": chosen.replace("-", "").lower()})
            assert again.is_problem(409, "identifier-taken")

    @pytest.mark.parametrize("chosen", [VERSION_7, "1bc2f359-47e4-5da6-a748-74676b7c8c5d", UUID[:-1], f"{UUID}a", "a"])
    def test_of_another_version_or_text_is_refused(self, resolver: System, chosen: str) -> None:
        answer = resolver.mint({"prefix": "linkid", "id": chosen})
        assert answer.is_problem(422, "invalid-input")
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/id"]

    def test_in_a_repository_of_chosen_names_is_strict_and_has_one_record_for_a_uuid(self, empty: System) -> None:
        founded(empty, "chosen", "lid", "linkid", pattern="[0-9A-Za-z._~-]{32,64}", example=UUID)
        digits = UUID.replace("-", "")
        assert mint(empty, "lid", id=UUID)["id"] == UUID
        for prefix, chosen in (("lid", digits), ("linkid", digits), ("linkid", UUID)):
            assert empty.mint({"prefix": prefix, "id": chosen}).is_problem(409, "identifier-taken")
        for chosen in (VERSION_7, "a" * 40):
            assert empty.mint({"prefix": "linkid", "id": chosen}).is_problem(422, "invalid-input")
            assert mint(empty, "lid", id=chosen)["id"] == chosen
        assert empty.get(f"/linkid:{VERSION_7}").status == 302


class TestRulesOfVersion7:
    def test_refuse_new_linkids_until_they_are_changed_and_then_accept_both_versions(self, empty: System) -> None:
        repository = founded(empty, "uuid", "lid", "linkid")
        before = mint(empty, "lid")
        assert uuid.parse(before["id"]).version == 7
        refused = empty.mint({"prefix": "linkid"})
        assert refused.is_problem(422, "invalid-input")
        assert "draw version 7; change them with" in refused.json()["errors"][0]["detail"]

        changed = change_rules(empty, repository, {"version": 4})
        assert (changed.status, changed.json()["rules"]) == (200, {"version": 4, "accepts": [7]})
        after = mint(empty, "linkid")
        assert uuid.parse(after["id"]).version == 4
        for record in (before, after):
            assert empty.get(f"/lid:{record['id']}").status == 302
            assert empty.get(f"/{linkid.format(record['id'])}").status == 302
            assert empty.admin("GET", f"/api/v1/records/{linkid.format(record['id'])}").status == 200
        assert "[47]" in str(empty.get("/api/v1/schemas/lid", query="format=regex").body)
        assert "[47]" not in str(empty.get("/api/v1/schemas/linkid", query="format=regex").body)

    def test_that_would_make_identifiers_invalid_are_refused(self, light: System) -> None:
        path = founded(light, "uuid", version=4, accepts=[1])
        same = change_rules(light, path, {"accepts": None})
        assert same.json()["rules"] == {"version": 4, "accepts": [1]}
        for rules, pointer in (({"version": 1}, "/rules/version"), ({"symbols": 8}, "/rules/symbols"), ([], "/rules")):
            answer = change_rules(light, path, rules)
            assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


class TestResolution:
    def test_distinguishes_an_unknown_linkid_from_a_malformed_one(self, resolver: System, empty: System) -> None:
        unknown = "/linkid:ffffffff-ffff-4fff-8fff-ffffffffffff"
        assert resolver.get(unknown).is_problem(404, "unregistered-identifier")
        assert resolver.get(f"/linkid:{VERSION_7}").is_problem(404, "unregistered-identifier")
        assert empty.get(unknown).is_problem(404, "unknown-prefix")
        for running in (resolver, empty):
            answer = running.get("/linkid:4711")
            assert answer.is_problem(400, "invalid-identifier")
            assert not answer.json()["suggestions"]

    def test_of_many_corrects_none(self, resolver: System) -> None:
        texts = [f"linkid:{UUID}", f"{BASE_URL}/linkid:{UUID}", "LinkId: 4711", f" linkid:{UUID}", f"(linkid:{UUID})"]
        results = resolver.request("POST", "/api/v1/resolve", document={"ids": texts}).json()["results"]
        assert [each["status"] for each in results] == [302, 302, 400, 404, 404]


class TestRecognition:
    @pytest.mark.parametrize(
        "text",
        [
            f"linkid:{UUID}",
            f"LINKID:{UUID.upper()}",
            f"{BASE_URL}/resolve/linkid%3A{UUID}",
            f"<{BASE_URL}/linkid:{UUID}>",
        ],
    )
    def test_of_a_linkid_explains_it(self, resolver: System, text: str) -> None:
        document = parsed(resolver, text)
        first = document["candidates"][0]
        assert (first["scheme"], first["valid"], first["canonical"]) == ("linkid", True, f"linkid:{UUID}")
        assert (document["prefix"], document["canonical"]) == ("linkid", f"linkid:{UUID}")
        assert document["location"] == TARGET

    @pytest.mark.parametrize(
        "text",
        [
            "LinkId: 4711",
            f"LinkId: {UUID}",
            f"LinkID {UUID}",
            f"Link ID: {UUID}",
            f"linkid:{UUID}.",
            f"linkid:{UUID}?a=b",
            f"see linkid:{UUID} for more",
            f"<linkid:{UUID}>",
            f" linkid:{UUID}",
            f"/linkid:{UUID}",
            f"linkid:{{{UUID}}}",
            f"linkid:{UUID.replace('-', '%2D')}",
            f"linkid:{UUID.replace('-', '')}",
            f"linkid:{UUID.replace('-', '–')}",
        ],
    )
    def test_of_other_text_finds_no_linkid_and_suggests_none(self, resolver: System, text: str) -> None:
        document = parsed(resolver, text)
        assert document["location"] is None
        assert not [each for each in document["candidates"] if each["scheme"] == "linkid" and each["valid"]]
        assert not [each for each in (*document["suggestions"], *document["found"]) if "linkid" in each.lower()]

    def test_of_naughty_strings_finds_none(self, resolver: System) -> None:
        texts = [f"{label}{text}" for text in ALL for label in ("linkid:", "LinkId: ", f"linkid:{UUID} ", "")]
        for start in range(0, len(texts), 100):
            document = {"ids": texts[start : start + 100]}
            answer = resolver.request("POST", "/api/v1/parse", document=document)
            results = answer.json()["results"]
            assert len(results) == len(document["ids"])
            found = [each for result in results for each in result.get("candidates", ())]
            assert not [each for each in found if each["scheme"] == "linkid" and each["valid"]]
