"""Public reads: redirects, records, descriptions of prefixes. Its role can read the prefix and LUI tables, no more."""

from coolid.aws.cold_start import cold_start

with cold_start():
    from coolid.aws.wiring import resolve

    handler = resolve.handler()
