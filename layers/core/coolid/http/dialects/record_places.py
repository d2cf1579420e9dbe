"""The places of records that other systems' APIs address by identifier: a namespace, and a key in its repository."""

from msgspec import Struct

from coolid.model.prefixes import Namespace, join
from coolid.resolution.identifier_spellings import own_identifier


class RecordPlace(Struct, frozen=True):
    """Where a record is or would be: its namespace, its identifier in a valid spelling, and its key."""

    namespace: Namespace
    identifier: str
    key: str

    @classmethod
    def of(cls, namespace: Namespace, text: str) -> "RecordPlace":
        """Return the place of an identifier; raise `InvalidIdentifier` if it breaks the repository's rules."""
        identifier = own_identifier(namespace, text)
        return cls(namespace, identifier, namespace.repository.rules.validate(identifier))

    @property
    def path(self) -> str:
        """The identifier with its prefix, as in a path of this service."""
        repository = self.namespace.repository
        return join(repository.canonical or self.namespace.name, repository.rules.display(self.key))
