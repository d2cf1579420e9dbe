"""Imports: checked, signed, with history, each identifier once."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb import bulk_writer
from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.errors import StoreUnavailable
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.migration import importer
from coolid.migration.history_drafts import HistoryDrafter
from coolid.migration.history_updates import HistoryUpdater
from coolid.migration.identifier_namespaces import IdentifierNamespaces
from coolid.migration.import_report import ImportReport
from coolid.migration.minter_states.minter_state import MinterState
from coolid.migration.source_catalog import source, source_entry
from coolid.migration.version_content import ENCODABLE
from coolid.model.records import Content
from coolid.proofs.verification import verify
from coolid.registry.home_regions import Region
from coolid.sqlite.bulk import SqliteBulkWriter
from coolid.strict_json import MAX_DEPTH
from coolid.wiring import transfer
from coolid.wiring.migration import Migration
from coolid.wiring.name_set import NameSet
from tests.identifiers.test_target_policy import HOSTILE
from tests.migration.imports import PREFIX, RULES, counts, dump, import_dump
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.installations import Cut, Installation, SqliteInstallation, cutting


def test_identifiers_become_signed_records_with_the_claims_of_the_source(either: Installation, tmp_path: Path) -> None:
    either.add(PREFIX, RULES)
    times = {"created": "2011-03-22T16:45:37Z", "updated": "2011-03-23T20:52:30+02:00"}
    path = dump(
        tmp_path,
        {"uri": "https://a.example/1", "metadata": {"what": "Harbour"}, "ttl": 60} | times,
        {"uri": "https://a.example/2", "status": "withdrawn", "reason": "a\nmistake", "successor": "10.5072/x"} | times,
        {"status": "withdrawn"},
        {"status": "reserved", "alternates": [{"scheme": "doi", "identifier": "10.5072/x"}]},
    )
    report, findings = import_dump(either, path)
    assert (counts(report), findings) == ((4, 0, 0), [])
    versions = {(each["id"], each["version"]): each for each in either.records()}
    assert sorted(versions) == [("x0", 1), ("x1", 1), ("x1", 2), ("x2", 1), ("x2", 2), ("x3", 1)]
    imported = {"source": "a table", "identifier": "ark:/99999/fk4x0", "created": times["created"]}
    first = versions["x0", 1]
    assert first["metadata"] == {"what": "Harbour", "imported": imported | {"updated": "2011-03-23T18:52:30Z"}}
    assert (first["records"], first["ttl"]) == ([{"uri": "https://a.example/1", "status": "active"}], 60)
    assert first["pid"] == f"{BASE_URL}/ark:99999/fk4x0"
    assert versions["x1", 1]["metadata"]["imported"].keys() == {"source", "identifier", "created"}
    assert versions["x1", 2]["metadata"]["imported"]["updated"] == "2011-03-23T18:52:30Z"
    tombstone = versions["x1", 2]["withdrawn"]
    assert (tombstone["reason"], tombstone["successor"]) == ("a mistake", "10.5072/x")
    assert versions["x2", 2]["withdrawn"]["reason"] == "withdrawn in the source, which gives no reason"
    assert versions["x3", 1]["status"] == "reserved"
    keys = {"keys": either.store.public_keys.public_keys()}
    for (name, version), each in versions.items():
        older = [versions[name, number] for number in range(1, version)]
        assert verify(each, keys, older, issuer=BASE_URL).complete
    assert {json.loads(line).get("author") for line in either.export().splitlines()} == {None, "import"}


def test_a_repeated_import_finds_all_present_also_after_changes_here(either: Installation, tmp_path: Path) -> None:
    either.add(PREFIX, RULES)
    rows = [{"uri": f"https://a.example/{at}", "status": "withdrawn" if at % 2 else "active"} for at in range(6)]
    path = dump(tmp_path, *rows, {"identifier": "ark:99999/fk4x0", "uri": "https://a.example/0"})
    report, findings = import_dump(either, path)
    assert (counts(report), findings) == ((6, 1, 0), [])
    before = either.rows()
    later = [row | {"created": "2011-01-01", "updated": "2026-01-01"} for row in rows]
    for repeated in (rows, later):
        assert counts(import_dump(either, dump(tmp_path, *repeated))[0]) == (0, 6, 0)
        assert either.rows() == before
    record = either.store.records.record(either.minter.namespace(PREFIX).repository.id, "x0")
    assert record is not None
    either.amender.update(record, Content(metadata={"what": "changed"}))
    assert counts(import_dump(either, dump(tmp_path, *rows))[0]) == (0, 6, 0)
    rows[0]["uri"] = "https://a.example/other"
    rows[1]["status"] = "active"
    report, findings = import_dump(either, dump(tmp_path, *rows))
    assert counts(report) == (0, 5, 1)
    assert [(each.identifier, each.reason) for each in findings] == [
        ("ark:/99999/fk4x0", "it was changed here since its import")
    ]


def test_an_identifier_that_was_minted_here_is_never_overwritten(installation: Installation, tmp_path: Path) -> None:
    installation.add(PREFIX, RULES)
    installation.mint(PREFIX, "x0")
    before = installation.rows()
    path = dump(tmp_path, {"uri": "https://a.example/"})
    for updates in (False, True):
        report, [finding] = import_dump(installation, path, updates=updates)
        assert (counts(report), finding.kind) == ((0, 0, 1), "refused")
        assert finding.reason == "it exists here with other content"
    assert installation.rows() == before


def test_hostile_targets_are_left_out_and_reported_each(installation: Installation, tmp_path: Path) -> None:
    installation.add(PREFIX, RULES)
    hostile = [uri for uri in HOSTILE if not re.search("[\ud800-\udfff]", uri)]  # no dump can have surrogates
    rows = [{"uri": uri} for uri in hostile]
    report, findings = import_dump(installation, dump(tmp_path, *rows, {"uri": "https://a.example/"}))
    assert (counts(report), report.incomplete) == ((len(hostile) + 1, 0, 0), len(hostile))
    assert [each.value for each in findings] == [uri[:2_048] for uri in hostile]
    assert {(each.kind, each.name) for each in findings} == {("lost", "target")}
    assert Counter(len(each["records"]) for each in installation.records()) == {0: len(hostile), 1: 1}


def test_domains_and_limits_of_the_repository_hold(installation: Installation, tmp_path: Path) -> None:
    installation.add(PREFIX, RULES, domains=("a.example",))
    locations = [{"uri": "https://b.example/"}, {"uri": "https://a.example/", "language": "not a language"}]
    rows: list[dict[str, Any]] = [
        {"records": locations},
        {"metadata": {"what": "x" * 300_000, "who": "y" * 200_000, "": 1, "when": "1931", "n" * 201: 2}},
        {
            "metadata": {
                "deep": json.loads("[" * (MAX_DEPTH - 4) + "]" * (MAX_DEPTH - 4)),
                "imported": {"a": 1},
            }
        },
        {"metadata": {str(number): number for number in range(150)}},
        {"status": "withdrawn", "reason": "r" * 600, "successor": "s" * 3_000, "ttl": -1},
        {},
        {"identifier": "ark:/99999/fk4X"},
        {"identifier": "ark:/99999/fk4"},
        {"identifier": "ark:/12345/abc"},
        {"identifier": "\u0000"},
    ]
    report, findings = import_dump(installation, dump(tmp_path, *rows))
    assert counts(report) == (6, 0, 4)
    lost = [(each.position, each.name[:8]) for each in findings if each.kind == "lost"]
    assert lost[:8] == [
        (1, "language"), (1, "target"), (2, ""), (2, "n" * 8), (2, "what"),
        (3, "deep"), (3, "imported"), (4, "99"),
    ]  # fmt: skip
    assert Counter(position for position, _ in lost) == {1: 2, 2: 3, 3: 2, 4: 51, 5: 3}
    assert [each.position for each in findings if each.kind == "refused"] == [7, 8, 9, 10]


def test_a_target_that_is_the_identifier_itself_is_left_out(installation: Installation, tmp_path: Path) -> None:
    installation.add(PREFIX, RULES)
    _, [finding] = import_dump(installation, dump(tmp_path, {"uri": f"{BASE_URL}/ark:99999/fk4x0"}))
    assert finding.reason == "it leads to the identifier itself"
    assert [each["records"] for each in installation.records()] == [[]]


def test_targets_are_encoded_on_request_and_otherwise_lost(installation: Installation, tmp_path: Path) -> None:
    installation.add(PREFIX, RULES)
    spaced, encoded = "https://x.example/a b/café", "https://x.example/a%20b/caf%C3%A9"
    rows = [{"uri": spaced}, {"uri": spaced, "status": "withdrawn"}, {"uri": 'https://x.example/%22"'}]
    _, findings = import_dump(installation, dump(tmp_path, rows[0]), preview=True)
    assert [(each.kind, each.value, each.reason) for each in findings] == [("lost", spaced, ENCODABLE)]
    path = dump(tmp_path, *rows)
    for preview in (True, False):
        report, findings = import_dump(installation, path, preview=preview, encodes_targets=True)
        assert (counts(report), report.encoded, report.incomplete) == ((3, 0, 0), 2, 0)
        assert [(each.kind, each.value) for each in findings] == [("encoded", spaced)] * 2
    assert counts(import_dump(installation, path, encodes_targets=True)[0]) == (0, 3, 0)
    for each in installation.records():
        [location] = each["records"]
        is_unchanged = each["id"] == "x2"
        assert location["uri"] == (rows[2]["uri"] if is_unchanged else encoded)
        assert each["metadata"]["imported"].get("targets") == (None if is_unchanged else [spaced])


def test_a_preview_writes_nothing_and_counts_like_the_import(installation: SqliteInstallation, tmp_path: Path) -> None:
    installation.add(PREFIX, RULES)
    rows = [{"uri": "https://a.example/1"}, {"uri": "javascript:alert(1)"}, {"identifier": "ark:/99999/fk4X"}]
    path = dump(tmp_path, *rows, {"identifier": "doi:10.5072/A", "uri": "https://a.example/"}, {"identifier": "bare"})
    before = installation.rows()
    report, findings = import_dump(installation, path, preview=True)
    assert (counts(report), report.incomplete, len(findings)) == ((3, 0, 2), 1, 3)
    assert installation.rows() == before
    assert not installation.store.public_keys.public_keys()


def test_bare_names_get_the_prefix_of_the_command(installation: Installation, tmp_path: Path) -> None:
    installation.add("mp", ChosenRules())
    rows = [{"identifier": name} for name in ("abc", "mp:def", "a/b", "10.5072/x")]
    report, _ = import_dump(installation, dump(tmp_path, *rows), prefix="mp")
    assert counts(report) == (3, 0, 1)
    assert {each["id"] for each in installation.records()} == {"abc", "def", "a/b"}


@pytest.mark.parametrize("after", [False, True])
def test_wherever_the_process_ends_a_repeated_import_completes_it(
    either: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    either.add(PREFIX, RULES)
    monkeypatch.setattr(importer, "_MAX_BLOCK", 5)
    monkeypatch.setattr(bulk_writer, "MOST_PUTS", 4)
    # The interrupted runs write at most ten blocks of five, because transactions of a block are carried out at a time.
    statuses = {f"x{at}": "withdrawn" if at % 3 else "active" for at in range(60)}
    path = dump(tmp_path, *({"status": status, "uri": f"https://a.example/{at}"} for at, status in statuses.items()))
    is_sqlite = isinstance(either, SqliteInstallation)
    owner: Any = SqliteBulkWriter if is_sqlite else DynamoBulkWriter
    method = "put" if is_sqlite else "_transact"
    for calls in range(4):
        with monkeypatch.context() as patch:
            patch.setattr(owner, method, cutting(getattr(owner, method), calls, after=after))
            with pytest.raises(Cut):
                import_dump(either, path)
        assert all(count == _versions(statuses[name]) for name, count in _found(either).items())
    report, findings = import_dump(either, path)
    assert (report.written + report.present, findings) == (60, [])
    assert _found(either) == {name: _versions(status) for name, status in statuses.items()}


def _versions(status: str) -> int:
    return 2 if status == "withdrawn" else 1


def _found(installation: Installation) -> Counter[str]:
    """The numbers of versions by identifier."""
    return Counter(each["id"] for each in installation.records())


def test_versions_may_be_signed_at_the_same_time(either: Installation, tmp_path: Path) -> None:
    either.add(PREFIX, RULES)
    namespaces, report = IdentifierNamespaces(either.store.prefixes), ImportReport()
    drafter = HistoryDrafter(either.minter, either.amender, "a table")
    updater = HistoryUpdater(either.store.records, either.amender, source_entry("csv"), is_enabled=False)
    path = dump(tmp_path, *({"status": "withdrawn"} for _ in range(20)))
    with transfer.open_access(either.settings) as access:
        parts = (
            namespaces,
            drafter,
            updater,
            either.store.records,
            either.prover,
            access.writer,
            report,
            NameSet().add,
        )
        importer.Importer(*parts, signers=4).run(source("csv")(path))
    assert counts(report) == (20, 0, 0)
    keys = {"keys": either.store.public_keys.public_keys()}
    assert all(verify(each, keys, issuer=BASE_URL).ok for each in either.records())
    assert _found(either) == {f"x{at}": 2 for at in range(20)}


def test_a_failing_store_stops_the_import(
    installation: SqliteInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise StoreUnavailable("it is away")

    installation.add(PREFIX, RULES)
    monkeypatch.setattr(SqliteBulkWriter, "put", fail)
    with pytest.raises(StoreUnavailable):
        import_dump(installation, dump(tmp_path, {}))


def test_prefixes_are_created_only_in_the_home_region_of_names(
    installation: SqliteInstallation, tmp_path: Path
) -> None:
    with transfer.open_access(installation.settings) as access:
        elsewhere = replace(access, region=Region("eu-west-1", names_home="us-east-1"))
        migration = Migration(elsewhere, "csv", dump(tmp_path, {}))
        plans = migration.survey(lambda count: None).missing.plans()
        refused = migration.create(plans)
    assert list(refused) == [PREFIX]
    assert "us-east-1" in refused[PREFIX]
    assert installation.rows()["prefixes"] == []


def test_names_that_a_minter_holds_back_are_reserved_also_after_an_interruption(
    installation: SqliteInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = NoidRules(".reedk", "77913", "", "r7", sequence="perl", first=3, grows=3)
    states = {"ark:77913/r7": MinterState(program="EZID", rules=rules, minted=3, reserved=("z389", "held"))}
    path = dump(tmp_path, {"identifier": "ark:/77913/r7abc"})

    def create() -> dict[str, str]:
        with transfer.open_access(installation.settings) as access:
            migration = Migration(access, "csv", path)
            return migration.create(migration.survey(lambda count: None, states).missing.plans())

    with monkeypatch.context() as patch:
        patch.setattr(importer.Importer, "run", cutting(importer.Importer.run, 0, after=False))
        with pytest.raises(Cut):
            create()
    assert installation.records() == []
    for _ in range(2):
        assert create() == {}
        statuses = {each["id"]: each["status"] for each in installation.records()}
        assert statuses == {"z389": "reserved", "held": "reserved"}
