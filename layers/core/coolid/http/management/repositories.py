"""The repository endpoint: `/api/v1/repositories`. Rules change only as they allow; other members can be changed.

If several regions share the tables, only the region for names makes changes (`coolid.registry.home_regions`). Another
region can only make itself the home of a repository, in case the former home is lost.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import fields, replace
from pydantic import BaseModel, ValidationError, create_model

from coolid.errors import InvalidInput, Violation
from coolid.http.api_documents import RepositoryBody, TermsBody, parse, pointer_to, violations_of
from coolid.http.authentication import client_of
from coolid.http.formats import prefixes
from coolid.http.json_bodies import document_response, json_of, merge_patch_of, merged
from coolid.http.management.idempotent_requests import IdempotentPosts, RecordOf
from coolid.http.management.record_access import carry_out_change, require_unchanged, stored_repository
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, fitting, page_parameters
from coolid.http.routes import Route
from coolid.identifiers.rules.base import Rules, SequentialRules
from coolid.identifiers.rules.catalog import SCHEMES, rules_class
from coolid.identifiers.target_policy import domain_objection, host_objection, objection
from coolid.model.locations import default_target
from coolid.model.repositories import Repository
from coolid.ports import Clock, Entropy
from coolid.records.counters import skip_numbers
from coolid.registry.home_regions import SINGLE_REGION, Region
from coolid.registry.registration import create_repository
from coolid.registry.visible_repositories import require_visible, visible_repositories
from coolid.store.clients import ClientStore
from coolid.store.counters import CounterStore
from coolid.store.prefixes import PrefixStore, RepositoryStore
from coolid.strict_json import dump, load

REPOSITORIES: Final = "/api/v1/repositories"
MAX_RULES_BYTES: Final = 12_000


class RepositoryEndpoint(Struct, frozen=True):
    """Shows and changes `repositories` in a `region`, for the `clients`; `on_change` is called after each change."""

    clients: ClientStore
    posts: IdempotentPosts
    prefixes: PrefixStore
    repositories: RepositoryStore
    counters: CounterStore
    clock: Clock
    entropy: Entropy
    base_url: str
    on_change: Callable[[], None]
    region: Region = SINGLE_REGION

    def routes(self) -> tuple[Route, ...]:
        return (
            Route(REPOSITORIES, {"GET": self.list_visible, "POST": self.post}),
            Route(REPOSITORIES + "/", {"GET": self.get, "PATCH": self.patch}, below=True),
        )

    def list_visible(self, request: Request, _path: str) -> Response:
        """Return the repositories that the client may see, in the order of their ids, each with its prefixes."""
        client = client_of(request, self.clients)
        limit, after = page_parameters(request, "repositories")
        visible = visible_repositories(client, self.prefixes, self.repositories).values()
        found = [each for each in visible if each.repository.id > (after or "")]
        documents = fitting(
            [
                {**prefixes.repository_document(each.repository), "prefixes": list(each.prefixes)}
                for each in found[:limit]
            ]
        )
        count = len(documents)
        next_cursor = cursor("repositories", found[count - 1].repository.id) if len(found) > count else None
        return document_response(200, {"repositories": documents, "next": next_cursor})

    def post(self, request: Request, _path: str) -> Response:
        """Create a repository with its rules: 201 with its opaque, permanent id."""
        client = client_of(request, self.clients)
        client.require_admin()
        document = json_of(request)

        def create(record_of: RecordOf) -> Response:
            draft = self._draft(parse(RepositoryBody, document))
            new = create_repository(draft, self.repositories, self.entropy, lambda each: record_of(_outcome(each)))
            return self._creation_response(prefixes.repository_document(new))

        return self.posts.answer(
            request, client, document, create, lambda outcome: self._creation_response(load(outcome.encode()))
        )

    def get(self, request: Request, path: str) -> Response:
        """Return the current repository, if the client may see it."""
        client = client_of(request, self.clients)
        repository = stored_repository(path, self.repositories)
        require_visible(client, repository, self.prefixes)
        return _response(repository, 200)

    def patch(self, request: Request, path: str) -> Response:
        """Change members by a merge patch (RFC 7396), rules only as they allow; aliases change at once."""
        return carry_out_change(request, lambda: self._patch(request, path))

    def _patch(self, request: Request, path: str) -> Response:
        client_of(request, self.clients).require_admin()
        current = stored_repository(path, self.repositories)
        patch = self._patch_of(request, current)
        rules = _changed_rules(current.rules, patch.pop("rules")) if "rules" in patch else current.rules
        document = prefixes.repository_document(current)
        content = {member: document[member] for member in TermsBody.model_fields}
        existing = (*current.domains, *current.denied_domains)
        new = replace(current, rules=rules, **_terms(parse(TermsBody, merged(content, patch)), existing))
        if new != current:
            new = replace(self._moved(new, current), updated=self.clock.now(), revision=current.revision + 1)
            self.repositories.change_repository(new, current)
            self.on_change()
        return _response(new, 200)

    def _draft(self, body: RepositoryBody) -> Repository:
        """Return the repository of a body, without an id. Raises `InvalidInput`."""
        now = self.clock.now()
        rules = rules_from(body.scheme, body.rules)
        draft = Repository(id="", created=now, updated=now, rules=rules, **_terms(body))
        return replace(draft, home=draft.home or self.region.name or None)

    def _creation_response(self, document: Any) -> Response:
        return document_response(201, document, Location=f"{self.base_url}{REPOSITORIES}/{document['id']}")

    def _patch_of(self, request: Request, current: Repository) -> dict[str, Any]:
        """Return the patch, if it names the current revision and this region may make it."""
        unchanged = partial(require_unchanged, request, current.id, current.revision, _response(current, 200))
        if self.region.writes_names():
            unchanged()
            return merge_patch_of(request)
        patch = merge_patch_of(request)  # decides whether this region may make it, before the revision is compared
        if patch != {"home": self.region.name}:
            self.region.require_names_home(f"the repository {current.id}")
        unchanged()
        return patch

    def _moved(self, changed: Repository, current: Repository) -> Repository:
        """Return the change as written. If the home moves here, skip the numbers that may be in use first."""
        moved = self.region.with_settling_time(changed, current, self.clock.now())
        comes_here = moved != changed and self.region.home_of(moved) == self.region.name
        if comes_here and isinstance(moved.rules, SequentialRules):
            skip_numbers(moved.id, moved.rules, self.counters, self.clock)
        return moved


def _response(repository: Repository, status: int) -> Response:
    return document_response(status, prefixes.repository_document(repository))


def _outcome(repository: Repository) -> str:
    """Return the outcome of a creation: the document, because the first revision of a repository is not kept."""
    return dump(prefixes.repository_document(repository))


def _terms(body: TermsBody, existing: Sequence[str] = ()) -> dict[str, Any]:
    """Return the members of a repository, with its target validated against its domains.

    `existing` domains are not validated again. The list of public suffixes grows, and must not make other changes fail.
    """
    lists = ("domains", body.domains, domain_objection), ("denied_domains", body.denied_domains, host_objection)
    violations = [
        Violation(f"/{name}/{at}", reason)
        for name, domains, objection_to in lists
        for at, each in enumerate(domains)
        if each not in existing and (reason := objection_to(each))
    ]
    if violations:
        raise InvalidInput(violations)
    reason = body.target and objection(default_target(body.target, "x"), body.domains, body.denied_domains)
    if reason:
        raise InvalidInput.at("/target", reason)
    support = body.support and body.support.model_dump(exclude_none=True)
    terms = {name: getattr(body, name) for name in TermsBody.model_fields}
    return {
        **terms,
        "domains": tuple(body.domains),
        "denied_domains": tuple(body.denied_domains),
        "support": support,
    }


def _changed_rules(rules: Rules, patch: Any) -> Rules:
    """Return the rules after a merge patch; null removes none. Raises `InvalidInput` if they cannot change so."""
    content = rules.request_document()
    changed = merged(content, patch)
    if patch is None or changed == content:
        return rules
    if not isinstance(changed, dict):
        raise InvalidInput.at("/rules", "it is not an object")
    try:
        return rules.changed_to(rules_from(rules.scheme, changed))
    except ValueError as error:
        raise InvalidInput.at("/rules", str(error)) from error


def rules_from(scheme: str, document: dict[str, Any]) -> Rules:
    """Return the rules of a scheme, validated by their class. Raises `InvalidInput` with pointers into `/rules`."""
    if scheme not in SCHEMES:
        raise InvalidInput.at("/scheme", f"it must be one of {', '.join(SCHEMES)}")
    if len(dump(document)) > MAX_RULES_BYTES:
        raise InvalidInput.at("/rules", f"they are larger than {MAX_RULES_BYTES} bytes")
    shape = rules_class(scheme)
    unknown = sorted(document.keys() - shape.members())
    if unknown:
        raise InvalidInput(
            [Violation("/rules" + pointer_to((name,)), f"scheme {scheme} has no such rule") for name in unknown]
        )
    types: dict[str, Any] = {field.name: (field.type, field.default) for field in fields(shape)}
    model: type[BaseModel] = create_model(shape.__name__, **types)
    try:
        values = model.model_validate_json(dump(document), strict=True)
    except ValidationError as error:
        raise InvalidInput(violations_of(error, "/rules")) from error
    try:
        return shape(**dict(values))
    except ValueError as error:
        raise InvalidInput.at("/rules", str(error)) from error
