"""Faults in the Bioregistry's entries of prefixes, found by comparing example, pattern and URL formats.

An entry takes some of its URL formats over from other registries. Some of these write identifiers with a beginning that
the Bioregistry omits, such as `LRG_1` for `1`. A format that lacks the beginning leads nowhere. The pattern of the
registry shows it: it refuses the example alone and accepts it behind the beginning. Then the import inserts the
beginning (`corrected`). Other faults are only reported.

>>> inserted("https://lrg.example/$1.xml", "LRG_"), inserted("https://lrg.example/LRG_$1.xml", "LRG_")
('https://lrg.example/LRG_$1.xml', 'https://lrg.example/LRG_$1.xml')
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

import can_ada
from msgspec import Struct

from coolid.identifiers.patterns import is_supported, matches
from coolid.model.prefixes import as_uri

DEFAULT: Final = "default"
SLOT: Final = "$1"
"""Where the identifier goes in a format of the Bioregistry."""
_ATOM: Final = re.compile(r"\\.|\[\^?\]?[^\]]*\]|.", re.DOTALL)
_SEPARATORS: Final = ("_", ":", "-", "")
_MARKED: Final = re.compile("^(?=.*[0-9]).{4}")
"""Matches examples that no URL contains by chance."""
_HOST_END: Final = re.compile("[/?#]")
_REGISTRIES: Final = ("miriam", "n2t")
"""The registries whose patterns are good enough to judge by."""


class Fault(Struct, frozen=True, order=True):
    """A fault of an entry: its `kind` (`KINDS`), the member and its value, the reason, and a proposed value if any.

    `corrected` is true if the import uses the proposed value.
    """

    prefix: str
    kind: str
    member: str
    value: str
    reason: str
    fix: str | None = None
    corrected: bool = False


KINDS: Final = {
    "beginning-missing": "A URL format lacks a beginning that its registry's identifiers have.",
    "beginning-repeated": "A URL format repeats the beginning of the example.",
    "example-in-url": "A URL format contains the example, so that all identifiers lead to it.",
    "example-refused": "The pattern refuses an example.",
    "pattern-differs": "The pattern of another registry refuses the example.",
    "pattern-invalid": "The pattern is not a regular expression in RE2's syntax.",
    "pattern-open": "An anchor of the pattern applies to one of its alternatives only.",
    "slot-in-host": "The identifier is part of a URL format's host.",
    "slot-missing": "A URL format has no place for the identifier.",
    "url-invalid": "A URL format contains characters that no URL may contain, or is not a URL.",
}


class UrlFormat(Struct, frozen=True):
    """A URL format of an entry, with the provider's code and title, and the registry it is from.

    `registry` is empty for a format of the Bioregistry itself. The default's code is `default`.
    """

    registry: str
    code: str
    url: str
    title: str = ""

    @property
    def member(self) -> str:
        """The member of the entry that contains the format."""
        return "uri_format" if self.code == DEFAULT else f"providers/{self.code}"


def beginning_of(resource: Any, registry: str) -> str | None:
    """Return the text that a registry's identifiers begin with and the Bioregistry's lack; empty if they are the same.

    Return None if the registry's pattern refuses the example for another reason.
    """
    record = resource.get_external(registry) or {}
    pattern, example, banana = record.get("pattern"), resource.get_example(), resource.get_banana()
    if not pattern or not example or (record.get("extras") or {}).get("namespaceEmbeddedInLui"):
        return ""
    if matches(pattern, example):
        return ""
    separators = dict.fromkeys((resource.get_banana_peel(), *_SEPARATORS)) if banana else {}
    return next((banana + each for each in separators if matches(pattern, banana + each + example)), None)


def inserted(url: str, beginning: str) -> str:
    """Return a URL format with the beginning in front of the identifier, unless it is there."""
    before = unquote(url.partition(SLOT)[0])
    return url if not beginning or before.endswith(beginning) else url.replace(SLOT, beginning + SLOT)


def corrected(resource: Any, each: UrlFormat) -> str:
    """Return a URL format as the import uses it."""
    return inserted(each.url, beginning_of(resource, each.registry) or "") if each.registry else each.url


def n2t_format(resource: Any, url: str | None) -> str | None:
    """Return the format of an identifier at n2t.net with the beginning that both N2T and identifiers.org require."""
    beginning = beginning_of(resource, "n2t")
    return inserted(url, beginning) if url and beginning and beginning == beginning_of(resource, "miriam") else url


def formats_of(resource: Any) -> Iterator[UrlFormat]:
    """Yield the URL formats of an entry and of the registries that it takes formats over from."""
    default = resource.get_default_format()
    if default:
        yield UrlFormat(_registry_of(resource, default), DEFAULT, default)
    from_miriam = {(each["code"], each["uri_format"]) for each in _miriam(resource).get("providers", ())}
    for each in resource.get_extra_providers():
        registry = "miriam" if (each.code, each.uri_format) in from_miriam else ""
        yield UrlFormat(registry, each.code, each.uri_format, each.name or "")


def faults_of(resource: Any) -> Iterator[Fault]:
    """Yield the faults of an entry of the Bioregistry."""
    yield from _pattern_faults(resource)
    for each in formats_of(resource):
        yield from _format_faults(resource, each)
    url = resource.get_n2t_uri_format()
    if (right := n2t_format(resource, url)) != url:
        reason = f"identifiers at n2t begin with {beginning_of(resource, 'n2t')}"
        yield Fault(resource.prefix, "beginning-missing", "n2t", url, reason, right, corrected=True)


def all_faults(resources: Mapping[str, Any]) -> list[Fault]:
    """Return the faults of all entries, by prefix."""
    return sorted(fault for resource in resources.values() for fault in faults_of(resource))


def _pattern_faults(resource: Any) -> Iterator[Fault]:
    prefix, pattern, example = resource.prefix, resource.get_pattern(), resource.get_example()
    if pattern and not is_supported(pattern):
        yield Fault(prefix, "pattern-invalid", "pattern", pattern, "RE2 refuses it")
    elif pattern:
        if (fixed := _closed(pattern)) != pattern:
            yield Fault(prefix, "pattern-open", "pattern", pattern, "`|` binds weaker than `^` and `$`", fixed)
        for each in filter(None, (example, *resource.get_example_extras())):
            if not matches(pattern, each):
                yield Fault(prefix, "example-refused", "example", each, f"the pattern {pattern} refuses it")
    record = _miriam(resource)
    if beginning_of(resource, "miriam") is None:
        reason = f"its pattern {record['pattern']} refuses the example {example}"
        yield Fault(prefix, "pattern-differs", "miriam/pattern", record["pattern"], reason)


def _format_faults(resource: Any, each: UrlFormat) -> Iterator[Fault]:
    prefix, example = resource.prefix, resource.get_example() or "0"
    before, slot, _ = each.url.partition(SLOT)
    if not slot:
        yield Fault(prefix, "slot-missing", each.member, each.url, f"it has no {SLOT}")
        return
    if "://" in before and not _HOST_END.search(before.partition("://")[2]):
        yield Fault(prefix, "slot-in-host", each.member, each.url, "an identifier could choose the host")
    if _MARKED.search(example) and example in each.url:
        yield Fault(prefix, "example-in-url", each.member, each.url, f"it contains the example {example}")
    right = corrected(resource, each)
    if right != each.url:
        reason = f"identifiers at {each.registry} begin with {beginning_of(resource, each.registry)}"
        yield Fault(prefix, "beginning-missing", each.member, each.url, reason, right, corrected=True)
    elif repeated := _repeated(resource, before, example):
        reason = f"the example {example} begins with {repeated}, too"
        fix = before[: -len(repeated)] + each.url[len(before) :]
        yield Fault(prefix, "beginning-repeated", each.member, each.url, reason, fix)
    if (escaped := as_uri(each.url)) != each.url:
        reason = "some characters need escapes"
        yield Fault(prefix, "url-invalid", each.member, each.url, reason, escaped, corrected=True)
    elif not _is_url(each.url.replace(SLOT, as_uri(example))):
        yield Fault(prefix, "url-invalid", each.member, each.url, "with the example it is not a URL")


def _registry_of(resource: Any, url: str) -> str:
    """Return the registry that a default format is from. An identical format counts as taken over."""
    return next((each for each in _REGISTRIES if (resource.get_external(each) or {}).get("uri_format") == url), "")


def _miriam(resource: Any) -> dict[str, Any]:
    return resource.get_external("miriam") or {}


def _repeated(resource: Any, before: str, example: str) -> str:
    """Return the beginning of the example that the format has in front of the identifier, or an empty text."""
    banana = resource.get_banana()
    beginnings = [banana + each for each in _SEPARATORS[:-1]] if banana else []
    if found := re.match("[A-Za-z]+[_:-]", example):
        beginnings.append(found[0])
    return next((each for each in beginnings if example.startswith(each) and before.endswith(each)), "")


def _closed(pattern: str) -> str:
    """Return a pattern whose anchors apply to all alternatives.

    >>> _closed(r"^(\\d+)|(\\w+)$"), _closed("^(a|b)$"), _closed("^a$|^b$")
    ('^((\\\\d+)|(\\\\w+))$', '^(a|b)$', '^a$|^b$')
    """
    alternatives = _alternatives(pattern)
    if all(each.startswith("^") and each.endswith("$") for each in alternatives):
        return pattern
    if not pattern.startswith("^") or not pattern.endswith("$"):
        return pattern
    return f"^({pattern[1:-1]})$"


def _alternatives(pattern: str) -> list[str]:
    """Return the parts of a pattern between the `|` that are outside of groups and classes."""
    parts, depth = [""], 0
    for atom in _ATOM.findall(pattern):
        depth += (atom == "(") - (atom == ")")
        if atom == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += atom
    return parts


def _is_url(url: str) -> bool:
    try:
        can_ada.parse(url)
    except ValueError:
        return False
    return True
