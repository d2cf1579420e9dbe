"""What the mint and manage functions have in common: the store that writes, and Powertools for logs."""

from typing import Final

from aws_lambda_powertools import Logger

from coolid.aws.dynamodb import DynamoStore
from coolid.aws.settings import Settings
from coolid.aws.tables import bind
from coolid.aws.wiring.shared import WRITES, dynamodb
from coolid.web.application import Reporter
from coolid.web.message import Request

NAMESPACE: Final = "coolid"


def store(settings: Settings) -> DynamoStore:
    """The store over the tables that the settings name, in the client's own region."""
    client = dynamodb(WRITES)
    return DynamoStore(client, bind(settings, client.meta.region_name))


def reporter(service: str) -> Reporter:
    """What tells an application's unforeseen errors to the structured log."""
    logger = Logger(service=service)

    def report(error: Exception, request: Request) -> None:
        logger.error("unforeseen error", exc_info=error, request=request.request_id, method=request.method)

    return report
