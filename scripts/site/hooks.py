"""Hooks of MkDocs: the reference of the API, what is left out of the site, and compressed copies of its texts.

The service sends the compressed copies (`coolid.http.public.documentation_site`).
"""

import gzip
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from mkdocs.structure.files import File

from scripts.site.api_reference import api_overview, api_pages
from scripts.site.python_markdown import from_commonmark

ROOT: Final = Path(__file__).resolve().parents[2]
OVERVIEW: Final = "reference/api/index.md"
OPERATIONS: Final = "<!-- operations -->"
UNUSED: Final = ("assets/javascripts/lunr", "404.html", "sitemap.xml", "sitemap.xml.gz")
"""Dictionaries of other languages; the service has its own page for 404, and a sitemap needs the service's URL."""
TEXTS: Final = frozenset({".css", ".html", ".js", ".json", ".svg", ".yaml"})
LEAST_BYTES: Final = 1_000
SCRIPT: Final = re.compile(r'<script (src="[^"]*/?bundle\.)')
SEARCH_DIALOG: Final = 'data-md-component="search" role="dialog"'


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pages of the API, one for each tag."""
    for name, page in api_pages(api_document()).items():
        files.append(File.generated(config, f"reference/api/{name}", content=page))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page's text as Python-Markdown reads it; that of the API's overview contains the list of operations."""
    operations = api_overview(api_document()) if page.file.src_uri == OVERVIEW else ""
    return from_commonmark(markdown.replace(OPERATIONS, operations))


@cache
def api_document() -> Any:
    """Return the description of the API."""
    return yaml.safe_load((ROOT / "infra/openapi.yaml").read_text(encoding="utf-8"))


def on_post_page(output: str, **_: Any) -> str:
    """Return a page whose search dialog has a name for screen readers, and whose text appears before its script runs.

    The theme has neither.
    """
    named = output.replace(SEARCH_DIALOG, f'{SEARCH_DIALOG} aria-label="Search"')
    return SCRIPT.sub(r"<script defer \1", named)


def on_post_build(config: Mapping[str, Any], **_: Any) -> None:
    """Remove files that no page uses, and compress the texts."""
    site = Path(config["site_dir"])
    for name in UNUSED:
        path = site / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in [*site.rglob("*")]:
        if path.suffix == ".map":
            path.unlink()
        elif path.suffix in TEXTS and path.stat().st_size >= LEAST_BYTES:
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
