"""Check states of a later release, which this release cannot parse, do not stop the checks."""

import boto3
import pytest

from coolid.model.check_state import CheckCursor, CheckState, CheckSubject, repository_owner, target_name
from coolid.model.conditions import DOWN
from tests.support.builders.samples import MOMENT
from tests.support.fixtures.system import Dynamo, empty

OWNER = repository_owner("r4k2-9m3x-62")
SUBJECTS = [CheckSubject(OWNER, target_name(key, "https://a.example/")) for key in "abc"]
DEAD = CheckState(url="https://a.example/", state=DOWN, since=MOMENT, checked=MOMENT, streak=-3)


@pytest.mark.parametrize(
    "body", ["", "no", "[]", "{}", '{"url":"https://a.example/","state":"resting","since":0,"checked":0}',
             '{"url":"u","state":"resting","since":"2026-05-04T12:00:00Z","checked":"2026-05-04T12:00:00Z"}'],
)  # fmt: skip
def test_a_row_that_cannot_be_read_is_as_if_there_were_none(dynamo: Dynamo, body: str) -> None:
    store, tables = dynamo
    empty(tables)
    for subject in SUBJECTS:
        store.check_states.put_check_state(subject, DEAD)
    for owner, name in ((OWNER, SUBJECTS[1].name), (OWNER, "/round"), ("/planner", "/round")):
        row = {"owner": {"S": owner}, "name": {"S": name}, "body": {"S": body}}
        boto3.client("dynamodb").put_item(
            TableName=tables["PulseTable"], Item=row | ({"ailing": {"S": OWNER}} if "#" in name else {})
        )
    found = {SUBJECTS[0]: DEAD, SUBJECTS[2]: DEAD}
    assert store.check_states.check_states(SUBJECTS) == found
    listed: list[tuple[CheckSubject, CheckState]] = []
    after = None
    while True:
        page, after = store.check_states.ailing(OWNER, 1, after)
        listed += page
        if after is None:
            break
    assert dict(listed) == found
    assert store.check_cursors.cursor("r4k2-9m3x-62") is None
    assert store.check_cursors.ailing_scan() is None
    store.check_cursors.put_cursor("r4k2-9m3x-62", CheckCursor(MOMENT, "a"))
    assert store.check_cursors.cursor("r4k2-9m3x-62") == CheckCursor(MOMENT, "a")
