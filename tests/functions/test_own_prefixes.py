"""DOI prefixes and NAANs of the service: every spelling of an identifier reaches its record."""

from typing import Any

import pytest

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

TARGET = "https://content.example.org/thing"


def named(system: System, prefix: str, **members: Any) -> str:
    """An identifier minted under a new namespace, whether or not an earlier test made the namespace."""
    repository = system.admin("POST", "/api/v1/repositories", {"title": prefix} | members).json()["id"]
    system.admin("PUT", f"/api/v1/prefixes/{prefix}", {"kind": "namespace", "repository": repository})
    minted = system.mint({"prefix": prefix, "uri": TARGET})
    assert minted.status == 201
    identifier: str = minted.json()["id"]
    return identifier


@pytest.fixture(scope="session")
def suffix(light: System) -> str:
    return named(light, "10.5555", scheme="cooldoi")


@pytest.fixture(scope="session")
def ark(light: System) -> str:
    return named(light, "ark:99998", scheme="noid", rules={"template": "fk4.reedeedk", "naan": "99998"})


class TestDois:
    @pytest.mark.parametrize(
        "spelling",
        [
            "10.5555/{}",
            "10.5555%2F{}",
            "doi:10.5555/{}",
            "DOI:10.5555%2F{}",
            "doi/10.5555/{}",
            "hdl:10.5555/{}",
            "hdl/10.5555/{}",
            "https://doi.org/10.5555/{}",
            "https:/dx.doi.org/10.5555/{}",
        ],
    )
    def test_every_spelling_reaches_the_record_and_names_one_link(
        self, light: System, suffix: str, spelling: str
    ) -> None:
        for written in (suffix, suffix.upper(), suffix.replace("-", "")):
            answer = light.get("/" + spelling.format(written))
            assert (answer.status, answer.headers["location"]) == (302, TARGET)
            assert answer.canonical == f"{BASE_URL}/10.5555/{suffix}"


class TestArks:
    @pytest.mark.parametrize(
        "spelling",
        ["ark:99998/{}", "ark:/99998/{}", "ARK:/99998/{}", "ark:99998//{}/", "https://n2t.net/ark:/99998/{}"],
    )
    def test_every_spelling_reaches_the_record_and_names_one_link(self, light: System, ark: str, spelling: str) -> None:
        for written in (ark, f"{ark[:4]}-{ark[4:]}"):
            answer = light.get("/" + spelling.format(written))
            assert (answer.status, answer.headers["location"]) == (302, TARGET)
            assert answer.canonical == f"{BASE_URL}/ark:99998/{ark}"

    def test_one_wrong_character_is_a_bad_request_and_the_right_identifier_is_suggested(
        self, light: System, ark: str
    ) -> None:
        wrong = ark[:-1] + ("b" if ark[-1] != "b" else "c")
        answer = light.get(f"/ark:/99998/{wrong}")
        assert answer.is_problem(400, "invalid-check")
        assert ark in answer.json()["suggestions"]


def test_a_registered_prefix_comes_before_a_shorter_one_with_a_provider_of_the_rest(light: System) -> None:
    """`/mirror/rose:1` is the identifier 1 under `mirror/rose`, though `mirror` is also a provider of `rose`."""
    for name, code in (("rose", "mirror"), ("mirror/rose", "own")):
        provider = {"code": code, "url": f"https://{code}.example/{{$id}}"}
        light.admin("PUT", f"/api/v1/prefixes/{name}", {"kind": "provider", "providers": [provider]})
    assert light.get("/mirror/rose:1").headers["location"] == "https://own.example/1"
    assert light.get("/rose:1", query="provider=mirror").headers["location"] == "https://mirror.example/1"
