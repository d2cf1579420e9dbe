"""Events for deployed functions, which LocalStack's schedules and streams do not send (`localstack_session`)."""

import json
import time
from typing import Any

from tests.deployed import localstack_session, sam
from tests.e2e.created_records import Minted

SCHEDULE = {"source": "aws.events"}


def invoke(stack: str, function: str, event: dict[str, Any]) -> Any:
    """Send an event to a function; its answer."""
    answer = localstack_session.client("lambda").invoke(
        FunctionName=sam.resources(stack)[function][1], Qualifier="live", Payload=json.dumps(event).encode()
    )
    returned = answer["Payload"].read()
    assert "FunctionError" not in answer, returned
    return json.loads(returned)


def change(stack: str, minted: Minted, before: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The current row of a record, and the event of its change as the stream sends it."""
    table = sam.resources(stack)["LuiTable"][1]
    repository = minted.document["repository"]
    key = {"pid": {"S": f"{repository}/{minted.id.replace('-', '')}"}, "version": {"N": "0"}}
    item = localstack_session.client("dynamodb").get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]
    images = {"NewImage": item} | ({"OldImage": before} if before else {})
    return item, {
        "eventSource": "aws:dynamodb",
        "eventID": "1",
        "dynamodb": {"Keys": key, "ApproximateCreationDateTime": time.time(), **images},
    }
