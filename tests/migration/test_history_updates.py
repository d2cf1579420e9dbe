"""Updates: a second import writes what the source changed since the first one, once, and nothing else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coolid.aws.dynamodb.records import DynamoRecords
from coolid.errors import StoreUnavailable
from coolid.migration import importer
from coolid.model.records import Content, Record
from coolid.proofs.verification import verify
from coolid.sqlite.records import SqliteRecords
from tests.migration.imports import PREFIX, RULES, dump, import_dump
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.installations import Cut, Installation, SqliteInstallation, cutting

A, B, C = ("https://a.example/", "https://b.example/", "https://c.example/")


def update(
    installation: Installation, path: Path, source: str = "csv", *, preview: bool = False
) -> tuple[list[int], list[str]]:
    """Import a dump with updates; return the numbers written, updated, present and refused, and the reasons."""
    report, findings = import_dump(installation, path, source, updates=True, preview=preview)
    return [report.written, report.updated, report.present, report.refused], [each.reason for each in findings]


def history(installation: Installation, name: str) -> list[dict[str, Any]]:
    """The versions of a record, the oldest first. Each is verified."""
    versions = [each for each in installation.records() if each["id"] == name]
    keys = {"keys": installation.store.public_keys.public_keys()}
    for at, version in enumerate(versions):
        assert verify(version, keys, versions[:at], issuer=BASE_URL).complete
    return versions


def stored(installation: Installation, name: str) -> Record:
    record = installation.store.records.record(installation.minter.namespace(PREFIX).repository.id, name)
    assert record is not None
    return record


def states(installation: Installation, name: str) -> list[tuple[str, list[str]]]:
    """The status and targets of each version."""
    return [(each["status"], [every["uri"] for every in each["records"]]) for each in history(installation, name)]


def test_changes_of_the_source_become_new_versions_once(either: Installation, tmp_path: Path) -> None:
    either.add(PREFIX, RULES)
    rows: list[dict[str, Any]] = [
        {"uri": A, "created": "2011-01-01", "updated": "2011-01-01", "metadata": {"what": "Harbour"}, "ttl": 60},
        {"uri": A}, {"uri": A}, {"uri": A, "status": "reserved"}, {"uri": A, "status": "reserved"}, {"uri": A},
    ]  # fmt: skip
    import_dump(either, dump(tmp_path, *rows))
    rows[0] |= {"updated": "2012-02-02T00:00:00Z", "metadata": {"what": "Port"}}
    rows[1] = {"uri": B, "status": "withdrawn", "reason": "a mistake", "successor": "10.5072/x"}
    rows[2] = {"status": "withdrawn"}
    rows[3] = {"uri": A}
    rows[4] = {"uri": A, "status": "withdrawn"}
    later = dump(tmp_path, *rows, {"uri": A})
    _, findings = import_dump(either, later)
    assert {each.reason for each in findings} == {
        "it was imported with other content; --update writes that of the dump"
    }
    before = either.rows()
    assert update(either, later, preview=True) == ([0, 5, 2, 0], [])
    assert either.rows() == before
    assert update(either, later) == ([0, 5, 2, 0], [])
    after = either.rows()
    assert update(either, later) == ([0, 0, 7, 0], [])
    assert import_dump(either, later)[0].present == 7
    assert either.rows() == after
    first, second = history(either, "x0")
    assert second["metadata"]["imported"]["updated"] == "2012-02-02T00:00:00Z"
    assert (second["metadata"]["what"], second["created"]) == ("Port", first["created"])
    assert states(either, "x1") == [("active", [A]), ("active", [B]), ("withdrawn", [B])]
    withdrawn = history(either, "x1")[-1]["withdrawn"]
    assert (withdrawn["reason"], withdrawn["successor"]) == ("a mistake", "10.5072/x")
    assert states(either, "x2") == [("active", [A]), ("withdrawn", [A])]
    assert states(either, "x3") == [("reserved", [A]), ("active", [A])]
    assert states(either, "x4") == [("reserved", [A]), ("active", [A]), ("withdrawn", [A])]
    assert stored(either, "x1").author == "import"


def test_a_source_may_return_to_an_earlier_state_but_an_earlier_dump_changes_nothing(
    installation: SqliteInstallation, tmp_path: Path
) -> None:
    installation.add(PREFIX, RULES)
    for uri in (A, B, A):
        update(installation, dump(tmp_path, {"uri": uri}, {"uri": uri, "updated": "2011-01-01"}))
    assert states(installation, "x0") == [("active", [A]), ("active", [B]), ("active", [A])]
    counts, reasons = update(installation, dump(tmp_path, {"uri": A}, {"uri": B, "updated": "2010-01-01"}))
    assert (counts, reasons) == ([0, 0, 1, 1], ["the dump has an earlier state of it than the import before"])
    assert len(history(installation, "x1")) == 3


def test_records_that_were_changed_here_are_never_overwritten(either: Installation, tmp_path: Path) -> None:
    either.add(PREFIX, RULES)
    import_dump(either, dump(tmp_path, {"uri": A}, {"uri": A}, {"uri": A}, {"uri": A}))
    update(either, dump(tmp_path, {"uri": B}))
    claims = stored(either, "x0").metadata
    for name, content in {"x0": Content(metadata=claims), "x1": Content()}.items():
        either.amender.update(stored(either, name), content, "a-client")
    either.amender.withdraw(stored(either, "x2"), "here", None, "a-client")
    before = either.rows()
    assert update(either, dump(tmp_path, {"uri": B}, {"uri": A}, {"uri": A})) == ([0, 0, 3, 0], [])
    counts, reasons = update(either, dump(tmp_path, {"uri": C}, {"uri": B}, {"uri": A, "status": "withdrawn"}))
    assert (counts, set(reasons)) == ([0, 0, 0, 3], {"it was changed here since its import"})
    ezid = tmp_path / "dump.anvl"
    ezid.write_text(f":: ark:/99999/fk4x3\n_target: {B}\n")
    assert update(either, ezid, "ezid")[1] == ["it exists here with other content"]
    assert either.rows() == before


def test_what_no_record_can_become_is_refused_with_the_reason(installation: SqliteInstallation, tmp_path: Path) -> None:
    installation.add(PREFIX, RULES, domains=("a.example",))
    gone = {"uri": A, "status": "withdrawn", "reason": "gone"}
    import_dump(installation, dump(tmp_path, {"uri": A}, gone, gone, gone))
    before = installation.rows()
    rows = ({"uri": A, "status": "reserved"}, {"uri": A}, gone | {"reason": "other"}, {"uri": A, "status": "reserved"})
    counts, reasons = update(installation, dump(tmp_path, *rows))
    assert counts == [0, 0, 0, 4]
    final = "a withdrawal is final here, but in the source it was not"
    assert reasons == [
        "an identifier that was public cannot be reserved again; withdraw it",
        final,
        "it is withdrawn here with another reason or content, and a tombstone cannot change",
        final,
    ]
    assert installation.rows() == before
    counts, reasons = update(installation, dump(tmp_path, {"uri": B, "metadata": {"what": "new"}}))
    assert (counts[1], len(reasons)) == (1, 1)  # the target outside the domains is lost
    assert states(installation, "x0") == [("active", [A]), ("active", [])]


def test_an_identifier_of_ezid_returns_to_the_public(either: Installation, tmp_path: Path) -> None:
    either.add(PREFIX, RULES)
    path = tmp_path / "dump.anvl"
    text = ":: ark:/99999/fk4x0\n_target: {}\n_status: {}\n_updated: {}\n"
    for number, (uri, status) in enumerate([(A, "public"), (A, "unavailable | lost"), (B, "public"), (B, "reserved")]):
        path.write_text(text.format(uri, status, 1_300_000_000 + number))
        found = update(either, path, "ezid")
        assert update(either, path, "ezid")[0][:2] == [0, 0]
    assert found == ([0, 0, 0, 1], ["an identifier that was public cannot be reserved again; withdraw it"])
    assert states(either, "x0") == [("active", [A]), ("withdrawn", [A]), ("active", [B])]


def test_of_entries_with_one_identifier_the_first_one_counts(
    installation: SqliteInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer, "_MAX_BLOCK", 1)
    installation.add(PREFIX, RULES)
    twice = {"identifier": "ark:99999/fk4x0", "uri": C}
    path = dump(tmp_path, {"uri": A}, twice)
    for numbers in ([1, 0, 0, 1], [0, 0, 1, 1]):
        assert update(installation, path) == (numbers, ["the dump has it twice, with different content"])
    assert update(installation, dump(tmp_path, {"uri": B}, twice))[0] == [0, 1, 0, 1]
    assert states(installation, "x0") == [("active", [A]), ("active", [B])]


def failing(method: Callable[..., Any], calls: int, *, after: bool) -> Callable[..., Any]:
    """The method, but the store fails at the call with this number: before it, or after it."""
    cut = cutting(method, calls, after=after)

    def fail(*arguments: Any) -> Any:
        try:
            return cut(*arguments)
        except Cut:
            raise StoreUnavailable("it is away") from None

    return fail


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("interruption", [cutting, failing])
def test_wherever_an_update_ends_a_repeated_one_completes_it(
    either: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool, interruption: Any
) -> None:
    either.add(PREFIX, RULES)
    monkeypatch.setattr(importer, "_MAX_BLOCK", 2)
    import_dump(either, dump(tmp_path, *[{"uri": A}] * 3))
    path = dump(tmp_path, {"uri": B}, *[{"uri": B, "status": "withdrawn"}] * 2, {"uri": B})
    owner: Any = SqliteRecords if isinstance(either, SqliteInstallation) else DynamoRecords
    for calls in (0, 1, 0, 0):  # five versions are to be written
        with monkeypatch.context() as patch:
            patch.setattr(owner, "replace_record", interruption(owner.replace_record, calls, after=after))
            with pytest.raises((Cut, StoreUnavailable)):
                update(either, path)
    counts, reasons = update(either, path)
    assert (sum(counts), reasons) == (4, [])
    assert [len(history(either, f"x{at}")) for at in range(4)] == [2, 3, 3, 1]
    assert update(either, path) == ([0, 0, 4, 0], [])


def test_a_change_here_during_the_update_remains(
    either: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    either.add(PREFIX, RULES)
    import_dump(either, dump(tmp_path, {"uri": A}))
    owner: Any = SqliteRecords if isinstance(either, SqliteInstallation) else DynamoRecords
    replace_record = owner.replace_record

    def change_first(*arguments: Any) -> None:
        monkeypatch.setattr(owner, "replace_record", replace_record)
        either.amender.update(stored(either, "x0"), Content(), "a-client")
        replace_record(*arguments)

    monkeypatch.setattr(owner, "replace_record", change_first)
    path = dump(tmp_path, {"uri": B})
    assert update(either, path) == ([0, 0, 0, 1], ["it was changed here since its import"])
    assert len(history(either, "x0")) == 2


def test_an_update_without_encoded_targets_does_not_remove_them(either: Installation, tmp_path: Path) -> None:
    either.add(PREFIX, RULES)
    path = dump(tmp_path, {"uri": "https://a.example/a b"})
    import_dump(either, path, encodes_targets=True)
    assert update(either, path) == (
        [0, 0, 0, 1],
        ["targets of it were imported with --encode-targets, and would be lost without that option"],
    )
    assert states(either, "x0") == [("active", ["https://a.example/a%20b"])]
