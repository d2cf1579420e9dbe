"""Errors as resolution results: JSON with an `error`, a status by which no client infers too much, and no target.

A server error says nothing about the identifier, so its status is never `unknown`.
"""

from typing import Final

from msgspec import Struct, convert

from coolid import errors
from coolid.http import problems
from coolid.http.accept import JSON
from coolid.http.caching import NO_STORE, VARY, VARY_IN_TIME, refusal_cache_control
from coolid.http.errors import NotAcceptable
from coolid.http.linkid.result_requests import is_result_address, linkid_reference, refuses_with_result
from coolid.http.message import Request, Response
from coolid.http.problems import Problem
from coolid.linkid import results
from coolid.linkid.results import RefusedClaim, ResolutionResult
from coolid.linkid.states import INTEGRITY_FAILURE, POLICY_DENIED, TEMPORARILY_UNAVAILABLE, UNKNOWN
from coolid.strict_json import dump

_NAMES: Final = (
    ((errors.BadReference, errors.InvalidIdentifier), results.INVALID_IDENTIFIER, None),
    ((errors.UnknownPrefix, errors.UnregisteredIdentifier), results.NOT_FOUND, UNKNOWN),
    ((errors.PolicyDenied, errors.DeniedByPeers), results.POLICY_DENIED, POLICY_DENIED),
    ((errors.IntegrityFailure, errors.RefusedClaims), results.INTEGRITY_FAILURE, INTEGRITY_FAILURE),
    ((NotAcceptable,), results.NOT_ACCEPTABLE, None),
    ((errors.Unavailable,), results.TEMPORARILY_UNAVAILABLE, TEMPORARILY_UNAVAILABLE),
)
"""Kinds of errors with their `error` and status. The slugs of the problems of all others are their `error`."""


class ResultErrors(Struct, frozen=True):
    """Describes errors of a service at `base_url` as results."""

    base_url: str

    def refuse(self, error: Exception, request: Request) -> Response | None:
        """Return the response for an error, or None if the client did not request a result."""
        if not refuses_with_result(request):
            return None
        problem = problems.describe(error, self.base_url, request.request_id)
        result = error_result(error, problem, linkid_of(request.path))
        is_temporary = problem.status >= 500 or problem.status == 429
        headers = {
            "Content-Type": JSON,
            "Cache-Control": NO_STORE if is_temporary else refusal_cache_control(),
            "Vary": VARY if is_result_address(request.path) else VARY_IN_TIME,
            **problem.headers,
        }
        status = 400 if result.error == results.INVALID_IDENTIFIER else problem.status
        return Response(status, headers, dump(result.to_document()))


def error_result(error: Exception, problem: Problem, identifier: str | None = None) -> ResolutionResult:
    """Return the result for an error about a LinkID, None if there is no valid one."""
    name, state = _named(error, problem)
    if name == results.INVALID_IDENTIFIER:
        identifier = None
    conflicts = error.conflicts if isinstance(error, errors.RefusedClaims | errors.PeersUnavailable) else ()
    refused = convert(conflicts, tuple[RefusedClaim, ...])
    return ResolutionResult(id=identifier, status=state, error=name, detail=problem.detail, conflicts=refused)


def _named(error: Exception, problem: Problem) -> tuple[str, str | None]:
    """Return the `error` and the status."""
    for kinds, name, state in _NAMES:
        if isinstance(error, kinds):
            return name, state
    is_temporary = problem.status >= 500 or problem.status == 429
    return problem.type.slug.replace("-", "_"), TEMPORARILY_UNAVAILABLE if is_temporary else None


def linkid_of(path: str) -> str | None:
    """Return the canonical LinkID that the last segment of a request's path is, or None.

    >>> linkid_of("/resolve/LINKID%3A00c538ea-846b-47a6-a3d4-70a9ebd29d7c")
    'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
    """
    try:
        return linkid_reference(path.rpartition("/")[2]).text
    except (errors.BadReference, errors.InvalidIdentifier):
        return None
