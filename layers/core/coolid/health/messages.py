"""Letters: what the probe function tells itself through its queue.

`CheckBatch` say whom to look at, all of them hosts of one shard; a `WebhookNotice` says what a repository's webhook is to be told.
Either may come twice. Letters of one group are worked off one after another: a group is a shard, or a webhook.

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
MOST_ERRANDS: Final = 25
"""Of one letter."""


class InvalidCheckMessage(Exception):
    """A message of the queue that is none of ours."""


class CheckBatch(Struct, frozen=True, tag="visits"):
    """The `errands` of the tick that began `at` so many seconds since 1970."""

    at: int
    errands: tuple[CheckTask, ...]

    @property
    def group(self) -> str:
        """Its shard."""
        return f"shard-{shard_of(host_of(self.errands[0].url) or '', SHARDS)}"

    def text(self) -> str:
        """As it is sent."""
        return json.encode(self).decode()


class WebhookNotice(Struct, frozen=True, tag="notice"):
    """The `event` (`coolid.health.webhooks`) that a repository's webhook is to be told, since so many seconds."""

    at: int
    repository: str
    event: Mapping[str, Any]

    @property
    def group(self) -> str:
        """Its own: a webhook that does not answer holds up nobody else's."""
        return f"webhook-{sha256(self.repository.encode()).hexdigest()[:32]}"

    def text(self) -> str:
        """As it is sent."""
        return json.encode(self).decode()


Letter = CheckBatch | WebhookNotice
_LETTERS: Final = json.Decoder(Letter)


class MessageQueue(Protocol):
    """Where letters wait."""

    def send(self, letters: Sequence[Letter]) -> None:
        """Send letters; one that was sent a moment ago is not sent again."""


def parse_message(text: str) -> Letter:
    """The inverse of `text`; `InvalidCheckMessage`."""
    try:
        letter: Letter = _LETTERS.decode(text)
    except MsgspecError as error:
        raise InvalidCheckMessage(str(error)) from error
    if isinstance(letter, CheckBatch) and not letter.errands:
        raise InvalidCheckMessage("it has no errand")
    return letter


def name_of(letter: Letter) -> str:
    """The same for the same letter, and no other."""
    return sha256(letter.text().encode()).hexdigest()


def check_batches(errands: Iterable[CheckTask], at: int) -> Iterator[CheckBatch]:
    """The errands of a tick in letters of one shard each.

    Their order is another at each tick: where a host has no time for all of them, it is not always the same that wait.
    """
    shards: defaultdict[int, list[CheckTask]] = defaultdict(list)
    for errand in errands:
        shards[shard_of(host_of(errand.url) or "", SHARDS)].append(errand)
    for _, those in sorted(shards.items()):
        those.sort(key=lambda errand: shuffled(errand.subject, at))
        for start in range(0, len(those), MOST_ERRANDS):
            yield CheckBatch(at, tuple(those[start : start + MOST_ERRANDS]))


def shuffled(subject: CheckSubject, at: int) -> bytes:
    """By which subjects are in another order at each moment."""
    return sha256(f"{at} {subject.owner} {subject.name}".encode()).digest()
