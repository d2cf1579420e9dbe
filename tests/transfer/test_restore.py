"""Restoring: an export of the result is the same file, nothing is overwritten, and a run may be repeated."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from coolid.model.conditions import DOWN, Condition
from coolid.model.records import Content
from coolid.transfer import export_format
from tests.support.builders.histories import stored_versions
from tests.support.fixtures.installations import Installation


class TestRestoring:
    def test_an_export_of_what_was_restored_is_the_same_to_the_byte(
        self, furnished: Installation, other: Installation, tmp_path: Path
    ) -> None:
        export = furnished.export()
        progress, refusals = other.restore(export, tmp_path)
        assert (progress.refused, progress.present, refusals) == (0, 0, [])
        assert other.export() == export
        assert other.rows() == furnished.rows()

    def test_conditions_are_in_no_export_and_do_not_disturb_a_restore(
        self, furnished: Installation, other: Installation, tmp_path: Path
    ) -> None:
        export = furnished.export()
        down = {"p0": Condition(DOWN, datetime(2026, 5, 4, tzinfo=UTC), "it answered 500")}
        namespace = furnished.minter.namespace("mp")
        for installation in (furnished, other):
            if installation is other:
                installation.restore(export, tmp_path)
            assert installation.store.conditions.set_prefix_condition("go", 1, down)
            records, _ = installation.store.records.list_records(namespace.repository.id, 100, None)
            for record in records:
                key = namespace.repository.rules.validate(record.id)
                assert installation.store.conditions.set_record_condition(record.repository, key, record.version, down)
            assert installation.export() == export
        again, refusals = other.restore(export, tmp_path)
        assert (again.refused, refusals) == (0, [])
        assert other.rows() == furnished.rows()

    def test_it_resolves_as_before(self, furnished: Installation, other: Installation, tmp_path: Path) -> None:
        other.restore(furnished.export(), tmp_path)
        names = ["mp", "2021/06/mp", "2021", "2021/06", "go", "gene-ontology", "go/x", "ark:99999/fk4", "uniprot"]
        assert other.store.prefixes.prefixes(names) == furnished.store.prefixes.prefixes(names)
        for document in other.records():
            owner = other.store.repositories.repository(document["repository"])
            assert owner is not None
            key = owner.rules.validate(document["id"])
            assert other.store.records.record(owner.id, key) == furnished.store.records.record(owner.id, key)
            assert stored_versions(other.store.records, owner.id, key) == stored_versions(
                furnished.store.records, owner.id, key
            )

    def test_it_can_be_changed_and_minted_into_as_before(
        self, furnished: Installation, other: Installation, tmp_path: Path
    ) -> None:
        other.restore(furnished.export(), tmp_path)
        before = len(other.records())
        for prefix in ("mp", "ark:99999/fk4", "2024/01/count"):
            assert other.amender.update(other.mint(prefix), Content(ttl=1)).version == 2
        owner = other.minter.namespace("mp").repository
        other.register("also", owner.id, "")
        assert len(other.records()) == before + 6

    def test_numbers_continue_where_they_were(
        self, furnished: Installation, other: Installation, tmp_path: Path
    ) -> None:
        other.restore(furnished.export(), tmp_path)
        counted = furnished.minter.namespace("ark:99999/fk4").repository.id
        assert other.store.counters.reserve(counted, 0, 1) == furnished.store.counters.reserve(counted, 0, 1) == 3

    def test_a_second_time_changes_nothing(self, furnished: Installation, other: Installation, tmp_path: Path) -> None:
        export = furnished.export()
        first, _ = other.restore(export, tmp_path)
        again, refusals = other.restore(export, tmp_path)
        assert (again.refused, refusals) == (0, [])
        assert again.present + again.written == first.written
        assert other.export() == export

    def test_what_says_something_else_stays_and_the_rest_comes_in(
        self, furnished: Installation, other: Installation, tmp_path: Path
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
        other.register("mp", namespace.repository.id, "another title")
        furnished.mint("mp")
        before = other.export()
        progress, refusals = other.restore(furnished.export(), tmp_path)
        assert (progress.refused, progress.written) == (2, 3)
        assert ["prefix mp " in each.reason or key in each.reason for each in refusals] == [True, True]
        assert other.store.records.record(namespace.repository.id, key) == updated
        assert set(before.splitlines()[:-1]) <= set(other.export().splitlines())

    def test_a_record_that_is_at_an_earlier_version_is_left_whole(
        self, installation: Installation, other: Installation, tmp_path: Path
    ) -> None:
        installation.add("mp")
        record = installation.mint("mp")
        other.restore(installation.export(), tmp_path)
        installation.amender.update(record, Content(ttl=1))
        progress, _ = other.restore(installation.export(), tmp_path)
        assert progress.refused == 1
        assert [each.version for each in stored_versions(other.store.records, record.repository, record.key)] == [1]
        assert other.amender.update(record, Content(ttl=2)).version == 2

    def test_what_would_not_be_found_is_refused(
        self, installation: Installation, other: Installation, tmp_path: Path
    ) -> None:
        owner = installation.add("mp")
        installation.mint("mp")
        documents = [json.loads(line) for line in installation.export().splitlines()][1:-1]
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
            progress, refusals = other.restore(b"".join(export_format.export_lines([*others, each])), tmp_path)
            assert (progress.refused, len(refusals)) == (1, 1), each
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
        self, other: Installation, tmp_path: Path, document: dict[str, Any]
    ) -> None:
        before = other.export()
        progress, _ = other.restore(b"".join(export_format.export_lines([document])), tmp_path)
        assert progress.refused == 1
        assert other.export() == before
