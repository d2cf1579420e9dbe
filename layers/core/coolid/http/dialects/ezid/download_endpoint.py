"""EZID's batch download: `POST /download_request`, and the files below this address.

Specification: EZID API, version 2, "Batch download". A job writes the file (`coolid.jobs.downloads`). Clients fetch it
without credentials, so that its name, which is that of the job, cannot be guessed. Until the file is complete, and from
a week after the request on, its address is 404.
"""

from typing import Final

from msgspec import Struct

from coolid.errors import Forbidden, InvalidInput, JobsNotSetUp, Unauthenticated
from coolid.http.caching import NO_STORE, strong_etag
from coolid.http.dialects.ezid.download_formats import SUFFIXES
from coolid.http.dialects.ezid.download_parameters import download_of
from coolid.http.dialects.ezid.requests import require_known_options
from coolid.http.dialects.ezid.responses import MEDIA_TYPE, refuse, success
from coolid.http.dialects.ezid.sessions import Authenticate
from coolid.http.json_bodies import checked_body
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import ADMIN, Client
from coolid.model.downloads import MEDIA_TYPES, Download
from coolid.model.jobs import DONE, Job, download_job, random_name
from coolid.ports import Clock, Entropy
from coolid.registry.visible_repositories import updatable_repositories
from coolid.store.clients import ClientStore
from coolid.store.jobs import MAX_INLINE_BYTES, JobAccess
from coolid.store.prefixes import PrefixStore, RepositoryStore

DOWNLOADS: Final = "/download_request"
_NAME_LENGTH: Final = 30
"""The characters of a download's unguessable name: 150 random bits."""
_FORM: Final = "application/x-www-form-urlencoded"
_URL_SECONDS: Final = 900


class DownloadEndpoint(Struct, frozen=True):
    """Starts downloads for the clients that `authenticate` returns, and serves their files to everybody.

    Without `access`, a service that has no jobs, it names the `missing` settings.
    """

    authenticate: Authenticate
    clients: ClientStore
    prefixes: PrefixStore
    repositories: RepositoryStore
    access: JobAccess | None
    clock: Clock
    entropy: Entropy
    base_url: str
    missing: tuple[str, ...] = ()

    def routes(self) -> tuple[Route, ...]:
        """Return both routes, whose errors are lines of text."""
        return (
            Route(DOWNLOADS, {"POST": self.post}, refuse=refuse),
            Route(DOWNLOADS + "/", {"GET": self.get}, below=True, refuse=refuse),
        )

    def post(self, request: Request, _path: str) -> Response:
        """Start a download, and return the address of its file."""
        require_known_options(request)
        client = self.authenticate(request)
        if client is None:
            raise Unauthenticated("the request carries no API key")
        media_type = request.headers.get("content-type", _FORM).partition(";")[0].strip().lower()
        if media_type != _FORM:
            raise InvalidInput.at("", f"Content-Type must be {_FORM}")
        wanted = download_of(checked_body(request))
        self._require_owners(client, wanted)
        access = self._jobs()
        job = download_job(random_name(self.entropy, _NAME_LENGTH), client.id, wanted, self.clock.now())
        access.jobs.create_job(job)
        access.queue.send(job.id)
        return success(f"{self.base_url}{DOWNLOADS}/{_file_name(job.id, wanted)}")

    def get(self, _request: Request, path: str) -> Response:
        """Return a file, or a redirect to a signed URL of a large one; 404 if there is no such file yet."""
        job = self._job(path)
        stream, access = None, self._jobs()
        if job is not None and job.file is not None:
            url = access.files.download_url(job.file, path, _URL_SECONDS) if job.size > MAX_INLINE_BYTES else None
            if url is not None:
                return Response(302, {"Location": url, "Cache-Control": NO_STORE})
            stream = access.files.read(job.file)
        if job is None or job.request.download is None or stream is None:
            headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": NO_STORE}
            return Response(404, headers, "error: the file does not exist, is not complete yet, or has expired")
        headers = {
            "Content-Type": MEDIA_TYPES[job.request.download.compression],
            "Content-Disposition": f'attachment; filename="{path}"',
            "Cache-Control": NO_STORE,
            "ETag": strong_etag(path),
        }
        return Response(200, headers, stream=stream)

    def _job(self, path: str) -> Job | None:
        """Return the job of a complete file, or None."""
        name = path.partition(".")[0]
        job = self._jobs().jobs.job(name) if name.isascii() and name.isalnum() and len(name) < 100 else None
        if job is None or job.request.download is None or path != _file_name(name, job.request.download):
            return None
        return job if job.state == DONE and self.clock.now() < job.expires else None

    def _jobs(self) -> JobAccess:
        if self.access is None:
            raise JobsNotSetUp(self.missing)
        return self.access

    def _require_owners(self, client: Client, wanted: Download) -> None:
        """Raise `InvalidInput` for users and groups that do not exist, and `Forbidden` for those of others.

        An administrator may name all. Other keys may name themselves, and repositories that they may update.
        """
        is_admin = ADMIN in client.scopes
        for owner in wanted.owners:
            if owner != client.id and not is_admin:
                raise Forbidden("owner")
            if self.clients.client(owner) is None:
                raise InvalidInput.at("", "parameter 'owner': no such user")
        for group in wanted.groups:
            if self.repositories.repository(group) is None:
                raise InvalidInput.at("", "parameter 'ownergroup': no such group")
        if is_admin or not wanted.groups:
            return
        if not updatable_repositories(client, self.prefixes, self.repositories).keys() >= {*wanted.groups}:
            raise Forbidden("ownergroup")


def _file_name(name: str, wanted: Download) -> str:
    """Return the last part of a file's address, by which clients recognise its format."""
    return f"{name}.zip" if wanted.compression == "zip" else f"{name}.{SUFFIXES[wanted.format]}.gz"
