"""What a user saw of LinkIDs and of the keys of issuers: private files, bounded, damaged or replaced by others."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coolid.client.user_state import seen_linkids
from coolid.client.user_state.seen_keys import SeenKeyFiles, SeenKeys
from coolid.client.user_state.seen_linkids import SeenLinkIds, SeenVersion
from coolid.errors import UsageError
from coolid.linkid.pinned_keys import parse_pinned_key
from tests.linkid.test_trusted_resolvers import KEY

LINKID = "linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
ISSUER = "https://a.example"
KEYS = SeenKeys(ISSUER, (parse_pinned_key(KEY),))


def seen(version: int, digest: str = "d") -> SeenVersion:
    return SeenVersion(version, digest, ISSUER, ISSUER)


def linkid(number: int) -> str:
    return f"linkid:00c538ea-846b-47a6-a3d4-{number:012x}"


def test_an_older_version_and_another_one_of_the_same_number_are_refused(tmp_path: Path) -> None:
    linkids = SeenLinkIds(tmp_path / "new")
    assert linkids.read(LINKID) is None
    assert [linkids.add(LINKID, each) for each in (seen(2), seen(2), seen(1), seen(2, "e"), seen(3))] == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert SeenLinkIds(tmp_path / "new").read(LINKID.upper()) == seen(3)
    assert linkids.path(LINKID).stat().st_mode & 0o777 == 0o600


def test_of_many_linkids_those_seen_longest_ago_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_linkids, "MAX_ENTRIES", 3)
    linkids = SeenLinkIds(tmp_path)
    for number in (1, 2, 3):
        linkids.add(linkid(number), seen(1))
    linkids.add(linkid(1), seen(2))
    linkids.add(linkid(4), seen(1))
    assert [number for number in range(1, 5) if linkids.read(linkid(number))] == [1, 3, 4]


def test_of_several_writers_none_is_lost(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: SeenLinkIds(tmp_path).add(linkid(number), seen(number)), range(1, 17)))
    assert [SeenLinkIds(tmp_path).read(linkid(number)) for number in range(1, 17)] == [seen(n) for n in range(1, 17)]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"linkids": {}, "format": "x"}', b'{"linkids": {"a": 1}}'])
def test_a_damaged_file_is_reported_and_left_alone(tmp_path: Path, content: bytes) -> None:
    linkids, keys = SeenLinkIds(tmp_path), SeenKeyFiles(tmp_path)
    for path in (linkids.path(LINKID), keys.path(ISSUER)):
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"is damaged .* remove it"):
        linkids.add(LINKID, seen(1))
    with pytest.raises(UsageError, match=r"is damaged .* remove it"):
        keys.replace(KEYS, None)
    assert {path.read_bytes() for path in (linkids.path(LINKID), keys.path(ISSUER))} == {content}


def test_keys_are_replaced_only_if_nobody_else_did(tmp_path: Path) -> None:
    files = SeenKeyFiles(tmp_path)
    assert files.replace(KEYS, None)
    assert not files.replace(KEYS, None)
    assert SeenKeyFiles(tmp_path).read(ISSUER) == KEYS
    assert files.read("https://b.example") is None


def test_a_file_about_another_issuer_is_damaged(tmp_path: Path) -> None:
    files = SeenKeyFiles(tmp_path)
    files.replace(KEYS, None)
    files.path(ISSUER).rename(files.path("https://b.example"))
    with pytest.raises(UsageError, match="another issuer"):
        files.read("https://b.example")
