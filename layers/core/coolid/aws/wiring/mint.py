"""The mint function, assembled."""

import os

from aws_lambda_powertools.metrics import MetricUnit, single_metric

from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.wiring.writing import NAMESPACE, reporter, store
from coolid.aws.world import SystemClock, SystemEntropy
from coolid.domain.minting import Minter
from coolid.domain.records import Record
from coolid.web.application import Application
from coolid.web.minting import Minting


def handler() -> Gateway:
    """The Lambda handler of minting."""
    settings = Settings.read(os.environ, writes=True)
    keeper = store(settings)
    minter = Minter(keeper, SystemClock(), SystemEntropy(), settings.public_base_url)
    minting = Minting(minter, keeper, _count)
    return Gateway(Application(minting.routes(), settings.public_base_url, reporter("mint")))


def _count(record: Record) -> None:
    """A metric in CloudWatch's embedded format, by repository."""
    with single_metric(name="Minted", unit=MetricUnit.Count, value=1, namespace=NAMESPACE) as metric:
        metric.add_dimension(name="repository", value=record.repository)
