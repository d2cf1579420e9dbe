"""Operators of LinkID resolvers: signed records, resolution results, and transfers of custody between them."""

from collections.abc import Mapping
from typing import Any

from coolid.identifiers.schemes import linkid as scheme
from coolid.proofs.statements import digest_of
from tests.support.builders.signed_documents import ISSUED_AT, Key, key_set
from tests.support.builders.signed_documents import document as unsigned

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
OTHER = "linkid:11c538ea-846b-47a6-a3d4-70a9ebd29d7c"
TARGET = "https://content.example.org/handbook"


def moment(version: int) -> str:
    return f"2025-07-{9 + version:02d}T14:22:30Z"


class Operator:
    """The operator with this public base URL and key."""

    def __init__(self, issuer: str, secret: int = 1) -> None:
        self.issuer = issuer
        self.key = Key(secret)

    @property
    def keys(self) -> dict[str, Any]:
        return key_set(self.key)

    def record(self, version: int = 1, *, linkid: str = LINKID, target: str = TARGET, **members: Any) -> dict[str, Any]:
        """Return a signed version, which is no continuation of another one unless it names it by `previous`."""
        document = unsigned(
            pid=f"{self.issuer}/{linkid}",
            id=scheme.compact(linkid),
            issuer=self.issuer,
            version=version,
            updated=moment(version),
            previous=None if version == 1 else f"sha-256=:{'A' * 43}=:",
            records=[{"uri": target, "status": "active"}] if target else [],
        )
        merged = {name: value for name, value in (document | members).items() if value is not None}
        return self.key.sign(merged)

    def tombstone(self, version: int = 2, successor: str | None = None, state: str | None = None) -> dict[str, Any]:
        withdrawn = {"at": moment(version), "reason": "Merged."} | ({"successor": successor} if successor else {})
        custody: dict[str, Any] = {"metadata": {"linkid": {"state": state}}} if state else {}
        return self.record(version, target="", status="withdrawn", withdrawn=withdrawn, **custody)

    def result(self, record: Mapping[str, Any], **members: Any) -> dict[str, Any]:
        """Return the document of a resolution result about an active version."""
        locations = record.get("records") or [{}]
        return {
            "id": LINKID,
            "status": "active",
            "target_url": locations[0].get("uri"),
            "version": record["version"],
            "authoritative": True,
            "authority": self.issuer,
            "record": record,
            **members,
        }

    def withdrawn(self, record: Mapping[str, Any], status: str, **members: Any) -> dict[str, Any]:
        """Return the document of a 410 response."""
        withdrawal = record["withdrawn"]
        stated = {
            "withdrawn_at": withdrawal["at"],
            "reason": withdrawal["reason"],
            "successor": withdrawal.get("successor"),
        }
        return self.result(record, status=status, target_url=None, error="gone") | stated | members

    def acceptance(self, offer: Mapping[str, Any], **members: Any) -> str:
        """Return the acceptance of an offer, a compact JWS."""
        statement = {
            "custody": "acceptance",
            "linkid": LINKID,
            "pid": offer["pid"],
            "version": offer["version"],
            "digest": digest_of(offer),
            "to": self.issuer,
            "iss": self.issuer,
            "iat": ISSUED_AT,
        }
        return self.key.proof(statement | members)

    def transfer(
        self, offer: Mapping[str, Any], recipient: "Operator", acceptance: str | None = None
    ) -> dict[str, Any]:
        """Return the version after an offer, by which this operator gives the record to another one."""
        version = offer["version"] + 1
        accepted = acceptance or recipient.acceptance(offer)
        earlier = offer.get("metadata", {}).get("linkid", {}).get("transfers", [])
        entry = {
            "from": self.issuer,
            "to": recipient.issuer,
            "at": moment(version),
            "version": version,
            "acceptance": accepted,
        }
        return self.record(
            version,
            target=f"{recipient.issuer}/{LINKID}",
            previous=digest_of(offer),
            metadata={"linkid": {"transfers": [*earlier, entry]}},
        )


class Custody:
    """A record that the operator `sender` offered (version 2) and transferred (3), and its recipient took over (4)."""

    def __init__(
        self, sender: Operator, recipient: Operator, target: str = TARGET, acceptor: Operator | None = None
    ) -> None:
        first = sender.record(1, target=target)
        offered = {"linkid": {"offer": {"to": recipient.issuer, "at": moment(2)}}}
        self.offer = sender.record(2, target=target, previous=digest_of(first), metadata=offered)
        self.transfer = sender.transfer(self.offer, recipient, (acceptor or recipient).acceptance(self.offer))
        metadata = {"linkid": {"transfers": self.transfer["metadata"]["linkid"]["transfers"]}}
        self.record = recipient.record(4, target=target, previous=digest_of(self.transfer), metadata=metadata)
        self.evidence = [
            {"from": sender.issuer, "to": recipient.issuer, "at": moment(3), "record": self.transfer},
        ]
        self.referral = sender.result(
            self.transfer, authoritative=False, authority=recipient.issuer, custody=self.evidence
        )
        self.result = recipient.result(self.record, custody=self.evidence)
