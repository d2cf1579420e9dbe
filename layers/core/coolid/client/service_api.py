"""Requests to one service: its URL, an API key, limits and retries. It builds requests and sends none.

>>> ServiceApi("HTTPS://id.example.org/").base_url
'https://id.example.org'
>>> ServiceApi("http://example.org")
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final, Generic
from urllib.parse import urlencode, urljoin

from coolid.client.documents import D, read_documents
from coolid.client.errors import BadAnswer, RefusedByClient
from coolid.client.flows import Flow
from coolid.client.http_request import NO_HEADERS, PROBLEM, TIMEOUT_SECONDS, HttpAnswer, HttpRequest
from coolid.client.retries import DEFAULT_POLICY, RetryPolicy, is_success, with_retries
from coolid.client.url_policy import service_url
from coolid.errors import Unauthenticated
from coolid.model.clients import split_key
from coolid.strict_json import dump

JSON: Final = "application/json"
MAX_BYTES: Final = 10_000_000
"""The maximum size of a response body; API Gateway passes no larger one."""
MAX_RESULT_BYTES: Final = 400_000_000
"""The maximum size of a file with the results of a job."""
PAGE_LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class ServiceApi:
    """A service whose addresses begin with `base_url`, and an API key for it, which is never sent to another host.

    `seconds` limit each exchange. The flows of every method raise the errors of `with_retries`.

    Raises `RefusedByClient` for a URL or a key that cannot be used. The message does not contain the key.
    """

    base_url: str
    key: str | None = field(default=None, repr=False)
    seconds: float = TIMEOUT_SECONDS
    policy: RetryPolicy = DEFAULT_POLICY

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", service_url(self.base_url))
        try:
            if self.key is not None:
                split_key(self.key)
        except Unauthenticated as error:
            raise RefusedByClient(str(error)) from None

    def call(
        self,
        method: str,
        path: str,
        document: object = None,
        headers: Mapping[str, str] = NO_HEADERS,
        *,
        repeatable: bool = True,
    ) -> Flow[HttpAnswer]:
        """Return the answer of the management API to a request with the key, and a document as JSON, if any."""
        typed = {"Content-Type": JSON} if document is not None else {}
        body = body_of(document) if document is not None else b""
        return self.call_raw(method, path, body, typed | dict(headers), repeatable=repeatable)

    def call_raw(
        self,
        method: str,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        repeatable: bool = True,
        seconds: float = 0.0,
    ) -> Flow[HttpAnswer]:
        """Return the answer of the management API to a request with the key and a body, within at least `seconds`."""
        authorization = {"Authorization": f"Bearer {self.key}"} if self.key is not None else {}
        sent = {"Accept": f"{JSON}, {PROBLEM}"} | authorization | dict(headers)
        request = self._request(method, f"api/v1/{path}", sent, body)
        request = replace(request, fresh=not repeatable, seconds=max(self.seconds, seconds))
        return with_retries(request, self.policy, repeatable=repeatable)

    def download(self, path: str, accept: str, seconds: float) -> Flow[HttpAnswer]:
        """Return a file of the management API, within `seconds`. A redirect is followed once, without the key."""
        authorization = {"Authorization": f"Bearer {self.key}"} if self.key is not None else {}
        request = self._request("GET", f"api/v1/{path}", {"Accept": f"{accept}, {PROBLEM}"} | authorization)
        request = replace(request, max_bytes=MAX_RESULT_BYTES, seconds=max(self.seconds, seconds))
        answer = yield from with_retries(request, self.policy, accepted=_is_file)
        if answer.status == HTTPStatus.SEE_OTHER:
            elsewhere = replace(request, url=urljoin(request.url, answer.headers["location"]), headers=NO_HEADERS)
            return (yield from with_retries(elsewhere, self.policy))
        return answer

    def send_elsewhere(
        self, method: str, url: str, body: bytes, headers: Mapping[str, str], seconds: float
    ) -> Flow[HttpAnswer]:
        """Send a body to a URL that the service named, without the key, within `seconds`."""
        return with_retries(HttpRequest(method, url, dict(headers), body, seconds=seconds), self.policy)

    def read_public(self, path: str, accept: str, accepted: Callable[[HttpAnswer], bool]) -> Flow[HttpAnswer]:
        """Return the `accepted` answer to a request without the key."""
        return with_retries(self._request("GET", path, {"Accept": accept}), self.policy, accepted=accepted)

    def _request(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> HttpRequest:
        url = f"{self.base_url}/{path}"
        return HttpRequest(method, url, headers, body, max_bytes=MAX_BYTES, seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class Listing(Generic[D]):
    """A list of the management API: the `kind` of its members, their name in each page, and its path with a query.

    `page_length` is the most members of a page. `mark` is a member that its pages have from the release on that reads
    the whole query.
    """

    kind: type[D]
    member: str
    path: str
    query: Mapping[str, str]
    page_length: int = PAGE_LENGTH
    mark: str = ""

    def page(self, api: ServiceApi, cursor: str) -> Flow[tuple[tuple[D, ...], str | None]]:
        """Return the members of the page at a cursor, which is empty for the first, and the cursor of the next page."""
        parameters = {**self.query, "limit": str(self.page_length), "cursor": cursor}
        query = query_of(parameters)
        answer = yield from api.call("GET", f"{self.path}?{query}")
        document = answer.json_object()
        following: Any = document.get("next")
        if following is not None and (not isinstance(following, str) or following in ("", cursor)):
            raise BadAnswer(f"its body is not a list of {self.member}")
        if self.mark and self.mark not in document:
            raise BadAnswer(f"its release cannot search {self.member}")
        return tuple(read_documents(self.kind, document.get(self.member), self.member)), following


def _is_file(answer: HttpAnswer) -> bool:
    return is_success(answer) or (answer.status == HTTPStatus.SEE_OTHER and "location" in answer.headers)


def query_of(parameters: Mapping[str, str]) -> str:
    """Return a query with the parameters that are not empty. Raises `RefusedByClient` if one is not Unicode.

    >>> query_of({"q": "a b", "cursor": ""})
    'q=a+b'
    """
    try:
        return urlencode({name: value for name, value in parameters.items() if value})
    except UnicodeEncodeError:
        raise RefusedByClient("a text in the query is not Unicode") from None


def body_of(document: object) -> bytes:
    """Return a document as JSON in UTF-8. Raises `RefusedByClient` if it cannot be JSON."""
    try:
        return dump(document).encode()
    except UnicodeEncodeError:
        raise RefusedByClient("a text in the document is not Unicode") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise RefusedByClient(f"the document cannot be JSON: {error}") from None
