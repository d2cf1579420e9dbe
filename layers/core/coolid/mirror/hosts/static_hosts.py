"""Redirects of static hosts: S3 website endpoints, `_redirects` files, and pages that browsers leave at once.

- An object of S3 with `x-amz-website-redirect-location` redirects, always with 301 (Amazon S3, "Configuring a webpage
  redirect"). The list has the arguments of `put-object`, as JSON Lines.
- A line of `_redirects` has a path, a target and a status (Netlify, "Redirects and rewrites"; Cloudflare Pages,
  "Redirects"). A colon before a letter would begin a placeholder, and an asterisk match anything, so such spellings are
  left out. A target with white space would end early.
- A page redirects by `meta refresh`. It is at the path of the canonical spelling, and of an ARK's other one.

>>> is_literal("/mp/x5"), is_literal("/mp:x5"), is_literal("/ark:12345/x5"), is_literal("/a*")
(True, False, True, False)
"""

import json
import re
from collections.abc import Iterator
from typing import Final

from coolid.mirror.inventory import Inventory
from coolid.mirror.layout import HOME, LOG, PAGE, record_file, shard_of
from coolid.mirror.pages import redirect_page
from coolid.mirror.records import GONE, LossListener, MirroredRecord
from coolid.mirror.writer import MirrorWriter
from coolid.model.prefixes import as_path

S3: Final = f"{HOME}/s3/redirects.jsonl"
REDIRECTS_FILE: Final = "_redirects"
MAX_PLACES: Final = 32_768
"""The most pages in one folder."""
NO_PAGE: Final = "plain pages: its path cannot be a file everywhere, or its folder has too many, so it has only a page"

_MAX_S3_BYTES: Final = 2_000
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f-\x9f\\:*?"<>|%#\ud800-\udfff]|[. ](?:/|$)|(?:^|/)[._~]')
_PLACEHOLDER: Final = re.compile(r"[*\s]|:[A-Za-z]")
_MAX_SEGMENT_BYTES: Final = 200
_TAKEN: Final = frozenset({LOG, HOME, "index.html", "404.html"})


def write_s3(inventory: Inventory, base: str) -> Iterator[bytes]:
    """Yield a line for each spelling that redirects."""
    for spelling in inventory.spellings():
        record = inventory.record(spelling.path)
        if record is None:
            continue
        page = f"/{record_file(record.name, PAGE)}"
        location = record.target if record.is_redirect and _is_fit_for_s3(record.target) else page
        key = f"{base}/{spelling.text}".removeprefix("/")
        line = {"Key": key, "WebsiteRedirectLocation": location}
        yield json.dumps(line, ensure_ascii=False).encode() + b"\n"


def write_redirects(inventory: Inventory, base: str) -> Iterator[bytes]:
    """Yield the lines of `_redirects`."""
    yield b"# Redirects of persistent identifiers, mirrored by coolid.\n"
    for spelling in inventory.spellings():
        record = inventory.record(spelling.path)
        path = f"{base}/{as_path(spelling.text)}"
        if record is None or not is_literal(path):
            continue
        if record.is_redirect and not _has_space(record.target):
            yield f"{path} {record.target} {record.status}\n".encode()
        else:
            status = record.status if record.status in (GONE, 404) else 200
            yield f"{path} /{record_file(record.name, PAGE)} {status}\n".encode()


def is_literal(path: str) -> bool:
    """Return whether a path matches only itself in `_redirects`."""
    return _PLACEHOLDER.search(path) is None


def write_pages(writer: MirrorWriter, base: str, on_loss: LossListener) -> None:
    """Write the pages at the paths of identifiers."""
    for record in writer.inventory.records():
        content = None
        for text in _places(record):
            place = f"{base}/{text}".removeprefix("/")
            if not _is_safe(text) or not writer.inventory.claim_place(place, MAX_PLACES):
                on_loss(record.path, NO_PAGE)
                continue
            if content is None:
                content = _page_of(record, writer)
            writer.write(f"{place}/index.html", content, shard_of(record.name))


def _places(record: MirroredRecord) -> list[str]:
    """Return the spellings that have pages."""
    first = record.path
    return [first, first.replace("ark:", "ark:/", 1)] if first.startswith("ark:") else [first]


def _page_of(record: MirroredRecord, writer: MirrorWriter) -> bytes:
    if record.is_redirect:
        return redirect_page(record)
    return writer.folder.read(record_file(record.name, PAGE)) or b""


def _is_safe(text: str) -> bool:
    """Return whether a path can be a file on all systems, apart from the colon after a prefix."""
    segments = text.split("/")
    parts = text.replace(":", "", 1)
    return (
        not _UNSAFE.search(parts)
        and all(0 < len(segment.encode()) <= _MAX_SEGMENT_BYTES for segment in segments)
        and segments[0] not in _TAKEN
    )


def _is_fit_for_s3(target: str) -> bool:
    return target.isascii() and not _has_space(target) and len(target) <= _MAX_S3_BYTES


def _has_space(text: str) -> bool:
    return re.search(r"\s", text) is not None
