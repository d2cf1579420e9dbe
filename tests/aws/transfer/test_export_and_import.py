"""Moving in and out: what goes out comes in again byte for byte, nothing is overwritten, and no row is minted twice."""

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest
from botocore.exceptions import ConnectionClosedError, HTTPClientError, ReadTimeoutError
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from coolid.aws import key_file
from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.transfer import bounded_lines, bulk_minter, bulk_writer, export_format
from coolid.aws.transfer.csv_rows import MalformedCsv
from coolid.aws.transfer.export_format import InvalidExport
from coolid.aws.transfer.journal import SUFFIX, InvalidJournal, Journal
from coolid.aws.transfer.progress import RejectedRow, TransferProgress
from coolid.aws.transfer.row_reader import InvalidTable, read
from coolid.errors import InvalidInput, StoreUnavailable
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.local.embedded_store import EmbeddedStore
from coolid.model.conditions import DOWN, Condition
from coolid.model.records import Content, Location, Record
from coolid.private_files import UnsuitableFile
from coolid.proofs.verification import verify
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter, MintRequest
from coolid.registry.registration import create_repository, register_namespace, register_provider_prefix
from coolid.store.rows import KEYS
from coolid.wiring import transfer
from coolid.wiring.write_access import prover
from tests.support.builders.large_files import measure_peak
from tests.support.builders.samples import BASE_URL, provider_prefix, repository
from tests.support.effort import examples
from tests.support.fixtures.ports import SeededEntropy
from tests.support.fixtures.system import copy_of, environment_for, new_tables, store_over


class Place:
    """Tables of one's own, empty unless they are given, and what an operator does with them."""

    def __init__(self, key: Path, tables: Mapping[str, str] | None = None) -> None:
        self.key = key
        self.tables = tables or new_tables()
        environment = environment_for(self.tables) | {"SIGNING_KEY_ID": "", "SIGNING_KEY_FILE": str(key)}
        self.settings = transfer.settings_of(environment, signs=True)
        self.store = store_over(self.tables)
        self.clock = SystemClock()
        self.prover = prover(self.settings, self.store)
        self.minter = Minter(
            self.store.records,
            self.store.prefixes,
            self.store.counters,
            clock=self.clock,
            entropy=SystemEntropy(),
            prover=self.prover,
            base_url=BASE_URL,
        )
        self.amender = RecordAmender(self.store.records, self.clock, self.prover)

    def add(self, name: str, rules: Rules | None = None, **members: Any) -> str:
        """A repository and its prefix; the repository's id."""
        draft = repository("", rules=rules or LuiRules(), **members)
        made = create_repository(draft, self.store.repositories, SystemEntropy())
        register_namespace(
            name, made.id, "", prefixes=self.store.prefixes, repositories=self.store.repositories, clock=self.clock
        )
        return made.id

    def mint(self, prefix: str, chosen: str | None = None, **content: Any) -> Record:
        namespace = self.minter.namespace(prefix)
        return self.minter.mint(MintRequest(Content(**content), chosen, author="a-client"), namespace)

    def export(self) -> bytes:
        return b"".join(transfer.exporter(self.settings).lines())

    def restore(self, export: bytes, folder: Path) -> tuple[TransferProgress, list[RejectedRow]]:
        path = folder / "export.jsonl"
        path.write_bytes(export)
        export_format.check(path, lambda _: None)
        refusals: list[RejectedRow] = []
        tally = TransferProgress(refusals.append)
        transfer.restore(path, self.settings, tally)
        return tally, refusals

    def bring_in(self, path: Path, prefix: str | None = None) -> tuple[TransferProgress, list[RejectedRow]]:
        refusals: list[RejectedRow] = []
        tally = TransferProgress(refusals.append)
        transfer.mint(path, self.settings, prefix, tally)
        return tally, refusals

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All rows of a table as they are stored, but for that of the public keys, which counts its changes.

        Without the tokens of the writes that they come from.
        """
        items = EmbeddedStore().items(self.tables[table])
        for item in items:
            item.pop("write_token", None)
            item.update({name: {"SS": sorted(value["SS"])} for name, value in item.items() if "SS" in value})
        return [item for item in items if item.get("pid") != {"S": KEYS}]

    def records(self) -> list[dict[str, Any]]:
        """The documents of all current records."""
        found = (json.loads(line) for line in self.export().splitlines())
        return [each["record"] for each in found if each["kind"] == "record"]


@pytest.fixture(scope="module")
def signing_key(embedded_tables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all places sign with."""
    file = tmp_path_factory.mktemp("moving") / "key.pem"
    key_file.ensure(file)
    return file


@pytest.fixture
def place(signing_key: Path) -> Place:
    return Place(signing_key)


@pytest.fixture
def other(signing_key: Path) -> Place:
    """A second one, empty."""
    return Place(signing_key)


@pytest.fixture
def furnished(model: Place) -> Place:
    """One with something of everything that there is."""
    return Place(model.key, copy_of(model.tables))


@pytest.fixture(scope="module")
def model(signing_key: Path) -> Place:
    """What furnished places are copied from."""
    place = Place(signing_key)
    place.add("2021/06/mp", title="Zoë's “things”")
    register_namespace(
        "mp",
        place.minter.namespace("2021/06/mp").repository.id,
        "short",
        prefixes=place.store.prefixes,
        repositories=place.store.repositories,
        clock=place.clock,
    )
    place.add("ark:99999/fk4", NoidRules(template=".reedeedk", naan="99999", shoulder="fk4"))
    place.add("2024/01/count", PilinRules())
    place.add("2024/01/none")
    draft = provider_prefix("go", "https://a.example/{$id}", synonyms=("gene-ontology", "go/x"), pattern=r"^\d{7}$")
    register_provider_prefix(draft, place.store.prefixes, place.clock)
    register_provider_prefix(provider_prefix("uniprot"), place.store.prefixes, place.clock)
    for number in range(5):
        place.mint("mp", records=(Location(f"https://content.example.org/{number}?a=%2F&b=é".replace("é", "%C3%A9")),))
    for prefix in ("ark:99999/fk4", "2024/01/count"):
        for _ in range(3):
            place.mint(prefix, metadata={"what": "é𝄞\u0000", "n": [1, 1.5, -0.0, 1e300, None, True, {"": []}]})
    place.mint("mp", status="reserved", ttl=5)
    record = place.mint("mp", alternates=({"scheme": "doi", "identifier": "10.1000/182"},))
    for number in range(4):
        record = place.amender.update(record, Content(metadata={"number": number}), author="another")
    place.amender.withdraw(record, "it was a mistake", f"{BASE_URL}/mp:x", author="another")
    return place


@pytest.fixture(scope="module")
def ledger(signing_key: Path) -> Place:
    """Tables in which the rows of many files are minted."""
    place = Place(signing_key)
    place.add("mp")
    return place


class TestExporting:
    def test_it_has_everything_in_order_and_its_first_and_last_lines_say_what_it_is(self, furnished: Place) -> None:
        first, *between, last = map(json.loads, furnished.export().splitlines())
        assert first == {"kind": "export", "format": "coolid-export/1"}
        assert last["lines"] == {"keys": 1, "repository": 4, "prefix": 7, "record": 18, "counter": 2}
        kinds = [each["kind"] for each in between]
        assert kinds == sorted(kinds, key=["keys", "repository", "prefix", "record", "counter"].index)
        for kind, order in {
            "repository": lambda each: each["id"],
            "prefix": lambda each: (each["type"], each["name"]),
            "record": lambda each: (each["repository"], each["key"], each["version"]),
        }.items():
            found = [each for each in between if each["kind"] == kind]
            assert found == sorted(found, key=order)

    def test_the_same_state_gives_the_same_bytes(self, furnished: Place) -> None:
        assert furnished.export() == furnished.export()

    def test_every_version_says_who_wrote_it_and_is_verified_by_the_keys_that_stand_in_it(
        self, furnished: Place
    ) -> None:
        documents = [json.loads(line) for line in furnished.export().splitlines()]
        records = [each for each in documents if each["kind"] == "record"]
        assert {each["author"] for each in records} == {"a-client", "another"}
        for each in records:
            assert all(check.passed for check in verify(each["record"], documents[1]).checks)
        (history,) = [
            [each["record"] for each in records if each["key"] == one["key"]] for one in records if one["version"] == 6
        ]
        assert verify(history[-1], documents[1], history[:-1]).complete

    def test_no_api_key_goes_along(self, furnished: Place) -> None:
        assert b"digest" not in furnished.export()
        assert b"clients/" not in furnished.export()

    def test_a_store_that_leaves_out_a_row_is_no_end_of_an_export(
        self, furnished: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        exporter = transfer.exporter(furnished.settings)
        ask = exporter._transport.call

        def leave_out(operation: str, question: Mapping[str, Any]) -> Any:
            return {**ask(operation, question), **({"Responses": {}} if operation == "BatchGetItem" else {})}

        monkeypatch.setattr(exporter._transport, "call", leave_out)
        with pytest.raises(StoreUnavailable):
            list(exporter.lines())

    def test_what_comes_in_parts_is_asked_for_until_it_is_whole(
        self, furnished: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = furnished.export()
        exporter = transfer.exporter(furnished.settings)
        ask = exporter._transport.call

        def in_parts(operation: str, question: Mapping[str, Any]) -> Any:
            if operation != "BatchGetItem":
                return ask(operation, question)
            ((table, asked),) = question["RequestItems"].items()
            rest = asked["Keys"][1:]
            answer = ask(operation, {"RequestItems": {table: asked | {"Keys": asked["Keys"][:1]}}})
            return {**answer, "UnprocessedKeys": {table: asked | {"Keys": rest}} if rest else {}}

        monkeypatch.setattr(exporter._transport, "call", in_parts)
        monkeypatch.setattr("coolid.aws.transfer.exporter.sleep", lambda _: None)
        assert b"".join(exporter.lines()) == whole


class TestRestoring:
    def test_an_export_of_what_was_restored_is_the_same_to_the_byte(
        self, furnished: Place, other: Place, tmp_path: Path
    ) -> None:
        export = furnished.export()
        tally, refusals = other.restore(export, tmp_path)
        assert (tally.refused, tally.present, refusals) == (0, 0, [])
        assert other.export() == export
        for table in ("PrefixTable", "LuiTable", "CounterTable"):
            assert other.rows(table) == furnished.rows(table)

    def test_an_export_may_be_restored_where_it_comes_from_and_writes_nothing(
        self, furnished: Place, tmp_path: Path
    ) -> None:
        """The rows there have the tokens of their writes, which no export has."""
        tokens = sum("write_token" in item for item in EmbeddedStore().items(furnished.tables["LuiTable"]))
        tally, refusals = furnished.restore(export := furnished.export(), tmp_path)
        assert (tally.refused, refusals, furnished.export()) == (0, [], export)
        assert 0 < tokens == sum("write_token" in item for item in EmbeddedStore().items(furnished.tables["LuiTable"]))
        assert b"write_token" not in export

    def test_what_is_known_of_addresses_is_in_no_export_and_in_no_restorings_way(
        self, furnished: Place, other: Place, tmp_path: Path
    ) -> None:
        export = furnished.export()
        down = {"p0": Condition(DOWN, datetime(2026, 5, 4, tzinfo=UTC), "it answered 500")}
        namespace = furnished.minter.namespace("mp")
        for place in (furnished, other):
            if place is other:
                place.restore(export, tmp_path)
            assert place.store.conditions.set_prefix_condition("go", 1, down)
            records, _ = place.store.records.list_records(namespace.repository.id, 100, None)
            for record in records:
                key = namespace.repository.rules.validate(record.id)
                assert place.store.conditions.set_record_condition(record.repository, key, record.version, down)
            assert place.export() == export
        again, refusals = other.restore(export, tmp_path)
        assert (again.refused, refusals) == (0, [])
        assert other.rows("LuiTable") == furnished.rows("LuiTable")

    def test_it_resolves_as_before(self, furnished: Place, other: Place, tmp_path: Path) -> None:
        other.restore(furnished.export(), tmp_path)
        names = ["mp", "2021/06/mp", "2021", "2021/06", "go", "gene-ontology", "go/x", "ark:99999/fk4", "uniprot"]
        assert other.store.prefixes.prefixes(names) == furnished.store.prefixes.prefixes(names)
        for document in other.records():
            owner = other.store.repositories.repository(document["repository"])
            assert owner is not None
            key = owner.rules.validate(document["id"])
            assert other.store.records.record(owner.id, key) == furnished.store.records.record(owner.id, key)
            assert other.store.records.history(owner.id, key) == furnished.store.records.history(owner.id, key)

    def test_it_can_be_changed_and_minted_into_as_before(self, furnished: Place, other: Place, tmp_path: Path) -> None:
        other.restore(furnished.export(), tmp_path)
        before = len(other.records())
        for prefix in ("mp", "ark:99999/fk4", "2024/01/count"):
            assert other.amender.update(other.mint(prefix), Content(ttl=1)).version == 2
        owner = other.minter.namespace("mp").repository
        register_namespace(
            "also",
            owner.id,
            "",
            prefixes=other.store.prefixes,
            repositories=other.store.repositories,
            clock=other.clock,
        )
        assert len(other.records()) == before + 6

    def test_numbers_go_on_where_they_were(self, furnished: Place, other: Place, tmp_path: Path) -> None:
        other.restore(furnished.export(), tmp_path)
        counted = furnished.minter.namespace("ark:99999/fk4").repository.id
        assert other.store.counters.reserve(counted, 0, 1) == furnished.store.counters.reserve(counted, 0, 1) == 3

    def test_a_second_time_changes_nothing(self, furnished: Place, other: Place, tmp_path: Path) -> None:
        export = furnished.export()
        first, _ = other.restore(export, tmp_path)
        again, refusals = other.restore(export, tmp_path)
        assert (again.refused, refusals) == (0, [])
        assert again.present + again.written == first.written
        assert other.export() == export

    def test_what_says_something_else_stays_and_the_rest_comes_in(
        self, furnished: Place, other: Place, tmp_path: Path
    ) -> None:
        export = furnished.export()
        other.restore(export, tmp_path)
        namespace = other.minter.namespace("mp")
        versions = [each for each in other.records() if each["repository"] == namespace.repository.id]
        withdrawn = {each["id"] for each in versions if each["status"] == "withdrawn"}
        changed = next(each for each in versions if each["id"] not in withdrawn)
        key = namespace.repository.rules.validate(changed["id"])
        current = other.store.records.record(namespace.repository.id, key)
        assert current is not None
        updated = other.amender.update(current, Content(metadata={"what": "changed here"}))
        register_namespace(
            "mp",
            namespace.repository.id,
            "another title",
            prefixes=other.store.prefixes,
            repositories=other.store.repositories,
            clock=other.clock,
        )
        furnished.mint("mp")
        before = other.export()
        tally, refusals = other.restore(furnished.export(), tmp_path)
        assert (tally.refused, tally.written) == (2, 3)
        assert ["prefix mp " in each.reason or key in each.reason for each in refusals] == [True, True]
        assert other.store.records.record(namespace.repository.id, key) == updated
        assert set(before.splitlines()[:-1]) <= set(other.export().splitlines())

    def test_a_record_that_is_at_an_earlier_version_is_left_whole(
        self, place: Place, other: Place, tmp_path: Path
    ) -> None:
        place.add("mp")
        record = place.mint("mp")
        other.restore(place.export(), tmp_path)
        place.amender.update(record, Content(ttl=1))
        tally, _ = other.restore(place.export(), tmp_path)
        assert tally.refused == 1
        assert [each.version for each in other.store.records.history(record.repository, record.key)] == [1]
        assert other.amender.update(record, Content(ttl=2)).version == 2

    @pytest.mark.parametrize("most", [1, 4])
    def test_a_history_too_long_for_one_transaction_comes_in_whole_too(
        self, furnished: Place, other: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
    ) -> None:
        monkeypatch.setattr(bulk_writer, "MOST_PUTS", most)
        export = furnished.export()
        tally, _ = other.restore(export, tmp_path)
        assert tally.refused == 0
        assert other.export() == export

    def test_a_history_of_any_length_is_not_held_in_memory(self) -> None:
        group, body = bulk_writer.WriteGroup(), {"S": "x" * 300_000}
        numbers = range(200)

        def add_and_read() -> None:
            for number in numbers:
                group.add({"version": {"N": str(number)}, "body": body})
            assert [row["version"]["N"] for row in group] == [str(number) for number in numbers]

        assert measure_peak(add_and_read) < 10_000_000

    @pytest.mark.parametrize(("call", "after"), [(0, False), (0, True), (2, True), (5, False)])
    def test_cut_short_at_any_call_it_ends_as_it_would_have(
        self, furnished: Place, other: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, call: int, after: bool
    ) -> None:
        monkeypatch.setattr(bulk_writer, "MOST_PUTS", 2)
        export = furnished.export()
        with monkeypatch.context() as cut:
            cut.setattr(transfer, "BulkWriter", failing(call, after=after))
            with pytest.raises(Cut):
                other.restore(export, tmp_path)
        other.restore(export, tmp_path)
        assert other.export() == export

    def test_others_at_the_same_rows_are_borne_with(
        self, furnished: Place, other: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bulk_writer, "sleep", lambda _: None)
        conflicts = [3]
        transact = bulk_writer.BulkWriter._transact

        def contended(self: Any, items: Any) -> Any:
            conflicts[0] -= 1
            return [{"Code": "TransactionConflict"} for _ in items] if conflicts[0] >= 0 else transact(self, items)

        monkeypatch.setattr(bulk_writer.BulkWriter, "_transact", contended)
        other.restore(furnished.export(), tmp_path)
        assert other.export() == furnished.export()

    def test_those_who_stay_at_the_same_rows_end_it_and_it_can_be_gone_on_with(
        self, furnished: Place, other: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as contended:
            contended.setattr(bulk_writer, "sleep", lambda _: None)
            contended.setattr(
                bulk_writer.BulkWriter, "_transact", lambda _, items: [{"Code": "TransactionConflict"}] * len(items)
            )
            with pytest.raises(StoreUnavailable):
                other.restore(furnished.export(), tmp_path)
        other.restore(furnished.export(), tmp_path)
        assert other.export() == furnished.export()

    def test_refusals_may_come_one_by_one(
        self, furnished: Place, other: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        export = furnished.export()
        other.restore(export, tmp_path)
        furnished.mint("mp")
        transact = bulk_writer.BulkWriter._transact

        def first_only(self: Any, items: Any) -> Any:
            reasons = transact(self, items) or []
            told = next((at for at, each in enumerate(reasons) if each.get("Code") != "None"), None)
            return (
                None if told is None else [each if at == told else {"Code": "None"} for at, each in enumerate(reasons)]
            )

        monkeypatch.setattr(bulk_writer.BulkWriter, "_transact", first_only)
        tally, _ = other.restore(furnished.export(), tmp_path)
        assert tally.refused == 0
        assert other.export() == furnished.export()

    def test_what_would_not_be_found_is_refused(self, place: Place, other: Place, tmp_path: Path) -> None:
        owner = place.add("mp")
        place.mint("mp")
        documents = [json.loads(line) for line in place.export().splitlines()][1:-1]
        (record,) = [each for each in documents if each["kind"] == "record"]
        wrong: list[dict[str, Any]] = [
            record | {"key": "0000000195"},
            record | {"repository": "zzzz-zzzz-90"},
            record | {"version": 2},
            record | {"author": 5},
            record | {"record": {}},
            record | {"record": record["record"] | {"version": 2}},
            record | {"record": record["record"] | {"repository": "zzzz-zzzz-90"}},
            record | {"record": record["record"] | {"color": "red"}},
            {"kind": "record"},
        ]
        others = [each for each in documents if each["kind"] not in ("record", "counter")]
        for each in wrong:
            tally, refusals = other.restore(b"".join(export_format.export_lines([*others, each])), tmp_path)
            assert (tally.refused, len(refusals)) == (1, 1), each
        assert other.records() == []
        assert other.store.repositories.repository(owner) is not None

    @pytest.mark.parametrize(
        "document",
        [
            {"kind": "keys", "keys": [{"kid": "x"}]},
            {"kind": "keys", "keys": [{"kty": "oct", "k": "secret", "kid": "x"}]},
            {"kind": "keys"},
            {"kind": "repository", "id": "x", "canonical": None, "body": {}},
            {"kind": "prefix", "name": "x", "type": "synonym", "revision": 1, "body": {}},
            {"kind": "prefix", "name": 5, "type": "provider", "revision": 1, "body": {}},
            {"kind": "counter", "id": "zzzz-zzzz-90", "next": 5},
        ],
    )
    def test_lines_that_say_nothing_sensible_are_refused(
        self, other: Place, tmp_path: Path, document: dict[str, Any]
    ) -> None:
        before = other.export()
        tally, _ = other.restore(b"".join(export_format.export_lines([document])), tmp_path)
        assert tally.refused == 1
        assert other.export() == before


class TestTheSeal:
    WHOLE = b"".join(export_format.export_lines([{"kind": "keys", "keys": []}, {"kind": "repository", "id": "a"}]))

    def refused(self, folder: Path, content: bytes) -> None:
        (folder / "export").write_bytes(content)
        with pytest.raises(InvalidExport):
            export_format.check(folder / "export", lambda _: None)

    def test_a_whole_one_is_taken(self, tmp_path: Path) -> None:
        (tmp_path / "export").write_bytes(self.WHOLE)
        export_format.check(tmp_path / "export", lambda _: None)

    @given(st.integers(0, 10_000))
    def test_a_torn_one_is_not(self, tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
        self.refused(tmp_path_factory.mktemp("seal"), self.WHOLE[: length % (len(self.WHOLE) - 1)])

    @given(st.integers(0, 10_000), st.integers(1, 255))
    def test_nor_one_with_a_changed_byte(
        self, tmp_path_factory: pytest.TempPathFactory, position: int, change: int
    ) -> None:
        changed = bytearray(self.WHOLE)
        changed[position % (len(changed) - 1)] ^= change
        self.refused(tmp_path_factory.mktemp("seal"), bytes(changed))

    @pytest.mark.parametrize("more", [b"\n", b"{}\n", WHOLE])
    def test_nor_one_with_more_behind_it(self, tmp_path: Path, more: bytes) -> None:
        self.refused(tmp_path, self.WHOLE + more)

    def test_a_line_of_any_length_is_not_held_in_memory(self, tmp_path: Path) -> None:
        first, rest = self.WHOLE.split(b"\n", 1)
        with (tmp_path / "export").open("wb") as file:
            file.write(first + b"\n")
            file.seek(50_000_000)
            file.write(b"\n" + rest)

        def check() -> None:
            with pytest.raises(InvalidExport, match="line 2 is longer than"):
                export_format.check(tmp_path / "export", lambda _: None)

        assert measure_peak(check) < 10_000_000

    def test_nor_one_that_lacks_a_line(self, tmp_path: Path) -> None:
        whole = self.WHOLE.splitlines(keepends=True)
        for position in range(len(whole)):
            self.refused(tmp_path, b"".join(whole[:position] + whole[position + 1 :]))


class Cut(BaseException):
    """The process ends here, as far as a test is concerned."""


def failing(calls: int, *, after: bool) -> type[bulk_writer.BulkWriter]:
    """A putter whose process ends at its transaction with this number (from 0): before it, or after it."""
    left = [calls]

    class Failing(bulk_writer.BulkWriter):
        def _transact(self, items: Any) -> Any:
            left[0] -= 1
            if left[0] < 0 and not after:
                raise Cut
            answer = super()._transact(items)
            if left[0] < 0:
                raise Cut
            return answer

    return Failing


def table(folder: Path, *rows: dict[str, str], name: str = "in.csv") -> Path:
    """A CSV file of these rows."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    (folder / name).write_text(text.getvalue(), encoding="utf-8")
    return folder / name


def minted(path: Path) -> dict[int, str]:
    """What a journal says was minted for which line."""
    entries = map(json.loads, path.with_name(path.name + SUFFIX).read_bytes().splitlines())
    return {each["line"]: each["pid"] for each in entries if "line" in each}


class TestMinting:
    def test_rows_become_signed_records_with_what_they_say(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        path = table(
            tmp_path,
            {"prefix": "mp", "uri": "https://a.example/%2F?x=1#y", "what": 'A "thing",\nof two lines', "ttl": "60"},
            {"prefix": "mp", "status": "reserved", "metadata.subject": "é𝄞", "who": "Zoë"},
        )
        tally, refusals = place.bring_in(path)
        assert (tally.written, refusals) == (2, [])
        found = {each["pid"]: each for each in place.records()}
        first, second = (found[minted(path)[line]] for line in (2, 4))
        assert first["records"] == [{"uri": "https://a.example/%2F?x=1#y", "status": "active"}]
        assert (first["metadata"], first["ttl"]) == ({"what": 'A "thing",\nof two lines'}, 60)
        assert (second["status"], second["metadata"]) == ("reserved", {"who": "Zoë", "subject": "é𝄞"})
        keys = {"keys": place.store.public_keys.public_keys()}
        assert all(verify(each, keys, issuer=BASE_URL).complete for each in found.values())
        assert {json.loads(line).get("author") for line in place.export().splitlines()} == {None, "import"}

    def test_json_lines_say_whatever_the_api_takes(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        path = tmp_path / "in.jsonl"
        location = {"uri": "https://a.example/", "mediaType": "text/html", "quality": 0.5}
        rows = [{"prefix": "mp", "records": [location]}, {"prefix": "mp", "alternates": []}]
        path.write_text("\ufeff" + "\n\n".join(map(json.dumps, rows)), encoding="utf-8")
        tally, _ = place.bring_in(path)
        assert tally.written == 2
        assert sorted(minted(path)) == [1, 3]
        assert [location | {"status": "active"}] in [each["records"] for each in place.records()]

    @pytest.mark.parametrize(
        "rules", [LuiRules(), PilinRules(), NoidRules(template=".reedeedk", naan="99999")], ids=lambda each: each.scheme
    )
    def test_of_every_kind_each_row_gets_an_identifier_of_its_own(
        self, place: Place, tmp_path: Path, rules: Rules
    ) -> None:
        place.add("mp", rules)
        tally, _ = place.bring_in(table(tmp_path, *({"prefix": "mp", "what": str(each)} for each in range(30))))
        assert tally.written == 30
        assert len({each["pid"] for each in place.records()}) == 30
        assert sorted(int(each["metadata"]["what"]) for each in place.records()) == list(range(30))

    def test_what_is_drawn_and_taken_is_drawn_again(
        self, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place.add("mp")
        monkeypatch.setattr("coolid.wiring.write_access.SystemEntropy", SeededEntropy)
        rows = [{"prefix": "mp", "what": str(each)} for each in range(30)]
        for run in range(3):
            tally, refusals = place.bring_in(table(tmp_path, *rows, name=f"{run}.csv"))
            assert (tally.written, refusals) == (30, [])
        assert len({each["pid"] for each in place.records()}) == 90

    def test_a_row_that_is_wrong_is_refused_alone_and_told_with_its_line_and_place(
        self, place: Place, tmp_path: Path
    ) -> None:
        place.add("mp", domains=("a.example",))
        path = table(
            tmp_path,
            {"prefix": "mp", "uri": "https://a.example/1"},
            {"prefix": "mp", "uri": "javascript:alert(1)"},
            {"prefix": "mp", "uri": "https://b.example/"},
            {"prefix": "none", "uri": "https://a.example/2"},
            {"uri": "https://a.example/3"},
            {"prefix": "mp", "ttl": "soon"},
            {"prefix": "mp", "status": "withdrawn"},
            {"prefix": "mp", "id": "tw0t-ywdj-95"},
            {"prefix": "mp", "id": "tw0t-ywdj-94", "uri": "https://a.example/4"},
        )
        tally, refusals = place.bring_in(path)
        assert (tally.written, tally.refused) == (2, 7)
        assert [(each.line, each.pointer) for each in refusals] == [
            (3, "/uri"),
            (4, "/uri"),
            (5, "/prefix"),
            (6, "/prefix"),
            (7, "/ttl"),
            (8, "/status"),
            (9, "/id"),
        ]
        assert len(place.records()) == 2

    def test_a_prefix_may_be_said_for_all_rows_that_name_none(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        place.add("other")
        tally, _ = place.bring_in(table(tmp_path, {"prefix": "", "what": "a"}, {"prefix": "other", "what": "b"}), "mp")
        assert tally.written == 2
        assert {each["pid"].removeprefix(BASE_URL).partition(":")[0] for each in place.records()} == {"/mp", "/other"}

    def test_one_that_is_too_large_is_refused(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        path = tmp_path / "in.jsonl"
        rows = [{"prefix": "mp", "metadata": {"what": "x" * size}} for size in (390_000, 2_000_000, 10)]
        path.write_text("\n".join(map(json.dumps, rows)))
        tally, refusals = place.bring_in(path)
        assert (tally.written, [each.line for each in refusals]) == (1, [1, 2])

    def test_chosen_identifiers_that_exist_count_as_done_if_they_say_the_same_and_are_refused_if_not(
        self, place: Place, tmp_path: Path
    ) -> None:
        place.add("mp", ChosenRules())
        same, changed = place.mint("mp", "same", metadata={"what": "a"}), place.mint("mp", "changed", metadata={"a": 1})
        place.mint("mp", "another", metadata={"what": "b"})
        place.amender.update(changed, Content(ttl=5))
        path = tmp_path / "in.jsonl"
        rows = [
            {"id": "same", "metadata": {"what": "a"}},
            {"id": "another", "metadata": {"what": "a"}},
            {"id": "changed", "metadata": {"a": 1}},
            {"id": "changed", "metadata": {"a": True}},
            {"id": "new"},
            {"id": "new"},
            {"id": "new", "ttl": 5},
        ]
        path.write_text("\n".join(map(json.dumps, rows)))
        before = place.store.records.record(same.repository, "another")
        tally, refusals = place.bring_in(path, "mp")
        assert (tally.written, tally.present, tally.refused) == (1, 3, 3)
        assert sorted((each.line, each.pointer) for each in refusals) == [(2, "/id"), (4, "/id"), (7, "/id")]
        assert place.store.records.record(same.repository, "another") == before

    def test_a_second_run_mints_nothing_more_and_tries_what_was_refused(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        path = table(tmp_path, {"prefix": "mp", "what": "a"}, {"prefix": "later", "what": "b"})
        assert place.bring_in(path)[0].refused == 1
        before = minted(path)
        place.add("later")
        tally, _ = place.bring_in(path)
        assert (tally.written, tally.present, tally.refused) == (1, 1, 0)
        assert minted(path).items() >= before.items()
        assert len(place.records()) == 2

    @given(call=st.integers(0, 8), after=st.booleans(), torn=st.binary(max_size=20), chosen=st.booleans())
    @examples(4, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_killed_at_any_moment_and_run_again_every_row_is_minted_once(
        self,
        signing_key: Path,
        tmp_path_factory: pytest.TempPathFactory,
        monkeypatch: pytest.MonkeyPatch,
        *,
        call: int,
        after: bool,
        torn: bytes,
        chosen: bool,
    ) -> None:
        folder = tmp_path_factory.mktemp("killed")
        place = Place(signing_key)
        place.add("mp", ChosenRules() if chosen else LuiRules())
        rows = [{"prefix": "mp", "what": str(each), "id": f"id{each}" if chosen else ""} for each in range(30)]
        path = table(folder, *rows)
        beside = path.with_name(path.name + SUFFIX)
        kept = b""
        with monkeypatch.context() as cut:
            cut.setattr(bulk_minter, "_BLOCK", 7)
            cut.setattr(bulk_writer, "MOST_PUTS", 3)
            cut.setattr(transfer, "BulkWriter", failing(call, after=after))
            close = Journal.close

            def end(journal: Journal) -> None:
                nonlocal kept
                kept = beside.read_bytes()  # what a process that is killed leaves behind
                close(journal)

            cut.setattr(Journal, "close", end)
            with pytest.raises(Cut):
                place.bring_in(path)
        beside.write_bytes(kept + torn.replace(b"\n", b""))
        tally, refusals = place.bring_in(path)
        assert refusals == []
        assert tally.written + tally.present == 30
        assert sorted(int(each["metadata"]["what"]) for each in place.records()) == list(range(30))
        assert sorted(minted(path).values()) == sorted(each["pid"] for each in place.records())

    def test_a_file_that_changed_since_its_import_began_is_refused(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        path = table(tmp_path, {"prefix": "mp", "what": "a"})
        place.bring_in(path)
        path.write_text(path.read_text() + "mp,b\n")
        with pytest.raises(InvalidJournal, match="changed"):
            place.bring_in(path)

    @pytest.mark.parametrize(
        "content", [b"my thesis", b"my thesis\n", b"{}\n", b"\x00" * 10, b'{"format":"other"}', b"x" * 1_100_000]
    )
    def test_what_is_no_journal_is_left_as_it_is(self, place: Place, tmp_path: Path, content: bytes) -> None:
        path = table(tmp_path, {"prefix": "mp"})
        beside = path.with_name(path.name + SUFFIX)
        beside.write_bytes(content)
        with pytest.raises(InvalidJournal, match="something else"):
            place.bring_in(path)
        assert beside.read_bytes() == content

    @pytest.mark.parametrize("length", [0, 1, 20])
    def test_a_journal_whose_first_line_is_torn_is_begun_again(self, place: Place, tmp_path: Path, length: int) -> None:
        place.add("mp")
        path = table(tmp_path, {"prefix": "mp"})
        beside = path.with_name(path.name + SUFFIX)
        Journal.open(path, place.tables["LuiTable"]).close()
        beside.write_bytes(beside.read_bytes()[:length])
        assert place.bring_in(path)[0].written == 1

    def test_a_journal_with_a_line_that_is_too_long_is_damaged(self, place: Place, tmp_path: Path) -> None:
        path = table(tmp_path, {"prefix": "mp"})
        Journal.open(path, place.tables["LuiTable"]).close()
        beside = path.with_name(path.name + SUFFIX)
        damaged = beside.read_bytes() + b"\x00" * 1_100_000
        beside.write_bytes(damaged)
        with pytest.raises(InvalidJournal, match="line 2 is longer"):
            place.bring_in(path)
        assert beside.read_bytes() == damaged

    def test_rows_that_are_large_are_not_gathered_by_the_thousand(
        self, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place.add("mp")
        most = []
        put = bulk_writer.BulkWriter.put

        def watched(self: Any, groups: Any) -> None:
            most.append(sum(group.size for group in groups))
            put(self, groups)

        monkeypatch.setattr(bulk_minter, "_BLOCK_BYTES", 50_000)
        monkeypatch.setattr(bulk_writer.BulkWriter, "put", watched)
        place.bring_in(table(tmp_path, *({"prefix": "mp", "what": "x" * 10_000} for _ in range(20))))
        assert len(place.records()) == 20
        assert max(most) < 80_000

    def test_a_journal_that_is_a_symbolic_link_is_refused_and_the_file_that_it_names_is_not_changed(
        self, place: Place, tmp_path: Path
    ) -> None:
        place.add("mp")
        path, precious = table(tmp_path, {"prefix": "mp"}), tmp_path / "precious"
        for content in (b"", b"my thesis"):
            precious.write_bytes(content)
            path.with_name(path.name + SUFFIX).symlink_to(precious)
            with pytest.raises(UnsuitableFile, match="symbolic link"):
                place.bring_in(path)
            assert precious.read_bytes() == content
            path.with_name(path.name + SUFFIX).unlink()
        assert place.records() == []

    def test_so_is_one_that_is_being_imported(self, place: Place, tmp_path: Path) -> None:
        path = table(tmp_path, {"prefix": "mp"})
        journal = Journal.open(path, "a table")
        with pytest.raises(InvalidJournal, match="in use"):
            Journal.open(path, "a table")
        journal.close()

    def test_a_store_that_fails_ends_it_and_it_can_be_gone_on_with(
        self, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place.add("mp")
        path = table(tmp_path, *({"prefix": "mp", "what": str(each)} for each in range(10)))

        def unavailable(*_: Any) -> None:
            raise StoreUnavailable("no")

        with monkeypatch.context() as failing_store:
            failing_store.setattr(bulk_writer.BulkWriter, "_transact", unavailable)
            with pytest.raises(StoreUnavailable):
                place.bring_in(path)
        assert place.bring_in(path)[0].written == 10
        assert len(place.records()) == 10


TEXTS = st.one_of(
    st.text('abé", \n\t\x00', max_size=6),
    st.integers(1, 50).map(lambda count: "a\ninside,of\n" * count),
    st.integers(1, 600).map(lambda count: "x" * count),
)
LIMIT = 400
"""The most bytes of a line where what becomes of every row is counted."""


@st.composite
def csv_files(draw: st.DrawFn) -> bytes:
    """Tables with cells of any length, wrong quotes and numbers of cells, and torn ends."""

    def cell() -> bytes:
        text = draw(TEXTS)
        is_quoted = any(symbol in text for symbol in '",\n') or draw(st.booleans())
        return ('"' + text.replace('"', '""') + '"' if is_quoted else text).encode()

    def row() -> bytes:
        count = draw(st.sampled_from([2, 2, 2, 2, 1, 3]))
        fault = draw(st.sampled_from([b""] * 15 + [b'"', b'"x', b"\xff"]))
        return b",".join(cell() for _ in range(count)) + fault + draw(st.sampled_from([b"\n", b"\r\n", b"\n\n"]))

    content = b"".join(row() for _ in range(draw(st.integers(0, 6))))
    return b"what,who\n" + content[: len(content) - draw(st.sampled_from([0, 0, 0, 1, 3, 10, 50]))]


@st.composite
def json_lines(draw: st.DrawFn) -> bytes:
    """Lines with documents of any length and with what is none, and torn ends."""
    documents = st.builds(lambda text: json.dumps({"metadata": {"what": text}}, ensure_ascii=False).encode(), TEXTS)
    others = st.sampled_from([b"", b"  ", b"{", b"5", b'"a', b"\xff", b"\x00", b'{"metadata":\r{}}', b"x" * 500])
    lines = draw(st.lists(st.one_of(documents, documents, others), max_size=6))
    content = b"".join(line + draw(st.sampled_from([b"\n", b"\r\n"])) for line in lines)
    return b"{}\n" + content[: len(content) - draw(st.sampled_from([0, 0, 1, 3, 10, 50]))]


def read_with_csv(content: bytes) -> tuple[dict[int, list[str]], int | None]:
    """The rows that `csv` finds behind the header, by the lines they begin on; and the line of the one it fails at."""
    csv.field_size_limit(sys.maxsize)
    number = 0

    def counted() -> Any:
        nonlocal number
        for line in io.StringIO(content.decode(errors="surrogateescape"), newline=""):
            number += line.count("\n")
            yield line

    reader = csv.reader(counted(), strict=True)
    next(reader)
    rows: dict[int, list[str]] = {}
    while True:
        first = number + 1
        try:
            row = next(reader)
        except StopIteration:
            return rows, None
        except csv.Error:
            return rows, first
        if row:
            rows[first] = row


class TestAccounting:
    @staticmethod
    def import_twice(place: Place, path: Path) -> tuple[TransferProgress, list[RejectedRow], dict[int, Any]]:
        """Bring in a file, and again; what became of its rows, and the metadata of those minted, by their lines."""
        with patch.object(bounded_lines, "MAX_LINE_BYTES", LIMIT), patch.object(bulk_minter, "_BLOCK", 2):
            tally, refusals = place.bring_in(path, "mp")
            again, _ = place.bring_in(path, "mp")
        assert (again.written, again.present, again.refused) == (0, tally.written + tally.present, tally.refused)
        assert again.stopped == tally.stopped
        repository = place.minter.namespace("mp").repository
        found: dict[int, Any] = {}
        for line, pid in minted(path).items():
            key = repository.rules.validate(pid.removeprefix(f"{BASE_URL}/mp")[1:])
            record = place.store.records.record(repository.id, key)
            assert record is not None
            found[line] = record.metadata
        return tally, refusals, found

    @given(content=csv_files())
    @examples(40)
    def test_every_row_of_a_table_is_minted_or_refused_or_reported_once(
        self, ledger: Place, tmp_path_factory: pytest.TempPathFactory, content: bytes
    ) -> None:
        path = tmp_path_factory.mktemp("table") / "in.csv"
        path.write_bytes(content)
        rows, stopped = read_with_csv(content)
        tally, refusals, records = self.import_twice(ledger, path)
        assert tally.written + tally.refused == len(rows)
        assert (tally.stopped.line if tally.stopped else None) == stopped
        assert len({each.line for each in refusals}) == tally.refused
        assert {*records} | {each.line for each in refusals} == {*rows}
        reasons = ("the row is longer", "cells, the header 2", "the cell is not UTF-8")
        assert all(any(reason in each.reason for reason in reasons) for each in refusals), refusals
        for line, metadata in records.items():
            row = zip(("what", "who"), rows[line], strict=True)
            assert metadata == {name: cell for name, cell in row if cell}

    @given(content=json_lines())
    @examples(40)
    def test_every_line_of_json_is_minted_or_refused_once(
        self, ledger: Place, tmp_path_factory: pytest.TempPathFactory, content: bytes
    ) -> None:
        path = tmp_path_factory.mktemp("lines") / "in.jsonl"
        path.write_bytes(content)
        lines = {number: line for number, line in enumerate(content.split(b"\n"), 1) if line.strip()}
        tally, refusals, records = self.import_twice(ledger, path)
        assert tally.written + tally.refused == len(lines)
        assert tally.stopped is None
        assert {*records} | {each.line for each in refusals} == {*lines}
        for line, metadata in records.items():
            assert json.loads(lines[line]).get("metadata", {}) == metadata

    def test_lines_inside_a_cell_that_is_too_long_are_not_minted(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        path = tmp_path / "in.csv"
        inside = "mp,inside\n" * 150_000
        path.write_text(f'prefix,what\nmp,"{inside}"\nmp,good\n')
        tally, refusals = place.bring_in(path)
        assert [each["metadata"] for each in place.records()] == [{"what": "good"}]
        assert (tally.written, [each.line for each in refusals]) == (1, [2])
        assert tally.stopped is None

    def test_the_row_after_a_line_that_is_too_long_is_minted(self, place: Place, tmp_path: Path) -> None:
        place.add("mp")
        path = tmp_path / "in.csv"
        path.write_text(f'prefix,what\nmp,"{"x" * 1_000_001}"\nmp,good\nmp,better\n')
        tally, refusals = place.bring_in(path)
        assert sorted(each["metadata"]["what"] for each in place.records()) == ["better", "good"]
        assert (tally.written, [each.line for each in refusals]) == (2, [2])

    def test_rows_before_one_whose_end_is_not_found_are_minted_and_none_behind_it(
        self, place: Place, tmp_path: Path
    ) -> None:
        place.add("mp")
        path = tmp_path / "in.csv"
        path.write_text('prefix,what\nmp,first\nnone,second\nmp,"third"s,"\nmp,inside\n"\nmp,later\n')
        tally, refusals = place.bring_in(path)
        assert [each["metadata"] for each in place.records()] == [{"what": "first"}]
        assert (tally.written, [each.line for each in refusals]) == (1, [3])
        assert tally.stopped is not None
        assert tally.stopped.line == 4
        assert minted(path).keys() == {2}


def rows_in(path: Path, on_read: Callable[[int], None] = lambda _: None) -> list[tuple[int, Any]]:
    with path.open("rb") as file:
        return list(read(file, on_read))


def rows_of(folder: Path, content: bytes) -> list[tuple[int, Any]]:
    (folder / "in").write_bytes(content)
    return rows_in(folder / "in")


@pytest.mark.parametrize("broken", [ConnectionClosedError, ReadTimeoutError])
def test_a_connection_that_breaks_while_rows_are_put_is_told_as_a_store_that_cannot_be_reached(
    broken: type[HTTPClientError],
) -> None:
    client = Mock()
    client.transact_write_items.side_effect = broken(endpoint_url="https://dynamodb.example")
    with pytest.raises(StoreUnavailable):
        bulk_writer.BulkWriter(client, "a-table").put([bulk_writer.WriteGroup({"body": {"S": "{}"}})])


class TestRows:
    @pytest.mark.parametrize(
        ("header", "named"),
        [
            (b"prefix,colour,uri,size\n", ["colour", "size"]),
            (b"prefix,,uri\n", ["(no name)"]),
            (b"prefix,uri,uri\n", ["uri"]),
            (b"prefix,what,metadata.what\n", ["what"]),
            (b"prefix,metadata.\n", ["metadata."]),
            (b"", ["empty"]),
            (b"\xef\xbb\xbf", ["empty"]),
            (b"prefix;uri\n", ["prefix;uri"]),
            (b"\x00\xff\n", []),
        ],
    )
    def test_columns_that_belong_nowhere_are_all_named_before_anything_is_read(
        self, tmp_path: Path, header: bytes, named: list[str]
    ) -> None:
        (tmp_path / "in").write_bytes(header)
        with pytest.raises(InvalidTable) as raised:
            rows_in(tmp_path / "in")
        assert all(name in str(raised.value) for name in named)

    def test_lines_are_told_where_rows_begin(self, tmp_path: Path) -> None:
        content = b'\xef\xbb\xbfprefix,what\r\nmp,"a\nb"\r\n\r\nmp,c\r\n'
        assert rows_of(tmp_path, content) == [
            (2, {"prefix": "mp", "metadata": {"what": "a\nb"}}),
            (5, {"prefix": "mp", "metadata": {"what": "c"}}),
        ]

    @pytest.mark.parametrize(
        "row",
        [
            b"a",
            b"a,b,c",
            b"mp,\xff",
            b"mp," + b"x" * 1_100_000,
            b'mp,"' + b"x" * 1_100_000 + b'"',
            b'mp,"' + b"x" * 600_000 + b"\nmp,inside\n" + b"x" * 600_000 + b'"',
            b'mp,"' + b"mp,inside\n" * 150_000 + b'"',
            b'mp,"' + b'mp,""inside""\n' * 100_000 + b'"',
            b"mp," + b"x" * 999_997 + b',"\nmp,inside\n"',
            b"x," * 600_000,
        ],
        ids=range(10),
    )
    def test_a_row_that_cannot_be_read_does_not_stop_the_others(self, tmp_path: Path, row: bytes) -> None:
        (wrong, right) = rows_of(tmp_path, b"prefix,what\n" + row + b"\nmp,good\n")
        assert wrong[0] == 2
        assert isinstance(wrong[1], InvalidInput)
        assert right == (3 + row.count(b"\n"), {"prefix": "mp", "metadata": {"what": "good"}})

    @pytest.mark.parametrize(
        "row",
        [
            b'mp,"a"b',
            b'mp,"a"b,"\nmp,inside\n"',
            b'mp,"5"",',
            b"mp,a\rmp,b",
            b'mp,"open\nmp,inside',
            b'mp,"' + b"x" * 1_100_000 + b"\nmp,inside",
            b'mp,"' + b"x" * 1_100_000 + b'" x\nmp,inside',
        ],
        ids=range(7),
    )
    def test_where_the_next_row_cannot_be_found_reading_stops(self, tmp_path: Path, row: bytes) -> None:
        (tmp_path / "in").write_bytes(b"prefix,what\nmp,good\n" + row + b"\nmp,later\n")
        with (tmp_path / "in").open("rb") as file:
            rows = read(file, lambda _: None)
            assert next(rows) == (2, {"prefix": "mp", "metadata": {"what": "good"}})
            with pytest.raises(MalformedCsv) as stopped:
                next(rows)
        assert stopped.value.line == 3

    @pytest.mark.parametrize("first", [b"what", b"{}"])
    def test_a_row_of_any_length_is_not_held_in_memory(self, tmp_path: Path, first: bytes) -> None:
        path = tmp_path / "in"
        with path.open("wb") as file:
            file.write(first + b'\n"')
            file.seek(50_000_000)
            file.write(b'"\n' + first + b"\n")
        found: list[tuple[int, Any]] = []
        sizes: list[int] = []
        assert measure_peak(lambda: found.extend(rows_in(path, sizes.append))) < 10_000_000
        assert [(line, type(row)) for line, row in found][-2:] == [(2, InvalidInput), (3, dict)]
        assert sum(sizes) == path.stat().st_size

    def test_a_header_that_is_too_long_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "in").write_bytes(b"prefix," + b"x" * 1_000_000 + b"\nmp,a\n")
        with pytest.raises(InvalidTable, match="header is longer"):
            rows_in(tmp_path / "in")

    @pytest.mark.parametrize("header", [b'"prefix"x,what\n', b"prefix\rmp\r", b'prefix,"what\nmp,a\n'])
    def test_a_header_whose_end_cannot_be_found_is_refused(self, tmp_path: Path, header: bytes) -> None:
        (tmp_path / "in").write_bytes(header)
        with pytest.raises(InvalidTable, match="not CSV"):
            rows_in(tmp_path / "in")

    @pytest.mark.parametrize(
        "row", [b"{", b"\xff", b'{"a": 1, "a": 2}', b"NaN", b'"' + b"x" * 1_100_000 + b'"'], ids=range(5)
    )
    def test_nor_does_a_line_that_is_not_json(self, tmp_path: Path, row: bytes) -> None:
        found = rows_of(tmp_path, b'{"prefix": "mp"}\n' + row + b'\n{"prefix": "b"}')
        assert [number for number, _ in found] == [1, 2, 3]
        assert found[2][1] == {"prefix": "b"}
        assert not isinstance(found[1][1], dict)

    @given(st.lists(st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.text("ab\n\r\",'é")), max_size=5))
    def test_whatever_text_is_written_is_read(
        self, tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
    ) -> None:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([("what", "who"), *rows])
        found = rows_of(tmp_path_factory.mktemp("rows"), text.getvalue().encode())
        told = [{name: cell for name, cell in zip(("what", "who"), row, strict=True) if cell} for row in rows]
        assert [document.get("metadata", {}) for _, document in found] == told
