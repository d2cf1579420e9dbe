"""The JSON of prefixes and repositories in the public and the management API, and validation schemas of prefixes."""

from collections.abc import Callable, Mapping
from typing import Any

from coolid.identifiers.rules.base import RulesDescription
from coolid.model.conditions import Condition
from coolid.model.prefixes import Namespace, Provider, ProviderPrefix
from coolid.model.records import format_time
from coolid.model.repositories import Repository
from coolid.resolution.provider_failover import condition_of
from coolid.strict_json import dump


def prefix_document(prefix: Namespace | ProviderPrefix) -> dict[str, Any]:
    """Return the document of a prefix: its kind, its providers or repository, and its rules."""
    common = {
        "prefix": prefix.name,
        "title": prefix.title or None,
        "created": format_time(prefix.created),
        "updated": format_time(prefix.updated),
    }
    if isinstance(prefix, Namespace):
        return {
            **common,
            "kind": "namespace",
            "repository": prefix.repository.id,
            "canonical": prefix.repository.canonical,
            "scheme": prefix.repository.rules.scheme,
            "rules": prefix.repository.rules.public_document(),
            "identifiers": identifier_rules_document(prefix.rules.describe()),
            **({"support": dict(prefix.repository.support)} if prefix.repository.support else {}),
        }
    return {
        **common,
        "kind": "provider",
        "description": prefix.description or None,
        "homepage": prefix.homepage,
        "pattern": prefix.pattern,
        "strict": prefix.strict,
        "encoding": prefix.encoding,
        "example": prefix.example,
        "synonyms": list(prefix.synonyms),
        **({"mapped": dict(prefix.mapped)} if prefix.mapped else {}),
        "providers": [_provider(each, condition_of(prefix, each)) for each in prefix.providers],
        "ttl": prefix.ttl,
        "source": prefix.source,
        "deprecated": prefix.deprecated,
    }


def _provider(provider: Provider, condition: Condition | None) -> dict[str, Any]:
    """Return the document of a provider, with its condition if it was checked."""
    document: dict[str, Any] = {"code": provider.code, "title": provider.title or None, "url": provider.url}
    if condition is not None:
        document["health"] = {
            "state": condition.state,
            "since": format_time(condition.since),
            "reason": condition.reason or None,
            "lastGood": format_time(condition.good) if condition.good else None,
            "moved": condition.moved,
        }
    return document


def identifier_rules_document(rules: RulesDescription) -> dict[str, Any]:
    """Return the public document of minting rules: the syntax of identifiers and their check."""
    minimum, maximum = rules.length
    return {
        "alphabet": rules.alphabet or None,
        "length": {"least": minimum, "most": maximum},
        "pattern": rules.pattern,
        "check": {"algorithm": rules.check, "zone": rules.zone} if rules.check else None,
        "foldsCase": rules.folds_case,
        "example": rules.example or None,
    }


def repository_document(repository: Repository) -> dict[str, Any]:
    """Return the document of a repository with its rules."""
    return {
        "id": repository.id,
        "title": repository.title,
        "scheme": repository.rules.scheme,
        "rules": repository.rules.public_document(),
        "ttl": repository.ttl,
        "redirect": repository.redirect,
        "domains": list(repository.domains),
        "denied_domains": list(repository.denied_domains),
        "passthrough": repository.passthrough,
        "target": repository.target,
        "choices": repository.choices,
        "landing": repository.landing,
        "listed": repository.listed,
        "support": dict(repository.support) if repository.support else None,
        "archive": repository.archive,
        "home": repository.home,
        "canonical": repository.canonical,
        "created": format_time(repository.created),
        "updated": format_time(repository.updated),
    }


def schemas_of(prefix: Namespace | ProviderPrefix) -> Mapping[str, tuple[str, Callable[[], str]]]:
    """Return the media type and the writer of each schema of a prefix; a provider prefix has no Schematron rules."""
    from coolid.identifiers.validation_schemas import json_schema, pattern_schema, schematron  # needed by few

    if isinstance(prefix, ProviderPrefix):
        pattern = prefix.pattern
        return {
            "regex": ("text/plain; charset=utf-8", lambda: (pattern or ".*") + "\n"),
            "jsonschema": ("application/schema+json", lambda: dump(pattern_schema(prefix.name, prefix.title, pattern))),
        }
    rules = prefix.rules
    return {
        "regex": ("text/plain; charset=utf-8", lambda: rules.describe().pattern + "\n"),
        "jsonschema": ("application/schema+json", lambda: dump(json_schema(rules, prefix.name))),
        "schematron": ("application/xml", lambda: schematron(rules, prefix.name)),
    }
