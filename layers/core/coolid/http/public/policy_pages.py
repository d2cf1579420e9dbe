"""The pages of the service's policies, and `security.txt`.

- `/pages/persistence`, `/pages/logging` and `/pages/terms` (`coolid.http.operator.policies`). If the operator has a
  page of its own, the address redirects there.
- `/.well-known/security.txt` (RFC 9116), if the operator names a contact and an expiry.
"""

from typing import Final

from msgspec import Struct

from coolid.http.caching import cache_control, with_staleness
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.operator.policies import PERSISTENCE, POLICIES, Notices, is_url, policy_path, policy_url
from coolid.http.redirects import redirect
from coolid.http.routes import Route
from coolid.model.prefixes import Namespace
from coolid.model.repositories import Repository
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.store.prefixes import Prefixes

SECURITY: Final = "/.well-known/security.txt"
CACHE_SECONDS: Final = 3600


class PolicyPages(Struct, frozen=True):
    """Serves the pages; `base_url` begins every address, `directory` caches all prefixes."""

    reader: CachingReader
    base_url: str
    directory: Directory
    notices: Notices

    def routes(self) -> tuple[Route, ...]:
        pages = (Route(policy_path(policy), {"GET": self.page}) for policy in POLICIES)
        return (*pages, Route(SECURITY, {"GET": self.security}))

    def page(self, request: Request, _path: str) -> Response:
        """Return the page of a policy, or a redirect to the operator's."""
        policy = request.path.rpartition("/")[2]
        headers = {"Cache-Control": cache_control(CACHE_SECONDS)}
        text = self.notices.of(policy)
        if is_url(text):
            return redirect(text, 302, headers)
        from coolid.http.pages import render

        repositories, staleness = self._committed() if policy == PERSISTENCE else ([], None)
        paragraphs = [each.strip() for each in text.replace("\r\n", "\n").split("\n\n") if each.strip()]
        values = {"policy": policy, "paragraphs": paragraphs, "repositories": repositories}
        link = f'<{policy_url(self.base_url, policy)}>; rel="canonical"'
        page = render(f"{policy}.html", 200, headers | {"Link": link}, self.base_url, **values)
        return with_staleness(page, staleness)

    def security(self, _request: Request, _path: str) -> Response:
        """Return the contact for security problems. Raises `NoSuchAddress` if the operator names none."""
        if not self.notices.security_contact or not self.notices.security_expires:
            raise NoSuchAddress("this service names no contact for security problems")
        lines = (
            f"Contact: {self.notices.security_contact}",
            f"Expires: {self.notices.security_expires}",
            "Preferred-Languages: en",
            f"Canonical: {self.base_url}{SECURITY}",
        )
        headers = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": cache_control(CACHE_SECONDS)}
        return Response(200, headers, "\n".join(lines) + "\n")

    def _committed(self) -> tuple[list[Repository], float | None]:
        """Return the repositories with a persistence statement of their own, and how stale the list is."""
        with self.reader.for_request() as reader:
            return self.directory.derive(_with_statements, reader), reader.staleness


def _with_statements(prefixes: Prefixes) -> list[Repository]:
    repositories = {
        each.repository.id: each.repository
        for each in prefixes
        if isinstance(each, Namespace) and each.repository.support
    }
    return sorted(repositories.values(), key=lambda repository: (repository.title, repository.id))
