"""Mint an identifier with the client of openapi-python-client, and read it by its PID: mint_and_read.py URL KEY PREFIX

The client is the package `generated_client`. All types are checked by mypy. Prints the PID.
"""

import sys

from generated_client import AuthenticatedClient
from generated_client.api.prefixes import get_prefix
from generated_client.api.records import get_history, get_record, mint, withdraw_record
from generated_client.models import History, Mint, MintMetadata, Record, RegisteredNamespace, Withdrawal


def main(url: str, key: str, prefix: str) -> str:
    """Return the PID of a record that was minted, read and withdrawn."""
    metadata = MintMetadata()
    metadata["what"] = "A thing"
    with AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True) as client:
        named = get_prefix.sync(prefix, client=client)
        assert isinstance(named, RegisteredNamespace), named
        body = Mint(prefix=prefix, uri="https://content.example.org/thing", metadata=metadata)
        minted = mint.sync(client=client, body=body, idempotency_key="generated-python")
        assert isinstance(minted, Record), minted
        assert minted.metadata["what"] == "A thing"
        link: str = minted.pid
        for pid in (f"{prefix}/{minted.id}", link):
            answer = get_record.sync_detailed(pid, client=client)
            assert answer.parsed == minted, answer
            history = get_history.sync(pid, client=client)
            assert isinstance(history, History), history
            assert [each.record for each in history.versions] == [minted]
        tombstone = withdraw_record.sync(
            link, client=client, body=Withdrawal(reason="A test"), if_match=answer.headers["ETag"]
        )
        assert isinstance(tombstone, Record), tombstone
        assert tombstone.status == "withdrawn"
    return link


if __name__ == "__main__":
    print(main(*sys.argv[1:]))  # noqa: T201 - the test reads it
