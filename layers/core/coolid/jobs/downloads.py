"""Batch downloads: jobs that write the identifiers of their client into a file.

A slice appends parts: some identifiers as compressed bytes in a file of their own, and then the progress that counts
them. A part that was written without this progress is never read, and its identifiers are in a later part. When all
identifiers are in parts, these are joined to the file that clients fetch.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import StoreUnavailable
from coolid.http.dialects.ezid.addresses import is_deleted
from coolid.http.dialects.ezid.download_formats import (
    SUFFIXES,
    DownloadEntry,
    DownloadFormat,
    download_entry,
    with_iso_times,
)
from coolid.http.dialects.ezid.download_parameters import satisfies
from coolid.jobs.compressed_files import compress, gzip_file, zip_file
from coolid.jobs.session import JobSession
from coolid.model.clients import Client
from coolid.model.downloads import MEDIA_TYPES, Download
from coolid.model.jobs import DONE, is_ended
from coolid.model.records import Record
from coolid.model.repositories import Repository
from coolid.ports import Seconds
from coolid.registry.visible_repositories import updatable_repositories
from coolid.store.jobs import FileStore, download_name, slice_name
from coolid.store.prefixes import PrefixStore, RepositoryStore
from coolid.store.records import RecordStore
from coolid.store.rows import pid_of

PART_SIZE: Final = 4_000_000
"""About the most characters of a part before compression, which are in memory."""
SAVE_SECONDS: Final = 5.0
"""The most seconds between two parts. After a crash, that much is done again."""
_PAGE: Final = 100
_Located = tuple[Record, Repository]


class DownloadWriter(Struct, frozen=True):
    """Writes downloads of the records that a client may update. `seconds` is a monotonic clock."""

    prefixes: PrefixStore
    repositories: RepositoryStore
    records: RecordStore
    files: FileStore
    seconds: Seconds

    def write_slice(self, session: JobSession, client: Client, wanted: Download, is_over: Callable[[], bool]) -> None:
        """Write parts of a download, at least one page of records. After the last part, join them, and end the job."""
        form = DownloadFormat.named(wanted.format, wanted.columns)
        progress = session.job.progress
        text, begun = form.beginning if progress.row == 0 and not progress.parts else "", self.seconds()
        row, after = progress.row, progress.after
        for page, position in self._pages(client, progress.after):
            after = position
            for entry in _wanted_entries(page, wanted):
                text += form.entry(entry, is_first=row == 0)
                row += 1
            has_to_stop = is_over()
            if has_to_stop or len(text) >= PART_SIZE or self.seconds() - begun >= SAVE_SECONDS:
                self._save(session, text, row, after)
                text, begun = "", self.seconds()
            if has_to_stop:
                return
        self._save(session, text, row, after)
        if not is_ended(session.job.state):
            self._join(session, wanted, form.end.encode())

    def _pages(self, client: Client, after: str | None) -> Iterator[tuple[list[_Located], str]]:
        """Yield pages of records after a position, with their repositories, and the position of the last record."""
        first, _, key = (after or "/").partition("/")
        for repository_id, repository in updatable_repositories(client, self.prefixes, self.repositories).items():
            if repository_id < first:
                continue
            following = key or None if repository_id == first else None
            while True:
                page, following = self.records.list_records(repository_id, _PAGE, following)
                if page:
                    yield (
                        [(each, repository) for each in page if not is_deleted(each, self.records)],
                        pid_of(repository_id, page[-1].key),
                    )
                if following is None:
                    break

    def _save(self, session: JobSession, text: str, row: int, after: str | None) -> None:
        """Write a part, and then the progress that counts it. Raises `LeaseLost`."""
        progress, content = session.job.progress, text.encode()
        parts = progress.parts
        if content:
            self.files.write(slice_name(session.job.id, session.file_number), [compress(content)])
            parts = (*parts, session.file_number)
        checksum, position = zlib.crc32(content, progress.checksum), progress.position + len(content)
        session.save(replace(progress, row=row, after=after, parts=parts, checksum=checksum, position=position))

    def _join(self, session: JobSession, wanted: Download, end: bytes) -> None:
        """Write the file that clients fetch, and end the job."""
        job, progress = session.job, session.job.progress
        parts = self._parts(session, progress.parts)
        if wanted.compression == "zip":
            name = f"{job.id}.{SUFFIXES[wanted.format]}"
            pieces = zip_file(name, parts, end, progress.checksum, progress.position)
        else:
            pieces = gzip_file(parts, end, progress.checksum, progress.position)
        name = download_name(job.id)
        size = self.files.write(name, pieces, MEDIA_TYPES[wanted.compression])
        session.change(state=DONE, rows=progress.row, file=name, size=size)
        for number in range(1, session.job.progress.slices + 1):
            self.files.delete(slice_name(job.id, number))

    def _parts(self, session: JobSession, numbers: Sequence[int]) -> Iterator[bytes]:
        """Yield the content of parts, and renew the lease meanwhile."""
        for number in numbers:
            pieces = self.files.read(slice_name(session.job.id, number))
            if pieces is None:
                raise StoreUnavailable(f"a part of the download {session.job.id} is missing")
            yield from pieces
            if session.is_check_due():
                session.save(session.job.progress)


def _wanted_entries(page: Sequence[_Located], wanted: Download) -> Iterator[DownloadEntry]:
    entries = (download_entry(record, repository) for record, repository in page)
    found = (entry for entry in entries if satisfies(entry, wanted))
    return map(with_iso_times, found) if wanted.iso_times else found
