"""A running service as a source, over HTTP. Its log says which identifiers it has."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from coolid.client.errors import BadAnswer
from coolid.client.http_request import ANY_TYPE, HttpRequest
from coolid.client.redirects import location_of
from coolid.identifiers.rules.catalog import rules_of
from coolid.mirror.inventory import Inventory, paths_of
from coolid.mirror.sources.fetcher import ParallelFetcher
from coolid.mirror.sources.source import GET, Answer, NamedRepository
from coolid.model.prefixes import path_of

RESOLVER: Final = "/.well-known/linkid-resolver"
_JSON: Final = "application/json"
_BLOCK: Final = 256


class ServiceSource:
    """The service at `url`. `base_url` is the one that it names, which begins its identifiers."""

    lists_all = False

    def __init__(self, url: str, fetcher: ParallelFetcher) -> None:
        self.url = url.rstrip("/")
        self._fetcher = fetcher
        answer = fetcher.get(self.url + RESOLVER, _JSON)
        if answer.status != 200:
            raise BadAnswer(f"{self.url} does not describe a resolver of coolid (status {answer.status})")
        self.description = answer.json_object()
        self.base_url = str(self.description.get("issuer") or self.url).rstrip("/")

    @property
    def log(self) -> dict[str, Any] | None:
        """The description of the service's log: `origin`, `url` and `verifier_key`; None without a log."""
        found = self.description.get("log")
        return found if isinstance(found, dict) else None

    def newest(self) -> str:
        """See `RecordSource`."""
        return ""

    def paths(self, inventory: Inventory) -> Iterator[str]:
        """See `RecordSource`."""
        return paths_of(inventory.pids(), self.base_url)

    def namespaces(self, names: Iterable[str]) -> Sequence[NamedRepository]:
        """See `RecordSource`."""
        wanted, found = sorted(set(names)), []
        for start in range(0, len(wanted), _BLOCK):
            block = wanted[start : start + _BLOCK]
            requests = [HttpRequest("GET", f"{self.url}/{path_of(name)}", {"Accept": _JSON}) for name in block]
            for name, answer in zip(block, self._fetcher.fetch(requests), strict=True):
                document = answer.json_object() if answer.status == 200 and answer.media_type == _JSON else {}
                if document.get("kind") == "namespace" and document.get("prefix") == name:
                    found.append(_named_repository(document))
        return found

    def answers(self, requests: Sequence[tuple[str, str]]) -> Sequence[Answer]:
        """See `RecordSource`."""
        sent = [HttpRequest(method, self.url + path, {"Accept": ANY_TYPE}) for method, path in requests]
        return [
            Answer(each.status, location_of(each) or "", each.body if request.method == GET else b"")
            for request, each in zip(sent, self._fetcher.fetch(sent), strict=True)
        ]


def _named_repository(document: dict[str, Any]) -> NamedRepository:
    """Return the prefix that a service describes. Raises `BadAnswer`."""
    try:
        rules = rules_of(document["scheme"], document["rules"])
        return NamedRepository(document["prefix"], document["repository"], rules)
    except (KeyError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise BadAnswer(f"its description of a prefix has rules that this release does not support: {error}") from error
