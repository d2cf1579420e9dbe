"""The whole store in DynamoDB."""

from coolid.aws.dynamodb.changes import DynamoChanges
from coolid.aws.dynamodb.checks import (
    DynamoCheckCursors,
    DynamoCheckRequests,
    DynamoCheckStates,
    DynamoConditions,
    DynamoWebhooks,
)
from coolid.aws.dynamodb.client import DynamoClient
from coolid.aws.dynamodb.clients import DynamoClients, DynamoSessions
from coolid.aws.dynamodb.counters import DynamoCounters, DynamoQuotas
from coolid.aws.dynamodb.prefixes import DynamoPrefixes
from coolid.aws.dynamodb.public_keys import DynamoPublicKeys
from coolid.aws.dynamodb.record_search import DynamoRecordSearch
from coolid.aws.dynamodb.records import DynamoRecords
from coolid.aws.dynamodb.repositories import DynamoRepositories
from coolid.aws.dynamodb.tables import Tables
from coolid.aws.dynamodb_client.transport import Transport
from coolid.ports import Entropy
from coolid.store.store import Store


def dynamo_store(transport: Transport, tables: Tables, entropy: Entropy | None = None, deployment: int = 0) -> Store:
    """Return a store that reads with `transport` and writes `tables`. `entropy` supplies write tokens.

    `deployment` is the number of the deployed code (`coolid.aws.dynamodb.changes`).
    """
    client = DynamoClient(transport, tables, entropy)
    changes = DynamoChanges(client, deployment)
    return Store(
        prefixes=DynamoPrefixes(client),
        repositories=DynamoRepositories(client),
        records=DynamoRecords(client),
        changes=changes,
        record_search=DynamoRecordSearch(client, changes),
        public_keys=DynamoPublicKeys(client),
        clients=DynamoClients(client),
        counters=DynamoCounters(client),
        quotas=DynamoQuotas(client),
        check_states=DynamoCheckStates(client),
        conditions=DynamoConditions(client),
        check_cursors=DynamoCheckCursors(client),
        check_requests=DynamoCheckRequests(client),
        webhooks=DynamoWebhooks(client),
        sessions=DynamoSessions(client),
    )
