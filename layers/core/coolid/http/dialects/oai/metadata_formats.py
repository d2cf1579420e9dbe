"""The metadata formats in which records are harvested (section 3.4).

`oai_dc` is required of every service. `oai_datacite` is the format of DataCite's own service, which OpenAIRE and others
harvest: the whole DataCite metadata in an envelope.
"""

from collections.abc import Callable, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from msgspec import Struct

from coolid.http.formats.citations import datacite_xml
from coolid.http.formats.dublin_core import OAI_DC, oai_dc
from coolid.http.formats.xml_elements import add_element
from coolid.model.records import Record

_OAI_DATACITE: Final = "http://schema.datacite.org/oai/oai-1.1/"
_KERNEL: Final = "4.6"


class MetadataFormat(Struct, frozen=True):
    """A format by its `schema`, its XML `namespace`, and the function that returns the metadata of a record."""

    schema: str
    namespace: str
    write: Callable[[Record], Element]


def oai_datacite(record: Record) -> Element:
    """Return the DataCite metadata in the envelope of oai-1.1. `datacentreSymbol` is the issuer."""
    root = Element(
        "oai_datacite",
        {
            "xmlns": _OAI_DATACITE,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": f"{_OAI_DATACITE} {_OAI_DATACITE}oai.xsd",
        },
    )
    add_element(root, "schemaVersion", _KERNEL)
    add_element(root, "datacentreSymbol", record.issuer)
    add_element(root, "payload").append(datacite_xml.element(record))
    return root


FORMATS: Final[Mapping[str, MetadataFormat]] = {
    "oai_dc": MetadataFormat("http://www.openarchives.org/OAI/2.0/oai_dc.xsd", OAI_DC, oai_dc),
    "oai_datacite": MetadataFormat(f"{_OAI_DATACITE}oai.xsd", _OAI_DATACITE, oai_datacite),
}
"""The formats by their metadataPrefix."""
