"""Metrics are lines of CloudWatch's embedded format, in every function."""

import json
from collections.abc import Callable

import pytest

from coolid import metric_names
from coolid.aws.settings import InvalidSettings, TelemetrySettings
from coolid.aws.telemetry.metrics import COUNTED_ERRORS, COUNTED_MINT_ERRORS, counter, error_counter
from coolid.errors import (
    CoolidError,
    IdentifierTaken,
    SignerUnavailable,
    StoreUnavailable,
    Unauthenticated,
    UnknownPrefix,
)
from coolid.ports import Count
from coolid.records.minter import Minter, MintRequest
from coolid.wiring import powertools
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.application import InMemoryApplication
from tests.support.fixtures.ports import ScriptedEntropy, prover
from tests.support.stores.store_wrappers import FailingStore

WATCHED = TelemetrySettings("mint", "coolid-MintFunction-1X")


class TestALine:
    @pytest.mark.parametrize("make", [counter, powertools.counter], ids=["by hand", "by Powertools"])
    def test_it_is_of_the_embedded_metric_format(
        self, make: Callable[[TelemetrySettings], Count], capsys: pytest.CaptureFixture[str]
    ) -> None:
        make(WATCHED)("Minted", 3, repository="r4k2-9m3x-62")
        (line,) = capsys.readouterr().out.splitlines()
        document = json.loads(line)
        (directive,) = document["_aws"]["CloudWatchMetrics"]
        assert document["_aws"]["Timestamp"] > 1_700_000_000_000
        assert directive["Namespace"] == "coolid"
        assert [sorted(each) for each in directive["Dimensions"]] == [["function_name", "repository"]]
        (metric,) = directive["Metrics"]
        assert (metric["Name"], metric["Unit"]) == ("Minted", "Count")
        assert document["Minted"] in (3, [3])
        assert (document["function_name"], document["repository"]) == ("coolid-MintFunction-1X", "r4k2-9m3x-62")

    @pytest.mark.parametrize("make", [counter, powertools.counter], ids=["by hand", "by Powertools"])
    def test_there_is_none_where_metrics_are_switched_off(
        self, make: Callable[[TelemetrySettings], Count], capsys: pytest.CaptureFixture[str]
    ) -> None:
        make(TelemetrySettings("mint", "m", counts=False))("Minted")
        assert capsys.readouterr().out == ""

    @pytest.mark.parametrize("make", [counter, powertools.counter], ids=["by hand", "by Powertools"])
    @pytest.mark.parametrize(("name", "unit"), [(metric_names.AGE, "Seconds"), (metric_names.PURGED, "Count")])
    def test_it_says_in_what_unit_it_counts(
        self, make: Callable[[TelemetrySettings], Count], name: str, unit: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        make(WATCHED)(name, 21)
        document = json.loads(capsys.readouterr().out)
        assert document["_aws"]["CloudWatchMetrics"][0]["Metrics"] == [{"Name": name, "Unit": unit}]


class TestSwitches:
    @pytest.mark.parametrize(
        ("said", "logs"), [({}, True), ({"LOG_REQUESTS": ""}, True), ({"LOG_REQUESTS": "on"}, True)]
    )
    def test_lines_are_written_unless_they_are_switched_off(self, said: dict[str, str], logs: bool) -> None:
        assert TelemetrySettings.read(said, "resolve").logs is logs
        assert TelemetrySettings.read({"LOG_REQUESTS": "off"}, "resolve").logs is False

    def test_a_switch_that_is_neither_on_nor_off_is_refused(self) -> None:
        with pytest.raises(InvalidSettings, match="LOG_REQUESTS"):
            TelemetrySettings.read({"LOG_REQUESTS": "yes"}, "resolve")

    @pytest.mark.parametrize(
        ("said", "counts"), [("true", False), ("TRUE", False), ("1", False), ("false", True), ("", True)]
    )
    def test_metrics_have_the_switch_of_powertools(self, said: str, counts: bool) -> None:
        assert TelemetrySettings.read({"POWERTOOLS_METRICS_DISABLED": said}, "resolve").counts is counts

    def test_a_function_without_a_name_of_lambdas_goes_by_what_it_does(self) -> None:
        assert TelemetrySettings.read({}, "resolve").function == "resolve"


class Counted(list[tuple[str, int]]):
    """Implements `Count`."""

    def __call__(self, name: str, value: int = 1, **dimensions: str) -> None:
        self.append((name, value))


class TestWhatIsCounted:
    @pytest.mark.parametrize(
        ("error", "name"),
        [
            (StoreUnavailable(), "StoreError"),
            (SignerUnavailable(), "SignerError"),
            (IdentifierTaken("x"), None),
            (UnknownPrefix("x"), None),
            (Unauthenticated(), None),
        ],
        ids=lambda each: type(each).__name__,
    )
    def test_only_the_refusals_that_an_operator_must_know_of(self, error: CoolidError, name: str | None) -> None:
        counted = Counted()
        error_counter(counted, COUNTED_ERRORS)(error)
        assert counted == ([(name, 1)] if name else [])

    def test_an_identifier_that_is_taken_counts_where_it_is_minted(self) -> None:
        counted = Counted()
        error_counter(counted, COUNTED_MINT_ERRORS)(IdentifierTaken("x"))
        assert counted == [(metric_names.MINT_CONFLICT, 1)]


class TestDrawnInVain:
    def test_repeated_draws_are_counted_once_for_a_mint(self) -> None:
        app, returned = InMemoryApplication(), list[int]()
        minter = Minter(
            app.store,
            app.store,
            app.store,
            clock=app.clock,
            entropy=ScriptedEntropy(1, 1, 1, 2),
            prover=prover(app.store),
            base_url=BASE_URL,
            on_collisions=returned.append,
        )
        namespace = minter.namespace("demo")
        first = minter.mint(MintRequest(), namespace)
        assert returned == []
        second = minter.mint(MintRequest(), namespace)
        assert first.id != second.id
        assert returned == [2]

    def test_they_are_counted_if_the_mint_fails_as_well(self) -> None:
        app, returned = InMemoryApplication(), list[int]()
        store = FailingStore(app.store, "before", "record")
        minter = Minter(
            store,
            store,
            store,
            clock=app.clock,
            entropy=ScriptedEntropy(1, 1, 2),
            prover=prover(store),
            base_url=BASE_URL,
            on_collisions=returned.append,
        )
        namespace = minter.namespace("demo")
        minter.mint(MintRequest(), namespace)
        with pytest.raises(StoreUnavailable):
            minter.mint(MintRequest(), namespace)
        assert returned == [1]

    def test_one_that_was_chosen_and_is_taken_is_a_refusal_instead(self) -> None:
        app, returned = InMemoryApplication(), list[int]()
        minter = Minter(
            app.store,
            app.store,
            app.store,
            clock=app.clock,
            entropy=app.entropy,
            prover=prover(app.store),
            base_url=BASE_URL,
            on_collisions=returned.append,
        )
        namespace = minter.namespace("demo")
        minter.mint(MintRequest(id="tw0t-ywdj-94"), namespace)
        with pytest.raises(IdentifierTaken):
            minter.mint(MintRequest(id="tw0t-ywdj-94"), namespace)
        assert returned == []
