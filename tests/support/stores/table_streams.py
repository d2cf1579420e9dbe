"""Streams of tables, as Lambda passes them to a function, computed from real writes; also a queue and a CloudFront.

moto's own streams report updates as insertions, so changes are found by comparing a table with its former content.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from botocore.exceptions import ClientError, ConnectTimeoutError

from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import Record
from coolid.store.rows import CURRENT, pid_of, prefix_body, prefix_kind, record_body, side_attributes
from tests.support.builders.samples import MOMENT
from tests.support.stores.moto_store import MotoStore

Item = Mapping[str, Any]
"""An item in DynamoDB's JSON."""

KEYS = {"PrefixTable": ("name",), "LuiTable": ("pid", "version")}
CHANGED_AT = MOMENT.timestamp()
_numbers = count(1)


def stream_record(old: Item | None, new: Item | None, at: float = CHANGED_AT) -> dict[str, Any]:
    """Return the stream record of a change of one item (AWS Lambda Developer Guide, "Using AWS Lambda with Amazon
    DynamoDB").
    """
    item = new or old
    assert item is not None
    number = next(_numbers)
    images = {name: image for name, image in (("OldImage", old), ("NewImage", new)) if image is not None}
    return {
        "eventID": f"{number:032x}",
        "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "us-east-1",
        "dynamodb": {
            "ApproximateCreationDateTime": at,
            "Keys": {name: item[name] for name in ("name", "pid", "version") if name in item},
            **images,
            "SequenceNumber": str(1_100_000_000_017_454_423_009 + number),
            "SizeBytes": 26,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
        "eventSourceARN": "arn:aws:dynamodb:us-east-1:123456789012:table/a/stream/2025-07-10T14:22:30.000",
    }


class Streams:
    """The streams of a system's tables (their names by logical name), from now on."""

    def __init__(self, tables: Mapping[str, str]) -> None:
        self._tables = tables
        self._seen = {logical: self._items(logical) for logical in KEYS}

    def read(self, logical: str) -> list[dict[str, Any]]:
        """Return the changes of a table since the last call."""
        before, after = self._seen[logical], self._items(logical)
        self._seen[logical] = after
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        return [stream_record(before.get(key), after.get(key)) for key in changed]

    def _items(self, logical: str) -> dict[tuple[str, ...], Item]:
        items = [_comparable(item) for item in MotoStore().items(self._tables[logical])]
        return {tuple(str(item[name]) for name in KEYS[logical]): item for item in items}


def row_of(thing: Record | Namespace | ProviderPrefix, version: int = CURRENT) -> dict[str, Any]:
    """Return the row of a record or prefix, as the store writes it."""
    if isinstance(thing, Record):
        key = thing.id.replace("-", "")
        return {
            "pid": {"S": pid_of(thing.repository, key)},
            "version": {"N": str(version)},
            "status": {"S": thing.status},
            "revision": {"N": str(thing.version)},
            "body": {"S": record_body(thing)},
        } | ({"repository": {"S": thing.repository}} if version == CURRENT else {})
    row = {"kind": prefix_kind(thing), "body": prefix_body(thing), "name": thing.name}
    row |= side_attributes(thing)
    texts = {name: {"S": value} for name, value in row.items()}
    longer = {"longer": {"SS": sorted(thing.longer)}} if thing.longer else {}
    return {**texts, **longer, "revision": {"N": str(thing.revision)}}


@dataclass
class FakeSqs:
    """An SQS queue in memory; `broken` makes it fail."""

    sent: list[tuple[int, str]] = field(default_factory=list)
    broken: bool = False

    def send_message(self, *, QueueUrl: str, MessageBody: str, DelaySeconds: int = 0) -> dict[str, Any]:  # noqa: N803 - boto3's names
        if self.broken:
            raise ConnectTimeoutError(endpoint_url=QueueUrl)
        assert 0 <= DelaySeconds <= 900, "SQS delays for 15 minutes at the most"
        assert len(MessageBody.encode()) <= 262_144, "SQS takes messages of 256 KiB"
        self.sent.append((DelaySeconds, MessageBody))
        return {"MessageId": str(len(self.sent))}

    def event(self) -> dict[str, Any]:
        """Return the event with all sent messages."""
        return {"Records": [message(body, str(number)) for number, (_, body) in enumerate(self.sent)]}


def message(body: str, message_id: str = "059f36b4-87a3-44ab-83d2-661975830a7d") -> dict[str, Any]:
    """Return a message as Lambda passes it on ("Using Lambda with Amazon SQS")."""
    return {
        "messageId": message_id,
        "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
        "body": body,
        "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1545082649183"},
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:purge",
        "awsRegion": "us-east-1",
    }


@dataclass
class FakeCloudFront:
    """Accepts invalidations; `failures` are raised one by one, "before" the invalidation or "after" it.

    As in CloudFront, a repeated reference creates nothing new, and another request with the same reference is refused.
    """

    failures: list[tuple[str, Exception]] = field(default_factory=list)
    taken: dict[str, list[str]] = field(default_factory=dict)

    def create_invalidation(self, *, DistributionId: str, InvalidationBatch: Mapping[str, Any]) -> dict[str, Any]:  # noqa: N803
        paths, reference = InvalidationBatch["Paths"], InvalidationBatch["CallerReference"]
        assert DistributionId == "E2EXAMPLE"
        assert paths["Quantity"] == len(paths["Items"]) > 0
        when, failure = self.failures.pop(0) if self.failures else ("", None)
        if when == "before" and failure:
            raise failure
        if self.taken.setdefault(reference, paths["Items"]) != paths["Items"]:
            raise refusal("InvalidationBatchAlreadyExists")
        if failure:
            raise failure
        return {"Invalidation": {"Id": "I2EXAMPLE", "Status": "InProgress"}}

    @property
    def items(self) -> list[list[str]]:
        """Return the items of each invalidation."""
        return list(self.taken.values())


def distribution(name: str) -> Any:
    """Return a minimal configuration of a distribution; no two may have the same name."""
    origin = {"HTTPPort": 80, "HTTPSPort": 443, "OriginProtocolPolicy": "https-only"}
    return {
        "CallerReference": name,
        "Comment": "",
        "Enabled": True,
        "Origins": {
            "Quantity": 1,
            "Items": [{"Id": "api", "DomainName": "api.example.org", "CustomOriginConfig": origin}],
        },
        "DefaultCacheBehavior": {"TargetOriginId": "api", "ViewerProtocolPolicy": "https-only"},
    }


def refusal(code: str, status: int = 400) -> ClientError:
    """Return botocore's exception for a refusal of CloudFront."""
    return ClientError(
        {"Error": {"Code": code, "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": status}},  # type: ignore[typeddict-item]
        "CreateInvalidation",
    )


@dataclass
class Notes:
    """Collects log entries and metrics."""

    lines: list[tuple[str, str, Mapping[str, object]]] = field(default_factory=list)
    metrics: list[tuple[str, int]] = field(default_factory=list)

    def info(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        self.lines.append(("info", str(message), extra))

    def warning(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        self.lines.append(("warning", str(message), extra))

    def error(self, message: object, /, *, extra: Mapping[str, object]) -> None:
        self.lines.append(("error", str(message), extra))

    def count(self, name: str, value: int = 1, **dimensions: str) -> None:
        self.metrics.append((name, value))

    def levels(self) -> list[str]:
        return [level for level, _, _ in self.lines]


def passes(patterns: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> bool:
    """Return whether Lambda passes a record on, with the filters of an event source ("Filter rule syntax": values,
    `exists`, `anything-but`).
    """
    return any(_fits(pattern, record) for pattern in patterns)


def _fits(pattern: Mapping[str, Any], value: Any) -> bool:
    for name, wanted in pattern.items():
        there = isinstance(value, Mapping) and name in value
        if isinstance(wanted, Mapping):
            if not there or not _fits(wanted, value[name]):
                return False
        elif not any(_rule(rule, there, value[name] if there else None) for rule in wanted):
            return False
    return True


def _rule(rule: Any, there: bool, value: Any) -> bool:
    match rule:
        case {"exists": bool(wanted)}:
            return there is wanted
        case {"anything-but": [*others]}:
            return there and value not in others
        case str():
            return there and value == rule
        case _:
            raise ValueError(f"no event filter of ours has a rule like {rule}")


def _comparable(item: Item) -> dict[str, Any]:
    return {name: {kind: sorted(content) if kind == "SS" else content} for name, kind, content in _parts(item)}


def _parts(item: Item) -> Iterator[tuple[str, str, Any]]:
    for name, value in item.items():
        ((kind, content),) = value.items()
        yield name, kind, content
