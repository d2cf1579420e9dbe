"""`docs/commands.md` is what the commands say of themselves."""

from coolid.cli.reference import reference
from tests.samples import ROOT


def test_the_reference_of_the_commands_is_as_scripts_commands_writes_it() -> None:
    written = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert written == reference(), "it is stale: run .venv/bin/python scripts/commands"
