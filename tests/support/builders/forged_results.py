"""Resolution results that an operator can forge with their own signing key, about a LinkID of another operator."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coolid.aws.key_file import KeyFileSigner
from coolid.linkid.states import ACTIVE
from coolid.model.custody import MEMBER
from coolid.model.records import Record
from coolid.proofs.acceptances import acceptance_statement
from coolid.proofs.statements import compact, digest_of, signing_input, statement_of
from tests.support.builders.signed_documents import ISSUED_AT

FORGED = "https://rogue.example.org/forged"


class Forger:
    """An operator with the base URL `issuer` and the signing key in a file."""

    def __init__(self, issuer: str, key_file: Path) -> None:
        self.issuer = issuer
        self._signer = KeyFileSigner(key_file)

    def without_chain(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of this operator's record, but as if the LinkID were minted here."""
        return self._result(result["id"], self._record(result["record"], version=1, metadata={}), [])

    def after_revocation(self, linkid: str, offer: Mapping[str, Any]) -> dict[str, Any]:
        """Return the result of a transfer which the offering operator never signed, on top of a revoked offer."""
        statement = acceptance_statement(Record.from_document(offer), self.issuer)
        acceptance = self._jws(statement | {"iss": self.issuer, "iat": ISSUED_AT})
        entry = {"from": offer["issuer"], "to": self.issuer, "at": offer["updated"]}
        version = offer["version"] + 1
        metadata = {MEMBER: {"transfers": [entry | {"version": version, "acceptance": acceptance}]}}
        own = self._record(offer, version=version, metadata=metadata, previous=digest_of(offer))
        transfer = self._signed(
            own | {"issuer": offer["issuer"], "pid": offer["pid"], "records": [{"uri": own["pid"]}]}
        )
        own = self._record(own, version=version + 1, metadata=metadata, previous=digest_of(transfer))
        return self._result(linkid, own, [entry | {"record": transfer}])

    def _record(self, document: Mapping[str, Any], **members: Any) -> dict[str, Any]:
        """Return a signed version of this operator that leads elsewhere."""
        path = document["pid"].removeprefix(document["issuer"])
        own = {"issuer": self.issuer, "pid": self.issuer + path, "records": [{"uri": FORGED, "status": "active"}]}
        bare = {name: value for name, value in document.items() if name not in ("previous", "proof")}
        return self._signed(bare | own | members)

    def _signed(self, document: Mapping[str, Any]) -> dict[str, Any]:
        bare = {name: value for name, value in document.items() if name != "proof"}
        return bare | {"proof": self._jws(statement_of(bare, ISSUED_AT))}

    def _jws(self, statement: Mapping[str, Any]) -> str:
        signed = signing_input(statement, self._signer.public_key()["kid"])
        return compact(signed, self._signer.sign(signed))

    def _result(self, linkid: str, record: dict[str, Any], custody: list[Any]) -> dict[str, Any]:
        return {
            "id": linkid,
            "status": ACTIVE,
            "target_url": FORGED,
            "version": record["version"],
            "authoritative": True,
            "authority": self.issuer,
            "targets": [{"url": FORGED}],
            "record": record,
            "keys_url": f"{self.issuer}/.well-known/jwks.json",
            "custody": custody,
        }
