"""Results of LinkIDs (draft-linkgenetic-linkid-uri-01, sections 5.3 and 6), through the functions' own handlers."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from coolid.linkid.results import from_response
from coolid.proofs import p256
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, DatabaseSystem, System, system
from tests.support.stores.outages import outage

HERE = "https://content.example.org/here"
DENIED = "denied.example"
UNKNOWN = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
JSON = "application/json"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
FORMS = ("/{}", "/resolve/{}", "/resolve/{encoded}", "/api/public/resolve/{}", "/api/public/resolve/{uuid}")
MALFORMED = (
    "linkid:4711",
    "linkid:00c538ea846b47a6a3d470a9ebd29d7c",
    "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c/",
    "linkid:%7B00c538ea-846b-47a6-a3d4-70a9ebd29d7c%7D",
    "linkid:%zz",
    "linkid:" + "0" * 3_000,
)


def add_linkids(running: System) -> None:
    """Add the repository of LinkIDs."""
    body = {"title": "LinkIDs", "scheme": "uuid", "rules": {"version": 4}, "denied_domains": [DENIED]}
    created = running.admin("POST", "/api/v1/repositories", body)
    assert created.status == 201, created.body
    for name in ("linkid", "lid"):
        alias = {"kind": "namespace", "repository": created.json()["id"]}
        assert running.admin("PUT", f"/api/v1/prefixes/{name}", alias).status == 201


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A resolver with LinkIDs, whose repository has both aliases, and a host that it denies."""
    with system(tmp_path_factory.mktemp("results")) as running:
        add_linkids(running)
        yield running


@pytest.fixture
def interrupted(resolver: System) -> System:
    """A copy of the resolver for an outage, because a service serves stale entries for a moment after one."""
    return resolver.copied()


def mint(resolver: System, *uris: str, **members: Any) -> str:
    """Return a new LinkID."""
    document = {"prefix": "linkid", "records": [{"uri": uri} for uri in uris], **members}
    minted = resolver.admin("POST", "/api/v1/records", document)
    assert minted.status == 201, minted.body
    return str(minted.json()["pid"]).removeprefix(f"{BASE_URL}/")


def change(resolver: System, method: str, path: str, document: Any) -> Answer:
    headers = [("If-Match", "*")]
    return resolver.request(method, path, document=document, key=resolver.admin_key, headers=headers)


def withdraw(resolver: System, linkid: str, **members: Any) -> None:
    withdrawn = change(resolver, "DELETE", f"/api/v1/records/{linkid}", {"reason": "It is gone", **members})
    assert withdrawn.status == 200, withdrawn.body


def change_row(resolver: System, linkid: str, before: str, after: str) -> None:
    """Replace a text in the stored document of a record, behind the service's back."""
    assert isinstance(resolver, DatabaseSystem)
    key = linkid.removeprefix("linkid:").replace("-", "")
    statement = "UPDATE records SET body = replace(body, ?, ?) WHERE pid LIKE ? AND version = 0 AND instr(body, ?)"
    changed = resolver.access.database.write(
        lambda connection: connection.execute(statement, (before, after, f"%/{key}", before)).rowcount
    )
    assert changed == 1
    resolver.forget()


@pytest.fixture(scope="module")
def active(resolver: System) -> str:
    """The LinkID of an active record, to be read."""
    return mint(resolver, HERE)


@pytest.fixture(scope="module")
def several(resolver: System) -> str:
    """The LinkID of a record with several locations, of which three may be used."""
    places = [
        {"uri": f"{HERE}/en", "language": "en", "mediaType": "text/html"},
        {"uri": f"{HERE}/de", "language": "de", "mediaType": "text/html", "version": "2"},
        {"uri": f"{HERE}/pdf", "language": "en", "mediaType": "application/pdf", "quality": 0.5},
        {"uri": f"{HERE}/old", "status": "inactive"},
        {"uri": f"{HERE}/later", "validFrom": "2999-01-01T00:00:00Z"},
    ]
    minted = resolver.mint({"prefix": "linkid", "records": places})
    return str(minted.json()["pid"]).removeprefix(f"{BASE_URL}/")


def paths(linkid: str) -> list[str]:
    uuid = linkid.removeprefix("linkid:")
    return [form.format(linkid, encoded=linkid.replace(":", "%3A"), uuid=uuid) for form in FORMS]


def answers(resolver: System, linkid: str) -> list[Answer]:
    """The answers to a client that wants JSON, at all addresses of a LinkID."""
    return [resolver.get(path, accept=JSON) for path in paths(linkid)]


def result(resolver: System, linkid: str, status: int) -> dict[str, Any]:
    """The result at all addresses, which must be the same."""
    found = answers(resolver, linkid)
    assert {(each.status, each.headers["content-type"]) for each in found} == {(status, "application/json")}
    (body,) = {each.body for each in found}
    parsed = from_response(status, JSON, body.encode())
    assert (parsed.usable_target is not None) == (parsed.status == "active")
    assert parsed.status == "active" or (parsed.target_url is None and not parsed.targets)
    document: dict[str, Any] = json.loads(body)
    return document


class TestStates:
    def test_active(self, resolver: System) -> None:
        linkid = mint(resolver, HERE)
        document = result(resolver, linkid, 200)
        record = resolver.get(f"/{linkid}", query="format=linkid").json()
        assert document == {
            "id": linkid,
            "status": "active",
            "target_url": HERE,
            "version": 1,
            "last_verified_at": None,
            "authoritative": True,
            "authority": BASE_URL,
            "targets": [
                {
                    "url": HERE,
                    "media_type": None,
                    "language": None,
                    "quality": None,
                    "valid_from": None,
                    "valid_until": None,
                    "fallback": False,
                }
            ],
            "record": record,
            "keys_url": f"{BASE_URL}/.well-known/jwks.json",
            "inclusion_url": f"{BASE_URL}/{linkid}?format=tlog-proof&version=1",
            "scheme": "linkid",
            "uuid": str(UUID(linkid.removeprefix("linkid:"))),
        }

    @pytest.mark.parametrize(
        "members", [{}, {"records": [{"uri": HERE, "status": "inactive"}]}, {"metadata": {"what": "A thing"}}]
    )
    def test_inactive(self, resolver: System, members: dict[str, Any]) -> None:
        document = result(resolver, mint(resolver, **members), 200)
        assert (document["status"], document["target_url"], document["last_verified_at"]) == ("inactive", None, None)

    @pytest.mark.parametrize(
        ("members", "state"),
        [
            ({}, "tombstoned"),
            ({"successor": "https://id.example.net/x"}, "deprecated"),
            ({"state": "revoked"}, "revoked"),
            ({"state": "revoked", "successor": "https://id.example.net/x"}, "revoked"),
        ],
    )
    def test_withdrawn(self, resolver: System, members: dict[str, str], state: str) -> None:
        linkid = mint(resolver, HERE)
        withdraw(resolver, linkid, **members)
        document = result(resolver, linkid, 410)
        assert (document["error"], document["status"], document["target_url"]) == ("gone", state, None)
        assert (document["reason"], document.get("successor")) == ("It is gone", members.get("successor"))
        assert document["tombstone"]["reason"] == "It is gone"
        assert document["withdrawn_at"]
        assert HERE not in json.dumps({name: value for name, value in document.items() if name != "record"})
        assert resolver.get(f"/{linkid}", accept=BROWSER).status == 410
        again = resolver.mint({"prefix": "linkid", "id": linkid.removeprefix("linkid:")})
        assert again.is_problem(409, "identifier-taken")

    @pytest.mark.parametrize("is_reserved", [False, True])
    def test_unknown(self, resolver: System, is_reserved: bool) -> None:
        linkid = mint(resolver, status="reserved") if is_reserved else UNKNOWN
        document = result(resolver, linkid, 404)
        assert (document["error"], document["status"], document["id"]) == ("not_found", "unknown", linkid)

    def test_policy_denied(self, resolver: System) -> None:
        linkid = mint(resolver, "https://later.example/a")
        repository = resolver.get(f"/{linkid}", query="format=linkid").json()["repository"]
        path = f"/api/v1/repositories/{repository}"
        assert change(resolver, "PATCH", path, {"denied_domains": [DENIED, "later.example"]}).status == 200
        try:
            document = result(resolver, linkid, 403)
            assert (document["error"], document["status"]) == ("policy_denied", "policy-denied")
            refused = resolver.get(f"/{linkid}")
            assert refused.is_problem(403, "policy-denied")
            page = resolver.get(f"/{linkid}", accept=BROWSER)
            assert (page.status, "later.example" in page.body) == (403, False)
            assert resolver.get(f"/lid:{linkid[7:].replace('-', '')}").is_problem(403, "policy-denied")
            assert resolver.get(f"/{linkid}", query="format=linkid").status == 200
        finally:
            change(resolver, "PATCH", path, {"denied_domains": [DENIED]})
        assert result(resolver, linkid, 200)["status"] == "active"

    @pytest.mark.parametrize("host", [DENIED, f"a.{DENIED}", f"{DENIED}:8080"])
    def test_targets_on_denied_hosts_are_refused(self, resolver: System, host: str) -> None:
        refused = resolver.mint({"prefix": "linkid", "records": [{"uri": HERE}, {"uri": f"https://{host}/"}]})
        assert refused.is_problem(422, "invalid-input")
        assert [each["pointer"] for each in refused.json()["errors"]] == ["/records/1/uri"]
        assert mint(resolver, f"https://not-{DENIED}/")

    @pytest.mark.parametrize("terms", [{"denied_domains": ["a b"]}, {"target": f"https://{DENIED}/{{$id}}"}])
    def test_a_repository_with_unfit_terms_is_refused(self, resolver: System, terms: dict[str, Any]) -> None:
        repository = {"title": "A title", "denied_domains": [DENIED], **terms}
        assert resolver.admin("POST", "/api/v1/repositories", repository).is_problem(422, "invalid-input")

    def test_other_targets_are_used_instead_of_a_denied_one(self, resolver: System) -> None:
        linkid = mint(resolver, "https://later.example/a", HERE)
        repository = resolver.get(f"/{linkid}", query="format=linkid").json()["repository"]
        path = f"/api/v1/repositories/{repository}"
        assert result(resolver, linkid, 200)["target_url"] == "https://later.example/a"
        assert change(resolver, "PATCH", path, {"denied_domains": ["later.example"]}).status == 200
        try:
            document = result(resolver, linkid, 200)
            assert [each["url"] for each in document["targets"]] == [HERE]
            redirect = resolver.get(f"/{linkid}")
            assert (redirect.status, redirect.headers["location"]) == (302, HERE)
            assert "later.example" not in redirect.headers["link"]
        finally:
            change(resolver, "PATCH", path, {"denied_domains": [DENIED]})

    def test_temporarily_unavailable(self, interrupted: System) -> None:
        linkid = f"linkid:{uuid4()}"
        with outage():
            document = result(interrupted, linkid, 503)
            answer = interrupted.get(f"/{linkid}", accept=JSON)
        assert (document["error"], document["status"]) == ("temporarily_unavailable", "temporarily-unavailable")
        assert (answer.headers["cache-control"], "retry-after" in answer.headers) == ("no-store", True)


def test_states_over_dynamodb(fresh_tables: System) -> None:
    add_linkids(fresh_tables)
    active, revoked = (mint(fresh_tables, HERE) for _ in range(2))
    assert result(fresh_tables, active, 200)["target_url"] == HERE
    assert result(fresh_tables, mint(fresh_tables), 200)["status"] == "inactive"
    assert result(fresh_tables, UNKNOWN, 404)["status"] == "unknown"
    withdraw(fresh_tables, revoked, state="revoked")
    assert result(fresh_tables, revoked, 410)["status"] == "revoked"
    repository = fresh_tables.get(f"/{active}", query="format=linkid").json()["repository"]
    denied = {"denied_domains": ["content.example.org"]}
    assert change(fresh_tables, "PATCH", f"/api/v1/repositories/{repository}", denied).status == 200
    assert result(fresh_tables, active, 403)["status"] == "policy-denied"


class TestIntegrity:
    """What the issuer did not sign is never served under a LinkID."""

    @pytest.fixture
    def tampered(self, resolver: System) -> str:
        """The LinkID of a record whose stored location another party has changed."""
        linkid = mint(resolver, HERE)
        assert result(resolver, linkid, 200)["status"] == "active"
        change_row(resolver, linkid, HERE, "https://evil.example/here")
        return linkid

    def test_a_changed_record_fails_for_programs(self, resolver: System, tampered: str) -> None:
        document = result(resolver, tampered, 500)
        assert (document["error"], document["status"]) == ("integrity_failure", "integrity-failure")
        assert "evil" not in json.dumps(document)
        assert resolver.get(f"/{tampered}", accept=JSON).headers["cache-control"] == "no-store"

    @pytest.mark.parametrize("query", ["", "format=linkid", "format=html", "info", "memento=1", "format=jws"])
    @pytest.mark.parametrize("accept", ["*/*", BROWSER, "application/linkid+json"])
    def test_and_for_everybody_else(self, resolver: System, tampered: str, accept: str, query: str) -> None:
        answer = resolver.get(f"/{tampered}", accept=accept, query=query)
        assert (answer.status, answer.headers["cache-control"]) == (500, "no-store")
        assert "evil.example" not in answer.body + str(answer.headers)

    def test_its_explanation_names_no_target(self, resolver: System, tampered: str) -> None:
        explanation = resolver.get("/api/v1/parse", query=f"id={tampered}").json()
        assert (explanation["location"], explanation["steps"][-1]["step"]) == (None, "refused")
        assert "evil" not in json.dumps(explanation)

    @pytest.mark.parametrize("member", ["", '"proof":"a.b.c",'])
    def test_a_record_without_a_valid_proof_fails(self, resolver: System, member: str) -> None:
        linkid = mint(resolver, HERE)
        proof = resolver.get(f"/{linkid}", query="format=linkid").json()["proof"]
        change_row(resolver, linkid, f',"proof":"{proof}"', f",{member.rstrip(',')}" if member else "")
        assert result(resolver, linkid, 500)["error"] == "integrity_failure"

    def test_the_genuine_record_of_another_linkid_fails(self, resolver: System) -> None:
        linkid, other = mint(resolver, HERE), mint(resolver, "https://other.example/")
        bodies = [json.dumps(resolver.get(f"/{each}", query="format=linkid").json()) for each in (linkid, other)]
        assert isinstance(resolver, DatabaseSystem)
        key = linkid.removeprefix("linkid:").replace("-", "")
        statement = "UPDATE records SET body = ? WHERE pid LIKE ? AND version = 0"
        resolver.access.database.write(lambda connection: connection.execute(statement, (bodies[1], f"%/{key}")))
        resolver.forget()
        assert result(resolver, linkid, 500)["error"] == "integrity_failure"
        assert result(resolver, other, 200)["target_url"] == "https://other.example/"

    def test_a_tombstone_is_checked_too(self, resolver: System) -> None:
        linkid = mint(resolver, HERE)
        withdraw(resolver, linkid)
        change_row(resolver, linkid, "It is gone", "It moved on")
        assert result(resolver, linkid, 500)["error"] == "integrity_failure"

    def test_a_version_is_verified_once(self, resolver: System) -> None:
        linkid = mint(resolver, HERE)
        before = p256._is_signature.cache_info().misses
        for _ in range(3):
            resolver.forget()
            assert resolver.get(f"/{linkid}").status == 302
        assert result(resolver, linkid, 200)["status"] == "active"
        assert p256._is_signature.cache_info().misses == before + 1


class TestNegotiation:
    @pytest.mark.parametrize(
        ("accept", "is_result"),
        [
            ("application/json", True),
            ("application/json, text/plain, */*", True),
            ("application/json;charset=utf-8", True),
            ("text/plain;q=0.5, application/json", True),
            ("application/linkid+json, application/json;q=0.9", False),
            ("application/linkid+json, application/json, */*", False),
            ("application/json;q=0.5, */*", False),
            ("application/json;q=0, */*", False),
            ("*/*", False),
            (BROWSER, False),
            (None, False),
        ],
    )
    def test_a_client_that_prefers_json_gets_the_result(
        self, resolver: System, active: str, accept: str | None, is_result: bool
    ) -> None:
        answer = resolver.get(f"/{active}", accept=accept)
        assert (answer.headers["content-type"] == JSON) == is_result
        assert not is_result or answer.json()["target_url"] == HERE
        assert {"accept", "accept-language"} <= set(answer.headers["vary"].lower().split(", "))

    @pytest.mark.parametrize("query", ["format=linkid", "format=json", "json", "version=1&format=linkid", "memento=1"])
    def test_parameters_have_their_usual_meaning_at_a_linkid(self, resolver: System, active: str, query: str) -> None:
        assert "target_url" not in resolver.get(f"/{active}", accept=JSON, query=query).body

    @pytest.mark.parametrize("query", ["format=linkid", "format=pdf&metadata=true", "format=nonsense", "at=2020-01-01"])
    @pytest.mark.parametrize("accept", [None, "*/*", BROWSER, "application/linkid+json, application/json, */*"])
    def test_the_public_endpoint_returns_nothing_else(
        self, resolver: System, active: str, accept: str | None, query: str
    ) -> None:
        answer = resolver.get(f"/api/public/resolve/{active}", accept=accept, query=query)
        assert (answer.status, answer.headers["content-type"], answer.json()["id"]) == (200, JSON, active)

    @pytest.mark.parametrize("accept", ["application/json;q=0, */*", "text/html, */*;q=0", "application/*;q=0, */*"])
    def test_except_to_clients_that_exclude_it(self, resolver: System, active: str, accept: str) -> None:
        answer = resolver.get(f"/api/public/resolve/{active}", accept=accept)
        assert (answer.status, answer.json()["error"], answer.json()["status"]) == (406, "not_acceptable", None)

    def test_lid_keeps_its_answers(self, resolver: System, active: str) -> None:
        document = resolver.get(f"/lid:{active[7:].replace('-', '')}", accept=JSON).json()
        assert "target_url" not in document
        assert document == resolver.get(f"/{active}", query="format=linkid").json()

    @pytest.mark.parametrize("text", MALFORMED)
    @pytest.mark.parametrize("form", ["/{}", "/resolve/{}", "/api/public/resolve/{}"])
    def test_malformed_ones_are_refused_with_the_reason(self, resolver: System, text: str, form: str) -> None:
        answer = resolver.get(form.format(text), accept=JSON)
        document = answer.json()
        assert (answer.status, document["error"], document["status"]) == (400, "invalid_identifier", None)
        assert (document["target_url"], "id" in document, bool(document["detail"])) == (None, False, True)

    @pytest.mark.parametrize(
        "text", ["4711", "00c538ea846b47a6a3d470a9ebd29d7c", "lid:00c538ea846b47a6a3d470a9ebd29d7c"]
    )
    def test_the_public_endpoint_takes_linkids_and_their_uuids_only(self, resolver: System, text: str) -> None:
        assert resolver.get(f"/api/public/resolve/{text}").json()["error"] == "invalid_identifier"

    def test_case_does_not_matter(self, resolver: System, active: str) -> None:
        for path in paths(active):
            head, _, identifier = path.rpartition("/")
            assert resolver.get(f"{head}/{identifier.upper()}", accept=JSON).json()["id"] == active


class TestTargets:
    @pytest.mark.parametrize(
        ("query", "language", "first"),
        [
            ("", None, "en"),
            ("", "de, en;q=0.5", "de"),
            ("lang=de", None, "de"),
            ("lang=de", "en", "de"),
            ("lang=fr", None, "en"),
            ("format=pdf", None, "pdf"),
            ("version=2", None, "de"),
            ("version=9", None, "en"),
            ("lang=de&format=pdf", None, "de"),
        ],
    )
    def test_the_first_fits_best_and_all_usable_ones_follow(
        self, resolver: System, several: str, query: str, language: str | None, first: str
    ) -> None:
        headers = {} if language is None else {"Accept_Language": language}
        answers = [resolver.get(path, accept=JSON, query=query, **headers) for path in paths(several)[-1:]]
        if not query.startswith("format"):
            answers.append(resolver.get(f"/{several}", accept=JSON, query=query.replace("&format=pdf", ""), **headers))
        for answer in answers:
            document = answer.json()
            urls = [each["url"] for each in document["targets"]]
            assert document["target_url"] == urls[0] == f"{HERE}/{first}"
            assert sorted(urls) == [f"{HERE}/{each}" for each in ("de", "en", "pdf")]
            assert [each["fallback"] for each in document["targets"]][:1] == [False]
            assert document["targets"][-1]["fallback"]

    def test_json_is_the_result_if_no_location_fits_better(self, resolver: System, several: str) -> None:
        answer = resolver.get(f"/{several}", accept="image/png, application/json;q=0.9")
        assert (answer.status, answer.json()["target_url"]) == (200, f"{HERE}/en")
        assert resolver.get(f"/{several}", accept="application/pdf, application/json;q=0.9").status == 302

    def test_a_version_that_no_location_has_is_noted(self, resolver: System, several: str) -> None:
        assert "current version, 1" in resolver.get(f"/{several}", accept=JSON, query="version=9").json()["detail"]
        assert "detail" not in resolver.get(f"/{several}", accept=JSON, query="version=1").json()


class TestHttp:
    def test_conditional_requests_head_and_options(self, resolver: System, active: str) -> None:
        for path in paths(active):
            whole = resolver.get(path, accept=JSON)
            tag = whole.headers["etag"]
            head = resolver.request("HEAD", path, headers=[("Accept", JSON)])
            assert (head.status, head.headers["etag"], head.body) == (200, tag, "")
            assert resolver.get(path, accept=JSON, If_None_Match=tag).status == 304
            options = resolver.request("OPTIONS", path)
            assert (options.status, "GET" in options.headers["allow"]) == (204, True)
            assert whole.headers["access-control-allow-origin"] == "*"

    def test_they_have_the_cache_tags_and_lifetime_of_the_record(self, resolver: System, active: str) -> None:
        redirect = resolver.get(f"/{active}")
        for path in paths(active):
            answer = resolver.get(path, accept=JSON)
            assert [answer.headers[name] for name in ("cache-tag", "cache-control")] == [
                redirect.headers[name] for name in ("cache-tag", "cache-control")
            ]

    def test_a_change_is_visible_at_once_at_every_address(self, resolver: System) -> None:
        linkid = mint(resolver, HERE)
        assert result(resolver, linkid, 200)["version"] == 1
        change(resolver, "PATCH", f"/api/v1/records/{linkid}", {"uri": f"{HERE}/2"})
        document = result(resolver, linkid, 200)
        assert (document["version"], document["target_url"]) == (2, f"{HERE}/2")

    def test_a_warm_function_answers_during_an_outage(self, interrupted: System, active: str) -> None:
        assert result(interrupted, active, 200)["status"] == "active"
        with outage():
            found = answers(interrupted, active)
        assert {(each.status, each.json()["status"]) for each in found} == {(200, "active")}


class TestReferenceClient:
    """What `linkid-client` 1.0.1, the client of the draft's author, expects of a service (`tests/clients`)."""

    ACCEPT = "application/linkid+json, application/json, */*"
    MEMBERS = frozenset({"id", "scheme", "uuid", "target_url", "status", "last_verified_at", "version"})

    def resolve(self, resolver: System, linkid: str) -> Answer:
        return resolver.get(f"/api/public/resolve/{linkid.removeprefix('linkid:')}", accept=self.ACCEPT)

    @pytest.mark.parametrize("uris", [(), (HERE,)])
    def test_registered_ones_have_all_members(self, resolver: System, uris: tuple[str, ...]) -> None:
        answer = self.resolve(resolver, mint(resolver, *uris))
        assert (answer.status, answer.json().keys() >= self.MEMBERS) == (200, True)
        assert "max-age=" in answer.headers["cache-control"]

    def test_errors_say_which_and_withdrawn_ones_have_a_tombstone(self, resolver: System) -> None:
        linkid = mint(resolver, HERE)
        withdraw(resolver, linkid)
        gone, unknown = self.resolve(resolver, linkid), self.resolve(resolver, UNKNOWN)
        assert (gone.status, gone.json()["error"], gone.json()["tombstone"]["reason"]) == (410, "gone", "It is gone")
        assert (unknown.status, unknown.json()["error"]) == (404, "not_found")
