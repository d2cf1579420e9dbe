"""Minting the rows of a file: by the rules of the API, and each row once."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from coolid.aws.dynamodb import bulk_writer
from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.errors import StoreUnavailable
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.model.records import Content
from coolid.proofs.verification import verify
from coolid.sqlite.bulk import SqliteBulkWriter
from coolid.transfer import bulk_minter
from coolid.transfer.journal import SUFFIX, Journal
from tests.support.builders.samples import BASE_URL
from tests.support.effort import examples
from tests.support.fixtures.installations import (
    Cut,
    DynamoInstallation,
    Installation,
    SqliteInstallation,
    cutting,
    minted,
    table,
)
from tests.support.fixtures.ports import SeededEntropy


def journals_on_disk(patch: pytest.MonkeyPatch, path: Path) -> list[bytes]:
    """What the journals of a file have on disk when they are closed, as killed processes leave them behind."""
    found: list[bytes] = []
    close = Journal.close

    def close_and_note(journal: Journal) -> None:
        found.append(path.with_name(path.name + SUFFIX).read_bytes())
        close(journal)

    patch.setattr(Journal, "close", close_and_note)
    return found


class TestMinting:
    def test_rows_become_signed_records_with_what_they_say(self, installation: Installation, tmp_path: Path) -> None:
        installation.add("mp")
        path = table(
            tmp_path,
            {"prefix": "mp", "uri": "https://a.example/%2F?x=1#y", "what": 'A "thing",\nof two lines', "ttl": "60"},
            {"prefix": "mp", "status": "reserved", "metadata.subject": "é𝄞", "who": "Zoë"},
        )
        progress, refusals = installation.mint_rows(path)
        assert (progress.written, refusals, progress.read_bytes) == (2, [], path.stat().st_size)
        found = {each["pid"]: each for each in installation.records()}
        first, second = (found[minted(path)[line]] for line in (2, 4))
        assert first["records"] == [{"uri": "https://a.example/%2F?x=1#y", "status": "active"}]
        assert (first["metadata"], first["ttl"]) == ({"what": 'A "thing",\nof two lines'}, 60)
        assert (second["status"], second["metadata"]) == ("reserved", {"who": "Zoë", "subject": "é𝄞"})
        keys = {"keys": installation.store.public_keys.public_keys()}
        assert all(verify(each, keys, issuer=BASE_URL).complete for each in found.values())
        assert {json.loads(line).get("author") for line in installation.export().splitlines()} == {None, "import"}

    def test_json_lines_say_whatever_the_api_takes(self, installation: Installation, tmp_path: Path) -> None:
        installation.add("mp")
        path = tmp_path / "in.jsonl"
        location = {"uri": "https://a.example/", "mediaType": "text/html", "quality": 0.5}
        rows = [{"prefix": "mp", "records": [location]}, {"prefix": "mp", "alternates": []}]
        path.write_text("\ufeff" + "\n\n".join(map(json.dumps, rows)), encoding="utf-8")
        progress, _ = installation.mint_rows(path)
        assert progress.written == 2
        assert sorted(minted(path)) == [1, 3]
        assert [location | {"status": "active"}] in [each["records"] for each in installation.records()]

    @pytest.mark.parametrize(
        "rules", [LuiRules(), PilinRules(), NoidRules(template=".reedeedk", naan="99999")], ids=lambda each: each.scheme
    )
    def test_of_every_kind_each_row_gets_an_identifier_of_its_own(
        self, installation: Installation, tmp_path: Path, rules: Rules
    ) -> None:
        installation.add("mp", rules)
        progress, _ = installation.mint_rows(
            table(tmp_path, *({"prefix": "mp", "what": str(each)} for each in range(30)))
        )
        assert progress.written == 30
        assert len({each["pid"] for each in installation.records()}) == 30
        assert sorted(int(each["metadata"]["what"]) for each in installation.records()) == list(range(30))

    def test_a_taken_random_identifier_is_drawn_again(
        self, installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        installation.add("mp")
        monkeypatch.setattr("coolid.wiring.write_access.SystemEntropy", SeededEntropy)
        rows = [{"prefix": "mp", "what": str(each)} for each in range(30)]
        for run in range(3):
            progress, refusals = installation.mint_rows(table(tmp_path, *rows, name=f"{run}.csv"))
            assert (progress.written, refusals) == (30, [])
        assert len({each["pid"] for each in installation.records()}) == 90

    def test_an_invalid_row_is_refused_alone_with_its_line_and_position(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp", domains=("a.example",))
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
        progress, refusals = installation.mint_rows(path)
        assert (progress.written, progress.refused) == (2, 7)
        assert [(each.line, each.pointer) for each in refusals] == [
            (3, "/uri"),
            (4, "/uri"),
            (5, "/prefix"),
            (6, "/prefix"),
            (7, "/ttl"),
            (8, "/status"),
            (9, "/id"),
        ]
        assert len(installation.records()) == 2

    def test_a_prefix_may_be_said_for_all_rows_that_name_none(self, installation: Installation, tmp_path: Path) -> None:
        installation.add("mp")
        installation.add("other")
        progress, _ = installation.mint_rows(
            table(tmp_path, {"prefix": "", "what": "a"}, {"prefix": "other", "what": "b"}), "mp"
        )
        assert progress.written == 2
        assert {each["pid"].removeprefix(BASE_URL).partition(":")[0] for each in installation.records()} == {
            "/mp",
            "/other",
        }

    def test_one_that_is_too_large_is_refused(self, installation: Installation, tmp_path: Path) -> None:
        installation.add("mp")
        path = tmp_path / "in.jsonl"
        rows = [{"prefix": "mp", "metadata": {"what": "x" * size}} for size in (390_000, 2_000_000, 10)]
        path.write_text("\n".join(map(json.dumps, rows)))
        progress, refusals = installation.mint_rows(path)
        assert (progress.written, [each.line for each in refusals]) == (1, [1, 2])

    def test_chosen_identifiers_that_exist_count_as_done_if_they_say_the_same_and_are_refused_if_not(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp", ChosenRules())
        same, changed = (
            installation.mint("mp", "same", metadata={"what": "a"}),
            installation.mint("mp", "changed", metadata={"a": 1}),
        )
        installation.mint("mp", "another", metadata={"what": "b"})
        installation.amender.update(changed, Content(ttl=5))
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
        before = installation.store.records.record(same.repository, "another")
        progress, refusals = installation.mint_rows(path, "mp")
        assert (progress.written, progress.present, progress.refused) == (1, 3, 3)
        assert sorted((each.line, each.pointer) for each in refusals) == [(2, "/id"), (4, "/id"), (7, "/id")]
        assert installation.store.records.record(same.repository, "another") == before

    def test_a_second_run_mints_nothing_more_and_tries_what_was_refused(
        self, installation: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp")
        path = table(tmp_path, {"prefix": "mp", "what": "a"}, {"prefix": "later", "what": "b"})
        assert installation.mint_rows(path)[0].refused == 1
        before = minted(path)
        installation.add("later")
        progress, _ = installation.mint_rows(path)
        assert (progress.written, progress.present, progress.refused) == (1, 1, 0)
        assert minted(path).items() >= before.items()
        assert len(installation.records()) == 2

    @pytest.mark.parametrize("is_dynamodb", [False, True])
    @given(call=st.integers(0, 8), after=st.booleans(), torn=st.binary(max_size=20), chosen=st.booleans())
    @examples(3, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_killed_at_any_moment_and_run_again_every_row_is_minted_once(
        self,
        signing_key: Path,
        tmp_path_factory: pytest.TempPathFactory,
        monkeypatch: pytest.MonkeyPatch,
        *,
        is_dynamodb: bool,
        call: int,
        after: bool,
        torn: bytes,
        chosen: bool,
    ) -> None:
        folder = tmp_path_factory.mktemp("killed")
        installation: Installation = SqliteInstallation(signing_key, folder / "coolid.db")
        writer: Any = SqliteBulkWriter
        method = "put"
        if is_dynamodb:
            installation, writer, method = DynamoInstallation(signing_key), DynamoBulkWriter, "_transact"
        installation.add("mp", ChosenRules() if chosen else LuiRules())
        rows = [{"prefix": "mp", "what": str(each), "id": f"id{each}" if chosen else ""} for each in range(30)]
        path = table(folder, *rows)
        with monkeypatch.context() as cut:
            cut.setattr(bulk_minter, "_BLOCK", 7 if is_dynamodb else 3)
            cut.setattr(bulk_writer, "MOST_PUTS", 3)
            cut.setattr(writer, method, cutting(getattr(writer, method), call, after=after))
            on_disk = journals_on_disk(cut, path)
            with pytest.raises(Cut):
                installation.mint_rows(path)
        path.with_name(path.name + SUFFIX).write_bytes(on_disk[0] + torn.replace(b"\n", b""))
        progress, refusals = installation.mint_rows(path)
        assert refusals == []
        assert progress.written + progress.present == 30
        assert sorted(int(each["metadata"]["what"]) for each in installation.records()) == list(range(30))
        assert sorted(minted(path).values()) == sorted(each["pid"] for each in installation.records())

    def test_rows_that_are_large_are_not_gathered_by_the_thousand(
        self, installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        installation.add("mp")
        most = []
        put = SqliteBulkWriter.put

        def watched(self: Any, groups: Any) -> None:
            most.append(sum(group.size_bytes for group in groups))
            put(self, groups)

        monkeypatch.setattr(bulk_minter, "_BLOCK_BYTES", 50_000)
        monkeypatch.setattr(SqliteBulkWriter, "put", watched)
        installation.mint_rows(table(tmp_path, *({"prefix": "mp", "what": "x" * 10_000} for _ in range(20))))
        assert len(installation.records()) == 20
        assert max(most) < 80_000

    def test_a_failing_store_ends_it_and_it_can_be_continued(
        self, installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        installation.add("mp")
        path = table(tmp_path, *({"prefix": "mp", "what": str(each)} for each in range(10)))

        def unavailable(*_: Any) -> None:
            raise StoreUnavailable("no")

        with monkeypatch.context() as failing_store:
            failing_store.setattr(SqliteBulkWriter, "put", unavailable)
            with pytest.raises(StoreUnavailable):
                installation.mint_rows(path)
        assert installation.mint_rows(path)[0].written == 10
        assert len(installation.records()) == 10
