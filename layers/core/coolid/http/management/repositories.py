"""Repositories over HTTP: `/api/v1/repositories`. Their rules are for ever; what else they say can be changed.

Where several regions share the tables, that is done where names are kept (`coolid.registry.home_regions`). A region that is not
that one can only make itself the home of a repository, for when the former home is lost.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidInput, UnknownRepository, Violation
from coolid.http.api_documents import RepositoryBody, TermsBody, parse, rules_from
from coolid.http.authentication import client_of
from coolid.http.formats import prefixes
from coolid.http.management.merge_patch import merged
from coolid.http.management.record_access import require_unchanged
from coolid.http.message import Request, Response
from coolid.http.request_body import json_of, merge_patch_of, stored
from coolid.http.routes import Route
from coolid.identifiers.rules.base import SequentialRules
from coolid.identifiers.schemes import lui
from coolid.identifiers.target_policy import domain_objection, objection
from coolid.model.locations import as_target
from coolid.model.repositories import Repository
from coolid.ports import Clock, Entropy
from coolid.records.counters import pass_over
from coolid.registry.home_regions import ALONE, Region
from coolid.registry.references import decode
from coolid.registry.registration import create_repository
from coolid.store.store import Store

REPOSITORIES: Final = "/api/v1/repositories"


class RepositoryEndpoint(Struct, frozen=True):
    """Keeps repositories in `store`, for a `region`; `changed` is called when one did."""

    store: Store
    clock: Clock
    entropy: Entropy
    base_url: str
    changed: Callable[[], None]
    region: Region = ALONE

    def routes(self) -> tuple[Route, ...]:
        """Two addresses."""
        return (
            Route(REPOSITORIES, {"POST": self.post}),
            Route(REPOSITORIES + "/", {"GET": self.get, "PATCH": self.patch}, below=True),
        )

    def post(self, request: Request, _path: str) -> Response:
        """Create a repository with its rules: 201, with the opaque id that it keeps."""
        client_of(request, self.store).demand_admin()
        body = parse(RepositoryBody, json_of(request))
        now = self.clock.now()
        rules = rules_from(body.scheme, body.rules)
        draft = Repository(id="", created=now, updated=now, rules=rules, **_terms(body))
        draft = replace(draft, home=draft.home or self.region.name or None)
        repository = create_repository(draft, self.store, self.entropy)
        location = f"{self.base_url}{REPOSITORIES}/{repository.id}"
        return _stored(repository, 201).with_headers(Location=location)

    def get(self, request: Request, path: str) -> Response:
        """A repository as it is now."""
        client_of(request, self.store)
        return _stored(self._repository(path), 200)

    def patch(self, request: Request, path: str) -> Response:
        """Change what is not its rules, by a merge patch (RFC 7396); its aliases follow at once."""
        client_of(request, self.store).demand_admin()
        current = self._repository(path)
        patch = self._patch_of(request, current)
        document = prefixes.repository_document(current)
        content = {member: document[member] for member in TermsBody.model_fields}
        changed = replace(current, **_terms(parse(TermsBody, merged(content, patch)), current.domains))
        if changed != current:
            changed = self._moved(changed, current)
            changed = replace(changed, updated=self.clock.now(), revision=current.revision + 1)
            self.store.change_repository(changed, current)
            self.changed()
        return _stored(changed, 200)

    def _patch_of(self, request: Request, current: Repository) -> dict[str, Any]:
        """The patch, which may be made here, by somebody who saw what there is now.

        Whoever is in the wrong region is told that first, for which it takes the patch; else the condition goes first.
        """
        unchanged = partial(require_unchanged, request, current.id, current.revision, _stored(current, 200))
        if self.region.keeps_names():
            unchanged()
            return merge_patch_of(request)
        patch = merge_patch_of(request)
        if patch != {"home": self.region.name}:
            self.region.demand_names(f"the repository {current.id}")
        unchanged()
        return patch

    def _moved(self, changed: Repository, current: Repository) -> Repository:
        """The change as it is written; before its home comes here, the numbers that may be used are passed over."""
        moved = self.region.moved(changed, current, self.clock.now())
        comes_here = moved != changed and self.region.home_of(moved) == self.region.name
        if comes_here and isinstance(moved.rules, SequentialRules):
            pass_over(moved.id, moved.rules, self.store, self.clock)
        return moved

    def _repository(self, path: str) -> Repository:
        repository_id = decode(path)
        repository = self.store.repository(repository_id) if lui.is_valid(repository_id) else None
        if repository is None:
            raise UnknownRepository(repository_id)
        return repository


def _stored(repository: Repository, status: int) -> Response:
    return stored(status, prefixes.repository_document(repository))


def _terms(body: TermsBody, known: Sequence[str] = ()) -> dict[str, Any]:
    """What a repository says of redirects, held against its own domains.

    The domains that it had before are not judged again: the list of public suffixes grows, and a new title must not
    fail of it.
    """
    objections = ((at, domain_objection(each)) for at, each in enumerate(body.domains) if each not in known)
    violations = [Violation(f"/domains/{at}", reason) for at, reason in objections if reason]
    if violations:
        raise InvalidInput(violations)
    reason = body.target and objection(as_target(body.target, "x"), body.domains)
    if reason:
        raise InvalidInput.at("/target", reason)
    support = body.support and body.support.model_dump(exclude_none=True)
    terms = {name: getattr(body, name) for name in TermsBody.model_fields}
    return {**terms, "domains": tuple(body.domains), "support": support}
