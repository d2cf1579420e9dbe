"""Responses for problems (RFC 9457): JSON for programs, a page for browsers."""

from coolid import errors
from coolid.http.accept import prefers_html
from coolid.http.caching import ACCEPT, NO_STORE, VARY, VARY_IN_TIME, refusal_cache_control
from coolid.http.message import Request, Response
from coolid.http.problems import MEDIA_TYPE, Problem
from coolid.strict_json import dump


def respond(
    problem: Problem, request: Request | None, base_url: str, *, cacheable: bool, vary: str = ACCEPT
) -> Response:
    """Return the problem as JSON for programs, as a page for browsers; `cacheable` if it is about public data.

    `vary` names the request headers that the other responses at the address depend on.
    """
    # Whether responses about the same thing depend on `Accept-Datetime`.
    is_versioned = not isinstance(problem.cause, errors.CoolidError) or problem.cause.is_versioned
    is_temporary = problem.status >= 500 or problem.status == 429
    headers = {
        "Cache-Control": refusal_cache_control() if cacheable and not is_temporary else NO_STORE,
        "Vary": VARY if vary == VARY_IN_TIME and not is_versioned else vary,
        **problem.headers,
    }
    if request is not None and prefers_html(request.headers.get("accept")):
        from coolid.http.pages import render
        from coolid.http.pages.problem_page import page_of

        page = page_of(problem, request, base_url)
        return render("problem.html", problem.status, headers, base_url, page=page)
    return Response(problem.status, {**headers, "Content-Type": MEDIA_TYPE}, dump(problem.document()))
