"""The purge function: removes outdated answers from the CDN. Its role can read the streams, not the tables."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.wiring.event_functions import purge

    handler = purge.handler()
