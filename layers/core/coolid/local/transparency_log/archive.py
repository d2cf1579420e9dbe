"""The archive of the transparency log in a backup: a tar file with its files, whose paths are those below `/log/`."""

import tarfile
from io import BytesIO
from itertools import chain
from pathlib import Path

from coolid import private_files
from coolid.sqlite.log.backup import log_files_for
from coolid.sqlite.log.folder import LogFolder


def write_archive(copy: Path, database: Path, archive: Path) -> bool:
    """Write the files of the log that a copy of a database expects. Return False, without a file, if it has no log.

    Raises `UsageError`, `StoreUnavailable` and `OSError`.
    """
    files = log_files_for(copy, LogFolder.beside(database))
    first = next(files, None)
    if first is None:
        return False
    with private_files.replacement(archive) as new, tarfile.open(fileobj=new, mode="w") as tar:
        for path, content in chain([first], files):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), 0o600
            tar.addfile(member, BytesIO(content))
    return True
