"""The redirects function: keeps the store at the edge in step with the prefixes. Its role can only read the table."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring.event_functions import redirects

    handler = redirects.handler()
