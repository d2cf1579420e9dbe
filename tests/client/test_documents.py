"""What a service returns, whatever it is: a value, or `BadAnswer`."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.client.batches import BatchSplitter, mint_batch
from coolid.client.documents import (
    ApiKey,
    Prefix,
    Record,
    ReportedLink,
    Repository,
    ServiceDocument,
    read_document,
    read_record,
)
from coolid.client.errors import BadAnswer
from coolid.client.flows import run
from coolid.client.http_request import HttpAnswer
from coolid.client.service_api import ServiceApi
from tests.support.servers.http_server import RECORD

MEMBERS = [
    "id", "pid", "version", "status", "records", "metadata", "withdrawn", "updated", "document", "etag", "key",
    "problem",
    "warnings", "retryAfter", "record", "prefix", "kind", "providers", "quota", "uri", "scopes", "type",
]  # fmt: skip
LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5) | st.just(201) | st.just(429)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=6)
)


class TestDocuments:
    def test_a_record_has_typed_members_and_the_whole_document(self) -> None:
        record = read_record(RECORD | {"another": 1}, '"tag"')
        assert (record.pid, record.version, record.target) == (RECORD["pid"], 1, "https://content.example.org/")
        assert (record.updated, record.etag) == (datetime(2025, 7, 10, 14, 22, 30, tzinfo=UTC), '"tag"')
        assert record.document["another"] == 1

    def test_a_member_of_another_type_has_its_default(self) -> None:
        odd = RECORD | {"updated": "yesterday", "records": [5], "metadata": []}
        record = read_record(odd)
        assert (record.updated, record.locations, record.metadata) == (None, (), {})
        assert (record.status, record.document) == ("active", odd)

    @pytest.mark.parametrize("kind", [ApiKey, Repository])
    def test_a_required_member_must_be_valid(self, kind: type[ServiceDocument]) -> None:
        documents: list[Any] = [{}, {"id": 5}, {"id": None}, [], None, "x"]
        for document in documents:
            with pytest.raises(BadAnswer, match="its body is not a thing"):
                read_document(kind, document, "a thing")

    @given(VALUES, st.sampled_from([ApiKey, Prefix, Record, ReportedLink, Repository]))
    def test_every_json_has_a_value_or_is_a_bad_answer(self, value: Any, kind: type[ServiceDocument]) -> None:
        try:
            found = read_document(kind, value, "a thing")
        except BadAnswer:
            return
        assert found.document == value
        assert repr(found).startswith(kind.__name__)

    @given(VALUES)
    def test_every_line_has_a_result_or_is_a_bad_answer(self, value: Any) -> None:
        splitter = BatchSplitter("key")
        splitter.add({"prefix": "demo"})
        batch = splitter.rest()
        assert batch is not None
        answer = HttpAnswer("", 200, {"content-type": "application/x-ndjson"}, orjson.dumps(value) + b"\n")
        try:
            (result,) = run(mint_batch(ServiceApi("http://127.0.0.1"), batch), lambda _: answer, lambda _: None)
        except BadAnswer:
            return
        assert (result.record is None) != (result.error is None)
