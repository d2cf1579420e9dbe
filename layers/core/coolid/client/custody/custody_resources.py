"""The custody of the records of a service, synchronously: `client.custody`."""

from coolid.client.custody import custody_operations
from coolid.client.documents import Record
from coolid.client.resources import Items, Run
from coolid.client.service_api import ServiceApi


class RecordCustody:
    """Offers of records to other operators, and acceptances of theirs: `client.custody`."""

    def __init__(self, api: ServiceApi, run: Run, items: Items) -> None:
        self._api = api
        self._run = run
        self._items = items

    def offer(self, pid: str | Record, to: str, *, etag: str | None = None) -> Record:
        """Offer a record to the operator of the service with the base URL `to`. See `Client.update` for `etag`.

        Until the offer is accepted or revoked, the record resolves as before and cannot be changed.

        Raises:
            ResourceConflict: It is offered to another service, or was transferred.
            ValidationFailed: It has no LinkID, or is reserved.
        """
        return self._run(custody_operations.offer(self._api, pid, to, etag))

    def revoke(self, pid: str | Record, *, etag: str | None = None) -> Record:
        """Revoke the offer of a record. See `Client.update` for `etag`.

        Raises:
            ResourceConflict: It is not offered, or was transferred, which only the recipient can undo.
        """
        return self._run(custody_operations.revoke(self._api, pid, etag))

    def accept(self, linkid: str, sender: str) -> Record:
        """Accept a LinkID that the service with the base URL `sender` offers to this one. Return the record here.

        The service reads the record's versions from the sender, verifies them, and signs the acceptance. The request
        can be repeated at any time.

        Raises:
            RequestDeclined: There is no valid offer to this service, or the sender refuses the acceptance.
        """
        return self._run(custody_operations.accept(self._api, linkid, sender))
