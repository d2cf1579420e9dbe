"""Histories of a LinkID whose custody passes from operator to operator, signed by each, and results about them."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from coolid.linkid.states import ACTIVE, DEPRECATED, INACTIVE, REVOKED, TOMBSTONED
from coolid.model.records import Record, format_time
from coolid.proofs.acceptances import acceptance_statement
from coolid.proofs.statements import digest_of
from tests.support.builders.signed_documents import Key, key_set

UUID = "00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
LINKID = f"linkid:{UUID}"
OTHER_UUID = "b2f6f0d7-c7d3-4e3e-8a4f-0a6b2a9c9f14"
BEGIN = datetime(2026, 10, 8, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
GONE = {ACTIVE: None, INACTIVE: None, DEPRECATED: "gone", REVOKED: "gone", TOMBSTONED: "gone"}


@dataclass(frozen=True)
class Operator:
    """An operator with its base URL and signing key."""

    issuer: str
    key: Key

    def pid(self, name: str = LINKID) -> str:
        return f"{self.issuer}/{name}"


A, B, C, D = (Operator(f"https://{name}.example", Key(number)) for number, name in enumerate("abcd", 1))
ROGUE = Operator("https://rogue.example", Key(99))
KEYS = {operator.issuer: key_set(operator.key) for operator in (A, B, C, D, ROGUE)}


@dataclass
class CustodyChain:
    """The versions of a record, the oldest first; `operator` is the one who has it. Each method adds versions."""

    operator: Operator
    versions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def newest(self) -> dict[str, Any]:
        return self.versions[-1]

    @property
    def custody(self) -> dict[str, Any]:
        """A copy of the newest version's member about custody."""
        return deepcopy(self.newest["metadata"].get("linkid", {}))

    def mint(self, target: str = "https://content.example.org/1") -> None:
        self.versions.append(
            self.operator.key.sign(
                {
                    "id": UUID,
                    "pid": self.operator.pid(),
                    "repository": f"r-{self.operator.issuer[-9:-8]}",
                    "version": 1,
                    "created": format_time(BEGIN),
                    "updated": format_time(BEGIN),
                    "issuer": self.operator.issuer,
                    "status": "active",
                    "metadata": {"who": "Émile", "how": [1.5, 1e21]},
                    "records": [{"uri": target, "status": "active"}],
                    "alternates": [],
                }
            )
        )

    def add(self, operator: Operator | None = None, **members: Any) -> dict[str, Any]:
        """Add the next version, with these members changed; None removes one."""
        operator = operator or self.operator
        following = {
            **self.newest,
            "version": self.newest["version"] + 1,
            "updated": format_time(BEGIN + timedelta(hours=self.newest["version"])),
            "previous": digest_of(self.newest),
            **members,
        }
        following = {name: value for name, value in following.items() if value is not None}
        self.versions.append(operator.key.sign(following))
        return self.newest

    def update(self, *targets: str) -> None:
        self.add(records=[{"uri": target, "status": "active"} for target in targets])

    def withdraw(self, successor: str | None = None, *, revoked: bool = False) -> None:
        withdrawn = {"at": format_time(BEGIN), "reason": "It is gone.", "successor": successor}
        custody = self.custody | ({"state": "revoked"} if revoked else {})
        places = [place | {"status": "inactive"} for place in self.newest["records"]]
        self.add(status="withdrawn", withdrawn=withdrawn, records=places, metadata=self._metadata(custody))

    def offer(self, to: Operator) -> None:
        self.add(metadata=self._metadata(self.custody | {"offer": {"to": to.issuer, "at": "2026-10-09T00:00:00Z"}}))

    def revoke(self) -> None:
        self.add(metadata=self._metadata({k: v for k, v in self.custody.items() if k != "offer"}))

    def acceptance(self, to: Operator, changes: Mapping[str, Any] = MappingProxyType({})) -> str:
        """Return the acceptance of the newest version, or of something else by these changes of the statement."""
        offer = Record.from_document(self.newest)
        statement = acceptance_statement(offer, to.issuer) | {"iss": to.issuer, "iat": 1_790_000_000}
        return to.key.proof({**statement, **changes})

    def transfer(self, to: Operator, acceptance: str | None = None, **changes: Any) -> None:
        """Add the transfer of an offered record."""
        entry = {
            "from": self.operator.issuer,
            "to": to.issuer,
            "at": "2026-10-10T00:00:00Z",
            "version": self.newest["version"] + 1,
            "acceptance": self.acceptance(to) if acceptance is None else acceptance,
        } | changes
        custody = {name: value for name, value in self.custody.items() if name != "offer"}
        custody["transfers"] = [*custody.get("transfers", []), entry]
        is_gone = self.newest["status"] == "withdrawn"
        places = self.newest["records"] if is_gone else [{"uri": to.pid(), "status": "active"}]
        self.add(metadata=self._metadata(custody), records=places)

    def take_over(self, to: Operator, **members: Any) -> None:
        """Add the first version of the recipient, with the content of the offer."""
        offered = self.versions[-2]
        own = {"issuer": to.issuer, "pid": to.pid(), "repository": f"r-{to.issuer[-9:-8]}"}
        self.add(to, **(own | {"records": offered["records"]} | members))
        self.operator = to

    def move(self, to: Operator) -> None:
        """Offer, transfer and take over."""
        self.offer(to)
        self.transfer(to)
        self.take_over(to)

    def result(self) -> dict[str, Any]:
        """Return the result of an honest resolver about the newest version."""
        return result_of(self.newest, self.versions)

    def _metadata(self, custody: Mapping[str, Any]) -> dict[str, Any]:
        others = {name: value for name, value in self.newest["metadata"].items() if name != "linkid"}
        return others | ({"linkid": dict(custody)} if custody else {})


def result_of(record: dict[str, Any], versions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the result about a version, with the transfers that it states."""
    transfers = record["metadata"].get("linkid", {}).get("transfers", [])
    by_version = {version["version"]: version for version in versions}
    is_transfer = bool(transfers) and transfers[-1]["version"] == record["version"]
    targets = [place["uri"] for place in record["records"] if place["status"] == "active"]
    withdrawn = record.get("withdrawn") or {}
    status = _status(record, targets)
    return deepcopy(
        {
            "id": LINKID,
            "status": status,
            "target_url": targets[0] if targets else None,
            "error": GONE[status],
            "version": record["version"],
            "authority": transfers[-1]["to"] if is_transfer else record["issuer"],
            "targets": [{"url": target, "fallback": place > 0} for place, target in enumerate(targets)],
            "withdrawn_at": withdrawn.get("at"),
            "reason": withdrawn.get("reason"),
            "successor": withdrawn.get("successor"),
            "record": record,
            "custody": [
                {"from": each["from"], "to": each["to"], "at": each["at"], "record": by_version[each["version"]]}
                for each in transfers
            ],
        }
    )


def _status(record: Mapping[str, Any], targets: Sequence[str]) -> str:
    if record["status"] == "active":
        return ACTIVE if targets else INACTIVE
    if record["metadata"].get("linkid", {}).get("state") == "revoked":
        return REVOKED
    return DEPRECATED if record["withdrawn"]["successor"] else TOMBSTONED
