"""Several first starts at once: one fills the database, and the others wait for it."""

from pathlib import Path
from threading import Event, Thread

import pytest

from coolid.errors import UsageError
from coolid.local import start_lock as module
from coolid.local.start_lock import start_lock
from coolid.private_files import UnsuitableFile
from tests.sqlite.limits import without_privileges
from tests.support.builders.file_obstacles import link


def test_the_second_start_waits_for_the_first_and_leaves_no_file(tmp_path: Path) -> None:
    data, lines, waits, order = tmp_path / "new" / "coolid.db", list[str](), Event(), list[str]()

    def start() -> None:
        def on_line(line: str) -> None:
            lines.append(line)
            waits.set()

        with start_lock(data, on_line):
            order.append("second")

    with start_lock(data, lines.append):
        second = Thread(target=start)
        second.start()
        assert waits.wait(60)
        order.append("first")
    second.join(60)
    assert order == ["first", "second"]
    assert lines == [f"Another start of coolid prepares {data}; waiting for it …"]
    assert [*data.parent.iterdir()] == []


def test_a_start_that_takes_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.0)
    with start_lock(tmp_path / "coolid.db", print):
        with pytest.raises(UsageError, match="another start of coolid"), start_lock(tmp_path / "coolid.db", print):
            raise AssertionError
        assert (tmp_path / "coolid.db.start-lock").exists()


def test_a_link_is_refused_and_a_folder_that_cannot_be_written_has_no_lock(tmp_path: Path) -> None:
    link(tmp_path / "coolid.db.start-lock")
    with pytest.raises(UnsuitableFile), start_lock(tmp_path / "coolid.db", print):
        raise AssertionError
    with without_privileges(0o555) as folder, start_lock(folder / "coolid.db", print):
        assert [*folder.iterdir()] == []
