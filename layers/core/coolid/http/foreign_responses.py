"""Formats of a work of another service: CSL data, BibTeX, RIS and citations, from its agency's metadata."""

from collections.abc import Mapping
from typing import Any, Final

from coolid.http.citation_response import CitedWork, response
from coolid.http.errors import NoForeignMetadata
from coolid.http.formats.catalog import CITATION, for_name
from coolid.http.formats.citations.csl_records import record_of
from coolid.http.message import Request, Response
from coolid.http.parameters import CITATION_FORMAT, citation_style
from coolid.strict_json import dump

FORMATS: Final = ("csl", "bibtex", "ris", CITATION_FORMAT)


def document(
    request: Request,
    name: str,
    work: Mapping[str, Any] | None,
    path: str,
    headers: Mapping[str, str],
    base_url: str,
) -> Response:
    """Return a work in the format of this name, one of `FORMATS`. `path` is the address of its identifier here.

    Raises `NoForeignMetadata` without a work, and `UnknownStyle`.
    """
    if work is None:
        raise NoForeignMetadata(path)
    style = citation_style(request) if name == CITATION_FORMAT else None
    if style is not None and style.is_csl:
        return response(request, CitedWork(dump(work), work["URL"], path), style, 200, headers, base_url)
    written = for_name(name if style is None or style.name == "text" else style.name)
    assert written is not None
    content_type = written.content_type if name != CITATION_FORMAT else f"{CITATION}; charset=utf-8"
    body = dump(work) if written.name == "csl" else written.write(record_of(work))
    return Response(200, {**headers, "Content-Type": content_type}, body)
