"""The response to `Identify` (section 4.2), with the description of the identifiers' format."""

from datetime import datetime
from typing import Final
from xml.etree.ElementTree import Element

from coolid.http.dialects.oai.identifiers import DELIMITER, SCHEME, is_domain
from coolid.http.formats.xml_elements import add_element
from coolid.model.records import format_time

_IDENTIFIER: Final = "http://www.openarchives.org/OAI/2.0/oai-identifier"


def identify(name: str, address: str, earliest: datetime, admin_email: str, host: str, sample: str) -> Element:
    """Return the description of an address with the records since `earliest`. `sample` is an identifier of `host`."""
    root = Element("Identify")
    values = {
        "repositoryName": name,
        "baseURL": address,
        "protocolVersion": "2.0",
        "adminEmail": admin_email or _postmaster(host),
        "earliestDatestamp": format_time(earliest),
        "deletedRecord": "persistent",
        "granularity": "YYYY-MM-DDThh:mm:ssZ",
    }
    for element, value in values.items():
        add_element(root, element, value)
    if is_domain(host):
        add_element(root, "description").append(_identifier_format(host, sample))
    return root


def _postmaster(host: str) -> str:
    """Return the address that every domain with mail has (RFC 2142). The schema requires a dot in its domain."""
    return f"postmaster@{host}" if "." in host else f"postmaster@{host}.localdomain"


def _identifier_format(host: str, sample: str) -> Element:
    root = Element(
        "oai-identifier",
        {
            "xmlns": _IDENTIFIER,
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": f"{_IDENTIFIER} {_IDENTIFIER}.xsd",
        },
    )
    add_element(root, "scheme", SCHEME)
    add_element(root, "repositoryIdentifier", host)
    add_element(root, "delimiter", DELIMITER)
    add_element(root, "sampleIdentifier", sample)
    return root
