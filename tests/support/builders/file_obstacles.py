"""Obstacles at the path of a private file: they are no regular files, and must be refused."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

TARGET: Final = b"the file of somebody else"


def link(path: Path) -> None:
    """Put a symbolic link to a file with the content `TARGET` there."""
    target_of(path).write_bytes(TARGET)
    path.symlink_to(target_of(path))


def dangling_link(path: Path) -> None:
    """Put a symbolic link to a missing file there."""
    path.symlink_to(target_of(path))


def target_of(path: Path) -> Path:
    """Return the file that a link at `path` names."""
    return path.with_name(f"{path.name}-target")


OBSTACLES: Final[dict[str, Callable[[Path], None]]] = {
    "link": link,
    "dangling link": dangling_link,
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
}


def is_untouched(obstacle: str, path: Path) -> bool:
    """Return whether an obstacle at `path` is unchanged, and so is the file that it names."""
    target = target_of(path)
    if obstacle == "link":
        return path.is_symlink() and target.read_bytes() == TARGET
    if obstacle == "dangling link":
        return path.is_symlink() and not target.exists()
    return path.is_fifo() if obstacle == "pipe" else path.is_dir()
