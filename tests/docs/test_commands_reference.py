"""`docs/reference/commands.md` is generated from the commands."""

from typer.cli import app as typer_app
from typer.testing import CliRunner

from tests.support.builders.samples import ROOT


def test_the_reference_of_the_commands_is_current() -> None:
    generate = ["coolid.cli", "utils", "docs", "--name", "coolid", "--title", "Commands"]
    generated = CliRunner().invoke(typer_app, generate).stdout
    written = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    assert written.strip() == generated.strip(), "it is stale: run scripts/commands"
