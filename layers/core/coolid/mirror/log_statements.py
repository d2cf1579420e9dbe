"""What the entries of a log say that a mirror needs: versions, prefixes, keys, and the time of the newest entry."""

from typing import Any

from coolid.mirror.inventory import Inventory
from coolid.mirror.sources.source import statement_of


class LogStatements:
    """Collects statements: versions into `inventory`, the others here.

    `namespaces` are the names of prefixes of repositories, `keys` the public keys of proofs by their names. `newest` is
    the latest POSIX time of a statement, and `issuer` the service of the latest one. `has_changes` is true if a
    repository or prefix changed, on which the answers for many identifiers may depend.
    """

    def __init__(self, inventory: Inventory) -> None:
        self._inventory = inventory
        self.namespaces = set[str]()
        self.keys: dict[str, dict[str, Any]] = {}
        self.newest = 0
        self.issuer = ""
        self.has_changes = False

    def add(self, index: int, entry: bytes) -> None:
        """Add an entry. One that has no statement of a known form is ignored: it is in the copy of the log."""
        statement = statement_of(entry)
        if statement is None:
            return
        issued, issuer, version = statement.get("iat"), statement.get("iss"), statement.get("version")
        if isinstance(issued, int) and isinstance(issuer, str):
            self.newest, self.issuer = max(self.newest, issued), issuer
        pid, prefix, jwk = statement.get("pid"), statement.get("prefix"), statement.get("jwk")
        if isinstance(pid, str) and isinstance(version, int):
            self._inventory.add_entry(pid, version, index)
        elif isinstance(prefix, str):
            self.has_changes = True
            if statement.get("kind") == "namespace":
                self.namespaces.add(prefix)
        elif "repository" in statement:
            self.has_changes = True
        elif isinstance(jwk, dict) and isinstance(jwk.get("kid"), str):
            self.keys[jwk["kid"]] = jwk
