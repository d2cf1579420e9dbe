"""The SQS queue of bulk jobs: each message starts the manage function, which carries out a slice of the job."""

from typing import Any, Final

import msgspec
from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct

from coolid.errors import StoreUnavailable

MAX_DELAY_SECONDS: Final = 900
"""The longest delay of a message (Amazon SQS API Reference, `SendMessage`)."""


class InvalidJobMessage(Exception):
    """The message is not a `JobMessage`."""


class JobMessage(Struct, frozen=True):
    """The id of the `job` that has work to do."""

    job: str

    def text(self) -> str:
        """Return the message as JSON.

        >>> JobMessage("k3x9").text()
        '{"job":"k3x9"}'
        """
        return msgspec.json.encode(self).decode()

    @classmethod
    def parse(cls, text: str) -> "JobMessage":
        """Return the message that `text` wrote. Raises `InvalidJobMessage`."""
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.MsgspecError as error:
            raise InvalidJobMessage(str(error)) from error


class SqsJobQueue:
    """Implements `JobQueue` with a low-level boto3 client."""

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self._url = url

    def send(self, job_id: str, delay_seconds: int = 0) -> None:
        """See `JobQueue`. Raises `StoreUnavailable`."""
        try:
            self._client.send_message(
                QueueUrl=self._url,
                MessageBody=JobMessage(job_id).text(),
                DelaySeconds=min(max(delay_seconds, 0), MAX_DELAY_SECONDS),
            )
        except (ClientError, BotoCoreError) as error:
            raise StoreUnavailable(f"the queue did not accept a message: {type(error).__name__}") from error
