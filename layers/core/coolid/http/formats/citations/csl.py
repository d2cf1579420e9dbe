"""`application/vnd.citationstyles.csl+json`: the work as an item of CSL data.

Specification: Citation Style Language 1.0.2, `csl-data.json` (one item, as in DOI content negotiation by Crossref
and DataCite). Dates are `date-parts` as far as they are known. Names are in parts, or `literal` if these are unknown.
"""

from typing import Any

from coolid.http.formats.citations.agents import Agent
from coolid.http.formats.citations.works import Work, without_empty, work_of
from coolid.model.records import WITHDRAWN, Record
from coolid.strict_json import dump


def write(record: Record) -> str:
    """Return the item as JSON."""
    work = work_of(record)
    container = work.container
    item = {
        "type": work.kind.csl,
        "id": work.pid,
        "URL": work.pid,
        "DOI": work.doi,
        "title": work.title,
        "author": [_name(each) for each in work.creators],
        "editor": [_name(each) for each in work.editors],
        "issued": _date(work),
        "publisher": work.publisher,
        "container-title": container.title,
        "volume": container.volume,
        "issue": container.issue,
        "page": container.pages("-"),
        "version": work.version,
        "language": work.language,
        "keyword": ", ".join(work.subjects),
        "abstract": work.abstract,
        "status": "withdrawn" if record.status == WITHDRAWN else "",
        "note": work.withdrawal,
    }
    return dump(without_empty(item))


def _name(agent: Agent) -> dict[str, str]:
    if agent.family is None:
        return {"literal": agent.name}
    return without_empty({"family": agent.family, "given": agent.given})


def _date(work: Work) -> dict[str, Any]:
    if work.issued:
        return {"date-parts": [list(work.issued)]}
    return {"literal": work.when} if work.when else {}
