"""EZID's batch download: the request, its errors, and the file that clients fetch without credentials."""

import gzip
import re
from base64 import b64encode
from urllib.parse import urlsplit

import pytest

from coolid.model.downloads import LIFETIME
from tests.functions.test_jobs import JOBS, work
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System

ADDRESS = "/download_request"
FORM = "application/x-www-form-urlencoded"


def basic(key: str) -> tuple[str, str]:
    _, user, secret = key.split("_", 2)
    return "Authorization", "Basic " + b64encode(f"{user}:{secret}".encode()).decode()


def request(system: System, form: str, key: str | None = "", *, query: str = "", media_type: str = FORM) -> Answer:
    """Request a download, as the administrator unless another key or none is given."""
    headers = [("Content-Type", media_type)]
    if key is not None:
        headers.append(basic(key or system.admin_key))
    answer = system.request("POST", ADDRESS, query=query, headers=headers, body=form.encode())
    assert answer.headers["content-type"] == "text/plain; charset=UTF-8"
    assert answer.headers["cache-control"] == "no-store"
    return answer


def path_of(answer: Answer) -> str:
    assert answer.status == 200, answer.body
    return urlsplit(answer.body.removeprefix("success: ")).path


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("", "missing required parameter: format"),
        ("format=json", "parameter 'format': invalid parameter value"),
        ("format=anvl&format=anvl", "parameter is not repeatable: format"),
        ("format=anvl&colour=red", "invalid parameter: colour"),
        ("format=csv", "format 'csv' requires at least one column"),
        ("format=csv&column=", "parameter 'column': empty value"),
        ("format=xml&column=_id", "parameter is incompatible with format: column"),
        ("format=anvl&compression=bzip2", "parameter 'compression': invalid parameter value"),
        ("format=anvl&exported=true", "parameter 'exported': invalid parameter value"),
        ("format=anvl&status=active", "parameter 'status': invalid parameter value"),
        ("format=anvl&type=handle", "parameter 'type': invalid parameter value"),
        ("format=anvl&permanence=both", "parameter 'permanence': invalid parameter value"),
        ("format=anvl&createdAfter=yesterday", "parameter 'createdAfter': invalid timestamp"),
        ("format=anvl&updatedBefore=2026-01-02", "parameter 'updatedBefore': invalid timestamp"),
        ("format=anvl&updatedBefore=99999999999999", "parameter 'updatedBefore': invalid timestamp"),
        ("format=anvl&owner=absent", "parameter 'owner': no such user"),
        ("format=anvl&ownergroup=absent", "parameter 'ownergroup': no such group"),
        ("format=%FF", "malformed or incomplete request body"),
        ("&".join(["format=anvl"] * 1_001), "malformed or incomplete request body"),
        (f"format=csv&column={'x' * 65_536}", "the form has more than 65,536 bytes"),
    ],
)
def test_wrong_requests_are_refused_as_by_ezid(light: System, form: str, expected: str) -> None:
    answer = request(light, form)
    assert (answer.status, answer.body) == (400, f"error: bad request - {expected}")


def test_only_clients_may_request_and_only_by_post(light: System) -> None:
    answer = request(light, "format=anvl", None)
    assert (answer.status, answer.body) == (401, "error: unauthorized")
    assert answer.headers["www-authenticate"] == 'Basic realm="EZID"'
    assert request(light, "format=anvl", "cool_epyx6gxg_wrong").status == 401
    answer = light.request("GET", ADDRESS)
    assert (answer.status, answer.body) == (405, "error: method not allowed")
    answer = request(light, "format=anvl", query="format=anvl")
    assert answer.body == "error: bad request - unrecognized URL query parameter 'format'"
    answer = request(light, '{"format": "anvl"}', media_type="application/json")
    assert answer.body == f"error: bad request - Content-Type must be {FORM}"


def test_users_and_groups_of_others_are_forbidden(fresh: System) -> None:
    key = fresh.key_with("mint:demo", "update:demo")
    other = fresh.key_with("update:absent")
    demo = fresh.admin("GET", "/api/v1/prefixes/demo").json()["repository"]
    for form in (f"owner={other.split('_')[1]}", "owner=absent"):
        assert request(fresh, f"format=anvl&{form}", key).status == 403
    assert request(fresh, f"format=anvl&ownergroup={demo}", other).body == "error: forbidden"
    for form in (f"owner={key.split('_')[1]}", f"ownergroup={demo}"):
        assert request(fresh, f"format=anvl&{form}", key).status == 200


def test_the_file_is_there_for_a_week_once_it_is_complete(fresh: System, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = fresh.mint({"prefix": "demo", "uri": "https://content.example.org/1"}).json()["pid"]
    answer = request(fresh, "format=csv&column=_id&column=_target")
    assert re.fullmatch(rf"success: {BASE_URL}/download_request/[a-z2-7]{{30}}\.csv\.gz", answer.body)
    path = path_of(answer)
    early = fresh.request("GET", path)
    assert (early.status, early.headers["cache-control"]) == (404, "no-store")
    work(fresh)
    served = fresh.request("GET", path)
    assert (served.status, served.headers["content-type"]) == (200, "application/gzip")
    assert served.headers["content-disposition"] == f'attachment; filename="{path.rpartition("/")[2]}"'
    rows = gzip.decompress(served.content).decode().splitlines()
    assert rows[0] == "_id,_target"
    assert f"{pid.removeprefix(BASE_URL + '/')},https://content.example.org/1" in rows
    assert fresh.request("HEAD", path).status == 200
    for wrong in (
        path.removesuffix(".gz"),
        path.replace(".csv", ".txt"),
        path[:-10],
        f"{ADDRESS}/..",
        f"{ADDRESS}/a/b",
    ):
        assert fresh.request("GET", wrong).status == 404
    job_id = path.rpartition("/")[2].partition(".")[0]
    assert fresh.admin("GET", f"{JOBS}/{job_id}").status == 404
    assert fresh.admin("GET", JOBS).json()["jobs"] == []
    monkeypatch.setattr("coolid.model.downloads.LIFETIME", -LIFETIME)
    assert fresh.request("GET", path).status == 404


def test_it_has_only_what_the_key_may_update(fresh: System) -> None:
    fresh.mint({"prefix": "demo", "uri": "https://content.example.org/1"})
    path = path_of(request(fresh, "format=anvl&notify=a@example.org", fresh.key_with("mint:demo", "update:absent")))
    work(fresh)
    assert gzip.decompress(fresh.request("GET", path).content) == b""
