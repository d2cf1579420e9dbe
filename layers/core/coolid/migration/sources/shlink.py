"""The source `shlink`: the short URLs of Shlink, as JSON of its REST API or as CSV of its web client.

Sources: Shlink's OpenAPI document (version 3 of the REST API, `GET /short-urls`), whose pages have the short URLs in
`shortUrls.data`; the export of `shlink-web-client` (`createdAt`, `title`, `shortUrl`, `domain`, `shortCode`, `longUrl`,
`tags`, `visits`). A document may also have the rules of `GET /short-urls/CODE/redirect-rules` in `redirectRules`. A
rule with the language as its only condition becomes a location in that language.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from coolid.migration.dumps.dump_rows import DumpRow, moment_of, read_rows
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.migration.sources.short_links import first_text, path_in
from coolid.model.records import Location, format_time

_JSON_PATH: Final = ("shortUrls", "data")
_COLUMNS: Final = (("shortcode", "shorturl"), ("longurl",))
_DEVICES: Final = "devicelongurls"
_RULES: Final = "redirectrules"
_PERIOD: Final = {"validSince": "valid_from", "validUntil": "valid_until"}


def read(path: Path) -> Iterator[Entry]:
    """See `Source`. The position of an entry is the number of its row."""
    first_domain = ""
    for row in read_rows(path, lambda _: False, _JSON_PATH, _COLUMNS):
        if row.values is not None and "createdat" in row.values:  # CSV, which names the default domain too
            domain = first_text(row.values, ("domain",))
            first_domain = first_domain or domain
            values = {**row.values, "domain": None if domain == first_domain else domain}
            yield _entry(replace(row, values=values))
        else:
            yield _entry(row)


def _entry(row: DumpRow) -> Entry:
    values = row.values
    if values is None:
        return UnreadableEntry(row.number, row.reason)
    code = first_text(values, ("shortcode",)) or path_in(first_text(values, ("shorturl",)))
    target = first_text(values, ("longurl",))
    if not code or not target:
        return UnreadableEntry(row.number, "it has no short code or no long URL", code)
    losses = list(_losses(values))
    period = _period(values, losses)
    rules = _rules(values, losses)
    locations = [Location(target), *(Location(uri, language=language) for language, uri in rules.items())]
    version = SourceVersion(
        locations=tuple(replace(each, **period) for each in locations),
        metadata=_metadata(values),
    )
    created = moment_of(first_text(values, ("datecreated", "createdat")))
    return SourceIdentifier(row.number, code, (version,), tuple(losses), created)


def _metadata(values: Mapping[str, Any]) -> dict[str, Any]:
    title, tags = first_text(values, ("title",)), values.get("tags")
    names = tags if isinstance(tags, list) else re.split("[|,]", tags) if isinstance(tags, str) else []
    subjects = [name.strip() for name in names if isinstance(name, str) and name.strip()]
    return ({"what": title} if title else {}) | ({"subject": subjects} if subjects else {})


def _losses(values: Mapping[str, Any]) -> Iterator[Loss]:
    if domain := first_text(values, ("domain",)):
        yield Loss("domain", "short codes of all domains become identifiers under one prefix", domain)
    meta = _object(values.get("meta"))
    if meta.get("maxVisits") is not None:
        yield Loss("maxVisits", "a record has no limit of visits", str(meta["maxVisits"])[:20])
    if values.get("forwardquery") is False:
        yield Loss("forwardQuery", "each repository has one rule for query strings, not each record", "false")
    for device, uri in _object(values.get(_DEVICES)).items():
        if uri:
            yield Loss("deviceLongUrls", "coolid does not choose by device", f"{device}: {str(uri)[:2000]}")
    if values.get("hasredirectrules") is True and _RULES not in values:
        yield Loss("redirectRules", "the file does not have the rules of this short URL")


def _period(values: Mapping[str, Any], losses: list[Loss]) -> dict[str, str]:
    """Return the ends of the period of a short URL, by the members of a location."""
    meta = _object(values.get("meta"))
    period = {}
    for name, member in _PERIOD.items():
        text = meta.get(name)
        moment = moment_of(text)
        if moment is not None:
            period[member] = format_time(moment)
        elif text:
            losses.append(Loss(name, "it is no time", str(text)[:50]))
    return period


def _rules(values: Mapping[str, Any], losses: list[Loss]) -> dict[str, str]:
    """Return the targets of rules by language, the first rule of each."""
    rules = values.get(_RULES)
    if isinstance(rules, dict):
        rules = rules.get("redirectRules")
    languages: dict[str, str] = {}
    for rule in rules if isinstance(rules, list) else []:
        match rule:
            case {"longUrl": str(uri), "conditions": [{"type": "language", "matchValue": str(language)}]}:
                languages.setdefault(language, uri)
            case _:
                losses.append(Loss("redirectRules", "coolid chooses by language only", str(rule)[:2000]))
    return languages


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
