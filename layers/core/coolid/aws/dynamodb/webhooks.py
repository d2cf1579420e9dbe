"""Webhooks in the store: beside the pulses of the repository whose keepers want to hear of them.

Their rows never expire, and no list of ailing addresses has them. No export does, either: what is restored elsewhere
is watched from elsewhere.
"""

from typing import Final

from msgspec import json

from coolid.aws.dynamodb.writer import DynamoWriter, translated
from coolid.health.webhooks import Webhook
from coolid.model.check_state import repository_owner

NAME: Final = "/webhook"
"""Under which it stands among the pulses of a repository, whose names all have a `#`."""
_WEBHOOKS: Final = json.Decoder(Webhook)


class DynamoWebhooks(DynamoWriter):
    """Implements `coolid.health.webhooks.WebhookStore`."""

    def webhook(self, repository_id: str) -> Webhook | None:
        """As of `WebhookStore`: one GetItem."""
        key = {"owner": {"S": repository_owner(repository_id)}, "name": {"S": NAME}}
        row = self.item(self._tables.pulse.Meta.table_name, key, consistent=True)
        return None if row is None else _WEBHOOKS.decode(row["body"])

    def put_webhook(self, repository_id: str, webhook: Webhook) -> None:
        """As of `WebhookStore`."""
        with translated(None):
            self._tables.pulse(
                owner=repository_owner(repository_id), name=NAME, body=json.encode(webhook).decode()
            ).save()

    def delete_webhook(self, repository_id: str) -> None:
        """As of `WebhookStore`."""
        with translated(None):
            self._tables.pulse(repository_owner(repository_id), NAME).delete()
