"""Requests to the service of another operator: the versions of a record, its keys, and the acceptance of an offer.

The addresses below a service's public base URL are those of `coolid.http.management.custody` and `/.well-known`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol
from urllib.parse import quote

from msgspec import Struct, ValidationError, convert

from coolid.errors import InvalidAnswer, NoSuchOffer, OtherServiceUnavailable
from coolid.model.custody import stated_custody
from coolid.proofs.key_sets import KEYS_PATH
from coolid.strict_json import NotJson, dump, load

MAX_BYTES: Final = 8 << 20
"""The largest answer, a page of versions."""
MAX_HISTORY_BYTES: Final = 20 << 20
"""The largest history of one record that is read, up to its offer."""
MAX_PAGES: Final = 1_000
CUSTODY: Final = "/api/v1/custody"
_OK, _NOT_FOUND, _TOO_MANY, _FAILED = 200, 404, 429, 500


class ServiceClient(Protocol):
    """Sends requests to other services."""

    def request(self, method: str, url: str, body: bytes | None, max_bytes: int) -> tuple[int, bytes]:
        """Return the status and the body of the answer. The body of a request is JSON.

        Raises `OtherServiceUnavailable` if there is no answer, or none of at most `max_bytes` within the time limit.
        """


class _VersionPage(Struct):
    """The answer to a request for versions."""

    versions: list[dict[str, Any]]
    next: int | None = None


class OtherService:
    """The service with the public base URL `base_url`."""

    def __init__(self, client: ServiceClient, base_url: str) -> None:
        self._client = client
        self.base_url = base_url

    def versions(self, linkid: str) -> list[dict[str, Any]]:
        """Return the documents of all public versions of a record, the oldest first; none if there is no record.

        They are not verified. Raises `InvalidAnswer`, `OtherServiceUnavailable`.
        """
        found: list[dict[str, Any]] = []
        after: int | None = 0
        size = 0
        for _ in range(MAX_PAGES):
            url = f"{self.base_url}{CUSTODY}/{quote(linkid, safe='')}?after={after}"
            status, body = self._request("GET", url)
            if status == _NOT_FOUND:
                return []
            page = self._page(status, body)
            found += page.versions
            size += len(body)
            if size > MAX_HISTORY_BYTES and (page.next is not None or not ends_with_transfer(found)):
                raise InvalidAnswer(f"the history of {linkid} has more than {MAX_HISTORY_BYTES:,} bytes")
            if page.next is None:
                return found
            if page.next <= (after or 0):
                raise InvalidAnswer(f"{self.base_url} answers with pages of versions that do not advance")
            after = page.next
        raise InvalidAnswer(f"the history of {linkid} has more than {MAX_PAGES} pages")

    def keys(self) -> dict[str, Any]:
        """Return the key set of the service. Raises `InvalidAnswer`, `OtherServiceUnavailable`."""
        status, body = self._request("GET", self.base_url + KEYS_PATH)
        if status != _OK:
            raise InvalidAnswer(f"{self.base_url} answers {status} instead of its key set")
        return self._object(body)

    def transfer(self, acceptance: str) -> dict[str, Any]:
        """Send an acceptance, and return the document of the transfer, which is not verified.

        Raises `NoSuchOffer` if the service refuses it, `InvalidAnswer`, `OtherServiceUnavailable`.
        """
        url = f"{self.base_url}{CUSTODY}/transfers"
        status, body = self._request("POST", url, dump({"acceptance": acceptance}).encode())
        if status == _OK:
            return self._object(body)
        answer = self._object(body)
        kind = str(answer.get("type")).rpartition("/")[2]
        if kind == "no-such-offer":
            raise NoSuchOffer(f"{self.base_url} refuses the acceptance: {_detail(answer)}")
        raise InvalidAnswer(f"{self.base_url} answers {status} to the acceptance: {_detail(answer)}")

    def _request(self, method: str, url: str, body: bytes | None = None) -> tuple[int, bytes]:
        status, answer = self._client.request(method, url, body, MAX_BYTES)
        if status == _TOO_MANY or status >= _FAILED:
            raise OtherServiceUnavailable(f"{self.base_url} answers {status}: {_detail_of(answer)}")
        return status, answer

    def _page(self, status: int, body: bytes) -> _VersionPage:
        if status != _OK:
            raise InvalidAnswer(f"{self.base_url} answers {status} instead of the versions of a record")
        try:
            return convert(self._object(body), _VersionPage)
        except ValidationError as error:
            raise InvalidAnswer(f"{self.base_url} answers with an invalid list of versions: {error}") from error

    def _object(self, body: bytes) -> dict[str, Any]:
        try:
            document = load(body)
        except NotJson as error:
            raise InvalidAnswer(f"{self.base_url} answers with something that is not JSON: {error}") from error
        if not isinstance(document, dict):
            raise InvalidAnswer(f"{self.base_url} answers with something that is not a JSON object")
        return document


def ends_with_transfer(documents: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the issuer of the last version gives the record away in it.

    The limits of histories are those of offers, so that what was accepted can be read again with the transfer.
    """
    if not documents:
        return False
    issuer = documents[-1].get("issuer")
    return isinstance(issuer, str) and stated_custody(documents[-1]).transfer_by(issuer) is not None


def _detail_of(body: bytes) -> str:
    """Return the reason in the body of a response that may be a problem document."""
    try:
        document = load(body)
    except NotJson:
        document = None
    return _detail(document if isinstance(document, dict) else {})


def _detail(problem: dict[str, Any]) -> str:
    """Return the reason in a problem document, shortened."""
    return str(problem.get("detail") or problem.get("title") or "it gives no reason")[:500]
