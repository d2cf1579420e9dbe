"""Operations on prefixes, repositories, API keys and link reports, as flows."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from coolid.client.documents import ApiKey, Prefix, ReportedLink, Repository, read_document
from coolid.client.errors import BadAnswer, InsufficientScope, RefusedByClient, ResourceNotFound
from coolid.client.flows import Flow
from coolid.client.http_request import PROBLEM, HttpAnswer
from coolid.client.record_operations import MERGE_PATCH, new_idempotency_key, required_etag
from coolid.client.service_api import JSON, Listing, ServiceApi, query_of
from coolid.model.clients import split_key
from coolid.model.prefixes import as_path

ATOM: Final = "application/atom+xml"


def get_prefix(api: ServiceApi, name: str) -> Flow[Prefix]:
    """Return a prefix as stored."""
    return _prefix((yield from api.call("GET", f"prefixes/{_path_of(name)}")))


def get_public_prefix(api: ServiceApi, name: str) -> Flow[Prefix]:
    """Return the public document of a prefix. No key is sent."""
    answer = yield from api.read_public(
        f"{_path_of(name)}?format=json", f"{JSON}, {PROBLEM}", lambda answer: answer.status < 400
    )
    document = answer.json() if answer.status == 200 and answer.media_type == JSON else None
    if not isinstance(document, dict) or document.get("kind") not in ("namespace", "provider"):
        raise ResourceNotFound(answer.status, {"detail": f"{name} is not a registered prefix there"})
    return _prefix(answer)


def put_prefix(api: ServiceApi, name: str, document: Mapping[str, object]) -> Flow[Prefix]:
    """Register a prefix, or change it."""
    return _prefix((yield from api.call("PUT", f"prefixes/{_path_of(name)}", document)))


def prefix_listing(text: str = "") -> Listing[Prefix]:
    """Return the list of all prefixes, or of those with a text in their name or title."""
    return Listing(Prefix, "prefixes", "prefixes", {"q": text})


def create_repository(
    api: ServiceApi, document: Mapping[str, object], idempotency_key: str | None = None
) -> Flow[Repository]:
    """Create a repository. The same idempotency key and document return the same one for a day."""
    headers = {"Idempotency-Key": idempotency_key or new_idempotency_key()}
    return _repository((yield from api.call("POST", "repositories", document, headers)))


def get_repository(api: ServiceApi, repository_id: str) -> Flow[Repository]:
    """Return a repository."""
    return _repository((yield from api.call("GET", _path("repositories", repository_id))))


def repository_listing() -> Listing[Repository]:
    """Return the list of the repositories that the key may see, each with its prefixes."""
    return Listing(Repository, "repositories", "repositories", {})


def update_repository(
    api: ServiceApi, repository: str | Repository, patch: Mapping[str, object], etag: str | None = None
) -> Flow[Repository]:
    """Change members of a repository other than its rules by a merge patch (RFC 7396)."""
    repository_id = repository.id if isinstance(repository, Repository) else repository
    if etag is None and isinstance(repository, Repository):
        etag = repository.etag
    if etag is None:
        etag = required_etag((yield from get_repository(api, repository_id)).etag)
    headers = {"If-Match": etag, "Content-Type": MERGE_PATCH}
    return _repository((yield from api.call("PATCH", _path("repositories", repository_id), patch, headers)))


def create_key(
    api: ServiceApi, scopes: Sequence[str], note: str, quota: Mapping[str, int | None] | None
) -> Flow[ApiKey]:
    """Create an API key. Only this answer contains its `key`. The request is not repeated."""
    limits = {name: limit for name, limit in (quota or {}).items() if limit is not None}
    members = {"scopes": [*scopes], "note": note, "quota": limits}
    document = {member: value for member, value in members.items() if value}
    created = _key((yield from api.call("POST", "clients", document, repeatable=False)))
    if created.key is None:
        raise BadAnswer("its body is not an API key")
    return created


def get_key(api: ServiceApi, key_id: str) -> Flow[ApiKey]:
    """Return an API key's document, which has no secret."""
    return _key((yield from api.call("GET", _path("clients", key_id))))


def key_listing() -> Listing[ApiKey]:
    """Return the list of all API keys for an administrator, else of the key in use alone."""
    return Listing(ApiKey, "clients", "clients", {})


def own_key(api: ServiceApi) -> Flow[ApiKey | None]:
    """Return the API key in use, or None from a release that shows it only to administrators."""
    if api.key is None:
        raise RefusedByClient("the client has no API key")
    key_id, _ = split_key(api.key)
    try:
        return (yield from get_key(api, key_id))
    except InsufficientScope as declined:
        if declined.kind != "forbidden":  # a firewall, or another service
            raise
        return None


def revoke_key(api: ServiceApi, key_id: str) -> Flow[ApiKey]:
    """Revoke an API key permanently."""
    return _key((yield from api.call("DELETE", _path("clients", key_id))))


def link_listing(prefix: str, states: Sequence[str] = ()) -> Listing[ReportedLink]:
    """Return the list of a repository's links that are dead, failing or moved, or in one of these states."""
    return Listing(ReportedLink, "links", f"links/{_path_of(prefix)}", {"state": ",".join(states)})


def link_feed(api: ServiceApi, prefix: str, states: Sequence[str] = ()) -> Flow[str]:
    """Return the first page of the same links as an Atom feed."""
    query = query_of({"state": ",".join(states), "limit": "1000", "format": "atom"})
    path = f"links/{_path_of(prefix)}?{query}"
    answer = yield from api.call("GET", path, headers={"Accept": f"{ATOM}, {PROBLEM}"})
    if answer.media_type != ATOM:
        raise BadAnswer("its body is not a feed")
    return answer.body.decode("utf-8", "replace")


def _path(collection: str, name: str) -> str:
    """Return the path of a member of a collection. Raises `RefusedByClient`."""
    return f"{collection}/{quote(_valid(name), safe='')}"


def _path_of(name: str) -> str:
    """Return the path of a prefix. Raises `RefusedByClient`."""
    return as_path("/".join(map(_valid, name.split("/"))))


def _valid(part: str) -> str:
    """Return a part of a path. Raises `RefusedByClient` if another path would be requested, or none could be.

    >>> _valid("..")
    Traceback (most recent call last):
    ...
    coolid.client.errors.RefusedByClient: a part of the name is empty or only dots, which no URL can have
    """
    if part in ("", ".", ".."):
        raise RefusedByClient("a part of the name is empty or only dots, which no URL can have")
    try:
        part.encode()
    except UnicodeEncodeError:
        raise RefusedByClient("the name is not Unicode") from None
    return part


def _prefix(answer: HttpAnswer) -> Prefix:
    return read_document(Prefix, answer.json_object(), "a prefix")


def _repository(answer: HttpAnswer) -> Repository:
    return read_document(Repository, answer.json_object(), "a repository", etag=answer.headers.get("etag"))


def _key(answer: HttpAnswer) -> ApiKey:
    return read_document(ApiKey, answer.json_object(), "an API key")
