"""Signed resolution results of several operators, with transfers of custody, made with `cryptography` alone."""

from typing import Any

from coolid.identifiers.schemes import linkid
from coolid.proofs.statements import digest_of
from tests.support.builders.signed_documents import ISSUED_AT, Key, document

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
TIME = "2026-10-08T12:00:00Z"


class Operator:
    """An issuer with a key pair. The same number gives the same pair."""

    def __init__(self, name: str, number: int) -> None:
        self.issuer = f"https://{name}.example"
        self.key = Key(number)

    @property
    def key_set(self) -> dict[str, Any]:
        return {"keys": [dict(self.key.jwk)]}

    def version(
        self, number: int = 1, previous: dict[str, Any] | None = None, *, name: str = LINKID, **members: Any
    ) -> dict[str, Any]:
        """Return a signed version of a LinkID's record, on top of the previous one."""
        made = document(
            id=linkid.compact(name),
            pid=f"{self.issuer}/{name}",
            issuer=self.issuer,
            version=number,
            records=[{"uri": f"{self.issuer}/thing", "status": "active"}],
            previous=digest_of(previous) if previous else None,
        )
        return self.key.sign(made | members)

    def acceptance(self, offer: dict[str, Any], name: str = LINKID) -> str:
        """Return the acceptance of an offer."""
        statement = {
            "custody": "acceptance",
            "linkid": name,
            "pid": offer["pid"],
            "version": offer["version"],
            "digest": digest_of(offer),
            "to": self.issuer,
            "iss": self.issuer,
            "iat": ISSUED_AT,
        }
        return self.key.proof(statement)

    def transferred(self, to: "Operator", acceptance: str | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the transfer of a record to another operator, version 2, and its version 3 there."""
        offer = self.version(metadata={"linkid": {"offer": {"to": to.issuer, "at": TIME}}})
        transfer = {
            "from": self.issuer,
            "to": to.issuer,
            "at": TIME,
            "version": 2,
            "acceptance": acceptance or to.acceptance(offer),
        }
        metadata = {"linkid": {"transfers": [transfer]}}
        location = [{"uri": f"{to.issuer}/{LINKID}", "status": "active"}]
        last = self.version(2, offer, metadata=metadata, records=location)
        return last, to.version(3, last, metadata=metadata, repository=to.issuer)


def result(record: dict[str, Any], *transfers: dict[str, Any], **members: Any) -> dict[str, Any]:
    """Return the result with a record and the transfers before it, as its issuer's resolver states it."""
    stated = record["metadata"].get("linkid", {}).get("transfers", [])
    custody = [
        {"from": transfer["from"], "to": transfer["to"], "at": transfer["at"], "record": version}
        for transfer, version in zip(stated, transfers, strict=True)
    ]
    return {
        "id": LINKID,
        "status": "active",
        "target_url": record["records"][0]["uri"],
        "version": record["version"],
        "authoritative": True,
        "record": record,
        "custody": custody,
    } | members
