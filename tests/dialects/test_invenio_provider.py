"""The PID provider in the guide for InvenioRDM, with the calls of InvenioRDM's PID manager, against `coolid serve`.

The base class and the PID stand in for those of invenio-rdm-records and invenio-pidstore, and do what those do.
"""

import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.support.builders.samples import ROOT
from tests.support.servers.coolid_server import Server

GUIDE = ROOT / "docs" / "how-to" / "developer" / "inveniordm.md"
PAGE = "https://repository.example.org/records/a1b2c-3d4e5"


class Pid:
    """A row of the table of PIDs."""

    def __init__(self, pid_type: str, pid_value: str) -> None:
        assert len(pid_type) <= 6
        assert len(pid_value) <= 255
        self.pid_value = pid_value
        self.status = "new"

    def is_registered(self) -> bool:
        return self.status == "registered"

    def register(self) -> bool:
        self.status = "registered"
        return True

    def delete(self) -> bool:
        self.status = "deleted"
        return True


class PIDProvider:
    """The base class of providers."""

    def __init__(self, name: str, client: Any = None, pid_type: str = "", label: str | None = None) -> None:
        self.name, self.client, self.pid_type, self.label = name, client, pid_type, label

    def generate_id(self, record: Any, **kwargs: Any) -> str:
        raise NotImplementedError

    def create(self, record: Any) -> Pid:
        return Pid(self.pid_type, self.generate_id(record))

    def register(self, pid: Pid, **kwargs: Any) -> bool:
        return pid.register()

    def delete(self, pid: Pid, *, soft_delete: bool = False, **kwargs: Any) -> bool | None:
        return None if soft_delete else pid.delete()


@pytest.fixture
def provider(server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The guide's provider, as `invenio.cfg` names it."""
    flask, pids = ModuleType("flask"), ModuleType("invenio_rdm_records.services.pids")
    config = {"COOLID_URL": server.url, "COOLID_KEY": server.key, "COOLID_PREFIX": "demo"}
    vars(flask)["current_app"] = SimpleNamespace(config=config)
    vars(pids)["providers"] = SimpleNamespace(PIDProvider=PIDProvider)
    for module in (flask, pids, ModuleType("invenio_rdm_records"), ModuleType("invenio_rdm_records.services")):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    shown: dict[str, Any] = {}
    source = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]
    exec(source, shown)  # noqa: S102 - it is our own documentation
    return shown["CoolidProvider"]("coolid", pid_type="coolid", label="PID")


def test_the_provider_reserves_publishes_changes_and_withdraws(server: Server, provider: Any) -> None:
    person = {"person_or_org": {"name": "Lind, Anna"}}
    metadata = {"title": "Spectra of basalt", "creators": [person, person], "publication_date": "2026-05"}
    record = SimpleNamespace(pid=SimpleNamespace(pid_value="a1b2c-3d4e5"), metadata=metadata)
    pid = provider.create(record)
    path = pid.pid_value.removeprefix(server.url)
    assert provider.create(record).pid_value == pid.pid_value
    assert server.request("GET", path).status == 404
    assert provider.register(pid, record=record, url=PAGE)
    assert server.request("GET", path).headers["location"] == PAGE
    metadata["title"] = "Spectra of basalts"
    provider.update(pid, record=record, url=f"{PAGE}?v=2")
    shown = server.request("GET", f"{path}?format=linkid").json()
    assert shown["records"][0]["uri"] == f"{PAGE}?v=2"
    expected = {"what": "Spectra of basalts", "who": "Lind, Anna; Lind, Anna", "when": "2026-05"}
    assert shown["metadata"] == expected
    assert provider.delete(pid, soft_delete=True) is None
    assert server.request("GET", path).status == 410
