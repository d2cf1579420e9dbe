"""The index function over embedded tables: what it indexes is found through the API, by the keys that may see it."""

import os
import secrets
from typing import Any
from unittest.mock import patch

from tests.support.builders.samples import ROOT
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.system import TablesSystem
from tests.support.stores.table_streams import Streams

HERE = "https://content.example.org/here"


class Context:
    """What Lambda passes to a handler."""

    def get_remaining_time_in_millis(self) -> int:
        return 100_000


def test_changes_and_earlier_records_are_found_through_the_api(light_tables: TablesSystem) -> None:
    system, word = light_tables, f"w{secrets.token_hex(6)}"
    with patch.dict(os.environ, {**system.surroundings, **system.environment}, clear=True):
        index: Any = load_handler(ROOT / "functions" / "index")

    def mint(title: str) -> str:
        minted = system.mint({"prefix": "demo", "uri": HERE, "metadata": {"what": f"{word} {title}"}})
        return str(minted.json()["pid"])

    def found(q: str, key: str = system.admin_key) -> list[str]:
        answer = system.request("GET", "/api/v1/records", query=f"prefix=demo&q={word}+{q}", key=key)
        assert answer.status == 200, answer.body
        return [each["pid"] for each in answer.json()["records"]]

    earlier = mint("green")
    streams = Streams(system.tables)
    assert index({"source": "aws.events"}, Context()) == {"is_complete": True}
    later = mint("black")
    index({"Records": streams.read("LuiTable")}, Context())
    assert (found("green"), found("black"), found("white")) == ([earlier], [later], [])
    assert {*found("")} == {earlier, later}
    other = system.key_with("mint:another")
    assert system.request("GET", "/api/v1/records", query=f"q={word}", key=other).json()["records"] == []
