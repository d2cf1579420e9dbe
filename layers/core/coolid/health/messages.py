"""The messages in the check function's queue.

A `CheckBatch` contains addresses to check, whose hosts belong to one shard. A `WebhookNotice` contains the event for a
repository's webhook. Either may arrive twice. Messages of one group, a shard or a webhook, are handled in order.

>>> visits = CheckBatch(1777896000, (CheckTask(CheckSubject("prefix:go", "ols"), "https://a.example/go"),))
>>> visits.text()
'{"type":"visits","at":1777896000,"errands":[{"subject":{"owner":"prefix:go","name":"ols"},"url":"https://a.example/go"}]}'
>>> parse_message(visits.text()) == visits
True
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Protocol

from msgspec import MsgspecError, Struct, json

from coolid.health.schedule import CheckTask, host_of, shard_of
from coolid.model.check_state import CheckSubject

SHARDS: Final = 32
MAX_BATCH_TASKS: Final = 25
STALE_SECONDS: Final = 3_600
"""The age at which a batch is dropped."""


class InvalidCheckMessage(Exception):
    """The text is not a valid message."""


class _JsonMessage(Struct, frozen=True):
    def text(self) -> str:
        """Return the message as JSON."""
        return json.encode(self).decode()


class CheckBatch(_JsonMessage, frozen=True, tag="visits"):
    """The check tasks (`errands`) of the tick that began `at`, in seconds since 1970."""

    at: int
    errands: tuple[CheckTask, ...]

    @property
    def group(self) -> str:
        """The name of its shard."""
        return f"shard-{shard_of(host_of(self.errands[0].url) or '', SHARDS)}"


class WebhookNotice(_JsonMessage, frozen=True, tag="notice"):
    """The `event` (`coolid.health.webhook_notices`) for a repository's webhook, of the tick that began `at`."""

    at: int
    repository: str
    event: Mapping[str, Any]

    @property
    def group(self) -> str:
        """A group of its own, so that a webhook that does not answer delays no other."""
        return f"webhook-{sha256(self.repository.encode()).hexdigest()[:32]}"


Message = CheckBatch | WebhookNotice
_DECODER: Final = json.Decoder(Message)


class MessageQueue(Protocol):
    """The queue of messages."""

    def send(self, messages: Sequence[Message]) -> None:
        """Send messages; a message that was sent a moment ago is not sent again."""


def parse_message(text: str) -> Message:
    """Return the message of a text. Raises `InvalidCheckMessage`."""
    try:
        message: Message = _DECODER.decode(text)
    except MsgspecError as error:
        raise InvalidCheckMessage(str(error)) from error
    if isinstance(message, CheckBatch) and not message.errands:
        raise InvalidCheckMessage("it has no task")
    return message


def message_id(message: Message) -> str:
    """Return a text that identifies the message by its content."""
    return sha256(message.text().encode()).hexdigest()


def check_batches(tasks: Iterable[CheckTask], at: int) -> Iterator[CheckBatch]:
    """Return the tasks of a tick in batches of one shard; their order differs, so that none is always last."""
    shards: defaultdict[int, list[CheckTask]] = defaultdict(list)
    for task in tasks:
        shards[shard_of(host_of(task.url) or "", SHARDS)].append(task)
    for _, members in sorted(shards.items()):
        members.sort(key=lambda task: shuffle_key(task.subject, at))
        for start in range(0, len(members), MAX_BATCH_TASKS):
            yield CheckBatch(at, tuple(members[start : start + MAX_BATCH_TASKS]))


def shuffle_key(subject: CheckSubject, at: int) -> bytes:
    """Return a sort key that orders subjects differently at each moment."""
    return sha256(f"{at} {subject.owner} {subject.name}".encode()).digest()
