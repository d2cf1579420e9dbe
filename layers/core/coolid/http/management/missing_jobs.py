"""The addresses of bulk jobs in a service that has no table or no bucket for them."""

from msgspec import Struct

from coolid.errors import JobsNotSetUp
from coolid.http.authentication import client_of
from coolid.http.management.jobs import JOBS
from coolid.http.management.uploads import UPLOADS
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.store.clients import ClientStore


class MissingJobs(Struct, frozen=True):
    """Refuses requests of the `clients`, and names the `missing` settings."""

    clients: ClientStore
    missing: tuple[str, ...]

    def routes(self) -> tuple[Route, ...]:
        jobs, uploads = {"GET": self.refuse, "POST": self.refuse}, {"POST": self.refuse}
        return (
            Route(JOBS, jobs),
            Route(JOBS + "/", jobs | {"DELETE": self.refuse}, below=True),
            Route(UPLOADS, uploads),
            Route(UPLOADS + "/", {"PUT": self.refuse}, below=True),
        )

    def refuse(self, request: Request, _path: str) -> Response:
        """Raise `JobsNotSetUp`."""
        client_of(request, self.clients)
        raise JobsNotSetUp(self.missing)
