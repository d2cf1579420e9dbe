"""Profiles: what `coolid login` stores, what it refuses, and which service and key the commands use."""

import json
import os
import stat
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.cli.profiles import ServiceProfile, read_profiles, write_profiles
from coolid.errors import UsageError
from tests.cli.terminals import at_terminal
from tests.support.builders.file_obstacles import OBSTACLES, is_untouched
from tests.support.servers.http_server import KEY, Host, give, host, problem, stored, to
from tests.support.servers.http_server import json as json_reply
from tests.support.servers.loopback import nobody

runner = CliRunner()
OTHER_KEY = "cool_aaaaaaaa_" + "o" * 43
CLIENT = {"id": "epyx6gxg", "scopes": ["mint:demo"], "note": None, "quota": None, "revoked": None}
SHOW = ["show", "demo:x"]


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The configuration file of this test."""
    for name in ("COOLID_URL", "COOLID_KEY", "COOLID_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "coolid" / "config.toml"


@pytest.fixture
def site() -> Iterator[Host]:
    """A service that accepts every key, and has one record."""
    with host({f"/api/v1/clients/{KEY[5:13]}": json_reply(CLIENT), "/api/v1/records/demo:x": stored()}) as running:
        yield running


def run(*arguments: str, given: str = "", **environment: str) -> Result:
    """Run a command; a traceback, or a key in the output, is a failure of the test."""
    result = runner.invoke(app, list(arguments), input=given, env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert "s" * 43 not in result.output
    assert "o" * 43 not in result.output
    return result


def login(site: Host, *arguments: str, key: str = KEY) -> Result:
    result = run("login", "--url", site.url, *arguments, given=f"{key}\n")
    assert result.exit_code == 0, result.output
    return result


def key_sent(site: Host) -> str | None:
    return site.requests[-1].headers.get("authorization", "").removeprefix("Bearer ") or None


class TestLogin:
    def test_a_key_that_the_service_accepts_is_stored_privately_and_used(self, site: Host, config: Path) -> None:
        before = os.umask(0)
        try:
            assert "mint:demo" in login(site).stdout
        finally:
            os.umask(before)
        assert stat.S_IMODE(config.stat().st_mode) == 0o600
        assert stat.S_IMODE(config.parent.stat().st_mode) == 0o700
        assert read_profiles(config) == {"default": ServiceProfile(site.url, KEY)}
        assert run(*SHOW).exit_code == 0
        assert (site.requests[-1].target, key_sent(site)) == ("/api/v1/records/demo:x", KEY)

    def test_the_key_may_be_in_a_file_and_the_result_is_json(self, site: Host, config: Path, tmp_path: Path) -> None:
        file = tmp_path / "key"
        file.write_text(KEY, encoding="utf-8")
        result = run("login", "--url", f"{site.url}/", "--key-file", str(file), "--json")
        assert json.loads(result.stdout) == {
            "profile": "default", "url": site.url, "client": "epyx6gxg", "scopes": ["mint:demo"], "file": str(config)
        }  # fmt: skip
        assert read_profiles(config)["default"].key == KEY

    def test_a_release_that_hides_clients_from_others_can_be_used(self, site: Host, config: Path) -> None:
        site.answers[f"/api/v1/clients/{KEY[5:13]}"] = problem(
            403, "The key has no scope admin", type="https://id.example.org/problems/forbidden"
        )
        login(site)
        assert read_profiles(config)["default"].key == KEY

    def test_a_profile_that_was_added_meanwhile_stays(self, site: Host, config: Path) -> None:
        def add(handler: BaseHTTPRequestHandler) -> None:
            write_profiles(config, {"other": ServiceProfile(site.url)})
            give(json_reply(CLIENT), handler)

        site.answers[f"/api/v1/clients/{KEY[5:13]}"] = add
        login(site)
        assert read_profiles(config).keys() == {"default", "other"}

    @pytest.mark.parametrize(
        ("reply", "code"),
        [(problem(401, "It was revoked"), 1), (to("https://example.org/"), 3), (problem(404), 1), (problem(403), 1)],
    )
    def test_a_key_that_is_not_accepted_is_not_stored(self, site: Host, config: Path, reply: Any, code: int) -> None:
        site.answers[f"/api/v1/clients/{KEY[5:13]}"] = reply
        assert run("login", "--url", site.url, given=KEY).exit_code == code
        assert not config.exists()

    @pytest.mark.parametrize(
        ("arguments", "given"),
        [
            ([], KEY),
            (["--url", "http://id.example.org"], KEY),
            (["--url", "https://id.example.org/?x"], KEY),
            (["--url", ""], KEY),
            (["--url", "http://127.0.0.1:1"], ""),
            (["--url", "http://127.0.0.1:1"], f"cool_{'s' * 43}"),
            (["--url", "http://127.0.0.1:1", "--profile", "a b"], KEY),
            (["--url", "http://127.0.0.1:1", "--profile", ""], KEY),
        ],
    )
    def test_wrong_usage_sends_nothing(self, config: Path, arguments: list[str], given: str) -> None:
        assert run("login", *arguments, given=given).exit_code == 2
        assert not config.exists()

    def test_a_key_in_the_place_of_another_argument_is_not_printed(self) -> None:
        for arguments in ([KEY], ["--key-file", KEY, "--url", "http://127.0.0.1:1"], ["--profile", KEY], [f"--{KEY}"]):
            assert run("login", *arguments).exit_code == 2

    def test_a_service_that_cannot_be_reached_stores_nothing(self, config: Path) -> None:
        with nobody() as url:
            assert run("login", "--url", url, given=KEY).exit_code == 3
        assert not config.exists()

    def test_a_new_key_goes_to_the_service_of_the_profile(self, site: Host, config: Path) -> None:
        write_profiles(config, {"default": ServiceProfile(site.url), "other": ServiceProfile("https://id.example.org")})
        assert run("login", given=KEY, COOLID_URL="https://another.example.org").exit_code == 0
        assert read_profiles(config) == {
            "default": ServiceProfile(site.url, KEY), "other": ServiceProfile("https://id.example.org")
        }  # fmt: skip

    def test_what_takes_precedence_over_the_profile_is_printed(self, site: Host) -> None:
        result = run("login", "--url", site.url, given=KEY, COOLID_KEY=OTHER_KEY)
        assert "COOLID_KEY still take" in result.stderr
        assert "--profile library" in login(site, "--profile", "library").stderr

    def test_at_a_terminal_the_key_is_not_shown(self, site: Host, config: Path) -> None:
        environment = {"XDG_CONFIG_HOME": str(config.parent.parent)}
        code, shown = at_terminal("login", "--url", site.url, environment=environment, answer=f"{KEY}\n".encode())
        assert (code, KEY in shown) == (0, False), shown
        assert f"API key for {site.url}: " in shown
        assert read_profiles(config)["default"].key == KEY


class TestLogout:
    def test_it_removes_one_profile(self, site: Host, config: Path) -> None:
        login(site)
        login(site, "--profile", "library")
        assert "coolid keys revoke epyx6gxg" in run("logout").stderr
        assert list(read_profiles(config)) == ["library"]
        assert json.loads(run("logout", "--profile", "library", "--json").stdout)["client"] == "epyx6gxg"
        assert read_profiles(config) == {}

    def test_without_the_profile_the_answer_is_no(self, config: Path) -> None:
        assert run("logout").exit_code == 1
        assert not config.exists()


class TestPrecedence:
    """An option, an environment variable, a profile; and no key for another service."""

    @pytest.fixture(autouse=True)
    def _profiles(self, site: Host, config: Path) -> None:
        profiles = {
            "default": ServiceProfile("https://id.example.org", OTHER_KEY),
            "here": ServiceProfile(site.url, KEY),
        }
        write_profiles(config, profiles)

    def test_the_option_names_a_profile_in_place_of_all_variables(self, site: Host) -> None:
        environment = {"COOLID_URL": "http://127.0.0.1:1", "COOLID_KEY": OTHER_KEY, "COOLID_PROFILE": "default"}
        assert run(*SHOW, "--profile", "here", **environment).exit_code == 0
        assert key_sent(site) == KEY

    def test_variables_have_precedence_over_the_profile_of_a_variable(self, site: Host) -> None:
        assert run(*SHOW, COOLID_PROFILE="here").exit_code == 0
        assert key_sent(site) == KEY
        assert run(*SHOW, COOLID_PROFILE="here", COOLID_KEY=OTHER_KEY).exit_code == 0
        assert key_sent(site) == OTHER_KEY
        assert run(*SHOW, COOLID_PROFILE="default", COOLID_KEY=OTHER_KEY, COOLID_URL=site.url).exit_code == 0

    def test_options_have_precedence_over_the_profile(self, site: Host, tmp_path: Path) -> None:
        file = tmp_path / "key"
        file.write_text(OTHER_KEY, encoding="utf-8")
        assert run(*SHOW, "--profile", "default", "--url", site.url, "--key-file", str(file)).exit_code == 0
        assert key_sent(site) == OTHER_KEY

    @pytest.mark.parametrize("profile", [[], ["--profile", "default"]])
    def test_a_key_is_not_sent_to_another_service(self, site: Host, profile: list[str]) -> None:
        history = ["history", "demo:x", "--url", site.url, *profile]
        result = run(*history)
        assert (result.exit_code, site.requests) == (2, [])
        assert f"an API key is needed for {site.url}" in result.stderr
        site.answers["/demo:x?format=linkid"] = stored()
        run(*SHOW, "--url", site.url, *profile)
        assert key_sent(site) is None

    def test_an_empty_url_is_not_replaced_by_the_profile(self) -> None:
        assert run(*SHOW, "--url", "").exit_code == 2

    @pytest.mark.parametrize("name", ["missing", "", "a b"])
    def test_an_unknown_profile_is_wrong_usage(self, name: str) -> None:
        assert run(*SHOW, "--profile", name).exit_code == 2
        assert run("parse", "x", "--profile", name).exit_code == 2

    def test_the_service_that_did_not_answer_is_named(self, config: Path) -> None:
        with nobody() as url:
            write_profiles(config, {"default": ServiceProfile(url)})
            result = run(*SHOW)
        assert result.exit_code == 3
        assert f"no usable answer from {url}: " in result.stderr
        assert "is `coolid serve` running?" in result.stderr

    def test_resolving_begins_at_the_service_of_the_profile(self, site: Host) -> None:
        site.answers["/resolve/demo:x"] = to("/found")
        assert run("resolve", "demo:x", "--profile", "here", "--no-follow", "--default-resolver", "").exit_code == 0
        assert site.targets == ["/resolve/demo:x"]
        assert key_sent(site) is None

    def test_parsing_queries_only_a_service_that_is_named(self, site: Host) -> None:
        assert run("parse", "tw0t-ywdj-94").exit_code == 0
        assert site.requests == []
        assert run("parse", "tw0t-ywdj-94", "--profile", "here").exit_code == 3
        assert run("parse", "tw0t-ywdj-94", COOLID_PROFILE="here").exit_code == 3
        assert len(site.requests) == 2


class TestTheFile:
    @pytest.mark.parametrize("mode", [0o644, 0o660, 0o604, 0o620])
    def test_one_that_others_can_access_is_refused_with_the_reason(self, config: Path, mode: int) -> None:
        write_profiles(config, {"default": ServiceProfile("http://127.0.0.1:1", KEY)})
        config.chmod(mode)
        for command in (SHOW, ["login"], ["logout"]):
            result = run(*command, given=KEY)
            assert (result.exit_code, f"mode {mode:o}" in result.stderr) == (2, True)
        assert run(*SHOW, COOLID_URL="http://127.0.0.1:1", COOLID_KEY=KEY).exit_code == 3

    @pytest.mark.parametrize("obstacle", OBSTACLES)
    def test_anything_but_a_regular_file_is_refused(self, site: Host, config: Path, obstacle: str) -> None:
        config.parent.mkdir()
        OBSTACLES[obstacle](config)
        for command in (["login", "--url", site.url], ["logout"], SHOW):
            assert run(*command, given=KEY).exit_code == 2
        assert is_untouched(obstacle, config)
        assert site.requests == []

    @pytest.mark.parametrize(
        "content",
        [
            f"key = {KEY}",
            f'profiles = "{KEY}"',
            f'[other]\nkey = "{KEY}"',
            "[profiles.default]",
            "[profiles.default]\nurl = 5",
            '[profiles.default]\nurl = "http://id.example.org"',
            f'[profiles.default]\nurl = "https://id.example.org"\nkey = "{KEY}x"',
            f'[profiles.default]\nurl = "https://id.example.org"\nkeys = "{KEY}"',
            '[profiles."a b"]\nurl = "https://id.example.org"',
            "profiles = {default = 1}",
            "\udcff",
        ],
    )
    def test_an_invalid_one_is_refused_without_its_content(self, config: Path, content: str) -> None:
        config.parent.mkdir()
        config.write_bytes(content.encode("utf-8", "surrogateescape"))
        config.chmod(0o600)
        result = run(*SHOW)
        assert result.exit_code == 2
        assert str(config) in result.stderr
        with pytest.raises(UsageError):
            read_profiles(config)

    def test_without_a_home_folder_other_settings_still_work(
        self, monkeypatch: pytest.MonkeyPatch, site: Host, config: Path
    ) -> None:
        monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
        monkeypatch.setattr(Path, "home", lambda: config.parent / "missing")
        assert "which service?" in run(*SHOW).stderr

        def no_home() -> Path:
            raise RuntimeError

        monkeypatch.setattr(Path, "home", no_home)
        site.answers["/demo:x?format=linkid"] = stored()
        assert run(*SHOW, "--url", site.url).exit_code == 3  # the media type is another
        assert run("login", "--url", site.url, given=KEY).exit_code == 2
