"""The pages for managing identifiers, `GET /pages/manage` and below.

They are shells without personal data, the same for everybody. Their scripts (`pages/static/manage/`) call the API with
the reader's key. The key never comes here. Scripts keep the state of a page in the URL's fragment, which browsers do
not send.

A new page is a line in `PAGES` and a template that extends `manage/base.html`. Its script calls `start` of
`static/manage/gate.js`; `manage/dom.js` builds elements, and `manage/api.js` sends requests.

>>> PAGES[0].path
'/pages/manage'
"""

from typing import Final

from msgspec import Struct

from coolid.http.caching import cache_control
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.routes import Route

MANAGE: Final = "/pages/manage"
CACHE_SECONDS: Final = 3600


class ManagementPage(Struct, frozen=True):
    """A page at `MANAGE/name`, from the template `manage/TEMPLATE.html`; `label` is its link in the navigation, if any.

    `for_admins` says that only administrators need it. The navigation then shows the link only to them. `has_files`
    says that it sends or fetches files of jobs, which can be at another host.
    """

    name: str
    template: str
    label: str = ""
    for_admins: bool = False
    has_files: bool = False

    @property
    def path(self) -> str:
        return f"{MANAGE}/{self.name}" if self.name else MANAGE


PAGES: Final = (
    ManagementPage("", "overview", "Overview"),
    ManagementPage("records", "records", "My identifiers"),
    ManagementPage("record", "record"),
    ManagementPage("bulk", "bulk", "Bulk operations", has_files=True),
    ManagementPage("jobs", "jobs", "Jobs"),
    ManagementPage("job", "job", has_files=True),
    ManagementPage("labels", "labels", "Labels"),
    ManagementPage("links", "links", "Health"),
    ManagementPage("changes", "changes", "Changes"),
    ManagementPage("repositories", "repositories", "Repositories"),
    ManagementPage("keys", "keys", "Keys"),
)
"""All pages, in the order of the navigation."""
_BY_NAME: Final = {page.name: page for page in PAGES}


class ManagementPages(Struct, frozen=True):
    """Serves the pages; `base_url` begins every address.

    `upload_origin` is where the files of jobs are, such as `https://BUCKET.s3.eu-central-1.amazonaws.com`, or "" for
    this service itself.
    """

    base_url: str
    upload_origin: str = ""

    def routes(self) -> tuple[Route, ...]:
        return Route(MANAGE, {"GET": self.page}), Route(f"{MANAGE}/", {"GET": self.page}, below=True)

    def page(self, _request: Request, name: str) -> Response:
        """Return the page of this name, which is the same for everybody. Raises `NoSuchAddress`."""
        page = _BY_NAME.get(name)
        if page is None:
            raise NoSuchAddress("there is no such management page")
        from coolid.http.pages import content_security_policy, render
        from coolid.http.pages.scheme_rules import repository_terms, scheme_rules

        headers = {"Cache-Control": cache_control(CACHE_SECONDS), "X-Robots-Tag": "noindex"}
        if page.has_files and self.upload_origin:
            headers["Content-Security-Policy"] = content_security_policy(
                self.base_url, also_connects=self.upload_origin
            )
        values = {
            "page": page,
            "pages": PAGES,
            "scheme_rules": scheme_rules,
            "repository_terms": repository_terms,
        }
        return render(f"manage/{page.template}.html", 200, headers, self.base_url, **values)
