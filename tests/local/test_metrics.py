"""The metrics of the service, in Prometheus' text format."""

import re
from pathlib import Path
from socket import AF_UNIX, SOCK_DGRAM, socket

import pytest

from coolid import metric_names
from coolid.local.metrics import BOUNDS, COUNTERS, Metrics
from coolid.local.service_manager import notify_ready

LINE = re.compile(r'([a-z_]+)(\{[a-z]+="[^"]*"\})? ([0-9.e+-]+)')


def samples(metrics: Metrics) -> dict[str, float]:
    """Return the value of each sample by its name and label. Each is described before."""
    described, found = set(), {}
    for line in metrics.text().splitlines():
        if line.startswith("# TYPE "):
            described.add(line.split()[2])
        elif not line.startswith("# HELP "):
            matched = LINE.fullmatch(line)
            assert matched
            name, label, value = matched.groups()
            assert name in described or re.sub("_(bucket|sum|count)$", "", name) in described
            found[name + (label or "")] = float(value)
    return found


def test_it_returns_the_sums_of_all_processes() -> None:
    first = Metrics.create(rows=3)
    second = Metrics(first.file, rows=3, row=2)
    for metrics, statuses in ((first, (200, 404)), (second, (302, 303, 503))):
        for status in statuses:
            metrics.observe(status, 0.003)
        metrics.count(metric_names.MINTED, 2, repository="r4k2-9m3x-62")
    continued = Metrics(first.file, rows=3, row=2)  # a worker in the place of one that ended
    continued.observe(302, 40)
    for metrics in (first, second, continued):
        found = samples(metrics)
        assert [found[f'coolid_requests_total{{status="{each}xx"}}'] for each in (2, 3, 4, 5)] == [1, 3, 1, 1]
        assert found["coolid_minted_total"] == 4
        assert found['coolid_request_seconds_bucket{le="0.0025"}'] == 0
        assert found['coolid_request_seconds_bucket{le="0.005"}'] == 5
        assert found['coolid_request_seconds_bucket{le="25"}'] == 5
        assert found['coolid_request_seconds_bucket{le="+Inf"}'] == found["coolid_request_seconds_count"] == 6
        assert found["coolid_request_seconds_sum"] == pytest.approx(40.015)


def test_a_bound_belongs_to_its_bucket() -> None:
    metrics = Metrics.create(rows=1)
    for bound in BOUNDS:
        metrics.observe(200, bound)
    found = samples(metrics)
    assert [found[f'coolid_request_seconds_bucket{{le="{bound}"}}'] for bound in BOUNDS] == [*range(1, len(BOUNDS) + 1)]


def test_every_event_of_the_service_is_counted() -> None:
    """Those that are not happen on AWS only, beside the edge, in the index for searches and in the sequencer."""
    named = {value for name, value in vars(metric_names).items() if name.isupper()}
    assert named - COUNTERS.keys() == {
        metric_names.AGE,
        metric_names.CHANGES,
        metric_names.EDGE_AGE,
        metric_names.EDGE_KEYS,
        metric_names.EDGE_LEFT_OUT,
        metric_names.EDGE_NOT_NOTIFIED,
        metric_names.EDGE_REPAIRED,
        metric_names.EDGE_SUSPENDED,
        metric_names.EDGE_VALID,
        metric_names.INDEXED,
        metric_names.INDEX_UNREADABLE,
        metric_names.LOG_ENTRIES,
        metric_names.LOG_UNREADABLE,
        metric_names.LOG_WAIT,
        metric_names.POSTPONED,
        metric_names.PURGED,
        metric_names.UNREADABLE,
        metric_names.WITNESS_FAILED,
    }


@pytest.mark.parametrize("abstract", [False, True])
def test_systemd_is_notified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, abstract: bool) -> None:
    name = f"{tmp_path.name}/notify" if abstract else str(tmp_path / "notify")
    with socket(AF_UNIX, SOCK_DGRAM) as manager:
        manager.settimeout(10)
        manager.bind(f"\0{name}" if abstract else name)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}" if abstract else name)
        notify_ready()
        assert manager.recv(100) == b"READY=1"
