"""The mint function, assembled."""

import os
from typing import Final

from aws_lambda_powertools.metrics import MetricUnit, single_metric

from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.wiring.writing import NAMESPACE, prover, reporter, store
from coolid.aws.world import SystemClock, SystemEntropy
from coolid.domain.minting import Minter
from coolid.domain.quotas import Quotas
from coolid.domain.records import Record
from coolid.web.application import Application
from coolid.web.batching import Batching
from coolid.web.minting import Minting

_METRICS_OFF: Final = "POWERTOOLS_METRICS_DISABLED"  # Powertools' own switch, which single_metric overlooks


def handler() -> Gateway:
    """The Lambda handler of minting."""
    settings = Settings.read(os.environ, writes=True)
    keeper, clock = store(settings), SystemClock()
    minter = Minter(keeper, clock, SystemEntropy(), prover(settings, keeper), settings.public_base_url)
    counts = os.environ.get(_METRICS_OFF) != "true"
    forget = remembering_reader(settings).forget_record

    def minted(record: Record, key: str) -> None:
        forget(record.repository, key)  # that it was absent a moment ago
        if counts:
            _count(record)

    report = reporter("mint")
    minting = Minting(minter, keeper, Quotas(keeper, clock), minted)
    routes = minting.routes() + Batching(minting, clock, settings.public_base_url, report).routes()
    return Gateway(Application(routes, settings.public_base_url, report))


def _count(record: Record) -> None:
    """A metric in CloudWatch's embedded format, by repository."""
    with single_metric(name="Minted", unit=MetricUnit.Count, value=1, namespace=NAMESPACE) as metric:
        metric.add_dimension(name="repository", value=record.repository)
