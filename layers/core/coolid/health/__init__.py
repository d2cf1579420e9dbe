"""Checks of providers and targets, link reports, and webhooks about broken links.

`schedule` says how often addresses are checked, and `due_tasks` which are due. `planner` reads them (`ailing_targets`)
and queues them in batches (`messages`), and `checker` checks them with `address_check`. `circuit_breaker` has the rule
that makes an address up, degraded or down. `condition_updates` stores the outcome beside prefixes and records.
`webhook_delivery` sends `webhook_notices`, signed by `webhook_signature`.
"""
