"""Responses as XML (section 3.2): the elements of records, and the document around each response."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from xml.etree.ElementTree import Element

from coolid.http.dialects.oai.identifiers import item_identifier
from coolid.http.dialects.oai.record_pages import PublicRecord
from coolid.http.formats.xml_elements import add_element, serialize
from coolid.http.message import Response
from coolid.model.records import WITHDRAWN, format_time

MEDIA_TYPE: Final = "text/xml; charset=utf-8"
_OAI: Final = "http://www.openarchives.org/OAI/2.0/"
_ROOT: Final = {
    "xmlns": _OAI,
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:schemaLocation": f"{_OAI} {_OAI}OAI-PMH.xsd",
}


def header(record: PublicRecord, host: str, *, has_sets: bool) -> Element:
    """Return the header of a record (section 2.5). It says whether the record is withdrawn."""
    owner, version = record
    root = Element("header", {"status": "deleted"} if version.status == WITHDRAWN else {})
    add_element(root, "identifier", item_identifier(host, version.repository, version.key))
    add_element(root, "datestamp", format_time(version.updated))
    for spec, _ in owner.sets() if has_sets else ():
        add_element(root, "setSpec", spec)
    return root


def whole_record(head: Element, metadata: Element | None) -> Element:
    """Return a record. A deleted one has no metadata."""
    root = Element("record")
    root.append(head)
    if metadata is not None:
        add_element(root, "metadata").append(metadata)
    return root


def response(date: datetime, base_url: str, sent: Mapping[str, str], content: Element, cache_control: str) -> Response:
    """Return the response to a request to `base_url` with the arguments `sent`."""
    root = Element("OAI-PMH", _ROOT)
    add_element(root, "responseDate", format_time(date))
    add_element(root, "request", base_url, sent)
    root.append(content)
    return Response(200, {"Content-Type": MEDIA_TYPE, "Cache-Control": cache_control}, serialize(root))
