"""Exports: complete, ordered and reproducible."""

import json
from pathlib import Path

from coolid.aws.entropy import SystemEntropy
from coolid.model.clients import issue_client
from coolid.model.webhooks import Webhook
from coolid.proofs.verification import verify
from tests.support.fixtures.installations import Installation


class TestExporting:
    def test_it_has_everything_in_order_and_its_first_and_last_lines_say_what_it_is(
        self, furnished: Installation
    ) -> None:
        first, *between, last = map(json.loads, furnished.export().splitlines())
        assert first == {"kind": "export", "format": "coolid-export/1"}
        assert last["lines"] == {"keys": 1, "repository": 4, "prefix": 7, "record": 18, "counter": 2}
        kinds = [each["kind"] for each in between]
        assert kinds == sorted(kinds, key=["keys", "repository", "prefix", "record", "counter"].index)
        for kind, order in {
            "repository": lambda each: each["id"],
            "prefix": lambda each: (each["type"], each["name"]),
            "record": lambda each: (each["repository"], each["key"], each["version"]),
        }.items():
            found = [each for each in between if each["kind"] == kind]
            assert found == sorted(found, key=order)

    def test_the_same_state_gives_the_same_bytes(self, furnished: Installation) -> None:
        assert furnished.export() == furnished.export()

    def test_every_version_says_who_wrote_it_and_is_verified_by_the_keys_that_stand_in_it(
        self, furnished: Installation
    ) -> None:
        documents = [json.loads(line) for line in furnished.export().splitlines()]
        records = [each for each in documents if each["kind"] == "record"]
        assert {each["author"] for each in records} == {"a-client", "another"}
        for each in records:
            assert all(check.passed for check in verify(each["record"], documents[1]).checks)
        (history,) = [
            [each["record"] for each in records if each["key"] == one["key"]] for one in records if one["version"] == 6
        ]
        assert verify(history[-1], documents[1], history[:-1]).complete

    def test_it_has_neither_clients_nor_webhooks_and_restores_none(
        self, furnished: Installation, other: Installation, tmp_path: Path
    ) -> None:
        owner = furnished.minter.namespace("mp").repository.id
        client, _ = issue_client(("mint:mp",), furnished.clock, SystemEntropy(), "a note")
        webhook = Webhook("https://hook.example/", "whsec_c2VjcmV0", furnished.clock.now())
        export = furnished.export()
        furnished.store.clients.put_client(client)
        furnished.store.webhooks.put_webhook(owner, webhook)
        assert furnished.export() == export
        other.restore(export, tmp_path)
        assert other.store.clients.client(client.id) is None
        assert other.store.webhooks.webhook(owner) is None
