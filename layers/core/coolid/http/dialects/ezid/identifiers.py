"""Identifiers as EZID writes them: ARKs with their classic label `ark:/`, DOIs in upper case.

Specification: EZID API, version 2, "Framework"; draft-kunze-ark, section 2.1 (the older label).

>>> classic_form("ark:99999/fk4test"), classic_form("10.5072/fk2test"), classic_form("20.500.12345/1")
('ark:/99999/fk4test', 'doi:10.5072/FK2TEST', 'hdl:20.500.12345/1')
>>> own_form("ark:/99999/fk4test"), own_form("doi:10.5072/FK2TEST"), own_form("mp:x5")
('ark:99999/fk4test', '10.5072/FK2TEST', 'mp:x5')
"""

import re
from typing import Final
from urllib.parse import unquote

from coolid.model.prefixes import fold, has_handles
from coolid.model.records import Record

_ARK: Final = re.compile("ark:/?", re.IGNORECASE)
_HANDLE: Final = re.compile("(?:doi|hdl):/?", re.IGNORECASE)
_DOI: Final = re.compile(r"10\.")


def classic_form(reference: str) -> str:
    """Return the form for EZID's clients of a decoded path of an identifier."""
    found = _ARK.match(reference)
    if found:
        return f"ark:/{reference[found.end() :]}"
    if _DOI.match(reference):
        return f"doi:{reference.upper()}"
    return f"hdl:{reference}" if has_handles(fold(reference)) else reference


def own_form(identifier: str) -> str:
    """Return the identifier as a path of this service, the inverse of `classic_form` but for the case of DOIs."""
    ark = _ARK.match(identifier)
    if ark:
        return f"ark:{identifier[ark.end() :]}"
    handle = _HANDLE.match(identifier)
    return identifier[handle.end() :] if handle else identifier


def identifier_of(record: Record) -> str:
    """Return the identifier of a record for EZID's clients."""
    return classic_form(unquote(record.pid.removeprefix(f"{record.issuer}/")))
