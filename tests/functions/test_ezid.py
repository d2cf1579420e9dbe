"""EZID's API through the functions: the operations of its documentation, statuses, sessions, and refusals."""

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from coolid.http.dialects.ezid.anvl import format_elements, parse_elements
from tests.support.builders.samples import BASE_URL, text
from tests.support.effort import examples
from tests.support.fixtures.system import Answer, System

NAAN = "99999"
SHOULDER = "ark:/99999/fk4"
CHOSEN = "ark:/99998/"
DOI = "doi:10.5072/FK2"
HERE = "https://content.example.org/here"
THERE = "https://content.example.org/there"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
DATACITE = {
    "datacite.creator": "Lee, Ann",
    "datacite.title": "Tea",
    "datacite.publisher": "Press",
    "datacite.publicationyear": "2024",
    "datacite.resourcetype": "Image/Photograph",
}


@pytest.fixture(scope="session")
def ezid(untouched: System) -> System:
    """A system with a shoulder whose names are generated, and prefixes whose names clients choose."""
    running = untouched.copied()
    chosen = {"scheme": "chosen", "rules": {"pattern": "[!-~]+", "folds_case": True}}
    repositories = {
        "ark:99999/fk4": {"scheme": "noid", "rules": {"template": ".reedeedk", "naan": NAAN, "shoulder": "fk4"}},
        "ark:99998": {
            "scheme": "chosen",
            "rules": {"pattern": "[!-~]+", "ignores_hyphens": True},
            "domains": ["example.org"],
        },
        "10.5072": chosen,
    }
    for name, members in repositories.items():
        owner = running.admin("POST", "/api/v1/repositories", {"title": "Archive"} | members).json()["id"]
        alias = {"kind": "namespace", "repository": owner}
        answer = running.admin("PUT", f"/api/v1/prefixes/{name}", alias)
        assert answer.status == 201, answer.body
    return running


def basic(key: str) -> tuple[str, str]:
    """The header of a client whose user is a key's id, and whose password is its secret."""
    _, user, password = key.split("_", 2)
    return "Authorization", "Basic " + b64encode(f"{user}:{password}".encode()).decode()


def send(
    system: System,
    method: str,
    path: str,
    elements: Mapping[str, str] | str | None = None,
    *,
    query: str = "",
    key: str | None = "",
    headers: Mapping[str, str] = {},
) -> Answer:
    """Send a request with elements, as the administrator unless another key or none is given."""
    body = elements if isinstance(elements, str) else format_elements(elements or {})
    sent = [("Content-Type", "text/plain; charset=UTF-8"), *headers.items()]
    if key is not None:
        sent.append(basic(key or system.admin_key))
    answer = system.request(method, path, query=query, headers=sent, body=body.encode())
    assert answer.headers["content-type"] == "text/plain; charset=UTF-8", answer.body
    assert answer.headers["cache-control"] == "no-store"
    return answer


def line(answer: Answer) -> tuple[int, str]:
    """The status and the status line of an answer."""
    return answer.status, answer.body.partition("\n")[0]


def minted(system: System, shoulder: str = SHOULDER, **elements: str) -> str:
    answer = send(system, "POST", f"/shoulder/{shoulder}", elements)
    assert answer.status == 201, answer.body
    assert answer.body.startswith("success: ")
    return answer.body.removeprefix("success: ")


def read(system: System, identifier: str, key: str | None = None) -> dict[str, str]:
    answer = send(system, "GET", f"/id/{identifier}", key=key)
    assert line(answer) == (200, f"success: {identifier}")
    return parse_elements(answer.body.partition("\n")[2])


def bad(reason: str) -> tuple[int, str]:
    return 400, f"error: bad request - {reason}"


def test_an_identifier_is_minted_changed_and_resolves(ezid: System) -> None:
    identifier = minted(ezid, **{"_target": HERE, "erc.who": "Proust, Marcel", "note": "50%: a\nb"})
    assert identifier.startswith(SHOULDER)
    elements = read(ezid, identifier)
    owner = elements.pop("_owner")
    assert owner == elements.pop("_ownergroup")
    assert elements.pop("_created") == elements.pop("_updated")
    assert elements == {
        "_target": HERE,
        "_profile": "erc",
        "_status": "public",
        "_export": "yes",
        "erc.who": "Proust, Marcel",
        "note": "50%: a\nb",
    }
    assert read(ezid, identifier, "")["_owner"] == ezid.admin_key.split("_")[1]
    resolved = ezid.get(f"/{identifier}")
    assert (resolved.status, resolved.headers["location"]) == (302, HERE)
    change = {"_target": THERE, "erc.what": "Remembrance", "note": ""}
    assert line(send(ezid, "POST", f"/id/{identifier}", change)) == (200, f"success: {identifier}")
    changed = read(ezid, identifier)
    assert (changed["_target"], changed["erc.what"], "note" in changed) == (THERE, "Remembrance", False)
    assert ezid.get(f"/{identifier}").headers["location"] == THERE
    version = ezid.get(f"/{identifier}", query="format=linkid").json()["version"]
    assert line(send(ezid, "POST", f"/id/{identifier}", read(ezid, identifier, ""))) == (200, f"success: {identifier}")
    assert ezid.get(f"/{identifier}", query="format=linkid").json()["version"] == version == 2


def test_a_minted_identifier_replaces_its_placeholder(ezid: System) -> None:
    identifier = minted(ezid, _target="https://content.example.org/${identifier}?id=${identifier}")
    assert read(ezid, identifier)["_target"] == f"https://content.example.org/{identifier}?id={identifier}"


@pytest.mark.parametrize("form", ["ark:/99998/{}", "ark:99998/{}", "ark:%2F99998%2F{}", "ark%3A%2F99998%2F{}"])
def test_every_form_of_an_identifier_is_accepted(ezid: System, form: str) -> None:
    name = f"form{len(form)}{form.count('%')}"
    shown = f"{CHOSEN}{name}"
    created = send(ezid, "PUT", f"/id/{form.format(name)}", {"_target": HERE})
    assert line(created) == (201, f"success: {shown}")
    assert read(ezid, shown)["_target"] == HERE
    assert line(send(ezid, "GET", f"/id/{form.format(name)}", key=None)) == (200, f"success: {shown}")
    assert send(ezid, "HEAD", f"/id/{form.format(name)}", key=None).status == 200


def test_dois_are_in_upper_case_and_have_their_profile(ezid: System) -> None:
    identifier = minted(ezid, DOI, **DATACITE)
    assert identifier.startswith(DOI)
    assert identifier == "doi:" + identifier[4:].upper()
    elements = read(ezid, identifier)
    assert elements["_profile"] == "datacite"
    assert {name: elements[name] for name in DATACITE} == DATACITE
    assert read(ezid, "doi:10.5072/" + identifier[12:])["datacite.title"] == "Tea"
    lower = send(ezid, "GET", f"/id/{identifier.lower()}", key=None)
    assert line(lower) == (200, f"success: {identifier}")
    record = ezid.get(f"/{identifier[4:]}", query="format=linkid").json()
    assert record["metadata"]["what"] == "Tea"
    assert "Lee, Ann" in ezid.get(f"/{identifier[4:]}", query="format=citation").body


def test_a_beginning_of_names_is_a_shoulder_where_clients_choose_them(ezid: System) -> None:
    for shoulder in (
        f"{CHOSEN}Abc",
        CHOSEN.rstrip("/"),
        f"{CHOSEN}x5",
        f"{CHOSEN}x6/",
        "doi:10.5072/",
        "doi:10.5072/A.B",
    ):
        identifier = minted(ezid, shoulder)
        assert identifier.startswith(shoulder)
        assert read(ezid, identifier)["_status"] == "public"


def test_an_identifier_is_created_once_or_changed(ezid: System) -> None:
    path = f"/id/{CHOSEN}once"
    assert line(send(ezid, "PUT", path, {"erc.what": "One"})) == (201, f"success: {CHOSEN}once")
    assert read(ezid, f"{CHOSEN}once")["_target"] == f"{BASE_URL}/ark:99998/once"
    assert line(send(ezid, "PUT", path)) == bad("identifier already exists")
    assert line(send(ezid, "PUT", path, query="update_if_exists=no")) == bad("identifier already exists")
    again = send(ezid, "PUT", path, {"erc.when": "1922"}, query="update_if_exists=yes")
    assert line(again) == (200, f"success: {CHOSEN}once")
    assert read(ezid, f"{CHOSEN}once") | {"erc.what": "One", "erc.when": "1922"} == read(ezid, f"{CHOSEN}once")
    new = send(ezid, "PUT", f"/id/{CHOSEN}new", query="update_if_exists=yes")
    assert line(new) == (201, f"success: {CHOSEN}new")


def test_a_reserved_identifier_is_hidden_published_or_deleted(ezid: System) -> None:
    identifier = minted(ezid, _status="reserved", _target=HERE)
    other = ezid.key_with("mint:10.5072")
    for key in (None, other):
        assert line(send(ezid, "GET", f"/id/{identifier}", key=key)) == bad("no such identifier")
    assert read(ezid, identifier, "")["_status"] == "reserved"
    assert ezid.get(f"/{identifier}").status == 404
    assert line(send(ezid, "POST", f"/id/{identifier}", {"_status": "unavailable"})) == bad(
        "_status: invalid identifier status change"
    )
    assert send(ezid, "POST", f"/id/{identifier}", {"_status": "public"}).status == 200
    assert read(ezid, identifier)["_status"] == "public"
    assert line(send(ezid, "POST", f"/id/{identifier}", {"_status": "reserved"})) == bad(
        "_status: invalid identifier status change"
    )
    assert line(send(ezid, "DELETE", f"/id/{identifier}")) == bad("identifier status does not support deletion")
    doomed = f"{CHOSEN}doomed"
    assert send(ezid, "PUT", f"/id/{doomed}", {"_status": "reserved"}).status == 201
    assert line(send(ezid, "DELETE", f"/id/{doomed}")) == (200, f"success: {doomed}")
    for method in ("GET", "POST", "DELETE"):
        assert line(send(ezid, method, f"/id/{doomed}")) == bad("no such identifier")
    for query in ("", "update_if_exists=yes"):
        assert line(send(ezid, "PUT", f"/id/{doomed}", query=query)) == bad("identifier already exists")


def test_an_unavailable_identifier_is_a_tombstone_and_returns(ezid: System) -> None:
    identifier = minted(ezid, _target=HERE, **{"erc.what": "Tea"})
    gone = send(ezid, "POST", f"/id/{identifier}", {"_status": "unavailable | withdrawn by author", "erc.when": "1922"})
    assert line(gone) == (200, f"success: {identifier}")
    tombstone = ezid.get(f"/{identifier}")
    assert tombstone.status == 410
    elements = read(ezid, identifier)
    assert (elements["_status"], elements["_target"]) == ("unavailable | withdrawn by author", HERE)
    assert elements["erc.when"] == "1922"
    assert send(ezid, "POST", f"/id/{identifier}", elements).status == 200
    for change in ({"erc.what": "Cake"}, {"_status": "unavailable | sold"}):
        assert line(send(ezid, "POST", f"/id/{identifier}", change)) == bad(
            "the identifier is unavailable; set _status to public to change it"
        )
    pid = ezid.get(f"/{identifier}", query="format=linkid").json()["pid"]
    refused = ezid.request(
        "PUT", f"/api/v1/records/{quote(pid, safe='')}", document={"uri": HERE}, key=ezid.admin_key,
        headers=[("If-Match", "*")],
    )  # fmt: skip
    assert refused.is_problem(409, "already-withdrawn")
    assert send(ezid, "POST", f"/id/{identifier}", {"_status": "public", "erc.what": "Cake"}).status == 200
    resolved = ezid.get(f"/{identifier}")
    assert (resolved.status, resolved.headers["location"]) == (302, HERE)
    assert read(ezid, identifier)["erc.what"] == "Cake"
    earlier = ezid.get(f"/{identifier}", query="format=linkid&version=3").json()
    assert (earlier["status"], earlier["withdrawn"]["reason"]) == ("withdrawn", "withdrawn by author")
    page = ezid.get(f"/{identifier}", query="format=html").body
    assert page.count("Withdrawn: <span") == 1
    assert send(ezid, "POST", f"/id/{identifier}", {"_status": "unavailable"}).status == 200
    assert read(ezid, identifier)["_status"] == "unavailable"


def test_the_longest_identifier_that_begins_another_is_found(ezid: System) -> None:
    root = f"{CHOSEN}root"
    for name in (root, f"{root}/and"):
        assert send(ezid, "PUT", f"/id/{name}", {"_target": HERE}).status == 201
    assert send(ezid, "PUT", f"/id/{root}/andmore", {"_status": "reserved"}).status == 201

    def found(asked: str, query: str = "prefix_match=yes") -> tuple[int, str]:
        return line(send(ezid, "GET", f"/id/{asked}", query=query, key=None))

    assert found(f"{root}/andmore/1") == (200, f"success: {root}/and in_lieu_of {root}/andmore/1")
    assert found(f"{root}x") == (200, f"success: {root} in_lieu_of {root}x")
    assert found(root) == (200, f"success: {root}")
    assert found(f"{root}/{'m' * 200}") == (200, f"success: {root} in_lieu_of {root}/{'m' * 200}")
    assert found(f"{root}x", "prefix_match=no") == bad("no such identifier")
    assert found(f"{CHOSEN}nothing") == bad("no such identifier")
    assert found(root, "prefix_match=maybe") == bad("invalid value for URL query parameter 'prefix_match'")


@pytest.mark.parametrize(
    ("method", "path", "elements", "reason"),
    [
        ("PUT", f"/id/{CHOSEN}bad1", "no colon", "ANVL parse error (line 1 has no colon)"),
        ("PUT", f"/id/{CHOSEN}bad1", {"_target": "javascript:alert(1)"}, "_target: "),
        ("PUT", f"/id/{CHOSEN}bad1", {"_target": "https://elsewhere.example/"}, "_target: "),
        ("PUT", f"/id/{CHOSEN}bad1", {"_created": "1"}, "_created: this element is not settable"),
        ("PUT", f"/id/{CHOSEN}bad1", {"_owner": "someone"}, "ownership change prohibited"),
        ("PUT", f"/id/{CHOSEN}bad1", {"_status": "unavailable"}, "_status: invalid identifier status change"),
        ("PUT", f"/id/{CHOSEN}bad1", {"datacite": "<!DOCTYPE a><a/>"}, "datacite: metadata validation error: it has a"),
        ("PUT", "/id/ark:/99999/fk4wrong", {}, ""),
        ("PUT", "/id/nothing", {}, "invalid identifier"),
        ("PUT", f"/id/{CHOSEN}bad1%3Fa", {}, "invalid identifier"),
        ("POST", f"/id/{CHOSEN}bad1%3Fa", {}, "invalid identifier"),
        ("DELETE", f"/id/{CHOSEN}bad1%3Fa", None, "invalid identifier"),
        ("GET", "/id/ark:/12345/x", None, "no such identifier"),
        ("GET", "/id/ark:/99999/fk4wrong", None, "no such identifier"),
        ("POST", "/id/ark:/99999/fk4wrong", {}, "no such identifier"),
        ("DELETE", f"/id/{CHOSEN}absent", None, "no such identifier"),
        ("GET", "/id/%ff", None, "invalid identifier"),
        ("POST", "/shoulder/ark:/12345/x", {}, "no such shoulder"),
        ("POST", "/shoulder/ark:/99999/fk4/x", {}, "no such shoulder"),
        ("POST", "/shoulder/doi:10.5072/a%20b", {}, "shoulder does not support minting"),
    ],
)
def test_a_bad_request_has_its_reason(
    ezid: System, method: str, path: str, elements: Mapping[str, str] | str | None, reason: str
) -> None:
    status, found = line(send(ezid, method, path, elements))
    assert status == 400
    assert found.startswith(f"error: bad request - {reason}"), found
    assert found != "error: bad request - "
    if method == "PUT" and path.endswith("bad1"):
        assert line(send(ezid, "GET", path)) == bad("no such identifier")


def test_requests_without_the_right_key_are_refused(ezid: System) -> None:
    for method, path in (
        ("POST", f"/shoulder/{SHOULDER}"), ("PUT", f"/id/{CHOSEN}x"), ("POST", f"/id/{CHOSEN}x"),
        ("DELETE", f"/id/{CHOSEN}x"), ("GET", "/login"),
    ):  # fmt: skip
        for key in (None, "cool_aaaaaaaa_" + "a" * 43):
            answer = send(ezid, method, path, key=key)
            assert line(answer) == (401, "error: unauthorized")
            assert answer.headers["www-authenticate"] == 'Basic realm="EZID"'
        if path != "/login":
            other = ezid.key_with("watch:10.5072")
            assert line(send(ezid, method, path, key=other)) == (403, "error: forbidden")
    assert line(send(ezid, "PUT", "/id/ark:/12345/x")) == (403, "error: forbidden")
    assert line(send(ezid, "GET", f"/id/{CHOSEN}x", key="cool_aaaaaaaa_" + "a" * 43))[0] == 401
    whole = "Basic " + b64encode(f"anyone:{ezid.admin_key}".encode()).decode()
    assert send(ezid, "GET", "/login", key=None, headers={"Authorization": whole}).status == 200


def test_a_scope_on_any_name_of_the_repository_is_enough(ezid: System) -> None:
    owner = ezid.admin("GET", "/api/v1/prefixes/ark:99998").json()["repository"]
    alias = {"kind": "namespace", "repository": owner["id"] if isinstance(owner, dict) else owner}
    assert ezid.admin("PUT", "/api/v1/prefixes/2021/06/ezid", alias).status == 201
    key = ezid.key_with("mint:2021/06/ezid", "update:2021/06/ezid")
    name = f"{CHOSEN}aliased"
    assert line(send(ezid, "PUT", f"/id/{name}", {"_status": "reserved"}, key=key)) == (201, f"success: {name}")
    assert read(ezid, name, key)["_owner"] == key.split("_")[1]
    for method in ("POST", "DELETE"):
        assert line(send(ezid, method, f"/id/{name}", key=key)) == (200, f"success: {name}")
    assert send(ezid, "POST", f"/shoulder/{CHOSEN}", key=key).status == 201


def test_other_methods_parameters_and_types_are_refused(ezid: System) -> None:
    for method, path in (("PATCH", f"/id/{CHOSEN}x"), ("GET", f"/shoulder/{SHOULDER}"), ("POST", "/login")):
        assert line(send(ezid, method, path)) == (405, "error: method not allowed")
    for method in ("GET", "PUT", "POST", "DELETE"):
        for end in ("", "/"):
            assert line(send(ezid, method, f"/id{end}")) == bad("invalid identifier")
            assert line(send(ezid, method, f"/shoulder{end}")) == bad("no such shoulder")
    assert line(send(ezid, "GET", f"/id/{CHOSEN}x", query="a=b")) == bad("unrecognized URL query parameter 'a'")
    json = send(ezid, "PUT", f"/id/{CHOSEN}x", headers={"Content-Type": "application/json"})
    assert line(json)[1].startswith("error: bad request - if specified, Content-Type must be text/plain")


def test_the_service_is_up(ezid: System) -> None:
    for query in ("", "detailed=yes", "subsystems=*"):
        assert line(send(ezid, "GET", "/status", query=query, key=None)) == (200, "success: EZID is up")


def test_a_browser_is_led_to_the_page(ezid: System) -> None:
    identifier = minted(ezid, _target=HERE)
    page = ezid.get(f"/id/{identifier}", accept=BROWSER)
    assert (page.status, page.headers["location"]) == (303, f"{BASE_URL}/ark:{identifier[5:]}?format=html")
    shown = ezid.get(page.headers["location"].removeprefix(BASE_URL).partition("?")[0], query="format=html")
    assert shown.status == 200
    assert identifier.rpartition("/")[2] in shown.body


def test_a_session_stands_for_its_key(ezid: System) -> None:
    key = ezid.key_with("mint:ark:99998", "update:ark:99998")
    event = ezid.request("GET", "/login", headers=[basic(key)])
    assert line(event) == (200, "success: session cookie returned")
    cookie = event.headers["set-cookie"]
    for attribute in ("HttpOnly; SameSite=Strict; Secure", "Path=/", "Max-Age=86400"):
        assert attribute in cookie
    session = cookie.partition(";")[0]
    assert session.startswith("sessionid=")
    assert len(session) > 60

    def create(name: str, **headers: str) -> tuple[int, str]:
        return line(send(ezid, "PUT", f"/id/{CHOSEN}{name}", key=None, headers={"Cookie": session, **headers}))

    assert create("session1") == (201, f"success: {CHOSEN}session1")
    assert create("session2", Origin=BASE_URL, **{"Sec-Fetch-Site": "same-origin"})[0] == 201
    for cross in ({"Origin": "https://elsewhere.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}):
        assert create("session3", **cross) == (403, "error: forbidden")
    assert ezid.request("GET", "/api/v1/clients", headers=[("Cookie", session)]).status == 401
    out = send(ezid, "GET", "/logout", key=None, headers={"Cookie": session})
    assert line(out) == (200, "success: authentication credentials flushed")
    assert create("session3") == (401, "error: unauthorized")
    assert create("session3", Cookie="sessionid=guess")[0] == 401
    public = send(ezid, "GET", f"/id/{CHOSEN}session1", key=None, headers={"Cookie": session})
    assert line(public) == (200, f"success: {CHOSEN}session1")
    other = send(ezid, "PUT", f"/id/{CHOSEN}session3", headers={"Sec-Fetch-Site": "cross-site"})
    assert line(other) == (403, "error: forbidden")


def test_the_revocation_of_a_key_ends_its_sessions(ezid: System) -> None:
    key = ezid.key_with("mint:ark:99998")
    session = ezid.request("GET", "/login", headers=[basic(key)]).headers["set-cookie"].partition(";")[0]
    assert ezid.admin("DELETE", f"/api/v1/clients/{key.split('_')[1]}").status in (200, 204)
    answer = send(ezid, "PUT", f"/id/{CHOSEN}revoked", key=None, headers={"Cookie": session})
    assert line(answer) == (401, "error: unauthorized")


def test_a_quota_limits_mints(ezid: System) -> None:
    body = {"scopes": ["mint:ark:99999/fk4"], "quota": {"minute": 1}}
    key = ezid.admin("POST", "/api/v1/clients", body).json()["key"]
    assert send(ezid, "POST", f"/shoulder/{SHOULDER}", key=key).status == 201
    refused = send(ezid, "POST", f"/shoulder/{SHOULDER}", key=key)
    assert line(refused) == (429, "error: concurrency limit exceeded")
    assert int(refused.headers["retry-after"]) > 0


@examples(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        text.map(str.strip).filter(lambda name: name and not name.startswith("_")), text.map(str.strip), max_size=5
    )
)
def test_any_elements_are_read_back(ezid: System, elements: dict[str, str]) -> None:
    safe = {name: value for name, value in elements.items() if (name + value).isprintable()}
    identifier = minted(ezid, **safe)
    found = read(ezid, identifier)
    assert {name: value for name, value in found.items() if not name.startswith("_")} == {
        name: value for name, value in safe.items() if value
    }
