"""A function that reads one item with boto3, and does nothing else: today's usual way, without any framework."""

import os
from typing import Any

import boto3

client: Any = boto3.client("dynamodb")


def handler(event: Any, _context: Any) -> dict[str, Any]:
    """A redirect to what an item says; the item is called for the last part of the path."""
    name = event["path"].rpartition("/")[2].partition(":")[0]
    item = client.get_item(TableName=os.environ["PREFIX_TABLE"], Key={"name": {"S": name}}).get("Item", {})
    headers = {"Location": [f"https://content.example.org/{len(item)}"]}
    return {"statusCode": 302, "multiValueHeaders": headers, "body": "", "isBase64Encoded": False}
