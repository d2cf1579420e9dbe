"""Settings: read whole, or refused with the names of all that is missing."""

import pytest
from msgspec.structs import fields

from coolid.aws.settings import INDEX_TABLE, JOB_TABLE, LOG_TABLE, PULSE_TABLE, InvalidSettings, Settings
from tests.support.builders.samples import BASE_URL, ROOT
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.system import environment_for, table_names

ENVIRONMENT = environment_for(table_names())


ALL_TABLES = [PULSE_TABLE, INDEX_TABLE, JOB_TABLE, LOG_TABLE]


@pytest.mark.parametrize("writes", [False, True])
def test_the_configured_settings_are_read(writes: bool) -> None:
    settings = Settings.read(ENVIRONMENT, writes=writes, also=ALL_TABLES if writes else [])
    for field in fields(settings):
        value = getattr(settings, field.name)
        absent = type(value)()
        assert value == ENVIRONMENT.get(field.name.upper(), absent) or (value == absent and not writes)


@pytest.mark.parametrize("empty", ["", None])
def test_every_missing_name_is_reported_at_once(empty: str | None) -> None:
    poor = {} if empty is None else dict.fromkeys(ENVIRONMENT, empty)
    with pytest.raises(InvalidSettings) as raised:
        Settings.read(poor, writes=True, also=ALL_TABLES)
    assert all(name in str(raised.value) for name in ENVIRONMENT)


def test_a_function_that_only_reads_needs_no_names_of_what_is_written() -> None:
    with pytest.raises(InvalidSettings) as raised:
        Settings.read({}, writes=False)
    assert "CLIENT_TABLE" not in str(raised.value)


def test_a_key_in_a_file_will_do_instead_of_one_in_kms() -> None:
    with_file = {name: value for name, value in ENVIRONMENT.items() if name != "SIGNING_KEY_ID"}
    assert Settings.read(with_file | {"SIGNING_KEY_FILE": "key.pem"}, writes=True).signing_key_file == "key.pem"


def test_a_database_needs_no_tables_and_has_no_region() -> None:
    returned = {"STORE": "sqlite:////srv/coolid.db", "PUBLIC_BASE_URL": BASE_URL, "SIGNING_KEY_FILE": "key.pem"}
    settings = Settings.read(returned | {"AWS_REGION": "us-east-1"}, writes=True, also=[PULSE_TABLE])
    assert settings == Settings("", "", BASE_URL, signing_key_file="key.pem", database="/srv/coolid.db")


@pytest.mark.parametrize("store", ["sqlite", "sqlite://", "sqlite:///", "sqlite:///\0", "DynamoDB", "postgresql:///a"])
def test_another_store_is_refused(store: str) -> None:
    with pytest.raises(InvalidSettings, match="STORE must be dynamodb or sqlite:///PATH"):
        Settings.read(ENVIRONMENT | {"STORE": store}, writes=False)


@pytest.mark.parametrize("url", ["https://id.example.org", "http://127.0.0.1:8080", "https://a.example/v1"])
def test_a_public_base_url_is_taken(url: str) -> None:
    assert Settings.read(ENVIRONMENT | {"PUBLIC_BASE_URL": url}, writes=True).public_base_url == url


@pytest.mark.parametrize(
    "url",
    ["https://id.example.org/", "id.example.org", "ftp://a.example", "https://a.example?x", "https://a.example\n"],
)
def test_one_that_would_spoil_every_link_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings, match="PUBLIC_BASE_URL"):
        Settings.read(ENVIRONMENT | {"PUBLIC_BASE_URL": url}, writes=True)


def test_a_function_has_its_region_and_the_home_region_of_the_names() -> None:
    settings = Settings.read(ENVIRONMENT | {"AWS_REGION": "us-east-1", "HOME_REGION": "eu-west-1"}, writes=True)
    assert (settings.region, settings.home_region) == ("us-east-1", "eu-west-1")


@pytest.mark.parametrize("region", ["Ireland", "eu-west-1 ", "eu-west-1a"])
def test_a_home_that_is_no_region_is_refused_for_nothing_could_be_written(region: str) -> None:
    with pytest.raises(InvalidSettings, match="HOME_REGION"):
        Settings.read(ENVIRONMENT | {"HOME_REGION": region}, writes=True)


@pytest.mark.parametrize("function", ["resolve", "mint", "manage"])
def test_a_function_without_its_settings_does_not_start(function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InvalidSettings, match="PREFIX_TABLE"):
        load_handler(ROOT / "functions" / function)


@pytest.mark.parametrize(("value", "is_read_only"), [("on", True), ("off", False), ("", False)])
def test_a_process_that_writes_may_be_read_only(value: str, is_read_only: bool) -> None:
    assert Settings.read(ENVIRONMENT | {"READ_ONLY": value}, writes=True).read_only is is_read_only


def test_another_value_of_read_only_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="READ_ONLY must be on or off"):
        Settings.read(ENVIRONMENT | {"READ_ONLY": "yes"}, writes=True)


@pytest.mark.parametrize("rate", ["0", "-1", "1.5", "a", "100000"])
def test_a_rate_of_jobs_is_a_number(rate: str) -> None:
    with pytest.raises(InvalidSettings, match="JOB_RATE"):
        Settings.read({**ENVIRONMENT, "JOB_RATE": rate}, writes=False)
    assert Settings.read({**ENVIRONMENT, "JOB_RATE": "7"}, writes=False).job_rate == 7
