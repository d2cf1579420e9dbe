"""Stream records: a change affects exactly the public responses that depend on the changed row."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.aws.edge_purge.table_streams import InvalidStreamRecord, change_of
from coolid.http.caching import prefix_tag, record_tag, repository_tag
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import RESERVED, WITHDRAWN, Record
from coolid.registry.predecessors import predecessors
from coolid.resolution.cache import KEYS_TTL, PREFIX_TTL, RECORD_TTL
from coolid.store.rows import KEYS, repository_body, repository_name
from tests.support.builders.samples import (
    LATER,
    namespace,
    namespaces,
    provider_prefix,
    provider_prefixes,
    record,
    records,
    repository,
)
from tests.support.effort import examples
from tests.support.stores.table_streams import row_of, stream_record

OURS = "r4k2-9m3x-62"
SHOWN = {record_tag(OURS, "tw0tywdj94")}


def tags(old: Any, new: Any) -> set[str]:
    change = change_of(stream_record(old and row_of(old), new and row_of(new)))
    return set(change.tags) if change else set()


def prefix_tags(*names: str) -> set[str]:
    return set(map(prefix_tag, names))


class TestRecords:
    def test_a_mint_purges_nothing(self) -> None:
        assert tags(None, record()) == set()

    def test_an_archived_version_purges_nothing(self) -> None:
        assert change_of(stream_record(None, row_of(record(), version=1))) is None

    def test_a_change_concerns_the_record(self) -> None:
        assert tags(record(), record(version=2, metadata={"what": "a thing"})) == SHOWN

    def test_a_withdrawal_concerns_the_record(self) -> None:
        assert tags(record(), record(version=2, status=WITHDRAWN)) == SHOWN

    def test_a_row_that_was_removed_by_hand_purges_the_record(self) -> None:
        assert tags(record(), None) == SHOWN

    def test_a_version_that_was_removed_by_hand_purges_the_record(self) -> None:
        change = change_of(stream_record(row_of(record(), version=1), None))
        assert change is not None
        assert change.tags == SHOWN

    @pytest.mark.parametrize("status", ["active", WITHDRAWN, RESERVED])
    def test_a_reserved_record_had_no_cached_response(self, status: str) -> None:
        assert tags(record(status=RESERVED), record(version=2, status=status)) == set()

    def test_a_row_that_was_written_again_as_it_was_concerns_nothing(self) -> None:
        row = row_of(record())
        assert change_of(stream_record(row, row | {"author": {"S": "k7"}})) is None

    @examples(25)
    @given(records, records)
    def test_a_change_of_public_content_is_purged(self, old: Record, new: Record) -> None:
        new = replace(new, id=old.id, repository=old.repository)
        change = change_of(
            stream_record(row_of(old) | {"pid": {"S": "r4k2/x5"}}, row_of(new) | {"pid": {"S": "r4k2/x5"}})
        )
        stays = old.status == RESERVED or (old.to_document() == new.to_document())
        assert (change is None) is stays
        assert stays or (change and change.tags == {"record:r4k2/x5"} and change.cache_seconds == RECORD_TTL)

    def test_a_key_may_have_slashes(self) -> None:
        row = row_of(record()) | {"pid": {"S": f"{OURS}/a/b"}}
        change = change_of(stream_record(row, None))
        assert change is not None
        assert change.tags == {record_tag(OURS, "a/b")}


class TestPublicKeys:
    @pytest.mark.parametrize("old", [None, {"body": {"S": "[]"}}])
    def test_a_key_that_is_published_concerns_the_list_of_them(self, old: Any) -> None:
        row = {"pid": {"S": KEYS}, "version": {"N": "1337"}, "status": {"S": "key"}, "body": {"S": "{}"}}
        change = change_of(stream_record(old and row | old, row))
        assert change is not None
        assert change.tags == {"keys"}
        assert change.cache_seconds == KEYS_TTL


class TestPrefixes:
    @examples(25)
    @given(namespaces | provider_prefixes)
    def test_a_new_one_concerns_what_others_answered_for_it(self, prefix: Namespace | ProviderPrefix) -> None:
        assert tags(None, prefix) == prefix_tags(*predecessors(prefix.name))
        assert tags(prefix, None) == tags(None, prefix)

    def test_one_that_was_only_a_beginning_of_others_is_new(self) -> None:
        stem = {"name": {"S": "2021/06"}, "longer": {"SS": ["2021/06/mp"]}}
        change = change_of(stream_record(stem, row_of(namespace("2021/06")) | stem))
        assert change is not None
        assert change.tags == prefix_tags("2021/06", "2021")
        assert change.cache_seconds == PREFIX_TTL

    def test_a_changed_provider_prefix_purges_its_own_responses(self) -> None:
        old = provider_prefix("go", "https://a.example/{$id}")
        assert tags(old, replace(old, title="Genes", updated=LATER)) == prefix_tags("go")

    def test_a_provider_prefix_that_becomes_a_namespace_is_new(self) -> None:
        old = provider_prefix("ark:99999", "https://a.example/{$id}")
        assert tags(old, namespace("ark:99999")) == prefix_tags("ark:99999", "ark")

    def test_an_alias_whose_repository_changes_concerns_all_of_the_repository(self) -> None:
        old = namespace("mp", repository())
        new = namespace("mp", repository(ttl=10, updated=LATER), updated=LATER, revision=2)
        assert tags(old, new) == {repository_tag(OURS)}

    def test_longer_names_purge_through_their_own_rows(self) -> None:
        assert tags(namespace("mp"), namespace("mp", longer=frozenset({"mp/x"}))) == set()

    def test_a_beginning_of_others_concerns_nothing(self) -> None:
        stem = {"name": {"S": "2021"}, "longer": {"SS": ["2021/06"]}}
        assert change_of(stream_record(None, stem)) is None
        assert change_of(stream_record(stem, stem | {"longer": {"SS": ["2021/06", "2021/07"]}})) is None

    def test_a_synonym_concerns_what_its_prefix_answered_when_it_goes(self) -> None:
        synonym = {"name": {"S": "gobp"}, "kind": {"S": "synonym"}, "target": {"S": "go"}}
        come, gone = change_of(stream_record(None, synonym)), change_of(stream_record(synonym, {"name": {"S": "gobp"}}))
        assert come is not None
        assert gone is not None
        assert come.tags == prefix_tags("gobp")
        assert gone.tags == prefix_tags("gobp", "go")

    def test_a_changed_repository_appears_in_the_rows_of_its_aliases(self) -> None:
        row = {"name": {"S": repository_name(OURS)}, "kind": {"S": "repository"}}
        old, new = ({"body": {"S": repository_body(repository(ttl=ttl))}} for ttl in (10, 20))
        assert change_of(stream_record(row | old, row | new)) is None


class TestWhatCannotBeRead:
    @pytest.mark.parametrize(
        "record",
        [
            {},
            {"dynamodb": None},
            {"dynamodb": {}},
            {"dynamodb": {"Keys": {}}},
            {"dynamodb": {"Keys": {"id": {"S": "a-client"}}}},
            {"dynamodb": {"Keys": {"pid": "x"}, "OldImage": {"status": {"S": "active"}}}},
            {"dynamodb": {"Keys": {"pid": {"S": "x"}}, "OldImage": {"status": {"S": "active"}}}},
            {"dynamodb": {"Keys": {"pid": {"S": "x/y"}}, "OldImage": {"body": {"S": "{}"}}}},
            {"dynamodb": {"Keys": {"name": {"S": "mp"}}, "NewImage": {"kind": {"S": "of a later release"}}}},
            {
                "dynamodb": {
                    "Keys": {"name": {"S": "mp"}},
                    "OldImage": {"kind": {"S": "namespace"}, "body": {"S": "{}"}},
                    "NewImage": {"kind": {"S": "namespace"}, "body": {"S": "not JSON"}},
                }
            },
        ],
    )
    def test_is_said_so(self, record: Any) -> None:
        with pytest.raises(InvalidStreamRecord):
            change_of(record)

    @examples(50)
    @given(
        st.recursive(
            st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner), max_leaves=5
        )
    )
    def test_is_never_anything_worse(self, image: Any) -> None:
        record = {"dynamodb": {"Keys": {"name": {"S": "mp"}}, "OldImage": image, "NewImage": {"kind": image}}}
        with suppress(InvalidStreamRecord):
            change_of(record)
