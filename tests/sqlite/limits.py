"""Limits of the operating system for a block: no privileges, and no further growth of files."""

import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

NOBODY = 65_534


@contextmanager
def without_privileges(mode: int, prepare: Callable[[Path], None] = lambda _: None) -> Iterator[Path]:
    """Give a folder with this mode, in which `prepare` has made files. Root becomes another user for the block."""
    folder = Path(mkdtemp())
    is_root = os.geteuid() == 0
    try:
        prepare(folder)
        folder.chmod(mode)
        if is_root:
            os.seteuid(NOBODY)
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)
        shutil.rmtree(folder)


@contextmanager
def file_size_limit(limit: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
