"""ARKs over HTTP: inflections, shoulders, long NAANs and names, and that two spellings never lead to two places."""

from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from noid import pynoid

from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.schemes import ark, lui
from coolid.model.prefixes import Namespace
from coolid.registry.prefix_lookup import prefix_by_name
from tests.support.builders.samples import BASE_URL, record
from tests.support.fixtures.system import System

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SET = "https://content.example.org/set"
SUPPORT = {
    "who": "Example Library",
    "what": "Permanent: Stable Content",
    "when": "20081203",
    "where": "https://library.example/support",
}
HYPHENS = ("-", "--", "\u2010", "\u2013")


@pytest.fixture(scope="session")
def arks(untouched: System) -> System:
    """A system of this module's own: two NAANs are ours, of one the shoulders `fk4` and, elsewhere, `b5`."""
    running = untouched.copied()
    noid = {"scheme": "noid", "rules": {"template": ".reedeedk", "naan": "99999", "shoulder": "fk4"}}
    alias(running, "ark:99999/fk4", **noid, passthrough=True, support=SUPPORT)
    alias(running, "ark:98989", scheme="noid", rules={"template": "x6.reedeedk", "naan": "98989"}, passthrough=True)
    for name, url in (
        ("ark", "https://n2t.example/ark:{$id}"),
        ("ark:12148", "https://bnf.example/ark:/12148/{$id}"),
        ("ark:99999/b5", "https://their.example/b5{$id}"),
    ):
        body = {"kind": "provider", "encoding": "uri", "providers": [{"code": "own", "url": url}]}
        assert running.admin("PUT", f"/api/v1/prefixes/{name}", body).status == 201
    return running


@pytest.fixture(scope="session")
def name(arks: System) -> str:
    """What stands behind `ark:99999/fk4` in an ARK of ours."""
    return mint(arks, "ark:99999/fk4")


@pytest.fixture(scope="session")
def plain(arks: System) -> str:
    """What stands behind `ark:98989/` in an ARK of ours."""
    return mint(arks, "ark:98989")


def alias(system: System, prefix: str, **members: Any) -> str:
    made = system.admin("POST", "/api/v1/repositories", {"title": prefix, **members})
    assert made.status == 201, made.body
    named = {"kind": "namespace", "repository": made.json()["id"]}
    answer = system.admin("PUT", f"/api/v1/prefixes/{prefix}", named)
    assert answer.status == 201, answer.body
    return str(made.json()["id"])


def mint(system: System, prefix: str, **members: Any) -> str:
    minted = system.mint({"prefix": prefix, "uri": SET, **members})
    assert minted.status == 201, minted.body
    return str(minted.json()["id"])


def withdraw(system: System, path: str) -> None:
    at = f"/api/v1/records/{path}"
    tag = system.admin("GET", at).headers["etag"]
    headers = [("If-Match", tag)]
    gone = system.request("DELETE", at, document={"reason": "Wrong"}, key=system.admin_key, headers=headers)
    assert gone.status == 200, gone.body


class TestInflections:
    @pytest.mark.parametrize("query", ["?", "info", "%3F", "?=", "info=", "?&x=1"])
    def test_they_return_the_description_and_the_repositorys_commitment(
        self, arks: System, name: str, query: str
    ) -> None:
        answer = arks.get(f"/ark:/99999/fk4{name}", query=query)
        pid = f"{BASE_URL}/ark:99999/fk4{name}"
        assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert answer.headers["thump-status"] == "0.6 200 OK"
        assert f'<{pid}>; rel="describes"' in answer.headers["link"]
        assert answer.body == (
            f"erc:\nwho: (:unav)\nwhat: (:unav)\nwhen: (:unav)\nwhere: {pid}\n"
            "erc-support:\n" + "".join(f"{label}: {value}\n" for label, value in SUPPORT.items())
        )

    def test_where_a_repository_states_no_commitment_that_is_said(self, arks: System, plain: str) -> None:
        answer = arks.get(f"/ark:98989/{plain}", query="?")
        unavailable = "".join(f"{label}: (:unav)\n" for label in SUPPORT)
        assert answer.body.partition("erc-support:\n")[2] == unavailable

    def test_a_commitment_is_shown_as_soon_as_it_is_stated(self, arks: System) -> None:
        repository = alias(arks, "ark:98990")
        path = f"/ark:98990/{mint(arks, 'ark:98990')}"
        before = arks.get(path, query="?")
        at = f"/api/v1/repositories/{repository}"
        changed = arks.request(
            "PATCH",
            at,
            body=b'{"support": {"what": "Not guaranteed"}}',
            key=arks.admin_key,
            headers=[
                ("Content-Type", "application/merge-patch+json"),
                ("If-Match", arks.admin("GET", at).headers["etag"]),
            ],
        )
        assert changed.status == 200, changed.body
        assert "what: Not guaranteed\nwhen: (:unav)\n" in arks.copied().get(path, query="?").body
        assert "what: Not guaranteed" not in before.body

    def test_the_record_alone_says_nothing_of_its_repository(self, arks: System, name: str) -> None:
        for requested in ({"query": "format=erc"}, {"accept": "text/plain"}):
            assert "erc-support" not in arks.get(f"/ark:99999/fk4{name}", **requested).body

    def test_for_a_withdrawn_record_they_report_the_withdrawal(self, arks: System) -> None:
        path = f"ark:99999/fk4{mint(arks, 'ark:99999/fk4')}"
        withdraw(arks, path)
        for query in ("?", "info"):
            answer = arks.get(f"/{path}", query=query)
            assert (answer.status, answer.headers["thump-status"]) == (410, "0.6 410 Gone")
            assert "status: withdrawn" in answer.body
            assert "erc-support:\nwho: Example Library\n" in answer.body

    @pytest.mark.parametrize("query", ["information=1", "", "infos", "x=?", "x=info"])
    def test_what_only_looks_like_one_leads_to_the_thing(self, arks: System, name: str, query: str) -> None:
        assert arks.get(f"/ark:99999/fk4{name}", query=query).headers["location"] == SET

    @pytest.mark.parametrize("query", ["?", "info"])
    def test_people_get_the_page(self, arks: System, name: str, query: str) -> None:
        answer = arks.get(f"/ark:99999/fk4{name}", query=query, accept=BROWSER)
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")

    def test_json_is_short_for_the_format(self, arks: System, name: str) -> None:
        for path in (f"/ark:99999/fk4{name}", "/ark:99999/fk4", "/ark:12148/x"):
            short, long = (arks.get(path, query=query) for query in ("json", "format=json"))
            assert (short.status, short.body) == (long.status, long.body)
        assert arks.get(f"/ark:99999/fk4{name}", query="json").json()["id"] == name
        assert arks.get(f"/ark:99999/fk4{name}", query="json&format=erc").body.startswith("erc:")

    @pytest.mark.parametrize("query", ["?", "info"])
    def test_they_describe_identifiers_of_other_services(self, arks: System, query: str) -> None:
        answer = arks.get("/ark:/12345/x6np1wh8k", query=query)
        assert (answer.status, answer.headers["thump-status"]) == (200, "0.6 200 OK")
        assert answer.body.startswith("erc:\nwho: (:unav)\nwhat: ark: ")
        assert "erc-support" not in answer.body  # others' commitments are not ours to state

    def test_the_service_returns_the_path_for_arks(self, arks: System, name: str) -> None:
        returned = arks.get("/.well-known/ark")
        assert (returned.status, returned.headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert returned.body.endswith("/")
        assert arks.get(f"{returned.body}ark:99999/fk4{name}").headers["location"] == SET


class TestLengths:
    NAAN = "b5060d8xb5060d8xb5060d8x99"

    def test_naans_of_many_characters_and_names_of_255_are_this_service(self, arks: System) -> None:
        alias(arks, f"ark:{self.NAAN}", scheme="noid", rules={"template": ".zee", "naan": self.NAAN}, passthrough=True)
        longest = "x" * 255
        assert mint(arks, f"ark:{self.NAAN}", id=longest) == longest
        for path in (f"ark:{self.NAAN}/{longest}", f"ARK:/{self.NAAN.upper()}/{'x-' * 255}"):
            assert arks.get(f"/{path}").headers["location"] == SET
        beyond = f"/{'c' * 255}.{'d' * 255}"
        assert arks.get(f"/ark:{self.NAAN}/{longest}{beyond}").headers["location"] == SET + beyond

    @pytest.mark.parametrize(
        "rest",
        [
            f"/b5060d8xb5060d8x/{'x' * 255}/{'y' * 255}.z",
            "/12345/x5-4-xz-321/chapter-1.pdf",
            "12345/x54xz321//c3/./s5.v7.xsl",
            "B5060/D8xz%EF%BC%8D/",
            "12345/",
        ],
    )
    def test_an_unknown_naan_goes_to_everybodys_as_it_was_written(self, arks: System, rest: str) -> None:
        answer = arks.get(f"/ark:{rest}")
        assert (answer.status, answer.headers["location"]) == (302, f"https://n2t.example/ark:{rest}")

    @pytest.mark.parametrize("label", ["ark:", "ark:/", "ARK:", "Ark:/", "https://n2t.net/ark:/", "ark%3A"])
    @pytest.mark.parametrize("naan", ["12148", "1-2148"])
    def test_a_naan_with_a_provider_of_its_own_goes_there_however_it_is_written(
        self, arks: System, label: str, naan: str
    ) -> None:
        answer = arks.get(f"/{label}{naan}/bpt6k-97497t/f1.image")
        assert answer.headers["location"] == "https://bnf.example/ark:/12148/bpt6k-97497t/f1.image"


class TestShoulders:
    def test_names_are_written_without_a_boundary(self, arks: System, name: str) -> None:
        minted = arks.mint({"prefix": "ark:99999/fk4", "uri": SET})
        pid = minted.json()["pid"]
        assert pid == f"{BASE_URL}/ark:99999/fk4{minted.json()['id']}"
        assert minted.headers["location"].endswith(pid.removeprefix(BASE_URL))
        assert arks.get(pid.removeprefix(BASE_URL)).canonical == pid
        assert arks.admin("GET", f"/api/v1/records/{pid.removeprefix(BASE_URL + '/')}").json()["pid"] == pid

    @pytest.mark.parametrize(
        "form", ["ark:99999/fk4{}", "ark:99999/fk4/{}", "ark:/99999/f-k4-{}", "ark:99999//fk4-/{}"]
    )
    def test_what_was_minted_behind_a_slash_resolves_by_both_and_says_its_own_link(
        self, arks: System, form: str
    ) -> None:
        repository = arks.admin("GET", "/api/v1/prefixes/ark:99999/fk4").json()["repository"]
        alias = arks.store().prefixes.prefixes(("ark:99999/fk4",))["ark:99999/fk4"]
        assert isinstance(alias, Namespace)
        assert isinstance(alias.repository.rules, NoidRules)
        key = alias.repository.rules.key(20_000_000)
        pid = f"{BASE_URL}/ark:99999/fk4/{key}"
        store = arks.store()
        if store.records.record(repository, key) is None:
            old = replace(record(), id=key, key=key, pid=pid, repository=repository, proof=None)
            store.records.create_record(arks.prover().prove(old))
        answer = arks.get("/" + form.format(key))
        assert (answer.status, answer.canonical) == (302, pid)
        parsed = arks.get("/api/v1/parse", query=f"id={form.format(key)}").json()
        assert f"{BASE_URL}/{parsed['canonical']}" == pid

    def test_a_shoulder_ends_with_the_first_digit_and_in_no_other_place(self, arks: System) -> None:
        alias(arks, "ark:98991/fk4", scheme="noid", rules={"template": ".zde"})
        alias(arks, "ark:98991/fk4foo", scheme="noid", rules={"template": ".zde"})
        mint(arks, "ark:98991/fk4", id="22")
        mint(arks, "ark:98991/fk4foo", id="23")
        assert arks.get("/ark:98991/fk422").headers["location"] == SET
        assert arks.get("/ark:98991/fk4foo/23").headers["location"] == SET
        for path in ("fk4foo22", "fk4foo23", "fk4/23", "fk4foo/22"):
            assert arks.get(f"/ark:98991/{path}").status in (400, 404)
        for path in ("FK422", "fk4.22", "fk"):  # other ARKs, of which nothing is known here
            assert arks.get(f"/ark:98991/{path}").headers["location"] == f"https://n2t.example/ark:98991/{path}"
        assert arks.get("/api/v1/parse", query="id=ark:98991/fk4foo2").json()["prefix"] == "ark:98991/fk4"
        assert arks.get("/api/v1/parse", query="id=ark:98991/fk4foo/2").json()["prefix"] == "ark:98991/fk4foo"

    def test_a_shoulder_of_another_service_comes_before_the_default_provider(self, arks: System) -> None:
        assert arks.get("/ark:/99999/b5-x1/c").headers["location"] == "https://their.example/b5-x1/c"
        assert arks.get("/ark:99999/b5x1").canonical == f"{BASE_URL}/ark:99999/b5x1"

    @pytest.mark.parametrize("path", ["ark:99999/fk4", "ark:/99999/f-k4/", "ark:99999/fk4-"])
    def test_a_shoulder_alone_describes_itself(self, arks: System, path: str) -> None:
        assert arks.get(f"/{path}", accept="application/json").json()["prefix"] == "ark:99999/fk4"

    def test_a_scope_for_a_shoulder_opens_it_and_its_neighbours_not(self, arks: System) -> None:
        key = arks.key_with("mint:ark:99999/fk4", "update:ark:99999/fk4")
        minted = arks.mint({"prefix": "ark:99999/fk4", "uri": SET}, key)
        assert minted.status == 201
        path = minted.json()["pid"].removeprefix(BASE_URL + "/")
        headers = [("If-Match", minted.headers["etag"])]
        body = {"uri": f"{SET}/2"}
        changed = arks.request("PUT", f"/api/v1/records/{path}", document=body, key=key, headers=headers)
        assert changed.status == 200, changed.body
        assert arks.mint({"prefix": "ark:98989", "uri": SET}, key).status == 403

    def test_a_prefix_that_would_hide_names_behind_a_shoulder_is_refused(self, arks: System, name: str) -> None:
        body = {"kind": "provider", "providers": [{"code": "own", "url": "https://a.example/{$id}"}]}
        assert arks.admin("PUT", f"/api/v1/prefixes/ark:99999/fk4{name}", body).status == 409
        assert arks.admin("PUT", "/api/v1/prefixes/ark:98989/x6", body).status == 409

    def test_check_characters_cover_naan_shoulder_and_name(self, arks: System, name: str) -> None:
        for key in (name, *(mint(arks, "ark:99999/fk4") for _ in range(5))):
            assert pynoid.validate(f"99999/fk4{key}")
        wrong = name[:-1] + ("b" if name[-1] != "b" else "c")
        answer = arks.get(f"/ark:99999/fk4{wrong}")
        assert answer.is_problem(400)
        assert name in answer.json()["suggestions"]

    @pytest.mark.parametrize(
        ("prefix", "rules"),
        [
            ("ark:98992/fk4", {"naan": "98992"}),
            ("ark:98992/fk4", {"naan": "98992", "shoulder": "fk5"}),
            ("ark:98992", {"naan": "98992", "shoulder": "fk4"}),
            ("ark:98992", {"naan": "98993"}),
            ("ark:98992/fk", {"naan": "98992"}),
        ],
    )
    def test_rules_for_another_naan_or_shoulder_are_refused(
        self, arks: System, prefix: str, rules: dict[str, str]
    ) -> None:
        body = {"title": "x", "scheme": "noid", "rules": {"template": ".reedeedk", **rules}}
        repository = arks.admin("POST", "/api/v1/repositories", body).json()["id"]
        alias = {"kind": "namespace", "repository": repository}
        answer = arks.admin("PUT", f"/api/v1/prefixes/{prefix}", alias)
        assert answer.is_problem(422)
        assert "its rules are for names that begin with ark:" in answer.body
        assert arks.admin("PUT", "/api/v1/prefixes/arknames", alias).status in (201, 409)  # no ARKs there

    @pytest.mark.parametrize(("name", "same"), [("ark:98994/my-x", "ark:98994/myx"), ("ark:9-8994", "ark:98994")])
    def test_a_prefix_that_no_normalised_ark_can_have_is_refused(self, arks: System, name: str, same: str) -> None:
        body = {"kind": "provider", "providers": [{"code": "own", "url": "https://a.example/{$id}"}]}
        answer = arks.admin("PUT", f"/api/v1/prefixes/{name}", body)
        assert answer.is_problem(422)
        assert same in answer.body


class TestExtensions:
    @pytest.mark.parametrize(
        "beyond",
        ["/chapter-1.pdf", ".v-2", "//c3//s5.pdf/", "/x-/-y", "/a%20b", "/50%25", "/a%3Fb", "/%EF%BC%8D", "/C3.%25ef"],
    )
    def test_they_reach_the_target_as_they_were_written(self, arks: System, name: str, plain: str, beyond: str) -> None:
        for base in (f"ark:99999/fk4{name}", f"ark:99999/fk4/{name}", f"ARK:/9-9999/fk4-{name}", f"ark:98989/{plain}"):
            answer = arks.get(f"/{base}{beyond}")
            assert (answer.status, answer.headers["location"]) == (302, SET + beyond)
            again = arks.get(answer.canonical.removeprefix(BASE_URL))
            assert again.headers["location"] == answer.headers["location"]
            assert again.canonical == answer.canonical

    def test_only_slash_and_point_are_boundaries(self, arks: System, name: str) -> None:
        for beyond in ("x", "-x", "%3Ax", "_x"):
            assert arks.get(f"/ark:99999/fk4{name}{beyond}").status in (400, 404)

    def test_the_targets_own_query_stays(self, arks: System) -> None:
        uri = f"{SET}?a=%2f%2F&b=x-y#top"
        name = mint(arks, "ark:99999/fk4", uri=uri)
        assert arks.get(f"/ark:99999/fk4{name}/c-1").headers["location"] == f"{SET}/c-1?a=%2f%2F&b=x-y#top"


@st.composite
def spelled(draw: st.DrawFn, text: str) -> str:
    """A text as it may stand in a path: with hyphens in it, and with some of its characters escaped."""
    written = ""
    for symbol in text:
        form = draw(st.sampled_from(["as it is"] * 6 + ["hyphen", "upper", "lower"]))
        if form == "hyphen":
            written += quote(draw(st.sampled_from(HYPHENS)))
        code = f"%{ord(symbol):02x}"
        written += {"upper": code.upper(), "lower": code}.get(form, symbol) if symbol not in "/." else symbol
    return written


@st.composite
def paths(draw: st.DrawFn, naan: str, name: str) -> str:
    """The path of an ARK in some spelling."""
    hosts = [
        "",
        "",
        "",
        "https://n2t.net/",
        "http://host.example/",
        "https:/host.example/a/",
        f"{BASE_URL}/",
        "resolve/",
    ]
    label = draw(st.sampled_from(["ark:", "ark:/", "ARK:", "Ark:/", "aRK://"]))
    upper = "".join(draw(st.sampled_from([symbol, symbol.upper()])) for symbol in naan)
    slash = draw(st.sampled_from(["/", "/", "//", "/-/", "/./"]))
    end = draw(st.sampled_from(["", "", "/", ".", "//", "-", "/-", "./"]))
    return draw(st.sampled_from(hosts)) + label + draw(spelled(upper)) + slash + draw(spelled(name)) + end


class TestSpellings:
    """Two spellings of one ARK never lead to two places."""

    @given(data=st.data())
    def test_they_lead_to_one_record_and_name_one_link(self, arks: System, name: str, plain: str, data: Any) -> None:
        naan, whole = data.draw(st.sampled_from([("99999", f"fk4{name}"), ("98989", plain)]))
        answer = arks.get("/" + data.draw(paths(naan, whole)))
        assert (answer.status, answer.headers.get("location")) == (302, SET)
        assert answer.canonical == f"{BASE_URL}/ark:{naan}/{whole}"

    @given(data=st.data())
    def test_extensions_lead_into_one_record_and_are_the_same_but_for_what_means_nothing(
        self, arks: System, name: str, plain: str, data: Any
    ) -> None:
        naan, whole = data.draw(st.sampled_from([("99999", f"fk4{name}"), ("98989", plain)]))
        beyond = data.draw(st.sampled_from(["/c3/s5.v7.xsl", ".pdf", "/a/b"]))
        written = data.draw(paths(naan, whole + beyond))
        location = arks.get("/" + written).headers["location"]
        assert location.startswith(SET)
        reached = unquote(location.removeprefix(SET))
        assert unquote(written).endswith(reached)
        assert ark.compact_part(f"x{reached}") == f"x{beyond}"

    @given(data=st.data())
    def test_an_identifier_of_another_service_leads_to_one_provider(self, arks: System, data: Any) -> None:
        naan, name, begins = data.draw(
            st.sampled_from(
                [
                    ("12148", "bpt6k97497t", "https://bnf.example/ark:/12148/"),
                    ("99999", "b5x1/c", "https://their.example/b5"),
                    ("b5060", "D8xz", "https://n2t.example/ark:"),
                ]
            )
        )
        answer = arks.get("/" + data.draw(paths(naan, name)))
        location = answer.headers["location"]
        assert location.startswith(begins)
        again = arks.get(answer.canonical.removeprefix(BASE_URL))  # which is as it was asked for, to lead there
        assert (again.headers["location"], again.canonical) == (location, answer.canonical)
        requested = unquote(location.removeprefix(begins))
        rebuilt = {"12148": f"ark:12148/{requested}", "99999": f"ark:99999/b5{requested}", "b5060": f"ark:{requested}"}[
            naan
        ]
        assert ark.compact(rebuilt) == f"ark:{naan}/{name}"


@pytest.fixture(scope="session")
def older(untouched: System) -> System:
    """Names under a NAAN that begin like a shoulder, which was registered when nobody looked at that."""
    running = untouched.copied()
    alias(running, "ark:99990", scheme="noid", rules={"template": "fk4.reedeedk", "naan": "99990"})
    alias(running, "ark:99993", scheme="lui")
    alias(running, "ark:99994/a", scheme="lui")
    store = running.store()
    for name in ("ark:99990/fk4", "ark:99993/b7"):
        elsewhere = prefix_by_name("ark:99994/a", store.prefixes)
        assert isinstance(elsewhere, Namespace)
        store.prefixes.put_prefix(replace(elsewhere, name=name, longer=frozenset()), None)
    return running


@pytest.fixture(scope="session")
def before(older: System) -> str:
    """A name that was given under the NAAN before there was the shoulder."""
    rules = NoidRules(template="fk4.reedeedk", naan="99990", order="00" * 16)
    namespace = prefix_by_name("ark:99990", older.store().prefixes)
    assert isinstance(namespace, Namespace)
    key = rules.key(7)
    older.store().records.create_record(record(key, namespace.repository.id, id=key, pid=f"{BASE_URL}/ark:99990/{key}"))
    return key


class TestNamesThatBeginLikeAShoulder:
    """Of another repository than the shoulder's: once there were none, and names may have been given."""

    def test_older_identifiers_still_resolve(self, older: System, before: str) -> None:
        answer = older.get(f"/ark:99990/{before}")
        assert (answer.status, answer.canonical) == (302, f"{BASE_URL}/ark:99990/{before}")

    def test_its_manager_still_reaches_it(self, older: System, before: str) -> None:
        answer = older.admin("GET", f"/api/v1/records/ark:99990/{before}")
        assert (answer.status, answer.json()["id"]) == (200, before)

    def test_what_is_nowhere_is_refused_by_the_shoulder(self, older: System) -> None:
        assert older.get("/ark:99990/fk4tw0t-ywdj-95").is_problem(400, "invalid-check")
        assert older.get("/ark:99990/fk4tw0t-ywdj-94").json()["prefix"] == "ark:99990/fk4"

    def test_no_name_is_given_that_another_shoulder_has(self, older: System) -> None:
        wanted = {"prefix": "ark:99993", "id": lui.encode(7), "uri": SET}
        assert older.mint(wanted).status == 201
        answer = older.mint({**wanted, "id": "b70t-ywdj-29"})
        assert answer.is_problem(422, "invalid-input")
        assert answer.json()["errors"][0]["pointer"] == "/id"

    @pytest.mark.parametrize("prefix", ["ark:99991", "ark:99992"])
    def test_a_naan_whose_names_a_shoulder_would_hide_is_refused(self, older: System, prefix: str) -> None:
        alias(older, f"{prefix}/fk4", scheme="lui")
        rules = {"template": "fk4.reedeedk", "naan": prefix.removeprefix("ark:")}
        made = older.admin("POST", "/api/v1/repositories", {"title": prefix, "scheme": "noid", "rules": rules})
        named = {"kind": "namespace", "repository": made.json()["id"]}
        assert older.admin("PUT", f"/api/v1/prefixes/{prefix}", named).is_problem(409, "prefix-taken")

    def test_identifiers_still_resolve_when_others_register_the_shoulder(self, older: System) -> None:
        alias(older, "ark:99985", scheme="noid", rules={"template": ".rede", "naan": "99985"})
        namespace = prefix_by_name("ark:99985", older.store().prefixes)
        assert isinstance(namespace, Namespace)
        older.store().records.create_record(
            record("b59", namespace.repository.id, id="b59", pid=f"{BASE_URL}/ark:99985/b59")
        )
        body = {"kind": "provider", "providers": [{"code": "own", "url": "https://their.example/b5{$id}"}]}
        assert older.admin("PUT", "/api/v1/prefixes/ark:99985/b5", body).status == 201
        assert older.get("/ark:99985/b59").canonical == f"{BASE_URL}/ark:99985/b59"
        assert older.get("/ark:99985/b58").headers["location"] == "https://their.example/b58"
        assert older.mint({"prefix": "ark:99985", "id": "b58", "uri": SET}).is_problem(422, "invalid-input")
        minted = [mint(older, "ark:99985") for _ in range(100)]
        assert not [name for name in minted if name.startswith("b5")]


class TestChosenNames:
    """A repository that names its ARKs itself, by two prefixes."""

    @pytest.fixture
    def named(self, fresh: System) -> System:
        rules = {"pattern": "[!-~]{4,}|[a-z]{3}", "ignores_hyphens": True}
        owner = alias(fresh, "ark:99984", scheme="chosen", rules=rules)
        named = {"kind": "namespace", "repository": owner}
        assert fresh.admin("PUT", "/api/v1/prefixes/ark:99984/fk4", named).status == 201
        assert fresh.mint({"prefix": "ark:99984", "id": "abc", "uri": SET}).status == 201
        return fresh

    @pytest.mark.parametrize("name", ["abc/", "abc.", "/abc", "abc?x", "a//b", "a..b", "a%2fb", "fk4abc", "fk4xyz"])
    def test_none_is_given_whose_ark_would_be_another(self, named: System, name: str) -> None:
        before = named.contents()
        answer = named.mint({"prefix": "ark:99984", "id": name, "uri": SET})
        assert answer.is_problem(422, "invalid-input")
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/id"]
        assert named.contents() == before

    @pytest.mark.parametrize("name", ["x-5-4xz", "a/b.c", "a%2Fb", "ABCD"])
    def test_all_others_are_found_by_their_pid(self, named: System, name: str) -> None:
        minted = named.mint({"prefix": "ark:99984", "id": name, "uri": SET}).json()
        path = minted["pid"].removeprefix(BASE_URL)
        assert named.get(path).canonical == minted["pid"]
        assert named.admin("GET", f"/api/v1/records{path}").json()["id"] == minted["id"]
