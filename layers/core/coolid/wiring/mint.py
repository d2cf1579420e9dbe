"""The wiring of the mint function."""

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.http.application import Application
from coolid.http.management.mint import MintEndpoint
from coolid.http.management.mint_batch import MintBatchEndpoint
from coolid.metric_names import MINT_CONFLICT
from coolid.wiring.write_components import WriteComponents


def handler() -> ApiGatewayHandler:
    """Return the Lambda handler for mints, one by one or in batches."""
    from coolid.wiring.write_handler import write_handler

    return write_handler("mint", build_application)


def build_application(components: WriteComponents) -> Application:
    """Return the application for mints."""
    minter = components.minter(lambda times: components.count(MINT_CONFLICT, times))
    mint = MintEndpoint(minter, components.store.clients, components.quotas, components.on_minted)
    batch = MintBatchEndpoint(mint, components.base_url, components.report, components.on_error)
    return components.application(mint.routes() + batch.routes())
