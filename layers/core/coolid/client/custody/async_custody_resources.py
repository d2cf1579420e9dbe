"""The custody of the records of a service, asynchronously, with the methods of `custody_resources`."""

from coolid.client.async_resources import AsyncItems, AsyncRun
from coolid.client.custody import custody_operations
from coolid.client.documents import Record
from coolid.client.service_api import ServiceApi


class AsyncRecordCustody:
    """Offers of records to other operators, and acceptances of theirs. See `RecordCustody` for errors."""

    def __init__(self, api: ServiceApi, run: AsyncRun, items: AsyncItems) -> None:
        self._api = api
        self._run = run
        self._items = items

    async def offer(self, pid: str | Record, to: str, *, etag: str | None = None) -> Record:
        """Offer a record to the operator of the service with the base URL `to`. See `RecordCustody.offer`."""
        return await self._run(custody_operations.offer(self._api, pid, to, etag))

    async def revoke(self, pid: str | Record, *, etag: str | None = None) -> Record:
        """Revoke the offer of a record."""
        return await self._run(custody_operations.revoke(self._api, pid, etag))

    async def accept(self, linkid: str, sender: str) -> Record:
        """Accept a LinkID that the service with the base URL `sender` offers to this one. Return the record here."""
        return await self._run(custody_operations.accept(self._api, linkid, sender))
