"""Webhooks in DynamoDB, stored in the table of check states.

Their rows never expire. Lists of failing addresses and exports do not include them.
"""

from typing import Final

from msgspec import json

from coolid.aws.dynamodb.writer import DynamoWriter, translate_errors
from coolid.model.check_state import repository_owner
from coolid.model.webhooks import Webhook

NAME: Final = "/webhook"
"""The range key of a webhook. The names of check states differ, because they contain a `#`."""
_DECODER: Final = json.Decoder(Webhook)


class DynamoWebhooks(DynamoWriter):
    """Implements `coolid.store.checks.WebhookStore`."""

    def webhook(self, repository_id: str) -> Webhook | None:
        """See `WebhookStore`. Takes one GetItem."""
        key = {"owner": {"S": repository_owner(repository_id)}, "name": {"S": NAME}}
        row = self.item(self._tables.pulse.Meta.table_name, key, consistent=True)
        return None if row is None else _DECODER.decode(row["body"])

    def put_webhook(self, repository_id: str, webhook: Webhook) -> None:
        """See `WebhookStore`."""
        with translate_errors(None):
            self._tables.pulse(
                owner=repository_owner(repository_id), name=NAME, body=json.encode(webhook).decode()
            ).save()

    def delete_webhook(self, repository_id: str) -> None:
        """See `WebhookStore`."""
        with translate_errors(None):
            self._tables.pulse(repository_owner(repository_id), NAME).delete()
