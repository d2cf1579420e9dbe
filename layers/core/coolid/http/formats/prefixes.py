"""Prefixes and repositories as JSON, the same for the public description and the management API."""

from typing import Any

from coolid.identifiers.rules.base import RulesDescription
from coolid.model.conditions import Condition
from coolid.model.prefixes import Namespace, Provider, ProviderPrefix
from coolid.model.records import format_time
from coolid.model.repositories import Repository
from coolid.resolution.provider_failover import condition_of


def document(prefix: Namespace | ProviderPrefix) -> dict[str, Any]:
    """What a prefix means: its kind, where its identifiers are and the rules they keep."""
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
            "identifiers": identifiers(prefix.repository.rules.describe()),
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
        "providers": [_provider(provider, condition_of(prefix, provider)) for provider in prefix.providers],
        "ttl": prefix.ttl,
        "source": prefix.source,
        "deprecated": prefix.deprecated,
    }


def _provider(provider: Provider, condition: Condition | None) -> dict[str, Any]:
    """A provider, with what is known of its health, if anybody looked."""
    told = {"code": provider.code, "title": provider.title or None, "url": provider.url}
    return told if condition is None else {**told, "health": _health(condition)}


def _health(condition: Condition) -> dict[str, Any]:
    """What is known of an address."""
    return {
        "state": condition.state,
        "since": format_time(condition.since),
        "reason": condition.reason or None,
        "lastGood": format_time(condition.good) if condition.good else None,
        "moved": condition.moved,
    }


def identifiers(described: RulesDescription) -> dict[str, Any]:
    """The custodian's rules in public: what an identifier may look like and how it is checked."""
    least, most = described.length
    return {
        "alphabet": described.alphabet or None,
        "length": {"least": least, "most": most},
        "pattern": described.pattern,
        "check": {"algorithm": described.check, "zone": described.zone} if described.check else None,
        "foldsCase": described.folds_case,
        "example": described.example or None,
    }


def repository_document(repository: Repository) -> dict[str, Any]:
    """A repository with its rules."""
    return {
        "id": repository.id,
        "title": repository.title,
        "scheme": repository.rules.scheme,
        "rules": repository.rules.public_document(),
        "ttl": repository.ttl,
        "redirect": repository.redirect,
        "domains": list(repository.domains),
        "passthrough": repository.passthrough,
        "target": repository.target,
        "choices": repository.choices,
        "support": dict(repository.support) if repository.support else None,
        "archive": repository.archive,
        "home": repository.home,
        "canonical": repository.canonical,
        "created": format_time(repository.created),
        "updated": format_time(repository.updated),
    }
