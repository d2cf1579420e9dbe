"""A function that routes with Powertools, logs with it, and reads one item with boto3: today's usual way."""

import os
from typing import Any

import boto3
from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response

client: Any = boto3.client("dynamodb")
logger = Logger(service="resolve")
application = APIGatewayRestResolver()


@application.get("/.+")
def redirect() -> Response[str]:
    """A redirect to what an item says; the item is called for the last part of the path."""
    path = application.current_event.path
    name = path.rpartition("/")[2].partition(":")[0]
    item = client.get_item(TableName=os.environ["PREFIX_TABLE"], Key={"name": {"S": name}}).get("Item", {})
    logger.info("asked", extra={"asked": path, "status": 302})
    return Response(302, headers={"Location": f"https://content.example.org/{len(item)}"}, body="")


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Routed."""
    return application.resolve(event, context)
