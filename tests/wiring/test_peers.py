"""The setting of peers: where it may be, what a start refuses, and when nothing of it is loaded."""

from pathlib import Path

import pytest

from coolid.aws.settings import InvalidSettings
from coolid.wiring.linkid.configured_peers import configured_peers
from coolid.wiring.linkid.peers import build_lookup

TEXT = '{"resolvers": [{"issuer": "https://a.example"}, {"issuer": "https://id.example.org"}]}'
BASE_URL = "https://id.example.org"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The settings file of an operator with peers."""
    path = tmp_path / "settings.toml"
    path.write_text(f"PEERS = '''\n{TEXT}\n'''\n", encoding="utf-8")
    return path


def test_peers_are_in_the_environment_or_in_the_operators_file(file: Path) -> None:
    assert configured_peers({"PEERS": TEXT}) == configured_peers({"OPERATOR_SETTINGS": str(file)})
    assert configured_peers({"PEERS": '{"resolvers": []}', "OPERATOR_SETTINGS": str(file)}).resolvers == ()
    assert configured_peers({}).resolvers == configured_peers({"PEERS": " "}).resolvers == ()


def test_the_service_itself_is_no_peer() -> None:
    lookup = build_lookup({"PEERS": TEXT}, BASE_URL)
    assert lookup is not None
    assert [peer.issuer for peer in lookup.peers] == ["https://a.example"]
    assert build_lookup({}, BASE_URL) is build_lookup({"PEERS": '{"resolvers": []}'}, BASE_URL) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "PEERS: the list of resolvers is not JSON"),
        ('{"resolvers": [{"issuer": "http://a.example"}]}', r"PEERS: resolvers\[0\].issuer: http is allowed only"),
        ('{"resolvers": [{"issuer": "https://a.example", "retired": true}]}', "a retired resolver needs keys"),
    ],
)
def test_a_malformed_setting_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidSettings, match=reason):
        build_lookup({"PEERS": text}, BASE_URL)


def test_the_function_reads_the_file_only_if_it_names_peers(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coolid.wiring import resolve

    monkeypatch.delenv("PEERS", raising=False)
    monkeypatch.setenv("OPERATOR_SETTINGS", str(file))
    assert resolve.peer_lookup(BASE_URL) is not None
    other = tmp_path / "other.toml"
    other.write_text("this is not TOML", encoding="utf-8")
    for path in (other, tmp_path / "none", ""):
        monkeypatch.setenv("OPERATOR_SETTINGS", str(path))
        assert resolve.peer_lookup(BASE_URL) is None
    monkeypatch.setenv("PEERS", "nonsense")
    monkeypatch.delenv("OPERATOR_SETTINGS")
    with pytest.raises(InvalidSettings, match="PEERS: "):
        resolve.peer_lookup(BASE_URL)
