"""Path parameters of the API: with slashes as they are, or encoded as a whole, as generated clients send them."""

import json
from urllib.parse import quote

import pytest

from tests.support.fixtures.system import Answer, System

RECORDS, HISTORY = "/api/v1/records", "/api/v1/history"
NAME, HANDLES, OUTER, INNER = "2021/06/encoded", "10.5099", "2021/06/outer", "2021/06/outer/inner"
IDENTIFIERS = ["ab", "a/b", "a%2Fb", "50%25", "a:b/c", "a//b", "é?#&=+", "a b"]
OTHERS = {"kind": "provider", "providers": [{"code": "ols", "url": "https://ols.example/{$id}"}]}


@pytest.fixture(scope="session")
def furnished(light: System) -> System:
    """A system with records of chosen identifiers under a prefix and its alias, and with a prefix below another."""
    copied = light.copied()
    for names, pattern in (((NAME, HANDLES), ".{1,200}"), ((OUTER,), "[0-9]"), ((INNER,), "x")):
        rules = {"title": "Encoded", "scheme": "chosen", "rules": {"pattern": pattern, "folds_case": True}}
        repository = copied.admin("POST", "/api/v1/repositories", rules).json()["id"]
        for name in names:
            alias = {"kind": "namespace", "repository": repository}
            assert copied.admin("PUT", f"/api/v1/prefixes/{name}", alias).status == 201
    assert copied.admin("PUT", "/api/v1/prefixes/others", OTHERS).status == 201
    for identifier in IDENTIFIERS:
        document = {"prefix": NAME, "id": identifier, "uri": "https://a.example/", "metadata": {"what": identifier}}
        assert copied.mint(document).status == 201
    assert copied.mint({"prefix": INNER, "id": "x", "metadata": {"what": "inner"}}).status == 201
    return copied


def whole(text: str) -> str:
    """Encode a text as `encodeURIComponent` does."""
    return quote(text, safe="!'()*")


def what(answer: Answer) -> str:
    """Return the `what` of the record in a response."""
    assert answer.status == 200, answer.body
    return str(answer.json()["metadata"]["what"])


@pytest.mark.parametrize("identifier", IDENTIFIERS)
class TestRecords:
    def test_a_pid_and_its_url_lead_to_the_record_in_every_encoding(self, furnished: System, identifier: str) -> None:
        slashes = f"{RECORDS}/{NAME}/{quote(identifier, safe='/')}"
        record = furnished.admin("GET", slashes)
        assert what(record) == identifier
        pid = record.json()["pid"]
        for text in (f"{NAME}/{identifier}", f"{HANDLES}/{identifier}", f"hdl:{HANDLES}/{identifier}", pid):
            assert furnished.admin("GET", f"{RECORDS}/{whole(text)}").body == record.body
            (version,) = furnished.admin("GET", f"{HISTORY}/{whole(text)}").json()["versions"]
            assert version["record"] == record.json()

    def test_it_is_changed_and_withdrawn_by_it(self, furnished: System, identifier: str) -> None:
        changing = furnished.copied()
        path = f"{RECORDS}/{whole(f'{NAME}/{identifier}')}"
        for method, document in (("PATCH", {"ttl": 7}), ("PUT", {"ttl": 8}), ("DELETE", {"reason": "A test"})):
            body = json.dumps(document).encode()
            answer = changing.request(method, path, headers=[("If-Match", "*")], body=body, key=changing.admin_key)
            assert answer.status == 200
        assert answer.json()["version"] == 4


def test_an_encoded_slash_separates_only_if_all_slashes_are_encoded(furnished: System) -> None:
    for path in (f"{INNER}/x", whole(f"{INNER}/x"), f"{whole(INNER)}/x"):
        assert what(furnished.admin("GET", f"{RECORDS}/{path}")) == "inner"
    assert furnished.admin("GET", f"{RECORDS}/{OUTER}/inner%2Fx").is_problem(400)


def test_resolution_keeps_its_rule(furnished: System) -> None:
    assert furnished.get(f"/{NAME}/a%2Fb").status == 302
    for address in ("/", "/timegate/", "/timemap/"):
        assert furnished.get(address + whole(f"{NAME}/ab")).is_problem(404, "unknown-prefix")
    assert furnished.get("/resolve/" + whole(f"{NAME}/ab")).status == 400


@pytest.mark.parametrize("address", ["/api/v1/prefixes", "/api/v1/links", "/api/v1/schemas", "/api/registry"])
def test_prefixes_are_the_same_in_every_encoding(furnished: System, address: str) -> None:
    answer = furnished.admin("GET", f"{address}/{NAME}")
    assert answer.status == 200
    assert furnished.admin("GET", f"{address}/{whole(NAME)}") == answer


def test_a_prefix_is_registered_and_changed_in_every_encoding(furnished: System) -> None:
    changing = furnished.copied()
    path = f"/api/v1/prefixes/{whole(OUTER + '/new')}"
    assert changing.admin("PUT", path, OTHERS).status == 201
    assert changing.admin("PUT", f"/api/v1/prefixes/{OUTER}/new", OTHERS | {"title": "New"}).status == 200
    assert changing.admin("GET", path).json()["title"] == "New"


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("/api/reference", f"{NAME}/ab"),
        ("/api/reference", "ols/others:1"),
        ("/api/identifiers.org", f"{NAME}/ab"),
        ("/api/identifiers.org", "ols/others:1"),
        ("/.info", f"{NAME}/a/b"),
        ("/api/handles", f"{HANDLES}/a/b"),
    ],
)
def test_the_apis_of_other_services_are_the_same_in_every_encoding(furnished: System, address: str, text: str) -> None:
    answer = furnished.get(f"{address}/{text}")
    assert answer.status == 200
    assert furnished.get(f"{address}/{whole(text)}") == answer


@pytest.mark.parametrize(
    ("bad", "status"),
    [("%zz", 400), ("%FF", 400), ("%00", 400), ("a" * 2_100, 414)],
    ids=["escape", "utf-8", "control", "long"],
)
def test_a_bad_text_is_refused_encoded_as_a_whole(furnished: System, bad: str, status: int) -> None:
    assert furnished.admin("GET", f"{RECORDS}/{whole(NAME)}%2F{bad}").is_problem(status)
