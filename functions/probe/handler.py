"""Probing: whether what identifiers lead to is there. Its role changes nothing of records and prefixes but health."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.aws.wiring import probe

    handler = probe.handler()
