"""Uploads of large files for bulk jobs: `/api/v1/uploads`.

The response names the address to which the client sends the file: a signed URL of the file storage, or one of this
service. The latter needs the API key, and passes the body to the storage in pieces.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from msgspec import Struct

from coolid.errors import Forbidden, InvalidInput, UnknownUpload
from coolid.http.api_documents import parse
from coolid.http.authentication import client_of
from coolid.http.errors import BodyTooLarge
from coolid.http.json_bodies import document_response, json_of
from coolid.http.management.job_documents import MAX_UPLOAD_BYTES, UploadBody
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import ADMIN, MINT, UPDATE, Client
from coolid.model.jobs import random_name
from coolid.model.records import format_time
from coolid.ports import Clock, Entropy
from coolid.store.clients import ClientStore
from coolid.store.jobs import FileStore, upload_name

UPLOADS: Final = "/api/v1/uploads"
URL_SECONDS: Final = 3_600
"""How long a signed URL accepts the file."""
MEDIA_TYPE: Final = "application/octet-stream"
_ID: Final = re.compile(r"[a-z2-7]{16}")


class UploadEndpoint(Struct, frozen=True):
    """Receives files for the `clients`."""

    clients: ClientStore
    files: FileStore
    clock: Clock
    entropy: Entropy
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(UPLOADS, {"POST": self.post}), Route(UPLOADS + "/", {"PUT": self.put}, below=True))

    def post(self, request: Request, _path: str) -> Response:
        """Begin an upload: 201 with the address to which the client sends the file."""
        client = client_of(request, self.clients)
        require_writer(client)
        size = parse(UploadBody, json_of(request)).size
        upload_id = random_name(self.entropy)
        name = upload_name(client.id, upload_id)
        url = self.files.upload_url(name, size, URL_SECONDS)
        if url is None:
            self.files.write(name, ())  # shows later that the upload was begun
            url = f"{self.base_url}{UPLOADS}/{upload_id}"
        expires = self.clock.now() + timedelta(seconds=URL_SECONDS)
        document = {
            "upload": upload_id,
            "url": url,
            "method": "PUT",
            "headers": {"Content-Type": MEDIA_TYPE},
            "expires": format_time(expires),
        }
        return document_response(201, document)

    def put(self, request: Request, path: str) -> Response:
        """Store the file of an upload: 200 with its size. A second file replaces the first one."""
        client = client_of(request, self.clients)
        name = existing_upload(path, client, self.files)
        size = self.files.write(name, _bounded(request.stream or iter([request.body])), MEDIA_TYPE)
        return document_response(200, {"upload": path, "size": size})


def require_writer(client: Client) -> None:
    """Raise `Forbidden` unless the client may change anything."""
    if not any(scope == ADMIN or scope.startswith((f"{MINT}:", f"{UPDATE}:")) for scope in client.scopes):
        raise Forbidden(f"{MINT} or {UPDATE}")


def existing_upload(upload_id: str, client: Client, files: FileStore) -> str:
    """Return the name of the file of an upload. Raises `UnknownUpload`."""
    name = upload_name(client.id, upload_id)
    if not _ID.fullmatch(upload_id) or files.size(name) is None:
        raise UnknownUpload(upload_id)
    return name


def copy_upload(upload_id: str, client: Client, files: FileStore, copy: str) -> int:
    """Copy an uploaded file to the name `copy`, and return its size in bytes.

    A job works on its copy, because the client may replace the upload, which also expires before the job. Raises
    `InvalidInput` with the pointer `/upload`, `StoreUnavailable`.
    """
    try:
        name = existing_upload(upload_id, client, files)
    except UnknownUpload as error:
        raise InvalidInput.at("/upload", str(error)) from error
    size = files.size(name)
    if not size:
        raise InvalidInput.at("/upload", "the upload has no content yet")
    if size > MAX_UPLOAD_BYTES:
        raise InvalidInput.at("/upload", f"the file has {size} bytes, more than {MAX_UPLOAD_BYTES}")
    return files.write(copy, _bounded(files.read(name) or iter(())), MEDIA_TYPE)


def _bounded(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces. Raises `BodyTooLarge` instead of the first one beyond `MAX_UPLOAD_BYTES`."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MAX_UPLOAD_BYTES:
            raise BodyTooLarge(f"the file is larger than {MAX_UPLOAD_BYTES} bytes")
        yield piece
