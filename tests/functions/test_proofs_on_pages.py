"""The page of a record without scripts: its proof, and its forms for managers."""

import re
import shlex
from html import unescape
from typing import Any

import pytest
from msgspec.structs import replace

from tests.functions.managed_records import BROWSER, alias, amend, gone, mint
from tests.support.builders.samples import BASE_URL
from tests.support.builders.samples import record as unsigned
from tests.support.fixtures.system import System


def page(system: System, path: str, query: str = "format=html") -> str:
    answer = system.get(path, query=query, accept=BROWSER)
    assert answer.status in (200, 410)
    return answer.body


def record(system: System, path: str, query: str = "format=linkid") -> Any:
    return system.get(path, query=query).json()


def test_the_page_has_the_proof_of_the_version_that_it_shows(light: System) -> None:
    path = mint(light, "demo")
    amend(light, "PATCH", path, {"metadata": {"what": "Another"}})
    for version, query in ((2, "format=html"), (2, "format=html&version=2"), (1, "format=html&version=1")):
        shown = page(light, path, query)
        returned = record(light, path, f"format=linkid&version={version}")
        for name in ("pid", "issuer", "version"):
            assert f'data-{name}="{returned[name]}"' in shown
        assert f'data-statement="{returned["proof"].split(".")[1]}"' in shown
        assert 'data-known="2"' in shown
        requested = f"'{returned['pid']}?version={version}'" if "version" in query else returned["pid"]
        assert f"<pre>coolid verify {requested}</pre>" in unescape(shown)


@pytest.mark.parametrize("name", ["x;touch$IFS/tmp/x", "$(reboot)", "a&b", "it's", "`id`", "plain"])
def test_the_command_is_one_word_for_a_shell_whatever_the_identifier_is(light: System, name: str) -> None:
    repository = light.admin("POST", "/api/v1/repositories", {"scheme": "chosen", "title": "Any"}).json()["id"]
    light.admin("PUT", "/api/v1/prefixes/any", {"kind": "namespace", "repository": repository})
    pid = light.mint({"prefix": "any", "id": name}).json()["pid"]
    for query, requested in (("format=html", pid), ("format=html&version=1", f"{pid}?version=1")):
        command = re.search("<pre>(coolid verify .*)</pre>", page(light, pid.removeprefix(BASE_URL), query))
        assert command is not None
        assert shlex.split(unescape(command[1])) == ["coolid", "verify", requested]
        assert re.fullmatch(r"[^;&$`()]*|.* '.*", unescape(command[1]))


def test_a_tombstone_can_be_checked_but_not_withdrawn(light: System) -> None:
    path = gone(light, "demo")
    shown = page(light, path)
    assert f'data-statement="{record(light, path)["proof"].split(".")[1]}"' in shown
    assert 'id="keep"' not in shown
    assert "keep.js" not in shown


def test_only_the_present_version_is_there_to_be_withdrawn(light: System) -> None:
    path = mint(light, "demo")
    assert 'id="keep" hidden' in page(light, path)
    assert "keep.js" in page(light, path)
    assert 'id="keep"' not in page(light, path, "format=html&version=1")


def test_no_key_can_be_sent_by_the_page_itself(light: System) -> None:
    form = re.search(r"<form [^>]*>", page(light, mint(light, "demo")).partition('id="keep"')[2])
    assert form is not None
    assert 'method="dialog"' in form[0]
    assert " hidden" in form[0]
    assert "action" not in form[0]


def test_a_record_without_a_proof_is_said_to_have_none(light: System) -> None:
    prefix, key = alias(light), "tw0tywdj94"
    repository = record(light, mint(light, prefix))["repository"]
    light.store().records.create_record(replace(unsigned(key), repository=repository))
    shown = page(light, f"/{prefix}:{key}")
    assert "It cannot be checked" in shown
    assert "coolid verify" not in shown
    assert "verify.js" not in shown
