"""The wiring of the mint function."""

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.wiring.write_function import WriteFunction
from coolid.http.management.mint import MintEndpoint
from coolid.http.management.mint_batch import MintBatchEndpoint
from coolid.metric_names import MINT_CONFLICT


def handler() -> ApiGatewayHandler:
    """Return the Lambda handler for mints, one by one or in batches."""
    function = WriteFunction("mint")
    minter = function.minter(lambda times: function.count(MINT_CONFLICT, times))
    mint = MintEndpoint(minter, function.store.clients, function.quotas, function.on_minted)
    batch = MintBatchEndpoint(mint, function.base_url, function.report, function.on_error)
    return function.handler(mint.routes() + batch.routes())
