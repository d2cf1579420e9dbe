"""The custody of LinkIDs: a record is offered to another operator, who accepts it, or the offer is revoked.

`custody_operations` has the requests as flows, `custody_resources` and `async_custody_resources` what the two clients
offer.
"""
