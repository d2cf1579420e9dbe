"""Purging: what changed in the tables, the CDN is told to forget. Its role can read the streams, not the tables."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.aws.wiring import purge

    handler = purge.handler()
